"""Light: shadows of leaves, blinds and hands, light from one side, haze, and lamps of one colour."""

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kdvision.evaluate.corruptions.pixels import Light, Pixels, draw_smooth_noise, to_light, to_pixels

# One entry for each severity.
SHADOW_LIGHT: Final = (0.55, 0.4, 0.28)
"""Share of the light that is left in a shadow."""
FALLOFF: Final = (0.35, 0.2, 0.12)
"""Share of the light that is left on the dark side of the picture."""
HAZE: Final = (0.15, 0.28, 0.42)
"""Share of the light that a greasy lens spreads over the picture."""
SODIUM: Final = (0.6, 0.8, 0.95)
"""Share of the colour that is lost under an orange lamp."""
SODIUM_COLOUR: Final = (1.0, 0.55, 0.12)
"""Linear red, green and blue of a low-pressure sodium lamp as cameras record it."""


def add_leaf_shadows(pixels: Pixels, cell_size: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Cast shadows with soft edges and holes, as a tree does."""
    shape = pixels.shape[:2]
    size = rng.uniform(0.5, 1.6) * cell_size
    noise = draw_smooth_noise(shape, size, rng) + 0.5 * draw_smooth_noise(shape, size / 3, rng)
    return _shade(pixels, 1 / (1 + np.exp(-8 * (noise - np.float32(rng.uniform(-0.3, 0.4))))), severity)


def add_blind_stripes(pixels: Pixels, cell_size: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Cast parallel stripes of shadow, as blinds do."""
    across = _project(pixels, rng.uniform(0, np.pi))
    period = rng.uniform(0.4, 1.6) * cell_size
    wave = np.sin(2 * np.pi * across / period + rng.uniform(0, 2 * np.pi))
    return _shade(pixels, 1 / (1 + np.exp(-rng.uniform(3, 12) * wave)), severity)


def add_hard_shadow(pixels: Pixels, cell_size: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Cast the shadow of a head or a phone over one side of the picture."""
    across = _project(pixels, rng.uniform(0, 2 * np.pi))
    edge = rng.uniform(0.35, 0.65) * (across.max() - across.min()) + across.min()
    bend = 1.5 * cell_size * draw_smooth_noise(pixels.shape[:2], 4 * cell_size, rng)
    softness = rng.uniform(0.05, 0.5) * cell_size
    return _shade(pixels, 1 / (1 + np.exp(-np.clip((across + bend - edge) / softness, -30, 30))), severity)


def light_from_side(pixels: Pixels, _: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Let the light fall off from one side of the picture to the other, as from one lamp or window."""
    across = _project(pixels, rng.uniform(0, 2 * np.pi))
    position = (across - across.min()) / max(float(across.max() - across.min()), 1.0)
    return to_pixels(to_light(pixels) * (FALLOFF[severity] ** position)[..., None] * np.float32(1.2))


def add_haze(pixels: Pixels, _: float, severity: int, __: np.random.Generator) -> Pixels:
    """Spread a part of the light widely, as a greasy lens or a lamp beside the picture does."""
    light = to_light(pixels)
    size = pixels.shape[1::-1]
    spread = cv2.resize(cv2.GaussianBlur(cv2.resize(light, (128, 128)), (0, 0), 10), size)
    share = HAZE[severity]
    return to_pixels((1 - share) * light + share * (0.5 * spread + 0.5))


def light_by_sodium(pixels: Pixels, _: float, severity: int, __: np.random.Generator) -> Pixels:
    """Replace the colours by the shades of an orange street lamp."""
    light = to_light(pixels)
    grey = (light @ np.array([0.6, 0.35, 0.05], np.float32))[..., None] * np.array(SODIUM_COLOUR, np.float32)
    return to_pixels((1 - SODIUM[severity]) * light * np.array(SODIUM_COLOUR, np.float32) + SODIUM[severity] * grey)


def _shade(pixels: Pixels, shadow: NDArray[np.floating], severity: int) -> Pixels:
    """Return the photo with less light where `shadow` (height, width) is 1."""
    return to_pixels(to_light(pixels) * (1 - (1 - SHADOW_LIGHT[severity]) * shadow)[..., None].astype(np.float32))


def _project(pixels: Pixels, angle: float) -> Light:
    """Return the position (height, width) of each pixel along a direction."""
    rows, cols = np.ogrid[: pixels.shape[0], : pixels.shape[1]]
    return np.asarray(np.cos(angle) * cols + np.sin(angle) * rows, np.float32)
