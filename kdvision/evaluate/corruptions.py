"""Photos made hard in eight ways at three severities, from a seed: what `kdvision evaluate --stress` reads.

Sizes are in squares of the kingdom, not in pixels, so that a photo from far away is spoiled no more than a close one.
"""

import zlib
from collections.abc import Callable
from typing import Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels: TypeAlias = NDArray[np.uint8]
Light: TypeAlias = NDArray[np.float32]
Way: TypeAlias = Callable[[Pixels, float, int, np.random.Generator], Pixels]
"""What spoils a photo: pixels, the side of a square in pixels, the severity 0 to 2, and chance."""

SEVERITIES: Final = (1, 2, 3)

GAMMA: Final = 2.2
"""Exponent from 8-bit values to linear light."""
LINEAR: Final = ((np.arange(256) / 255) ** GAMMA).astype(np.float32)
"""Linear light of each 8-bit value."""

_PIXELS_A_SQUARE: Final = (26, 18, 13)
_TILTS: Final = (25, 40, 50)
_DARKNESS: Final = ((0.35, 0.01), (0.18, 0.015), (0.09, 0.02))
_DEFOCUS: Final = (0.04, 0.07, 0.11)
_MOTION: Final = (0.1, 0.2, 0.32)
_QUALITIES: Final = (30, 15, 8)
_CASTS: Final = (0.3, 0.5, 0.7)
_GLARE: Final = ((1, 0.4), (2, 0.6), (2, 0.8))


def spoil(pixels: Pixels, way: str, severity: int, *, square: float, name: str = "", seed: int = 0) -> Pixels:
    """The photo (height, width, 3) made hard: `way` is a key of WAYS, `severity` 1 to 3, `square` a side in pixels.

    The same name and seed give the same picture.
    """
    chance = np.random.default_rng([seed, zlib.crc32(name.encode()), list(WAYS).index(way), severity])
    return np.ascontiguousarray(WAYS[way](pixels, square, severity - 1, chance))


def fewer_pixels(pixels: Pixels, square: float, severity: int, _: np.random.Generator) -> Pixels:
    """Scaled down until a square has so many pixels; never up, never under the smallest photo that is read."""
    scale = min(1.0, max(_PIXELS_A_SQUARE[severity] / square, 72 / min(pixels.shape[:2])))
    return _resized(pixels, scale)


def tilt(pixels: Pixels, _: float, severity: int, chance: np.random.Generator) -> Pixels:
    """Seen from further to one side: the picture turned about an axis through its centre, before a pinhole camera."""
    height, width = pixels.shape[:2]
    angle, axis = np.radians(_TILTS[severity]), chance.uniform(0, 2 * np.pi)
    turn, _jacobian = cv2.Rodrigues(angle * np.array([np.cos(axis), np.sin(axis), 0.0]))
    focal = 1.2 * max(height, width)
    there = np.array([[1, 0, -width / 2], [0, 1, -height / 2], [0, 0, 0]]) * 1.0
    there = turn @ there + np.array([[0, 0, 0], [0, 0, 0], [0, 0, focal]])
    seen = np.diag([focal, focal, 1.0]) @ there
    corners = np.array([[[0, 0], [width, 0], [width, height], [0, height]]], dtype=np.float64)
    low, high = (side(cv2.perspectiveTransform(corners, seen)[0], axis=0) for side in (np.min, np.max))
    scale = min(1.0, float((max(width, height) / (high - low)).min()))
    fit = np.array([[scale, 0, -scale * low[0]], [0, scale, -scale * low[1]], [0, 0, 1]])
    size = (int(scale * (high[0] - low[0])), int(scale * (high[1] - low[1])))
    table = np.median(np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]]), axis=0)
    return np.asarray(
        cv2.warpPerspective(pixels, fit @ seen, size, flags=cv2.INTER_AREA, borderValue=table.tolist()), np.uint8
    )


def darkness(pixels: Pixels, _: float, severity: int, chance: np.random.Generator) -> Pixels:
    """Little light on the sensor: photon noise and read-out noise, then brightened half of the way again."""
    share, readout = _DARKNESS[severity]
    light = _light(pixels) * share
    noise = chance.standard_normal(light.shape, dtype=np.float32)
    seen = light + noise * np.sqrt(0.002 * light + np.float32(readout * share) ** 2)
    return _pixels(seen / np.float32(share) ** 0.5)


