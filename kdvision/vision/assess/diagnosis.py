"""Why a photo shows no kingdom, as far as its pixels and what was seen in them tell, and what to change about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np

from kdvision.errors import NoKingdomFound
from kdvision.vision.classify.observation import LEAST_TILES, GridObservation
from kdvision.vision.detect.lattice import MIN_KINGDOM_SQUARES
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.detector import LONG_SIDES, shrink

DARK: Final = 28.0
BRIGHT: Final = 235.0
"""Mean grey values, of 255, below and above which there is too little or too much light."""
PLAIN: Final = 5.0
"""A photo whose grey values spread less shows one surface."""
BLURRED: Final = 0.045
"""A photo of which fine detail makes up a smaller share of the contrast is out of focus or shaken; sharp ones have 0.1
and more, and a blur of 1/250 of the longer side takes them below this."""
FEW_PIXELS: Final = 400

BY_HAND: Final = "where a kingdom can be made out by eye, draw its outline (--corners)"


def explain_no_kingdom(photo: Photo, observations: Sequence[GridObservation]) -> NoKingdomFound:
    """Return the error for a photo without a kingdom, where `observations` is all that was seen on its grids.

    The stage is "cells" where squares hung together but are no kingdom, else "finder".
    """
    why, hint = (
        _damage(photo) or _light(photo) or _sharpness(photo) or _tiles(observations) or _nothing(photo, observations)
    )
    stage = "cells" if observations else "finder"
    return NoKingdomFound(f"{photo.name} shows no kingdom: {why}", stage=stage, hint=hint)


def _damage(photo: Photo) -> tuple[str, str] | None:
    return ("its file is damaged", "copy or send the photo again") if photo.warnings else None


def _grey(photo: Photo) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """The photo in shades of grey, as large as the finder sees it."""
    factor = LONG_SIDES[0] / max(photo.width, photo.height)
    pixels, _ = photo.scaled(factor)
    pixels, _ = shrink(pixels, min(1.0, LONG_SIDES[0] / max(pixels.shape[:2])))
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), np.float32)


def _light(photo: Photo) -> tuple[str, str] | None:
    grey = _grey(photo)
    if grey.mean() < DARK:
        return "it is too dark", "turn on a lamp, or let the camera expose for longer"
    if grey.mean() > BRIGHT:
        return "it is nearly white all over", "take it with less light, and without the flash"
    if grey.std() < PLAIN:
        return "all of it has one colour", "check that it is the photo you meant"
    return None


def _tiles(observations: Sequence[GridObservation]) -> tuple[str, str] | None:
    """What is missing where tiles, or a castle, were seen."""
    if with_castle := [observation for observation in observations if observation.castle > 0.5]:
        if all(observation.plain.sum() <= MIN_KINGDOM_SQUARES for observation in with_castle):
            return (
                "a castle was seen, but hardly any tiles that join it",
                f"take all of the kingdom, from above; {BY_HAND}",
            )
        hint = f"lay kingdoms on a plain surface, away from other dominoes; {BY_HAND}"
        return "what looks like a castle lies in a pattern, or beside a line of dominoes", hint
    tiles = round(max((observation.tiles for observation in observations), default=0.0))
    if tiles <= LEAST_TILES:
        return None
    hint = f"every kingdom has a castle or a starting tile: take it in, and nothing that hides it; {BY_HAND}"
    return f"{tiles} tiles lie together, but no castle was seen among them", hint


def _sharpness(photo: Photo) -> tuple[str, str] | None:
    grey = _grey(photo)
    fine = grey - cv2.GaussianBlur(grey, (0, 0), 1.5)
    if fine.std() > BLURRED * grey.std():
        return None
    return "it is blurred", "hold the camera still, tap on the tiles to focus, and use more light"


def _nothing(photo: Photo, observations: Sequence[GridObservation]) -> tuple[str, str]:
    if max(photo.width, photo.height) < FEW_PIXELS:
        return "it has too few pixels", "send the photo as the camera took it, not a preview; a square needs 20 pixels"
    seen = (
        "some squares were seen, but they show no tiles" if observations else "nothing in it looks like a square tile"
    )
    return seen, f"go nearer, and take it from above, sharp, with all of the kingdom; {BY_HAND}"
