"""A picture of each stage between a photo and its boards, to find out where a reading went wrong."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from kdvision.report.overlay import AMBER, MAX_OVERLAY_SIDE, draw_label, draw_line, shrink_quad
from kdvision.report.symbols import DARK, LIGHT, Colour, Pixels, Points
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.detect.grid import build_grid
from kdvision.vision.detect.search import SearchResult
from kdvision.vision.geometry import UNIT_SQUARE, apply_homography
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.detector import Detections

STAGES: Final = ("photo", "squares", "lattices", "cells", "board")
"""The stages with a picture, by the names that `kdvision.read` gives to its `watch`. The board's is the overlay."""
MIN_UNLABELLED_PROBABILITY: Final = 0.95
"""Cells that are empty with at least this probability get no label."""
MIN_CERTAIN_PROBABILITY: Final = 0.9
"""Labels of less probable contents are amber."""

GREEN: Final[Colour] = (60, 220, 90)
SCALE_COLOURS: Final[tuple[Colour, ...]] = ((255, 80, 160), (80, 220, 255), (255, 220, 60))
"""Colours of the detections at each scale, the finest first."""


@dataclass(frozen=True)
class _Canvas:
    """A photo to draw on; `scale` is pixels of the picture for each pixel of the photo."""

    pixels: Pixels
    scale: float

    @classmethod
    def from_photo(cls, photo: Photo) -> "_Canvas":
        pixels = photo.resize(min(MAX_OVERLAY_SIDE, max(photo.width, photo.height)))
        return cls(pixels, pixels.shape[1] / photo.width)

    def draw_quad(self, quad: Points, colour: Colour, width: float) -> None:
        draw_line(self.pixels, quad * self.scale, colour, width, closed=True)

    def add_caption(self, words: str) -> Pixels:
        """The picture with words in its top left corner."""
        draw_label(self.pixels, np.array([0.0, 0.0]), words, max(self.pixels.shape) / 60, LIGHT, DARK)
        return self.pixels


def draw_stage(stage: str, output: Any, photo: Photo) -> Pixels | None:
    """The picture (height, width, 3) of the output of one stage; None for stages without a picture."""
    functions: dict[str, Callable[[Any, _Canvas], Pixels]] = {
        "photo": _draw_photo,
        "squares": _draw_detections,
        "lattices": _draw_lattices,
        "cells": _draw_cells,
    }
    return functions[stage](output, _Canvas.from_photo(photo)) if stage in functions else None


def _draw_photo(photo: Photo, canvas: _Canvas) -> Pixels:
    return canvas.add_caption(f"{photo.width} x {photo.height} pixels, upright")


def _draw_detections(scales: Sequence[Detections], canvas: _Canvas) -> Pixels:
    """All detections, one colour for each scale; the more certain, the thicker the line."""
    for detections, colour in reversed(list(zip(scales, SCALE_COLOURS, strict=False))):
        for quad, score in zip(detections.corners, detections.score, strict=True):
            canvas.draw_quad(shrink_quad(quad, 0.9), colour, 1 + 2.5 * float(score))
    counts = ", ".join(str(len(detections)) for detections in scales)
    return canvas.add_caption(f"squares detected at each scale, the finest first: {counts}")


def _draw_lattices(result: SearchResult, canvas: _Canvas) -> Pixels:
    """All refined lattices: those accepted in green, the others in amber."""
    for hypothesis in sorted(result.hypotheses, key=lambda one: one in result.best_hypotheses):
        accepted = hypothesis in result.best_hypotheses
        width = 0.06 * build_grid(hypothesis).side * canvas.scale if accepted else 1.0
        places = hypothesis.places
        for quad in apply_homography(hypothesis.matrix, places[:, None] + UNIT_SQUARE):
            canvas.draw_quad(quad, GREEN if accepted else AMBER, width)
    return canvas.add_caption(f"lattices refined: {len(result.hypotheses)}, accepted: {len(result.best_hypotheses)}")


def _draw_cells(observations: Sequence[GridObservation], canvas: _Canvas) -> Pixels:
    """All cells with their likeliest contents before the decision: tiles in green, empty cells with a thin line."""
    for observation in observations:
        for place in np.ndindex(observation.grid.rows, observation.grid.cols):
            is_tile = observation.reading.likeliest(place)[0] != "."
            quad = shrink_quad(observation.grid.quad(place), 0.94)
            canvas.draw_quad(quad, GREEN if is_tile else LIGHT, 2 if is_tile else 1)
    for observation in observations:
        size = observation.grid.side * canvas.scale * 0.2
        for place in np.ndindex(observation.grid.rows, observation.grid.cols):
            kind, probability = observation.reading.likeliest(place)
            if kind != "." or probability < MIN_UNLABELLED_PROBABILITY:
                centre = observation.grid.quad(place).mean(axis=0) * canvas.scale
                colour = LIGHT if probability > MIN_CERTAIN_PROBABILITY else AMBER
                draw_label(canvas.pixels, centre, f"{kind} {100 * probability:.0f}", size, colour, DARK)
    words = "contents of each cell, in %, before the decision" if observations else "no grid found"
    return canvas.add_caption(words)
