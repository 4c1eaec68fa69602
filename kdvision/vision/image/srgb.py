"""Pixels of every kind as 8-bit sRGB: alpha over white, deep numbers scaled, colour profiles applied."""

import io
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageCms

from kdvision.errors import PhotoError

Pixels: TypeAlias = NDArray[np.uint8]


def convert_to_srgb(image: Image.Image) -> Image.Image:
    """Return a decoded picture in sRGB, in Pillow's mode RGB."""
    profile = image.info.get("icc_profile")
    if image.mode[:2] == "I;" or image.mode in ("I", "F"):
        return _convert_deep_grey(image)
    if image.has_transparency_data:
        image = blend_with_white(image if image.mode == "RGBA" else image.convert("RGBA"))
    elif image.mode == "CMYK" and image.format == "JPEG" and "adobe" not in image.info:
        image = ImageChops.invert(image)  # Pillow assumes Adobe's convention, which stores paper as 255
    elif image.mode not in ("RGB", "CMYK", "L"):
        image = image.convert("RGB")
    return _apply_profile(image, profile)


def blend_with_white(image: Image.Image) -> Image.Image:
    """Return an RGBA picture as RGB over white; alpha is ignored if the picture is transparent everywhere."""
    alpha = image.getchannel("A")
    if alpha.getbbox() is None:
        return image.convert("RGB")
    blended_image = Image.new("RGB", image.size, "white")
    blended_image.paste(image, mask=alpha)
    return blended_image


def convert_to_uint8(array: NDArray[Any], name: str) -> Pixels:
    """Return the array scaled to 0–255 from the full range of its type, floats from 0–1; raise PhotoError otherwise."""
    if array.dtype == np.uint8:
        return array
    if array.dtype == np.bool_:
        return array.astype(np.uint8) * np.uint8(255)
    if np.issubdtype(array.dtype, np.uint16):  # in either byte order
        return ((array.astype(np.uint32) + 128) // 257).astype(np.uint8)
    if array.dtype.kind == "f" and np.isfinite(array).all() and array.min() >= 0 and array.max() <= 1:
        return (array * 255 + 0.5).astype(np.uint8)
    hint = "give uint8, uint16, bool, or floats from 0 to 1"
    raise PhotoError(f"{name} holds numbers that are not pixels ({array.dtype})", hint=hint)


def _convert_deep_grey(image: Image.Image) -> Image.Image:
    """Return grey of more than 8 bits, scaled by the smallest usual range that holds its largest number."""
    max_value = max(float(_clip_numbers(band).max()) for _, band in iterate_bands(image))
    ranges = (1.0, 255.0, 65535.0) if image.mode == "F" else (65535.0, 2.0**32 - 1)
    full_scale = next((end for end in ranges if max_value <= end), max_value)
    grey = np.empty((image.height, image.width), np.uint8)
    for rows, band in iterate_bands(image):
        grey[rows] = _clip_numbers(band) * (255 / full_scale) + 0.5
    return Image.fromarray(grey).convert("RGB")


def _clip_numbers(numbers: NDArray[Any]) -> NDArray[np.float64]:
    """Return numbers of any type as finite ones that are not negative."""
    return np.nan_to_num(numbers.astype(np.float64)).clip(0)


def iterate_bands(image: Image.Image, *, rows_per_band: int = 64) -> Iterator[tuple[slice, NDArray[Any]]]:
    """Yield the numbers of a picture in bands with the rows of each, because a copy of all takes too much memory."""
    for top in range(0, image.height, rows_per_band):
        rows = slice(top, min(top + rows_per_band, image.height))
        yield rows, np.asarray(image.crop((0, rows.start, image.width, rows.stop)))


def _apply_profile(image: Image.Image, profile: bytes | None) -> Image.Image:
    """Return the picture converted from its embedded profile; a profile that is broken or does not fit is ignored."""
    if profile:
        with suppress(ImageCms.PyCMSError, OSError, ValueError):
            embedded_profile = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            if "sRGB" not in ImageCms.getProfileDescription(embedded_profile):
                srgb = ImageCms.createProfile("sRGB")
                image = ImageCms.profileToProfile(image, embedded_profile, srgb, outputMode="RGB") or image
    return image if image.mode == "RGB" else image.convert("RGB")
