"""Outlines and random points of drawn tiles, in squares."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Point = tuple[float, float]
Circles = Sequence[tuple[float, float, float]]
"""Circles (x, y, radius) in squares."""
Rng = np.random.Generator


def shift_points(points: ArrayLike, dx: float, dy: float) -> Floats:
    """Return the points, (n, 2), moved."""
    return np.asarray(np.asarray(points, dtype=np.float64) + np.array((dx, dy)))


def make_oval(centre: Point, radius: float | Point, *, turn: float = 0.0, steps: int = 28) -> Floats:
    """Return the outline of a circle or an ellipse, (n, 2)."""
    rx, ry = (radius, radius) if isinstance(radius, (int, float)) else radius
    angle = np.linspace(0, 2 * np.pi, steps, endpoint=False)
    x, y = rx * np.cos(angle), ry * np.sin(angle)
    cos, sin = np.cos(turn), np.sin(turn)
    return np.stack([centre[0] + x * cos - y * sin, centre[1] + x * sin + y * cos], axis=1)


def make_blob(centre: Point, radius: float | Point, rng: Rng, *, wobble: float = 0.15) -> Floats:
    """Return the outline of a rounded, irregular patch, (n, 2)."""
    rx, ry = (radius, radius) if isinstance(radius, (int, float)) else radius
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    reach = np.ones_like(angle)
    for order in (2, 3, 5):
        reach += wobble * rng.uniform(0.3, 1.0) / np.sqrt(order) * np.cos(order * angle + rng.uniform(0, 6.3))
    return np.stack([centre[0] + rx * reach * np.cos(angle), centre[1] + ry * reach * np.sin(angle)], axis=1)


def make_stone(centre: Point, radius: float | Point, rng: Rng, *, corners: int = 8) -> Floats:
    """Return the outline of an angular stone, (n, 2)."""
    rx, ry = (radius, radius) if isinstance(radius, (int, float)) else radius
    angle = (np.arange(corners) + rng.uniform(-0.3, 0.3, corners)) * 2 * np.pi / corners
    reach = rng.uniform(0.8, 1.08, corners)
    return np.stack([centre[0] + rx * reach * np.cos(angle), centre[1] + ry * reach * np.sin(angle)], axis=1)


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
