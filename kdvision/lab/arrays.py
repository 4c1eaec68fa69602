"""Types of arrays and of random generators in the lab, and a mask for each channel."""

from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

Bytes: TypeAlias = npt.NDArray[np.uint8]
Floats: TypeAlias = npt.NDArray[np.float64]
Floats32: TypeAlias = npt.NDArray[np.float32]
AnyFloats: TypeAlias = npt.NDArray[np.floating]
Points: TypeAlias = Floats
"""Coordinates (n, 2)."""
Rng: TypeAlias = np.random.Generator


def repeat_channels(mask: Floats32) -> Floats32:
    """Return a mask (H, W) as (H, W, 3). NumPy computes slowly where it has to broadcast so short an axis."""
    return np.asarray(cv2.merge([mask] * 3), np.float32)
