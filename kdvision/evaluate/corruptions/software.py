"""Camera software: HDR, filters, noise reduction, recompression and watermarks. Each function takes one severity."""

import cv2
import numpy as np
from PIL import Image

from kdvision.evaluate.corruptions.pixels import Picture, Shot, encode_jpeg, scale_down, scale_saturation


def compress(shot: Shot, jpeg_quality: int) -> Picture:
    """Halve the size and compress strongly, as messengers do."""
    return encode_jpeg(scale_down(shot.pixels, 0.5), jpeg_quality)


def send_by_messenger(shot: Shot, level: tuple[int, int, int]) -> Picture:
    """Scale down to a longest side and compress, once for each time that the picture is sent on."""
    (side, jpeg_quality, times), pixels = level, shot.pixels
    for _ in range(times):
        pixels = encode_jpeg(scale_down(pixels, side / max(pixels.shape[:2])), jpeg_quality)
        side = round(side * shot.rng.uniform(0.9, 1.0))
    return pixels


def map_tones(shot: Shot, level: tuple[float, float]) -> Picture:
    """Equalise brightness locally up to a clip limit and raise the saturation, as HDR photos do."""
    clip_limit, saturation = level
    lab = cv2.cvtColor(shot.pixels, cv2.COLOR_RGB2LAB)
    lab[..., 0] = cv2.createCLAHE(clipLimit=clip_limit, tileGridSize=(8, 8)).apply(lab[..., 0])
    return scale_saturation(np.asarray(cv2.cvtColor(lab, cv2.COLOR_LAB2RGB), np.uint8), saturation)


def sharpen(shot: Shot, amount: float) -> Picture:
    """Add the difference to a blurred copy, with bright and dark lines along edges."""
    blurred_pixels = cv2.GaussianBlur(shot.pixels, (0, 0), max(0.8, 0.02 * shot.cell_pixels))
    return cv2.addWeighted(shot.pixels, 1 + amount, blurred_pixels, -amount, 0)


def reduce_noise(shot: Shot, difference: float) -> Picture:
    """Smooth away smaller differences of 8-bit values, everything but strong edges."""
    reach = int(np.clip(0.12 * shot.cell_pixels, 5, 11))
    return cv2.bilateralFilter(shot.pixels, reach, difference, 0.06 * shot.cell_pixels)


def fade(shot: Shot, share: float) -> Picture:
    """Lift the blacks towards a tone and take a share of contrast and colour, as pale filters do."""
    tone = shot.rng.uniform(190, 250, 3)
    return scale_saturation(shot.pixels, 1 - share) * (1 - 0.6 * share) + 0.6 * share * tone


def saturate(shot: Shot, factor: float) -> Picture:
    """Multiply the saturation, as vivid filters do."""
    return scale_saturation(shot.pixels, factor)


def remove_colour(shot: Shot, share: float) -> Picture:
    """Take a share of the colour away, as grey and sepia prints do."""
    grey = scale_saturation(shot.pixels, 1 - share)
    return np.rint(grey * (np.array([1.0, 0.9, 0.72]) if shot.rng.random() < 0.5 else np.ones(3)))


def shift_hue(shot: Shot, degrees: float) -> Picture:
    """Turn all hues by an angle."""
    hls = cv2.cvtColor(shot.pixels, cv2.COLOR_RGB2HLS)
    turn = round(shot.rng.choice([-1, 1]) * degrees / 2)
    hls[..., 0] = ((hls[..., 0].astype(np.int16) + turn) % 180).astype(np.uint8)
    return cv2.cvtColor(hls, cv2.COLOR_HLS2RGB)


def reduce_colours(shot: Shot, colours: int) -> Picture:
    """Reduce the picture to a palette, as GIF files do."""
    return np.asarray(Image.fromarray(shot.pixels).quantize(colours).convert("RGB"))


def add_watermark(shot: Shot, share: float) -> Picture:
    """Write a text across the whole picture, again and again."""
    overlay, size = shot.pixels.copy(), shot.rng.uniform(0.4, 1.0) * shot.cell_pixels
    step = int(max(24, 2.5 * size))
    for row, y in enumerate(range(step // 2, shot.shape[0] + step, step)):
        for x in range(-step * (row % 3), shot.shape[1], max(24, int(6 * size))):
            scale, weight = size / 30, max(1, round(size / 12))
            cv2.putText(overlay, "preview", (x, y), cv2.FONT_HERSHEY_SIMPLEX, scale, (255, 255, 255), weight)
    return cv2.addWeighted(overlay, share, shot.pixels, 1 - share, 0)
