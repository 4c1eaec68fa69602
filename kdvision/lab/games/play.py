"""Simulated games of Kingdomino: kingdoms as they come out of real play, for pictures and for measuring.

Random boards would teach the wrong counts: in play territories grow, the same forty-eight dominoes are shared by all
kingdoms, and some are thrown away. So whole drafts are played: a line of dominoes, kings that choose in turn, the
connection rule, the side limit, and players who are greedy on most turns and careless on others.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from kdvision.game.board import Board, Cell, Square, Terrain
from kdvision.game.deck import KINGDOMINO, Deck, Domino

_DOMINOES_PER_PLAYER = 12
_MIGHTY_DUEL = (2, 7)


class Placement(NamedTuple):
    """A domino on the table; squares are relative to the castle, so rows and columns may be negative."""

    domino: Domino
    left: Square
    right: Square


@dataclass(frozen=True)
class PlayedKingdom:
    """One player's kingdom after some turns. The castle lies on (0, 0); `placements` are in the order of play."""

    placements: tuple[Placement, ...]
    discarded: tuple[Domino, ...] = ()

    @property
    def castle(self) -> Square:
        """The castle's square, always (0, 0)."""
        return Square(0, 0)

    @cached_property
    def top_left(self) -> Square:
        """The corner of the smallest rectangle around the kingdom; subtract it to get squares of `board`."""
        squares = [self.castle, *(square for p in self.placements for square in (p.left, p.right))]
        return Square(min(s.row for s in squares), min(s.col for s in squares))

    @cached_property
    def board(self) -> Board:
        """The board, its frame the smallest rectangle around the kingdom."""
        cells = {self.castle: Cell(Terrain.CASTLE)}
        for domino, left, right in self.placements:
            cells[left], cells[right] = domino.left, domino.right
        top, first = self.top_left
        return Board({Square(s.row - top, s.col - first): cell for s, cell in cells.items()})


def play(
    rng: np.random.Generator,
    *,
    players: int,
    side: int = 5,
    turns: int | None = None,
    deck: Deck = KINGDOMINO,
    care: tuple[float, float] = (0.35, 1.0),
) -> list[PlayedKingdom]:
    """The kingdoms of one simulated game, in seat order.

    Two players draw lines of four and take two dominoes a turn, from 24 dominoes (5x5) or from all 48 (7x7, The Mighty
    Duel); three draw lines of three from 36, four lines of four from 48. `turns` stops after that many lines have been
    placed (None: to the end). Players think about so many of their moves (`care`, least and most likely); the others
    are random. Equal generators give equal games.
    """
    if not 2 <= players <= 4:
        raise ValueError(f"a game has 2 to 4 players, not {players}")
    count = len(deck) if (players, side) == _MIGHTY_DUEL else min(len(deck), players * _DOMINOES_PER_PLAYER)
    width = 3 if players == 3 else 4
    drawn = [int(i) for i in rng.permutation(len(deck))[:count]]
    lines = [[deck[i] for i in sorted(drawn[start : start + width])] for start in range(0, count, width)]
    kings = 2 if players == 2 else 1
    return draft(rng, lines, kingdoms=players, kings=kings, side=side, turns=turns, care=care)


def draft(
    rng: np.random.Generator,
    lines: Sequence[Sequence[Domino]],
    *,
    kingdoms: int,
    kings: int,
    side: int,
    turns: int | None = None,
    care: tuple[float, float] = (0.35, 1.0),
) -> list[PlayedKingdom]:
    """The kingdoms after `lines` of dominoes (the first `turns` of them) were chosen by so many kings each, and placed.

    Dominoes that no king stands on are left over.
    """
    seats = [_Seat(side, care=float(rng.uniform(*care)), chance=_chances(rng)) for _ in range(kingdoms)]
    drawn = [int(k) for k in rng.permutation([*range(kingdoms)] * kings)]
    order: list[tuple[int, Domino | None]] = [(king, None) for king in drawn]
    for line in [*lines, ()][: None if turns is None else turns + 1]:
        order = _round(order, list(line), seats)
    return [PlayedKingdom(tuple(seat.placements), tuple(seat.discarded)) for seat in seats]


def _round(
    order: Sequence[tuple[int, Domino | None]], line: list[Domino], seats: Sequence["_Seat"]
) -> list[tuple[int, Domino | None]]:
    """Each king in turn places the domino it stands on and moves to one of the new line; the next round's order."""
    claims: dict[int, int] = {}
    for player, domino in order:
        if domino is not None:
            seats[player].place(domino)
        free = [slot for slot in range(len(line)) if slot not in claims]
        if free:
            claims[seats[player].pick(line, free)] = player
    return [(claims[slot], line[slot]) for slot in sorted(claims)]


def _chances(rng: np.random.Generator) -> Callable[[], float]:
    """Uniform numbers in [0, 1) from the generator, drawn a thousand at a time: one by one they would be slow."""

    def stream() -> Iterator[float]:
        while True:
            yield from rng.random(1000).tolist()

    numbers = stream()
    return lambda: next(numbers)


