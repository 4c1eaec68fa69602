"""What the picture's edge cuts off: how much of each place is in the picture, and whether a kingdom goes on beyond."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import numpy as np
import numpy.typing as npt

from kdvision.game.board import Square
from kdvision.game.legality import Problem
from kdvision.vision.decision.windows import SIDES
from kdvision.vision.grid import Grid
from kdvision.vision.photo import Photo

Floats = npt.NDArray[np.float64]

STRIP: Final = 0.2
"""Of a place whose middle is cut off, at least this share has to be seen to say what lies there."""
WHOLE: Final = 0.75
"""A square of which less is in the picture is cut: its crowns may be in the rest. Pictures cut flush show more."""
LIKELY: Final = 0.62
"""The probability from which a tile is taken to lie on a place whose middle is cut off."""

A_SIGN: Final = 0.1
"""Less probable tiles than this are seen on bare tables now and then, and rarely with another beside them."""

_POINTS: Final = (np.arange(12) + 0.5) / 12


def visible(grid: Grid, photo: Photo) -> Floats:
    """Return the share (rows, cols) of each place that lies in the picture."""
    if ((grid.quads >= 0) & (grid.quads < (photo.width, photo.height))).all():
        return np.ones((grid.rows, grid.cols))
    across, down = np.meshgrid(_POINTS, _POINTS)
    weights = np.stack([(1 - across) * (1 - down), across * (1 - down), across * down, (1 - across) * down], -1)
    points = np.einsum("ijk,rckd->rcijd", weights, grid.quads)
    inside = ((points >= 0) & (points < (photo.width, photo.height))).all(axis=-1)
    return np.asarray(inside.mean(axis=(2, 3)))


def cut_off(board: Collection[Square], seen: Floats, beyond: Floats) -> tuple[Problem, ...]:
    """Return what the picture's edge takes from a kingdom: `seen` is the visible share of each place of its grid.

    `beyond` is the probability that a tile lies on each place whose middle lies outside the picture.
    """
    on_grid = _beside(board, *seen.shape)
    if any(seen[place] >= STRIP and beyond[place] > LIKELY for place in on_grid):
        return (Problem((), "the kingdom goes on beyond the picture's edge"),)
    cut = tuple(sorted(square for square in board if seen[square] < WHOLE))
    if cut:
        return (Problem(cut, "the picture's edge cuts tiles of this kingdom"),)
    if any(seen[place] < STRIP and _may_grow(board, place) for place in on_grid):
        return (Problem((), "the picture ends beside this kingdom: a tile beyond its edge would not be seen"),)
    return ()


def ends_here(board: Collection[Square], presence: Floats) -> float:
    """Return how probable it is that no domino of a kingdom lies half on its grid and half beyond.

    Nobody looked beyond, so no board with such a domino was weighed; `presence` (rows, cols) is how probable a tile is
    on each place. Places at the grid's rim count that touch the board and on which it could go on.
    """
    rows, cols = presence.shape
    rim = [place for place in _beside(board, rows, cols) if place.row in (0, rows - 1) or place.col in (0, cols - 1)]
    likely = [presence[place] for place in rim if presence[place] > A_SIGN and _may_grow(board, place)]
    return float(np.prod([1 - chance for chance in likely]))


def _beside(board: Collection[Square], rows: int, cols: int) -> list[Square]:
    """Return the places of a grid that touch the board's squares and are none of them."""
    around = {near for square in board for near in square.neighbours()} - set(board)
    return sorted(place for place in around if 0 <= place.row < rows and 0 <= place.col < cols)


def _may_grow(board: Collection[Square], place: Square) -> bool:
    """Whether a tile on a place beside the board would leave it in the frame of a game (kingdomino/mighty-duel).

    The game is taken to be the smallest that allows the board: one as wide as that allows has no more columns, and one
    as high no more rows.
    """
    spans = [(min(lines), max(lines)) for lines in ([s.row for s in board], [s.col for s in board])]
    longest = max(last - first + 1 for first, last in spans)
    side = min((side for side in SIDES if side >= longest), default=longest)
    beyond = [not first <= here <= last for (first, last), here in zip(spans, (place.row, place.col), strict=True)]
    return not any(out and last - first + 1 >= side for out, (first, last) in zip(beyond, spans, strict=True))
