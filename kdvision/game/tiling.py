"""Which dominoes of a box can lie under a board: an exact search over all ways to pair its squares.

Squares are numbered and sets of them are bits of an int. The search takes the square with the fewest partners left
first; when the box's last domino of a face is used, all other places for it are closed at once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from kdvision.game.board import Board, Cell, Square, Terrain
from kdvision.game.deck import Deck, index_deck

UNLIMITED: Final = 99
"""A supply that is larger than the number of places for one face on any board."""

Pair = tuple[int, int]
"""Two squares that one domino covers, by their numbers in a Puzzle."""


class Undecided(Exception):
    """The search was stopped because there are too many ways to look at."""


@dataclass(frozen=True)
class Puzzle:
    """The squares of a board to be paired: `face[i][j]` is the face a domino on i and j would show.

    As bits: `docks` are the squares beside a castle, `kin[i]` the neighbours of i with the same terrain.
    """

    squares: tuple[Square, ...]
    face: tuple[dict[int, int], ...]
    docks: int
    kin: tuple[int, ...]

    @property
    def everything(self) -> int:
        """All squares, as bits."""
        return (1 << len(self.squares)) - 1

    @cached_property
    def partners(self) -> tuple[int, ...]:
        """For each square the squares it can share a domino with, as bits."""
        return tuple(sum(1 << j for j in row) for row in self.face)

    @cached_property
    def places(self) -> dict[int, list[Pair]]:
        """For each face the pairs of squares that would show it."""
        places: dict[int, list[Pair]] = {}
        for i, row in enumerate(self.face):
            for j, face in row.items():
                if i < j:
                    places.setdefault(face, []).append((i, j))
        return places


@lru_cache(maxsize=64)
def make_puzzle(board: Board, deck: Deck) -> Puzzle:
    """Return the puzzle of a board: all squares but the castles, paired if the deck has a domino for both."""
    squares = tuple(square for square, cell in board.items() if cell.terrain is not Terrain.CASTLE)
    index = {square: i for i, square in enumerate(squares)}
    known, nothing = index_deck(deck).number, dict[Cell, int]()
    face: tuple[dict[int, int], ...] = tuple({} for _ in squares)
    kin = [0] * len(squares)
    for i, square in enumerate(squares):
        cell = board[square]
        faces = known.get(cell, nothing)
        for near in square.neighbours()[1:3]:
            j = index.get(near)
            if j is None:
                continue
            other = board[near]
            if other in faces:
                face[i][j] = face[j][i] = faces[other]
            if other.terrain is cell.terrain:
                kin[i] |= 1 << j
                kin[j] |= 1 << i
    docks = {index[near] for castle in board.castles() for near in castle.neighbours() if near in index}
    return Puzzle(squares, face, sum(1 << i for i in docks), tuple(kin))


def find_tilings(of: Puzzle, supply: Sequence[int], *, budget: int = 100_000) -> Iterator[tuple[Pair, ...]]:
    """Yield every way to cover all squares by dominoes in supply; raises Undecided after `budget` steps."""
    return _Search(of, supply, budget).find_all()


class _Search:
    """A depth-first search; `dead` holds the positions from which no tiling was found."""

    def __init__(self, of: Puzzle, supply: Sequence[int], budget: int) -> None:
        self.of, self.budget = of, budget
        self.near = list(of.partners)
        self.places = of.places
        self.left = list(supply)
        self.scarce = [face for face, pairs in self.places.items() if len(pairs) > supply[face]]
        self.dead: set[tuple[int, ...]] = set()
        for face in self.places:
            if not self.left[face]:
                self._close(face, self.of.everything)

    def find_all(self) -> Iterator[tuple[Pair, ...]]:
        return self._cover(self.of.everything, [])

    def _cover(self, free: int, laid: list[Pair]) -> Iterator[tuple[Pair, ...]]:
        if not free:
            yield tuple(laid)
            return
        if not self.budget:
            raise Undecided
        key = (free, *(self.left[face] for face in self.scarce))
        if key in self.dead:
            return
        self.budget -= 1
        found = False
        square, options = self._tightest(free)
        while options:
            bit = options & -options
            options ^= bit
            pair = (square, bit.bit_length() - 1)
            for tiling in self._lay(pair, free, laid):
                found = True
                yield tiling
        if not found:
            self.dead.add(key)

    def _lay(self, pair: Pair, free: int, laid: list[Pair]) -> Iterator[tuple[Pair, ...]]:
        i, j = pair
        rest, face = free & ~(1 << i | 1 << j), self.of.face[i][j]
        self.left[face] -= 1
        closed = self._close(face, rest) if not self.left[face] else ()
        laid.append(pair)
        yield from self._cover(rest, laid)
        laid.pop()
        self.left[face] += 1
        for a, b in closed:
            self.near[a] |= 1 << b
            self.near[b] |= 1 << a

    def _close(self, face: int, free: int) -> list[Pair]:
        """Remove and return all free places of a face that has run out."""
        closed = [(a, b) for a, b in self.places[face] if free >> a & free >> b & 1]
        for a, b in closed:
            self.near[a] &= ~(1 << b)
            self.near[b] &= ~(1 << a)
        return closed

    def _tightest(self, free: int) -> tuple[int, int]:
        """Return the free square with the fewest partners, and these partners."""
        near, square, options, least = self.near, -1, 0, 9
        rest = free
        while rest:
            bit = rest & -rest
            rest ^= bit
            here = bit.bit_length() - 1
            partners = near[here] & free
            count = partners.bit_count()
            if count < least:
                square, options, least = here, partners, count
                if count < 2:
                    break
        return square, options


def find_unreachable(of: Puzzle, tiling: Sequence[Pair]) -> frozenset[int]:
    """Return the squares that no order of play can have laid, as numbers of the puzzle; empty for a valid kingdom.

    A domino can be laid once a side of it touches the castle, or the same terrain of a domino laid before
    (kingdomino/connection). What can be laid never hinders another, so laying whatever fits finds the best order.
    """
    near = list(of.kin)
    for i, j in tiling:
        near[i] |= 1 << j
        near[j] |= 1 << i
    laid, todo = 0, of.docks
    while todo:
        bit = todo & -todo
        laid |= bit
        todo = (todo | near[bit.bit_length() - 1]) & ~laid
    return frozenset(i for i in range(len(of.squares)) if not laid >> i & 1) if laid != of.everything else frozenset()


def find_unpaired(of: Puzzle) -> tuple[Square, ...]:
    """Return the squares left over if as many as possible are paired, whatever the supply."""
    mate: dict[int, int] = {}

    def place(i: int, tried: set[int]) -> bool:
        for j in of.face[i]:
            if j not in tried:
                tried.add(j)
                if j not in mate or place(mate[j], tried):
                    mate[j] = i
                    return True
        return False

    dark = [i for i, square in enumerate(of.squares) if (square.row + square.col) % 2]
    lost = {i for i in dark if not place(i, set())}
    light = set(range(len(of.squares))) - set(dark) - mate.keys()
    return tuple(of.squares[i] for i in sorted(lost | light))


def count_fewest(of: Puzzle, face: int, most: int) -> int:
    """Return the fewest dominoes of one face with which the board can be tiled, at most `most` + 1."""
    supply = [UNLIMITED] * (max((f for row in of.face for f in row.values()), default=face) + 1)
    for count in range(most + 1):
        supply[face] = count
        if next(find_tilings(of, supply), None) is not None:
            return count
    return most + 1
