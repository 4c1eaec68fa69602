"""Lines and letters on pictures, for whatever a report draws: smooth lines at slight angles, words on a ground."""

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

LEAST_TEXT: Final = 9.0
"""Letters are at least so many pixels high, however small the squares."""

SHIFT: Final = 4
"""OpenCV takes coordinates with so many binary places, for smooth lines at slight angles."""


def shrink_quad(quad: Points, share: float) -> Points:
    """A square's corners drawn together towards its middle."""
    centre = quad.mean(axis=0)
    return np.asarray(centre + share * (quad - centre))


def to_fixed_point(points: Points) -> NDArray[np.int32]:
    """Points as OpenCV takes them with `SHIFT`."""
    return np.rint(np.asarray(points, dtype=np.float64) * (1 << SHIFT)).astype(np.int32)


def draw_line(canvas: Pixels, points: Points, colour: Colour, width: float, *, closed: bool = False) -> None:
    """Draw through the points, at least a pixel wide."""
    draw_lines(canvas, [points], colour, width, closed=closed)


def draw_lines(canvas: Pixels, lines: Iterable[Points], colour: Colour, width: float, *, closed: bool = False) -> None:
    """Draw through the points of each line, at least a pixel wide."""
    cv2.polylines(
        canvas, [to_fixed_point(points) for points in lines], closed, colour, max(1, round(width)), cv2.LINE_AA, SHIFT
    )


def draw_label(pen: ImageDraw.ImageDraw, centre: Points, words: str, size: float, ink: Colour, ground: Colour) -> None:
    """Write words on a rounded ground around a point, moved where they would leave the picture."""
    size = max(size, LEAST_TEXT)
    font = _font(round(size))
    left, top, right, bottom = _box(words, round(size))
    half = np.array([right - left, bottom - top]) / 2 + size * np.array([0.35, 0.28])
    limit = np.array(pen.im.size) - half - 1
    x, y = np.maximum(np.minimum(centre, limit), half)
    pen.rounded_rectangle((x - half[0], y - half[1], x + half[0], y + half[1]), radius=size * 0.35, fill=ground)
    pen.text((x - (left + right) / 2, y - (top + bottom) / 2), words, font=font, fill=ink)


@lru_cache(maxsize=512)
def _box(words: str, size: int) -> tuple[float, float, float, float]:
    """Where words drawn at (0, 0) lie: left, top, right, bottom. The same few words stand on every photo."""
    return _font(size).getbbox(words, anchor="la")


@lru_cache(maxsize=32)
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own scalable font: the same letters on every machine. Few are kept: nights need every size."""
    return ImageFont.load_default(size)
