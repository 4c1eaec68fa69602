"""The integer programme behind `decide`: which pieces lie on the grids of a photo.

Columns are pieces, windows (where on its grid a kingdom of side x side lies) and ways out at a price; rows say that a
square is covered once and inside the window, that no face is used more often than the box has it, and that each kingdom
has one castle.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

import numpy as np
from scipy import sparse

from kdvision.game.deck import Deck
from kdvision.vision.candidates import (
    Bonds,
    Candidates,
    Floats,
    Frame,
    Ints,
    Mask,
    Prices,
    catalogue,
    frames_of,
    stock_of,
)

SIDES: Final = (5, 7)
"""The sides a kingdom may have where none is given."""


@dataclass(frozen=True)
class Programme:
    """The programme of one photo: built once, solved with this or that forbidden.

    Rows are castles and windows (one equation for each kingdom each), then squares, faces, and larger sides (one for
    each kingdom) as upper limits. Columns are all pieces, then the fixed ones: no castle, windows, the larger side.
    """

    pieces: Candidates
    frames: tuple[Frame, ...]
    limits: Floats
    matrix: sparse.csc_array = field(repr=False)
    fixed_cost: Floats = field(repr=False)

    @property
    def equations(self) -> int:
        """How many of the rows are equations; they come first."""
        return 2 * len(self.frames)

    @property
    def stock(self) -> slice:
        """The rows of the faces."""
        return slice(self.equations + self.frames[-1].end, len(self.limits) - len(self.frames))

    def only(self, keep: Mask, *, used: Ints | None = None) -> "Programme":
        """The same with fewer pieces, and, where given, with so many dominoes of each face lying elsewhere."""
        columns = np.concatenate([keep, np.ones(len(self.fixed_cost), bool)])
        limits = self.limits.copy()
        limits[self.stock] -= 0 if used is None else used
        return replace(self, pieces=self.pieces.only(keep), limits=limits, matrix=self.matrix[:, columns])

    @cached_property
    def transposed(self) -> sparse.csr_array:
        """The matrix with rows for pieces, for pricing."""
        return sparse.csr_array(self.matrix.T)


def build(
    losses: Sequence[Floats],
    kinds: tuple[str, ...],
    deck: Deck,
    *,
    side: int | None,
    bonds: Sequence[Bonds | None],
    prices: Prices,
) -> Programme:
    """The programme for the kingdoms of a photo; `losses` (rows, cols, kinds) are minus the log of probabilities."""
    shown, stock = stock_of(deck, kinds)
    frames = frames_of(losses)
    pieces = catalogue(losses, bonds, shown, kinds, prices)
    fixed, cost = _fixed(frames, len(stock), side, prices)
    matrix = sparse.csc_array(sparse.hstack([_piece_columns(pieces, frames, fixed.shape[0]), fixed]))
    limits = np.concatenate([np.ones(2 * len(frames)), np.zeros(frames[-1].end), stock, np.zeros(len(frames))])
    return Programme(pieces, frames, limits, matrix, cost)


def _piece_columns(pieces: Candidates, frames: Sequence[Frame], rows: int) -> sparse.csc_array:
    """A one in the rows of each piece's squares, of its face, and, for castles, of its kingdom's castle."""
    base, squares, numbers = 2 * len(frames), frames[-1].end, np.arange(len(pieces.cost))
    two, faced, castle = pieces.second >= 0, pieces.face >= 0, pieces.castle
    owner = np.repeat(np.arange(len(frames)), [frame.rows * frame.cols for frame in frames])
    where = [base + pieces.first, base + pieces.second[two], base + squares + pieces.face[faced]]
    ones = np.concatenate([*where, owner[pieces.first[castle]]])
    columns = np.concatenate([numbers, numbers[two], numbers[faced], numbers[castle]])
    return sparse.csc_array((np.ones(len(columns)), (ones, columns)), shape=(rows, len(numbers)))


def _fixed(frames: Sequence[Frame], faces: int, side: int | None, prices: Prices) -> tuple[sparse.csc_array, Floats]:
    """The columns that are no pieces: no castle, each window, and that the photo's side is the larger one."""
    many = len(frames)
    larger = 2 * many + frames[-1].end + faces
    entries: list[tuple[Ints, Floats]] = []
    costs: list[float] = []
    for number, frame in enumerate(frames):
        entries.append((np.array([number]), np.array([1.0])))
        costs.append(prices.no_castle)
        for size, price in _sizes(frame, side, prices):
            for window in frame.windows(size):
                grows = [larger + number] if side is None and size > SIDES[0] else []
                rows = np.concatenate([[many + number], 2 * many + window, grows]).astype(np.intp)
                entries.append((rows, np.concatenate([[1.0], np.full(len(window), -1.0), np.ones(len(grows))])))
                costs.append(price)
    entries.append((larger + np.arange(many), np.full(many, -1.0)))
    costs.append(prices.larger_side)
    return _columns(entries, larger + many), np.array(costs)


def _sizes(frame: Frame, side: int | None, prices: Prices) -> list[tuple[int, float]]:
    """The sides a kingdom may have on this grid, each with its price; the grid itself is the dearest way out."""
    most = max(frame.rows, frame.cols)
    sizes = [(size, 0.0) for size in (SIDES if side is None else (side,))]
    fitting = next((number for number, (size, _) in enumerate(sizes) if size >= most), None)
    return [*sizes, (most, prices.too_wide)] if fitting is None else sizes[: fitting + 1]


def _columns(entries: Sequence[tuple[Ints, Floats]], rows: int) -> sparse.csc_array:
    starts = np.cumsum([0, *(len(entry[0]) for entry in entries)])
    data, where = np.concatenate([e[1] for e in entries]), np.concatenate([e[0] for e in entries])
    return sparse.csc_array((data, where, starts), shape=(rows, len(entries)))
