"""The effect of each doubt: the points if the other reading is right, and whether that changes the standing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from kdvision.game.board import Board, parse_cell
from kdvision.game.deck import Deck, index_deck
from kdvision.game.kingdom import UNKNOWN, Kingdom, Table
from kdvision.game.open_facts import has_open_facts
from kdvision.game.scoring import RuleSet, score
from kdvision.game.standing import Place, Standing, rank_kingdoms
from kdvision.vision.decide.decision import Doubt

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading

MAX_CHANGED_SQUARES: Final = 6
"""A runner-up that differs from the decided board on more squares is the same board, shifted, and is not used."""


@dataclass(frozen=True, slots=True)
class Alternative(Doubt):
    """A doubtful square, what was read there, its probability, what it may be instead, and the board in that case."""

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
        expected_effect = self.difference * (1 - self.probability)
        return bool(self.changes_winner), bool(self.changes_standing), expected_effect, 1 - self.probability


class PossibleTotal(NamedTuple):
    """A total that may be right, its points of territories alone, and its probability."""

    total: int
    points: int
    probability: float


def score_doubts(
    kingdoms: Sequence[Kingdom],
    alternatives: Sequence[Sequence[Alternative]],
    rule_set: RuleSet,
    *,
    is_over: bool = True,
) -> list[ScoredDoubt]:
    """Return the doubts of a game from the alternatives of each kingdom, the most important one first."""
    standing = rank_if_known(kingdoms, rule_set, is_over=is_over)
    doubts = []
    for number, (kingdom, kingdom_alternatives) in enumerate(zip(kingdoms, alternatives, strict=True)):
        total = score(kingdom, rule_set).total
        for case in kingdom_alternatives:
            other_kingdom = replace(kingdom, board=case.board)
            card = score(other_kingdom, rule_set)
            content = (case.square, case.kind, case.probability, case.other_kind, case.board)
            doubt = ScoredDoubt(*content, number, card.points, card.total, abs(card.total - total))
            other_kingdoms = [*kingdoms[:number], other_kingdom, *kingdoms[number + 1 :]]
            other = rank_if_known(other_kingdoms, rule_set, is_over=is_over)
            if standing is not None and other is not None:
                new_places = _list_places(other.places) != _list_places(standing.places)
                new_winner = _list_places(other.winners) != _list_places(standing.winners)
                doubt = replace(doubt, changes_standing=new_places, changes_winner=new_winner, verdict=other.reason)
            doubts.append(doubt)
    return sorted(doubts, key=lambda doubt: doubt.priority, reverse=True)


def rank_if_known(kingdoms: Sequence[Kingdom], rule_set: RuleSet, *, is_over: bool = True) -> Standing | None:
    """Return the standing; None for fewer than two kingdoms, and while facts about pieces are missing.

    It says who leads, not who wins, if there are too many kingdoms or the game is not over; also if a square is unknown
    or a kingdom is missing, unless somebody has won outright.
    """
    if len(kingdoms) < 2 or any(map(has_open_facts, kingdoms)):
        return None
    limit, has_unknown = rule_set.max_kingdoms, any(kingdom.board.unknown for kingdom in kingdoms)
    is_complete = rule_set.has_all_kingdoms(Table(tuple(kingdoms))) and not has_unknown
    is_over &= is_complete or sum(bool(rule_set.outright_win(kingdom)) for kingdom in kingdoms) == 1
    standing = rank_kingdoms(kingdoms, rule_set, is_over=is_over and len(kingdoms) <= limit)
    if len(kingdoms) <= limit:
        return standing
    return replace(standing, reason=f"{standing.reason}; {rule_set.name} is played with at most {limit} kingdoms")


def _list_places(places: Sequence[Place]) -> set[tuple[int, int]]:
    return {(place.place, place.index) for place in places}


def compute_totals(
    kingdom: Kingdom, boards: Sequence[tuple[Board, float]], rule_set: RuleSet
) -> tuple[PossibleTotal, ...]:
    """Return the totals of these boards with summed probabilities: the first board's total, then by probability."""
    totals: dict[int, PossibleTotal] = {}
    for board, probability in boards:
        card = score(replace(kingdom, board=board), rule_set)
        old_total = totals.get(card.total, PossibleTotal(card.total, card.points, 0.0))
        totals[card.total] = old_total._replace(probability=old_total.probability + probability)
    first, *other_totals = totals.values()
    return first, *sorted(other_totals, key=lambda total: -total.probability)


def list_alternatives(reading: "KingdomReading") -> list[Alternative]:
    """Return the doubts of a kingdom in a photo, each with the board in that case.

    That is the likeliest runner-up with the other cell there, else the decided board with only that square changed.
    """
    board = reading.board
    runners_up = [
        runner_up
        for runner_up, _ in reading.runners_up
        if (runner_up.height, runner_up.width) == (board.height, board.width)
        and sum(runner_up.get(place) != board.get(place) for place in {*runner_up, *board}) <= MAX_CHANGED_SQUARES
    ]
    alternatives = []
    for doubt in reading.doubts:
        square, cell = doubt.square, parse_cell(doubt.other_kind)
        matches = [other for other in runners_up if other.get(square) == cell]
        other_board = matches[0] if matches else board.with_cells({square: cell})
        alternatives.append(Alternative(square, doubt.kind, doubt.probability, doubt.other_kind, other_board))
    return alternatives


def list_possible_contents(board: Board, boards: Sequence[Board], deck: Deck) -> Iterator[Alternative]:
    """Yield what may lie on unknown squares: nothing, the castle, or a kind that is left and completes a domino.

    `boards` are all of the game.
    """
    index = index_deck(deck)
    counts = index.squares.copy()
    for other in boards:
        counts.subtract(cell for cell in other.values() if cell in counts)
    unused_kinds = [cell for cell, count in counts.items() if count > 0]
    for square in sorted(board.unknown):
        neighbours = [place for place in square.list_neighbours() if place in board or place in board.unknown]
        words = [
            str(cell)
            for cell in unused_kinds
            if any(place in board.unknown or (cell, board[place]) in index.face_index for place in neighbours)
        ]
        for word in [*words, ".", *(["#"] if not board.find_castles() else [])]:
            yield Alternative(square, UNKNOWN, 0.0, word, board.with_cells({square: parse_cell(word)}))
