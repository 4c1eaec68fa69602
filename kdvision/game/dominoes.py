"""Which dominoes of the box lie where under the boards of a game, and which are missing or too many."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from itertools import islice
from operator import add, or_
from typing import Final, NamedTuple

from kdvision.game.board import Board, Square
from kdvision.game.deck import Deck, index_deck
from kdvision.game.tiling import Puzzle, Tiling, Undecided, find_legal_tilings, make_puzzle
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


class NamedDomino(NamedTuple):
    """One domino on the board: its squares and the numbers it can have, several if dominoes look alike.

    `is_sure` is false if another reading of the board lays another domino here, or if there are too many to tell.
    """

    squares: tuple[Square, Square]
    numbers: Numbers
    is_sure: bool

    def __str__(self) -> str:
        number = " or ".join(str(number) for number in self.numbers)
        return f"{self.squares[0].name}-{self.squares[1].name}: {number}{'' if self.is_sure else ' (or otherwise)'}"


class Naming(NamedTuple):
    """The dominoes of one reading of a board, from the top left, and the number of readings, at most MAX_READINGS.

    `readings_alone` is the number of readings if no other kingdom had taken dominoes from the box.
    """

    dominoes: tuple[NamedDomino, ...]
    readings: int
    readings_alone: int


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


class Inventory(NamedTuple):
    """The numbers of dominoes in the kingdoms and in the box, the `missing_dominoes`, and those in `excess` of the box.

    `drawn_count` is how many dominoes are drawn, None if the rules leave it open. `unnamed_kingdoms` are those, from 0,
    whose dominoes cannot be named; `missing_dominoes` is then empty.
    """

    dominoes_laid: int
    box_size: int
    drawn_count: int | None = None
    missing_dominoes: tuple[FaceCount, ...] = ()
    excess: tuple[FaceCount, ...] = ()
    unnamed_kingdoms: tuple[int, ...] = ()

    @property
    def is_possible(self) -> bool:
        """Whether the box can have laid these kingdoms, all of them named."""
        were_drawn = self.drawn_count is None or self.dominoes_laid <= self.drawn_count
        return were_drawn and not self.excess and not self.unnamed_kingdoms

    def __str__(self) -> str:
        if self.excess:
            verbs = {True: "lies in", False: "lie in"}
            texts = [f"{face} {verbs[len(face.numbers) == 1]} {_name_kingdoms(face.kingdoms)}" for face in self.excess]
            return f"more than the box has: {'; '.join(texts)}"
        if self.unnamed_kingdoms:
            return f"the dominoes of {_name_kingdoms(self.unnamed_kingdoms)} cannot be told, so the box is not counted"
        if self.dominoes_laid == self.box_size:
            return f"all {self.box_size} dominoes are accounted for"
        if self.drawn_count == self.box_size:
            unnamed_count = len(self.missing_dominoes) - MAX_NAMED_DOMINOES
            names = ", ".join(map(str, self.missing_dominoes[:MAX_NAMED_DOMINOES]))
            names += f" and {unnamed_count} more" if unnamed_count > 0 else ""
            return f"{self.dominoes_laid} of the {self.box_size} dominoes are accounted for; not here: {names}"
        drawn_words = "" if self.drawn_count is None else f", of {self.drawn_count} that were drawn"
        return f"{self.dominoes_laid} dominoes lie here, none more often than the box has it{drawn_words}"


def count_box(boards: Sequence[Board], deck: Deck, *, drawn_count: int | None = None) -> Inventory:
    """Return the inventory of the boards of one game; `drawn_count` is how many dominoes its kingdoms draw."""
    namings = name_game_dominoes(boards, deck)
    places = defaultdict[Numbers, list[int]](list)
    for kingdom, naming in enumerate(namings):
        for domino in naming.dominoes if naming else ():
            places[domino.numbers].append(kingdom)
    unnamed_kingdoms = tuple(n for n, naming in enumerate(namings) if naming is None and len(boards[n]) > 1)
    missing_dominoes, excess = [], []
    index = index_deck(deck)
    for (first, second), numbers in zip(index.faces, index.numbers, strict=True):
        kingdoms, shows = places[numbers], f"{first} {second}"
        if len(kingdoms) > len(numbers):
            excess.append(FaceCount(numbers, shows, len(kingdoms), tuple(dict.fromkeys(kingdoms))))
        elif len(kingdoms) < len(numbers) and not unnamed_kingdoms:
            missing_dominoes.append(FaceCount(numbers, shows, len(numbers) - len(kingdoms)))
    dominoes_laid = sum(map(len, places.values()))
    return Inventory(dominoes_laid, len(deck), drawn_count, tuple(missing_dominoes), tuple(excess), unnamed_kingdoms)


def name_game_dominoes(boards: Sequence[Board], deck: Deck) -> tuple[Naming | None, ...]:
    """Return the dominoes of the kingdoms of one game, from the readings that leave the others their dominoes.

    None for a board that has no legal reading, unknown squares or too many readings to look at; such a board does not
    restrict the others. Kingdoms with MAX_READINGS or more, and kingdoms that no one box can have laid, are named
    independently.
    """
    puzzles = [make_puzzle(board, deck) for board in boards]
    ways_alone = [list_readings(puzzle) for puzzle in puzzles]
    ways_together: Sequence[Sequence[Tiling]] = [()] * len(boards)
    choices = ways_together
    with suppress(Undecided):  # then each kingdom is named by what was found so far
        countable_ways = [ways if len(ways) < MAX_READINGS else () for ways in ways_alone]
        choices = ways_together = filter_readings(puzzles, countable_ways)
        for number, ways in enumerate(ways_together):  # one reading of each kingdom, so that the choices fit one box
            if ways:
                one_choice = [*choices[:number], choices[number][:1], *choices[number + 1 :]]
                choices = filter_readings(puzzles, one_choice)
    rows = zip(puzzles, choices, ways_together, ways_alone, strict=True)
    return tuple(_make_naming(puzzle, choice or fit or ways, fit or ways, ways) for puzzle, choice, fit, ways in rows)


def list_readings(puzzle: Puzzle) -> Sequence[Tiling]:
    """Return the legal tilings of a board, at most MAX_READINGS; none if a square is unknown or there are too many."""
    try:
        return [] if puzzle.board.unknown else list(islice(find_legal_tilings(puzzle), MAX_READINGS))
    except Undecided:
        return []


def _make_naming(
    puzzle: Puzzle, choice: Sequence[Tiling], ways: Sequence[Tiling], ways_alone: Sequence[Tiling]
) -> Naming | None:
    if not ways:
        return None
    dominoes = []
    for i, j in sorted(choice[0]):
        is_sure = len(ways) < MAX_READINGS and all((i, j) in way for way in ways)
        dominoes.append(
            NamedDomino((puzzle.squares[i], puzzle.squares[j]), puzzle.box.numbers[puzzle.face[i][j]], is_sure)
        )
    return Naming(tuple(dominoes), len(ways), len(ways_alone))


def filter_readings(puzzles: Sequence[Puzzle], ways: Sequence[Sequence[Tiling]]) -> list[list[Tiling]]:
    """Return, for each kingdom, the tilings that leave every other kingdom one of its own.

    Exact: a tiling is kept if and only if the box allows it together with some choice for all other kingdoms. A
    kingdom without tilings uses nothing. All lists are empty if no choice fits. Raises Undecided.
    """
    supply, kingdoms = puzzles[0].box.supply if puzzles else (), zip(puzzles, ways, strict=True)
    counts = [[Counter(puzzle.face[i][j] for i, j in way) for way in tilings] for puzzle, tilings in kingdoms]
    demand = sum((reduce(or_, kingdom, Counter[int]()) for kingdom in counts), Counter[int]())
    contested_faces = [face for face, count in demand.items() if count > supply[face]]
    limit = tuple(supply[face] for face in contested_faces)
    uses = [[tuple(count[face] for face in contested_faces) for count in kingdom] for kingdom in counts]
    possible_ways = []
    for number, tilings in enumerate(ways):
        sums = [(0,) * len(limit)]
        for other_uses in (*uses[:number], *uses[number + 1 :]):
            sums = _add_uses(sums, set(other_uses), limit)
        kept_uses = {
            use for use in set(uses[number]) if any(_is_within(_sum_uses(use, total), limit) for total in sums)
        }
        possible_ways.append([way for way, use in zip(tilings, uses[number], strict=True) if use in kept_uses])
    return possible_ways


def _add_uses(sums: list[Uses], kingdom_uses: Collection[Uses], limit: Uses) -> list[Uses]:
    """Return the Pareto frontier of the sums with the uses of one more kingdom. Raises Undecided."""
    frontier: list[Uses] = []
    totals = {_sum_uses(total, use) for total in sums for use in kingdom_uses} if kingdom_uses else sums
    for use in sorted(totals, key=sum):
        if _is_within(use, limit) and not any(_is_within(other, use) for other in frontier):
            frontier.append(use)
        if len(frontier) > MAX_FRONTIER:
            raise Undecided
    return frontier


def _sum_uses(use: Uses, other: Uses) -> Uses:
    return tuple(map(add, use, other))


def _is_within(use: Uses, limit: Uses) -> bool:
    return all(count <= maximum for count, maximum in zip(use, limit, strict=True))


def _name_kingdoms(kingdoms: Sequence[int]) -> str:
    words = [str(kingdom + 1) for kingdom in kingdoms]
    return f"kingdom{'s' * (len(words) != 1)} {join_words(words)}"
