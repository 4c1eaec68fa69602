"""Photos from any source as upright sRGB pixels, with an image pyramid that is decoded on demand.

A path, the bytes of a file, an open file and an array all pass through `Photo.open`, so that a photo reads the same
from the command line, a pipe and an upload.
"""

import os
import stat
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from kdvision.errors import PhotoError, PhotoTooLargeError
from kdvision.vision.image.decode import DAMAGE_WARNING, SCALES, EncodedImage, read_header
from kdvision.vision.image.limits import MAX_PIXELS, MIN_SIDE_PIXELS
from kdvision.vision.image.srgb import Pixels, blend_with_white, convert_to_uint8

PhotoSource: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO | NDArray[Any] | Photo"

MAX_FILE_BYTES: Final = 200_000_000
"""Limit for a file; an uncompressed picture of more than 60 megapixels fits."""

FIRST_DECODE_PIXELS: Final = 1280
"""Longer side at which a JPEG is decoded first. One size that also serves the refinement is quicker than two."""

SIZE_HINT: Final = (
    f"photos have at least {MIN_SIDE_PIXELS} pixels on each side and at most {MAX_PIXELS // 1_000_000} megapixels"
)

_Level: TypeAlias = "tuple[Pixels, tuple[float, float]]"
"""The pixels of one pyramid level and the exact factors (x, y) from full size to it."""


