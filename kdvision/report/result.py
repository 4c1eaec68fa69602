"""What a report is about: the scored kingdoms of one photo, or of boards typed by hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kdvision.errors import KdvisionError, NotationError
from kdvision.game.board import Board, Cell, Square
from kdvision.game.kingdom import Kingdom
from kdvision.game.legality import Problem
from kdvision.game.scoring import RuleSet, Scorecard, score
from kdvision.game.standing import Standing, standing
from kdvision.game.together import table_problems

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomRead


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A doubted square, what it may be instead, and the points that would be then (territories; with bonuses)."""

    square: Square
    read: str
    probability: float
    instead: str
    points: int
    total: int


@dataclass(frozen=True)
class Scored:
    """One kingdom with its scorecard; `seen` is how the photo showed it, None for a typed board."""

    kingdom: Kingdom
    rule_set: RuleSet
    card: Scorecard
    problems: tuple[Problem, ...]
    doubts: tuple[WhatIf, ...] = ()
    seen: "KingdomRead | None" = None

    @property
    def board(self) -> Board:
        """The board as it lies in the photo, or as it was typed."""
        return self.kingdom.board

    @property
    def probability(self) -> float:
        """How likely the whole board is right; 1 for a typed one."""
        return 1.0 if self.seen is None else self.seen.probability

    @property
    def review(self) -> bool:
        """True where a person should look: something is odd or unsure."""
        return bool(self.problems) if self.seen is None else self.seen.review


@dataclass(frozen=True)
class Result:
    """All there is to say about one photo, or about typed boards (`photo` None); `error` says why there is nothing."""

    photo: str | None
    width: int | None = None
    height: int | None = None
    kingdoms: tuple[Scored, ...] = ()
    standing: Standing | None = None
    error: KdvisionError | None = None

    @property
    def review(self) -> bool:
        """True where a person should look at one of the kingdoms."""
        return any(scored.review for scored in self.kingdoms)


def of_photo(name: str, size: tuple[int, int], reads: Sequence["KingdomRead"], rule_set: RuleSet) -> Result:
    """The result of a photo of `size` (width, height) and what was read in it, numbered in that order."""
    kingdoms = [Kingdom(seen.board, player=f"kingdom {number}") for number, seen in enumerate(reads, start=1)]
    rows = tuple(
        Scored(kingdom, rule_set, score(kingdom, rule_set), seen.problems, what_ifs(kingdom, seen, rule_set), seen)
        for kingdom, seen in zip(kingdoms, reads, strict=True)
    )
    return Result(name, *size, rows, placed(kingdoms, rule_set))


def of_boards(boards: Sequence[Board], rule_set: RuleSet) -> Result:
    """The result of boards typed by hand, taken for the kingdoms of one game: they share its box.

    A problem that is about no kingdom alone stands with each of them.
    """
    kingdoms = [Kingdom(board, player=f"kingdom {number}") for number, board in enumerate(boards, start=1)]
    found = table_problems(kingdoms, rule_set)
    rows = tuple(
        Scored(kingdom, rule_set, score(kingdom, rule_set), tuple(p for p in found if p.kingdom in (None, number)))
        for number, kingdom in enumerate(kingdoms)
    )
    return Result(None, kingdoms=rows, standing=placed(kingdoms, rule_set))


def placed(kingdoms: Sequence[Kingdom], rule_set: RuleSet) -> Standing | None:
    """The standing of several kingdoms; None for a single one, which has nobody to beat."""
    return standing(kingdoms, rule_set) if len(kingdoms) > 1 else None


def what_ifs(kingdom: Kingdom, seen: "KingdomRead", rule_set: RuleSet) -> tuple[WhatIf, ...]:
    """Each doubt with the points of the same board where that square is the other thing, all else equal."""
    rows = []
    for doubt in seen.doubts:
        other = kingdom.board.replaced({doubt.square: cell_of(doubt.instead)})
        card = score(other, rule_set)
        rows.append(WhatIf(doubt.square, doubt.read, doubt.probability, doubt.instead, card.points, card.total))
    return tuple(rows)


def corrected(board: Board, square: Square, word: str) -> Board:
    """The board with one square as a person names it, "." for no tile; raises NotationError off the board."""
    if square.row >= board.height or square.col >= board.width:
        hint = f"its squares are A1 to {Square(board.height - 1, board.width - 1).name}"
        raise NotationError(f"the board has no square {square.name}", expected=hint, hint=hint)
    return board.replaced({square: cell_of(word)})


def cell_of(word: str) -> Cell | None:
    """The cell of a notation, None for "."; raises NotationError."""
    return None if word == "." else Cell.parse(word)
