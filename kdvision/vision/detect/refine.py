"""The second look at squares that hang together: straightened out, every square 48 pixels wide.

It mends both the fit and the squares that the first look missed, and tells where nothing lies.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.vision.detect.components import split_components
from kdvision.vision.detect.hypothesis import Bounds, LatticeHypothesis, Mask
from kdvision.vision.detect.lattice import MIN_KINGDOM_SQUARES, Lattice, find_overlapped, fit_homography, grow_lattice
from kdvision.vision.detect.neighbours import NEIGHBOURS, NeighbourGraph, Place, count_quarter_turns
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.detector import PADDING, STRIDE, Detections, Floats, SquareDetector, shrink

UNIT: Final = 48
"""Pixels of a square's side in the second look."""
MARGIN: Final = 1
"""Squares of table around the kingdom in the second look."""
ROUGHLY: Final = 0.7
"""A square in the second look is at most twice as large as it should be, and at least half (logarithm)."""
BARE: Final = 0.01
"""Where the finder takes nothing in the middle of a place for part of a square with more than this, none is there.

On photos tilted, dark, or with glare the cell network, asked about such places, took none for a tile.
"""
MOST: Final = 11
"""More columns or rows than this are no kingdom but a pattern on the table."""


def refine(photo: Photo, finder: SquareDetector, lattice: Lattice) -> LatticeHypothesis | None:
    """Return the lattice as the finder sees it straightened out, once more where it turns out to be larger."""
    seen: LatticeHypothesis | None = None
    for _ in range(3):
        left, top, right, bottom = lattice.bounds()
        if max(right - left, bottom - top) > MOST:
            return None
        seen = detect_rectified(photo, finder, lattice, (left - MARGIN, top - MARGIN, right + MARGIN, bottom + MARGIN))
        if seen is None or not seen.lattice.members.keys() - _within(left, top, right, bottom):
            break
        lattice = seen.lattice
    return seen


def _within(left: int, top: int, right: int, bottom: int) -> set[Place]:
    return {(col, row) for col in range(left, right) for row in range(top, bottom)}


def detect_rectified(
    photo: Photo, finder: SquareDetector, lattice: Lattice, bounds: Bounds
) -> LatticeHypothesis | None:
    """Return what the finder sees of a lattice straightened out within `bounds` (left, top, right, bottom), if much."""
    flat, into = rectify(photo, lattice.matrix, bounds)
    near, chance = finder.glimpse(flat)
    members = _members(near, bounds[:2], lattice.members)
    members = max(split_components(near, members), key=lambda part: len(part.keys() & lattice.members.keys()))
    if len(members) < MIN_KINGDOM_SQUARES:
        return None
    squares = near.moved(np.asarray(np.linalg.inv(into), np.float64))
    matrix = fit_homography(squares, members)
    return (
        None
        if matrix is None
        else LatticeHypothesis(Lattice(members, matrix), squares, _bare(near, chance, members, bounds))
    )


def _bare(near: Detections, chance: Floats, members: dict[Place, int], bounds: Bounds) -> frozenset[Place]:
    """Return the places of a straightened picture in whose middle no vote speaks for a square.

    None where the places of the members are not those that the picture was made for.
    """
    left, top, right, bottom = bounds
    places = np.floor(near.centre[list(members.values())] / UNIT + np.array([left, top]))
    if not (places == np.array(list(members))).all():
        return frozenset()
    votes = UNIT // STRIDE
    blocks = chance.reshape(bottom - top, votes, right - left, votes)[:, 1:-1, :, 1:-1].max(axis=(1, 3))
    rows, cols = np.nonzero(blocks < BARE)
    return frozenset(zip((cols + left).tolist(), (rows + top).tolist(), strict=True))


