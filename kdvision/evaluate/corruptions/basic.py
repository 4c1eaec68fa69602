"""The eight basic corruptions: distance, tilt, darkness, blur, compression, coloured light and glare."""

from typing import Final

import cv2
import numpy as np

from kdvision.evaluate.corruptions.pixels import (
    Pixels,
    encode_jpeg,
    filter_light,
    measure_table_colour,
    scale_down,
    to_light,
    to_pixels,
)

# One entry for each severity.
CELL_PIXELS: Final = (26, 18, 13)
"""Side of a square after downscaling."""
TILT_DEGREES: Final = (25, 40, 50)
DARKNESS: Final = ((0.35, 0.01), (0.18, 0.015), (0.09, 0.02))
"""Share of the light that is left, and the standard deviation of the read-out noise."""
DEFOCUS_CELLS: Final = (0.04, 0.07, 0.11)
"""Radius of the disc that a point becomes."""
MOTION_CELLS: Final = (0.1, 0.2, 0.32)
"""Length of the line that a point becomes."""
JPEG_QUALITIES: Final = (30, 15, 8)
COLOUR_CASTS: Final = (0.3, 0.5, 0.7)
"""Share of the light that the weakest colour channel may lose."""
GLARE: Final = ((1, 0.4), (2, 0.6), (2, 0.8))
"""Number of reflections, and the linear light that each adds at its centre."""


def downscale(pixels: Pixels, cell_size: float, severity: int, _: np.random.Generator) -> Pixels:
    """Scale down to CELL_PIXELS a square; never up, and never below the smallest photo that is accepted."""
    return scale_down(pixels, CELL_PIXELS[severity] / cell_size)


def tilt(pixels: Pixels, _: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Turn the picture about an axis through its centre, in front of a pinhole camera."""
    height, width = pixels.shape[:2]
    angle, axis = np.radians(TILT_DEGREES[severity]), rng.uniform(0, 2 * np.pi)
    turn, _jacobian = cv2.Rodrigues(angle * np.array([np.cos(axis), np.sin(axis), 0.0]))
    focal = 1.2 * max(height, width)
    in_space = np.array([[1, 0, -width / 2], [0, 1, -height / 2], [0, 0, 0]]) * 1.0
    in_space = turn @ in_space + np.array([[0, 0, 0], [0, 0, 0], [0, 0, focal]])
    projection = np.diag([focal, focal, 1.0]) @ in_space
    corners = np.array([[[0, 0], [width, 0], [width, height], [0, height]]], dtype=np.float64)
    low, high = (side(cv2.perspectiveTransform(corners, projection)[0], axis=0) for side in (np.min, np.max))
    scale = min(1.0, float((max(width, height) / (high - low)).min()))
    fit = np.array([[scale, 0, -scale * low[0]], [0, scale, -scale * low[1]], [0, 0, 1]])
    size = (int(scale * (high[0] - low[0])), int(scale * (high[1] - low[1])))
    table = measure_table_colour(pixels).tolist()
    return np.asarray(
        cv2.warpPerspective(pixels, fit @ projection, size, flags=cv2.INTER_AREA, borderValue=table), np.uint8
    )


def darken(pixels: Pixels, _: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Reduce the light on the sensor, add photon and read-out noise, and brighten half of the way again."""
    share, readout = DARKNESS[severity]
    light = to_light(pixels) * share
    noise = rng.standard_normal(light.shape, dtype=np.float32)
    noisy = light + noise * np.sqrt(0.002 * light + np.float32(readout * share) ** 2)
    return to_pixels(noisy / np.float32(share) ** 0.5)


def defocus(pixels: Pixels, cell_size: float, severity: int, _: np.random.Generator) -> Pixels:
    """Spread each point over a disc."""
    radius = max(0.8, DEFOCUS_CELLS[severity] * cell_size)
    reach = int(np.ceil(radius))
    rows, cols = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    return filter_light(pixels, np.clip(radius + 0.5 - np.hypot(rows, cols), 0, 1))


def blur_by_motion(pixels: Pixels, cell_size: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Spread each point along a line, as a moving hand does."""
    length, angle = max(2.0, MOTION_CELLS[severity] * cell_size), rng.uniform(0, np.pi)
    reach = int(np.ceil(length / 2)) + 1
    kernel = np.zeros((2 * reach + 1, 2 * reach + 1))
    for step in np.linspace(-length / 2, length / 2, 8 * reach):
        row, col = reach + step * np.sin(angle), reach + step * np.cos(angle)
        top, left = int(row), int(col)
        down, right = row - top, col - left
        kernel[top : top + 2, left : left + 2] += np.outer([1 - down, down], [1 - right, right])
    return filter_light(pixels, kernel)


def compress(pixels: Pixels, _: float, severity: int, __: np.random.Generator) -> Pixels:
    """Halve the size and compress strongly, as messengers do."""
    return encode_jpeg(scale_down(pixels, 0.5), JPEG_QUALITIES[severity])


def tint(pixels: Pixels, _: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Multiply the light of the colour channels by different factors, as a coloured lamp does."""
    hue = rng.uniform(0, 2 * np.pi)
    wave = 0.5 - 0.5 * np.cos(hue + np.array([0, 2, 4]) * np.pi / 3)
    return to_pixels(to_light(pixels) * (1 - COLOUR_CASTS[severity] * wave).astype(np.float32))


def add_glare(pixels: Pixels, cell_size: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Add soft bright ellipses near the middle of the picture, as lamps mirrored in the tiles."""
    height, width = pixels.shape[:2]
    light = to_light(pixels)
    rows, cols = np.ogrid[:height, :width]
    spots, brightness = GLARE[severity]
    for _ in range(spots):
        at = rng.uniform(0.3, 0.7, 2) * (height, width)
        across, along, angle = *(rng.uniform(0.5, 1.3, 2) * cell_size), rng.uniform(0, np.pi)
        down, right = (rows - at[0]).astype(np.float32), (cols - at[1]).astype(np.float32)
        u, v = np.cos(angle) * right + np.sin(angle) * down, np.cos(angle) * down - np.sin(angle) * right
        spot = np.float32(brightness) * np.exp(-0.5 * ((u / across) ** 2 + (v / along) ** 2))
        light += spot[..., None].astype(np.float32)
    return to_pixels(light)
