"""Which dominoes of the box lie where under the boards of a game, and which are missing or too many."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from operator import add
from typing import Final

from kdvision.game.board import Board, Square
from kdvision.game.deck import Deck, index_deck
from kdvision.game.tiling import Pair, Puzzle, Tiling, Undecided, find_legal_tilings, make_puzzle
from kdvision.text import join_words

Numbers = tuple[int | str, ...]
"""The numbers of the dominoes that show one face; they look alike."""

Uses = tuple[int, ...]
"""The number of dominoes used of each contested face."""

MAX_READINGS: Final = 1000
"""Readings that are looked at; boards of real games have a few dozen."""

MAX_FRONTIER: Final = 100
"""Largest Pareto frontier of uses; beyond it `Undecided` is raised."""

MAX_NAMED_DOMINOES: Final = 8


@dataclass(frozen=True, slots=True)
class PlacedDomino:
    """One domino on the board: its squares and the numbers it can have, several if dominoes look alike.

    `sure` is false if another reading of the board lays another domino here.
    """

    squares: tuple[Square, Square]
    numbers: Numbers
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


@dataclass(frozen=True, slots=True)
class FaceCount:
    """Dominoes of one face: their `numbers`, the face in words, how many are meant, and the kingdoms they lie in."""

    numbers: Numbers
    shows: str
    count: int
    kingdoms: tuple[int, ...] = ()

    def __str__(self) -> str:
        numbers = join_words([str(number) for number in self.numbers])
        return f"{'domino' if len(self.numbers) == 1 else f'{self.count} of'} {numbers} ({self.shows})"


@dataclass(frozen=True, slots=True)
class Inventory:
    """The numbers of dominoes in the kingdoms and in the box, those `missing` and those in `excess` of the box.

    `drawn` is how many dominoes are drawn, None if the rules leave it open. `unnamed` are the kingdoms, from 0, whose
    dominoes cannot be named; `missing` is then empty.
    """

    laid: int
    box_size: int
    drawn: int | None = None
    missing: tuple[FaceCount, ...] = ()
    excess: tuple[FaceCount, ...] = ()
    unnamed: tuple[int, ...] = ()

    @property
    def is_possible(self) -> bool:
        """Whether the box can have laid these kingdoms, all of them named."""
        return not self.excess and not self.unnamed and (self.drawn is None or self.laid <= self.drawn)

    def __str__(self) -> str:
        if self.excess:
            several = "; ".join(f"{one} lies in {_name_kingdoms(one.kingdoms)}" for one in self.excess)
            return f"more than the box has: {several}"
        if self.unnamed:
            return f"the dominoes of {_name_kingdoms(self.unnamed)} cannot be told, so the box is not counted"
        if self.laid == self.box_size:
            return f"all {self.box_size} dominoes are accounted for"
        if self.drawn == self.box_size:
            more = len(self.missing) - MAX_NAMED_DOMINOES
            listed = ", ".join(map(str, self.missing[:MAX_NAMED_DOMINOES])) + (f" and {more} more" if more > 0 else "")
            return f"{self.laid} of the {self.box_size} dominoes are accounted for; not here: {listed}"
        drawn = "" if self.drawn is None else f", of {self.drawn} that were drawn"
        return f"{self.laid} dominoes lie here, none more often than the box has it{drawn}"


def count_box(boards: Sequence[Board], deck: Deck, *, drawn: int | None = None) -> Inventory:
    """Return the inventory of the boards of one game; `drawn` is how many dominoes its kingdoms draw."""
    namings = name_game_dominoes(boards, deck)
    places: dict[Numbers, list[int]] = {}
    for kingdom, naming in enumerate(namings):
        for placed in naming.placed if naming else ():
            places.setdefault(placed.numbers, []).append(kingdom)
    unnamed = tuple(kingdom for kingdom, naming in enumerate(namings) if naming is None and len(boards[kingdom]) > 1)
    missing, excess = [], []
    index = index_deck(deck)
    for (one, other), numbers in zip(index.faces, index.numbers, strict=True):
        kingdoms, shows = places.get(numbers, []), f"{one} {other}"
        if len(kingdoms) > len(numbers):
            excess.append(FaceCount(numbers, shows, len(kingdoms), tuple(dict.fromkeys(kingdoms))))
        elif len(kingdoms) < len(numbers):
            missing.append(FaceCount(numbers, shows, len(numbers) - len(kingdoms)))
    laid = sum(map(len, places.values()))
    return Inventory(laid, len(deck), drawn, () if unnamed else tuple(missing), tuple(excess), unnamed)


def name_game_dominoes(boards: Sequence[Board], deck: Deck) -> tuple[Naming | None, ...]:
    """Return the dominoes of the kingdoms of one game, from the readings that leave the others their dominoes.

    None for a board that has no legal reading, unknown squares or too many readings to look at; such a board does not
    restrict the others. Kingdoms with MAX_READINGS or more, and kingdoms that no one box can have laid, are named
    independently.
    """
    puzzles, supply = [make_puzzle(board, deck) for board in boards], index_deck(deck).supply
    alone = [() if board.unknown else _list_readings(of, supply) for board, of in zip(boards, puzzles, strict=True)]
    kept: Sequence[Sequence[Tiling]] = [()] * len(boards)
    chosen = kept
    try:
        kept = filter_readings(puzzles, [own if len(own) < MAX_READINGS else () for own in alone], supply)
        together = kept
        for number, own in enumerate(kept):  # one reading of each kingdom, so that the choices fit one box
            if own:
                together = filter_readings(
                    puzzles, [*together[:number], together[number][:1], *together[number + 1 :]], supply
                )
        chosen = together
    except Undecided:  # name each kingdom by what was found so far
        pass
    rows = zip(puzzles, chosen, kept, alone, strict=True)
    return tuple(_make_naming(of, deck, fit or own, own, shown) for of, shown, fit, own in rows)


def _list_readings(of: Puzzle, supply: Sequence[int]) -> Sequence[Tiling]:
    try:
        return list(islice(find_legal_tilings(of, supply), MAX_READINGS))
    except Undecided:
        return ()


def _make_naming(
    of: Puzzle, deck: Deck, ways: Sequence[Tiling], alone: Sequence[Tiling], shown: Sequence[Tiling]
) -> Naming | None:
    if not ways:
        return None
    placed = []
    for i, j in sorted(tuple(sorted(pair)) for pair in (shown or ways)[0]):
        numbers = index_deck(deck).numbers[of.face[i][j]]
        placed.append(PlacedDomino((of.squares[i], of.squares[j]), numbers, _is_sure(of, deck, (i, j), ways)))
    return Naming(tuple(placed), len(ways), len(alone))


def _is_sure(of: Puzzle, deck: Deck, pair: Pair, ways: Sequence[Tiling]) -> bool:
    """Return whether every reading lays this domino, also the readings beyond MAX_READINGS."""
    i, j = pair
    if not all(pair in way or (j, i) in way for way in ways):
        return False
    if len(ways) < MAX_READINGS:
        return True
    face = tuple({k: f for k, f in row.items() if {n, k} != {i, j}} for n, row in enumerate(of.face))
    return next(find_legal_tilings(replace(of, face=face), index_deck(deck).supply), None) is None


def filter_readings(puzzles: Sequence[Puzzle], ways: Sequence[Sequence[Tiling]], supply: Uses) -> list[list[Tiling]]:
    """Return, for each kingdom, the tilings that leave every other kingdom one of its own.

    Exact: a tiling is kept if and only if the supply allows it together with some choice for all other kingdoms. A
    kingdom without tilings uses nothing. All lists are empty if no choice fits. Raises Undecided.
    """
    used = [[Counter(of.face[i][j] for i, j in way) for way in own] for of, own in zip(puzzles, ways, strict=True)]
    demand = [sum(max((way[face] for way in own), default=0) for own in used) for face in range(len(supply))]
    contested = [face for face, count in enumerate(supply) if demand[face] > count]
    limit = tuple(supply[face] for face in contested)
    uses = [[tuple(way[face] for face in contested) for way in own] for own in used]
    kept = []
    for number, own in enumerate(ways):
        others = [(0,) * len(limit)]
        for rest in (*uses[:number], *uses[number + 1 :]):
            others = _add_uses(others, set(rest), limit)
        fits = {use for use in set(uses[number]) if any(_is_within(_add(use, rest), limit) for rest in others)}
        kept.append([way for way, use in zip(own, uses[number], strict=True) if use in fits])
    return kept


def _add_uses(sums: list[Uses], own: Collection[Uses], limit: Uses) -> list[Uses]:
    """Return the Pareto frontier of the sums with the uses of one more kingdom. Raises Undecided."""
    frontier: list[Uses] = []
    for use in sorted({_add(one, use) for one in sums for use in own}, key=sum) if own else sums:
        if _is_within(use, limit) and not any(_is_within(other, use) for other in frontier):
            frontier.append(use)
        if len(frontier) > MAX_FRONTIER:
            raise Undecided
    return frontier


def _add(use: Uses, other: Uses) -> Uses:
    return tuple(map(add, use, other))


def _is_within(use: Uses, limit: Uses) -> bool:
    return all(count <= most for count, most in zip(use, limit, strict=True))


def _name_kingdoms(kingdoms: Sequence[int]) -> str:
    words = [str(kingdom + 1) for kingdom in kingdoms]
    return f"kingdom{'s' * (len(words) != 1)} {join_words(words)}"
