"""Photos from any source as upright sRGB pixels, with an image pyramid that is decoded on demand."""

import os
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from kdvision.errors import PhotoError, PhotoTooLargeError
from kdvision.vision.geometry import Floats
from kdvision.vision.image.decode import DAMAGE_WARNING, SCALES, EncodedImage, read_header
from kdvision.vision.image.limits import MAX_PIXELS, MIN_SIDE_PIXELS
from kdvision.vision.image.srgb import Pixels, blend_with_white, convert_to_uint8

FileSource: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO"
PhotoSource: TypeAlias = "FileSource | NDArray[Any] | Photo"

MAX_FILE_BYTES: Final = 200_000_000
"""Limit for a file; an uncompressed picture of more than 60 megapixels fits."""


class Photo:
    """One upright sRGB picture at any size, decoded no larger than needed.

    `source` is either all pixels (height, width, 3) or a file that can be decoded at several sizes. `width` and
    `height` are the full size in pixels; `warnings` are sentences about a damaged file that can still be read.
    """

    def __init__(self, source: Pixels | EncodedImage, name: str = "photo") -> None:
        self.name = name
        self.warnings: tuple[str, ...] = ()
        self._file: EncodedImage | None = None
        self._levels: dict[int, Pixels] = {}
        self._first_scale = 1
        if isinstance(source, EncodedImage):
            self._file = source
            self.width, self.height = source.size
            # One size that serves detection and refinement is quicker than two; smaller levels are halves of that one.
            fine_scales = (scale for scale in source.scales if scale * 1280 <= max(self.width, self.height))
            self._first_scale = next(fine_scales, 1)
        else:
            self.height, self.width = source.shape[:2]
            source.flags.writeable = False
            self._levels[1] = source

    @property
    def pixels(self) -> Pixels:
        """All pixels (height, width, 3), uint8, read-only."""
        return self._get_level(1)

    @property
    def digest(self) -> bytes:
        """A hash of the pixels; copies of a file have equal digests, also without its metadata."""
        pixels = self._get_level(self._first_scale)
        return sha256(repr(pixels.shape).encode() + pixels.tobytes()).digest()

    def find_level(self, factor: float) -> tuple[Pixels, float]:
        """Return the smallest pyramid level of at least `factor` times the full size, and its own factor.

        Levels are the full size and its half, quarter and eighth. A point (x, y) of the photo, measured from the outer
        corner of the first pixel, lies at (x, y) times the level's factor.
        """
        scale = next((scale for scale in SCALES if scale * factor <= 1), 1)
        return self._get_level(scale), 1 / scale

    def resize(self, long_side: int) -> Pixels:
        """Return a copy of the photo, its longer side scaled to `long_side` pixels."""
        pixels, _ = self.find_level(long_side / max(self.width, self.height))
        return shrink(pixels, long_side / max(pixels.shape[:2]))[0]

    def crop(self, points: Floats, factor: float) -> tuple[Pixels, Floats]:
        """Return the box around points (…, 2) at `find_level(factor)`, and the matrix (3, 3) to its pixels."""
        pixels, factor = self.find_level(factor)
        ends = np.stack([points.reshape(-1, 2).min(axis=0), points.reshape(-1, 2).max(axis=0)]) * factor
        size = np.array([pixels.shape[1], pixels.shape[0]])
        (left, top) = np.clip(np.floor(ends[0]) - 1, 0, size - 1).astype(int)
        (right, bottom) = np.clip(np.ceil(ends[1]) + 1, (left + 1, top + 1), size).astype(int)
        matrix = np.array([[factor, 0, -left], [0, factor, -top], [0, 0, 1.0]])
        return pixels[top:bottom, left:right], matrix

    def _get_level(self, scale: int) -> Pixels:
        """Return the photo at 1/`scale` of its size."""
        if scale not in self._levels:
            if self._file is not None and scale <= self._first_scale:
                pixels, is_damaged = self._file.decode(scale)
                self.warnings = (DAMAGE_WARNING,) if is_damaged else self.warnings
            else:
                larger = self._get_level(scale // 2)
                height, width = larger.shape[0] // 2, larger.shape[1] // 2  # an odd pixel at the end is left out
                half = cv2.resize(larger[: 2 * height, : 2 * width], (width, height), interpolation=cv2.INTER_AREA)
                pixels = np.asarray(half, np.uint8)
            pixels.flags.writeable = False
            self._levels[scale] = pixels
        return self._levels[scale]

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
        file = read_header(*_read_source(source, name))
        photo = cls(file, file.name)
        photo._get_level(photo._first_scale)
        if file.scales == (1,):
            photo._file = None  # its bytes are not needed again
        return photo


def shrink(pixels: Pixels, factor: float) -> tuple[Pixels, tuple[float, float]]:
    """Return the picture scaled by `factor`, and the exact factors (x, y) after rounding to whole pixels.

    Down to a half, bilinear interpolation covers all pixels and is faster than averaging areas.
    """
    height, width = pixels.shape[:2]
    size = (max(8, round(width * factor)), max(8, round(height * factor)))
    method = cv2.INTER_AREA if factor < 0.5 else cv2.INTER_LINEAR
    scaled_pixels = np.asarray(cv2.resize(pixels, size, interpolation=method), np.uint8)
    return scaled_pixels, (size[0] / width, size[1] / height)


def _read_source(source: FileSource, name: str | None) -> tuple[bytes, str]:
    """Return the bytes of a file and what messages call it."""
    if isinstance(source, str | os.PathLike):
        name = name or str(source)
        try:
            if Path(source).is_dir():
                hint = f"name the photos in it, for example {Path(name) / '*.jpg'}"
                raise PhotoError(f"{name} is a folder", hint=hint)
            _check_file_size(Path(source).stat().st_size, name)
            with Path(source).open("rb") as file:
                data = file.read(MAX_FILE_BYTES + 1)
        except FileNotFoundError:
            raise PhotoError(f"there is no file {name}", hint="check the path and the spelling") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise PhotoError(f"{name} cannot be read: {reason}", hint="check that it is a file you may read") from error
    elif isinstance(source, bytes | bytearray | memoryview):
        data, name = bytes(source), name or "bytes"
    else:
        data, name = source.read(MAX_FILE_BYTES + 1), name or str(getattr(source, "name", "stream"))
    if not data:
        raise PhotoError(f"{name} is empty", hint="copy or send the photo again")
    _check_file_size(len(data), name)
    return data, name


def _check_file_size(size: int, name: str) -> None:
    if size > MAX_FILE_BYTES:
        text = f"{name} is larger than {MAX_FILE_BYTES // 1_000_000} MB, the most that is read"
        raise PhotoTooLargeError(text, hint="save it as a JPEG, or scale it down")


def _convert_array(array: NDArray[Any], name: str) -> Pixels:
    """Return a copy of the array as RGB pixels; raise PhotoError if it is no picture."""
    if array.ndim not in (2, 3) or (array.ndim == 3 and array.shape[2] not in (1, 3, 4)):
        hint = "give (height, width), (height, width, 3) RGB or (height, width, 4) RGBA"
        raise PhotoError(f"{name} of shape {array.shape} is no picture", hint=hint)
    height, width = array.shape[:2]
    if min(height, width) < MIN_SIDE_PIXELS or height * width > MAX_PIXELS:
        limits = f"at least {MIN_SIDE_PIXELS} pixels on each side and at most {MAX_PIXELS // 1_000_000} megapixels"
        raise PhotoError(f"{name} of {width} x {height} pixels is too small or too large", hint=f"photos have {limits}")
    pixels = convert_to_uint8(array, name).reshape(height, width, -1)
    if pixels.shape[2] == 4:
        return np.asarray(blend_with_white(Image.fromarray(pixels)))
    return np.array(np.broadcast_to(pixels, (height, width, 3)), order="C")
