"""Refinement: the detector runs again on the rectified lattice, where every square is 48 pixels wide.

This corrects the fit, finds squares that the first pass missed, and shows which places are empty.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt
from skimage import measure

from kdvision.vision.detect.components import split_component
from kdvision.vision.detect.hypothesis import LatticeHypothesis
from kdvision.vision.detect.lattice import (
    MIN_KINGDOM_SQUARES,
    Lattice,
    find_overlapped,
    fit_homography,
    grow_lattice,
)
from kdvision.vision.detect.neighbours import NeighbourGraph, Place, count_quarter_turns
from kdvision.vision.geometry import UNIT_SQUARE, Floats, Mask, apply_homography, compute_side_lengths
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.detector import PADDING_GREY, STRIDE_PIXELS, Detections, SquareDetector, shrink

Bounds = tuple[int, int, int, int]
"""First column and row, and the ones after the last."""

RECTIFIED_SIDE_PIXELS: Final = 48
MARGIN_CELLS: Final = 1
"""Cells of table around the lattice in the rectified picture."""
MAX_PASSES: Final = 3
"""Passes while the lattice still grows beyond its bounds."""
MAX_LATTICE_CELLS: Final = 11
"""A lattice with more columns or rows is a pattern on the table."""
P_EMPTY: Final = 0.01
"""A place where no vote has a higher probability is empty. The cell network called none of them a tile on dark,
tilted and glossy photos."""
MAX_PLACE_OFFSET: Final = 0.3
"""Offset of a square from its place, in cells, up to which it is assigned there directly."""
MAX_LOG_SIZE_ERROR: Final = 0.3
MAX_LOG_SIZE_ERROR_GROWN: Final = 0.7
"""Squares that are reached by growing may be twice as large as expected, or half as large."""
MIN_AXIS_ALIGNMENT: Final = 0.96
"""Cosine of the angle between a square's axis and the lattice."""
OVERSAMPLING: Final = 1.2


def refine(photo: Photo, detector: SquareDetector, lattice: Lattice) -> LatticeHypothesis | None:
    """Return the lattice as detected in the rectified picture; again while it grows beyond its bounds."""
    found: LatticeHypothesis | None = None
    for _ in range(MAX_PASSES):
        left, top, right, bottom = lattice.compute_bounds()
        if max(right - left, bottom - top) > MAX_LATTICE_CELLS:
            return None
        margin = MARGIN_CELLS
        bounds = (left - margin, top - margin, right + margin, bottom + margin)
        found = detect_rectified(photo, detector, lattice, bounds)
        if found is None:
            break
        inside = {(col, row) for col in range(left, right) for row in range(top, bottom)}
        if found.lattice.members.keys() <= inside:
            break
        lattice = found.lattice
    return found


def detect_rectified(
    photo: Photo, detector: SquareDetector, lattice: Lattice, bounds: Bounds
) -> LatticeHypothesis | None:
    """Return what the detector finds on a lattice rectified within `bounds`; None if that is too little."""
    rectified, matrix = rectify(photo, lattice.matrix, bounds)
    near, votes = detector.detect_with_votes(rectified)
    members = _assign_places(near, bounds[:2], lattice.members)
    members = max(split_component(near, members), key=lambda part: len(part.keys() & lattice.members.keys()))
    if len(members) < MIN_KINGDOM_SQUARES:
        return None
    squares = near.transform(np.asarray(np.linalg.inv(matrix), np.float64))
    fitted = fit_homography(squares, members)
    if fitted is None:
        return None
    return LatticeHypothesis(Lattice(members, fitted), squares, _find_empty(near, votes, members, bounds))


def rectify(photo: Photo, matrix: Floats, bounds: Bounds) -> tuple[npt.NDArray[np.uint8], Floats]:
    """Return part of a lattice as a fronto-parallel picture, 48 pixels a cell, and the homography from the photo."""
    left, top, right, bottom = bounds
    side = compute_side_lengths(
        apply_homography(matrix, np.array([(left + right) / 2, (top + bottom) / 2]) + UNIT_SQUARE - 0.5)
    ).mean()
    frame = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], float)
    outline = apply_homography(matrix, frame)
    if (np.column_stack([frame, np.ones(4)]) @ matrix[2] <= 0).any():  # partly behind the camera
        outline = np.array([[0.0, 0.0], [photo.width, photo.height]])
    pixels, part = photo.crop(outline, OVERSAMPLING * RECTIFIED_SIDE_PIXELS / side)
    if side * part[0, 0] > 2.0 * RECTIFIED_SIDE_PIXELS:
        pixels, factors = shrink(pixels, OVERSAMPLING * RECTIFIED_SIDE_PIXELS / (side * part[0, 0]))
        part = np.diag([*factors, 1.0]) @ part
    unit = RECTIFIED_SIDE_PIXELS
    to_rectified = np.array([[unit, 0, -left * unit], [0, unit, -top * unit], [0, 0, 1.0]]) @ np.linalg.inv(matrix)
    rectified = cv2.warpPerspective(
        pixels,
        to_rectified @ np.linalg.inv(part),
        ((right - left) * unit, (bottom - top) * unit),
        flags=cv2.INTER_LINEAR,
        borderValue=(PADDING_GREY,) * 3,
    )
    return np.asarray(rectified, np.uint8), to_rectified


