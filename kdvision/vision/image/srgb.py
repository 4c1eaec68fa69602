"""Pixels of every kind to 8-bit sRGB: alpha lies on white, deep numbers are scaled, profiles are obeyed."""

import io
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageCms

from kdvision.errors import PhotoError

Pixels: TypeAlias = NDArray[np.uint8]
Convert: TypeAlias = Callable[[Image.Image], Pixels]

_SPACES: Final = {"RGB": "RGB", "CMYK": "CMYK", "GRAY": "L"}
"""The mode that a profile of each colour space applies to."""


def rgb_by(image: Image.Image, bands: Callable[[], Iterable[Image.Image]]) -> Convert:
    """The function that brings a band of the decoded picture to sRGB pixels (height, width, 3).

    What has to be known of the whole picture is found out first, from its bands.
    """
    if image.mode[:2] == "I;" or image.mode in ("I", "F"):
        return _from_deep_grey(image, bands())
    profiled = _from_profile(image)
    if image.has_transparency_data:
        clear = not any(np.asarray(band.convert("RGBA"))[..., 3].any() for band in bands())
        return lambda band: _opaque(band, profiled, clear=clear)
    if image.mode == "CMYK" and image.format == "JPEG" and "adobe" not in image.info:
        # Pillow takes every CMYK JPEG for one of Adobe's, which store paper as 255.
        return lambda band: profiled(ImageChops.invert(band))
    return profiled


def on_white(pixels: Pixels) -> Pixels:
    """The RGB pixels of RGBA ones laid on white paper; where all is transparent, alpha means nothing and is dropped."""
    return _on_white(pixels) if pixels[..., 3].any() else np.array(pixels[..., :3], order="C")


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


def _on_white(pixels: Pixels) -> Pixels:
    colour, alpha = pixels[..., :3], pixels[..., 3:]
    weight = alpha.astype(np.uint16)
    return ((colour * weight + 255 * (255 - weight) + 127) // 255).astype(np.uint8)


def _opaque(band: Image.Image, profiled: Convert, *, clear: bool) -> Pixels:
    pixels = np.asarray(band.convert("RGBA"))
    return profiled(Image.fromarray(np.ascontiguousarray(pixels[..., :3]) if clear else _on_white(pixels)))


def _from_deep_grey(image: Image.Image, bands: Iterable[Image.Image]) -> Convert:
    """Grey of more than 8 bits, scaled by the range that the numbers show they were written for."""
    top = max(float(_numbers(band).max(initial=0)) for band in bands)
    if image.mode == "F":
        full = next((full for full in (1.0, 255.0, 65535.0) if top <= full), top)
    else:
        full = 65535.0 if top <= 65535 else 2.0**32 - 1

    def convert(band: Image.Image) -> Pixels:
        grey = (_numbers(band) * (255 / full) + 0.5).astype(np.uint8)
        return np.repeat(grey[..., None], 3, axis=2)

    return convert


def _numbers(band: Image.Image) -> NDArray[np.float64]:
    return np.nan_to_num(np.asarray(band).astype(np.float64)).clip(0)


def _from_profile(image: Image.Image) -> Convert:
    """To sRGB by the embedded profile; as it is where that is absent, sRGB, or broken."""
    transform = _transform(image)

    def convert(band: Image.Image) -> Pixels:
        plain = band if band.mode in ("RGB", "CMYK", "L") else band.convert("RGB")
        if transform is not None:
            plain = ImageCms.applyTransform(plain, transform) or plain
        return np.asarray(plain if plain.mode == "RGB" else plain.convert("RGB"))

    return convert


def _transform(image: Image.Image) -> ImageCms.ImageCmsTransform | None:
    profile = image.info.get("icc_profile")
    if not profile:
        return None
    mode = "RGB" if image.has_transparency_data or image.mode not in ("CMYK", "L") else image.mode
    try:
        embedded = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        fits = _SPACES.get(embedded.profile.xcolor_space.strip()) == mode
        if not fits or "sRGB" in ImageCms.getProfileDescription(embedded):
            return None
        srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB"))
        return ImageCms.buildTransform(embedded, srgb, mode, "RGB")
    except (ImageCms.PyCMSError, OSError, ValueError):
        return None
