"""One table: all kingdoms of a photo lie in one plane, and their squares are of one size there.

Seen from far to the side, squares look like slats, and halves of neighbours like squares: what hangs together then may
be a lattice of twice as many columns. In the plane of the lattice that is surest it shows, and can be looked at again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np

from kdvision.vision.candidate import Bounds, Candidate, Patch
from kdvision.vision.finder import Finder, Floats, median
from kdvision.vision.lattice import patches
from kdvision.vision.photo import Photo
from kdvision.vision.second import MOST, UNIT, straightened

OFF: Final = math.sqrt(2)
"""Sides so many times as long or as short as they should be are rather those of halves or of doubles."""
HOLDS: Final = 8
"""The fewest squares whose lattice is known in perspective (`lattice.fit`)."""
AROUND: Final = 2
"""Squares of the plane around a lattice that are looked at with it."""
CORNERS: Final = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])


def patches_in_plane(photo: Photo, finder: Finder, kept: Sequence[Candidate], lost: Sequence[Patch]) -> list[Patch]:
    """Return what hangs together, seen in the plane of the surest lattice, the first, where others do not fit it.

    `lost` hung together in a look, but are on no lattice.
    """
    if not kept or len(kept[0].chosen) < HOLDS or np.ptp(list(kept[0].lattice.members), axis=0).min() < 2:
        return []
    plane = kept[0].lattice.matrix
    lattices = [quads for one in kept[1:] if (quads := in_plane(_quads(one), plane)) is not None and not _square(quads)]
    centres = [found for patch in lost if (found := in_plane(patch.squares.centre[patch.chosen], plane)) is not None]
    frames = [_frame(points.reshape(-1, 2)) for points in (*lattices, *centres)]
    small = [bounds for bounds in frames if max(bounds[2] - bounds[0], bounds[3] - bounds[1]) <= MOST]
    return [patch for bounds in small for patch in _seen(photo, finder, plane, bounds)]


def in_plane(points: Floats, plane: Floats) -> Floats | None:
    """Return points (..., 2) of a photo in the coordinates of a lattice; None where they are beyond its horizon."""
    back = np.linalg.inv(plane)
    depth = points @ back[2, :2] + back[2, 2]
    if not ((depth > 0).all() or (depth < 0).all()):
        return None
    return np.asarray(cv2.perspectiveTransform(points.reshape(1, -1, 2), back).reshape(points.shape))


def _quads(one: Candidate) -> Floats:
    """Return the corners (n, 4, 2) of a lattice's squares in the photo."""
    places = np.array(list(one.lattice.members), float)[:, None] + CORNERS
    return np.asarray(cv2.perspectiveTransform(places.reshape(1, -1, 2), one.lattice.matrix).reshape(-1, 4, 2))


def _square(quads: Floats) -> bool:
    """Whether all that lies in the plane of a lattice looks like its squares, whichever way it is turned."""
    sides = np.linalg.svd(np.stack([quads[:, 1] - quads[:, 0], quads[:, 3] - quads[:, 0]], axis=-1), compute_uv=False)
    return bool(sides.min() > 1 / OFF and sides.max() < OFF)


def _frame(points: Floats) -> Bounds:
    """Return whole columns and rows of the plane around points (n, 2) of it."""
    left, top = (np.floor(points.min(axis=0)).astype(int) - AROUND).tolist()
    right, bottom = (np.ceil(points.max(axis=0)).astype(int) + AROUND).tolist()
    return left, top, right, bottom


def _seen(photo: Photo, finder: Finder, plane: Floats, bounds: Bounds) -> list[Patch]:
    flat, into = straightened(photo, plane, bounds)
    near = finder.look(flat)
    if not len(near):
        return []
    squares = near.moved(np.asarray(np.linalg.inv(into), np.float64))
    found = [Patch(members, squares) for members in patches(near)]
    return [patch for patch in found if 1 / OFF < median(near.side[patch.chosen]) / UNIT < OFF]
