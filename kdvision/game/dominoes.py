"""Which dominoes of the box lie where under a board, or under all boards of a game."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from operator import add
from typing import Final

from kdvision.game.board import Board, Square
from kdvision.game.deck import Deck, index_deck
from kdvision.game.tiling import Pair, Puzzle, Undecided, find_tilings, find_unreachable, make_puzzle

Tiling = tuple[Pair, ...]
"""One way to lay a board: the pairs of squares that its dominoes cover."""

Uses = tuple[int, ...]
"""The number of dominoes used of each contested face."""

MAX_READINGS: Final = 1000
"""Readings that are looked at; boards of real games have a few dozen."""

MAX_FRONTIER: Final = 100
"""Largest Pareto frontier of uses; beyond it `Undecided` is raised."""


@dataclass(frozen=True, slots=True)
class PlacedDomino:
    """One domino on the board: its squares and the numbers it can have, several if dominoes look alike.

    `sure` is false if another reading of the board lays another domino here.
    """

    squares: tuple[Square, Square]
    numbers: tuple[int | str, ...]
    sure: bool

    def __str__(self) -> str:
        number = " or ".join(str(number) for number in self.numbers)
        return f"{self.squares[0].name}-{self.squares[1].name}: {number}{'' if self.sure else ' (or otherwise)'}"


@dataclass(frozen=True, slots=True)
class Naming:
    """The dominoes of one reading of a board, from the top left, and the number of readings, at most MAX_READINGS.

    `alone` is the number of readings if no other kingdom had taken dominoes from the box.
    """

    placed: tuple[PlacedDomino, ...]
    readings: int
    alone: int


def name_game_dominoes(boards: Sequence[Board], deck: Deck) -> tuple[Naming | None, ...]:
    """Return the dominoes of the kingdoms of one game, from the readings that leave the others their dominoes.

    None for a board that has no legal reading, unknown squares or too many readings to look at; such a board does not
    restrict the others. Kingdoms with MAX_READINGS or more, and kingdoms that no one box can have laid, are named
    independently.
    """
    puzzles = [make_puzzle(board, deck) for board in boards]
    alone = [() if board.unknown else _list_legal(of, deck) for board, of in zip(boards, puzzles, strict=True)]
    few = [own if len(own) < MAX_READINGS else () for own in alone]
    kept: Sequence[Sequence[Tiling]] = [()] * len(boards)
    chosen = kept
    try:
        kept = filter_readings(puzzles, few, index_deck(deck).supply)
        chosen = _choose_together(puzzles, kept, deck)
    except Undecided:  # name each kingdom by what was found so far
        pass
    rows = zip(puzzles, chosen, kept, alone, strict=True)
    return tuple(_make_naming(of, deck, fit or own, own, shown) for of, shown, fit, own in rows)


def _choose_together(
    puzzles: Sequence[Puzzle], kept: Sequence[Sequence[Tiling]], deck: Deck
) -> Sequence[Sequence[Tiling]]:
    """Return one reading for each kingdom, all from one box. Each choice restricts the following ones."""
    for number in range(len(kept)):
        if len(kept[number]) > 1:
            chosen = [*kept[:number], kept[number][:1], *kept[number + 1 :]]
            kept = filter_readings(puzzles, chosen, index_deck(deck).supply)
    return kept


def _list_legal(of: Puzzle, deck: Deck) -> Sequence[Tiling]:
    try:
        return list(islice(_find_legal(of, index_deck(deck).supply), MAX_READINGS))
    except Undecided:
        return ()


def _make_naming(
    of: Puzzle, deck: Deck, ways: Sequence[Tiling], alone: Sequence[Tiling], shown: Sequence[Tiling]
) -> Naming | None:
    if not ways:
        return None
    numbers = index_deck(deck).numbers
    placed = [
        PlacedDomino(_sort_squares(of, (i, j)), numbers[of.face[i][j]], _is_sure(of, deck, (i, j), ways))
        for i, j in (shown or ways)[0]
    ]
    return Naming(tuple(sorted(placed, key=lambda domino: domino.squares)), len(ways), len(alone))


def _find_legal(of: Puzzle, supply: Sequence[int]) -> Iterator[Tiling]:
    return (tiling for tiling in find_tilings(of, supply) if not find_unreachable(of, tiling))


def _sort_squares(of: Puzzle, pair: Pair) -> tuple[Square, Square]:
    first, second = sorted(of.squares[i] for i in pair)
    return first, second


def _is_sure(of: Puzzle, deck: Deck, pair: Pair, ways: Sequence[Tiling]) -> bool:
    """Return whether every reading lays this domino, also the readings beyond MAX_READINGS."""
    i, j = pair
    if not all(pair in way or (j, i) in way for way in ways):
        return False
    if len(ways) < MAX_READINGS:
        return True
    face = tuple({k: f for k, f in row.items() if {n, k} != {i, j}} for n, row in enumerate(of.face))
    return next(_find_legal(replace(of, face=face), index_deck(deck).supply), None) is None


def filter_readings(puzzles: Sequence[Puzzle], ways: Sequence[Sequence[Tiling]], supply: Uses) -> list[list[Tiling]]:
    """Return, for each kingdom, the tilings that leave every other kingdom one of its own.

    Exact: a tiling is kept if and only if the supply allows it together with some choice for all other kingdoms. A
    kingdom without tilings uses nothing. All lists are empty if no choice fits. Raises Undecided.
    """
    used = [[_count_faces(of, way) for way in own] for of, own in zip(puzzles, ways, strict=True)]
    demand = [sum(max((way[face] for way in own), default=0) for own in used) for face in range(len(supply))]
    contested = [face for face, count in enumerate(supply) if demand[face] > count]
    limit = tuple(supply[face] for face in contested)
    uses = [[tuple(way[face] for face in contested) for way in own] for own in used]
    before = _sum_uses(uses, limit)
    after = _sum_uses(uses[::-1], limit)[::-1]
    fitting = [_select_fitting(set(own), before[k], after[k + 1], limit) for k, own in enumerate(uses)]
    return [
        [way for way, use in zip(own, own_uses, strict=True) if use in fits]
        for own, own_uses, fits in zip(ways, uses, fitting, strict=True)
    ]


def _count_faces(of: Puzzle, way: Tiling) -> Counter[int]:
    return Counter(of.face[i][j] for i, j in way)


def _sum_uses(uses: Sequence[Sequence[Uses]], limit: Uses) -> list[list[Uses]]:
    """Return the Pareto-minimal sums of uses of the first 0, 1, 2, … kingdoms."""
    sums = [[(0,) * len(limit)]]
    for own in uses:
        totals = {tuple(map(add, one, use)) for one in sums[-1] for use in set(own)} if own else set(sums[-1])
        sums.append(_select_minimal(total for total in totals if _is_within(total, limit)))
    return sums


def _select_minimal(uses: Iterable[Uses]) -> list[Uses]:
    """Return the Pareto frontier: the uses that no other one undercuts. Raises Undecided."""
    frontier: list[Uses] = []
    for use in sorted(uses, key=sum):
        if not any(_is_within(other, use) for other in frontier):
            frontier.append(use)
        if len(frontier) > MAX_FRONTIER:
            raise Undecided
    return frontier


def _select_fitting(own: Iterable[Uses], before: Sequence[Uses], after: Sequence[Uses], limit: Uses) -> set[Uses]:
    others = _select_minimal({tuple(map(add, one, other)) for one in before for other in after})
    return {use for use in own if any(_is_within(tuple(map(add, use, rest)), limit) for rest in others)}


def _is_within(use: Uses, limit: Uses) -> bool:
    return all(count <= most for count, most in zip(use, limit, strict=True))
