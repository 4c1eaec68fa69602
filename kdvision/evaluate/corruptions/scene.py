"""What covers the table, and what the picture shows besides: each function takes one severity."""

from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from kdvision.evaluate.corruptions.pixels import MIN_SIDE_PIXELS, Picture, Shot, scale_down
from kdvision.vision.image.srgb import Pixels

Mask: TypeAlias = NDArray[np.uint8]
"""A picture (height, width) that is 255 where something covers the photo, and 0 elsewhere."""


def crop(shot: Shot, share: float) -> Picture:
    """Cut away a share of the picture at one side; a kingdom there is cut as well."""
    turns = int(shot.rng.integers(4))
    turned_pixels = np.rot90(shot.pixels, turns)
    return np.rot90(turned_pixels[: max(MIN_SIDE_PIXELS, round(len(turned_pixels) * (1 - share)))], -turns)


def crop_between_tiles(shot: Shot, lines: int) -> Picture:
    """Cut the picture so that it ends where a kingdom's outer rows or columns begin."""
    axis = int(shot.rng.integers(2))
    borders = (shot.cells.row_borders, shot.cells.column_borders)[axis] or _divide_side(shot, axis)
    index = min(lines, len(borders) - 2)
    pixels = np.swapaxes(shot.pixels, 0, axis)
    if shot.rng.random() < 0.5:
        pixels = pixels[: max(MIN_SIDE_PIXELS, round(borders[-1 - index]))]
    else:
        pixels = pixels[min(round(borders[index]), len(pixels) - MIN_SIDE_PIXELS) :]
    return np.swapaxes(pixels, 0, axis)


def rotate(shot: Shot, degrees: float) -> Picture:
    """Turn the picture and fill its corners with black."""
    height, width = shot.shape
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), float(shot.rng.choice([-1, 1]) * degrees), 1.0)
    corners = np.array([[0, 0, 1], [width, 0, 1], [width, height, 1], [0, height, 1]]) @ turn.T
    low, high = corners.min(axis=0), corners.max(axis=0)
    turn[:, 2] -= low
    size = (int(np.ceil(high[0] - low[0])), int(np.ceil(high[1] - low[1])))
    return cv2.warpAffine(shot.pixels, turn, size, flags=cv2.INTER_LINEAR)


