"""A canvas measured in squares, on which tiles are drawn, and the outlines of shapes: points (n, 2) in squares."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cache

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from kdvision.lab.arrays import Bytes, Floats, Rng
from kdvision.lab.render.drawn.colours import Colour

Point = tuple[float, float]
Circles = Sequence[tuple[float, float, float]]
"""Circles (x, y, radius)."""
_SHIFT = 4  # fractional bits of the corners given to OpenCV


class Canvas:
    """A picture that reaches from `left` to `right` and from 0 to 1, in squares; y points down, `unit` pixels a square.

    `pixels` is (unit, (right - left) * unit, 3), RGB. Shapes may reach beyond the canvas.
    """

    def __init__(self, left: float, right: float, unit: int) -> None:
        self.left, self.right, self.unit = left, right, unit
        self.pixels: Bytes = np.zeros((unit, round((right - left) * unit), 3), dtype=np.uint8)
        self._origin, self._scale = np.zeros(2), 1.0

    def move_origin(self, x: float, y: float, scale: float = 1.0) -> Canvas:
        """Return the canvas, with the same pixels, whose origin is moved to a point and whose lengths are scaled."""
        canvas = copy(self)
        canvas._origin = self._origin + self._scale * np.array((x, y))
        canvas._scale = self._scale * scale
        return canvas

    def scatter(
        self, rng: Rng, gap: float, *, tries: int, avoid: Circles = (), margin: float = 0.0, overhang: float = 0.0
    ) -> list[Canvas]:
        """Return the canvas moved to random points at least `gap` apart, from far to near, outside the circles.

        Points keep a margin to the edge; to the left and the right they may lie beyond it by `overhang`.
        """
        inset, points = margin - overhang, list[Point]()
        for x, y in rng.uniform((self.left + inset, margin), (self.right - inset, 1.0 - margin), (tries, 2)).tolist():
            is_free = all((x - u) ** 2 + (y - v) ** 2 >= r * r for u, v, r in avoid)
            if is_free and all((x - u) ** 2 + (y - v) ** 2 >= gap * gap for u, v in points):
                points.append((x, y))
        return [self.move_origin(x, y) for x, y in sorted(points, key=lambda point: point[1])]

    def _to_fixed_pixels(self, points: ArrayLike) -> NDArray[np.int32]:
        pixels = np.array(points, dtype=np.float64)  # changed in place, because thousands of shapes are small
        pixels *= self._scale
        pixels += self._origin
        pixels[:, 0] -= self.left
        pixels *= self.unit
        pixels -= 0.5
        pixels *= 1 << _SHIFT
        return np.rint(pixels, out=pixels).astype(np.int32)

    def fill_outline(
        self, points: ArrayLike, colour: Colour, *, ink: Colour | None = None, width: float = 0.008
    ) -> None:
        """Fill an outline; draw its border too if `ink` is given."""
        cv2.fillPoly(self.pixels, [self._to_fixed_pixels(points)], colour, cv2.LINE_AA, _SHIFT)
        if ink is not None:
            self.draw_line(points, ink, width, is_closed=True)

    def fill_box(self, left: float, top: float, right: float, bottom: float, colour: Colour, ink: Colour) -> None:
        self.fill_outline([(left, bottom), (right, bottom), (right, top), (left, top)], colour, ink=ink)

    def draw_line(self, points: ArrayLike, colour: Colour, width: float = 0.008, *, is_closed: bool = False) -> None:
        thickness = max(1, round(width * self._scale * self.unit))
        cv2.polylines(self.pixels, [self._to_fixed_pixels(points)], is_closed, colour, thickness, cv2.LINE_AA, _SHIFT)

    def fill_oval(
        self,
        centre: Point,
        radius: float | Point,
        colour: Colour,
        *,
        turn: float = 0.0,
        ink: Colour | None = None,
        width: float = 0.008,
    ) -> None:
        self.fill_outline(make_oval(centre, radius, turn=turn), colour, ink=ink, width=width)

    def shade_outline(self, points: ArrayLike, strength: float, *, blur: float = 0.0) -> None:
        """Darken what lies inside an outline; a negative strength lightens it."""
        corners = self._to_fixed_pixels(points)
        sigma = blur * self._scale * self.unit
        reach = int(3 * sigma) + 3
        x0, y0 = np.maximum((corners >> _SHIFT).min(axis=0) - reach, 0)
        x1, y1 = np.minimum((corners >> _SHIFT).max(axis=0) + reach, self.pixels.shape[1::-1])
        if x0 >= x1 or y0 >= y1:
            return
        mask = np.zeros((y1 - y0, x1 - x0), dtype=np.uint8)
        cv2.fillPoly(mask, [corners - np.array((x0, y0), dtype=np.int32) * (1 << _SHIFT)], 255, cv2.LINE_AA, _SHIFT)
        if blur:
            mask = np.asarray(cv2.GaussianBlur(mask, (0, 0), sigma), dtype=np.uint8)
        region = self.pixels[y0:y1, x0:x1]
        share = (mask.astype(np.float32) / 255.0 * abs(strength))[..., None]
        region[:] = (region * (1.0 - share) + (255.0 if strength < 0 else 0.0) * share).astype(np.uint8)

    def paint_patches(self, colours: Sequence[Colour], grain: float, rng: Rng) -> None:
        """Cover the canvas with soft patches of the colours, about `grain` squares wide, with finer ones within."""
        height, width = self.pixels.shape[:2]
        total = np.zeros((height, width), dtype=np.float32)
        for octave in range(4):
            step = max(grain * self.unit / 2**octave, 1.5)
            coarse_noise = rng.random((int(height / step) + 3, int(width / step) + 3), dtype=np.float32)
            total += np.asarray(cv2.resize(coarse_noise, (width, height), interpolation=cv2.INTER_CUBIC)) * 0.55**octave
        low, high = np.percentile(total[::8, ::8], (2, 98))
        level = np.asarray(np.clip((total - low) / (high - low), 0, 1), dtype=np.float32)
        stops, levels = np.linspace(0, 1, len(colours)), np.linspace(0, 1, 256)
        table = np.stack([np.interp(levels, stops, channel) for channel in np.transpose(colours)], axis=1)
        colour_layer = table.astype(np.float32)[(level * 255).astype(np.uint8)]
        paper = cv2.GaussianBlur(rng.normal(0, 8.8, (height, width)).astype(np.float32), (0, 0), 0.9)
        self.pixels[:] = np.clip(colour_layer + paper[..., None], 0, 255).astype(np.uint8)


def shift_points(points: ArrayLike, dx: float, dy: float) -> Floats:
    """Return the points, (n, 2), moved."""
    return np.asarray(np.asarray(points, dtype=np.float64) + np.array((dx, dy)))


def make_oval(centre: Point, radius: float | Point, *, turn: float = 0.0, steps: int = 28) -> Floats:
    """Return the outline of a circle or an ellipse, (n, 2)."""
    outline = _make_circle(steps) * radius
    if turn:
        cos, sin = np.cos(turn), np.sin(turn)
        outline = outline @ np.array([[cos, sin], [-sin, cos]])
    return np.asarray(outline + centre)


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


@cache
def _make_circle(steps: int) -> Floats:
    angle = np.linspace(0, 2 * np.pi, steps, endpoint=False)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)
