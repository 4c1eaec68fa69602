"""Squares of real dominoes with another number of crowns than they were printed with.

Every print of a mine with two crowns shows the same mine. Who has seen only those takes that mine for two crowns;
another box has it with one. So some squares of training are given crowns, or robbed of them.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]

MOST: Final = 3
"""Crowns stand in three places along the upper edge: from the left in a left half, from the right in a right half."""
_LEFT: Final = (0.05, 0.345, 0.64)
_TOP, _WIDTH, _HEIGHT = 0.03, 0.31, 0.25  # of one crown with its rim; all in sides of a square


def change_crowns(square: Picture, printed: int, wanted: int, *, side: int) -> Picture:
    """Return a left (0) or right (1) half (h, h, 3), upright as printed, with the wanted number of crowns.

    A crown that goes is painted over from around it; one that comes is a copy of the first. Raises ValueError where
    none is printed that could be copied, or more are wanted than there are places.
    """
    if not 0 <= wanted <= MOST or (wanted > printed and not printed):
        raise ValueError(f"{printed} crowns cannot be made {wanted}")
    places = range(MOST) if side == 0 else range(MOST - 1, -1, -1)
    boxes = [_box(square.shape[0], place) for place in places]
    made = square.copy()
    first = square[boxes[0]]
    for box in boxes[printed:wanted]:
        soft = _soft(first.shape[0], first.shape[1])
        made[box] = (made[box] * (1 - soft) + first * soft).astype(np.uint8)
    over = np.zeros(square.shape[:2], np.uint8)
    for box in boxes[wanted:printed]:
        over[box] = 255
    return np.asarray(cv2.inpaint(made, over, 5, cv2.INPAINT_TELEA), np.uint8) if over.any() else made


def _box(side: int, place: int) -> tuple[slice, slice]:
    top, left = round(_TOP * side), round(_LEFT[place] * side)
    return slice(top, top + round(_HEIGHT * side)), slice(left, left + round(_WIDTH * side))


def _soft(height: int, width: int) -> NDArray[np.float32]:
    """How much of a copy shows (h, w, 1): all in its middle, nothing at its rim."""
    inner = np.zeros((height, width), np.float32)
    rim = max(2, height // 16)
    inner[rim:-rim, rim:-rim] = 1
    return np.asarray(cv2.GaussianBlur(inner, (0, 0), rim / 2), np.float32)[..., None]
