"""Diagnosis of photos without a kingdom: the most likely reason, and what to change in the photo."""

from collections.abc import Sequence
from typing import Final

import cv2

from kdvision.errors import OUTLINE_HINT, NoKingdomFound
from kdvision.vision.classify.observation import P_PRESENT, GridObservation
from kdvision.vision.detect.lattice import MIN_KINGDOM_SQUARES
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.detector import FINE_LONG_SIDE_PIXELS

COLOUR_HINT: Final = "send it in colour, terrains look alike in grey"

Reason = tuple[str, str]
"""Why no kingdom was found, and what to do."""


def make_no_kingdom_error(photo: Photo, observations: Sequence[GridObservation]) -> NoKingdomFound:
    """Return the error for a photo without a kingdom."""
    if photo.warnings:
        reason, hint = "its file is damaged", "copy or send the photo again"
    else:
        reason, hint = _diagnose_picture(photo) or _diagnose_observations(photo, observations)
    return NoKingdomFound(f"{photo.name} shows no kingdom: {reason}", hint=hint)


def lacks_colours(photo: Photo) -> bool:
    """Return True if a photo is grey or sepia; dark photos have few colours, too, but mostly enough.

    The colours a* and b* (CIE L*a*b*, 8 bits) deviate by 4.4 or more in photos of tables, by 1.1 in sepia.
    """
    darkest_mean, min_deviation = 28, 2.0
    lab = cv2.cvtColor(photo.resize(FINE_LONG_SIDE_PIXELS // 2), cv2.COLOR_RGB2LAB)
    mean, deviation = cv2.meanStdDev(lab)  # quicker than numpy on integers, and every photo is measured
    return bool(mean[0, 0] >= darkest_mean and deviation[1:].max() < min_deviation)


def _diagnose_picture(photo: Photo) -> Reason | None:
    """Return what is wrong with light, colours or sharpness, by grey values (0 to 255) at the detector's finest scale.

    `skimage.measure.blur_effect` (Crété-Roffet et al., 2007) is at most 0.454 on 63 sharp photos, and at least 0.479 on
    the same ones under a Gaussian blur of 1/250 of the longer side.
    """
    from skimage.exposure import is_low_contrast
    from skimage.measure import blur_effect

    darkest_mean, brightest_mean, min_contrast_share, max_blur = 28, 235, 0.1, 0.47
    pixels = photo.resize(min(FINE_LONG_SIDE_PIXELS, max(photo.width, photo.height)))
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    if grey.mean() < darkest_mean:
        return "it is too dark", "turn on a lamp, or let the camera expose for longer"
    if grey.mean() > brightest_mean:
        return "it is nearly white all over", "take it with less light, and without the flash"
    if is_low_contrast(grey, fraction_threshold=min_contrast_share):
        return "all of it has one colour", "check that it is the photo you meant"
    if lacks_colours(photo):
        return "it has no colours", COLOUR_HINT
    if blur_effect(grey) > max_blur:
        return "it is blurred", "hold the camera still, tap on the tiles to focus, and use more light"
    return None


def _diagnose_observations(photo: Photo, observations: Sequence[GridObservation]) -> Reason:
    """Return what is missing beside the tiles or the castle that were found, if any."""
    if with_castle := [observation for observation in observations if observation.max_castle_probability > P_PRESENT]:
        if all(observation.is_confident.sum() <= MIN_KINGDOM_SQUARES for observation in with_castle):
            hint = f"take all of the kingdom, from above; {OUTLINE_HINT}"
            return "a castle was found, but hardly any tiles that join it", hint
        hint = f"lay kingdoms on a plain surface, away from other dominoes; {OUTLINE_HINT}"
        return "what looks like a castle lies in a pattern, or beside a row of dominoes", hint
    tiles = round(max((observation.expected_tiles for observation in observations), default=0.0))
    if tiles >= MIN_KINGDOM_SQUARES:
        hint = f"show the castle or starting tile, and nothing that hides it; {OUTLINE_HINT}"
        return f"{tiles} tiles lie together, but no castle was found among them", hint
    usual_long_side_pixels = 400
    if max(photo.width, photo.height) < usual_long_side_pixels:
        return "it has too few pixels", "send the photo as the camera took it, not a preview; a square needs 20 pixels"
    reason = "its squares show no tiles" if observations else "nothing in it looks like a square tile"
    return reason, f"go nearer, and take it from above, sharp, with all of the kingdom; {OUTLINE_HINT}"
