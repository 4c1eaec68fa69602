"""A photo to corrupt, and the helpers that all corruptions share."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from kdvision.vision.image.srgb import Pixels

Light: TypeAlias = NDArray[np.float32]
Picture: TypeAlias = NDArray[Any]
"""A picture (height, width, 3) of any number type, with values from 0 to 255 or beyond; `corrupt` makes it pixels."""

MIN_SIDE_PIXELS: Final = 72
"""No corruption makes a side shorter. The smallest photo that is accepted has 64 pixels."""
DEFAULT_CELL_PIXELS: Final = 60.0
"""Side of a square assumed where none is known."""
GAMMA: Final = 2.2
"""Exponent from 8-bit values to linear light."""
LINEAR: Final = ((np.arange(256) / 255) ** GAMMA).astype(np.float32)
"""Linear light of each 8-bit value."""


class CellLayout(NamedTuple):
    """The mean side of the squares in pixels, and the coordinates (y, x) of the borders of one kingdom's squares.

    Row i lies between `row_borders[i]` and `row_borders[i + 1]`. Of a slanted border, the mean counts.
    """

    side_pixels: float
    row_borders: tuple[float, ...] = ()
    column_borders: tuple[float, ...] = ()


@dataclass(frozen=True)
class Shot:
    """A photo to corrupt: pixels (height, width, 3), its squares, and the source of random numbers."""

    pixels: Pixels
    cells: CellLayout
    rng: np.random.Generator

    @property
    def cell_pixels(self) -> float:
        return self.cells.side_pixels

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width in pixels."""
        return self.pixels.shape[0], self.pixels.shape[1]

    @cached_property
    def light(self) -> Light:
        """The linear light (height, width, 3) from 0 to 1."""
        return LINEAR[self.pixels]

    @property
    def table_colour(self) -> NDArray[np.float64]:
        """The median colour (3,) along the borders."""
        pixels = self.pixels
        return np.asarray(np.median(np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]]), axis=0))

    def draw_point(self, low: float, high: float) -> tuple[int, int]:
        """Return a random point (x, y) with coordinates between two shares of the sides."""
        x, y = self.rng.uniform(low, high, 2) * self.shape[::-1]
        return int(x), int(y)


def scale_down(pixels: Pixels, scale: float) -> Pixels:
    """Return the photo scaled by a factor of at most 1, and no smaller than the smallest photo that is accepted."""
    factor = min(1.0, max(scale, MIN_SIDE_PIXELS / min(pixels.shape[:2])))
    size = round(pixels.shape[1] * factor), round(pixels.shape[0] * factor)
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)


def to_pixels(light: NDArray[np.floating]) -> Pixels:
    """Return the 8-bit values of linear light; what is brighter than 1 is cut off."""
    return np.asarray(np.rint(255 * np.clip(light, 0, 1) ** (1 / GAMMA)), np.uint8)


def scale_saturation(pixels: Pixels, factor: float) -> Pixels:
    """Return the photo with the distance of each pixel from its grey multiplied."""
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)[..., None].astype(np.float32)
    return np.asarray(np.clip(np.rint(grey + np.float32(factor) * (pixels - grey)), 0, 255), np.uint8)


def encode_jpeg(pixels: Pixels, quality: int) -> Pixels:
    """Return the photo after compression as JPEG."""
    _done, data = cv2.imencode(".jpg", pixels[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.ascontiguousarray(np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)[..., ::-1])