class Photo:
    """One upright sRGB picture at any size, decoded no larger than needed.

    `source` is either all pixels (height, width, 3) or a file that can be decoded at several sizes; `warnings` are
    sentences about a damaged file that can still be read.
    """

    def __init__(self, source: Pixels | EncodedImage, name: str = "photo") -> None:
        self.name = name
        self.warnings: tuple[str, ...] = ()
        self._source = source
        self._levels: dict[int, _Level] = {}

    @property
    def height(self) -> int:
        """Rows of pixels."""
        return self._source.size[1] if isinstance(self._source, EncodedImage) else int(self._source.shape[0])

    @property
    def width(self) -> int:
        """Pixels in a row."""
        return self._source.size[0] if isinstance(self._source, EncodedImage) else int(self._source.shape[1])

    @property
    def pixels(self) -> Pixels:
        """All pixels (height, width, 3), uint8, read-only."""
        return self._get_level(1)[0]

    @property
    def digest(self) -> bytes:
        """A hash of the file or the pixels; equal photos have equal digests."""
        if isinstance(self._source, EncodedImage):
            return sha256(self._source.data).digest()
        pixels = np.ascontiguousarray(self._source).reshape(-1)
        return sha256(repr(self._source.shape).encode() + sha256(pixels.data).digest()).digest()

    def find_level(self, factor: float) -> tuple[Pixels, tuple[float, float]]:
        """Return the smallest pyramid level of at least `factor` times the full size, and its exact factors (x, y).

        Levels are the full size and its half, quarter and eighth. A point (x, y) of the photo, measured from the outer
        corner of the first pixel, lies at (x, y) times the factors.
        """
        scale = next((s for s in SCALES if s * factor <= 1), 1)
        if isinstance(self._source, EncodedImage) and scale < self._first_scale:
            scale = next(s for s in self._source.scales if s <= scale)
        return self._get_level(scale)

    def crop(self, points: NDArray[np.float64], factor: float) -> tuple[Pixels, NDArray[np.float64]]:
        """Return the box around points (…, 2) at `find_level(factor)`, and the matrix (3, 3) to its pixels."""
        pixels, scale = self.find_level(factor)
        ends = np.stack([points.reshape(-1, 2).min(axis=0), points.reshape(-1, 2).max(axis=0)]) * scale
        size = np.array([pixels.shape[1], pixels.shape[0]])
        (left, top) = np.clip(np.floor(ends[0]) - 1, 0, size - 1).astype(int)
        (right, bottom) = np.clip(np.ceil(ends[1]) + 1, (left + 1, top + 1), size).astype(int)
        matrix = np.array([[scale[0], 0, -left], [0, scale[1], -top], [0, 0, 1.0]])
        return pixels[top:bottom, left:right], matrix

    @cached_property
    def _first_scale(self) -> int:
        """The denominator of the first decoding; smaller levels are halves of that one."""
        scales = self._source.scales if isinstance(self._source, EncodedImage) else (1,)
        return next((s for s in scales if s * FIRST_DECODE_PIXELS <= max(self.width, self.height)), 1)

    def _get_level(self, scale: int) -> _Level:
        if scale not in self._levels:
            pixels, factors = self._make_level(scale)
            pixels.flags.writeable = False
            self._levels[scale] = pixels, factors
        return self._levels[scale]

    def _make_level(self, scale: int) -> _Level:
        if scale <= self._first_scale:
            factors = (1 / scale, 1 / scale)
            if not isinstance(self._source, EncodedImage):
                return self._source, factors
            pixels, damaged = self._source.decode(scale)
            self.warnings = (DAMAGE_WARNING,) if damaged else self.warnings
            return pixels, factors
        larger, (x, y) = self._get_level(scale // 2)
        height, width = larger.shape[0] // 2, larger.shape[1] // 2  # an odd pixel at the end is left out
        half = cv2.resize(larger[: 2 * height, : 2 * width], (width, height), interpolation=cv2.INTER_AREA)
        return np.asarray(half, np.uint8), (x / 2, y / 2)

    @classmethod
    def open(cls, source: PhotoSource, *, name: str | None = None) -> "Photo":
        """Return the photo at a path, in bytes, in an open file, or in an array; raise PhotoError.

        An array holds one upright picture: (height, width), (height, width, 3) RGB (not OpenCV's BGR) or
        (height, width, 4) RGBA, as uint8, uint16, bool, or floats from 0 to 1. `name` is used in messages. The file is
        decoded once, so that a damaged one is reported here.
        """
        if isinstance(source, Photo):
            return source
        if isinstance(source, np.ndarray):
            name = name or "array"
            return cls(_convert_array(source, name), name)
        file = read_header(*_read(source, name))
        photo = cls(file, file.name)
        photo._get_level(photo._first_scale)
        if file.scales == (1,):
            photo._source = photo.pixels  # the file's bytes are not needed again
        return photo


def _read(
    source: "str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO", name: str | None
) -> tuple[bytes, str]:
    """Return the bytes of a file and what messages call it."""
    if isinstance(source, str | os.PathLike):
        return _read_path(Path(source), name or str(source))
    if isinstance(source, bytes | bytearray | memoryview):
        return _check_bytes(bytes(source), name or "bytes")
    return _check_bytes(source.read(MAX_FILE_BYTES + 1), name or str(getattr(source, "name", "stream")))


def _read_path(path: Path, name: str) -> tuple[bytes, str]:
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise PhotoError(f"{name} is a folder", hint=f"name the photos in it, for example {Path(name) / '*.jpg'}")
        if status.st_size > MAX_FILE_BYTES:
            raise _make_bytes_error(name)
        with path.open("rb") as file:
            return _check_bytes(file.read(MAX_FILE_BYTES + 1), name)
    except FileNotFoundError:
        raise PhotoError(f"there is no file {name}", hint="check the path and the spelling") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise PhotoError(f"{name} cannot be read: {reason}", hint="check that it is a file you may read") from error


def _check_bytes(data: bytes, name: str) -> tuple[bytes, str]:
    if not data:
        raise PhotoError(f"{name} is empty", hint="copy or send the photo again")
    if len(data) > MAX_FILE_BYTES:
        raise _make_bytes_error(name)
    return data, name


def _make_bytes_error(name: str) -> PhotoError:
    hint = "save it as a JPEG, or scale it down"
    return PhotoTooLargeError(
        f"{name} is larger than {MAX_FILE_BYTES // 1_000_000} MB, the most that is read", hint=hint
    )


def _convert_array(array: NDArray[Any], name: str) -> Pixels:
    """Return a copy of the array as RGB pixels; raise PhotoError if it is no picture."""
    grey, channels = array.ndim == 2, array.shape[-1] if array.ndim == 3 else 0
    if not grey and channels not in (1, 3, 4):
        hint = "give (height, width), (height, width, 3) RGB or (height, width, 4) RGBA"
        raise PhotoError(f"{name} of shape {array.shape} is no picture", hint=hint)
    if min(array.shape[:2]) < MIN_SIDE_PIXELS or array.shape[0] * array.shape[1] > MAX_PIXELS:
        raise PhotoError(
            f"{name} of {array.shape[1]} x {array.shape[0]} pixels is too small or too large", hint=SIZE_HINT
        )
    pixels = convert_to_uint8(array, name)
    if grey or channels == 1:
        return np.repeat(pixels.reshape(*array.shape[:2], 1), 3, axis=2)
    return blend_with_white(pixels) if channels == 4 else np.array(pixels, order="C")
