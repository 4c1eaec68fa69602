"""Limits that are checked before a pixel is decoded, because photos come from strangers."""

from itertools import islice
from typing import Final

from PIL import Image

from kdvision.errors import PhotoError, PhotoTooLargeError
from kdvision.vision.image.reader import iterate_jpeg_markers

MIN_SIDE_PIXELS: Final = 64
"""A photo with a shorter side cannot show a kingdom's crowns."""
MAX_PIXELS: Final = 110_000_000
"""Limit for baseline JPEG; the 108 megapixels of the largest phone cameras fit."""
MAX_WHOLE_PIXELS: Final = 64_000_000
"""Limit for CMYK, progressive JPEG and formats decoded as a whole: 10 bytes per pixel, 12 for AVIF (measured)."""
MAX_WEBP_PIXELS: Final = 40_000_000
"""Limit for WebP, whose decoder takes 18 bytes per pixel (measured)."""
MAX_SCANS: Final = 100
"""Limit for the scans of a progressive JPEG. Encoders write about ten; each costs a walk over all blocks."""


def check_limits(image: Image.Image, data: bytes, name: str, *, max_slow_pixels: int = 4_000_000) -> None:
    """Raise PhotoError if an opened picture has too few or too many pixels, ValueError if decoding would take too long.

    Pillow decodes some formats pixel by pixel in Python; these have at most `max_slow_pixels`.
    """
    pixel_count, is_progressive = image.width * image.height, image.info.get("progressive")
    if image.format in ("JPEG", "MPO") and image.mode != "CMYK" and not is_progressive:
        limit = MAX_PIXELS
    else:
        limit = MAX_WEBP_PIXELS if image.format == "WEBP" else MAX_WHOLE_PIXELS
    if pixel_count > limit:
        raise make_size_error(name, limit)
    if min(image.size) < MIN_SIDE_PIXELS:
        hint = f"give a photo of at least {MIN_SIDE_PIXELS} pixels on each side; ten times that reads well"
        raise PhotoError(f"{name} has only {image.width} x {image.height} pixels", hint=hint)
    if is_progressive and count_scans(data) > MAX_SCANS:
        raise ValueError(f"it has more than {MAX_SCANS} passes")
    tiles = getattr(image, "tile", ())
    is_slow = image.format in ("BMP", "PPM") and any(tile[0] in ("bmp_rle", "ppm_plain", "ppm") for tile in tiles)
    if is_slow and pixel_count > max_slow_pixels:
        raise ValueError(f"its encoding is read only up to {max_slow_pixels // 1_000_000} megapixels")


def count_scans(data: bytes) -> int:
    """Return the number of scans in a JPEG; counting stops one above `MAX_SCANS`."""
    starts = (start for kind, start in iterate_jpeg_markers(data) if kind == 0xDA)
    return sum(1 for _ in islice(starts, MAX_SCANS + 1))


def make_size_error(name: str, limit: int = MAX_PIXELS) -> PhotoError:
    """Return the error for a picture with more than `limit` pixels."""
    hint = "scale the photo down" + (", or save it as a plain JPEG" if limit < MAX_PIXELS else "")
    return PhotoTooLargeError(f"{name} has more than {limit // 1_000_000} megapixels", hint=hint)
