"""Light, lens and sensor: they turn a clean drawing of a table into a photo."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from kdvision.evaluate.corruptions.pixels import GAMMA, encode_jpeg
from kdvision.lab.arrays import Bytes, Floats, Floats32, Rng
from kdvision.lab.render.objects.surface import Surface, repeat_channels

MIN_BLUR_PIXELS: Final = 6
"""Smallest standard deviation to which a wide blur is reduced; the result differs by less than .02."""


@dataclass(frozen=True)
class PhotoFactors:
    """How strongly a photo is degraded, each factor from 0 (clean) to 1 (the worst that people send)."""

    light: float = 0.5  # uneven, tinted or dim light and shadows
    glare: float = 0.3
    blur: float = 0.3
    noise: float = 0.3
    jpeg: float = 0.3
    defocus: float = 0.0  # standard deviation of the point spread in pixels; never random

    @classmethod
    def sample(cls, rng: Rng) -> PhotoFactors:
        """Return random factors: most photos are fair, some are bad in one way, few in several."""
        values = rng.beta(1.0, 2.2, 5)
        if rng.random() < 0.3:
            values[rng.integers(5)] = rng.uniform(0.6, 1.0)
        return cls(*(float(v) for v in values))

    @classmethod
    def sample_hard_light(cls, rng: Rng) -> PhotoFactors:
        """Return random factors in hard light; at the upper end of glare, a lamp leaves nothing but white."""
        light, glare = float(rng.uniform(0.3, 1.3)), float(rng.uniform(0.5, 2.5))
        return replace(cls.sample(rng), light=light, glare=glare)


def add_illumination(picture: Floats32, rng: Rng, strength: float) -> Floats32:
    """Return the picture (H, W, 3; 0 to 1) under an uneven, tinted light with soft shadows."""
    height, width = picture.shape[:2]
    angle = rng.uniform(0, 2 * np.pi)
    y, x = (positions.astype(np.float32) for positions in np.ogrid[-0.5 : 0.5 : height * 1j, -0.5 : 0.5 : width * 1j])
    slope = (x * np.cos(angle) + y * np.sin(angle)) * rng.uniform(0, 0.9) * strength
    lamp = np.exp(slope + 0.25 * strength * Surface(rng, height, width, 1.0).make_noise(max(height, width) / 2.5))
    tint = np.exp(
        rng.normal(0, 0.05 + 0.14 * strength) * np.array([1, 0.1, -1]) + rng.normal(0, 0.03 + 0.04 * strength, 3)
    )
    result = picture * repeat_channels(lamp.astype(np.float32)) * tint.astype(np.float32)
    if rng.random() < 0.25 + 0.3 * strength:
        mask = _draw_shadow(rng, height, width)
        result *= repeat_channels(1 - mask * rng.uniform(0.15, 0.45 + 0.3 * strength))
    if rng.random() < 0.4 * strength:  # a second lamp of another colour on one side
        second_lamp = np.exp(rng.normal(0, 0.2, 3)).astype(np.float32)
        share = np.clip(0.5 + slope / max(0.05, float(np.abs(slope).max())), 0, 1)[..., None]
        result *= 1 + share * (second_lamp - 1)
    return np.asarray(result, np.float32)


def _draw_shadow(rng: Rng, height: int, width: int) -> Floats32:
    """Return the soft shadow (H, W; 0 to 1) of a hand or of the photographer."""
    mask, longer_side = np.zeros((height, width), np.float32), max(height, width)
    if rng.random() < 0.5:
        palm = rng.uniform(0.04, 0.14) * longer_side
        draw_hand(mask, rng.uniform(0.1, 0.9, 2) * (width, height), palm, rng.uniform(0, 2 * np.pi), rng)
    else:
        start, step = rng.uniform(0, 1, 2) * (width, height), rng.normal(0, 0.15 * longer_side, 2)
        for k in range(int(rng.integers(1, 6))):
            centre = start + k * step
            axes = rng.uniform(0.05, 0.3, 2) * longer_side
            cv2.ellipse(mask, [int(c) for c in centre], [int(a) for a in axes], rng.uniform(0, 180), 0, 360, 1.0, -1)
    return blur_mask(mask, longer_side * rng.uniform(0.004, 0.04))


def draw_hand(mask: Floats32, centre: Floats, palm: float, heading: float, rng: Rng) -> None:
    """Draw in a mask (H, W) an arm that comes from outside, a palm, fingers, and sometimes a phone.

    `palm` is the palm's radius in pixels; the fingers point along `heading`.
    """
    height, width = mask.shape

    def point_at(angle: float, reach: float) -> tuple[int, int]:
        return int(centre[0] + reach * np.cos(angle)), int(centre[1] + reach * np.sin(angle))

    palm_centre = point_at(0, 0)
    cv2.line(mask, palm_centre, point_at(heading + np.pi, 3.0 * max(height, width)), 1.0, max(1, int(1.3 * palm)))
    cv2.circle(mask, palm_centre, int(palm), 1.0, -1)
    for spread in rng.uniform(0.15, 0.4) * np.array([-3.2, -1.5, -0.5, 0.5, 1.5]):
        tip = point_at(heading + spread, palm * rng.uniform(1.7, 2.4))
        cv2.line(mask, palm_centre, tip, 1.0, max(1, int(0.36 * palm)), cv2.LINE_AA)
    if rng.random() < 0.4:
        size = (palm * rng.uniform(2.5, 4), palm * rng.uniform(1.5, 2))
        phone = cv2.boxPoints((point_at(heading, 1.5 * palm), size, float(np.degrees(heading) + rng.normal(0, 20))))
        cv2.fillConvexPoly(mask, phone.astype(np.int32), 1.0)


def add_glare(picture: Floats32, gloss: Floats32, rng: Rng, strength: float, *, lean: Floats32) -> Floats32:
    """Return the picture with reflections of lamps and windows; `gloss` (H, W) is the reflectance of each pixel.

    `lean` (H, W, 2) is the tilt of each pixel's surface in radians: a card that leans mirrors another direction.
    """
    height, width = picture.shape[:2]
    veil = np.zeros((height, width), np.float32)
    for _ in range(int(rng.integers(1, 4))):
        veil = np.maximum(veil, _draw_reflection(rng, height, width) * rng.uniform(0.2, 1.0))
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    reach = np.float32(2 * max(height, width))  # the mirrored ray turns by twice the lean
    moved_veil = cv2.remap(veil, x + reach * lean[..., 0], y + reach * lean[..., 1], cv2.INTER_LINEAR)
    veil = np.asarray(moved_veil, np.float32)
    veil *= gloss * strength
    hue = np.clip(1 + rng.normal(0, 0.12, 3), 0.6, 1.3) if rng.random() < 0.75 else rng.uniform(0.3, 1.2, 3)
    shine = np.minimum(hue, 1.25).astype(np.float32) * rng.uniform(0.75, 1.1)
    light = np.maximum(picture, 0) ** np.float32(GAMMA) + shine ** np.float32(GAMMA) * veil[..., None]
    return np.asarray(light ** np.float32(1 / GAMMA), np.float32)


def _draw_reflection(rng: Rng, height: int, width: int) -> Floats32:
    spot = np.zeros((height, width), np.float32)
    longer_side = max(height, width)
    centre = (float(rng.uniform(0, width)), float(rng.uniform(0, height)))
    size = rng.uniform(0.04, 0.35, 2) * longer_side
    if rng.random() < 0.5:
        box = cv2.boxPoints((centre, (float(size[0]), float(size[1])), float(rng.uniform(0, 90))))
        cv2.fillConvexPoly(spot, box.astype(np.int32), 1.0)
    else:
        axes = [int(s / 2) + 1 for s in size]
        cv2.ellipse(spot, [int(c) for c in centre], axes, rng.uniform(0, 180), 0, 360, 1.0, -1)
    return blur_mask(spot, longer_side * rng.uniform(0.008, 0.06))


def blur_mask(mask: Floats32, sigma: float) -> Floats32:
    """Return the mask (H, W) under a Gaussian blur, which is computed at a lower resolution where it is wide."""
    height, width = mask.shape
    step = max(1, int(sigma / MIN_BLUR_PIXELS))
    small_mask = cv2.resize(mask, (-(-width // step), -(-height // step)), interpolation=cv2.INTER_AREA)
    blurred_mask = cv2.GaussianBlur(small_mask, (0, 0), sigma / step)
    return np.asarray(cv2.resize(blurred_mask, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)


def expose(picture: Floats32, rng: Rng, factors: PhotoFactors) -> Bytes:
    """Return the photo (H, W, 3) after defocus, motion, tone, noise and JPEG compression."""
    if factors.defocus:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), factors.defocus), np.float32)
    sigma = abs(rng.normal(0, 0.2)) + 2.2 * factors.blur**2 * rng.random()
    if sigma > 0.25:
        picture = cv2.GaussianBlur(picture, (0, 0), sigma).astype(np.float32, copy=False)
    if rng.random() < 0.5 * factors.blur:
        picture = add_motion_blur(picture, length=rng.uniform(1, 1 + 9 * factors.blur), angle=rng.uniform(0, np.pi))
    if rng.random() < 0.15:  # phones sharpen their photos
        picture = picture + rng.uniform(0.3, 1.2) * (picture - cv2.GaussianBlur(picture, (0, 0), 1.2))
    picture = _adjust_tone(picture, rng, factors)
    grain = rng.standard_normal(picture.shape, dtype=np.float32)
    if rng.random() < 0.5:
        grain = np.asarray(cv2.GaussianBlur(grain, (0, 0), 0.7), np.float32)
    noise = np.float32(0.002 + 0.05 * factors.noise**2) * np.sqrt(np.maximum(picture, 0.05))
    photo = (np.clip(picture + noise * grain, 0, 1) * 255 + 0.5).astype(np.uint8)
    return encode_jpeg(photo, int(rng.uniform(95 - 65 * factors.jpeg, 97)))


def add_motion_blur(picture: Floats32, *, length: float, angle: float) -> Floats32:
    """Return the picture smeared along a line `length` pixels long."""
    size = (int(length) | 1) + 2
    kernel = np.zeros((size, size), np.float32)
    reach = np.array((np.cos(angle), np.sin(angle))) * length / 2
    start, end = (((size / 2 - 0.5 + way * reach) * 16).astype(int).tolist() for way in (-1, 1))
    cv2.line(kernel, start, end, 1.0, 1, cv2.LINE_AA, 4)
    return cv2.filter2D(picture, -1, kernel / kernel.sum()).astype(np.float32, copy=False)


def _adjust_tone(picture: Floats32, rng: Rng, factors: PhotoFactors) -> Floats32:
    level = float(np.percentile(picture[::4, ::4], 95)) + 1e-3
    picture = picture * np.float32(rng.uniform(0.75, 1.12) / max(level, 0.4))
    if rng.random() < 0.4 * factors.light:
        picture = picture * np.float32(rng.uniform(0.2, 0.7))  # too dark
    picture = np.clip(picture, 0, 1) ** np.float32(np.exp(rng.normal(0, 0.05 + 0.25 * factors.light)))
    saturation, contrast, lift = rng.uniform(0.6, 1.3), rng.uniform(0.8, 1.15), rng.normal(0, 0.02)
    mix = np.full((3, 3), (1 - saturation) / 3) + saturation * np.eye(3)
    result = cv2.transform(picture, np.column_stack([contrast * mix, np.full(3, 0.5 - 0.5 * contrast + lift)]))
    return np.asarray(np.clip(result, 0, 1), np.float32)
