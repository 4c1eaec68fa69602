"""Corruptions of a photo at three severities, each drawn from a seed: what `kdvision evaluate --stress` reads.

Sizes are in squares of the kingdom, not in pixels, so that a photo from far away loses no more than a close one.
"""

import zlib
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from kdvision.evaluate.corruptions import optics, scene, software
from kdvision.evaluate.corruptions.pixels import CellLayout, Picture, Shot
from kdvision.vision.image.srgb import Pixels

SEVERITIES: Final = (1, 2, 3)
ADVERSARIAL_FAMILIES: Final = ("cut", "covered", "altered")


class Corruption(NamedTuple):
    """A kind of corruption: the family under which it is reported, its function, and its level at each severity."""

    family: str
    function: Callable[[Shot, Any], Picture]
    levels: tuple[Any, Any, Any]

    @property
    def adversarial(self) -> bool:
        """True if it may hide what is scored from a person too, so that a flag is as right as the exact board."""
        return self.family in ADVERSARIAL_FAMILIES

    def interpolate_level(self, severity: float) -> Any:
        """Return the level at a severity from 1 to 3; whole numbers stay whole."""
        if not isinstance(self.levels[0], tuple):
            return _interpolate(self.levels, severity)
        return tuple(_interpolate(levels, severity) for levels in zip(*self.levels, strict=True))


def _interpolate(levels: Sequence[float], severity: float) -> float:
    value = float(np.interp(severity, SEVERITIES, levels))
    return round(value) if all(isinstance(level, int) for level in levels) else value


CORRUPTIONS: Final[dict[str, Corruption]] = {
    "fewer pixels": Corruption("distance", optics.downscale, (26, 18, 13)),
    "further tilt": Corruption("distance", optics.tilt, (25, 40, 50)),
    "dark": Corruption("light", optics.darken, ((0.35, 0.01), (0.18, 0.015), (0.09, 0.02))),
    "defocus": Corruption("lens", optics.defocus, (0.04, 0.07, 0.11)),
    "motion blur": Corruption("lens", optics.blur_by_motion, (0.1, 0.2, 0.32)),
    "jpeg": Corruption("software", software.compress, (30, 15, 8)),
    "coloured light": Corruption("light", optics.tint, (0.3, 0.5, 0.7)),
    "glare": Corruption("light", optics.add_glare, ((1, 0.4), (2, 0.6), (2, 0.8))),
    "leaf shadows": Corruption("light", optics.add_leaf_shadows, (0.55, 0.4, 0.28)),
    "blind stripes": Corruption("light", optics.add_blind_stripes, (0.55, 0.4, 0.28)),
    "hard shadow": Corruption("light", optics.add_hard_shadow, (0.55, 0.4, 0.28)),
    "light from one side": Corruption("light", optics.light_from_side, (0.35, 0.2, 0.12)),
    "haze": Corruption("lens", optics.add_haze, (0.15, 0.28, 0.42)),
    "barrel distortion": Corruption("lens", optics.distort_as_barrel, (0.08, 0.16, 0.28)),
    "colour fringes": Corruption("lens", optics.add_colour_fringes, (0.0015, 0.003, 0.005)),
    "dark corners": Corruption("lens", optics.darken_corners, (0.5, 0.3, 0.15)),
    "hdr": Corruption("software", software.map_tones, ((2.0, 1.15), (4.0, 1.25), (8.0, 1.35))),
    "sharpening": Corruption("software", software.sharpen, (1.0, 2.0, 3.5)),
    "pale filter": Corruption("filters", software.fade, (0.25, 0.4, 0.55)),
    "vivid filter": Corruption("filters", software.saturate, (1.5, 2.0, 2.6)),
    "hue shift": Corruption("filters", software.shift_hue, (10, 18, 28)),
    "overexposure": Corruption("light", optics.overexpose, (1.6, 2.3, 3.2)),
    "noise reduction": Corruption("software", software.reduce_noise, (25, 45, 70)),
    "few colours": Corruption("filters", software.reduce_colours, (64, 32, 16)),
    "messenger": Corruption("software", software.send_by_messenger, ((1600, 60, 1), (1280, 45, 2), (1024, 35, 4))),
    "watermark": Corruption("filters", software.add_watermark, (0.2, 0.35, 0.5)),
    "rotation": Corruption("framing", scene.rotate, (10, 20, 40)),
    "screenshot": Corruption("framing", scene.take_screenshot, (0.9, 0.7, 0.5)),
    "screen": Corruption("framing", scene.photograph_screen, ((0.06, 30), (0.12, 60), (0.2, 90))),
    "crop": Corruption("cut", scene.crop, (0.12, 0.3, 0.5)),
    "panorama": Corruption("cut", scene.lose_seam, (0.25, 0.5, 0.8)),
    "finger": Corruption("covered", scene.add_finger, (0.5, 0.7, 0.9)),
    "mug": Corruption("covered", scene.add_mug, (1.0, 1.3, 1.6)),
    "card": Corruption("covered", scene.add_card, ((1.2, 0.8), (1.6, 1.1), (2.2, 1.5))),
    "sticker": Corruption("covered", scene.add_sticker, (0.5, 0.8, 1.0)),
    "sheet": Corruption("covered", scene.cover_row, (1.0, 1.5, 2.0)),
    "sodium lamp": Corruption("altered", optics.light_by_sodium, (0.6, 0.8, 0.95)),
    "grey": Corruption("altered", software.remove_colour, (0.7, 0.9, 1.0)),
    "phone with a copy": Corruption("altered", scene.add_phone_with_copy, (0.25, 0.35, 0.45)),
    "crop between tiles": Corruption("cut", scene.crop_between_tiles, (1, 2, 3)),
}
"""The corruptions by name. Their order is part of the seeds."""


def corrupt(
    pixels: Pixels, corruption: str, severity: float, *, cells: CellLayout, name: str = "", seed: int = 0
) -> Pixels:
    """Return the corrupted photo (height, width, 3).

    `corruption` is a key of CORRUPTIONS, `severity` lies within the range of SEVERITIES, and `cells` says where
    the squares lie. The same name and seed give the same picture.
    """
    rng = np.random.default_rng([seed, zlib.crc32(name.encode()), list(CORRUPTIONS).index(corruption), int(severity)])
    kind = CORRUPTIONS[corruption]
    picture = kind.function(Shot(pixels, cells, rng), kind.interpolate_level(severity))
    return np.ascontiguousarray(np.clip(picture, 0, 255), np.uint8)
