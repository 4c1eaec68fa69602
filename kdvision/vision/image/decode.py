"""Decoding of picture files to upright sRGB pixels, at full size or a fraction of it.

A JPEG decodes at 1/2, 1/4 or 1/8 of its size for a fraction of the time, because fewer frequencies of each block are
transformed (ITU T.81).
"""

import logging
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

import numpy as np
from PIL import ExifTags, Image, UnidentifiedImageError

from kdvision.errors import PhotoError, UnsupportedImageError
from kdvision.vision.image.limits import check_limits, count_scans, make_size_error
from kdvision.vision.image.reader import BoundedReader, JpegReader
from kdvision.vision.image.srgb import Pixels, convert_to_srgb, iterate_bands

SCALES: Final = (8, 4, 2, 1)
"""Denominators of the sizes at which a JPEG can be decoded."""
DAMAGE_WARNING: Final = "the file is damaged, colours may be wrong in part of it: copy or send the photo again"

# Errors are reported once, as PhotoError; warnings about damaged metadata and large pictures are handled here.
logging.getLogger("PIL").addHandler(logging.NullHandler())
warnings.filterwarnings("ignore", module=r"(PIL|pillow_heif)\b")  # once, because threads share the filters

_ORIENTATIONS: Final[dict[int, tuple[Image.Transpose | None, tuple[int, ...]]]] = {
    1: (None, ()),
    2: (Image.Transpose.FLIP_LEFT_RIGHT, (0,)),
    3: (Image.Transpose.ROTATE_180, (0, 1)),
    4: (Image.Transpose.FLIP_TOP_BOTTOM, (1,)),
    5: (Image.Transpose.TRANSPOSE, ()),
    6: (Image.Transpose.ROTATE_270, (1,)),
    7: (Image.Transpose.TRANSVERSE, (0, 1)),
    8: (Image.Transpose.ROTATE_90, (0,)),
}
"""For each EXIF orientation (EXIF 2.32, tag 274), what turns stored pixels upright, and the stored axes (0 width,
1 height) that run backwards then."""


class EncodedImage(NamedTuple):
    """A picture file with a checked header: its bytes, upright size (width, height) and EXIF orientation.

    `scales` are the denominators at which it can be decoded, largest first.
    """

    data: bytes
    name: str
    size: tuple[int, int]
    orientation: int
    scales: tuple[int, ...]

    def decode(self, scale: int = 1) -> tuple[Pixels, bool]:
        """Return upright sRGB pixels (height, width, 3) at 1/`scale` of the size, and whether the file is damaged.

        Raises PhotoError if the file cannot be decoded.
        """
        with _report_damage(self.name):
            reader = JpegReader(self.data)
            image: Image.Image = Image.open(reader, formats=_list_formats(self.data))
            if scale > 1:
                image.draft(None, (image.width // scale, image.height // scale))
            image.load()
            # Decoders fill in grey for missing data; a progressive picture is grey only if its first pass is not whole.
            is_cut = reader.is_damaged or (image.info.get("progressive") and count_scans(self.data) == 1)
            if is_cut and image.mode in ("L", "RGB"):
                last_row = np.asarray(image.crop((0, image.height - 1, image.width, image.height)))
                if (last_row == 128).all():
                    raise OSError("its data ends early")
            image = convert_to_srgb(image)
        method, _ = _ORIENTATIONS[self.orientation]
        return _copy_pixels(image if method is None else image.transpose(method)), reader.is_damaged


def read_header(data: bytes, name: str, *, max_exif_segments: int = 100) -> EncodedImage:
    """Return the picture file in `data` with its header checked; raise PhotoError, which calls it `name`."""
    with _report_damage(name):
        # No camera writes as many, and Pillow joins them one by one. `bytes.count` takes twice as long.
        if sum(1 for _ in re.finditer(rb"Exif\0\0", data)) > max_exif_segments:
            raise ValueError("its metadata has too many pieces")
        image = Image.open(BoundedReader(data), formats=_list_formats(data))
        check_limits(image, data, name)
        orientation = _read_orientation(image, data)
    size = image.size if orientation < 5 else (image.height, image.width)
    # A partial block at a border would come first in a rotated picture and shift it.
    axes = _ORIENTATIONS[orientation][1]
    possible_scales = SCALES if image.format in ("JPEG", "MPO") else (1,)
    scales = tuple(scale for scale in possible_scales if all(image.size[axis] % scale == 0 for axis in axes))
    return EncodedImage(data, name, size, orientation, scales)


@contextmanager
def _report_damage(name: str) -> Iterator[None]:
    """Raise PhotoError in place of the exceptions of decoders, which raise almost anything for a broken file."""
    try:
        yield
    except PhotoError:
        raise
    except Image.DecompressionBombError:
        raise make_size_error(name) from None
    except UnidentifiedImageError:
        hint = "give a photo as JPEG, HEIC, PNG, WebP, TIFF, BMP or GIF"
        raise UnsupportedImageError(f"{name} is no picture of a kind that can be read", hint=hint) from None
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        hint = "copy or send the photo again, or save it anew as JPEG"
        raise PhotoError(f"{name} is damaged or cut short: {reason}", hint=hint) from error


def _list_formats(data: bytes) -> tuple[str, ...]:
    """Return Pillow's names of the accepted formats that `data` may have; other readers run too much code."""
    if data.startswith(b"\xff\xd8\xff"):
        return ("JPEG",)  # registering the readers of other formats takes longer than reading a JPEG's header
    from pillow_heif import register_heif_opener

    register_heif_opener()
    Image.init()
    accepted_formats = ("JPEG", "MPO", "HEIF", "PNG", "WEBP", "AVIF", "TIFF", "BMP", "GIF", "PPM")
    return tuple(name for name in accepted_formats if name in Image.OPEN)


def _copy_pixels(image: Image.Image) -> Pixels:
    """Return a copy of the pixels of an RGB picture."""
    pixels = np.empty((image.height, image.width, 3), np.uint8)
    for rows, band in iterate_bands(image):
        pixels[rows] = band
    return pixels


def _read_orientation(image: Image.Image, data: bytes) -> int:
    """Return the EXIF orientation that is still to be applied, 1 if the pixels are upright."""
    if image.format == "TIFF":
        return 1  # Pillow rotates TIFF itself
    if image.format == "HEIF":
        # pillow-heif applies the file's rotation boxes and clears EXIF. Some writers omit the boxes and rely on EXIF.
        before, _, after = data.partition(b"meta\0\0\0\0")  # the box of all properties, after its size (ISO 14496-12)
        boxes = after[: int.from_bytes(before[-4:], "big")]
        orientation = 1 if b"irot" in boxes or b"imir" in boxes else image.info.get("original_orientation")
    else:
        try:
            orientation = int(image.getexif().get(ExifTags.Base.Orientation, 1))
        except Exception:  # noqa: BLE001  (damaged metadata of a good picture)
            orientation = 1
    return orientation if orientation in _ORIENTATIONS else 1
