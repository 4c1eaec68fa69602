"""A picture of each stage between a photo and its boards, to find out where a reading went wrong."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from kdvision.report.overlay import AMBER, MAX_OVERLAY_SIDE, draw_label, shrink_quad
from kdvision.report.symbols import DARK, LIGHT, Colour, draw_lines
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.detect.grid import build_grid
from kdvision.vision.detect.hypothesis import LatticeHypothesis
from kdvision.vision.detect.search import suppress_overlapping
from kdvision.vision.geometry import UNIT_SQUARE, apply_homography
from kdvision.vision.image.photo import Photo
from kdvision.vision.image.srgb import Pixels
from kdvision.vision.networks.detector import Detections

MIN_UNLABELLED_PROBABILITY: Final = 0.95
"""Cells that are empty with at least this probability get no label."""
MIN_CERTAIN_PROBABILITY: Final = 0.9
"""Labels of less probable contents are amber."""

GREEN: Final[Colour] = (60, 220, 90)
SCALE_COLOURS: Final[tuple[Colour, ...]] = ((255, 80, 160), (80, 220, 255), (255, 220, 60))
"""Colours of the detections at each scale, the finest first."""


def draw_stage(stage: str, output: Any, photo: Photo) -> Pixels | None:
    """Return the picture (height, width, 3) of the output of one stage; None for stages without a picture."""
    if stage not in _DRAW:
        return None
    pixels = photo.resize(min(MAX_OVERLAY_SIDE, max(photo.width, photo.height)))
    caption = _DRAW[stage](output, pixels, pixels.shape[1] / photo.width)
    draw_label(pixels, np.zeros(2), caption, max(pixels.shape) / 60, LIGHT, DARK)
    return pixels


# Each function draws on a picture with `scale` pixels for each pixel of the photo, and returns the caption.


def _draw_detections(scales: Sequence[Detections], pixels: Pixels, scale: float) -> str:
    """Draw all detections, one colour for each scale; the more certain, the thicker the line."""
    for detections, colour in reversed(list(zip(scales, SCALE_COLOURS, strict=False))):
        for quad, score in zip(detections.corners, detections.score, strict=True):
            draw_lines(pixels, [shrink_quad(quad, 0.9) * scale], colour, 1 + 2.5 * float(score), is_closed=True)
    counts = ", ".join(str(len(detections)) for detections in scales)
    return f"squares detected at each scale, the finest first: {counts}"


def _draw_lattices(hypotheses: Sequence[LatticeHypothesis], pixels: Pixels, scale: float) -> str:
    """Draw all refined lattices: in green those that no better one overlaps, the others in amber below them."""
    best = suppress_overlapping(hypotheses)
    for hypothesis in sorted(hypotheses, key=lambda hypothesis: hypothesis in best):
        is_best = hypothesis in best
        width = 0.06 * build_grid(hypothesis).side_pixels * scale if is_best else 1.0
        quads = apply_homography(hypothesis.matrix, hypothesis.places[:, None] + UNIT_SQUARE) * scale
        draw_lines(pixels, quads, GREEN if is_best else AMBER, width, is_closed=True)
    return f"lattices refined: {len(hypotheses)}, without a better one over them: {len(best)}"


def _draw_cells(observations: Sequence[GridObservation], pixels: Pixels, scale: float) -> str:
    """Draw all cells with their likeliest contents: tiles in green, empty cells with a thin line."""
    cells = [
        (observation.grid, place, *observation.probabilities.find_likeliest(place))
        for observation in observations
        for place in np.ndindex(observation.grid.rows, observation.grid.cols)
    ]
    for grid, place, kind, _ in cells:
        quad, is_tile = shrink_quad(grid.quads[place], 0.94), kind != "."
        draw_lines(pixels, [quad * scale], GREEN if is_tile else LIGHT, 2 if is_tile else 1, is_closed=True)
    for grid, place, kind, probability in cells:
        if kind != "." or probability < MIN_UNLABELLED_PROBABILITY:
            centre = grid.centres[place] * scale
            colour = LIGHT if probability > MIN_CERTAIN_PROBABILITY else AMBER
            draw_label(pixels, centre, f"{kind} {100 * probability:.0f}", grid.side_pixels * scale * 0.2, colour, DARK)
    return "contents of each cell, in %, before the decision" if observations else "no grid found"


_DRAW: Final[dict[str, Callable[[Any, Pixels, float], str]]] = {
    "photo": lambda photo, _pixels, _scale: f"{photo.width} x {photo.height} pixels, upright",
    "squares": _draw_detections,
    "lattices": _draw_lattices,
    "cells": _draw_cells,
}
STAGES: Final = (*_DRAW, "board")
"""The stages with a picture, by the names that `kdvision.read` gives to its `watch`. The board's is the overlay."""
