"""Rendered pictures under the corruptions of `kdvision.evaluate.corruptions`, with their truth."""

from typing import Final

import numpy as np

from kdvision.evaluate.corruptions import CORRUPTIONS, SEVERITIES, corrupt
from kdvision.evaluate.corruptions.pixels import DEFAULT_CELL_PIXELS, CellLayout
from kdvision.lab.arrays import Rng
from kdvision.lab.render.renderer import Picture
from kdvision.vision.geometry import compute_side_lengths

CALIBRATED_CORRUPTIONS: Final = tuple(
    name
    for name, corruption in CORRUPTIONS.items()
    if not corruption.adversarial and name not in ("further tilt", "barrel distortion", "rotation", "screenshot")
)
"""The corruptions that leave the truth and, but for the scale, the coordinates as they are."""
TRAINING_CORRUPTIONS: Final = (*CALIBRATED_CORRUPTIONS, "sodium lamp", "grey")
"""These, and two that hide some of the truth: a network learns what it cannot know."""
_SECOND_CORRUPTION_SHARE: Final = 0.3


def corrupt_picture(picture: Picture, corruption: str, severity: float, *, seed: int) -> Picture:
    """Return the picture under one of TRAINING_CORRUPTIONS, with its truth scaled alike."""
    quads = [square.corners for kingdom in picture.kingdoms for square in kingdom.squares.values()] or picture.loose
    sides = compute_side_lengths(np.array(quads).reshape(-1, 4, 2)).mean(axis=1)
    side = float(np.median(sides)) if quads else DEFAULT_CELL_PIXELS
    photo = corrupt(picture.photo, corruption, severity, cells=CellLayout(side), seed=seed)
    scale = np.divide(photo.shape[1::-1], picture.photo.shape[1::-1])
    return picture.transform(photo, np.diag([*scale, 1.0]))


def corrupt_randomly(picture: Picture, rng: Rng) -> Picture:
    """Return the picture under one or two random corruptions of any severity."""
    for _ in range(1 + (rng.random() < _SECOND_CORRUPTION_SHARE)):
        severity = float(rng.uniform(SEVERITIES[0], SEVERITIES[-1]))
        picture = corrupt_picture(
            picture, str(rng.choice(TRAINING_CORRUPTIONS)), severity, seed=int(rng.integers(1 << 31))
        )
    return picture
