"""Cell grids: the quadrilateral of every cell of one kingdom in a photo."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kdvision.vision.detect.hypothesis import LatticeHypothesis
from kdvision.vision.detect.lattice import Bounds
from kdvision.vision.geometry import (
    UNIT_SQUARE,
    Floats,
    Mask,
    apply_homography,
    compute_side_lengths,
    fit_rectangle_homography,
)


@dataclass(frozen=True, eq=False)
class Grid:
    """The cells of one kingdom: `quads` (rows, cols, 4, 2), corners clockwise from the top left, in pixels.

    Row 0 is the top row in the upright photo. `scores` (rows, cols), from 0 to 1, are those of the detector for each
    cell; `is_empty` (rows, cols) is true where the detector is certain that there is no square.
    """

    quads: Floats
    scores: Floats | None = None
    is_empty: Mask | None = None

    @property
    def rows(self) -> int:
        return int(self.quads.shape[0])

    @property
    def cols(self) -> int:
        return int(self.quads.shape[1])

    @property
    def corners(self) -> Floats:
        """The corners (4, 2) of the whole grid: top left, top right, bottom right, bottom left."""
        return np.stack([self.quads[0, 0, 0], self.quads[0, -1, 1], self.quads[-1, -1, 2], self.quads[-1, 0, 3]])

    @cached_property
    def side_pixels(self) -> float:
        """The median side of a cell in pixels."""
        return float(np.median(compute_side_lengths(self.quads)))

    @cached_property
    def centres(self) -> Floats:
        """The centres (rows, cols, 2) of the cells in pixels."""
        return np.asarray(self.quads.mean(axis=2))

    def to_grid_coordinates(self, points: Floats) -> Floats:
        """Return points (n, 2) of the photo in cells from the grid's top left; independent of perspective."""
        return apply_homography(np.linalg.inv(self.homography), points)

    @property
    def homography(self) -> Floats:
        """The matrix (3, 3) from grid coordinates (column, row) to pixels, determined by the grid's corners."""
        return fit_rectangle_homography(self.rows, self.cols, self.corners)


def build_grid(hypothesis: LatticeHypothesis) -> Grid:
    """Return the hypothesis' grid with a rim of one cell, rows and columns as in the upright photo."""
    bounds = hypothesis.bounds.expand()
    quads, scores = place_cells(hypothesis, bounds)
    is_empty = np.zeros((bounds.rows, bounds.cols), bool)
    cols, rows = (hypothesis.empty_places[bounds.contain(hypothesis.empty_places)] - bounds[:2]).T
    is_empty[rows, cols] = True
    along, down = ((quads[:, :, corner] - quads[:, :, 0]).mean((0, 1)) for corner in (1, 3))
    # Anticlockwise quarter turns after which columns run rightwards in the photo.
    turns = -int(np.round(np.arctan2(along[1] - down[0], along[0] + down[1]) / (np.pi / 2))) % 4
    quads = np.roll(np.rot90(quads, turns), -turns, axis=2)  # the corners of each cell turn too
    return Grid(np.ascontiguousarray(quads), np.rot90(scores, turns).copy(), np.rot90(is_empty, turns).copy())


def place_cells(hypothesis: LatticeHypothesis, bounds: Bounds) -> tuple[Floats, Floats]:
    """Return the quads of the cells within `bounds`, in the lattice's direction, and the detector's scores."""
    scores = np.zeros((bounds.rows, bounds.cols))
    cols, rows = (hypothesis.places - bounds[:2]).T
    scores[rows, cols] = hypothesis.squares.score
    return compute_quads(hypothesis.matrix, bounds), scores


def compute_quads(matrix: Floats, bounds: Bounds) -> Floats:
    """Return the quads (rows, cols, 4, 2) of the places within `bounds` under a homography (3, 3)."""
    places = np.stack(np.meshgrid(range(bounds.left, bounds.right), range(bounds.top, bounds.bottom)), -1)
    return apply_homography(matrix, places[:, :, None] + UNIT_SQUARE)
