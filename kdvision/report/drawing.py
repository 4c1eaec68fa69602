"""Lines and labels on pictures."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import ImageDraw, ImageFont

Pixels: TypeAlias = NDArray[np.uint8]
Points: TypeAlias = NDArray[np.float64]
Colour: TypeAlias = tuple[int, int, int]

DARK: Final[Colour] = (24, 24, 28)
LIGHT: Final[Colour] = (255, 255, 255)
AMBER: Final[Colour] = (255, 170, 0)

MIN_FONT_PIXELS: Final = 9.0
"""Smallest font size, however small the squares are."""

FRACTION_BITS: Final = 4
"""Fractional bits of the coordinates given to OpenCV, so that slightly slanted lines are smooth."""


def shrink_quad(quad: Points, factor: float) -> Points:
    """The corners (4, 2) moved towards their centre: `factor` 1 keeps them, 0 puts them all into the centre."""
    centre = quad.mean(axis=0)
    return np.asarray(centre + factor * (quad - centre))


def to_fixed_point(points: Points) -> NDArray[np.int32]:
    """Points as integers with FRACTION_BITS fractional bits, as OpenCV takes them."""
    return np.rint(np.asarray(points, dtype=np.float64) * (1 << FRACTION_BITS)).astype(np.int32)


def draw_line(canvas: Pixels, points: Points, colour: Colour, width: float, *, closed: bool = False) -> None:
    """Draw a line through the points, at least one pixel wide."""
    draw_lines(canvas, [points], colour, width, closed=closed)


def draw_lines(canvas: Pixels, lines: Iterable[Points], colour: Colour, width: float, *, closed: bool = False) -> None:
    """Draw several lines, at least one pixel wide."""
    fixed = [to_fixed_point(points) for points in lines]
    cv2.polylines(canvas, fixed, closed, colour, max(1, round(width)), cv2.LINE_AA, FRACTION_BITS)


def draw_label(
    pen: ImageDraw.ImageDraw, centre: Points, text: str, size: float, colour: Colour, background: Colour
) -> None:
    """Write text on a rounded rectangle around a point, moved inside the picture if necessary."""
    size = max(size, MIN_FONT_PIXELS)
    font = _load_font(round(size))
    left, top, right, bottom = _measure_text(text, round(size))
    half = np.array([right - left, bottom - top]) / 2 + size * np.array([0.35, 0.28])
    limit = np.array(pen.im.size) - half - 1
    x, y = np.maximum(np.minimum(centre, limit), half)
    pen.rounded_rectangle((x - half[0], y - half[1], x + half[0], y + half[1]), radius=size * 0.35, fill=background)
    pen.text((x - (left + right) / 2, y - (top + bottom) / 2), text, font=font, fill=colour)


@lru_cache(maxsize=512)
def _measure_text(text: str, size: int) -> tuple[float, float, float, float]:
    """The box of text drawn at (0, 0): left, top, right, bottom. Cached, as most photos have the same texts."""
    return _load_font(size).getbbox(text, anchor="la")


@lru_cache(maxsize=32)
def _load_font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own scalable font, which is the same on every machine. The cache is small: a batch needs every size."""
    return ImageFont.load_default(size)
