"""Distance, lens and light: what happens before the photo is on the sensor. Each function takes one severity."""

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kdvision.evaluate.corruptions.pixels import Light, Picture, Shot, scale_down, to_pixels
from kdvision.vision.geometry import UNIT_SQUARE, apply_homography

SODIUM_COLOUR: Final = np.array((1.0, 0.55, 0.12), np.float32)
"""Linear red, green and blue of a low-pressure sodium lamp as cameras record it."""


def downscale(shot: Shot, cell_pixels: int) -> Picture:
    """Scale down to this side of a square; never up, and never below the smallest photo that is accepted."""
    return scale_down(shot.pixels, cell_pixels / shot.cell_pixels)


def tilt(shot: Shot, degrees: float) -> Picture:
    """Turn the picture about an axis through its centre, in front of a pinhole camera."""
    height, width = shot.shape
    angle, axis = np.radians(degrees), shot.rng.uniform(0, 2 * np.pi)
    turn, _jacobian = cv2.Rodrigues(angle * np.array([np.cos(axis), np.sin(axis), 0.0]))
    focal = 1.2 * max(height, width)
    in_space = turn @ np.array([[1, 0, -width / 2], [0, 1, -height / 2], [0, 0, 0]])
    projection = np.diag([focal, focal, 1.0]) @ (in_space + np.array([[0, 0, 0], [0, 0, 0], [0, 0, focal]]))
    corners = apply_homography(projection, UNIT_SQUARE * (width, height))
    low, high = corners.min(axis=0), corners.max(axis=0)
    scale = min(1.0, float((max(width, height) / (high - low)).min()))
    fit = np.array([[scale, 0, -scale * low[0]], [0, scale, -scale * low[1]], [0, 0, 1]])
    size = (int(scale * (high[0] - low[0])), int(scale * (high[1] - low[1])))
    table = shot.table_colour.tolist()
    return cv2.warpPerspective(shot.pixels, fit @ projection, size, flags=cv2.INTER_AREA, borderValue=table)


def darken(shot: Shot, level: tuple[float, float]) -> Picture:
    """Reduce the light to a share, add photon and read-out noise, and brighten half of the way again."""
    share, readout = level
    light = shot.light * share
    noise = shot.rng.standard_normal(light.shape, dtype=np.float32)
    noisy_light = light + noise * np.sqrt(0.002 * light + np.float32(readout * share) ** 2)
    return to_pixels(noisy_light / np.float32(share) ** 0.5)


def defocus(shot: Shot, cells: float) -> Picture:
    """Spread each point over a disc with this radius."""
    radius = max(0.8, cells * shot.cell_pixels)
    reach = int(np.ceil(radius))
    rows, cols = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    return _filter_light(shot, np.clip(radius + 0.5 - np.hypot(rows, cols), 0, 1))


def blur_by_motion(shot: Shot, cells: float) -> Picture:
    """Spread each point along a line of this length, as a moving hand does."""
    length, angle = max(2.0, cells * shot.cell_pixels), shot.rng.uniform(0, np.pi)
    reach = int(np.ceil(length / 2)) + 1
    kernel = np.zeros((2 * reach + 1, 2 * reach + 1))
    for step in np.linspace(-length / 2, length / 2, 8 * reach):
        row, col = reach + step * np.sin(angle), reach + step * np.cos(angle)
        top, left = int(row), int(col)
        down, right = row - top, col - left
        kernel[top : top + 2, left : left + 2] += np.outer([1 - down, down], [1 - right, right])
    return _filter_light(shot, kernel)


def _filter_light(shot: Shot, kernel: NDArray[np.float64]) -> Picture:
    """Return the photo with its linear light filtered, not its 8-bit values: highlights spread as they do in a lens."""
    light = cv2.filter2D(shot.light, -1, kernel / kernel.sum(), borderType=cv2.BORDER_REPLICATE)
    return to_pixels(np.asarray(light, np.float32))


def add_haze(shot: Shot, share: float) -> Picture:
    """Spread a share of the light widely, as a greasy lens or a lamp beside the picture does."""
    small_light = cv2.GaussianBlur(cv2.resize(shot.light, (128, 128)), (0, 0), 10)
    spread = cv2.resize(small_light, shot.shape[::-1])
    return to_pixels((1 - share) * shot.light + share * (0.5 * spread + 0.5))


def distort_as_barrel(shot: Shot, shift: float) -> Picture:
    """Bend straight lines outwards, as a wide-angle lens does: corners by this share of their distance."""
    x, y = _list_coordinates(shot)
    factor = 1 + shift * ((x * x + y * y) / 2 - 0.5)
    return _sample(shot.pixels, x * factor, y * factor)


def add_colour_fringes(shot: Shot, difference: float) -> Picture:
    """Magnify red and blue differently, as a cheap lens does."""
    x, y = _list_coordinates(shot)
    factors = (1 - difference, 1.0, 1 + difference)
    return np.stack([_sample(shot.pixels[..., n], x * f, y * f) for n, f in enumerate(factors)], axis=-1)


def darken_corners(shot: Shot, light_left: float) -> Picture:
    """Reduce the light towards the corners, where this share is left."""
    x, y = _list_coordinates(shot)
    return _scale_light(shot, light_left ** ((x * x + y * y) / 2))


def _list_coordinates(shot: Shot) -> NDArray[np.float64]:
    """Return x and y (2, height, width) from -1 to 1."""
    height, width = shot.shape
    return np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j][::-1]


