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
DEPTH: Final = 0.5
"""Lightness counts half: one table lies in light and shade."""
ALIKE: Final = 3
"""Cloths have two colours or so: of the places a third or more is like any one that shows the table."""
DOMINO: Final = 2
"""No fewer than that: two places under one thing are like each other."""
UNLIKE: Final = 8.0
"""A place that differs more than this from those is not the table (CIE L*a*b*, lightness halved)."""


def colours(photo: Photo, grid: Grid) -> Floats:
    """Return the typical colour (rows, cols, 3) of each place, CIE L*a*b*: the median of each channel.

    Of places that the picture's edge cuts, what is inside counts; not a number where nothing is.
    """
    along = (np.arange(POINTS) + 0.5) / POINTS * INNER + (1 - INNER) / 2
    across, down = np.meshgrid(along, along)
    weights = np.stack([(1 - across) * (1 - down), across * (1 - down), across * down, (1 - across) * down], -1)
    points = np.einsum("ijk,rckd->rcijd", weights, grid.quads).reshape(-1, POINTS**2, 2)
    pixels, into = photo.part(points, POINTS / grid.side)
    at = cv2.perspectiveTransform((points + 0.5).reshape(1, -1, 2), into).reshape(points.shape) - 0.5
    x, y = np.moveaxis(at.astype(np.float32), -1, 0)
    seen = cv2.remap(pixels, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    lab = np.asarray(cv2.cvtColor(seen.astype(np.float32) / 255, cv2.COLOR_RGB2LAB), np.float64)
    inside = ((points >= 0) & (points < (photo.width, photo.height))).all(axis=-1)
    if inside.all():
        return np.asarray(np.median(lab, axis=1).reshape(grid.rows, grid.cols, 3))
    found = np.full((len(points), 3), np.nan)
    lab[~inside] = np.nan
    some = inside.any(axis=1)
    found[some] = np.nanmedian(lab[some], axis=1)
    return found.reshape(grid.rows, grid.cols, 3)


def unlike_table(seen: Floats, bare: Mask) -> Mask:
    """Return which of the `bare` places (rows, cols), those without a tile, look like few others of them.

    `seen` are their colours (rows, cols, 3). What lies on the table covers some of its places, and most are the table.
    """
    found, known = np.zeros(bare.shape, bool), bare & ~np.isnan(seen[..., 0])
    shades = seen[known] * (DEPTH, 1, 1)
    like = max(DOMINO, len(shades) // ALIKE)
    if like < len(shades):
        apart = np.sort(np.linalg.norm(shades[:, None] - shades[None], axis=2), axis=1)
        found[known] = apart[:, like] > UNLIKE
    return found


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
