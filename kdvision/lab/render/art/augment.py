"""Variations of printed squares, so that networks do not learn the few available prints by heart."""

from typing import Final

import cv2
import numpy as np

from kdvision.lab.arrays import Bytes, Rng

MAX_CROWNS: Final = 3
# A crown with its rim, in sides of a square. Crowns stand along the upper edge, from the left in a left half and from
# the right in a right half.
_CROWN_LEFTS: Final = (0.05, 0.345, 0.64)
_CROWN_TOP, _CROWN_WIDTH, _CROWN_HEIGHT = 0.03, 0.31, 0.25


def vary_print(picture: Bytes, rng: Rng, *, turn: bool = True, brightness: float = 1.0) -> Bytes:
    """Return a square print (h, h, 3) as another copy and another camera would show it.

    Brightness (around the given mean), tint and sharpness vary; with `turn` it is also mirrored and turned by quarters.
    """
    if turn:
        picture = np.rot90(picture[:, ::-1] if rng.random() < 0.5 else picture, int(rng.integers(4)))
    gain = brightness * rng.normal(1, 0.12) * rng.normal(1, 0.05, 3)
    shades = 255 * np.clip(gain * (picture / 255) ** rng.uniform(0.8, 1.25), 0, 1)
    blur = float(rng.choice([0, rng.uniform(0.3, 2.5)]))
    return np.asarray(cv2.GaussianBlur(shades, (0, 0), blur) if blur else shades, np.uint8)


def change_crowns(square: Bytes, printed: int, wanted: int, *, side: int) -> Bytes:
    """Return a left (0) or right (1) half (h, h, 3), upright as printed, with the wanted number of crowns.

    Every print of a mine with two crowns shows the same mine, so a network would take that mine for two crowns. A
    crown is removed by inpainting and added as a copy of the first. Raises ValueError if there is no crown to copy or
    no place for it.
    """
    if not 0 <= wanted <= MAX_CROWNS or (wanted > printed and not printed):
        raise ValueError(f"{printed} crowns cannot be made {wanted}")
    places = range(MAX_CROWNS) if side == 0 else range(MAX_CROWNS - 1, -1, -1)
    boxes = [_crown_box(square.shape[0], place) for place in places]
    result = square.copy()
    first = square[boxes[0]]
    opacity = np.zeros(first.shape[:2], np.float32)
    rim = max(2, first.shape[0] // 16)
    opacity[rim:-rim, rim:-rim] = 1
    soft = np.asarray(cv2.GaussianBlur(opacity, (0, 0), rim / 2), np.float32)[..., None]
    for box in boxes[printed:wanted]:
        result[box] = (result[box] * (1 - soft) + first * soft).astype(np.uint8)
    surplus = np.zeros(square.shape[:2], np.uint8)
    for box in boxes[wanted:printed]:
        surplus[box] = 255
    return np.asarray(cv2.inpaint(result, surplus, 5, cv2.INPAINT_TELEA), np.uint8) if surplus.any() else result


def _crown_box(side: int, place: int) -> tuple[slice, slice]:
    top, left = round(_CROWN_TOP * side), round(_CROWN_LEFTS[place] * side)
    return slice(top, top + round(_CROWN_HEIGHT * side)), slice(left, left + round(_CROWN_WIDTH * side))
