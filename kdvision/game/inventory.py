"""Counts the dominoes of the box over the kingdoms of a game: which are used, which are missing, which are too many."""

from collections.abc import Sequence
from dataclasses import dataclass

from kdvision.game.board import Board
from kdvision.game.deck import Deck, index_deck
from kdvision.game.dominoes import name_game_dominoes
from kdvision.text import join_words

Numbers = tuple[int | str, ...]
"""The numbers of the dominoes that show one face; they look alike."""

MAX_NAMED_DOMINOES = 8


@dataclass(frozen=True, slots=True)
class FaceCount:
    """Dominoes of one face: their `numbers`, the face in words, how many are meant, and the kingdoms they lie in."""

    numbers: Numbers
    shows: str
    count: int
    kingdoms: tuple[int, ...] = ()


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
            several = "; ".join(f"{_name_dominoes(one)} lies in {_name_kingdoms(one.kingdoms)}" for one in self.excess)
            return f"more than the box has: {several}"
        if self.unnamed:
            return f"the dominoes of {_name_kingdoms(self.unnamed)} cannot be told, so the box is not counted"
        if self.laid == self.box_size:
            return f"all {self.box_size} dominoes are accounted for"
        if self.drawn == self.box_size:
            names = [_name_dominoes(one) for one in self.missing]
            more = len(names) - MAX_NAMED_DOMINOES
            listed = ", ".join(names[:MAX_NAMED_DOMINOES]) + (f" and {more} more" if more > 0 else "")
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
    for face, numbers in zip(index.faces, index.numbers, strict=True):
        kingdoms, shows = places.get(numbers, []), f"{face[0]} {face[1]}"
        if len(kingdoms) > len(numbers):
            excess.append(FaceCount(numbers, shows, len(kingdoms), tuple(dict.fromkeys(kingdoms))))
        elif len(kingdoms) < len(numbers):
            missing.append(FaceCount(numbers, shows, len(numbers) - len(kingdoms)))
    laid = sum(map(len, places.values()))
    return Inventory(laid, len(deck), drawn, () if unnamed else tuple(missing), tuple(excess), unnamed)


def _name_dominoes(one: FaceCount) -> str:
    numbers = [str(number) for number in one.numbers]
    if len(numbers) == 1:
        return f"domino {numbers[0]} ({one.shows})"
    return f"{one.count} of {join_words(numbers)} ({one.shows})"


def _name_kingdoms(kingdoms: Sequence[int]) -> str:
    words = [str(kingdom + 1) for kingdom in kingdoms]
    return f"kingdom{'s' * (len(words) != 1)} {join_words(words)}"
