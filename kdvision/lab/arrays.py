"""Types of arrays and of random generators in the lab."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Bytes: TypeAlias = npt.NDArray[np.uint8]
Floats: TypeAlias = npt.NDArray[np.float64]
Floats32: TypeAlias = npt.NDArray[np.float32]
AnyFloats: TypeAlias = npt.NDArray[np.floating]
Points: TypeAlias = Floats
"""Coordinates (n, 2)."""
Rng: TypeAlias = np.random.Generator
