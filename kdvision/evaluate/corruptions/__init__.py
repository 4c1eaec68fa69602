"""Corruptions of a photo at three severities, each drawn from a seed: what `kdvision evaluate --stress` reads.

Sizes are in squares of the kingdom, not in pixels, so that a photo from far away loses no more than a close one.
"""

import zlib
from typing import Final, NamedTuple

import numpy as np

from kdvision.evaluate.corruptions import basic, framing, lens, light, occlusion, software
from kdvision.evaluate.corruptions.pixels import Function, Pixels

SEVERITIES: Final = (1, 2, 3)


class Corruption(NamedTuple):
    """A kind of corruption: the family under which it is reported, and its function.

    In an `adversarial` family a person cannot always tell the truth either.
    """

    family: str
    function: Function

    @property
    def adversarial(self) -> bool:
        """True if the corruption may hide what is scored, so that a flag is as right as the exact board."""
        return self.family in ADVERSARIAL_FAMILIES


ADVERSARIAL_FAMILIES: Final = ("cut", "covered", "altered")
CORRUPTIONS: Final[dict[str, Corruption]] = {
    "fewer pixels": Corruption("distance", basic.downscale),
    "further tilt": Corruption("distance", basic.tilt),
    "dark": Corruption("light", basic.darken),
    "defocus": Corruption("lens", basic.defocus),
    "motion blur": Corruption("lens", basic.blur_by_motion),
    "jpeg": Corruption("software", basic.compress),
    "coloured light": Corruption("light", basic.tint),
    "glare": Corruption("light", basic.add_glare),
    "leaf shadows": Corruption("light", light.add_leaf_shadows),
    "blind stripes": Corruption("light", light.add_blind_stripes),
    "hard shadow": Corruption("light", light.add_hard_shadow),
    "light from one side": Corruption("light", light.light_from_side),
    "haze": Corruption("lens", light.add_haze),
    "barrel distortion": Corruption("lens", lens.distort_as_barrel),
    "colour fringes": Corruption("lens", lens.add_colour_fringes),
    "dark corners": Corruption("lens", lens.darken_corners),
    "hdr": Corruption("software", software.map_tones),
    "sharpening": Corruption("software", software.sharpen),
    "pale filter": Corruption("filters", software.fade),
    "vivid filter": Corruption("filters", software.saturate),
    "hue shift": Corruption("filters", software.shift_hue),
    "overexposure": Corruption("light", software.overexpose),
    "noise reduction": Corruption("software", software.reduce_noise),
    "few colours": Corruption("filters", software.reduce_colours),
    "messenger": Corruption("software", software.send_by_messenger),
    "watermark": Corruption("filters", software.add_watermark),
    "rotation": Corruption("framing", framing.rotate),
    "screenshot": Corruption("framing", framing.take_screenshot),
    "screen": Corruption("framing", framing.photograph_screen),
    "crop": Corruption("cut", framing.crop),
    "panorama": Corruption("cut", framing.lose_seam),
    "finger": Corruption("covered", occlusion.add_finger),
    "mug": Corruption("covered", occlusion.add_mug),
    "card": Corruption("covered", occlusion.add_card),
    "sticker": Corruption("covered", occlusion.add_sticker),
    "sheet": Corruption("covered", occlusion.cover_row),
    "sodium lamp": Corruption("altered", light.light_by_sodium),
    "grey": Corruption("altered", software.remove_colour),
    "phone with a copy": Corruption("altered", framing.add_phone_with_copy),
}
"""The corruptions by name. Their order is part of the seeds."""


def corrupt(
    pixels: Pixels, corruption: str, severity: int, *, cell_size: float, name: str = "", seed: int = 0
) -> Pixels:
    """Return the corrupted photo (height, width, 3).

    `corruption` is a key of CORRUPTIONS, `severity` one of SEVERITIES, `cell_size` the side of a square in pixels. The
    same name and seed give the same picture.
    """
    rng = np.random.default_rng([seed, zlib.crc32(name.encode()), list(CORRUPTIONS).index(corruption), severity])
    return np.ascontiguousarray(CORRUPTIONS[corruption].function(pixels, cell_size, severity - 1, rng))
