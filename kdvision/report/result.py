"""What a report shows: the scored kingdoms of one photo or of typed boards. `report/build.py` makes these values."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from kdvision.errors import KdvisionError
from kdvision.game.board import Board
from kdvision.game.inventory import Inventory, count_box
from kdvision.game.kingdom import Kingdom
from kdvision.game.legality import Problem
from kdvision.game.open_facts import PointRange, compute_range, has_open_facts, score_certain
from kdvision.game.pieces import TOWNS
from kdvision.game.rules import GAMES
from kdvision.game.scoring import RuleSet, Scorecard
from kdvision.game.standing import Standing
from kdvision.report.doubt_effects import PossibleTotal, Question, ScoredDoubt, compute_totals, rank_questions

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading
    from kdvision.vision.assess.calibration import Calibration


@dataclass(frozen=True)
class ScoredKingdom:
    """One kingdom with its rules and problems.

    `reading` is what the photo showed, None for a typed board. `player_name` is the name that the user gave, else "".
    """

    kingdom: Kingdom
    rule_set: RuleSet
    problems: tuple[Problem, ...] = ()
    doubts: tuple[ScoredDoubt, ...] = ()
    reading: "KingdomReading | None" = None
    player_name: str = ""

    @cached_property
    def card(self) -> Scorecard:
        """The scorecard; while facts about pieces are missing, that of the certain lines."""
        return score_certain(self.kingdom, self.rule_set)

    @property
    def review(self) -> bool:
        """True where a person should check the kingdom."""
        if self.reading is not None:
            return self.reading.needs_review(self.problems, is_open=self.is_open)
        return bool(self.problems) or self.is_open

    @property
    def board(self) -> Board:
        """The board as it lies in the photo, or as it was typed."""
        return self.kingdom.board

    @property
    def probability(self) -> float:
        """The probability that the whole board is right; for a typed board 1, or 0 if a square is unknown."""
        return float(not self.board.unknown) if self.reading is None else self.reading.probability

    @cached_property
    def possible_totals(self) -> tuple[PossibleTotal, ...]:
        """The possible totals with their probabilities: that of the board as read, then the others, likeliest first."""
        if self.reading is None or self.is_open:
            return (PossibleTotal(self.card.total, self.card.points, self.probability),)
        boards = [(self.board, self.reading.probability), *self.reading.runners_up]
        return compute_totals(self.kingdom, boards, self.rule_set)

    @cached_property
    def extent(self) -> PointRange:
        """The range of the points, and the facts that are still missing."""
        return compute_range(self.kingdom, self.rule_set)

    @cached_property
    def is_open(self) -> bool:
        """True while facts about pieces are missing: there is no total, and `card` has only the certain lines."""
        return has_open_facts(self.kingdom)

    @property
    def total(self) -> str:
        """The total as text, or its range."""
        return str(self.extent) if self.is_open else str(self.card.total)

    @property
    def points_probability(self) -> float:
        """The probability that the total is right, summed over all boards with that total."""
        return self.possible_totals[0].probability


class FailedView(NamedTuple):
    """A further photo of the same kingdoms that could not be read, and why."""

    photo: str
    error: KdvisionError


@dataclass(frozen=True)
class Result:
    """Everything known about one photo, or about typed boards (`photo` is None). `error` is set if the photo failed.

    While facts about pieces are missing, `standing` is None and `outlook` says in a sentence what is known of the
    winner.
    """

    photo: str | None
    width: int | None = None
    height: int | None = None
    kingdoms: tuple[ScoredKingdom, ...] = ()
    standing: Standing | None = None
    error: KdvisionError | None = None
    outlook: str = ""
    failed_views: tuple[FailedView, ...] = ()

    @property
    def game(self) -> str | None:
        """The name of the game by whose rules the kingdoms were scored, as in game files; None without kingdoms."""
        if not self.kingdoms:
            return None
        dominoes = {*self.kingdoms[0].rule_set.deck}  # expansions add to them
        return next(name for name, make_rules in GAMES.items() if dominoes.issuperset(make_rules().deck))

    @property
    def review(self) -> bool:
        """True where a person should check one of the kingdoms."""
        return any(scored.review for scored in self.kingdoms)

    @property
    def is_open(self) -> bool:
        """True while facts about the pieces of a kingdom are missing, so that the winner is not known."""
        return any(scored.is_open for scored in self.kingdoms)

    @property
    def questions(self) -> list[Question]:
        """The doubts of all kingdoms, the most important one first."""
        if not self.kingdoms:
            return []
        doubts = [scored.doubts for scored in self.kingdoms]
        return rank_questions([scored.kingdom for scored in self.kingdoms], doubts, self.kingdoms[0].rule_set)

    @cached_property
    def inventory(self) -> Inventory | None:
        """The dominoes counted over all kingdoms; None for fewer than two kingdoms."""
        if not self.kingdoms:
            return None
        return count_dominoes([scored.kingdom for scored in self.kingdoms], self.kingdoms[0].rule_set)

    @property
    def calibration(self) -> "Calibration | None":
        """The calibration of the models that read the photo; None for typed boards."""
        return next((scored.reading.calibration for scored in self.kingdoms if scored.reading is not None), None)


@dataclass(frozen=True)
class CombinedResult:
    """The kingdoms of several photos as one game. `identical` are pairs of players with equal boards, turned or not."""

    standing: Standing
    questions: tuple[Question, ...]
    players: tuple[str, ...]
    inventory: Inventory | None
    identical: tuple[tuple[str, str], ...] = ()


def count_dominoes(kingdoms: Sequence[Kingdom], rule_set: RuleSet) -> Inventory | None:
    """The dominoes counted over the kingdoms of a game; None for a single kingdom, or while towns are not known."""
    if len(kingdoms) < 2 or any(TOWNS in kingdom.open_facts for kingdom in kingdoms):
        return None
    boards = [kingdom.board for kingdom in kingdoms]
    return count_box(boards, rule_set.deck, drawn=rule_set.dominoes_drawn.get(len(kingdoms)))
