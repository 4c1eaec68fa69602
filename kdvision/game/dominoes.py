"""Dominoes named: which dominoes of the box lie where under a board."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from kdvision.game.board import Board, Square
from kdvision.game.deck import Deck
from kdvision.game.tiling import Pair, Puzzle, box, puzzle, tilings, unbuilt

MANY: Final = 100
"""Readings are counted up to this number."""


@dataclass(frozen=True, slots=True)
class Placed:
    """One domino on the board: its squares, and the numbers it can have.

    Dominoes with the same face have several numbers; no picture tells them apart. `sure` is false where another
    reading of the board lays another domino here.
    """

    squares: tuple[Square, Square]
    numbers: tuple[int | str, ...]
    sure: bool

    def __str__(self) -> str:
        number = " or ".join(str(number) for number in self.numbers)
        return f"{self.squares[0].name}-{self.squares[1].name}: {number}{'' if self.sure else ' (or otherwise)'}"


@dataclass(frozen=True, slots=True)
class Naming:
    """The dominoes of one reading of a board, from the top left, and how many readings fit (MANY: so many or more)."""

    placed: tuple[Placed, ...]
    readings: int


def dominoes(board: Board, deck: Deck) -> Naming | None:
    """The dominoes that lie on a legal board; None where there is no legal way to lay it.

    Raises Undecided for boards with too many ways to look at.
    """
    of, supply = puzzle(board, deck), box(deck).supply
    ways = list(islice(_legal(of, supply), MANY))
    if not ways:
        return None
    numbers: dict[int, list[int | str]] = {}
    for domino in deck:
        numbers.setdefault(box(deck).number[domino.left][domino.right], []).append(domino.number)
    placed = [
        Placed(_squares(of, pair), tuple(numbers[of.face[pair[0]][pair[1]]]), _sure(of, supply, pair, ways))
        for pair in ways[0]
    ]
    return Naming(tuple(sorted(placed, key=lambda domino: domino.squares)), len(ways))


def _legal(of: Puzzle, supply: tuple[int, ...]) -> Iterator[tuple[Pair, ...]]:
    return (tiling for tiling in tilings(of, supply) if not unbuilt(of, tiling))


def _squares(of: Puzzle, pair: Pair) -> tuple[Square, Square]:
    first, second = sorted(of.squares[i] for i in pair)
    return first, second


def _sure(of: Puzzle, supply: tuple[int, ...], pair: Pair, ways: list[tuple[Pair, ...]]) -> bool:
    """Whether every reading lays this domino: among those at hand, or all if there are more."""
    i, j = pair
    if not all(pair in way or (j, i) in way for way in ways):
        return False
    if len(ways) < MANY:
        return True
    face = tuple({k: f for k, f in row.items() if {n, k} != {i, j}} for n, row in enumerate(of.face))
    return next(_legal(replace(of, face=face), supply), None) is None
