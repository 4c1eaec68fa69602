"""Grids: the places of one kingdom in a photo, upright, each with its corners, bent as the tiles lie."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.vision.detect.lattice import Lattice
from kdvision.vision.detect.neighbours import Place
from kdvision.vision.networks.detector import Detections, Floats, median


@dataclass(frozen=True, eq=False)
class Grid:
    """One kingdom's places: `quads` (rows, cols, 4, 2), each square's corners from its top left, clockwise, in pixels.

    Row 0 is the top row as the kingdom lies in the upright photo. `evidence` (rows, cols), from 0 to 1, is how much of
    each place the finder takes for a square; `bare` (rows, cols) tells where it is sure that there is none.
    """

    quads: Floats
    evidence: Floats | None = None
    bare: npt.NDArray[np.bool_] | None = None

    @property
    def rows(self) -> int:
        return int(self.quads.shape[0])

    @property
    def cols(self) -> int:
        return int(self.quads.shape[1])

    def quad(self, square: tuple[int, int]) -> Floats:
        """Return one square's corners (4, 2)."""
        return np.asarray(self.quads[square[0], square[1]])

    @property
    def corners(self) -> Floats:
        """Return the whole grid's corners (4, 2): top left, top right, bottom right, bottom left."""
        return np.stack([self.quads[0, 0, 0], self.quads[0, -1, 1], self.quads[-1, -1, 2], self.quads[-1, 0, 3]])

    @cached_property
    def side(self) -> float:
        """Return the side of a typical square in pixels."""
        sides = np.linalg.norm(self.quads - np.roll(self.quads, 1, axis=-2), axis=-1)
        return median(sides)

    @cached_property
    def middles(self) -> Floats:
        """Return the places' middles (rows, cols, 2) in pixels."""
        return np.asarray(self.quads.mean(axis=2))

    def nearest(self, points: Floats) -> npt.NDArray[np.intp]:
        """Return which place lies nearest to each of some points (n, 2): numbers (n,), row by row."""
        return np.asarray(np.linalg.norm(points[:, None] - self.middles.reshape(1, -1, 2), axis=2).argmin(axis=1))

    def places_of(self, points: Floats) -> Floats:
        """Return where points (n, 2) of the photo lie on the grid, in squares from its top left (n, 2).

        Squares are of one size there, however steeply the camera looks down on them.
        """
        there = points.reshape(-1, 1, 2).astype(np.float64)
        return np.asarray(cv2.perspectiveTransform(there, np.linalg.inv(self.homography)).reshape(-1, 2))

    @property
    def homography(self) -> Floats:
        """Return what takes places, (column, row) from the top left, to pixels (3, 3), by the grid's own corners."""
        box = np.array([[0, 0], [self.cols, 0], [self.cols, self.rows], [0, self.rows]], np.float32)
        return np.asarray(cv2.getPerspectiveTransform(box, self.corners.astype(np.float32)))

    def part(self, rows: slice, cols: slice) -> Grid:
        """Return some of the rows and columns."""
        evidence = None if self.evidence is None else self.evidence[rows, cols]
        return Grid(self.quads[rows, cols], evidence, None if self.bare is None else self.bare[rows, cols])


def build_grid(
    lattice: Lattice,
    squares: Detections,
    *,
    rim: int = 1,
    bare: Collection[Place] = (),
) -> Grid:
    """Return the lattice's grid with a rim of table, its rows and columns as they lie in the upright photo.

    `bare` are places (column, row) of which the finder is sure that they are none.
    """
    left, top, right, bottom = lattice.bounds()
    grid = warp_grid(lattice, squares, (left - rim, top - rim, right + rim, bottom + rim))
    sure = [[(col, row) in bare for col in range(left - rim, right + rim)] for row in range(top - rim, bottom + rim)]
    return _uprighted(Grid(grid.quads, grid.evidence, np.array(sure)))


def warp_grid(lattice: Lattice, squares: Detections, bounds: tuple[int, int, int, int]) -> Grid:
    """Return the grid of the lattice's columns and rows within `bounds` (left, top, right, bottom), not turned.

    Each place is bent by how far its own and the neighbouring squares lie off the fit.
    """
    left, top, right, bottom = bounds
    cols, rows = np.arange(left, right), np.arange(top, bottom)
    bend, evidence = _bend(lattice, squares, cols, rows)
    box = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    places = np.stack(np.meshgrid(cols, rows), -1).astype(float)
    board = places[:, :, None, :] + box + bend[:, :, None, :]
    return Grid(cv2.perspectiveTransform(board.reshape(1, -1, 2), lattice.matrix).reshape(board.shape), evidence)


def _bend(
    lattice: Lattice, squares: Detections, cols: npt.NDArray[np.int64], rows: npt.NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """Return each place's shift (rows, cols, 2) in squares and the finder's evidence (rows, cols)."""
    off = np.zeros((len(rows), len(cols), 2))
    known = np.zeros((len(rows), len(cols)))
    back = np.linalg.inv(lattice.matrix)
    for (col, row), index in lattice.members.items():
        seen = cv2.perspectiveTransform(squares.centre[index].reshape(1, 1, 2), back)[0, 0]
        here = (row - rows[0], col - cols[0])
        off[here] = np.clip(seen - (col + 0.5, row + 0.5), -0.3, 0.3)
        known[here] = squares.score[index]
    kernel = np.array([[0.15, 0.3, 0.15], [0.3, 1.5, 0.3], [0.15, 0.3, 0.15]])
    total = cv2.filter2D(off * known[..., None], -1, kernel, borderType=cv2.BORDER_CONSTANT)
    weight = cv2.filter2D(known, -1, kernel, borderType=cv2.BORDER_CONSTANT)
    return total / np.maximum(weight, 0.3)[..., None], known


def _uprighted(grid: Grid) -> Grid:
    """Turn rows and columns by quarters until columns run rightwards in the photo."""
    quads = grid.quads
    along, down = (quads[:, :, 1] - quads[:, :, 0]).mean((0, 1)), (quads[:, :, 3] - quads[:, :, 0]).mean((0, 1))
    turn = int(np.round(np.arctan2(along[1] - down[0], along[0] + down[1]) / (np.pi / 2))) % 4
    # columns that run down the photo (turn 1) become rows: np.rot90 clockwise, and each square's corners follow
    turned = np.rot90(quads, -turn, (0, 1))
    evidence = None if grid.evidence is None else np.ascontiguousarray(np.rot90(grid.evidence, -turn))
    bare = None if grid.bare is None else np.ascontiguousarray(np.rot90(grid.bare, -turn))
    return Grid(np.ascontiguousarray(np.roll(turned, turn, axis=2)), evidence, bare)
