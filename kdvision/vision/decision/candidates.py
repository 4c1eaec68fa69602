"""Everything that could lie on the grids of a photo, with what it costs: the columns of the programme behind `decide`.

A *piece* is a domino of the deck on two neighbouring squares, a castle, or, at a price, something that no box explains:
a foreign domino, a lone half. Its cost is what the readings lose when the piece lies there instead of bare table.
Pieces have numbers, and few of the thousands are ever written out: the catalogue keeps them as tables.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kdvision.game.deck import Deck, faces
from kdvision.vision.reading import CASTLE, NOTHING

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Mask = NDArray[np.bool_]
IMPOSSIBLE: Final = 1e6
"""The cost of what cannot lie there: more than any board costs, and still a number one can add to."""

Bonds = tuple[Floats, Floats]
"""Log-odds that two neighbours are one domino: to the right (rows, cols - 1), downwards (rows - 1, cols)."""


@dataclass(frozen=True)
class Prices:
    """What it costs, in natural log units, to leave the rules; 7 is about one in a thousand.

    A domino that no box has, or not so often, is no rarer: people mix boxes and make tiles of their own.
    """

    foreign_domino: float = 7.0
    lone_half: float = 12.0
    no_castle: float = 11.0
    too_wide: float = 12.0
    larger_side: float = 3.0
    detached: float = 6.0


@dataclass(frozen=True)
class Frame:
    """One kingdom's grid; its squares are numbered row by row from `start`, so that all grids share one numbering."""

    start: int
    rows: int
    cols: int

    @property
    def numbers(self) -> Ints:
        """The numbers of the squares, shape (rows, cols)."""
        return np.arange(self.start, self.end).reshape(self.rows, self.cols)

    @property
    def end(self) -> int:
        """The number after the last square's."""
        return self.start + self.rows * self.cols

    def around(self, number: int) -> tuple[int, ...]:
        """The squares of the grid that share an edge with this one."""
        row, col = divmod(number - self.start, self.cols)
        near = ((row - 1, col), (row, col + 1), (row + 1, col), (row, col - 1))
        return tuple(self.start + r * self.cols + c for r, c in near if 0 <= r < self.rows and 0 <= c < self.cols)


@dataclass(frozen=True)
class Candidates:
    """Pieces as parallel arrays; `second`, `other` and `face` are -1 for pieces of one square or of no face."""

    number: Ints
    cost: Floats
    first: Ints
    second: Ints
    kind: Ints
    other: Ints
    face: Ints
    castle: Mask
    foreign: Mask

    @property
    def covered(self) -> Ints:
        """The squares that the pieces cover, one after another."""
        return np.concatenate([self.first, self.second[self.second >= 0]])


