"""Pixels of every kind as 8-bit sRGB: alpha over white, deep numbers scaled, colour profiles applied."""

import io
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageCms

from kdvision.errors import PhotoError

Pixels: TypeAlias = NDArray[np.uint8]

ROWS_PER_BLOCK: Final = 64
"""Rows that are blended at a time, because the 16-bit products take a lot of memory."""

_PROFILE_MODES: Final = {"RGB": "RGB", "CMYK": "CMYK", "GRAY": "L"}
"""The Pillow mode that a profile of each colour space applies to."""


def convert_to_srgb(image: Image.Image) -> Pixels:
    """Return a decoded picture as sRGB pixels (height, width, 3)."""
    if image.mode[:2] == "I;" or image.mode in ("I", "F"):
        return _convert_deep_grey(image)
    if image.has_transparency_data:
        opaque = blend_with_white(np.asarray(image if image.mode == "RGBA" else image.convert("RGBA")))
        transform = _load_profile(image, "RGB")
        return opaque if transform is None else _apply_profile(Image.fromarray(opaque), transform)
    if image.mode == "CMYK" and image.format == "JPEG" and "adobe" not in image.info:
        # Pillow assumes Adobe's convention, which stores paper as 255.
        return _apply_profile(ImageChops.invert(image), _load_profile(image, "CMYK"))
    plain = image if image.mode in ("RGB", "CMYK", "L") else image.convert("RGB")
    return _apply_profile(plain, _load_profile(image, plain.mode))


def blend_with_white(pixels: Pixels) -> Pixels:
    """Return RGBA pixels as RGB over white; alpha is ignored if the picture is transparent everywhere."""
    colour, alpha = pixels[..., :3], pixels[..., 3:]
    if not alpha.any():
        return np.array(colour, order="C")
    blended = np.empty(colour.shape, np.uint8)
    for top in range(0, len(pixels), ROWS_PER_BLOCK):
        rows = slice(top, top + ROWS_PER_BLOCK)
        weight = alpha[rows].astype(np.uint16)
        blended[rows] = (colour[rows] * weight + 255 * (255 - weight) + 127) // 255
    return blended


def convert_to_uint8(array: NDArray[Any], name: str) -> Pixels:
    """Return the array scaled to 0–255 from the full range of its type, floats from 0–1; raise PhotoError otherwise."""
    if array.dtype == np.uint8:
        return array
    if array.dtype == np.bool_:
        return array.astype(np.uint8) * np.uint8(255)
    if array.dtype == np.uint16:
        return ((array.astype(np.uint32) + 128) // 257).astype(np.uint8)
    if array.dtype.kind == "f" and np.isfinite(array).all() and array.min() >= 0 and array.max() <= 1:
        return (array * 255 + 0.5).astype(np.uint8)
    hint = "give uint8, uint16, bool, or floats from 0 to 1"
    raise PhotoError(f"{name} holds numbers that are not pixels ({array.dtype})", hint=hint)


def _convert_deep_grey(image: Image.Image) -> Pixels:
    """Return grey of more than 8 bits, scaled by the smallest usual range that holds its largest number."""
    numbers = np.nan_to_num(np.asarray(image).astype(np.float64)).clip(0)
    largest = float(numbers.max(initial=0))
    ranges = (1.0, 255.0, 65535.0) if image.mode == "F" else (65535.0, 2.0**32 - 1)
    full = next((full for full in ranges if largest <= full), largest)
    return np.repeat((numbers * (255 / full) + 0.5).astype(np.uint8)[..., None], 3, axis=2)


def _apply_profile(image: Image.Image, transform: ImageCms.ImageCmsTransform | None) -> Pixels:
    if transform is not None:
        image = ImageCms.applyTransform(image, transform) or image
    return np.asarray(image if image.mode == "RGB" else image.convert("RGB"))


def _load_profile(image: Image.Image, mode: str) -> ImageCms.ImageCmsTransform | None:
    """Return the transform from the embedded profile to sRGB; None if it is absent, sRGB already, or broken."""
    profile = image.info.get("icc_profile")
    if not profile:
        return None
    try:
        embedded = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        fits = _PROFILE_MODES.get(embedded.profile.xcolor_space.strip()) == mode
        if not fits or "sRGB" in ImageCms.getProfileDescription(embedded):
            return None
        srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB"))
        return ImageCms.buildTransform(embedded, srgb, mode, "RGB")
    except (ImageCms.PyCMSError, OSError, ValueError):
        return None
