"""Refinement: the detector runs again on the rectified lattice, where every square is 48 pixels wide.

This corrects the fit, finds squares that the first pass missed, and shows which places are empty.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import combinations
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.vision.detect.components import join_places, split_component
from kdvision.vision.detect.hypothesis import LatticeHypothesis
from kdvision.vision.detect.lattice import MIN_KINGDOM_SQUARES, find_overlapped, grow_lattices
from kdvision.vision.detect.neighbours import Bounds, Place
from kdvision.vision.geometry import UNIT_SQUARE, Floats, Mask, apply_homography, compute_side_lengths
from kdvision.vision.image.photo import Photo, shrink
from kdvision.vision.networks.detector import PADDING_GREY, STRIDE_PIXELS, Detections, SquareDetector

RECTIFIED_SIDE_PIXELS: Final = 48
MAX_LATTICE_CELLS: Final = 11
"""A lattice with more columns or rows is a pattern on the table."""
P_EMPTY: Final = 0.01
"""A place where no vote has a higher probability is empty. The cell network called none of them a tile on dark,
tilted and glossy photos."""


def refine(
    photo: Photo, detector: SquareDetector, hypothesis: LatticeHypothesis, *, max_passes: int = 3
) -> LatticeHypothesis | None:
    """Return the lattice as detected in the rectified picture; again while it grows beyond its bounds."""
    found: LatticeHypothesis | None = None
    for _ in range(max_passes):
        bounds = hypothesis.bounds
        if max(bounds.cols, bounds.rows) > MAX_LATTICE_CELLS:
            return None
        found = detect_rectified(photo, detector, hypothesis, bounds.expand())
        if found is None or all(map(bounds.contains, found.members)):
            break
        hypothesis = found
    return found


def detect_rectified(
    photo: Photo, detector: SquareDetector, hypothesis: LatticeHypothesis, bounds: Bounds
) -> LatticeHypothesis | None:
    """Return what the detector finds on a lattice rectified within `bounds`; None if that is too little."""
    rectified, matrix = rectify(photo, hypothesis.matrix, bounds)
    near, votes = detector.detect_with_votes(rectified)
    before = hypothesis.members.keys()
    members = _assign_places(near, (bounds.left, bounds.top), before)
    members = max(split_component(near, members), key=lambda part: len(part.keys() & before))
    if len(members) < MIN_KINGDOM_SQUARES:
        return None
    squares = near.transform(np.asarray(np.linalg.inv(matrix), np.float64))
    return LatticeHypothesis.fit(members, squares, _find_empty(near, votes, members, bounds))


def rectify(photo: Photo, matrix: Floats, bounds: Bounds) -> tuple[npt.NDArray[np.uint8], Floats]:
    """Return part of a lattice as a fronto-parallel picture, 48 pixels a cell, and the homography from the photo."""
    frame = UNIT_SQUARE * (bounds.cols, bounds.rows) + (bounds.left, bounds.top)
    side = compute_side_lengths(apply_homography(matrix, frame.mean(axis=0) + UNIT_SQUARE - 0.5)).mean()
    outline = apply_homography(matrix, frame)
    if (np.column_stack([frame, np.ones(4)]) @ matrix[2] <= 0).any():  # partly behind the camera
        outline = np.array([[0.0, 0.0], [photo.width, photo.height]])
    unit = RECTIFIED_SIDE_PIXELS
    pixels_per_cell = 1.2 * unit  # more than needed: the rectified picture is sampled, not averaged
    pixels, part = photo.crop(outline, pixels_per_cell / side)
    if side * part[0, 0] > 2.0 * unit:
        pixels, factors = shrink(pixels, pixels_per_cell / (side * part[0, 0]))
        part = np.diag([*factors, 1.0]) @ part
    to_rectified = np.array(
        [[unit, 0, -bounds.left * unit], [0, unit, -bounds.top * unit], [0, 0, 1.0]]
    ) @ np.linalg.inv(matrix)
    rectified = cv2.warpPerspective(
        pixels,
        to_rectified @ np.linalg.inv(part),
        (bounds.cols * unit, bounds.rows * unit),
        flags=cv2.INTER_LINEAR,
        borderValue=(PADDING_GREY,) * 3,
    )
    return np.asarray(rectified, np.uint8), to_rectified


def _find_empty(near: Detections, votes: Floats, members: dict[Place, int], bounds: Bounds) -> frozenset[Place]:
    """Return the places of a rectified picture in whose middle no vote speaks for a square.

    Empty if the members' places are not those for which the picture was rectified.
    """
    corner = np.array([bounds.left, bounds.top])
    places = np.floor(near.centre[list(members.values())] / RECTIFIED_SIDE_PIXELS + corner)
    if not (places == np.array(list(members))).all():
        return frozenset()
    count = RECTIFIED_SIDE_PIXELS // STRIDE_PIXELS
    strongest = votes.reshape(bounds.rows, count, bounds.cols, count)[:, 1:-1, :, 1:-1].max(axis=(1, 3))
    rows, cols = np.nonzero(strongest < P_EMPTY)
    return frozenset(zip((cols + bounds.left).tolist(), (rows + bounds.top).tolist(), strict=True))


def _assign_places(near: Detections, corner: Place, before: Set[Place]) -> dict[Place, int]:
    """Return the connected squares on the lattice of a rectified picture whose top left is the place `corner`.

    Squares are assigned to the place on which they lie, or by growing if that reaches more of them: if the first pass
    counted a column too few or too many, squares lie off their places and still meet each other. Of several parts, the
    one that shares most places with the lattice `before` is taken.
    """
    max_offset, max_log_size, max_log_size_grown = 0.3, 0.3, 0.7  # grown ones may have twice or half the size
    position = near.centre / RECTIFIED_SIDE_PIXELS - 0.5
    nearest = np.round(position).astype(int)
    places: list[Place] = [(col, row) for col, row in (nearest + corner).tolist()]
    log_size = np.abs(np.log(near.side / RECTIFIED_SIDE_PIXELS))
    is_near = np.abs(position - nearest).max(axis=1, initial=0) < max_offset
    fits = is_near & (log_size < max_log_size) & _is_axis_aligned(near)
    connected = _assign_directly(near, places, fits, before)
    free = (log_size < max_log_size_grown) & ~find_overlapped(near)
    if free.sum() <= len(connected):
        return connected
    grown = _assign_by_growing(near, places, free, before)
    return grown if len(grown) > len(connected) else connected


def _is_axis_aligned(near: Detections, *, min_cosine: float = 0.96) -> Mask:
    """Return which squares (n,) have an axis along the columns."""
    cosines = [np.abs(axis[:, 0]) / (np.hypot(*axis.T) + 1e-9) for axis in (near.axis_u, near.axis_v)]
    return np.asarray(np.maximum(*cosines) > min_cosine)


def _assign_directly(near: Detections, places: Sequence[Place], fits: Mask, before: Set[Place]) -> dict[Place, int]:
    """Return the strongest square that `fits` at each place, as far as they are connected by edges or corners."""
    assigned: dict[Place, int] = {}
    for index in np.argsort(-near.score, kind="stable").tolist():
        if fits[index]:
            assigned.setdefault(places[index], index)
    links = [(0.0, (a, b), (c, d)) for (a, b), (c, d) in combinations(assigned, 2) if max(abs(a - c), abs(b - d)) == 1]
    parts = join_places(assigned, links)
    best = max(parts, key=lambda part: (len(part & before), len(part), sorted(part)), default=set())
    return {place: assigned[place] for place in sorted(best)}


def _assign_by_growing(near: Detections, places: Sequence[Place], free: Mask, before: Set[Place]) -> dict[Place, int]:
    """Return the lattice grown from `free` squares, of which the first is at its place and rows are horizontal."""
    parts = []
    for grown in grow_lattices(near, free, along=np.array([1.0, 0.0])):
        left, top = places[grown[0, 0]]
        parts.append({(left + col, top + row): index for (col, row), index in grown.items()})
    best = max(parts, key=lambda part: (len(part.keys() & before), len(part)), default={})
    return {place: best[place] for place in sorted(best)}
