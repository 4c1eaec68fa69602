"""The effect of each doubt: the points if the other reading is right, and whether that changes the standing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from kdvision.game.board import Board, Square, parse_cell
from kdvision.game.deck import Deck, face, faces, kinds
from kdvision.game.kingdom import UNKNOWN, Kingdom
from kdvision.game.open_facts import has_open_facts
from kdvision.game.scoring import RuleSet, score
from kdvision.game.standing import Standing, rank_kingdoms

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading

MAX_CHANGED_SQUARES: Final = 6
"""A runner-up that differs from the decided board on more squares is the same board, shifted, and is not used."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """A doubtful square, what was read there, its probability, what it may be instead, and the board in that case."""

    square: Square
    read: str
    probability: float
    instead: str
    board: Board


@dataclass(frozen=True, slots=True)
class ScoredDoubt(Alternative):
    """A doubt with the points (territories) and the total (all) in that case.

    `kingdom` counts from 0; `difference` is how much the total would change. `changes_standing` and `changes_winner`
    compare the standing of all kingdoms with and without the change, and `verdict` says who would win; they are None
    and "" for a single kingdom, and while facts about pieces are missing.
    """

    kingdom: int
    points: int
    total: int
    difference: int
    changes_standing: bool | None = None
    changes_winner: bool | None = None
    verdict: str = ""

    @property
    def priority(self) -> tuple[bool, bool, float, float]:
        """The sort key: first doubts that decide the winner, then by the expected effect on the total."""
        expected = self.difference * (1 - self.probability)
        return bool(self.changes_winner), bool(self.changes_standing), expected, 1 - self.probability


class PossibleTotal(NamedTuple):
    """A total that may be right, its points of territories alone, and its probability."""

    total: int
    points: int
    probability: float


def score_doubts(
    kingdoms: Sequence[Kingdom], alternatives: Sequence[Sequence[Alternative]], rule_set: RuleSet
) -> list[ScoredDoubt]:
    """The doubts of a game from the alternatives of each kingdom, the most important one first."""
    now = rank_kingdoms(kingdoms, rule_set) if len(kingdoms) > 1 else None
    doubts = []
    for number, (kingdom, own) in enumerate(zip(kingdoms, alternatives, strict=True)):
        total = score(kingdom, rule_set).total if own else 0
        for one in own:
            changed = replace(kingdom, board=one.board)
            card = score(changed, rule_set)
            content = (one.square, one.read, one.probability, one.instead, one.board)
            doubt = ScoredDoubt(*content, number, card.points, card.total, abs(card.total - total))
            if now is not None:
                then = rank_kingdoms([*kingdoms[:number], changed, *kingdoms[number + 1 :]], rule_set)
                doubt = replace(
                    doubt,
                    changes_standing=_list_places(then) != _list_places(now),
                    changes_winner={place.index for place in then.winners} != {place.index for place in now.winners},
                    verdict=then.reason,
                )
            doubts.append(doubt)
    doubts.sort(key=lambda doubt: doubt.priority, reverse=True)
    if any(map(has_open_facts, kingdoms)):
        return [replace(doubt, changes_standing=None, changes_winner=None, verdict="") for doubt in doubts]
    return doubts


def rank_if_known(kingdoms: Sequence[Kingdom], rule_set: RuleSet) -> Standing | None:
    """The standing; None for fewer than two kingdoms, and while facts about pieces are missing."""
    return rank_kingdoms(kingdoms, rule_set) if len(kingdoms) > 1 and not any(map(has_open_facts, kingdoms)) else None


def _list_places(standing: Standing) -> set[tuple[int, int]]:
    return {(place.place, place.index) for place in standing.places}


def compute_totals(
    kingdom: Kingdom, boards: Sequence[tuple[Board, float]], rule_set: RuleSet
) -> tuple[PossibleTotal, ...]:
    """The totals of these boards with their summed probabilities: that of the first board, then by probability."""
    found: dict[int, PossibleTotal] = {}
    for board, probability in boards:
        card = score(replace(kingdom, board=board), rule_set)
        before = found.get(card.total, PossibleTotal(card.total, card.points, 0.0))
        found[card.total] = before._replace(probability=before.probability + probability)
    first, *others = found.values()
    return first, *sorted(others, key=lambda total: -total.probability)


def list_alternatives(reading: "KingdomReading") -> list[Alternative]:
    """The doubts of a kingdom in a photo, each with the board in that case.

    That is the likeliest runner-up with the other cell there, else the decided board with only that square changed.
    """
    decided = reading.board
    similar = [
        board
        for board, _ in reading.runners_up
        if (board.height, board.width) == (decided.height, decided.width)
        and sum(board.get(place) != decided.get(place) for place in {*board, *decided}) <= MAX_CHANGED_SQUARES
    ]
    alternatives = []
    for one in reading.doubts:
        cell = parse_cell(one.instead)
        other = decided.with_cells({one.square: cell})
        board = next((board for board in similar if board.get(one.square) == cell), other)
        alternatives.append(Alternative(one.square, one.read, one.probability, one.instead, board))
    return alternatives


def list_possible_contents(board: Board, boards: Sequence[Board], deck: Deck) -> Iterator[Alternative]:
    """What may lie on unknown squares: nothing, the castle, or a kind that is left and completes a domino.

    `boards` are all of the game.
    """
    counts = kinds(deck)
    for other in boards:
        counts.subtract(cell for cell in other.values() if cell in counts)
    left, known_faces = [cell for cell, count in counts.items() if count > 0], faces(deck)
    for square in sorted(board.unknown):
        near = [place for place in square.neighbours() if place in board or place in board.unknown]
        fitting = [
            str(cell)
            for cell in left
            if any(place in board.unknown or face(cell, board[place]) in known_faces for place in near)
        ]
        for word in [*fitting, ".", *(["#"] if not board.castles() else [])]:
            yield Alternative(square, UNKNOWN, 0.0, word, board.with_cells({square: parse_cell(word)}))
