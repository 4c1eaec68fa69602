"""Training examples made of real crops only: each crop is surrounded by other crops, as on a board."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.lab.train.crop_folder import Crops
from kdvision.lab.train.examples import TILE_KINDS, UNKNOWN, CellExamples
from kdvision.vision.networks.cells import CROP_PIXELS, SQUARE_PIXELS

Bytes = npt.NDArray[np.uint8]


def make_mosaics(crops: Crops, rng: np.random.Generator, count: int) -> CellExamples:
    """Return examples of real crops, each in the middle of crops that could lie beside it."""
    photos = sorted(crops.pictures)
    kinds = sorted(crops.by_kind)
    made = np.empty((count, CROP_PIXELS, CROP_PIXELS, 3), np.uint8)
    shown, tile, nothing = np.full(count, UNKNOWN, np.int64), np.zeros(count, np.int64), np.zeros(count, np.int64)
    for i in range(count):
        name = photos[rng.integers(len(photos))]
        photo, alike = crops.pictures[name], crops.find_matching(name)
        bare = rng.random() < 0.15
        # half by photo, so that frequent kinds stay frequent; half by kind, so that rare ones occur
        kind = str(rng.choice(sorted(photo))) if rng.random() < 0.5 else str(rng.choice(kinds))
        pool = alike[kind]
        middle = crops.scraps[rng.integers(len(crops.scraps))] if bare else pool[rng.integers(len(pool))]
        made[i] = _make_mosaic(middle, [c for few in alike.values() for c in few], crops.scraps, rng)
        shown[i], tile[i] = (UNKNOWN, 0) if bare else (TILE_KINDS.index(kind), 1)
    # no crop shows a piece; for crops without a tile the label is unknown (-1)
    return CellExamples(made, shown, tile, nothing, nothing + UNKNOWN, tile - 1, np.stack([tile - 1] * 4, axis=1))


def _make_mosaic(middle: Bytes, near: list[Bytes], scraps: tuple[Bytes, ...], rng: np.random.Generator) -> Bytes:
    """Return a crop (64, 64, 3) of a square surrounded by other squares or bare table."""
    side = SQUARE_PIXELS + int(rng.integers(-2, 3))
    canvas = np.empty((3 * side, 3 * side, 3), np.uint8)
    for row in range(3):
        for col in range(3):
            if row == col == 1:
                crop = middle
            else:
                crop = near[rng.integers(len(near))] if rng.random() < 0.75 else scraps[rng.integers(len(scraps))]
                crop = np.rot90(crop, int(rng.integers(4)))
            method = cv2.INTER_AREA if crop.shape[0] > side else cv2.INTER_LINEAR
            canvas[row * side : (row + 1) * side, col * side : (col + 1) * side] = cv2.resize(
                crop, (side, side), interpolation=method
            )
    start = (3 * side - CROP_PIXELS) // 2 + rng.integers(-2, 3, 2)
    return canvas[start[0] : start[0] + CROP_PIXELS, start[1] : start[1] + CROP_PIXELS]
