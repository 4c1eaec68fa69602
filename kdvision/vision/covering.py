"""Things on the table where tiles may be: places beside a kingdom that show neither a tile nor the table.

A hand, a phone or a cup on a domino looks like no tile, and so the kingdom seems to end there.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import cv2
import numpy as np

from kdvision.game.board import Square
from kdvision.vision.candidate import Mask
from kdvision.vision.edge import beside, may_grow
from kdvision.vision.finder import Floats
from kdvision.vision.grid import Grid
from kdvision.vision.photo import Photo

POINTS: Final = 8
"""So many points along each side of a place are looked at."""
INNER: Final = 0.7
"""They lie in the middle of the place, so far out: what lies beside it reaches over its edge."""
DEPTH: Final = 0.4
"""Lightness counts less than half: one table lies in light and shade."""
ALIKE: Final = 3
"""Cloths have two colours or so: of the places a third or more is like any one that shows the table."""
DOMINO: Final = 2
"""No fewer than that: two places under one thing are like each other."""
UNLIKE: Final = 8.0
"""A place that differs more than this from those is not the table (CIE L*a*b*, lightness by `DEPTH`)."""
AROUND: Final = 4
"""So many squares further the table goes on, as a pattern does that repeats."""
PATTERN: Final = 8
"""What an eighth of all places there or more is like belongs to the pattern."""


def covered(photo: Photo, grid: Grid, bare: Mask) -> Mask:
    """Return which of the `bare` places (rows, cols), those without a tile, something covers that is not the table.

    They look like few others of them, and like little of the table further around.
    """
    seen = colours(photo, grid)
    found = unlike_table(seen, bare)
    if found.any():
        table = np.concatenate([seen[bare], _typical(photo, further(grid), grid.side)])
        found[found] = _rare(seen[found], table[~np.isnan(table[:, 0])], PATTERN)
    return found


def further(grid: Grid) -> Floats:
    """Return the places (n, 4, 2) around a grid, `AROUND` rows and columns, as if it went on there."""
    rows, cols = np.mgrid[-AROUND : grid.rows + AROUND, -AROUND : grid.cols + AROUND].reshape(2, -1)
    new = (rows < 0) | (rows >= grid.rows) | (cols < 0) | (cols >= grid.cols)
    box = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    corners = np.stack([cols[new], rows[new]], axis=1)[:, None] + box
    matrix = grid.homography
    before = (corners @ matrix[2, :2] + matrix[2, 2] > 0).all(axis=1)  # the camera: a steep table ends at its horizon
    if not before.any():
        return np.zeros((0, 4, 2))
    return np.asarray(cv2.perspectiveTransform(corners[before].reshape(1, -1, 2), matrix).reshape(-1, 4, 2))


def colours(photo: Photo, grid: Grid) -> Floats:
    """Return the typical colour (rows, cols, 3) of each place, CIE L*a*b*: the median of each channel.

    Of places that the picture's edge cuts, what is inside counts; not a number where nothing is.
    """
    return _typical(photo, grid.quads.reshape(-1, 4, 2), grid.side).reshape(grid.rows, grid.cols, 3)


def _typical(photo: Photo, quads: Floats, side: float) -> Floats:
    """The typical colours (n, 3) of places (n, 4, 2), whose sides are `side` pixels long."""
    along = (np.arange(POINTS) + 0.5) / POINTS * INNER + (1 - INNER) / 2
    across, down = np.meshgrid(along, along)
    weights = np.stack([(1 - across) * (1 - down), across * (1 - down), across * down, (1 - across) * down], -1)
    points = np.einsum("ijk,nkd->nijd", weights, quads).reshape(-1, POINTS**2, 2)
    inside = ((points >= 0) & (points < (photo.width, photo.height))).all(axis=-1)
    found, some = np.full((len(points), 3), np.nan), inside.any(axis=1)
    if not some.any():
        return found
    points, inside = points[some], inside[some]
    pixels, into = photo.part(points, POINTS / side)
    at = cv2.perspectiveTransform((points + 0.5).reshape(1, -1, 2), into).reshape(points.shape) - 0.5
    x, y = np.moveaxis(at.astype(np.float32), -1, 0)
    seen = cv2.remap(pixels, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    lab = np.asarray(cv2.cvtColor(seen.astype(np.float32) / 255, cv2.COLOR_RGB2LAB), np.float64)
    if inside.all():
        found[some] = np.median(lab, axis=1)
    else:
        lab[~inside] = np.nan
        found[some] = np.nanmedian(lab, axis=1)
    return found


def unlike_table(seen: Floats, bare: Mask) -> Mask:
    """Return which of the `bare` places (rows, cols), those without a tile, look like few others of them.

    `seen` are their colours (rows, cols, 3). What lies on the table covers some of its places, and most are the table.
    """
    found, known = np.zeros(bare.shape, bool), bare & ~np.isnan(seen[..., 0])
    found[known] = _rare(seen[known], seen[known], ALIKE)
    return found


def _rare(seen: Floats, table: Floats, share: int) -> Mask:
    """Which colours (n, 3) fewer than one in `share` of the table's (m, 3) are like; none where hardly any are known.

    The colours stand among the table's themselves.
    """
    like = max(DOMINO, len(table) // share)
    if like >= len(table):
        return np.zeros(len(seen), bool)
    apart = np.linalg.norm((seen[:, None] - table[None]) * (DEPTH, 1, 1), axis=2)
    return np.asarray(np.partition(apart, like, axis=1)[:, like] > UNLIKE)


def hidden_places(board: Collection[Square], covered: Mask) -> list[Square]:
    """Return the places beside a board that something covers (rows, cols) which is large enough to hide a domino.

    Only where the board could go on, that is: two such places side by side.
    """
    found = []
    for place in beside(board, *covered.shape):
        if covered[place] and may_grow(board, place):
            grown = {*board, place}
            others = [near for near in beside([place], *covered.shape) if near not in grown and covered[near]]
            if any(may_grow(grown, near) for near in others):
                found.append(place)
    return found
