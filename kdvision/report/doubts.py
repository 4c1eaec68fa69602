"""What doubts are worth: the points if the other reading is true, and whether that would change who wins."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from kdvision.game.board import Board, Cell, Square
from kdvision.game.deck import Deck, face, faces, kinds
from kdvision.game.kingdom import Kingdom
from kdvision.game.scoring import RuleSet, score
from kdvision.game.standing import Standing, standing

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading

    pass

UNKNOWN: Final = "?"
MENDED: Final = 6
"""A board that differs on more squares than this from the one decided is taken for the same board, shifted."""


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A doubted square, what it may be instead, and the points that would be then (territories; with bonuses).

    `board` is the whole board as it would be. The standing, of the kingdoms in the same photo or typed together, would
    change in some place (`changes_standing`), even the first (`changes_winner`); None where there is none. `verdict`
    says who would win.
    """

    square: Square
    read: str
    probability: float
    instead: str
    points: int
    total: int
    board: Board
    changes_standing: bool | None = None
    changes_winner: bool | None = None
    verdict: str = ""


class Chance(NamedTuple):
    """A total that may be the right one, the points of the territories alone, and how likely that is."""

    total: int
    points: int
    probability: float


class Ask(NamedTuple):
    """A square to ask about: its kingdom, from 0, and the doubt; `apart` is by how much the total would differ."""

    kingdom: int
    doubt: WhatIf
    apart: int

    @property
    def weight(self) -> tuple[bool, bool, float, float]:
        """What asks are sorted by, the one to ask first highest."""
        unsure = 1 - self.doubt.probability
        return bool(self.doubt.changes_winner), bool(self.doubt.changes_standing), self.apart * unsure, unsure


class _Other(NamedTuple):
    square: Square
    read: str
    probability: float
    instead: str
    board: Board


def of_photo(kingdoms: Sequence[Kingdom], reads: Sequence["KingdomReading"], rule_set: RuleSet) -> list[list[WhatIf]]:
    """The doubts of each kingdom of a photo, as the reading has them."""
    return _weighed(kingdoms, [list(_seen(seen)) for seen in reads], rule_set)


def of_typed(kingdoms: Sequence[Kingdom], rule_set: RuleSet) -> list[list[WhatIf]]:
    """The squares that were typed as not known, each as what would change most there."""
    boards = [kingdom.board for kingdom in kingdoms]
    return _weighed(kingdoms, [list(_open(board, boards, rule_set.deck)) for board in boards], rule_set, one=True)


def again(kingdoms: Sequence[Kingdom], doubts: Sequence[Sequence[WhatIf]], rule_set: RuleSet) -> list[list[WhatIf]]:
    """The same doubts where these kingdoms, perhaps of several photos, are those of one game."""
    now = _standing(kingdoms, rule_set)
    return [
        [_with_standing(doubt, kingdoms, number, rule_set, now) for doubt in own] for number, own in enumerate(doubts)
    ]


def asks(kingdoms: Sequence[Kingdom], doubts: Sequence[Sequence[WhatIf]], rule_set: RuleSet) -> list[Ask]:
    """All doubts of a game, the one to ask first in front: what decides the game, then what changes most."""
    totals = [score(kingdom, rule_set).total for kingdom in kingdoms]
    found = [Ask(n, doubt, abs(doubt.total - totals[n])) for n, own in enumerate(doubts) for doubt in own]
    return sorted(found, key=lambda ask: ask.weight, reverse=True)


def chances(kingdom: Kingdom, seen: "KingdomReading", rule_set: RuleSet) -> tuple[Chance, ...]:
    """How likely each total is: that of the board as read first, then the others, likeliest first."""
    return totals(kingdom, [(kingdom.board, seen.probability), *seen.runners_up], rule_set)


