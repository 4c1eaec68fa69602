"""Grids from outlines drawn by hand: the detector counts the squares inside and corrects the corners."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Final

import numpy as np

from kdvision.game.legality import MAX_SIDE
from kdvision.vision.detect.grid import Grid, warp_grid
from kdvision.vision.detect.hypothesis import LatticeHypothesis
from kdvision.vision.detect.lattice import MIN_KINGDOM_SQUARES, Lattice
from kdvision.vision.detect.outline import KingdomOutline
from kdvision.vision.detect.refine import RECTIFIED_SIDE_PIXELS, detect_rectified, rectify
from kdvision.vision.geometry import Floats
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.cells import CellClassifier, log_softmax
from kdvision.vision.networks.detector import Detections, SquareDetector

MAX_CORRECTION_SIDES: Final = 0.45
"""Distance by which the detector may move a corner."""
NEUTRAL_SCORE: Final = 0.5
"""Detector score of cells where it found nothing: no evidence either way."""
RECTIFIED_SIZES_CELLS: Final = (6, 10)
"""Sizes at which the inside of an outline is searched for squares."""
POSITION_TOLERANCE: Final = 0.15
SIZE_TOLERANCE: Final = 0.2
"""Offsets, in cells and as a logarithm, at which a square's agreement with a division drops to 1/e."""


def build_grids(
    photo: Photo,
    detector: SquareDetector,
    classifier: CellClassifier,
    outlines: Sequence[KingdomOutline | Sequence[Sequence[float]]],
) -> list[Grid]:
    """Return a grid for each outline, rows and columns as drawn; raise NotationError for an impossible outline."""
    checked = [KingdomOutline.of(outline) for outline in outlines]
    for outline in checked:
        outline.check(photo)
    return [_build_grid(photo, detector, classifier, outline) for outline in checked]


def _build_grid(photo: Photo, detector: SquareDetector, classifier: CellClassifier, outline: KingdomOutline) -> Grid:
    """Return the grid of one outline, corrected by the detections inside if these agree with the drawing."""
    if outline.rows is None or outline.cols is None:
        rows, cols = estimate_size(photo, detector, classifier, outline)
    else:
        rows, cols = outline.rows, outline.cols
    drawn, bounds = Lattice({}, outline.compute_matrix(rows, cols)), (0, 0, cols, rows)
    found = _keep_inside(detect_rectified(photo, detector, drawn, (-1, -1, cols + 1, rows + 1)), rows, cols)
    if found is None:
        grid = warp_grid(drawn, Detections.empty(), bounds)
        return Grid(grid.quads, np.full((rows, cols), NEUTRAL_SCORE))
    corrected = warp_grid(found.lattice, found.squares, bounds)
    correction = np.linalg.norm(corrected.corners - np.array(outline.corners), axis=1).max()
    along, down = outline.sides
    if correction < MAX_CORRECTION_SIDES * min(along / cols, down / rows):
        return corrected
    return warp_grid(Lattice(found.lattice.members, drawn.matrix), found.squares, bounds)


def _keep_inside(found: LatticeHypothesis | None, rows: int, cols: int) -> LatticeHypothesis | None:
    """Return the hypothesis without squares outside the outline; None if too little is left."""
    if found is None:
        return None
    inside = {(c, r): index for (c, r), index in found.lattice.members.items() if 0 <= c < cols and 0 <= r < rows}
    if len(inside) < MIN_KINGDOM_SQUARES:
        return None
    return LatticeHypothesis(Lattice(inside, found.lattice.matrix), found.squares)


def estimate_size(
    photo: Photo, detector: SquareDetector, classifier: CellClassifier, outline: KingdomOutline
) -> tuple[int, int]:
    """Return the rows and columns inside an outline, from the detections, else from the most certain cells."""
    found = _detect_inside(photo, detector, outline)
    if len(found) >= MIN_KINGDOM_SQUARES:
        width, height = (1 / max(float(np.median(extent)), 1e-3) for extent in _measure_extents(found))
        return max(product(_round_both(height), _round_both(width)), key=lambda size: measure_agreement(found, *size))
    return max(outline.iterate_sizes(), key=lambda size: _measure_certainty(photo, classifier, outline, *size))


def _detect_inside(photo: Photo, detector: SquareDetector, outline: KingdomOutline) -> Detections:
    """Return the squares inside the outline, rectified to a unit square, at the better of two scales."""
    scales = []
    for cells in RECTIFIED_SIZES_CELLS:
        rectified, _ = rectify(photo, outline.compute_matrix(cells, cells), (0, 0, cells, cells))
        unit = 1 / (cells * RECTIFIED_SIDE_PIXELS)
        scales.append(detector.detect(rectified).transform(np.diag([unit, unit, 1.0])))
    return max(scales, key=lambda found: float((found.score**2 * found.side**2).sum()))


def _measure_extents(found: Detections) -> tuple[Floats, Floats]:
    """Return widths and heights (n,) of axis-aligned squares, whichever of their axes is called u."""
    u, v = np.abs(found.axis_u), np.abs(found.axis_v)
    straight = u[:, 0] > v[:, 0]
    return 2 * np.where(straight, u[:, 0], v[:, 0]), 2 * np.where(straight, v[:, 1], u[:, 1])


def _round_both(count: float) -> list[int]:
    """Return the possible numbers of squares next to a fraction."""
    return [n for n in range(1, MAX_SIDE + 1) if abs(n - count) <= 1] or [int(np.clip(round(count), 1, MAX_SIDE))]


def measure_agreement(found: Detections, rows: int, cols: int) -> float:
    """Return how well squares in a unit square fit its division into rows and columns, weighted by score."""
    width, height = _measure_extents(found)
    position = found.centre * (cols, rows) - 0.5
    offset = np.abs(position - np.round(position)).max(axis=1)
    stretch = np.maximum(np.abs(np.log(width * cols)), np.abs(np.log(height * rows)))
    agreement = np.exp(-((offset / POSITION_TOLERANCE) ** 2) - (stretch / SIZE_TOLERANCE) ** 2)
    return float((found.score * agreement).sum())


def _measure_certainty(
    photo: Photo, classifier: CellClassifier, outline: KingdomOutline, rows: int, cols: int
) -> float:
    """Return the classifier's mean log-probability per cell of a division; it is low across two tiles."""
    grid = warp_grid(Lattice({}, outline.compute_matrix(rows, cols)), Detections.empty(), (0, 0, cols, rows))
    predicted = classifier.classify(photo, grid.quads.reshape(-1, 4, 2), turns=1)
    presence = log_softmax(np.stack([predicted.presence, np.zeros_like(predicted.presence)], axis=-1))[:, 0]
    return float((predicted.kind.max(axis=1) + presence + predicted.partner.max(axis=1)).mean())
