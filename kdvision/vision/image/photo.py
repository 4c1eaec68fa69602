"""The one door for pictures: whatever is given becomes the same upright RGB pixels, or a PhotoError with advice.

A path, the file's bytes, an open file and an array all end here, so that a photo reads the same from the command line,
from a pipe and from an upload.
"""

import os
import stat
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from kdvision.errors import PhotoError, PhotoTooLargeError
from kdvision.vision.image.decode import SCALES, Encoded, encoded
from kdvision.vision.image.limits import MAX_PIXELS, MIN_SIDE
from kdvision.vision.image.srgb import Pixels, eight_bits, on_white

PhotoSource: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO | NDArray[Any] | Photo"

MAX_BYTES: Final = 200_000_000
"""The largest file that is read: an uncompressed picture of more than 60 megapixels still fits."""

GLANCE: Final = 1280
"""Pixels along the longer side that a photo is decoded at first, and at least.

Twice what a first look needs: walking through a JPEG's code costs most of its decoding at any size, so that one size
that serves the second looks as well is quicker than two.
"""

_Size: TypeAlias = "tuple[Pixels, tuple[float, float]]"
"""The pixels at one size, and the exact factors (x, y) from the whole to it."""


@dataclass(frozen=True, eq=False)
class Photo:
    """One picture, ready to be looked at: upright sRGB, at any size, decoded no larger than somebody looks at it.

    `source` is all its pixels (height, width, 3), or a file that can be decoded at several sizes.
    """

    source: Pixels | Encoded
    name: str = "photo"
    flaws: list[str] = field(default_factory=list)
    """What is wrong with its file, in sentences; all the same it can be read."""
    _sizes: dict[int, _Size] = field(default_factory=dict, init=False, repr=False)

    @property
    def height(self) -> int:
        """Rows of pixels."""
        return self.source.size[1] if isinstance(self.source, Encoded) else int(self.source.shape[0])

    @property
    def width(self) -> int:
        """Pixels in a row."""
        return self.source.size[0] if isinstance(self.source, Encoded) else int(self.source.shape[1])

    @property
    def pixels(self) -> Pixels:
        """All pixels (height, width, 3), uint8, read-only."""
        return self._at(1)[0]

    @property
    def content(self) -> bytes:
        """A hash of its file or pixels: photos that have the same are one."""
        if isinstance(self.source, Encoded):
            return sha256(self.source.data).digest()
        pixels = np.ascontiguousarray(self.source).reshape(-1)
        return sha256(repr(self.source.shape).encode() + sha256(pixels.data).digest()).digest()

    def at_least(self, factor: float) -> tuple[Pixels, tuple[float, float]]:
        """The pixels at the smallest size that is no smaller than `factor` of the whole, and the exact factors (x, y).

        Sizes are the whole and its half, quarter and eighth. A point (x, y) of the photo, measured from the outer
        corner of its first pixel, lies at (x, y) times the factors.
        """
        scale = next((s for s in SCALES if s * factor <= 1), 1)
        if isinstance(self.source, Encoded) and scale < self._first:
            scale = next(s for s in self.source.scales if s <= scale)
        return self._at(scale)

    def part(self, points: NDArray[np.float64], factor: float) -> tuple[Pixels, NDArray[np.float64]]:
        """The box around points (…, 2) of the photo, as in `at_least`, and the matrix (3, 3) from the photo to it."""
        pixels, scale = self.at_least(factor)
        ends = np.stack([points.reshape(-1, 2).min(axis=0), points.reshape(-1, 2).max(axis=0)]) * scale
        size = np.array([pixels.shape[1], pixels.shape[0]])
        (left, top) = np.clip(np.floor(ends[0]) - 1, 0, size - 1).astype(int)
        (right, bottom) = np.clip(np.ceil(ends[1]) + 1, (left + 1, top + 1), size).astype(int)
        into = np.array([[scale[0], 0, -left], [0, scale[1], -top], [0, 0, 1.0]])
        return pixels[top:bottom, left:right], into

    @cached_property
    def _first(self) -> int:
        """The scale that a file is decoded at first; smaller sizes are halves of that one."""
        scales = self.source.scales if isinstance(self.source, Encoded) else (1,)
        return next((s for s in scales if s * GLANCE <= max(self.width, self.height)), 1)

    def _at(self, scale: int) -> _Size:
        if scale not in self._sizes:
            pixels, factors = self._made(scale)
            pixels.flags.writeable = False
            self._sizes[scale] = pixels, factors
        return self._sizes[scale]

    def _made(self, scale: int) -> _Size:
        if scale <= self._first:
            exact = (1 / scale, 1 / scale)
            return (self.source.decode(scale) if isinstance(self.source, Encoded) else self.source), exact
        larger, (x, y) = self._at(scale // 2)
        height, width = larger.shape[0] // 2, larger.shape[1] // 2  # an odd pixel at the end is left out
        half = cv2.resize(larger[: 2 * height, : 2 * width], (width, height), interpolation=cv2.INTER_AREA)
        return np.asarray(half, np.uint8), (x / 2, y / 2)

    @classmethod
    def open(cls, source: PhotoSource, *, name: str | None = None) -> "Photo":
        """The photo at a path, in a file's bytes, in an open file, or of an array; raises PhotoError.

        An array holds one picture, upright already: (height, width), (height, width, 3) RGB (not OpenCV's BGR) or
        (height, width, 4) RGBA, as uint8, uint16, bool, or floats from 0 to 1. `name` is what messages call it.
        A file that is damaged is found out here: it is decoded once, at the size of a first look.
        """
        if isinstance(source, Photo):
            return source
        if isinstance(source, np.ndarray):
            name = name or "array"
            return cls(_pixels_of(source, name), name)
        file = encoded(*_read(source, name))
        if file.scales == (1,):
            return cls(file.decode(), file.name, file.flaws)
        photo = cls(file, file.name, file.flaws)
        photo._at(photo._first)
        return photo


def _read(
    source: "str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO", name: str | None
) -> tuple[bytes, str]:
    if isinstance(source, str | os.PathLike):
        return _read_file(Path(source), name or str(source))
    if isinstance(source, bytes | bytearray | memoryview):
        name = name or "bytes"
        return _checked(bytes(source), name), name
    name = name or str(getattr(source, "name", "stream"))
    return _checked(source.read(MAX_BYTES + 1), name), name


def _read_file(path: Path, name: str) -> tuple[bytes, str]:
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise PhotoError(f"{name} is a folder", hint=f"name the photos in it, for example {Path(name) / '*.jpg'}")
        if status.st_size > MAX_BYTES:
            raise _too_heavy(name)
        with path.open("rb") as file:
            return _checked(file.read(MAX_BYTES + 1), name), name
    except FileNotFoundError:
        raise PhotoError(f"there is no file {name}", hint="check the path and the spelling") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise PhotoError(f"{name} cannot be read: {reason}", hint="check that it is a file you may read") from error


def _checked(data: bytes, name: str) -> bytes:
    if not data:
        raise PhotoError(f"{name} is empty", hint="copy or send the photo again")
    if len(data) > MAX_BYTES:
        raise _too_heavy(name)
    return data


def _too_heavy(name: str) -> PhotoError:
    hint = "save it as a JPEG, or scale it down"
    return PhotoTooLargeError(f"{name} is larger than {MAX_BYTES // 1_000_000} MB, the most that is read", hint=hint)


def _pixels_of(array: NDArray[Any], name: str) -> Pixels:
    """A copy of the array as RGB pixels; raises PhotoError where it is no picture."""
    grey, channels = array.ndim == 2, array.shape[-1] if array.ndim == 3 else 0
    if not grey and channels not in (1, 3, 4):
        hint = "give (height, width), (height, width, 3) RGB or (height, width, 4) RGBA"
        raise PhotoError(f"{name} of shape {array.shape} is no picture", hint=hint)
    if min(array.shape[:2]) < MIN_SIDE or array.shape[0] * array.shape[1] > MAX_PIXELS:
        raise PhotoError(f"{name} of {array.shape[1]} x {array.shape[0]} pixels is too small or too large", hint=LIMITS)
    pixels = eight_bits(array, name)
    if grey or channels == 1:
        return np.repeat(pixels.reshape(*array.shape[:2], 1), 3, axis=2)
    return on_white(pixels) if channels == 4 else np.array(pixels, order="C")


LIMITS: Final = f"photos have at least {MIN_SIDE} pixels on each side and at most {MAX_PIXELS // 1_000_000} megapixels"
