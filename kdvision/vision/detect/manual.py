"""Grids from outlines drawn by hand: the detector counts the squares inside and corrects the corners."""

from dataclasses import replace
from itertools import product
from math import prod

import numpy as np
from scipy.special import log_expit

from kdvision.game.legality import MAX_SIDE
from kdvision.vision.detect.grid import Grid, compute_quads, place_cells
from kdvision.vision.detect.hypothesis import LatticeHypothesis
from kdvision.vision.detect.lattice import MIN_KINGDOM_SQUARES, Bounds
from kdvision.vision.detect.outline import KingdomOutline
from kdvision.vision.detect.refine import RECTIFIED_SIDE_PIXELS, detect_rectified, rectify
from kdvision.vision.geometry import Floats, fit_rectangle_homography
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.cells import CERTAIN_LOG_ODDS, CellClassifier
from kdvision.vision.networks.detector import Detections, SquareDetector


def build_drawn_grid(
    photo: Photo, detector: SquareDetector, classifier: CellClassifier, outline: KingdomOutline
) -> tuple[Grid, bool]:
    """Return the grid of an outline, rows and columns as drawn, and whether tiles that both networks see lie outside.

    The grid is corrected by the detections inside if these agree with the drawing.
    """
    max_correction_sides, neutral_score, certain_score = 0.45, 0.5, 0.8
    rows, cols = outline.rows, outline.cols
    if rows is None or cols is None:
        rows, cols = estimate_size(photo, detector, classifier, outline)
    matrix, bounds = fit_rectangle_homography(rows, cols, outline.corners), Bounds(0, 0, cols, rows)
    drawn_quads = compute_quads(matrix, bounds)
    detected_lattice = detect_rectified(photo, detector, _make_empty_lattice(matrix), bounds.expand())
    is_inside = np.zeros(0, bool) if detected_lattice is None else bounds.contain(detected_lattice.places)
    if detected_lattice is None or is_inside.sum() < MIN_KINGDOM_SQUARES:
        return Grid(drawn_quads, np.full((rows, cols), neutral_score)), False
    outside_squares = detected_lattice.squares.select(~is_inside & (detected_lattice.squares.score > certain_score))
    misses_tiles = bool((classifier.classify(photo, outside_squares.corners).presence > CERTAIN_LOG_ODDS).any())
    detected_lattice = detected_lattice.select(is_inside)
    corrected_grid = Grid(*place_cells(detected_lattice, bounds))
    correction = np.linalg.norm(corrected_grid.corners - np.array(outline.corners), axis=1).max()
    along, down = outline.sides
    if correction < max_correction_sides * min(along / cols, down / rows):
        return corrected_grid, misses_tiles
    return replace(corrected_grid, quads=drawn_quads), misses_tiles


def _make_empty_lattice(matrix: Floats) -> LatticeHypothesis:
    """Return a lattice with this homography (3, 3) and no detections."""
    no_points, no_places = np.zeros((0, 2)), np.zeros((0, 2), int)
    no_squares = Detections(no_points, no_points, no_points, np.zeros(0))
    return LatticeHypothesis(no_places, no_squares, matrix, no_places)


def estimate_size(
    photo: Photo, detector: SquareDetector, classifier: CellClassifier, outline: KingdomOutline
) -> tuple[int, int]:
    """Return the rows and columns inside an outline, from the detections, else from the most certain cells."""
    agreements = []
    for cells in (6, 10):  # two scales, rectified to a unit square
        picture, _ = rectify(photo, fit_rectangle_homography(cells, cells, outline.corners), Bounds(0, 0, cells, cells))
        unit = 1 / (cells * RECTIFIED_SIDE_PIXELS)
        detections = detector.detect(picture)[0].transform(np.diag([unit, unit, 1.0]))
        if len(detections) >= MIN_KINGDOM_SQUARES:
            sizes = product(range(1, MAX_SIDE + 1), range(1, MAX_SIDE + 1))
            agreement, size = max((measure_agreement(detections, *size), size) for size in sizes)
            agreements.append((agreement / prod(size), size))
    if agreements:
        return max(agreements)[1]

    def measure_certainty(size: tuple[int, int]) -> float:
        """Return the classifier's mean log-probability per cell of a division; it is low across two tiles."""
        rows, cols = size
        quads = compute_quads(fit_rectangle_homography(rows, cols, outline.corners), Bounds(0, 0, cols, rows))
        predictions = classifier.classify(photo, quads.reshape(-1, 4, 2), turns=1)
        log_probs = predictions.kind.max(axis=1) + log_expit(predictions.presence) + predictions.partner.max(axis=1)
        return float(log_probs.mean())

    return max(outline.iterate_sizes(), key=measure_certainty)


def measure_agreement(detections: Detections, rows: int, cols: int) -> float:
    """Return how well squares in a unit square fit its division into rows and columns, weighted by score.

    A square's agreement drops to 1/e at `max_offset` cells from its place, or at `max_log_stretch`.
    """
    max_offset, max_log_stretch = 0.15, 0.2
    position = detections.centre * (cols, rows) - 0.5
    offset = np.abs(position - np.round(position)).max(axis=1)
    # Width and height, whichever axis is u.
    extents = 2 * np.maximum(np.abs(detections.axis_u), np.abs(detections.axis_v))
    stretch = np.abs(np.log(extents * (cols, rows))).max(axis=1)
    agreement = np.exp(-((offset / max_offset) ** 2) - (stretch / max_log_stretch) ** 2)
    return float((detections.score * agreement).sum())