def take_screenshot(shot: Shot, share: float) -> Picture:
    """Show the photo on a plain page with lines of text; it fills a share of the page's width."""
    small_photo = scale_down(shot.pixels, share)
    height, width = round(small_photo.shape[0] / share * 1.3), round(small_photo.shape[1] / share)
    page = np.full((height, width, 3), shot.rng.choice([18, 245]), np.uint8)
    top, left = (int(shot.rng.integers(room + 1)) for room in np.subtract(page.shape[:2], small_photo.shape[:2]))
    text, gap = [int(255 - page[0, 0, 0])] * 3, max(8, height // 30)
    for y in range(gap, height, gap):
        end = (int(shot.rng.uniform(0.3, 0.95) * width), y)
        cv2.line(page, (width // 20, y), end, text, max(1, gap // 6))
    page[top : top + small_photo.shape[0], left : left + small_photo.shape[1]] = small_photo
    return page


def photograph_screen(shot: Shot, level: tuple[float, float]) -> Picture:
    """Add moire and a bluish reflection, as a photo of a monitor has."""
    (moire, reflection), (height, width) = level, shot.shape
    y, x = np.ogrid[:height, :width]
    angle, period = shot.rng.uniform(0, np.pi), shot.rng.uniform(4, 14)
    phases = np.array([0, 2, 4]) * np.pi / 3
    wave = np.sin((np.cos(angle) * x + np.sin(angle) * y)[..., None] * 2 * np.pi / period + phases)
    veil = reflection * np.clip(1 - (x / width + y / height), 0, 1)[..., None] * np.array([0.7, 0.85, 1.0])
    return np.asarray(np.rint(shot.pixels * (1 + moire * wave) + veil))


def lose_seam(shot: Shot, cells: float) -> Picture:
    """Leave out a strip of this width in the middle, as a panorama whose parts do not fit."""
    width = max(1, round(cells * shot.cell_pixels))
    start = round(shot.rng.uniform(0.4, 0.6) * shot.shape[1])
    return np.concatenate([shot.pixels[:, :start], shot.pixels[:, start + width :]], axis=1)


def add_phone_with_copy(shot: Shot, share: float) -> Picture:
    """Lay a phone into a corner whose screen shows the same picture, scaled to a share."""
    copy = scale_down(shot.pixels, share)
    rim = max(4, len(copy) // 30)
    phone = np.pad(copy, ((rim, rim), (rim, rim), (0, 0)), constant_values=13)[: shot.shape[0], : shot.shape[1]]
    top, left = (int(shot.rng.choice([0, room])) for room in np.subtract(shot.shape, phone.shape[:2]))
    result = shot.pixels.copy()
    result[top : top + phone.shape[0], left : left + phone.shape[1]] = phone
    return result


def add_finger(shot: Shot, cells: float) -> Picture:
    """Let a finger of this width reach from the left, right or lower border towards the middle."""
    end, position = shot.draw_point(0.3, 0.7), shot.rng.uniform(0.2, 0.8)
    x, y = ((0.0, position), (1.0, position), (position, 1.0))[int(shot.rng.integers(3))]
    start = int(x * (shot.shape[1] - 1)), int(y * (shot.shape[0] - 1))
    skin = np.array([224, 172, 140]) * shot.rng.uniform(0.4, 1.05)
    mask = np.zeros(shot.shape, np.uint8)
    cv2.line(mask, start, end, 255, max(2, round(cells * shot.cell_pixels)))
    return _paint(shot.pixels, mask, skin)


def add_mug(shot: Shot, cells: float) -> Picture:
    """Put a mug of this diameter, seen from above, near the border of the picture."""
    low, high = shot.rng.choice([(0.12, 0.3), (0.7, 0.88)])
    radius, centre = max(2, round(cells / 2 * shot.cell_pixels)), shot.draw_point(low, high)
    mug = _paint(shot.pixels, _fill_circle(shot, centre, radius), shot.rng.uniform(20, 240, 3))
    return _paint(mug, _fill_circle(shot, centre, round(0.8 * radius)), (52, 34, 22))


def add_card(shot: Shot, cells: tuple[float, float]) -> Picture:
    """Lay a playing card of this size near the middle."""
    centre, size, degrees = shot.draw_point(0.3, 0.7), np.array(cells) * shot.cell_pixels, shot.rng.uniform(0, 180)
    card = _paint(shot.pixels, _fill_box(shot, centre, size, degrees), (244, 242, 236))
    return _paint(card, _fill_box(shot, centre, 0.5 * size, degrees), shot.rng.uniform(20, 200, 3))


def add_sticker(shot: Shot, cells: float) -> Picture:
    """Put a round sticker of one colour and this diameter near the middle."""
    centre, radius = shot.draw_point(0.35, 0.65), max(2, round(cells / 2 * shot.cell_pixels))
    return _paint(shot.pixels, _fill_circle(shot, centre, radius), shot.rng.uniform(0, 255, 3))


def cover_row(shot: Shot, cells: float) -> Picture:
    """Lay a strip in the colour of the table across the picture, about where a row of the kingdom ends."""
    height, width = shot.shape
    y = shot.rng.choice([shot.rng.uniform(0.15, 0.35), shot.rng.uniform(0.65, 0.85)]) * height
    size, degrees = np.array([2.0 * width, cells * shot.cell_pixels]), shot.rng.uniform(-4, 4)
    noise = shot.rng.normal(0, 3, shot.pixels.shape)
    return _paint(shot.pixels, _fill_box(shot, (width / 2, y), size, degrees), shot.table_colour + noise)


def _divide_side(shot: Shot, axis: int) -> tuple[float, ...]:
    """Return the borders of five squares in the middle of a side."""
    middle = shot.shape[axis] / 2
    return tuple(middle + shot.cell_pixels * step for step in (-2.5, -1.5, -0.5, 0.5, 1.5, 2.5))


def _paint(pixels: Pixels, mask: Mask, colour: ArrayLike) -> Pixels:
    """Return the photo with a colour or picture where the mask is filled, with a soft edge and a shadow beside it."""
    alpha = cv2.GaussianBlur(mask, (0, 0), 1.2)[..., None] / 255.0
    shift = max(2, round(0.006 * max(pixels.shape[:2])))
    shadow = cv2.GaussianBlur(np.roll(mask, (shift, shift), (0, 1)), (0, 0), shift)[..., None] / 255.0
    painted_pixels = pixels * (1 - 0.35 * shadow) * (1 - alpha) + np.asarray(colour) * alpha
    return np.asarray(np.clip(painted_pixels, 0, 255), np.uint8)


def _fill_circle(shot: Shot, centre: tuple[int, int], radius: int) -> Mask:
    mask = np.zeros(shot.shape, np.uint8)
    cv2.circle(mask, centre, radius, 255, -1)
    return mask


def _fill_box(shot: Shot, centre: tuple[float, float], size: NDArray[np.float64], degrees: float) -> Mask:
    mask = np.zeros(shot.shape, np.uint8)
    corners = cv2.boxPoints((centre, (float(size[0]), float(size[1])), degrees))
    cv2.fillPoly(mask, [np.round(corners).astype(np.int32)], 255)
    return mask
