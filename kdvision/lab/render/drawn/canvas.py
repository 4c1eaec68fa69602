"""A canvas measured in squares, with the strokes and shapes of drawn tiles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

Colour = tuple[int, int, int]
Floats = NDArray[np.float64]
Point = tuple[float, float]
Circles = Sequence[tuple[float, float, float]]
"""Circles (x, y, radius) in squares."""
Rng = np.random.Generator

_SHIFT = 4  # fractional bits of the corners given to OpenCV

INK: Colour = (52, 36, 28)


class Canvas:
    """A picture that reaches from `left` to `right` and from 0 to 1, in squares; y points down, `unit` pixels a square.

    `pixels` is (unit, (right - left) * unit, 3), RGB. Shapes may reach beyond the canvas.
    """

    def __init__(self, left: float, right: float, unit: int) -> None:
        self.left, self.right, self.unit = left, right, unit
        self.pixels: NDArray[np.uint8] = np.zeros((unit, round((right - left) * unit), 3), dtype=np.uint8)

    def _corners(self, points: ArrayLike) -> NDArray[np.int32]:
        scaled = (np.asarray(points, dtype=np.float64) - (self.left, 0.0)) * self.unit - 0.5
        return np.asarray(np.round(scaled * (1 << _SHIFT)), dtype=np.int32)

    def shape(self, points: ArrayLike, colour: Colour, *, ink: Colour | None = None, width: float = 0.008) -> None:
        """Fill an outline; draw its border too if `ink` is given."""
        corners = self._corners(points)
        cv2.fillPoly(self.pixels, [corners], colour, cv2.LINE_AA, _SHIFT)
        if ink is not None:
            cv2.polylines(self.pixels, [corners], True, ink, self._width(width), cv2.LINE_AA, _SHIFT)

    def line(self, points: ArrayLike, colour: Colour, width: float = 0.008) -> None:
        """Draw a line through the points."""
        cv2.polylines(self.pixels, [self._corners(points)], False, colour, self._width(width), cv2.LINE_AA, _SHIFT)

    def spot(
        self,
        centre: Point,
        radius: float | Point,
        colour: Colour,
        *,
        turn: float = 0.0,
        ink: Colour | None = None,
        width: float = 0.008,
    ) -> None:
        """Fill a circle or an ellipse."""
        self.shape(make_oval(centre, radius, turn=turn), colour, ink=ink, width=width)

    def shade(self, outlines: Iterable[ArrayLike], strength: float, *, blur: float = 0.0) -> None:
        """Darken what lies inside the outlines; a negative strength lightens it."""
        corners = [self._corners(points) for points in outlines]
        reach = int(3 * blur * self.unit) + 3
        joined = np.concatenate(corners) >> _SHIFT
        x0, y0 = np.maximum(joined.min(axis=0) - reach, 0)
        x1, y1 = np.minimum(joined.max(axis=0) + reach, (self.pixels.shape[1], self.pixels.shape[0]))
        if x0 >= x1 or y0 >= y1:
            return
        mask = np.zeros((y1 - y0, x1 - x0), dtype=np.uint8)
        moved = [points - np.array((x0, y0), dtype=np.int32) * (1 << _SHIFT) for points in corners]
        for points in moved:
            cv2.fillPoly(mask, [points], 255, cv2.LINE_AA, _SHIFT)
        if blur:
            mask = np.asarray(cv2.GaussianBlur(mask, (0, 0), blur * self.unit), dtype=np.uint8)
        region = self.pixels[y0:y1, x0:x1]
        share = (mask.astype(np.float32) / 255.0 * abs(strength))[..., None]
        region[:] = (region * (1.0 - share) + (255.0 if strength < 0 else 0.0) * share).astype(np.uint8)

    def wash(self, colours: Sequence[Colour], grain: float, rng: Rng, *, rough: float = 4.0) -> None:
        """Cover the canvas with soft patches of the colours, about `grain` squares wide."""
        height, width = self.pixels.shape[:2]
        level = make_cloud((height, width), grain * self.unit, rng)
        ramp = np.array(colours, dtype=np.float32)
        stops = np.linspace(0.0, 1.0, len(ramp))
        table = np.stack([np.interp(np.linspace(0, 1, 256), stops, ramp[:, i]) for i in range(3)], axis=1)
        painted = table.astype(np.float32)[(level * 255).astype(np.uint8)]
        paper = cv2.GaussianBlur(rng.normal(0, 2.2 * rough, (height, width)).astype(np.float32), (0, 0), 0.9)
        self.pixels[:] = np.clip(painted + paper[..., None], 0, 255).astype(np.uint8)

    def _width(self, width: float) -> int:
        return max(1, round(width * self.unit))


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


def make_cloud(shape: tuple[int, int], grain: float, rng: Rng, octaves: int = 4) -> NDArray[np.float32]:
    """Return smooth noise between 0 and 1, (H, W), in patches of about `grain` pixels with finer ones within."""
    total = np.zeros(shape, dtype=np.float32)
    for octave in range(octaves):
        step = max(grain / 2**octave, 1.5)
        coarse = rng.random((int(shape[0] / step) + 3, int(shape[1] / step) + 3), dtype=np.float32)
        total += np.asarray(cv2.resize(coarse, shape[::-1], interpolation=cv2.INTER_CUBIC)) * 0.55**octave
    low, high = np.percentile(total[::8, ::8], (2, 98))
    return np.asarray(np.clip((total - low) / (high - low), 0, 1), dtype=np.float32)


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
    return mix(colour, (255, 255, 255), share)


def darken(colour: Colour, share: float = 0.3) -> Colour:
    """Return the colour mixed with ink."""
    return mix(colour, INK, share)


def scatter(
    rng: Rng,
    left: float,
    right: float,
    gap: float,
    *,
    avoid: Circles = (),
    tries: int = 400,
    margin: float = 0.0,
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
