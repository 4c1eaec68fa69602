"""Occlusion: a finger, a mug, a card, a sticker, and a sheet that covers a row."""

from typing import Final

import cv2
import numpy as np

from kdvision.evaluate.corruptions.pixels import Pixels

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
    return _paint(
        pixels, lambda mask: cv2.line(mask, start, end, 255, _size(FINGER_SQUARES[severity], cell_size)), skin
    )


def add_mug(pixels: Pixels, cell_size: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Put a mug, seen from above, near the border of the picture."""
    side = rng.choice([(0.12, 0.3), (0.7, 0.88)])
    radius = _size(MUG_SQUARES[severity] / 2, cell_size)
    centre = _draw_point(pixels, side[0], side[1], rng)
    mug = _paint(pixels, lambda mask: cv2.circle(mask, centre, radius, 255, -1), rng.uniform(20, 240, 3))
    return _paint(mug, lambda mask: cv2.circle(mask, centre, round(0.8 * radius), 255, -1), np.array([52, 34, 22]))


def add_card(pixels: Pixels, cell_size: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Lay a playing card near the middle."""
    box = (
        _draw_point(pixels, 0.3, 0.7, rng),
        tuple(cell_size * s for s in CARD_SQUARES[severity]),
        rng.uniform(0, 180),
    )
    card = _paint(pixels, lambda mask: _fill_box(mask, box), np.array([244, 242, 236]))
    inner = (box[0], tuple(0.5 * s for s in box[1]), box[2])
    return _paint(card, lambda mask: _fill_box(mask, inner), rng.uniform(20, 200, 3))


def add_sticker(pixels: Pixels, cell_size: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Put a round sticker of one colour near the middle."""
    centre, radius = _draw_point(pixels, 0.35, 0.65, rng), _size(STICKER_SQUARES[severity] / 2, cell_size)
    return _paint(pixels, lambda mask: cv2.circle(mask, centre, radius, 255, -1), rng.uniform(0, 255, 3))


def cover_row(pixels: Pixels, cell_size: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Lay a strip in the colour of the table across the picture, about where a row of the kingdom ends."""
    height, width = pixels.shape[:2]
    table = np.median(np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]]), axis=0)
    centre = (width / 2, rng.choice([rng.uniform(0.15, 0.35), rng.uniform(0.65, 0.85)]) * height)
    box = (centre, (2.0 * width, SHEET_SQUARES[severity] * cell_size), rng.uniform(-4, 4))
    noise = rng.normal(0, 3, pixels.shape)
    return _paint(pixels, lambda mask: _fill_box(mask, box), table + noise)


def _paint(pixels: Pixels, draw, colour: np.ndarray) -> Pixels:  # type: ignore[no-untyped-def]
    """Return the photo with a colour where `draw` fills a mask; the edge is soft, and a shadow lies beside it."""
    mask = np.zeros(pixels.shape[:2], np.uint8)
    draw(mask)
    alpha = cv2.GaussianBlur(mask, (0, 0), 1.2)[..., None] / 255.0
    shift = max(2, round(0.006 * max(pixels.shape[:2])))
    shadow = cv2.GaussianBlur(np.roll(mask, (shift, shift), (0, 1)), (0, 0), shift)[..., None] / 255.0
    return np.asarray(np.clip(pixels * (1 - 0.35 * shadow) * (1 - alpha) + colour * alpha, 0, 255), np.uint8)


def _fill_box(mask: np.ndarray, box: tuple) -> None:  # type: ignore[type-arg]
    cv2.fillPoly(mask, [np.round(cv2.boxPoints(box)).astype(np.int32)], 255)


def _size(squares: float, cell_size: float) -> int:
    return max(2, round(squares * cell_size))


def _draw_point(pixels: Pixels, low: float, high: float, rng: np.random.Generator) -> tuple[int, int]:
    x, y = rng.uniform(low, high, 2) * (pixels.shape[1], pixels.shape[0])
    return int(x), int(y)


def _draw_border_point(pixels: Pixels, rng: np.random.Generator) -> tuple[int, int]:
    height, width = pixels.shape[:2]
    along = rng.uniform(0.2, 0.8)
    points = ((0.0, along), (1.0, along), (along, 1.0))
    x, y = points[int(rng.integers(len(points)))]
    return int(x * (width - 1)), int(y * (height - 1))
