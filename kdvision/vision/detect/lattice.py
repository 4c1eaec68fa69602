"""From squares to lattices: what hangs together, whichever way it lies, and the homography that it lies under.

Seed and grow: the surest square claims the neighbours that lie where its own axes say, each of those claims its own,
and so on. What hangs together is one lattice, and a homography is fitted to it. Nothing here looks at a picture.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.vision.detect.neighbours import NeighbourGraph, Place, count_quarter_turns, turn_axes
from kdvision.vision.networks.detector import Detections, Floats, median

_TRIALS: Final = 2000
_CONFIDENCE: Final = 1 - 1e-9

OVERLAP_HALF_SIDES: Final = 1.4
"""Squares whose middles are nearer than this, in half-sides of one of them (neighbours: 2), lie across each other."""
MIN_SCORE_RATIO: Final = 0.5
"""Of two squares that lie across each other the one with less than this share of the other's score is none."""
MIN_KINGDOM_SQUARES: Final = 3
"""A castle and one domino: the smallest kingdom."""


@dataclass(frozen=True)
class Lattice:
    """Squares that hang together: each one's place and its index among the squares seen; and the fit.

    `matrix` (3, 3) takes lattice coordinates (column, row; a square's corners at whole numbers) to the photo's pixels.
    """

    members: dict[Place, int]
    matrix: Floats

    def bounds(self) -> tuple[int, int, int, int]:
        """Return the first column and row and the ones behind the last."""
        places = np.array(list(self.members))
        (left, top), (right, bottom) = places.min(0), places.max(0) + 1
        return int(left), int(top), int(right), int(bottom)


def grow_components(squares: Detections, *, among: npt.NDArray[np.bool_] | None = None) -> list[dict[Place, int]]:
    """Return the squares that hang together, the one around the surest square first; too few are left out.

    `among` (n,) are those that are asked about, all of them if none are named.
    """
    free = ~find_overlapped(squares) if among is None else among & ~find_overlapped(squares)
    steps = NeighbourGraph(squares, free)
    found = []
    for seed in np.argsort(-squares.score, kind="stable"):
        if not free[seed]:
            continue
        members = grow_lattice(steps, int(seed), free)
        free[list(members.values())] = False
        if len(members) >= MIN_KINGDOM_SQUARES:
            found.append(members)
    return found


def find_overlapped(squares: Detections) -> npt.NDArray[np.bool_]:
    """Return which squares (n,) lie across surer ones: a half of one tile and a half of the next look like a square."""
    score, shadow = squares.score, np.zeros(len(squares), bool)
    faint = np.flatnonzero(score < MIN_SCORE_RATIO * score.max(initial=0))
    if not len(faint):
        return shadow
    order = np.argsort(-score, kind="stable")
    surer = order[MIN_SCORE_RATIO * score[order] > score.min()]
    right, down = (axis[faint, None] - axis[surer] for axis in squares.centre.T)
    inverse = np.linalg.pinv(np.stack([squares.u[surer], squares.v[surer]], axis=-1))
    along = (np.abs(right * row[:, 0] + down * row[:, 1]) for row in inverse.transpose(1, 0, 2))
    across = (np.maximum(*along) < OVERLAP_HALF_SIDES) & (score[faint, None] < MIN_SCORE_RATIO * score[surer])
    for index, theirs in zip(surer.tolist(), across.T, strict=True):
        if not shadow[index]:
            shadow[faint] |= theirs
    return shadow


def grow_lattice(steps: NeighbourGraph, seed: int, free: npt.NDArray[np.bool_], *, turn: int = 0) -> dict[Place, int]:
    """Return the squares claimed from the seed outwards, the best fitting first, among those that are `free`.

    The seed is at (0, 0); its axes, turned by so many quarters, say where the lattice's columns and rows lead.
    """
    members: dict[Place, int] = {}
    taken, still = set(), free.tolist()  # asked one by one, for which a list is quicker
    claims: list[tuple[float, int, Place, int, int]] = [(0.0, seed, (0, 0), seed, turn)]
    while claims:
        _, index, (col, row), _, quarters = heapq.heappop(claims)
        if index in taken or (col, row) in members:
            continue
        members[col, row] = index
        taken.add(index)
        for apart, near, (dc, dr), turns in steps.claims(index, quarters, still):
            if near not in taken:
                heapq.heappush(claims, (apart, near, (col + dc, row + dr), index, turns))
    return members


def fit_homography(squares: Detections, members: dict[Place, int]) -> Floats | None:
    """Return the homography (3, 3) from the lattice to pixels, robust against wrong members; None where none fits.

    Few squares, or a single row, cannot hold a perspective: there the squares' own axes join in, and it stays affine.
    """
    places = np.array(list(members), float) + 0.5
    chosen = list(members.values())
    side = median(squares.side[chosen])
    if len(members) >= 8 and np.ptp(places, axis=0).min() >= 2:
        matrix = _projective(places, squares.centre[chosen], 0.2 * side)
    else:
        matrix = _affine(squares, places, chosen)
    return matrix if np.isfinite(matrix).all() and abs(np.linalg.det(matrix[:2, :2])) > 1 else None


def _projective(places: Floats, pixels: Floats, tolerance: float) -> Floats:
    """Fit by least squares where that leaves no place further off than `tolerance` (pixels), else by RANSAC.

    RANSAC (Fischler and Bolles, 1981) would end with the same places; it takes longer. OpenCV draws its samples by the
    same numbers each time, so that the same squares always have the same fit.
    """
    for method in (0, cv2.RANSAC):
        found, _ = cv2.findHomography(places, pixels, method, tolerance, maxIters=_TRIALS, confidence=_CONFIDENCE)
        matrix: Floats = np.zeros((3, 3)) if found is None else np.asarray(found, np.float64)
        if matrix.any() and _off(matrix, places, pixels).max() < tolerance:
            break
    return matrix


def _off(matrix: Floats, places: Floats, pixels: Floats) -> Floats:
    """How far (n,) the places lie from where a homography takes them, in pixels."""
    led = cv2.perspectiveTransform(places[None], matrix)[0]
    return np.asarray(np.linalg.norm(led - pixels, axis=1))


def _affine(squares: Detections, places: Floats, chosen: list[int]) -> Floats:
    board, pixels = [*places], [*squares.centre[chosen]]
    offsets = places - places.mean(0)
    # axes are known up to a quarter turn: take the one that the places agree with
    rough = np.linalg.lstsq(offsets, squares.centre[chosen] - squares.centre[chosen].mean(0), rcond=None)[0].T
    rank2 = np.linalg.matrix_rank(offsets, tol=0.1) == 2
    for place, index in zip(places, chosen, strict=True):
        u, v = squares.u[index], squares.v[index]
        guide = rough[:, 0] if rank2 or np.ptp(places[:, 0]) > 0 else -_quarter(rough[:, 1])
        turn = count_quarter_turns(guide, u, v)
        u, v = turn_axes(u, v, turn)
        for axis, step in ((u, (0.5, 0.0)), (v, (0.0, 0.5))):
            board += [place + step, place - step]
            pixels += [squares.centre[index] + axis, squares.centre[index] - axis]
    system = np.column_stack([board, np.ones(len(board))])
    solution = np.linalg.lstsq(system, np.array(pixels), rcond=None)[0].T
    return np.vstack([solution, [0, 0, 1]])


def _quarter(vector: Floats) -> Floats:
    """Turn a quarter clockwise on the page (x right, y down)."""
    return np.array([-vector[1], vector[0]])