def _sample(pixels: Picture, x: NDArray[np.float64], y: NDArray[np.float64]) -> Picture:
    """Return the photo sampled at coordinates from -1 to 1; its border is repeated."""
    cols = ((x + 1) / 2 * (pixels.shape[1] - 1)).astype(np.float32)
    rows = ((y + 1) / 2 * (pixels.shape[0] - 1)).astype(np.float32)
    return cv2.remap(pixels, cols, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def tint(shot: Shot, loss: float) -> Picture:
    """Multiply the light of the colour channels by different factors, as a coloured lamp does."""
    hue = shot.rng.uniform(0, 2 * np.pi)
    wave = 0.5 - 0.5 * np.cos(hue + np.array([0, 2, 4]) * np.pi / 3)
    return to_pixels(shot.light * (1 - loss * wave).astype(np.float32))


def add_glare(shot: Shot, level: tuple[int, float]) -> Picture:
    """Add soft bright ellipses near the middle of the picture, as lamps mirrored in the tiles."""
    (spots, brightness), light = level, shot.light.copy()
    rows, cols = np.ogrid[: light.shape[0], : light.shape[1]]
    for _ in range(spots):
        centre = shot.rng.uniform(0.3, 0.7, 2) * shot.shape
        sigma_u, sigma_v, angle = *(shot.rng.uniform(0.5, 1.3, 2) * shot.cell_pixels), shot.rng.uniform(0, np.pi)
        down, right = (rows - centre[0]).astype(np.float32), (cols - centre[1]).astype(np.float32)
        u, v = np.cos(angle) * right + np.sin(angle) * down, np.cos(angle) * down - np.sin(angle) * right
        spot = np.float32(brightness) * np.exp(-0.5 * ((u / sigma_u) ** 2 + (v / sigma_v) ** 2))
        light += spot[..., None].astype(np.float32)
    return to_pixels(light)


def overexpose(shot: Shot, factor: float) -> Picture:
    """Multiply the light until bright parts are lost."""
    return to_pixels(shot.light * np.float32(factor))


def light_by_sodium(shot: Shot, share: float) -> Picture:
    """Replace a share of the colours by the shades of an orange street lamp."""
    grey = (shot.light @ np.array([0.6, 0.35, 0.05], np.float32))[..., None] * SODIUM_COLOUR
    return to_pixels((1 - share) * shot.light * SODIUM_COLOUR + share * grey)


def light_from_side(shot: Shot, light_left: float) -> Picture:
    """Let the light fall off to this share from one side of the picture to the other, as from one lamp or window."""
    position = _project(shot, shot.rng.uniform(0, 2 * np.pi))
    share = (position - position.min()) / max(float(position.max() - position.min()), 1.0)
    return to_pixels(shot.light * (light_left**share)[..., None] * np.float32(1.2))


# In a shadow, the share `light_left` of the light is left.


def add_leaf_shadows(shot: Shot, light_left: float) -> Picture:
    """Cast shadows with soft edges and holes, as a tree does."""
    size = shot.rng.uniform(0.5, 1.6) * shot.cell_pixels
    noise = _draw_smooth_noise(shot, size) + 0.5 * _draw_smooth_noise(shot, size / 3)
    return _shade(shot, -8 * (noise - np.float32(shot.rng.uniform(-0.3, 0.4))), light_left)


def add_blind_stripes(shot: Shot, light_left: float) -> Picture:
    """Cast parallel stripes of shadow, as blinds do."""
    position = _project(shot, shot.rng.uniform(0, np.pi))
    period = shot.rng.uniform(0.4, 1.6) * shot.cell_pixels
    wave = np.sin(2 * np.pi * position / period + shot.rng.uniform(0, 2 * np.pi))
    return _shade(shot, -shot.rng.uniform(3, 12) * wave, light_left)


def add_hard_shadow(shot: Shot, light_left: float) -> Picture:
    """Cast the shadow of a head or a phone over one side of the picture."""
    position = _project(shot, shot.rng.uniform(0, 2 * np.pi))
    edge = shot.rng.uniform(0.35, 0.65) * (position.max() - position.min()) + position.min()
    bend = 1.5 * shot.cell_pixels * _draw_smooth_noise(shot, 4 * shot.cell_pixels)
    softness = shot.rng.uniform(0.05, 0.5) * shot.cell_pixels
    return _shade(shot, -np.clip((position + bend - edge) / softness, -30, 30), light_left)


def _shade(shot: Shot, log_odds: NDArray[np.floating], light_left: float) -> Picture:
    """Return the photo with less light where the log-odds (height, width) of being lit are negative."""
    return _scale_light(shot, 1 - (1 - light_left) * (1 / (1 + np.exp(log_odds))))


def _scale_light(shot: Shot, factor: NDArray[np.floating]) -> Picture:
    """Return the photo with its light multiplied by a factor for each pixel (height, width)."""
    return to_pixels(shot.light * factor[..., None].astype(np.float32))


def _project(shot: Shot, angle: float) -> Light:
    """Return the position (height, width) of each pixel along a direction."""
    rows, cols = np.ogrid[: shot.shape[0], : shot.shape[1]]
    return np.asarray(np.cos(angle) * cols + np.sin(angle) * rows, np.float32)


def _draw_smooth_noise(shot: Shot, wavelength: float) -> Light:
    """Return normally distributed noise (height, width) whose blobs are about `wavelength` pixels large."""
    grid_shape = [max(2, round(side / wavelength) + 2) for side in shot.shape]
    noise = shot.rng.standard_normal(grid_shape, dtype=np.float32)
    return np.asarray(cv2.resize(noise, shot.shape[::-1], interpolation=cv2.INTER_CUBIC), np.float32)