def totals(kingdom: Kingdom, boards: Sequence[tuple[Board, float]], rule_set: RuleSet) -> tuple[Chance, ...]:
    """How likely each total is where it may have these boards: that of the first one in front, then likeliest first."""
    found: dict[int, Chance] = {}
    for board, probability in boards:
        card = score(replace(kingdom, board=board), rule_set)
        before = found.get(card.total, Chance(card.total, card.points, 0.0))
        found[card.total] = before._replace(probability=before.probability + probability)
    first, *others = found.values()
    return first, *sorted(others, key=lambda chance: -chance.probability)


def _seen(seen: "KingdomReading") -> Iterator[_Other]:
    for doubt in seen.doubts:
        board = _mended(seen, doubt.square, doubt.instead)
        yield _Other(doubt.square, doubt.read, doubt.probability, doubt.instead, board)


def _mended(seen: "KingdomReading", square: Square, word: str) -> Board:
    """The likeliest board with this cell there, neighbours mended too; else the board with that square replaced."""
    cell = cell_of(word)
    for board, _ in seen.runners_up:
        same = (board.height, board.width) == (seen.board.height, seen.board.width)
        if same and board.get(square) == cell:
            places = {*board, *seen.board}
            if sum(board.get(place) != seen.board.get(place) for place in places) <= MENDED:
                return board
    return seen.board.replaced({square: cell})


def _open(board: Board, boards: Sequence[Board], deck: Deck) -> Iterator[_Other]:
    """Everything that may lie on the squares not known: kinds of which the box has one left, or nothing."""
    held = kinds(deck)
    for other in boards:
        held.subtract(cell for cell in other.values() if cell in held)
    left, known = [cell for cell, count in held.items() if count > 0], faces(deck)
    for square in sorted(board.unknown):
        near = [place for place in square.neighbours() if place in board or place in board.unknown]
        fits = [
            str(cell)
            for cell in left
            if any(place in board.unknown or face(cell, board[place]) in known for place in near)
        ]
        for word in [*fits, ".", *(["#"] if not board.castles() else [])]:
            yield _Other(square, UNKNOWN, 0.0, word, board.replaced({square: cell_of(word)}))


def _weighed(
    kingdoms: Sequence[Kingdom], others: Sequence[Sequence[_Other]], rule_set: RuleSet, *, one: bool = False
) -> list[list[WhatIf]]:
    """Each doubt with its points and what it would change, what matters most in front; `one` a square, if asked for."""
    made = []
    for number, own in enumerate(others):
        rows = []
        for other in own:
            card = score(replace(kingdoms[number], board=other.board), rule_set)
            rows.append(WhatIf(*other[:4], card.points, card.total, other.board))
        made.append(rows)
    made = again(kingdoms, made, rule_set)
    ordered: list[list[WhatIf]] = [[] for _ in kingdoms]
    for ask in asks(kingdoms, made, rule_set):
        if not one or all(known.square != ask.doubt.square for known in ordered[ask.kingdom]):
            ordered[ask.kingdom].append(ask.doubt)
    return ordered


def _standing(kingdoms: Sequence[Kingdom], rule_set: RuleSet) -> Standing | None:
    return standing(kingdoms, rule_set) if len(kingdoms) > 1 else None


def _with_standing(
    doubt: WhatIf, kingdoms: Sequence[Kingdom], number: int, rule_set: RuleSet, now: Standing | None
) -> WhatIf:
    if now is None:
        return doubt
    changed = replace(kingdoms[number], board=doubt.board)
    then = standing([*kingdoms[:number], changed, *kingdoms[number + 1 :]], rule_set)
    return replace(
        doubt,
        changes_standing=_places(then) != _places(now),
        changes_winner={place.index for place in then.winners} != {place.index for place in now.winners},
        verdict=then.reason,
    )


def _places(of: Standing) -> set[tuple[int, int]]:
    return {(place.place, place.index) for place in of.places}


def cell_of(word: str) -> Cell | None:
    """The cell of a notation, None for "."; raises NotationError."""
    return None if word == "." else Cell.parse(word)
