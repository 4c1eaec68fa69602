"""Dominoes named: which dominoes of the box lie where under a board, or under all boards of a game."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Final

from kdvision.game.board import Board, Square
from kdvision.game.deck import Deck
from kdvision.game.shared_box import Tiling, filter_readings
from kdvision.game.tiling import Pair, Puzzle, Undecided, find_tilings, find_unreachable, index_deck, make_puzzle

MANY: Final = 1000
"""Readings are looked at up to this number; boards of real games have a few dozen at most."""


@dataclass(frozen=True, slots=True)
class PlacedDomino:
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
    """The dominoes of one reading of a board, from the top left, and how many readings fit (MANY: so many or more).

    `alone` is how many would fit if no other kingdom had taken dominoes from the box.
    """

    placed: tuple[PlacedDomino, ...]
    readings: int
    alone: int


def name_dominoes(board: Board, deck: Deck) -> Naming | None:
    """The dominoes that lie on a legal board; None where there is no legal way to lay it.

    Raises Undecided for boards with too many ways to look at.
    """
    of = make_puzzle(board, deck)
    ways = list(islice(_legal(of, index_deck(deck).supply), MANY))
    return _naming(of, deck, ways, ways)


def name_game_dominoes(boards: Sequence[Board], deck: Deck) -> tuple[Naming | None, ...]:
    """The dominoes of the kingdoms of one game: of each only the readings that leave the others their dominoes.

    None for a board without a legal reading, of which not all is known, or with too many ways to look at; what it uses
    narrows no other. Kingdoms with MANY readings or more, and kingdoms that no one box can have laid, are named each by
    itself.
    """
    puzzles = [make_puzzle(board, deck) for board in boards]
    alone = [() if board.unknown else _ways(of, deck) for board, of in zip(boards, puzzles, strict=True)]
    few = [own if len(own) < MANY else () for own in alone]
    kept: Sequence[Sequence[Tiling]] = [()] * len(boards)
    first = kept
    try:
        kept = filter_readings(puzzles, few, index_deck(deck).supply)
        first = _at_once(puzzles, kept, deck)
    except Undecided:  # then each is named as far as was found
        pass
    named = zip(puzzles, first, kept, alone, strict=True)
    return tuple(_naming(of, deck, fit or own, own, shown) for of, shown, fit, own in named)


def _at_once(puzzles: Sequence[Puzzle], kept: Sequence[Sequence[Tiling]], deck: Deck) -> Sequence[Sequence[Tiling]]:
    """One reading of each kingdom, all from one box: each that was kept goes with some of the others, not with any."""
    for number in range(len(kept)):
        if len(kept[number]) > 1:  # what is chosen narrows the others
            kept = filter_readings(
                puzzles, [*kept[:number], kept[number][:1], *kept[number + 1 :]], index_deck(deck).supply
            )
    return kept


def _ways(of: Puzzle, deck: Deck) -> Sequence[Tiling]:
    try:
        return list(islice(_legal(of, index_deck(deck).supply), MANY))
    except Undecided:
        return ()


def _naming(
    of: Puzzle, deck: Deck, ways: Sequence[Tiling], alone: Sequence[Tiling], shown: Sequence[Tiling] = ()
) -> Naming | None:
    if not ways:
        return None
    numbers = _numbers(deck)
    placed = [
        PlacedDomino(_squares(of, (i, j)), numbers[of.face[i][j]], _sure(of, deck, (i, j), ways))
        for i, j in (shown or ways)[0]
    ]
    return Naming(tuple(sorted(placed, key=lambda domino: domino.squares)), len(ways), len(alone))


@lru_cache(maxsize=8)
def _numbers(deck: Deck) -> list[tuple[int | str, ...]]:
    """For each face of the box the numbers of its dominoes."""
    return [tuple(domino.number for domino in deck if domino.face == face) for face in index_deck(deck).faces]


def _legal(of: Puzzle, supply: Sequence[int]) -> Iterator[Tiling]:
    return (tiling for tiling in find_tilings(of, supply) if not find_unreachable(of, tiling))


def _squares(of: Puzzle, pair: Pair) -> tuple[Square, Square]:
    first, second = sorted(of.squares[i] for i in pair)
    return first, second


def _sure(of: Puzzle, deck: Deck, pair: Pair, ways: Sequence[Tiling]) -> bool:
    """Whether every reading lays this domino: among those at hand, or all if there are more."""
    i, j = pair
    if not all(pair in way or (j, i) in way for way in ways):
        return False
    if len(ways) < MANY:
        return True
    face = tuple({k: f for k, f in row.items() if {n, k} != {i, j}} for n, row in enumerate(of.face))
    return next(_legal(replace(of, face=face), index_deck(deck).supply), None) is None
