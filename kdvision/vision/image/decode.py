"""From the bytes of a picture file to upright sRGB pixels, at the size that is needed.

Every oddity of cameras and editors ends here: EXIF turnings, HEIC, alpha, palettes, 16 bits, CMYK, colour profiles.
A JPEG can be decoded at a half, a quarter or an eighth of its size for a fraction of the time (ITU T.81: the fewer of a
block's frequencies are transformed, the smaller it comes out).
"""

import logging
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from kdvision.errors import PhotoError, UnsupportedImageError
from kdvision.vision.image.limits import Metered, check_pieces, check_size, check_work, too_large
from kdvision.vision.image.srgb import Pixels, rgb_by

FORMATS: Final = ("JPEG", "MPO", "HEIF", "PNG", "WEBP", "AVIF", "TIFF", "BMP", "GIF", "PPM")
"""Pillow's names of what is opened; its other readers (PostScript, say) run more code than a photo should."""

READABLE: Final = "give a photo as JPEG, HEIC, PNG, WebP, TIFF, BMP or GIF"
BROKEN: Final = "copy or send the photo again, or save it anew as JPEG"

SCALES: Final = (8, 4, 2, 1)
"""A picture is decoded at one part in so many of its size."""

BAND: Final = 1 << 18
"""About so many pixels are brought to sRGB at a time: large pictures need little room, and bands stay in the cache."""

FLAWED: Final = "the file is damaged, colours may be wrong from some place on: copy or send the photo again"

FILLED: Final = 128
"""The grey that JPEG decoders put where a file ends before its picture does."""

logging.getLogger("PIL").addHandler(logging.NullHandler())  # what is wrong with a file is told once, by us

_View: TypeAlias = Callable[[NDArray[Any]], NDArray[Any]]

_ORIENTATION: Final = 0x0112
_LAID_DOWN: Final[dict[int, _View]] = {
    1: lambda upright: upright,
    2: lambda upright: upright[:, ::-1],
    3: lambda upright: upright[::-1, ::-1],
    4: lambda upright: upright[::-1],
    5: lambda upright: upright.swapaxes(0, 1),
    6: lambda upright: np.rot90(upright),
    7: lambda upright: upright[::-1, ::-1].swapaxes(0, 1),
    8: lambda upright: np.rot90(upright, -1),
}
"""Upright pixels seen as the camera stored them under each EXIF orientation (EXIF 2.32, tag 274)."""

_MIRRORED: Final = {1: (), 2: (0,), 3: (0, 1), 4: (1,), 5: (), 6: (1,), 7: (0, 1), 8: (0,)}
"""The stored axes (0 width, 1 height) that run backwards in the upright picture."""


@dataclass(frozen=True, eq=False)
class Encoded:
    """A picture file that can be decoded: its bytes, its upright size (width, height) and EXIF orientation.

    `scales` are the denominators it can be decoded at, largest first; others would move pixels by parts of one.
    """

    data: bytes
    name: str
    size: tuple[int, int]
    orientation: int
    scales: tuple[int, ...]
    flaws: list[str] = field(default_factory=list, init=False)
    """What decoding has found wrong that does not keep the picture from being read."""

    def decode(self, scale: int = 1) -> Pixels:
        """Pixels (height, width, 3), uint8, upright sRGB, at one part in `scale` of the size; raises PhotoError."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of damaged metadata and large pictures; both are dealt with
            image = _opened(self.data, self.name)
            try:
                if scale > 1:
                    image.draft(None, (image.width // scale, image.height // scale))
                image.load()
                if _ended_early(image):
                    raise OSError("its data ends early")
                return _upright(image, self.orientation)
            except Exception as error:  # broken files make decoders raise almost anything
                raise _damaged(self.name, error) from error


def _ended_early(image: Image.Image) -> bool:
    """Whether the last row of a JPEG is what decoders fill in where there is no data: grey, without any grain."""
    if image.format not in ("JPEG", "MPO") or image.mode not in ("L", "RGB"):
        return False
    last = np.asarray(image.crop((0, image.height - 1, image.width, image.height)))
    return bool((last == FILLED).all())


def encoded(data: bytes, name: str) -> Encoded:
    """The picture file in these bytes, its header read and checked; raises PhotoError, which calls it `name`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        image = _opened(data, name, check=True)
        check_size(image, name)
        try:
            check_work(image, data)
            orientation = _orientation(image, data)
        except Exception as error:
            raise _damaged(name, error) from error
    size = image.size if orientation < 5 else (image.height, image.width)
    return Encoded(data, name, size, orientation, _scales(image, orientation))


