"""Colours, outlines and random points of drawn tiles; lengths are in squares."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from kdvision.lab.arrays import Floats, Rng

Point = tuple[float, float]
Circles = Sequence[tuple[float, float, float]]
"""Circles (x, y, radius)."""
Colour = tuple[int, int, int]  # RGB, 0 to 255

INK: Colour = (52, 36, 28)
WHITE: Colour = (255, 255, 255)


def mix(one: Colour, other: Colour, share: float) -> Colour:
    """Return a colour between two."""
    r, g, b = (round(a + (z - a) * share) for a, z in zip(one, other, strict=True))
    return r, g, b


def vary(colour: Colour, rng: Rng, amount: float = 10.0) -> Colour:
    """Return the colour with a random small change."""
    step = rng.normal(0, amount) + rng.normal(0, amount / 3, 3)
    r, g, b = np.clip(np.array(colour) + step, 0, 255).astype(int).tolist()
    return r, g, b


def lighten(colour: Colour, share: float = 0.3) -> Colour:
    """Return the colour mixed with white."""
    return mix(colour, WHITE, share)


def darken(colour: Colour, share: float = 0.3) -> Colour:
    """Return the colour mixed with ink."""
    return mix(colour, INK, share)


def choose(rng: Rng, *colours: Colour) -> Colour:
    """Return one of the colours."""
    return colours[int(rng.integers(len(colours)))]


def shift_points(points: ArrayLike, dx: float, dy: float) -> Floats:
    """Return the points, (n, 2), moved."""
    return np.asarray(np.asarray(points, dtype=np.float64) + np.array((dx, dy)))


def make_oval(centre: Point, radius: float | Point, *, turn: float = 0.0, steps: int = 28) -> Floats:
    """Return the outline of a circle or an ellipse, (n, 2)."""
    around = _make_circle(steps) * radius
    cos, sin = np.cos(turn), np.sin(turn)
    return np.asarray(around @ np.array([[cos, sin], [-sin, cos]]) + centre)


def make_blob(centre: Point, radius: float | Point, rng: Rng, *, wobble: float = 0.15) -> Floats:
    """Return the outline of a rounded, irregular patch, (n, 2)."""
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    reach = np.ones_like(angle)
    for order in (2, 3, 5):
        reach += wobble * rng.uniform(0.3, 1.0) / np.sqrt(order) * np.cos(order * angle + rng.uniform(0, 6.3))
    return np.asarray(_make_circle(40) * reach[:, None] * radius + centre)


def make_stone(centre: Point, radius: float | Point, rng: Rng, *, corners: int = 8) -> Floats:
    """Return the outline of an angular stone, (n, 2)."""
    angle = (np.arange(corners) + rng.uniform(-0.3, 0.3, corners)) * 2 * np.pi / corners
    reach = rng.uniform(0.8, 1.08, corners)
    return np.asarray(reach[:, None] * np.stack([np.cos(angle), np.sin(angle)], 1) * radius + centre)


def _make_circle(steps: int) -> Floats:
    angle = np.linspace(0, 2 * np.pi, steps, endpoint=False)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def scatter(
    rng: Rng, left: float, right: float, gap: float, *, avoid: Circles = (), tries: int = 400, margin: float = 0.0
) -> list[Point]:
    """Return random points at least `gap` apart, from far to near, outside the circles to avoid."""
    found: list[Point] = []
    drawn = rng.uniform((left + margin, margin), (right - margin, 1.0 - margin), (tries, 2))
    for x, y in drawn.tolist():
        if any((x - u) ** 2 + (y - v) ** 2 < r * r for u, v, r in avoid):
            continue
        if all((x - u) ** 2 + (y - v) ** 2 >= gap * gap for u, v in found):
            found.append((x, y))
    return sorted(found, key=lambda point: point[1])
