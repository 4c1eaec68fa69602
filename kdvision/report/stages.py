"""A picture of each stage between a photo and its boards, for finding out where a reading went wrong.

Pictures are at most 1600 pixels long; what is drawn into them is scaled along.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from PIL import Image, ImageDraw

from kdvision.report.drawing import AMBER, DARK, LIGHT, Colour, Pixels, Points, draw_label, draw_line, shrink_quad
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.detect.hypothesis import LatticeHypothesis
from kdvision.vision.detect.search import SearchResult
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.detector import Detections, shrink

LONGEST: Final = 1600
"""The longer side of the pictures, in pixels."""
STAGES: Final = ("photo", "squares", "lattices", "cells", "board")
"""The stages that have a picture, as `kdvision.read` tells them to its `watch`; the board's is the overlay."""

GREEN: Final[Colour] = (60, 220, 90)
LOOKS: Final[tuple[Colour, ...]] = ((255, 80, 160), (80, 220, 255), (255, 220, 60))
"""The colours of the finder's looks, the finest first."""

_BOX: Final = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])


@dataclass(frozen=True)
class _Sheet:
    """A photo to draw on: its pixels, and how many of them one pixel of the photo is."""

    canvas: Pixels
    scale: float

    @classmethod
    def of(cls, photo: Photo) -> "_Sheet":
        pixels = shrink_to_fit(photo.scaled(LONGEST / max(photo.height, photo.width))[0])
        return cls(pixels, pixels.shape[1] / photo.width)

    def outline(self, quad: Points, colour: Colour, width: float) -> None:
        draw_line(self.canvas, quad * self.scale, colour, width, closed=True)

    def captioned(self, words: str) -> Pixels:
        """The picture with words in its top left corner."""
        image = Image.fromarray(self.canvas)
        size = max(self.canvas.shape) / 60
        draw_label(ImageDraw.Draw(image), np.array([0.0, 0.0]), words, size, LIGHT, DARK)
        return np.array(image)


def draw_stage(stage: str, made: Any, photo: Photo) -> Pixels | None:
    """The picture (height, width, 3) of what a stage of reading a photo made; None for stages without one."""
    makers: dict[str, Callable[[Any, _Sheet], Pixels]]
    makers = {"photo": _photo, "squares": _squares, "lattices": _lattices, "cells": _cells}
    return makers[stage](made, _Sheet.of(photo)) if stage in makers else None


def shrink_to_fit(pixels: Pixels) -> Pixels:
    """A copy of the pixels, no larger than the pictures of stages are."""
    factor = LONGEST / max(pixels.shape[:2])
    return np.array(pixels) if factor >= 1 else shrink(pixels, factor)[0]


def _photo(made: Photo, sheet: _Sheet) -> Pixels:
    return sheet.captioned(f"{made.width} x {made.height} pixels, upright")


def _squares(made: Sequence[Detections], sheet: _Sheet) -> Pixels:
    """Every square seen, the surer the thicker, a colour for each look at the photo."""
    for look, colour in reversed(list(zip(made, LOOKS, strict=False))):
        for quad, score in zip(_quads(look), look.score, strict=True):
            sheet.outline(shrink_quad(quad, 0.9), colour, 1 + 2.5 * float(score))
    counts = ", ".join(str(len(look)) for look in made)
    return sheet.captioned(f"squares seen, look by look, the finest first: {counts}")


def _quads(squares: Detections) -> Points:
    """The corners (n, 4, 2) of squares."""
    return np.asarray(squares.centre[:, None] + _BOX[:, :1] * squares.u[:, None] + _BOX[:, 1:] * squares.v[:, None])


def _lattices(made: SearchResult, sheet: _Sheet) -> Pixels:
    """Every lattice that was looked at twice: those kept in green, their rivals in amber."""
    for candidate in sorted(made.rivals, key=lambda one: one in made.kept):
        kept = candidate in made.kept
        width = 0.06 * candidate.grid.side * sheet.scale if kept else 1.0
        for quad in _places(candidate):
            sheet.outline(quad, GREEN if kept else AMBER, width)
    return sheet.captioned(f"lattices looked at: {len(made.rivals)}, kept: {len(made.kept)}")


def _places(candidate: LatticeHypothesis) -> Points:
    """The corners (n, 4, 2) of a lattice's members, in pixels of the photo."""
    places = np.array(list(candidate.lattice.members), np.float64)
    corners = places[:, None] + (_BOX + 1) / 2
    moved = cv2.perspectiveTransform(corners.reshape(1, -1, 2), candidate.lattice.matrix)
    return np.asarray(moved, np.float64).reshape(-1, 4, 2)


def _cells(made: Sequence[GridObservation], sheet: _Sheet) -> Pixels:
    """Every place of every grid with what it was taken for, before anything is decided: tiles green, table thin."""
    for observation in made:
        for place in np.ndindex(observation.grid.rows, observation.grid.cols):
            tile = observation.reading.likeliest(place)[0] != "."
            sheet.outline(shrink_quad(observation.grid.quad(place), 0.94), GREEN if tile else LIGHT, 2 if tile else 1)
    image = Image.fromarray(sheet.canvas)
    pen = ImageDraw.Draw(image)
    for observation in made:
        size = observation.grid.side * sheet.scale * 0.2
        for place in np.ndindex(observation.grid.rows, observation.grid.cols):
            kind, chance = observation.reading.likeliest(place)
            if kind != "." or chance < 0.95:
                middle = observation.grid.quad(place).mean(axis=0) * sheet.scale
                draw_label(pen, middle, f"{kind} {100 * chance:.0f}", size, LIGHT if chance > 0.9 else AMBER, DARK)
    words = "what each place shows, in % (before the box's dominoes are asked)" if made else "no grid, so nothing read"
    return _Sheet(np.array(image), sheet.scale).captioned(words)