def _scales(image: Image.Image, orientation: int) -> tuple[int, ...]:
    """The scales that leave every point where it is: a part of a block at a border would, turned round, come first."""
    if image.format not in ("JPEG", "MPO"):
        return (1,)
    return tuple(s for s in SCALES if all(image.size[axis] % s == 0 for axis in _MIRRORED[orientation]))


def _upright(image: Image.Image, orientation: int) -> Pixels:
    """The decoded picture as pixels, brought to sRGB band by band into their upright places."""
    shape = (image.height, image.width) if orientation < 5 else (image.width, image.height)
    pixels = np.empty((*shape, 3), np.uint8)
    stored = _LAID_DOWN[orientation](pixels)
    convert = rgb_by(image, lambda: _bands(image))
    top = 0
    for band in _bands(image):
        stored[top : top + band.height] = convert(band)
        top += band.height
    return pixels


def _bands(image: Image.Image) -> Iterator[Image.Image]:
    """The picture in bands from top to bottom, as itself where one is enough."""
    rows = max(1, BAND // image.width)
    if rows >= image.height:
        yield image
        return
    for top in range(0, image.height, rows):
        yield image.crop((0, top, image.width, min(top + rows, image.height)))


@cache
def _formats() -> tuple[str, ...]:
    """Those of FORMATS that this Pillow can open, HEIC added."""
    from pillow_heif import register_heif_opener  # slow to import, and here it is needed only once a photo is opened

    register_heif_opener()
    Image.init()
    return tuple(name for name in FORMATS if name in Image.OPEN)


def _opened(data: bytes, name: str, *, check: bool = False) -> Image.Image:
    """The picture file, its header read; `check` its bytes before."""
    # Importing readers of other formats costs more than reading a JPEG's header.
    formats = ("JPEG",) if data.startswith(b"\xff\xd8\xff") else _formats()
    try:
        if check:
            check_pieces(data)
        return Image.open(Metered(data), formats=formats)
    except Image.DecompressionBombError:
        raise too_large(name) from None
    except UnidentifiedImageError:
        raise UnsupportedImageError(f"{name} is no picture of a kind that can be read", hint=READABLE) from None
    except Exception as error:
        raise _damaged(name, error) from error


def _damaged(name: str, error: Exception) -> PhotoError:
    """The error for a broken file, with the decoder's own words on one line."""
    reason = " ".join(str(error).split()) or type(error).__name__
    return PhotoError(f"{name} is damaged or cut short: {reason}", hint=BROKEN)


def _orientation(image: Image.Image, data: bytes) -> int:
    """The EXIF orientation that is still to be obeyed, 1 where the picture is upright."""
    if image.format == "TIFF":
        found = 1  # the opener turns it
    elif image.format != "HEIF":
        found = _exif_orientation(image)
    else:
        # The opener has obeyed the file's own turning boxes and cleared EXIF's copy of them. Some writers leave the
        # boxes out and mean the EXIF.
        boxes = _meta_box(data)
        turned = b"irot" in boxes or b"imir" in boxes
        found = 1 if turned else image.info.get("original_orientation") or 1
    return found if found in _LAID_DOWN else 1


def _exif_orientation(image: Image.Image) -> int:
    try:
        return int(image.getexif().get(_ORIENTATION, 1))
    except Exception:  # noqa: BLE001  (damaged metadata of a good picture: take it as it lies)
        return 1


def _meta_box(data: bytes) -> bytes:
    """The `meta` box of an ISO media file (ISO 14496-12, 4.2): empty where there is none."""
    start = 0
    while start + 16 <= len(data):
        size, kind = int.from_bytes(data[start : start + 4], "big"), data[start + 4 : start + 8]
        if size == 1:
            size = int.from_bytes(data[start + 8 : start + 16], "big")
        if kind == b"meta":
            return data[start : start + size] if size else data[start:]
        if size < 8:
            break
        start += size
    return b""
