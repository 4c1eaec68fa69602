"""What the picture's edge cuts off: how much of each place is in the picture, and whether a kingdom goes on beyond."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import numpy as np
import numpy.typing as npt

from kdvision.game.board import Square
from kdvision.game.legality import Problem
from kdvision.vision.decide.placements import SIDES
from kdvision.vision.detect.grid import Grid
from kdvision.vision.image.photo import Photo

Floats = npt.NDArray[np.float64]

STRIP: Final = 0.2
"""Of a place whose middle is cut off, at least this share has to be seen to say what lies there."""
WHOLE: Final = 0.75
"""A square of which less is in the picture is cut: its crowns may be in the rest. Pictures cut flush show more."""
LITTLE: Final = 0.3
"""Of a place of which less is seen, most tiles there look like none: the kingdom may go on unseen."""
LIKELY: Final = 0.62
"""The probability from which a tile surely lies on a place whose middle is cut off."""
MAYBE: Final = 0.3
"""And that from which a person should look: the less of a tile is seen, the less it looks like one."""
HALF: Final = 0.5
"""A place of which less is in the picture may hold the other half of a domino that is inside it."""

A_SIGN: Final = 0.1
"""Less probable tiles than this are seen on bare tables now and then, and rarely with another beside them."""

_POINTS: Final = (np.arange(12) + 0.5) / 12


def compute_visible_share(grid: Grid, photo: Photo) -> Floats:
    """Return the share (rows, cols) of each place that lies in the picture."""
    share, size = np.ones((grid.rows, grid.cols)), (photo.width, photo.height)
    cut = ~((grid.quads >= 0) & (grid.quads < size)).all(axis=(2, 3))
    if not cut.any():
        return share
    across, down = np.meshgrid(_POINTS, _POINTS)
    weights = np.stack([(1 - across) * (1 - down), across * (1 - down), across * down, (1 - across) * down], -1)
    points = np.einsum("ijk,nkd->nijd", weights, grid.quads[cut])
    share[cut] = ((points >= 0) & (points < size)).all(axis=-1).mean(axis=(1, 2))
    return share


def find_truncation(board: Collection[Square], seen: Floats, beyond: Floats) -> tuple[Problem, ...]:
    """Return what the picture's edge takes from a kingdom: `seen` is the visible share of each place of its grid.

    `beyond` is the probability that a tile lies on each place whose middle lies outside the picture.
    """
    on_grid = find_neighbours(board, *seen.shape)
    if any(seen[place] >= STRIP and beyond[place] > MAYBE for place in on_grid):
        return (Problem((), "the kingdom goes on beyond the picture's edge", sign="beyond"),)
    cut = tuple(sorted(square for square in board if seen[square] < WHOLE))
    if cut:
        return (Problem(cut, "the picture's edge cuts tiles of this kingdom", sign="cut"),)
    if any(seen[place] < LITTLE and can_grow(board, place) for place in on_grid):
        text = "the picture ends beside this kingdom: a tile beyond its edge would not be seen"
        return (Problem((), text, sign="ends"),)
    return ()


def compute_completeness(board: Collection[Square], presence: Floats, seen: Floats | None = None) -> float:
    """Return how probable it is that no domino of a kingdom lies half on its grid, or in the picture, and half beyond.

    Nobody looked beyond, so no board with such a domino was weighed; `presence` (rows, cols) is how probable a tile is
    on each place, `seen` the visible share of each, None where all are whole. Places at the rim of the grid and of the
    picture count that touch the board and on which it could go on.
    """
    rows, cols = presence.shape
    hidden = np.pad(np.zeros((rows, cols), bool) if seen is None else seen < HALF, 1, constant_values=True)
    rim = [
        place
        for place in find_neighbours(board, rows, cols)
        if any(hidden[n.row + 1, n.col + 1] for n in _around(place))
    ]
    likely = [presence[place] for place in rim if presence[place] > A_SIGN and can_grow(board, place)]
    return float(np.prod([1 - chance for chance in likely]))


def _around(place: Square) -> list[Square]:
    """The four places beside one, also those off the grid."""
    row, col = place
    return [Square(row - 1, col), Square(row, col + 1), Square(row + 1, col), Square(row, col - 1)]


def find_neighbours(board: Collection[Square], rows: int, cols: int) -> list[Square]:
    """Return the places of a grid that touch the board's squares and are none of them."""
    around = {near for square in board for near in square.neighbours()} - set(board)
    return sorted(place for place in around if 0 <= place.row < rows and 0 <= place.col < cols)


def can_grow(board: Collection[Square], place: Square) -> bool:
    """Whether a tile on a place beside the board would leave it in the frame of a game (kingdomino/mighty-duel).

    The game is taken to be the smallest that allows the board: one as wide as that allows has no more columns, and one
    as high no more rows.
    """
    spans = [(min(lines), max(lines)) for lines in ([s.row for s in board], [s.col for s in board])]
    longest = max(last - first + 1 for first, last in spans)
    side = min((side for side in SIDES if side >= longest), default=longest)
    beyond = [not first <= here <= last for (first, last), here in zip(spans, (place.row, place.col), strict=True)]
    return not any(out and last - first + 1 >= side for out, (first, last) in zip(beyond, spans, strict=True))
