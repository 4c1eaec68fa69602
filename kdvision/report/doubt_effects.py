"""The effect of each doubt: the points if the other reading is right, and whether that changes the standing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from kdvision.game.board import Board, Square, parse_cell
from kdvision.game.deck import Deck, face, faces, kinds
from kdvision.game.kingdom import Kingdom
from kdvision.game.pieces import UNKNOWN
from kdvision.game.scoring import RuleSet, score
from kdvision.game.standing import Standing, rank_kingdoms

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading
    from kdvision.vision.decide.decision import Doubt

MAX_CHANGED_SQUARES: Final = 6
"""A runner-up that differs from the decided board on more squares is the same board, shifted, and is not used."""


@dataclass(frozen=True, slots=True)
class ScoredDoubt:
    """A doubtful square, what it may be instead, and the points (territories) and the total (all) in that case.

    `board` is the whole board in that case. `changes_standing` and `changes_winner` compare the standing of all
    kingdoms with and without the change; they are None for a single kingdom. `verdict` says who would win.
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


class PossibleTotal(NamedTuple):
    """A total that may be right, its points of territories alone, and its probability."""

    total: int
    points: int
    probability: float


class Question(NamedTuple):
    """A doubtful square to ask the user about.

    `kingdom` counts from 0; `difference` is how much the total would change.
    """

    kingdom: int
    doubt: ScoredDoubt
    difference: int

    @property
    def priority(self) -> tuple[bool, bool, float, float]:
        """The sort key; the question to ask first has the highest."""
        doubt_probability = 1 - self.doubt.probability
        return (
            bool(self.doubt.changes_winner),
            bool(self.doubt.changes_standing),
            self.difference * doubt_probability,
            doubt_probability,
        )


Alternative: TypeAlias = tuple[Square, str, float, str, Board]
"""A doubtful square, what was read there, its probability, what may be there instead, and the board in that case."""

Doubts: TypeAlias = tuple[ScoredDoubt, ...]
"""The doubts of one kingdom."""


def score_photo_doubts(
    kingdoms: Sequence[Kingdom], readings: Sequence["KingdomReading"], rule_set: RuleSet
) -> list[Doubts]:
    """The doubts of each kingdom of a photo with their effects, the most important first."""
    alternatives = [
        [
            (doubt.square, doubt.read, doubt.probability, doubt.instead, find_board_with(reading, doubt))
            for doubt in reading.doubts
        ]
        for reading in readings
    ]
    return _order_doubts(kingdoms, alternatives, rule_set)


def score_unknown_squares(kingdoms: Sequence[Kingdom], rule_set: RuleSet) -> list[Doubts]:
    """One doubt for each square that was typed as unknown: the content with the most important effect."""
    boards = [kingdom.board for kingdom in kingdoms]
    alternatives = [list(_list_possible_contents(board, boards, rule_set.deck)) for board in boards]
    return [_keep_first_per_square(doubts) for doubts in _order_doubts(kingdoms, alternatives, rule_set)]


def _keep_first_per_square(doubts: Doubts) -> Doubts:
    first: dict[Square, ScoredDoubt] = {}
    for doubt in doubts:
        first.setdefault(doubt.square, doubt)
    return tuple(first.values())


def rescore_doubts(kingdoms: Sequence[Kingdom], doubts: Sequence[Doubts], rule_set: RuleSet) -> list[Doubts]:
    """The same doubts with their effects on the standing of these kingdoms."""
    now = rank_kingdoms(kingdoms, rule_set) if len(kingdoms) > 1 else None
    return [
        tuple(_compare_standing(doubt, kingdoms, number, rule_set, now) for doubt in kingdom_doubts)
        for number, kingdom_doubts in enumerate(doubts)
    ]


def rank_questions(kingdoms: Sequence[Kingdom], doubts: Sequence[Doubts], rule_set: RuleSet) -> list[Question]:
    """All doubts of a game: first those that decide the winner, then by their expected effect on the total."""
    questions = []
    for number, (kingdom, kingdom_doubts) in enumerate(zip(kingdoms, doubts, strict=True)):
        total = score(kingdom, rule_set).total
        questions += [Question(number, doubt, abs(doubt.total - total)) for doubt in kingdom_doubts]
    return sorted(questions, key=lambda question: question.priority, reverse=True)


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


def find_board_with(reading: "KingdomReading", doubt: "Doubt") -> Board:
    """The likeliest runner-up with the other cell there; else the decided board with only that square changed."""
    cell, decided = parse_cell(doubt.instead), reading.board
    for board, _ in reading.runners_up:
        if (board.height, board.width) == (decided.height, decided.width) and board.get(doubt.square) == cell:
            changed = sum(board.get(place) != decided.get(place) for place in {*board, *decided})
            if changed <= MAX_CHANGED_SQUARES:
                return board
    return decided.with_cells({doubt.square: cell})


def _list_possible_contents(board: Board, boards: Sequence[Board], deck: Deck) -> Iterator[Alternative]:
    """What may lie on unknown squares: nothing, the castle, or a kind that is left and completes a domino."""
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
            yield square, UNKNOWN, 0.0, word, board.with_cells({square: parse_cell(word)})


def _order_doubts(
    kingdoms: Sequence[Kingdom], alternatives: Sequence[Sequence[Alternative]], rule_set: RuleSet
) -> list[Doubts]:
    """The alternatives of each kingdom with their effects, the most important first."""
    doubts = []
    for kingdom, own in zip(kingdoms, alternatives, strict=True):
        cards = [score(replace(kingdom, board=board), rule_set) for *_, board in own]
        scored = zip(own, cards, strict=True)
        doubts.append(tuple(ScoredDoubt(*one[:4], card.points, card.total, one[4]) for one, card in scored))
    questions = rank_questions(kingdoms, rescore_doubts(kingdoms, doubts, rule_set), rule_set)
    return [tuple(one.doubt for one in questions if one.kingdom == number) for number in range(len(kingdoms))]


def _compare_standing(
    doubt: ScoredDoubt, kingdoms: Sequence[Kingdom], number: int, rule_set: RuleSet, now: Standing | None
) -> ScoredDoubt:
    """The doubt with what it changes in the standing `now`."""
    if now is None:
        return doubt
    changed = replace(kingdoms[number], board=doubt.board)
    then = rank_kingdoms([*kingdoms[:number], changed, *kingdoms[number + 1 :]], rule_set)
    return replace(
        doubt,
        changes_standing=_places(then) != _places(now),
        changes_winner={place.index for place in then.winners} != {place.index for place in now.winners},
        verdict=then.reason,
    )


def _places(ranking: Standing) -> set[tuple[int, int]]:
    return {(place.place, place.index) for place in ranking.places}