def rectify(photo: Photo, matrix: Floats, bounds: Bounds) -> tuple[npt.NDArray[np.uint8], Floats]:
    """Return part of a lattice as a flat picture, 48 pixels a square, and the homography from the photo to it."""
    left, top, right, bottom = bounds
    centre = np.array([[(left + right) / 2, (top + bottom) / 2]])
    corners = cv2.perspectiveTransform(
        (centre + np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]))[None], matrix
    )[0]
    side = float(np.linalg.norm(np.roll(corners, -1, 0) - corners, axis=1).mean())
    frame = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], float)
    reach = cv2.perspectiveTransform(frame[None], matrix)[0]
    if (np.column_stack([frame, np.ones(4)]) @ matrix[2] <= 0).any():  # behind the camera: no box holds it
        reach = np.array([[0.0, 0.0], [photo.width, photo.height]])
    pixels, part = photo.crop(reach, 1.2 * UNIT / side)
    if side * part[0, 0] > 2.0 * UNIT:
        pixels, further = shrink(pixels, 1.2 * UNIT / (side * part[0, 0]))
        part = np.diag([*further, 1.0]) @ part
    into = np.array([[UNIT, 0, -left * UNIT], [0, UNIT, -top * UNIT], [0, 0, 1.0]]) @ np.linalg.inv(matrix)
    size = ((right - left) * UNIT, (bottom - top) * UNIT)
    flat = cv2.warpPerspective(
        pixels,
        into @ np.linalg.inv(part),
        size,
        flags=cv2.INTER_LINEAR,
        borderValue=(PADDING,) * 3,
    )
    return np.asarray(flat, np.uint8), into


def _members(near: Detections, corner: Place, before: dict[Place, int]) -> dict[Place, int]:
    """Return which squares of a straightened picture, `corner` its top left, lie on the lattice and hang together."""
    where = near.centre / UNIT - 0.5
    place = np.round(where).astype(int)
    off = np.abs(where - place).max(1) if len(near) else np.zeros(0)
    upright = [np.abs(axis[:, 0]) / (np.hypot(*axis.T) + 1e-9) for axis in (near.u, near.v)]
    fits = (off < 0.3) & (np.abs(np.log(near.side / UNIT)) < 0.3) & (np.maximum(*upright) > 0.96)
    best: dict[Place, int] = {}
    for index in np.argsort(-near.score, kind="stable"):
        if fits[index]:
            best.setdefault((int(place[index, 0]) + corner[0], int(place[index, 1]) + corner[1]), int(index))
    joined = _joined(best, before)
    free = (np.abs(np.log(near.side / UNIT)) < ROUGHLY) & ~find_overlapped(near)
    if free.sum() <= len(joined):
        return joined  # there is nothing else that squares could lead to
    grown = _grown(near, where, corner, before, free)
    return grown if len(grown) > len(joined) else joined


def _grown(near: Detections, where: Floats, corner: Place, before: dict[Place, int], free: Mask) -> dict[Place, int]:
    """Return the `free` squares of a straightened picture that lead from one to the next, each `where` it lies (n, 2).

    Where the first look left a column out, or saw one too many, squares fit the places it gave them badly, but still
    meet each other.
    """
    steps, parts = NeighbourGraph(near, free), []
    for seed in np.argsort(-near.score, kind="stable"):
        if not free[seed]:
            continue
        turn = count_quarter_turns(np.array([1.0, 0.0]), near.u[seed], near.v[seed])
        grown = grow_lattice(steps, int(seed), free, turn=turn)
        free[list(grown.values())] = False
        left, top = (np.round(where[seed]).astype(int) + corner).tolist()
        parts.append({(left + col, top + row): index for (col, row), index in grown.items()})
    most = max(parts, key=lambda part: (len(part.keys() & before.keys()), len(part)), default={})
    return {place: most[place] for place in sorted(most)}


def _joined(best: dict[Place, int], before: dict[Place, int]) -> dict[Place, int]:
    """Keep what touches, by a side or a corner, the part that shares most places with the lattice before."""
    left = set(best)
    parts: list[set[Place]] = []
    while left:
        part, edge = set(), [left.pop()]
        while edge:
            col, row = edge.pop()
            part.add((col, row))
            near = {(col + dc, row + dr) for dc, dr in NEIGHBOURS} & left
            left -= near
            edge += near
        parts.append(part)
    most = max(parts, key=lambda part: (len(part & before.keys()), len(part), sorted(part)), default=set())
    return {place: best[place] for place in sorted(most)}
