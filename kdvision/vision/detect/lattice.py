"""Lattices: seeded growing over the neighbour graph, and the homography that fits a lattice.

The strongest detection claims the neighbours that lie where its axes lead, each of those claims its own, and so on. No
function here looks at pixels.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from kdvision.vision.detect.neighbours import NeighbourGraph, Place, count_quarter_turns, turn_axes
from kdvision.vision.geometry import Floats, Mask, apply_homography, compute_median
from kdvision.vision.networks.detector import Detections

MIN_KINGDOM_SQUARES: Final = 3
"""A castle and one domino."""
OVERLAP_HALF_SIDES: Final = 1.4
"""Squares whose centres are closer than this, along both axes of one of them, overlap; neighbours are 2 apart."""
MAX_OVERLAP_SCORE_RATIO: Final = 0.5
"""Of two overlapping squares, the one with less than this share of the other's score is suppressed."""
MIN_PROJECTIVE_SQUARES: Final = 8
"""Fewer squares do not determine a perspective."""
MAX_FIT_ERROR_SIDES: Final = 0.2
"""Distance from its place up to which a square is an inlier of the homography."""
_RANSAC_TRIALS: Final = 2000
_RANSAC_CONFIDENCE: Final = 1 - 1e-9


@dataclass(frozen=True)
class Lattice:
    """Connected detections with their places: `members` maps a place to the index of a detection.

    `matrix` (3, 3) takes lattice coordinates (column, row; corners of squares at integers) to pixels of the photo.
    """

    members: dict[Place, int]
    matrix: Floats

    def compute_bounds(self) -> tuple[int, int, int, int]:
        """Return the first column and row, and the ones after the last."""
        places = np.array(list(self.members))
        (left, top), (right, bottom) = places.min(0), places.max(0) + 1
        return int(left), int(top), int(right), int(bottom)


def grow_components(squares: Detections, *, among: Mask | None = None) -> list[dict[Place, int]]:
    """Return the connected components of at least MIN_KINGDOM_SQUARES, grown from the strongest detections.

    `among` (n,) limits the detections.
    """
    free = ~find_overlapped(squares) if among is None else among & ~find_overlapped(squares)
    graph = NeighbourGraph(squares, free)
    components = []
    for seed in np.argsort(-squares.score, kind="stable"):
        if not free[seed]:
            continue
        members = grow_lattice(graph, int(seed), free)
        free[list(members.values())] = False
        if len(members) >= MIN_KINGDOM_SQUARES:
            components.append(members)
    return components


def find_overlapped(squares: Detections) -> Mask:
    """Return which detections (n,) overlap much stronger ones; halves of two adjacent tiles look like a square."""
    score, overlapped = squares.score, np.zeros(len(squares), bool)
    weak = np.flatnonzero(score < MAX_OVERLAP_SCORE_RATIO * score.max(initial=0))
    if not len(weak):
        return overlapped
    order = np.argsort(-score, kind="stable")
    strong = order[MAX_OVERLAP_SCORE_RATIO * score[order] > score.min()]
    right, down = (axis[weak, None] - axis[strong] for axis in squares.centre.T)
    inverse = np.linalg.pinv(np.stack([squares.axis_u[strong], squares.axis_v[strong]], axis=-1))
    along = (np.abs(right * row[:, 0] + down * row[:, 1]) for row in inverse.transpose(1, 0, 2))
    overlap = np.maximum(*along) < OVERLAP_HALF_SIDES
    overlap &= score[weak, None] < MAX_OVERLAP_SCORE_RATIO * score[strong]
    for index, covers in zip(strong.tolist(), overlap.T, strict=True):
        if not overlapped[index]:
            overlapped[weak] |= covers
    return overlapped


def grow_lattice(graph: NeighbourGraph, seed: int, free: Mask, *, turn: int = 0) -> dict[Place, int]:
    """Return the `free` detections reached from a seed at (0, 0), best links first.

    The seed's axes, turned by `turn` quarters, are the directions of columns and rows.
    """
    members: dict[Place, int] = {}
    taken, is_free = set(), free.tolist()  # single look-ups are faster in a list
    queue: list[tuple[float, int, Place, int, int]] = [(0.0, seed, (0, 0), seed, turn)]
    while queue:
        _, index, (col, row), _, quarters = heapq.heappop(queue)
        if index in taken or (col, row) in members:
            continue
        members[col, row] = index
        taken.add(index)
        for gap, near, (dc, dr), turns in graph.iterate_links(index, quarters, is_free):
            if near not in taken:
                heapq.heappush(queue, (gap, near, (col + dc, row + dr), index, turns))
    return members


def fit_homography(squares: Detections, members: dict[Place, int]) -> Floats | None:
    """Return the robust homography (3, 3) from lattice coordinates to pixels; None if there is none.

    Few squares, or a single row, do not determine a perspective. There the squares' axes are used and the fit is
    affine.
    """
    places = np.array(list(members), float) + 0.5
    indices = list(members.values())
    if len(members) >= MIN_PROJECTIVE_SQUARES and np.ptp(places, axis=0).min() >= 2:
        tolerance = MAX_FIT_ERROR_SIDES * compute_median(squares.side[indices])
        matrix = _fit_projective(places, squares.centre[indices], tolerance)
    else:
        matrix = _fit_affine(squares, places, indices)
    return matrix if np.isfinite(matrix).all() and abs(np.linalg.det(matrix[:2, :2])) > 1 else None


def _fit_projective(places: Floats, pixels: Floats, tolerance: float) -> Floats:
    """Return the least-squares fit if all errors are below `tolerance` (pixels), else the RANSAC fit.

    RANSAC (Fischler and Bolles, 1981) would find the same inliers and takes longer. OpenCV's samples are deterministic.
    """
    for method in (0, cv2.RANSAC):
        found, _ = cv2.findHomography(
            places, pixels, method, tolerance, maxIters=_RANSAC_TRIALS, confidence=_RANSAC_CONFIDENCE
        )
        matrix: Floats = np.zeros((3, 3)) if found is None else np.asarray(found, np.float64)
        error = np.linalg.norm(apply_homography(matrix, places) - pixels, axis=1)
        if matrix.any() and error.max() < tolerance:
            break
    return matrix


def _fit_affine(squares: Detections, places: Floats, indices: list[int]) -> Floats:
    board, pixels = [*places], [*squares.centre[indices]]
    offsets, centres = places - places.mean(0), squares.centre[indices]
    # Axes are known up to a quarter turn: take the turn that agrees with the places.
    rough = np.linalg.lstsq(offsets, centres - centres.mean(0), rcond=None)[0].T
    has_columns = np.linalg.matrix_rank(offsets, tol=0.1) == 2 or np.ptp(places[:, 0]) > 0
    guide = rough[:, 0] if has_columns else np.array([rough[1, 1], -rough[0, 1]])
    for place, index in zip(places, indices, strict=True):
        u, v = squares.axis_u[index], squares.axis_v[index]
        u, v = turn_axes(u, v, count_quarter_turns(guide, u, v))
        for axis, step in ((u, (0.5, 0.0)), (v, (0.0, 0.5))):
            board += [place + step, place - step]
            pixels += [squares.centre[index] + axis, squares.centre[index] - axis]
    system = np.column_stack([board, np.ones(len(board))])
    solution = np.linalg.lstsq(system, np.array(pixels), rcond=None)[0].T
    return np.vstack([solution, [0, 0, 1]])
