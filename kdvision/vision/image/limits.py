"""Limits that are checked before a pixel is decoded, because photos come from strangers."""

import io
import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from PIL import Image

from kdvision.errors import PhotoError, PhotoTooLargeError

MIN_SIDE_PIXELS: Final = 64
"""A photo with a shorter side cannot show a kingdom's crowns."""

MAX_PIXELS: Final = 120_000_000
"""Limit for baseline JPEG; the 108 megapixels of the largest phone cameras fit."""

MAX_WHOLE_PIXELS: Final = 64_000_000
"""Limit for formats whose decoder holds the whole picture: 10 bytes a pixel, 12 for AVIF (measured)."""

MAX_WEBP_PIXELS: Final = 40_000_000
"""Limit for WebP, whose decoder takes 18 bytes a pixel (measured)."""

MAX_SCANS: Final = 100
"""Limit for the scans of a progressive JPEG. Encoders write about ten; each costs a walk over all blocks."""


class BoundedReader(io.BytesIO):
    """A file in memory that raises ValueError after `max_reads` reads.

    A PNG of 200 MB in chunks of 8 KB needs a quarter of them.
    """

    def __init__(self, data: bytes, *, max_reads: int = 300_000) -> None:
        super().__init__(data)
        self._reads_left = max_reads

    def read(self, size: int | None = -1, /) -> bytes:
        """Return up to `size` bytes, as `io.BytesIO.read` does."""
        self._reads_left -= 1
        if self._reads_left < 0:
            raise ValueError("it is made of too many pieces")
        return super().read(size)


def check_metadata(data: bytes, *, max_exif_segments: int = 100) -> None:
    """Raise ValueError for a file with more EXIF segments than any camera writes; Pillow joins them one by one."""
    if data.count(b"Exif\0\0") > max_exif_segments:
        raise ValueError("its metadata has too many pieces")


def check_size(image: Image.Image, name: str) -> None:
    """Raise PhotoError if an opened picture has too few pixels, or too many for its format."""
    if image.format in ("JPEG", "MPO") and not image.info.get("progressive"):
        limit = MAX_PIXELS
    else:
        limit = MAX_WEBP_PIXELS if image.format == "WEBP" else MAX_WHOLE_PIXELS
    if image.width * image.height > limit:
        raise make_size_error(name, limit)
    if min(image.size) < MIN_SIDE_PIXELS:
        hint = f"give a photo of at least {MIN_SIDE_PIXELS} pixels on each side; ten times that reads well"
        raise PhotoError(f"{name} has only {image.width} x {image.height} pixels", hint=hint)


def check_decoding_cost(image: Image.Image, data: bytes, *, max_slow_pixels: int = 4_000_000) -> None:
    """Raise ValueError if decoding would take far longer than for other pictures of this size.

    Pillow decodes some formats pixel by pixel in Python; these have at most `max_slow_pixels`.
    """
    if image.info.get("progressive") and count_scans(data) > MAX_SCANS:
        raise ValueError(f"it has more than {MAX_SCANS} passes")
    tiles = getattr(image, "tile", ())
    slow = image.format in ("BMP", "PPM") and any(tile[0] in ("bmp_rle", "ppm_plain", "ppm") for tile in tiles)
    if slow and image.width * image.height > max_slow_pixels:
        raise ValueError(f"its encoding is read only up to {max_slow_pixels // 1_000_000} megapixels")


def count_scans(data: bytes) -> int:
    """Return the number of scans in a JPEG; counting stops one above `MAX_SCANS`."""
    starts = (start for kind, start in iterate_jpeg_markers(data) if kind == 0xDA)
    return sum(1 for _ in islice(starts, MAX_SCANS + 1))


def iterate_jpeg_markers(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield kind and offset of each marker in a JPEG up to the end of the image; another picture may follow."""
    marker = re.compile(rb"\xff[\x01-\xcf\xd8-\xfe]")  # neither stuffing nor a restart (ITU T.81, B.1.1)
    position = 2
    while found := marker.search(data, position):
        kind, position = data[found.start() + 1], found.end()
        if kind == 0xD9:  # end of image
            return
        yield kind, found.start()
        position += int.from_bytes(data[position : position + 2], "big")


def make_size_error(name: str, limit: int = MAX_PIXELS) -> PhotoError:
    """Return the error for a picture with more than `limit` pixels."""
    hint = "scale the photo down" + (", or save it as a plain JPEG" if limit < MAX_PIXELS else "")
    return PhotoTooLargeError(f"{name} has more than {limit // 1_000_000} megapixels", hint=hint)
