"""Things on the table where tiles may be: places beside a kingdom that show neither a tile nor the table.

A hand, a phone or a cup on a domino looks like no tile, and so the kingdom seems to end there.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import numpy as np

from kdvision.game.board import Square
from kdvision.vision.candidate import Mask
from kdvision.vision.edge import beside, may_grow
from kdvision.vision.finder import Floats
from kdvision.vision.tabletop import Tabletop, apart

ALIKE: Final = 3
"""Cloths have two colours or so: of the places a third or more is like any one that shows the table."""
UNLIKE: Final = 8.0
"""A place that differs more than this from those is not the table (CIE L*a*b*, lightness by `tabletop.DEPTH`)."""


def covered(table: Tabletop, bare: Mask) -> Mask:
    """Return on which places (rows, cols) something lies that is not the table: a tile or another thing.

    They look like few of the `bare` places, those without a tile, and like little of the table further around.
    """
    return np.asarray(unlike_table(table.places, bare) & (table.apart(bare) > UNLIKE))


def unlike_table(seen: Floats, bare: Mask) -> Mask:
    """Return which places (rows, cols) look like few of the `bare` ones, those without a tile.

    `seen` are their colours (rows, cols, 3). What lies on the table covers some of its places, and most are the table.
    """
    return np.asarray(apart(seen.reshape(-1, 3), seen[bare], ALIKE).reshape(bare.shape) > UNLIKE)


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
