"""From the bytes of a picture file to upright sRGB pixels.

Every oddity of cameras and editors ends here: EXIF turnings, HEIC, alpha, palettes, 16 bits, CMYK, colour profiles.
"""

import io
import warnings
from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageCms, UnidentifiedImageError

from kdvision.errors import NoPicture, PhotoError, TooLarge

Pixels: TypeAlias = NDArray[np.uint8]

MIN_SIDE: Final = 64
"""The fewest pixels on a side: fewer cannot show a kingdom's crowns."""

MAX_PIXELS: Final = 120_000_000
"""The most pixels: the largest phone cameras' 108 megapixels fit, and 360 MB of memory hold them."""

FORMATS: Final = ("JPEG", "MPO", "HEIF", "PNG", "WEBP", "AVIF", "TIFF", "BMP", "GIF", "PPM")
"""Pillow's names of what is opened; its other readers (PostScript, say) run more code than a photo should."""

READABLE: Final = "give a photo as JPEG, HEIC, PNG, WebP, TIFF, BMP or GIF"
BROKEN: Final = "copy or send the photo again, or save it anew as JPEG"

_ORIENTATION: Final = 0x0112
_TURNS: Final = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""What makes a picture with this EXIF orientation upright (EXIF 2.32, tag 274)."""

_SPACES: Final = {"RGB": "RGB", "CMYK": "CMYK", "GRAY": "L"}
"""The mode that a profile of each colour space applies to."""


def decode(data: bytes, name: str) -> Pixels:
    """Pixels (height, width, 3), uint8, upright sRGB, of a picture file; raises PhotoError, which calls it `name`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of damaged metadata and large pictures; both are dealt with below
        image = _opened(data, name)
        _check_size(image, name)
        try:
            image.load()
            turn = _TURNS.get(_orientation(image, data))
            upright = _srgb(image) if turn is None else _srgb(image).transpose(turn)
            return np.array(upright, dtype=np.uint8, order="C")
        except Exception as error:  # broken files make decoders raise almost anything
            raise PhotoError(f"{name} is damaged or cut short: {_reason(error)}", hint=BROKEN) from error


def on_white(pixels: Pixels) -> Pixels:
    """The RGB pixels of RGBA ones laid on white paper; where all is transparent, alpha means nothing and is dropped."""
    colour, alpha = pixels[..., :3], pixels[..., 3:]
    if not alpha.any():
        return np.array(colour, order="C")
    weight = alpha.astype(np.uint16)
    return ((colour * weight + 255 * (255 - weight) + 127) // 255).astype(np.uint8)


def eight_bits(array: NDArray[Any], name: str) -> Pixels:
    """The array scaled to 0..255 from the full range of its type, floats from 0..1; raises PhotoError for others."""
    if array.dtype == np.uint8:
        return array
    if array.dtype == np.bool_:
        return array.astype(np.uint8) * np.uint8(255)
    if array.dtype == np.uint16:
        return ((array.astype(np.uint32) + 128) // 257).astype(np.uint8)
    if array.dtype.kind == "f" and np.isfinite(array).all() and array.min() >= 0 and array.max() <= 1:
        return (array * 255 + 0.5).astype(np.uint8)
    hint = "give uint8, uint16, bool, or floats from 0 to 1"
    raise PhotoError(f"{name} holds numbers that are no pixels ({array.dtype})", hint=hint)


@cache
def _formats() -> tuple[str, ...]:
    """Those of FORMATS that this Pillow can open, HEIC added."""
    from pillow_heif import register_heif_opener  # slow to import, and here it is needed only once a photo is opened

    register_heif_opener()
    Image.init()
    return tuple(name for name in FORMATS if name in Image.OPEN)


def _opened(data: bytes, name: str) -> Image.Image:
    try:
        return Image.open(io.BytesIO(data), formats=_formats())
    except Image.DecompressionBombError:
        raise _too_large(name) from None
    except UnidentifiedImageError:
        raise NoPicture(f"{name} is no picture of a kind that can be read", hint=READABLE) from None
    except Exception as error:
        raise PhotoError(f"{name} is damaged or cut short: {_reason(error)}", hint=BROKEN) from error


def _check_size(image: Image.Image, name: str) -> None:
    if image.width * image.height > MAX_PIXELS:
        raise _too_large(name)
    if min(image.size) < MIN_SIDE:
        hint = f"give a photo of at least {MIN_SIDE} pixels on each side; ten times that reads well"
        raise PhotoError(f"{name} has only {image.width} x {image.height} pixels", hint=hint)


def _too_large(name: str) -> PhotoError:
    return TooLarge(f"{name} has more than {MAX_PIXELS // 1_000_000} megapixels", hint="scale the photo down")


def _reason(error: Exception) -> str:
    """The decoder's own words, on one line."""
    return " ".join(str(error).split()) or type(error).__name__


def _orientation(image: Image.Image, data: bytes) -> int:
    """The EXIF orientation that is still to be obeyed, 1 where the picture is upright."""
    if image.format != "HEIF":
        return _exif_orientation(image)
    # The opener has obeyed the file's own turning boxes and cleared EXIF's copy of them. Some writers leave the boxes
    # out and mean the EXIF.
    boxes = _meta_box(data)
    turned = b"irot" in boxes or b"imir" in boxes
    return 1 if turned else image.info.get("original_orientation") or 1


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


def _srgb(image: Image.Image) -> Image.Image:
    """The picture in mode RGB, in the colours of sRGB, on white where it was transparent."""
    profile = image.info.get("icc_profile")
    if image.mode[:2] == "I;" or image.mode in ("I", "F"):
        return Image.fromarray(_deep_grey(np.asarray(image))).convert("RGB")
    if image.has_transparency_data:
        image = Image.fromarray(on_white(np.asarray(image.convert("RGBA"))))
    if image.mode == "CMYK" and image.format == "JPEG" and "adobe" not in image.info:
        image = ImageChops.invert(image)  # Pillow takes every CMYK JPEG for one of Adobe's, which store paper as 255
    if image.mode not in ("RGB", "CMYK", "L"):
        image = image.convert("RGB")
    return _without_profile(image, profile).convert("RGB")


def _deep_grey(array: NDArray[Any]) -> Pixels:
    """Grey of more than 8 bits, scaled by the range that the numbers show they were written for."""
    grey = np.nan_to_num(array.astype(np.float64)).clip(0)
    top = grey.max(initial=0)
    if array.dtype.kind == "f":
        full = next((full for full in (1.0, 255.0, 65535.0) if top <= full), top)
    else:
        full = 65535.0 if top <= 65535 else 2.0**32 - 1
    return (grey * (255 / full) + 0.5).astype(np.uint8)


def _without_profile(image: Image.Image, profile: bytes | None) -> Image.Image:
    """The picture converted to sRGB by its embedded profile; as it is where that is absent, sRGB, or broken."""
    if not profile:
        return image
    try:
        embedded = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        fits = _SPACES.get(embedded.profile.xcolor_space.strip()) == image.mode
        if not fits or "sRGB" in ImageCms.getProfileDescription(embedded):
            return image
        srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB"))
        return ImageCms.profileToProfile(image, embedded, srgb, outputMode="RGB") or image
    except (ImageCms.PyCMSError, OSError, ValueError):
        return image
