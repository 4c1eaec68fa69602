"""The one door for pictures: whatever is given becomes the same upright RGB pixels, or a PhotoError with advice.

A path, the file's bytes, an open file and an array all end here, so that a photo reads the same from the command line,
from a pipe and from an upload.
"""

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kdvision.errors import PhotoError, TooLarge
from kdvision.vision.decode import MAX_PIXELS, MIN_SIDE, Pixels, decode, eight_bits, on_white

PhotoSource: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO | NDArray[Any] | Photo"

MAX_BYTES: Final = 200_000_000
"""The largest file that is read: an uncompressed picture of more than 60 megapixels still fits."""


@dataclass(frozen=True, eq=False)
class Photo:
    """One picture, ready to be looked at: `pixels` is (height, width, 3) uint8, upright sRGB, and read-only."""

    pixels: Pixels
    name: str = "photo"

    @property
    def height(self) -> int:
        """Rows of pixels."""
        return int(self.pixels.shape[0])

    @property
    def width(self) -> int:
        """Pixels in a row."""
        return int(self.pixels.shape[1])

    @classmethod
    def open(cls, source: PhotoSource, *, name: str | None = None) -> "Photo":
        """The photo at a path, in a file's bytes, in an open file, or of an array; raises PhotoError.

        An array holds one picture, upright already: (height, width), (height, width, 3) RGB (not OpenCV's BGR) or
        (height, width, 4) RGBA, as uint8, uint16, bool, or floats from 0 to 1. `name` is what messages call it.
        """
        if isinstance(source, Photo):
            return source
        if isinstance(source, np.ndarray):
            name = name or "array"
            return cls(_sealed(_pixels_of(source, name)), name)
        data, found = _read(source, name)
        return cls(_sealed(decode(data, found)), found)


def _sealed(pixels: Pixels) -> Pixels:
    pixels.flags.writeable = False
    return pixels


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
    return TooLarge(f"{name} is larger than {MAX_BYTES // 1_000_000} MB, the most that is read", hint=hint)


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
