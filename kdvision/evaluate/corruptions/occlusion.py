"""Occlusion: a finger, a mug, a card, a sticker, and a sheet that covers a row."""

from typing import Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from kdvision.evaluate.corruptions.pixels import Pixels, measure_table_colour

Mask: TypeAlias = NDArray[np.uint8]
"""A picture (height, width) that is 255 where something covers the photo, and 0 elsewhere."""
Point: TypeAlias = tuple[int, int]

# One entry for each severity.
FINGER_SQUARES: Final = (0.5, 0.7, 0.9)
"""Width of a finger."""
MUG_SQUARES: Final = (1.0, 1.3, 1.6)
"""Diameter of a mug."""
CARD_SQUARES: Final = ((1.2, 0.8), (1.6, 1.1), (2.2, 1.5))
STICKER_SQUARES: Final = (0.5, 0.8, 1.0)
SHEET_SQUARES: Final = (1.0, 1.5, 2.0)
"""Width of a sheet in the colour of the table."""


def add_finger(pixels: Pixels, cell_size: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Let a finger reach from the border towards the middle."""
    end, start = _draw_point(pixels, 0.3, 0.7, rng), _draw_border_point(pixels, rng)
    skin = np.array([224, 172, 140]) * rng.uniform(0.4, 1.05)
    mask = np.zeros(pixels.shape[:2], np.uint8)
    cv2.line(mask, start, end, 255, _to_pixels(FINGER_SQUARES[severity], cell_size))
    return _paint(pixels, mask, skin)


def add_mug(pixels: Pixels, cell_size: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Put a mug, seen from above, near the border of the picture."""
    low, high = rng.choice([(0.12, 0.3), (0.7, 0.88)])
    radius = _to_pixels(MUG_SQUARES[severity] / 2, cell_size)
    centre = _draw_point(pixels, low, high, rng)
    mug = _paint(pixels, _fill_circle(pixels, centre, radius), rng.uniform(20, 240, 3))
    return _paint(mug, _fill_circle(pixels, centre, round(0.8 * radius)), (52, 34, 22))


def add_card(pixels: Pixels, cell_size: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Lay a playing card near the middle."""
    centre = _draw_point(pixels, 0.3, 0.7, rng)
    size, degrees = np.array(CARD_SQUARES[severity]) * cell_size, rng.uniform(0, 180)
    card = _paint(pixels, _fill_box(pixels, centre, size, degrees), (244, 242, 236))
    return _paint(card, _fill_box(pixels, centre, 0.5 * size, degrees), rng.uniform(20, 200, 3))


def add_sticker(pixels: Pixels, cell_size: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Put a round sticker of one colour near the middle."""
    centre, radius = _draw_point(pixels, 0.35, 0.65, rng), _to_pixels(STICKER_SQUARES[severity] / 2, cell_size)
    return _paint(pixels, _fill_circle(pixels, centre, radius), rng.uniform(0, 255, 3))


def cover_row(pixels: Pixels, cell_size: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Lay a strip in the colour of the table across the picture, about where a row of the kingdom ends."""
    height, width = pixels.shape[:2]
    centre = (width / 2, rng.choice([rng.uniform(0.15, 0.35), rng.uniform(0.65, 0.85)]) * height)
    size, degrees = np.array([2.0 * width, SHEET_SQUARES[severity] * cell_size]), rng.uniform(-4, 4)
    noise = rng.normal(0, 3, pixels.shape)
    return _paint(pixels, _fill_box(pixels, centre, size, degrees), measure_table_colour(pixels) + noise)


def _paint(pixels: Pixels, mask: Mask, colour: ArrayLike) -> Pixels:
    """Return the photo with a colour, or a picture, where the mask is filled: with a soft edge and a shadow beside."""
    alpha = cv2.GaussianBlur(mask, (0, 0), 1.2)[..., None] / 255.0
    shift = max(2, round(0.006 * max(pixels.shape[:2])))
    shadow = cv2.GaussianBlur(np.roll(mask, (shift, shift), (0, 1)), (0, 0), shift)[..., None] / 255.0
    painted = pixels * (1 - 0.35 * shadow) * (1 - alpha) + np.asarray(colour) * alpha
    return np.asarray(np.clip(painted, 0, 255), np.uint8)


def _fill_circle(pixels: Pixels, centre: Point, radius: int) -> Mask:
    mask = np.zeros(pixels.shape[:2], np.uint8)
    cv2.circle(mask, centre, radius, 255, -1)
    return mask


def _fill_box(pixels: Pixels, centre: tuple[float, float], size: NDArray[np.float64], degrees: float) -> Mask:
    mask = np.zeros(pixels.shape[:2], np.uint8)
    corners = cv2.boxPoints((centre, (float(size[0]), float(size[1])), degrees))
    cv2.fillPoly(mask, [np.round(corners).astype(np.int32)], 255)
    return mask


def _to_pixels(squares: float, cell_size: float) -> int:
    return max(2, round(squares * cell_size))


def _draw_point(pixels: Pixels, low: float, high: float, rng: np.random.Generator) -> Point:
    x, y = rng.uniform(low, high, 2) * (pixels.shape[1], pixels.shape[0])
    return int(x), int(y)


def _draw_border_point(pixels: Pixels, rng: np.random.Generator) -> Point:
    """Return a point on the left, right or lower border."""
    height, width = pixels.shape[:2]
    along = rng.uniform(0.2, 0.8)
    points = ((0.0, along), (1.0, along), (along, 1.0))
    x, y = points[int(rng.integers(len(points)))]
    return int(x * (width - 1)), int(y * (height - 1))
