"""Cell grids: the quadrilateral of every cell of one kingdom in a photo, warped to where the tiles lie."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.vision.detect.lattice import Lattice
from kdvision.vision.detect.neighbours import Place
from kdvision.vision.geometry import UNIT_SQUARE, Floats, Mask, apply_homography, compute_median, compute_side_lengths
from kdvision.vision.networks.detector import Detections

RIM_CELLS: Final = 1
"""Cells of table around the tiles."""
MAX_WARP_SIDES: Final = 0.3
"""A tile may lie this far from its place on the lattice."""
_SMOOTHING: Final = np.array([[0.15, 0.3, 0.15], [0.3, 1.5, 0.3], [0.15, 0.3, 0.15]])
_MIN_SMOOTHING_WEIGHT: Final = 0.3


@dataclass(frozen=True, eq=False)
class Grid:
    """The cells of one kingdom: `quads` (rows, cols, 4, 2), corners clockwise from the top left, in pixels.

    Row 0 is the top row in the upright photo. `evidence` (rows, cols), from 0 to 1, is the detector's score of each
    cell; `is_empty` (rows, cols) is true where the detector is certain that there is no square.
    """

    quads: Floats
    evidence: Floats | None = None
    is_empty: Mask | None = None

    @property
    def rows(self) -> int:
        return int(self.quads.shape[0])

    @property
    def cols(self) -> int:
        return int(self.quads.shape[1])

    def quad(self, square: tuple[int, int]) -> Floats:
        """Return the corners (4, 2) of one cell."""
        return np.asarray(self.quads[square[0], square[1]])

    @property
    def corners(self) -> Floats:
        """The corners (4, 2) of the whole grid: top left, top right, bottom right, bottom left."""
        return np.stack([self.quads[0, 0, 0], self.quads[0, -1, 1], self.quads[-1, -1, 2], self.quads[-1, 0, 3]])

    @cached_property
    def side(self) -> float:
        """The median side of a cell in pixels."""
        return compute_median(compute_side_lengths(self.quads))

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
        box = np.array([[0, 0], [self.cols, 0], [self.cols, self.rows], [0, self.rows]], np.float32)
        return np.asarray(cv2.getPerspectiveTransform(box, self.corners.astype(np.float32)))

    def crop(self, rows: slice, cols: slice) -> Grid:
        """Return the grid of some rows and columns."""
        evidence = None if self.evidence is None else self.evidence[rows, cols]
        return Grid(self.quads[rows, cols], evidence, None if self.is_empty is None else self.is_empty[rows, cols])


def build_grid(lattice: Lattice, squares: Detections, *, rim: int = RIM_CELLS, empty: Collection[Place] = ()) -> Grid:
    """Return the lattice's grid with a rim of cells, rows and columns as in the upright photo.

    `empty` are places (column, row) where the detector is certain that there is no square.
    """
    left, top, right, bottom = lattice.compute_bounds()
    grid = warp_grid(lattice, squares, (left - rim, top - rim, right + rim, bottom + rim))
    is_empty = [
        [(col, row) in empty for col in range(left - rim, right + rim)] for row in range(top - rim, bottom + rim)
    ]
    return _turn_upright(Grid(grid.quads, grid.evidence, np.array(is_empty)))


def warp_grid(lattice: Lattice, squares: Detections, bounds: tuple[int, int, int, int]) -> Grid:
    """Return the grid of the columns and rows within `bounds` (left, top, right, bottom), in the lattice's direction.

    Each cell is shifted by the smoothed residuals of the detections on it and around it.
    """
    left, top, right, bottom = bounds
    cols, rows = np.arange(left, right), np.arange(top, bottom)
    shift, evidence = _smooth_residuals(lattice, squares, cols, rows)
    places = np.stack(np.meshgrid(cols, rows), -1).astype(float)
    return Grid(apply_homography(lattice.matrix, (places + shift)[:, :, None, :] + UNIT_SQUARE), evidence)


def _smooth_residuals(
    lattice: Lattice, squares: Detections, cols: npt.NDArray[np.int64], rows: npt.NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """Return the shift (rows, cols, 2) of each cell, in cells, and the detector's scores (rows, cols)."""
    residual, score = np.zeros((len(rows), len(cols), 2)), np.zeros((len(rows), len(cols)))
    inverse = np.linalg.inv(lattice.matrix)
    for (col, row), index in lattice.members.items():
        offset = apply_homography(inverse, squares.centre[index]) - (col + 0.5, row + 0.5)
        cell = (row - rows[0], col - cols[0])
        residual[cell] = np.clip(offset, -MAX_WARP_SIDES, MAX_WARP_SIDES)
        score[cell] = squares.score[index]
    total = cv2.filter2D(residual * score[..., None], -1, _SMOOTHING, borderType=cv2.BORDER_CONSTANT)
    weight = cv2.filter2D(score, -1, _SMOOTHING, borderType=cv2.BORDER_CONSTANT)
    return total / np.maximum(weight, _MIN_SMOOTHING_WEIGHT)[..., None], score


def _turn_upright(grid: Grid) -> Grid:
    """Return the grid rotated by quarters so that columns run rightwards in the photo."""
    quads = grid.quads
    along, down = (quads[:, :, 1] - quads[:, :, 0]).mean((0, 1)), (quads[:, :, 3] - quads[:, :, 0]).mean((0, 1))
    turn = int(np.round(np.arctan2(along[1] - down[0], along[0] + down[1]) / (np.pi / 2))) % 4

    def rotate(values: npt.NDArray[np.generic] | None) -> npt.NDArray[np.generic] | None:
        return None if values is None else np.ascontiguousarray(np.rot90(values, -turn))

    turned = np.roll(np.rot90(quads, -turn, (0, 1)), turn, axis=2)  # the corners of each cell follow
    return Grid(np.ascontiguousarray(turned), rotate(grid.evidence), rotate(grid.is_empty))  # type: ignore[arg-type]