@dataclass(frozen=True)
class Catalogue:
    """All pieces on all grids, by pairs of neighbours and by squares.

    `pairs` (pairs, 2) are squares; `shown` (ways, 3) are kind, other kind and face of every way a domino can show
    itself; `domino` (pairs, ways), `foreign` (pairs), `lone` and `castle` (squares) are costs. A foreign domino shows
    the `likely` kind of each of its squares, a lone half the `half` (it may be one castle too many). Pieces have their
    numbers in this order, row by row.
    """

    frames: tuple[Frame, ...]
    kinds: tuple[str, ...]
    pairs: Ints
    shown: Ints
    stock: Ints
    domino: Floats
    foreign: Floats
    lone: Floats
    castle: Floats
    likely: Ints
    half: Ints

    @cached_property
    def costs(self) -> Floats:
        """The cost of every piece, by its number."""
        return np.concatenate([self.domino.ravel(), self.foreign, self.lone, self.castle])

    @cached_property
    def throne(self) -> int:
        """The number of the castle's kind, -1 where it is none that could be read."""
        return self.kinds.index(CASTLE) if CASTLE in self.kinds else -1

    @property
    def squares(self) -> int:
        """How many squares all grids have."""
        return self.frames[-1].end

    @cached_property
    def near(self) -> tuple[tuple[int, ...], ...]:
        """For each square those that share an edge with it."""
        return tuple(frame.around(square) for frame in self.frames for square in range(frame.start, frame.end))

    @cached_property
    def owner(self) -> Ints:
        """The kingdom of every square."""
        return np.repeat(np.arange(len(self.frames)), [frame.rows * frame.cols for frame in self.frames])

    @cached_property
    def starts(self) -> tuple[int, int, int]:
        """The numbers of the first foreign domino, the first lone half and the first castle."""
        foreign = self.domino.size
        return foreign, foreign + len(self.pairs), foreign + len(self.pairs) + self.squares

    def pieces(self, numbers: Ints) -> Candidates:
        """The pieces with these numbers, written out."""
        foreign, lone, castle = self.starts
        ways, two, faced = len(self.shown), numbers < lone, numbers < foreign
        pair = np.where(faced, numbers // max(ways, 1), np.where(two, numbers - foreign, 0))
        square = np.where(numbers < castle, numbers - lone, numbers - castle)
        first = np.where(two, self.pairs[pair, 0], square)
        second = np.where(two, self.pairs[pair, 1], -1)
        way = self.shown[np.where(faced, numbers % max(ways, 1), 0)] if ways else np.zeros((len(numbers), 3), np.intp)
        kind = np.where(
            faced,
            way[:, 0],
            np.where(numbers >= castle, self.throne, np.where(two, self.likely[first], self.half[first])),
        )
        other = np.where(two, np.where(faced, way[:, 1], self.likely[second]), -1)
        return Candidates(
            number=numbers,
            cost=self.costs[numbers],
            first=first,
            second=second,
            kind=kind,
            other=other,
            face=np.where(faced, way[:, 2], -1),
            castle=numbers >= castle,
            foreign=(numbers >= foreign) & (numbers < castle),
        )


def frames_of(losses: Sequence[Floats]) -> tuple[Frame, ...]:
    """The frames of arrays (rows, cols, kinds), numbered one after another."""
    starts = np.cumsum([0, *(loss.shape[0] * loss.shape[1] for loss in losses)])
    return tuple(Frame(int(start), *loss.shape[:2]) for start, loss in zip(starts, losses, strict=False))


def stock_of(deck: Deck, kinds: tuple[str, ...]) -> tuple[Ints, Ints]:
    """Every way a domino can show itself (n, 3: kind, other kind, face), and how many dominoes have each face.

    Dominoes with a kind that the reading does not know are left out.
    """
    stock = {face: count for face, count in faces(deck).items() if {str(face[0]), str(face[1])} <= set(kinds)}
    shown = []
    for number, (one, two) in enumerate(stock):
        a, b = kinds.index(str(one)), kinds.index(str(two))
        shown += [(a, b, number)] if a == b else [(a, b, number), (b, a, number)]
    return np.array(shown, dtype=np.intp).reshape(-1, 3), np.array(list(stock.values()), dtype=np.intp)


def catalogue(
    losses: Sequence[Floats], bonds: Sequence[Bonds | None], deck: Deck, kinds: tuple[str, ...], prices: Prices
) -> Catalogue:
    """All pieces on all grids. `losses` are arrays (rows, cols, kinds), minus the logarithm of each probability."""
    shown, stock = stock_of(deck, kinds)
    flat = np.concatenate([loss.reshape(-1, len(kinds)) for loss in losses])
    frames = frames_of(losses)
    pairs, gains = _pairs(frames, bonds)
    cost = flat - flat[:, [kinds.index(NOTHING)]]
    tiles = np.array([number for number, kind in enumerate(kinds) if kind not in (NOTHING, CASTLE)])
    alone = np.array([number for number, kind in enumerate(kinds) if kind != NOTHING])
    likely = tiles[flat[:, tiles].argmin(axis=1)]
    half = alone[flat[:, alone].argmin(axis=1)]
    best = cost[np.arange(len(flat)), likely]
    return Catalogue(
        frames=frames,
        kinds=kinds,
        pairs=pairs,
        shown=shown,
        stock=stock,
        domino=cost[pairs[:, :1], shown[:, 0]] + cost[pairs[:, 1:], shown[:, 1]] - gains[:, None],
        foreign=best[pairs].sum(axis=1) - gains + prices.foreign_domino,
        lone=cost[np.arange(len(flat)), half] + prices.lone_half,
        castle=cost[:, kinds.index(CASTLE)] if CASTLE in kinds else np.full(len(flat), IMPOSSIBLE),
        likely=likely,
        half=half,
    )


def _pairs(frames: Sequence[Frame], bonds: Sequence[Bonds | None]) -> tuple[Ints, Floats]:
    """All neighbouring squares (n, 2) and the log-odds that each two are one domino."""
    pairs, gains = [], []
    for frame, bond in zip(frames, bonds, strict=True):
        numbers = frame.numbers
        pairs.append(np.stack([numbers[:, :-1].ravel(), numbers[:, 1:].ravel()], axis=1))
        pairs.append(np.stack([numbers[:-1].ravel(), numbers[1:].ravel()], axis=1))
        gains += [np.zeros(len(pairs[-2]) + len(pairs[-1]))] if bond is None else [part.ravel() for part in bond]
    return np.concatenate(pairs), np.concatenate(gains)