class _Seat:
    """A player at work: the table as a flat list with a margin, territories as growing lists."""

    def __init__(self, side: int, *, care: float, chance: Callable[[], float]) -> None:
        self.side, self.care, self.chance = side, care, chance
        self.stride = 2 * side + 1
        self.origin = side * self.stride + side
        self.steps = (-self.stride, 1, self.stride, -1)
        self.cells: dict[int, Cell] = {self.origin: Cell(Terrain.CASTLE)}
        self.territory: dict[int, _Patch] = {}
        self.span = (side, side, side, side)  # top, bottom, left, right of what is built
        self.placements: list[Placement] = []
        self.discarded: list[Domino] = []

    def pick(self, line: Sequence[Domino], free: Sequence[int]) -> int:
        """The slot of the line this player moves a king to."""
        if self.chance() > self.care:
            return free[int(self.chance() * len(free))]
        return max(free, key=lambda slot: self._best(line[slot])[0])

    def place(self, domino: Domino) -> None:
        """Put the domino down where the player likes it, or throw it away when it fits nowhere."""
        if self.chance() > self.care:
            spots = list(self._spots(domino))
            spot = spots[int(self.chance() * len(spots))] if spots else None
        else:
            spot = self._best(domino)[1]
        if spot is None:
            self.discarded.append(domino)
            return
        for at, cell in zip(spot, (domino.left, domino.right), strict=True):
            self._put(at, cell)
        self.placements.append(Placement(domino, self._square(spot[0]), self._square(spot[1])))

    def _best(self, domino: Domino) -> tuple[float, tuple[int, int] | None]:
        rated = [(self._gain(domino, spot) + 0.5 * self.chance(), spot) for spot in self._spots(domino)]
        return max(rated, default=(-1.0, None))

    def _spots(self, domino: Domino) -> Iterator[tuple[int, int]]:
        """Every legal place for the domino: (square of its left half, square of its right half)."""
        allowed = self._allowed()
        left, right = self._docks(domino.left.terrain, allowed), self._docks(domino.right.terrain, allowed)
        for at in sorted(left):
            yield from ((at, at + step) for step in self.steps if self._fits(at, at + step, allowed))
        for at in sorted(right):
            for step in self.steps:
                if at + step not in left and self._fits(at, at + step, allowed):
                    yield at + step, at

    def _allowed(self) -> tuple[int, int, int, int]:
        top, bottom, first, last = self.span
        reach = self.side - 1
        return bottom - reach, top + reach, last - reach, first + reach

    def _docks(self, terrain: Terrain, allowed: tuple[int, int, int, int]) -> set[int]:
        """Empty squares within the limits that touch the castle or a square of the terrain."""
        cells, hosts = self.cells, (terrain, Terrain.CASTLE)
        around = {at + step for at, cell in cells.items() if cell.terrain in hosts for step in self.steps}
        return {at for at in around if at not in cells and self._inside(at, allowed)}

    def _inside(self, at: int, allowed: tuple[int, int, int, int]) -> bool:
        row, col = divmod(at, self.stride)
        return allowed[0] <= row <= allowed[1] and allowed[2] <= col <= allowed[3]

    def _fits(self, dock: int, other: int, allowed: tuple[int, int, int, int]) -> bool:
        """Whether the half beside the docked one has room; both together must stay within the side."""
        if other in self.cells or not self._inside(other, allowed):
            return False
        (r1, c1), (r2, c2) = divmod(dock, self.stride), divmod(other, self.stride)
        top, bottom, first, last = self.span
        tall = max(bottom, r1, r2) - min(top, r1, r2) < self.side
        return tall and max(last, c1, c2) - min(first, c1, c2) < self.side

    def _gain(self, domino: Domino, spot: tuple[int, int]) -> float:
        """Points won at once, and a little for joining territories and for leaving no gaps."""
        one, two = domino.left, domino.right
        here, there = self._touching(spot[0], one.terrain), self._touching(spot[1], two.terrain)
        if one.terrain is two.terrain:
            gain = _gain(here | there, squares=2, crowns=one.crowns + two.crowns)
        else:
            gain = _gain(here, squares=1, crowns=one.crowns) + _gain(there, squares=1, crowns=two.crowns)
        snug = sum(at + step in self.cells for at in spot for step in self.steps)
        return gain + 0.8 * (len(here) + len(there)) + 0.15 * snug

    def _touching(self, at: int, terrain: Terrain) -> set["_Patch"]:
        patches = (self.territory.get(at + step) for step in self.steps)
        return {patch for patch in patches if patch is not None and patch.terrain is terrain}

    def _put(self, at: int, cell: Cell) -> None:
        merged = _Patch(cell.terrain, [at], cell.crowns)
        for patch in self._touching(at, cell.terrain):
            merged.squares += patch.squares
            merged.crowns += patch.crowns
        self.cells[at] = cell
        self.territory.update(dict.fromkeys(merged.squares, merged))
        row, col = divmod(at, self.stride)
        top, bottom, first, last = self.span
        self.span = (min(top, row), max(bottom, row), min(first, col), max(last, col))

    def _square(self, at: int) -> Square:
        row, col = divmod(at, self.stride)
        return Square(row - self.side, col - self.side)


@dataclass(eq=False)
class _Patch:
    """A territory while it grows."""

    terrain: Terrain
    squares: list[int]
    crowns: int


def _gain(patches: set[_Patch], *, squares: int, crowns: int) -> float:
    before = sum(len(p.squares) * p.crowns for p in patches)
    after = (sum(len(p.squares) for p in patches) + squares) * (sum(p.crowns for p in patches) + crowns)
    return after - before
