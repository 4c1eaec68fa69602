"""Lattices: seeded growing over the neighbour graph, and the homography that fits a lattice.

The strongest detection claims the neighbours that lie where its axes lead, each of those claims its own, and so on. No
function here looks at pixels.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Final

import cv2
import numpy as np

from kdvision.vision.detect.neighbours import NeighbourGraph, Place, count_quarter_turns, turn_axes
from kdvision.vision.geometry import Floats, Mask, apply_homography, compute_median
from kdvision.vision.networks.detector import Detections

MIN_KINGDOM_SQUARES: Final = 3
"""A castle and one domino."""


def grow_components(squares: Detections, *, among: Mask | None = None) -> list[dict[Place, int]]:
    """Return the connected components of at least MIN_KINGDOM_SQUARES, grown from the strongest detections.

    `among` (n,) limits the detections.
    """
    free = ~find_overlapped(squares) if among is None else among & ~find_overlapped(squares)
    return [members for members in grow_lattices(squares, free) if len(members) >= MIN_KINGDOM_SQUARES]


def grow_lattices(squares: Detections, free: Mask, *, along: Floats | None = None) -> Iterator[dict[Place, int]]:
    """Yield the lattices of the `free` detections (n,), grown from the strongest ones, each from (0, 0) on.

    Columns run along the first axis of this detection, or along that of its axes that comes closest to `along`.
    """
    graph, free = NeighbourGraph(squares, free), free.copy()
    for seed in np.argsort(-squares.score, kind="stable").tolist():
        if free[seed]:
            turn = 0 if along is None else count_quarter_turns(along, squares.axis_u[seed], squares.axis_v[seed])
            members = _grow_lattice(graph, seed, turn, free)
            free[list(members.values())] = False
            yield members


def _grow_lattice(graph: NeighbourGraph, seed: int, turn: int, free: Mask) -> dict[Place, int]:
    """Return the `free` detections reached from a seed at (0, 0), its axes turned by quarters, best links first."""
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


def find_overlapped(squares: Detections, *, max_score_ratio: float = 0.5, max_half_sides: float = 1.4) -> Mask:
    """Return which detections (n,) overlap much stronger ones; halves of two adjacent tiles look like a square.

    Weaker ones have less than `max_score_ratio` of the other's score. Two squares overlap if their centres are closer
    than `max_half_sides` along both axes of one of them; neighbours are 2 apart.
    """
    score, overlapped = squares.score, np.zeros(len(squares), bool)
    weak = np.flatnonzero(score < max_score_ratio * score.max(initial=0))
    if not len(weak):
        return overlapped
    order = np.argsort(-score, kind="stable")
    strong = order[max_score_ratio * score[order] > score.min()]
    right, down = (axis[weak, None] - axis[strong] for axis in squares.centre.T)
    inverse = np.linalg.pinv(np.stack([squares.axis_u[strong], squares.axis_v[strong]], axis=-1))
    along = (np.abs(right * row[:, 0] + down * row[:, 1]) for row in inverse.transpose(1, 0, 2))
    overlap = np.maximum(*along) < max_half_sides
    overlap &= score[weak, None] < max_score_ratio * score[strong]
    for index, covers in zip(strong.tolist(), overlap.T, strict=True):
        if not overlapped[index]:
            overlapped[weak] |= covers
    return overlapped


def fit_homography(squares: Detections, members: dict[Place, int]) -> Floats | None:
    """Return the robust homography (3, 3) from lattice coordinates to pixels; None if there is none.

    Lattice coordinates are (column, row), with corners of squares at integers. Few squares, or a single row, do not
    determine a perspective. There the squares' axes are used and the fit is affine.
    """
    min_projective_squares, max_error_sides = 8, 0.2
    places = np.array(list(members), float) + 0.5
    indices = list(members.values())
    if len(members) >= min_projective_squares and np.ptp(places, axis=0).min() >= 2:
        tolerance = max_error_sides * compute_median(squares.side[indices])
        matrix = _fit_projective(places, squares.centre[indices], tolerance)
    else:
        matrix = _fit_affine(squares, places, indices)
    return matrix if np.isfinite(matrix).all() and abs(np.linalg.det(matrix[:2, :2])) > 1 else None


def _fit_projective(places: Floats, pixels: Floats, tolerance: float) -> Floats:
    """Return the least-squares fit if all errors are below `tolerance` (pixels), else the RANSAC fit.

    RANSAC (Fischler and Bolles, 1981) would find the same inliers and takes longer. OpenCV's samples are deterministic.
    """
    for method in (0, cv2.RANSAC):
        found, _ = cv2.findHomography(places, pixels, method, tolerance, maxIters=2000, confidence=1 - 1e-9)
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
