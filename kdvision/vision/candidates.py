"""Everything that could lie on the grids of a photo, with what it costs: the columns of the programme behind `decide`.

A *piece* is a domino of the deck on two neighbouring squares, a castle, or, at a price, something that no box explains:
a foreign domino, a lone half. Its cost is what the readings lose when the piece lies there instead of bare table.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache

import numpy as np
from numpy.typing import NDArray

from kdvision.game.deck import Deck, faces
from kdvision.vision.reading import CASTLE, NOTHING

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Mask = NDArray[np.bool_]
Bonds = tuple[Floats, Floats]
"""Log-odds that two neighbours are one domino: to the right (rows, cols - 1), downwards (rows - 1, cols)."""


@dataclass(frozen=True)
class Prices:
    """What it costs, in natural log units, to leave the rules; 7 is about one in a thousand."""

    foreign_domino: float = 12.0
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
        return _around(self, number)

    def windows(self, side: int) -> list[Ints]:
        """The squares of every place a side x side window has on the grid (cut to the grid where that is smaller)."""
        tall, wide, numbers = min(side, self.rows), min(side, self.cols), self.numbers
        return [
            numbers[top : top + tall, left : left + wide].ravel()
            for top in range(self.rows - tall + 1)
            for left in range(self.cols - wide + 1)
        ]


@cache
def _around(frame: Frame, number: int) -> tuple[int, ...]:
    row, col = divmod(number - frame.start, frame.cols)
    near = ((row - 1, col), (row, col + 1), (row + 1, col), (row, col - 1))
    return tuple(frame.start + r * frame.cols + c for r, c in near if 0 <= r < frame.rows and 0 <= c < frame.cols)


@dataclass(frozen=True)
class Candidates:
    """The catalogue as parallel arrays; `second`, `other` and `face` are -1 for pieces of one square or of no face."""

    cost: Floats
    excess: Floats
    first: Ints
    second: Ints
    kind: Ints
    other: Ints
    face: Ints
    castle: Mask
    foreign: Mask

    def only(self, keep: Mask) -> "Candidates":
        """These pieces alone, numbered anew."""
        return Candidates(**{part.name: getattr(self, part.name)[keep] for part in fields(self)})

    def covering(self, square: int) -> Mask:
        """Which pieces would cover the square."""
        return np.asarray((self.first == square) | (self.second == square))

    def showing(self, square: int, kind: int) -> Mask:
        """Which pieces would show the kind on the square."""
        here = (self.first == square) & (self.kind == kind)
        return np.asarray(here | ((self.second == square) & (self.other == kind)))


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
    losses: Sequence[Floats], bonds: Sequence[Bonds | None], shown: Ints, kinds: tuple[str, ...], prices: Prices
) -> Candidates:
    """All pieces on all grids. `losses` are arrays (rows, cols, kinds), minus the logarithm of each probability."""
    flat = np.concatenate([loss.reshape(-1, len(kinds)) for loss in losses])
    pairs, gains = _pairs(frames_of(losses), bonds)
    cost, excess = flat - flat[:, [kinds.index(NOTHING)]], flat - flat.min(axis=1, keepdims=True)
    tiles = [number for number, kind in enumerate(kinds) if kind not in (NOTHING, CASTLE)]
    castles = [number for number, kind in enumerate(kinds) if kind == CASTLE]
    groups = [_dominoes(pairs, shown), _foreign(pairs, flat, tiles)]
    groups += [_lone_halves(flat, tiles + castles), *(_castles(len(flat), castle) for castle in castles)]
    sizes = [len(group) for group in groups]
    first, second, kind, other, face = np.concatenate(groups).T
    bond = np.concatenate([np.repeat(gains, len(shown)), gains, np.zeros(sum(sizes[2:]))])
    price = np.repeat([0.0, prices.foreign_domino, prices.lone_half, 0.0][: len(sizes)], sizes)
    two = second >= 0
    return Candidates(
        cost=cost[first, kind] + np.where(two, cost[second, other], 0) - bond + price,
        excess=excess[first, kind] + np.where(two, excess[second, other], 0) + price,
        first=first,
        second=second,
        kind=kind,
        other=other,
        face=face,
        castle=np.repeat([False, False, False, True][: len(sizes)], sizes),
        foreign=np.repeat([False, True, True, False][: len(sizes)], sizes),
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


def _dominoes(pairs: Ints, shown: Ints) -> Ints:
    """Each way of each face on each pair: rows of first, second, kind, other, face."""
    return np.hstack([np.repeat(pairs, len(shown), axis=0), np.tile(shown, (len(pairs), 1))])


def _foreign(pairs: Ints, losses: Floats, tiles: list[int]) -> Ints:
    """On each pair a domino of no box, showing what the two squares look like most."""
    likely = np.array(tiles)[losses[:, tiles].argmin(axis=1)]
    return np.column_stack([pairs, likely[pairs], np.full(len(pairs), -1)])


def _lone_halves(losses: Floats, tiles: list[int]) -> Ints:
    """On each square half a domino, showing what the square looks like most (it may be one castle too many)."""
    likely = np.array(tiles)[losses[:, tiles].argmin(axis=1)]
    none = np.full(len(losses), -1)
    return np.column_stack([np.arange(len(losses)), none, likely, none, none])


def _castles(squares: int, castle: int) -> Ints:
    none = np.full(squares, -1)
    return np.column_stack([np.arange(squares), none, np.full(squares, castle), none, none])