def _find_empty(near: Detections, votes: Floats, members: dict[Place, int], bounds: Bounds) -> frozenset[Place]:
    """Return the places of a rectified picture in whose middle no vote speaks for a square.

    Empty if the members' places are not those for which the picture was rectified.
    """
    left, top, right, bottom = bounds
    places = np.floor(near.centre[list(members.values())] / RECTIFIED_SIDE_PIXELS + np.array([left, top]))
    if not (places == np.array(list(members))).all():
        return frozenset()
    count = RECTIFIED_SIDE_PIXELS // STRIDE_PIXELS
    strongest = votes.reshape(bottom - top, count, right - left, count)[:, 1:-1, :, 1:-1].max(axis=(1, 3))
    rows, cols = np.nonzero(strongest < P_EMPTY)
    return frozenset(zip((cols + left).tolist(), (rows + top).tolist(), strict=True))


def _assign_places(near: Detections, corner: Place, before: dict[Place, int]) -> dict[Place, int]:
    """Return the connected squares on the lattice of a rectified picture whose top left is the place `corner`.

    Squares are assigned to the place on which they lie, or by growing if that reaches more of them: if the first pass
    counted a column too few or too many, squares lie off their places and still meet each other.
    """
    position = near.centre / RECTIFIED_SIDE_PIXELS - 0.5
    place = np.round(position).astype(int)
    offset = np.abs(position - place).max(axis=1, initial=0)
    cosines = [np.abs(axis[:, 0]) / (np.hypot(*axis.T) + 1e-9) for axis in (near.axis_u, near.axis_v)]
    log_size = np.abs(np.log(near.side / RECTIFIED_SIDE_PIXELS))
    fits = (offset < MAX_PLACE_OFFSET) & (log_size < MAX_LOG_SIZE_ERROR) & (np.maximum(*cosines) > MIN_AXIS_ALIGNMENT)
    direct: dict[Place, int] = {}
    for index in np.argsort(-near.score, kind="stable"):
        if fits[index]:
            direct.setdefault((int(place[index, 0]) + corner[0], int(place[index, 1]) + corner[1]), int(index))
    connected = _select_connected(direct, before)
    free = (log_size < MAX_LOG_SIZE_ERROR_GROWN) & ~find_overlapped(near)
    if free.sum() <= len(connected):
        return connected
    grown = _grow_from(near, position, corner, before, free)
    return grown if len(grown) > len(connected) else connected


def _grow_from(
    near: Detections, position: Floats, corner: Place, before: dict[Place, int], free: Mask
) -> dict[Place, int]:
    """Return the lattice grown from `free` squares at `position` (n, 2) that shares most places with `before`."""
    graph, parts = NeighbourGraph(near, free), []
    for seed in np.argsort(-near.score, kind="stable"):
        if not free[seed]:
            continue
        turn = count_quarter_turns(np.array([1.0, 0.0]), near.axis_u[seed], near.axis_v[seed])
        grown = grow_lattice(graph, int(seed), free, turn=turn)
        free[list(grown.values())] = False
        left, top = (np.round(position[seed]).astype(int) + corner).tolist()
        parts.append({(left + col, top + row): index for (col, row), index in grown.items()})
    best = max(parts, key=lambda part: (len(part.keys() & before.keys()), len(part)), default={})
    return {place: best[place] for place in sorted(best)}


def _select_connected(assigned: dict[Place, int], before: dict[Place, int]) -> dict[Place, int]:
    """Return the part, connected by edges or corners, that shares most places with the lattice before."""
    if not assigned:
        return {}
    places = np.array(list(assigned))
    image = np.zeros(np.ptp(places, axis=0) + 1, bool)
    image[tuple((places - places.min(axis=0)).T)] = True
    labels = measure.label(image, connectivity=2)[tuple((places - places.min(axis=0)).T)]
    parts = [{place for place, label in zip(assigned, labels, strict=True) if label == n} for n in set(labels)]
    best = max(parts, key=lambda part: (len(part & before.keys()), len(part), sorted(part)))
    return {place: assigned[place] for place in sorted(best)}
