"""Camera software: HDR, filters, sharpening, noise reduction, few colours, recompression and watermarks."""

from typing import Final

import cv2
import numpy as np

from kdvision.evaluate.corruptions.pixels import Pixels, encode_jpeg, scale_down, to_light, to_pixels

# One entry for each severity.
HDR_CLIP: Final = (2.0, 4.0, 8.0)
"""Clip limit of the local histogram equalisation."""
SHARPENING: Final = (1.0, 2.0, 3.5)
PALE: Final = (0.25, 0.4, 0.55)
"""Share of contrast and colour that a pale filter takes."""
SATURATION: Final = (1.5, 2.0, 2.6)
HUE_DEGREES: Final = (10, 18, 28)
EXPOSURE: Final = (1.6, 2.3, 3.2)
COLOURS: Final = (64, 32, 16)
NOISE_REDUCTION: Final = (25, 45, 70)
"""Difference of 8-bit values that noise reduction smooths away."""
MESSENGER: Final = ((1600, 60, 1), (1280, 45, 2), (1024, 35, 4))
"""Longest side in pixels, JPEG quality, and how often the picture is sent on."""
WATERMARK: Final = (0.2, 0.35, 0.5)
GREY: Final = (0.7, 0.9, 1.0)
"""Share of the colour that is lost."""


def map_tones(pixels: Pixels, _: float, severity: int, __: np.random.Generator) -> Pixels:
    """Equalise brightness locally and raise the saturation, as HDR photos do."""
    lab = cv2.cvtColor(pixels, cv2.COLOR_RGB2LAB)
    lab[..., 0] = cv2.createCLAHE(clipLimit=HDR_CLIP[severity], tileGridSize=(8, 8)).apply(lab[..., 0])
    return _scale_saturation(np.asarray(cv2.cvtColor(lab, cv2.COLOR_LAB2RGB), np.uint8), 1.15 + 0.1 * severity)


def sharpen(pixels: Pixels, cell_size: float, severity: int, _: np.random.Generator) -> Pixels:
    """Add the difference to a blurred copy, with bright and dark lines along edges."""
    blurred = cv2.GaussianBlur(pixels, (0, 0), max(0.8, 0.02 * cell_size))
    return np.asarray(cv2.addWeighted(pixels, 1 + SHARPENING[severity], blurred, -SHARPENING[severity], 0), np.uint8)


def fade(pixels: Pixels, _: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Lift the blacks towards a tone and take colour away, as pale filters do."""
    share, tone = PALE[severity], rng.uniform(190, 250, 3)
    faded = _scale_saturation(pixels, 1 - share) * (1 - 0.6 * share) + 0.6 * share * tone
    return np.asarray(np.clip(faded, 0, 255), np.uint8)


def saturate(pixels: Pixels, _: float, severity: int, __: np.random.Generator) -> Pixels:
    """Multiply the saturation, as vivid filters do."""
    return _scale_saturation(pixels, SATURATION[severity])


def shift_hue(pixels: Pixels, _: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Turn all hues by an angle."""
    hls = cv2.cvtColor(pixels, cv2.COLOR_RGB2HLS)
    turn = rng.choice([-1, 1]) * HUE_DEGREES[severity] / 2
    hls[..., 0] = ((hls[..., 0].astype(np.int16) + round(turn)) % 180).astype(np.uint8)
    return np.asarray(cv2.cvtColor(hls, cv2.COLOR_HLS2RGB), np.uint8)


def overexpose(pixels: Pixels, _: float, severity: int, __: np.random.Generator) -> Pixels:
    """Multiply the light until bright parts are lost."""
    return to_pixels(to_light(pixels) * np.float32(EXPOSURE[severity]))


def reduce_noise(pixels: Pixels, cell_size: float, severity: int, _: np.random.Generator) -> Pixels:
    """Smooth everything but strong edges."""
    reach = int(np.clip(0.12 * cell_size, 5, 11))
    return np.asarray(cv2.bilateralFilter(pixels, reach, NOISE_REDUCTION[severity], 0.06 * cell_size), np.uint8)


def reduce_colours(pixels: Pixels, _: float, severity: int, __: np.random.Generator) -> Pixels:
    """Reduce the picture to a palette, as GIF files do."""
    from PIL import Image

    return np.asarray(Image.fromarray(pixels).quantize(COLOURS[severity]).convert("RGB"), np.uint8)


def send_by_messenger(pixels: Pixels, _: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Scale down and compress, once for each time that the picture is sent on."""
    side, quality, times = MESSENGER[severity]
    for _again in range(times):
        pixels = encode_jpeg(scale_down(pixels, side / max(pixels.shape[:2])), quality)
        side = round(side * rng.uniform(0.9, 1.0))
    return pixels


def add_watermark(pixels: Pixels, cell_size: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Write a text across the whole picture, again and again."""
    overlay, size = pixels.copy(), rng.uniform(0.4, 1.0) * cell_size
    step = int(max(24, 2.5 * size))
    for row, y in enumerate(range(step // 2, pixels.shape[0] + step, step)):
        for x in range(-step * (row % 3), pixels.shape[1], max(24, int(6 * size))):
            scale, weight = size / 30, max(1, round(size / 12))
            cv2.putText(overlay, "preview", (x, y), cv2.FONT_HERSHEY_SIMPLEX, scale, (255, 255, 255), weight)
    share = WATERMARK[severity]
    return np.asarray(cv2.addWeighted(overlay, share, pixels, 1 - share, 0), np.uint8)


def remove_colour(pixels: Pixels, _: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Take the colour away, as grey and sepia prints do."""
    grey = _scale_saturation(pixels, 1 - GREY[severity])
    tone = np.array([1.0, 0.9, 0.72]) if rng.random() < 0.5 else np.ones(3)
    return np.asarray(np.rint(grey * tone), np.uint8)


def _scale_saturation(pixels: Pixels, factor: float) -> Pixels:
    """Return the photo with the distance of each pixel from its grey multiplied."""
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)[..., None].astype(np.float32)
    return np.asarray(np.clip(np.rint(grey + np.float32(factor) * (pixels - grey)), 0, 255), np.uint8)
