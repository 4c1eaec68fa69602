"""Lens: wide-angle distortion, colour fringes and dark corners."""

from typing import Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from kdvision.evaluate.corruptions.pixels import Pixels, to_light, to_pixels

Floats: TypeAlias = NDArray[np.float64]

# One entry for each severity.
BARREL: Final = (0.08, 0.16, 0.28)
"""Radial shift at the corners, as a share of their distance from the centre."""
FRINGE: Final = (0.0015, 0.003, 0.005)
"""Difference of magnification between red and blue."""
VIGNETTE: Final = (0.5, 0.3, 0.15)
"""Share of the light that is left in the corners."""


def distort_as_barrel(pixels: Pixels, _: float, severity: int, __: np.random.Generator) -> Pixels:
    """Bend straight lines outwards, as the wide-angle lens of a phone does."""
    x, y = _get_coordinates(pixels)
    factor = 1 + BARREL[severity] * ((x * x + y * y) / 2 - 0.5)
    return _sample(pixels, x * factor, y * factor)


def add_colour_fringes(pixels: Pixels, _: float, severity: int, __: np.random.Generator) -> Pixels:
    """Magnify red and blue differently, as a cheap lens does."""
    x, y = _get_coordinates(pixels)
    factors = (1 - FRINGE[severity], 1.0, 1 + FRINGE[severity])
    return np.stack([_sample(pixels[..., n], x * f, y * f) for n, f in enumerate(factors)], axis=-1)


def darken_corners(pixels: Pixels, _: float, severity: int, __: np.random.Generator) -> Pixels:
    """Reduce the light towards the corners."""
    x, y = _get_coordinates(pixels)
    left = VIGNETTE[severity] ** ((x * x + y * y) / 2)
    return to_pixels(to_light(pixels) * left[..., None].astype(np.float32))


def _get_coordinates(pixels: Pixels) -> tuple[Floats, Floats]:
    """Return x and y (height, width) from -1 to 1."""
    y, x = np.mgrid[-1 : 1 : pixels.shape[0] * 1j, -1 : 1 : pixels.shape[1] * 1j]
    return x, y


def _sample(pixels: Pixels, x: Floats, y: Floats) -> Pixels:
    """Return the photo sampled at coordinates from -1 to 1; its border is repeated."""
    height, width = pixels.shape[:2]
    cols, rows = ((x + 1) / 2 * (width - 1)).astype(np.float32), ((y + 1) / 2 * (height - 1)).astype(np.float32)
    return np.asarray(cv2.remap(pixels, cols, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8)
