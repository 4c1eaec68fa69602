"""Pixel types and the helpers that all corruptions share."""

from collections.abc import Callable
from typing import Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels: TypeAlias = NDArray[np.uint8]
Light: TypeAlias = NDArray[np.float32]
Function: TypeAlias = Callable[[Pixels, float, int, np.random.Generator], Pixels]
"""Corrupts a photo: pixels (height, width, 3), side of a square in pixels, severity 0 to 2, random generator."""

MIN_SIDE_PIXELS: Final = 72
"""No corruption makes a photo smaller than the smallest one that is accepted."""
GAMMA: Final = 2.2
"""Exponent from 8-bit values to linear light."""
LINEAR: Final = ((np.arange(256) / 255) ** GAMMA).astype(np.float32)
"""Linear light of each 8-bit value."""


def resize(pixels: Pixels, scale: float) -> Pixels:
    """Return the photo scaled by a factor."""
    size = (max(1, round(pixels.shape[1] * scale)), max(1, round(pixels.shape[0] * scale)))
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)


def scale_down(pixels: Pixels, scale: float) -> Pixels:
    """Return the photo scaled by a factor of at most 1, and no smaller than the smallest photo that is accepted."""
    return resize(pixels, min(1.0, max(scale, MIN_SIDE_PIXELS / min(pixels.shape[:2]))))


def measure_table_colour(pixels: Pixels) -> NDArray[np.float64]:
    """Return the median colour (3,) along the borders of the photo."""
    return np.asarray(np.median(np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]]), axis=0))


def filter_light(pixels: Pixels, kernel: NDArray[np.float64]) -> Pixels:
    """Return the photo with its linear light filtered, not its 8-bit values: highlights spread as they do in a lens."""
    light = cv2.filter2D(to_light(pixels), -1, kernel / kernel.sum(), borderType=cv2.BORDER_REPLICATE)
    return to_pixels(np.asarray(light, np.float32))


def to_light(pixels: Pixels) -> Light:
    """Return linear light from 0 to 1."""
    return LINEAR[pixels]


def to_pixels(light: NDArray[np.floating]) -> Pixels:
    """Return the 8-bit values of linear light; what is brighter than 1 is cut off."""
    return np.asarray(np.rint(255 * np.clip(light, 0, 1) ** (1 / GAMMA)), np.uint8)


def draw_smooth_noise(shape: tuple[int, int], wavelength: float, rng: np.random.Generator) -> Light:
    """Return normally distributed noise (height, width) whose blobs are about `wavelength` pixels large."""
    height, width = shape
    small = (max(2, round(width / wavelength) + 2), max(2, round(height / wavelength) + 2))
    noise = rng.standard_normal(small[::-1], dtype=np.float32)
    return np.asarray(cv2.resize(noise, (width, height), interpolation=cv2.INTER_CUBIC), np.float32)


def encode_jpeg(pixels: Pixels, quality: int) -> Pixels:
    """Return the photo after compression as JPEG."""
    _done, data = cv2.imencode(".jpg", pixels[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)[..., ::-1]
