"""What is refused before it can cost minutes or gigabytes: pictures come from strangers.

Every check here looks at the header, or counts, and is done before a pixel is decoded.
"""

import io
import re
from typing import Final

from PIL import Image

from kdvision.errors import PhotoError, PhotoTooLargeError

MIN_SIDE: Final = 64
"""The fewest pixels on a side: fewer cannot show a kingdom's crowns."""

MAX_PIXELS: Final = 120_000_000
"""The most pixels: the largest phone cameras' 108 megapixels fit."""

WHOLE_PIXELS: Final = 64_000_000
"""The most where all pixels have to be held at once, by the format's decoder and by us: all but plain JPEG.

Decoding takes 10 bytes a pixel, 12 for AVIF (measured): three quarters of a gigabyte.
"""

DOUBLED_PIXELS: Final = 40_000_000
"""The most for WebP, whose decoder is made for films and takes 18 bytes a pixel."""

MOST_SCANS: Final = 100
"""Passes over a progressive JPEG; encoders write about ten, and each costs a walk over all its blocks."""

MOST_EXIF: Final = 100
"""EXIF segments, which are put together one by one; files of several pictures have one for each."""

MOST_READS: Final = 300_000
"""Pieces a file is read in; a PNG of 200 MB in chunks of the usual 8 KB needs a quarter of them."""

MOST_RUNS: Final = 4_000_000
"""Pixels of a picture whose decoder works pixel by pixel in Python."""

_MARKER: Final = re.compile(rb"\xff[\x01-\xcf\xd8-\xfe]")
"""A marker among a JPEG's coded data: not a stuffed FF, not a restart (ITU T.81, B.1.1)."""


class Metered(io.BytesIO):
    """A file in memory that can be read in so many pieces and no more; raises ValueError."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._left = MOST_READS

    def read(self, size: int | None = -1, /) -> bytes:
        """Some of the file, as `io.BytesIO.read`."""
        self._left -= 1
        if self._left < 0:
            raise ValueError("it is made of too many pieces")
        return super().read(size)


def check_size(image: Image.Image, name: str) -> None:
    """Raise PhotoError for a picture, opened but not yet decoded, of too few or too many pixels."""
    if image.width * image.height > most_pixels(image):
        raise too_large(name, most_pixels(image))
    if min(image.size) < MIN_SIDE:
        hint = f"give a photo of at least {MIN_SIDE} pixels on each side; ten times that reads well"
        raise PhotoError(f"{name} has only {image.width} x {image.height} pixels", hint=hint)


def check_work(image: Image.Image, data: bytes) -> None:
    """Raise ValueError for a picture that would take its decoder very much longer than others of its size."""
    if image.info.get("progressive") and scans(data) > MOST_SCANS:
        raise ValueError(f"it has more than {MOST_SCANS} passes")
    tiles = getattr(image, "tile", ())
    slow = image.format in ("BMP", "PPM") and any(tile[0] in ("bmp_rle", "ppm_plain", "ppm") for tile in tiles)
    if slow and image.width * image.height > MOST_RUNS:
        raise ValueError(f"its way of storing is for pictures of at most {MOST_RUNS // 1_000_000} megapixels")


def check_pieces(data: bytes) -> None:
    """Raise ValueError for a file that nothing but malice would write: hundreds of EXIF segments."""
    if data.count(b"Exif\0\0") > MOST_EXIF:
        raise ValueError("its metadata has too many pieces")


def most_pixels(image: Image.Image) -> int:
    """The most pixels that a picture of this format may have."""
    if image.format in ("JPEG", "MPO") and not image.info.get("progressive"):
        return MAX_PIXELS
    return DOUBLED_PIXELS if image.format == "WEBP" else WHOLE_PIXELS


def scans(data: bytes) -> int:
    """How many passes over its picture a JPEG makes, counted up to one more than are allowed."""
    found, at = 0, 2
    while found <= MOST_SCANS and (marker := _MARKER.search(data, at)):
        kind, at = data[marker.start() + 1], marker.end()
        if kind == 0xD9:  # the end of the picture: what follows is another one, or a film
            break
        found += kind == 0xDA
        at += int.from_bytes(data[at : at + 2], "big")
    return found


def too_large(name: str, most: int = MAX_PIXELS) -> PhotoError:
    """The error for a picture of too many pixels."""
    hint = "scale the photo down" + (", or save it as a plain JPEG" if most < MAX_PIXELS else "")
    return PhotoTooLargeError(f"{name} has more than {most // 1_000_000} megapixels", hint=hint)
