"""The box counted over the kingdoms of a game: which dominoes lie in them, which do not, which lie there too often."""

from collections.abc import Sequence
from dataclasses import dataclass

from kdvision.game.board import Board
from kdvision.game.deck import Deck, Face
from kdvision.game.dominoes import name_game_dominoes

Numbers = tuple[int | str, ...]
"""The dominoes that show one face, by their numbers: no picture tells them apart."""


@dataclass(frozen=True, slots=True)
class FaceCount:
    """Dominoes of one face: their `numbers`, what they show in words, how many are meant, where more lie than are."""

    numbers: Numbers
    shows: str
    count: int
    kingdoms: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Inventory:
    """How many dominoes lie in the kingdoms and are in the box; which are `missing` there, which are there `excess`.

    `drawn` is how many so many players draw, None where the rules do not say. `untold` are kingdoms, from 0, whose
    dominoes cannot be told; then nothing is said of those missing.
    """

    laid: int
    box_size: int
    drawn: int | None = None
    missing: tuple[FaceCount, ...] = ()
    excess: tuple[FaceCount, ...] = ()
    unnamed: tuple[int, ...] = ()

    @property
    def is_possible(self) -> bool:
        """Whether the box can have laid these kingdoms, as far as they can be told."""
        return not self.excess and not self.unnamed and (self.drawn is None or self.laid <= self.drawn)

    def __str__(self) -> str:
        if self.excess:
            several = "; ".join(f"{_which(one)} lies in {_kingdoms(one.kingdoms)}" for one in self.excess)
            return f"more than the box has: {several}"
        if self.unnamed:
            return f"the dominoes of {_kingdoms(self.unnamed)} cannot be told, so the box is not counted"
        if self.laid == self.box_size:
            return f"all {self.box_size} dominoes are accounted for"
        if self.drawn == self.box_size:
            return f"{self.laid} of the {self.box_size} dominoes are accounted for; not here: {_missing(self.missing)}"
        drawn = "" if self.drawn is None else f", of {self.drawn} that were drawn"
        return f"{self.laid} dominoes lie here, none more often than the box has it{drawn}"


def count_box(boards: Sequence[Board], deck: Deck, *, drawn: int | None = None) -> Inventory:
    """The box counted over the boards of one game; `drawn` is how many dominoes so many kingdoms draw."""
    named = name_game_dominoes(boards, deck)
    where: dict[Numbers, list[int]] = {}
    for number, naming in enumerate(named):
        for placed in naming.placed if naming else ():
            where.setdefault(placed.numbers, []).append(number)
    by_face: dict[Face, Numbers] = {}
    for domino in deck:
        by_face[domino.face] = (*by_face.get(domino.face, ()), domino.number)
    faces = {numbers: f"{face[0]} {face[1]}" for face, numbers in by_face.items()}
    untold = tuple(number for number, naming in enumerate(named) if naming is None and len(boards[number]) > 1)
    missing, excess = [], []
    for numbers, shows in faces.items():
        lie = where.get(numbers, [])
        if len(lie) > len(numbers):
            excess.append(FaceCount(numbers, shows, len(lie), tuple(dict.fromkeys(lie))))
        elif len(lie) < len(numbers):
            missing.append(FaceCount(numbers, shows, len(numbers) - len(lie)))
    laid = sum(map(len, where.values()))
    return Inventory(laid, len(deck), drawn, () if untold else tuple(missing), tuple(excess), untold)


def _missing(missing: Sequence[FaceCount]) -> str:
    words = [_which(one) for one in missing]
    return ", ".join(words[:8]) + (f" and {len(words) - 8} more" if len(words) > 8 else "")


def _which(one: FaceCount) -> str:
    numbers = [str(number) for number in one.numbers]
    if len(numbers) == 1:
        return f"domino {numbers[0]} ({one.shows})"
    few = f"{', '.join(numbers[:-1])} and {numbers[-1]}"
    return f"{one.count} of {few} ({one.shows})"


def _kingdoms(numbers: Sequence[int]) -> str:
    words = [str(number + 1) for number in numbers]
    return f"kingdom {words[0]}" if len(words) == 1 else f"kingdoms {', '.join(words[:-1])} and {words[-1]}"