def defocus(pixels: Pixels, square: float, severity: int, _: np.random.Generator) -> Pixels:
    """Out of focus: each point becomes a disc."""
    radius = max(0.8, _DEFOCUS[severity] * square)
    reach = int(np.ceil(radius))
    rows, cols = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    return _filtered(pixels, np.clip(radius + 0.5 - np.hypot(rows, cols), 0, 1))


def motion(pixels: Pixels, square: float, severity: int, chance: np.random.Generator) -> Pixels:
    """A hand that moved: each point becomes a line."""
    length, angle = max(2.0, _MOTION[severity] * square), chance.uniform(0, np.pi)
    reach = int(np.ceil(length / 2)) + 1
    kernel = np.zeros((2 * reach + 1, 2 * reach + 1))
    for step in np.linspace(-length / 2, length / 2, 8 * reach):
        row, col = reach + step * np.sin(angle), reach + step * np.cos(angle)
        top, left = int(row), int(col)
        down, right = row - top, col - left
        kernel[top : top + 2, left : left + 2] += np.outer([1 - down, down], [1 - right, right])
    return _filtered(pixels, kernel)


def jpeg(pixels: Pixels, _: float, severity: int, __: np.random.Generator) -> Pixels:
    """Halved, then sent through a messenger that spares no bytes."""
    small = _resized(pixels, max(0.5, 72 / min(pixels.shape[:2])))
    _done, data = cv2.imencode(".jpg", small[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, _QUALITIES[severity]])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)[..., ::-1]


def coloured_light(pixels: Pixels, _: float, severity: int, chance: np.random.Generator) -> Pixels:
    """A lamp of some colour: the colours' light multiplied by different factors, the brightest kept."""
    hue = chance.uniform(0, 2 * np.pi)
    wave = 0.5 - 0.5 * np.cos(hue + np.array([0, 2, 4]) * np.pi / 3)
    return _pixels(_light(pixels) * (1 - _CASTS[severity] * wave).astype(np.float32))


def glare(pixels: Pixels, square: float, severity: int, chance: np.random.Generator) -> Pixels:
    """Lamps mirrored in the tiles: soft bright ellipses near the middle of the picture."""
    height, width = pixels.shape[:2]
    light = _light(pixels)
    rows, cols = np.ogrid[:height, :width]
    spots, strength = _GLARE[severity]
    for _ in range(spots):
        at = chance.uniform(0.3, 0.7, 2) * (height, width)
        across, along, angle = *(chance.uniform(0.5, 1.3, 2) * square), chance.uniform(0, np.pi)
        down, right = (rows - at[0]).astype(np.float32), (cols - at[1]).astype(np.float32)
        u, v = np.cos(angle) * right + np.sin(angle) * down, np.cos(angle) * down - np.sin(angle) * right
        spot = np.float32(strength) * np.exp(-0.5 * ((u / across) ** 2 + (v / along) ** 2))
        light += spot[..., None].astype(np.float32)
    return _pixels(light)


WAYS: Final[dict[str, Way]] = {
    "fewer pixels": fewer_pixels,
    "further tilt": tilt,
    "dark": darkness,
    "defocus": defocus,
    "motion blur": motion,
    "jpeg": jpeg,
    "coloured light": coloured_light,
    "glare": glare,
}
"""The ways a photo is made hard, by name."""


def _resized(pixels: Pixels, scale: float) -> Pixels:
    size = (max(1, round(pixels.shape[1] * scale)), max(1, round(pixels.shape[0] * scale)))
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)


def _filtered(pixels: Pixels, kernel: NDArray[np.float64]) -> Pixels:
    """The picture's light spread by the kernel: highlights spread as they do in a lens, not as their bytes would."""
    light = cv2.filter2D(_light(pixels), -1, kernel / kernel.sum(), borderType=cv2.BORDER_REPLICATE)
    return _pixels(np.asarray(light, np.float32))


def _light(pixels: Pixels) -> Light:
    return LINEAR[pixels]


def _pixels(light: NDArray[np.floating]) -> Pixels:
    return np.asarray(np.rint(255 * np.clip(light, 0, 1) ** (1 / GAMMA)), np.uint8)
