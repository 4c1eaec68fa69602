"""What a report shows: the scored kingdoms of one photo, of several, or of typed boards. `build.py` makes them."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from kdvision.errors import KdvisionError
from kdvision.game.board import Board
from kdvision.game.dominoes import Inventory, count_box
from kdvision.game.kingdom import TOWNS, Kingdom
from kdvision.game.legality import Problem
from kdvision.game.open_facts import PointRange, compute_range, has_open_facts
from kdvision.game.rules import GAMES
from kdvision.game.scoring import RuleSet, Scorecard, score
from kdvision.game.standing import Standing
from kdvision.report.doubt_effects import PossibleTotal, ScoredDoubt, compute_totals

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading
    from kdvision.vision.assess.calibration import Calibration


@dataclass(frozen=True)
class ScoredKingdom:
    """One kingdom with its rules and problems, and its doubts, the most important first.

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
        return Scorecard(self.point_range.lines) if self.is_open else score(self.kingdom, self.rule_set)

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
    def has_renamed_squares(self) -> bool:
        """True if corrections have given the squares other names than those that a further correction must use."""
        return self.reading is not None and self.reading.has_renamed_squares

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
    def point_range(self) -> PointRange:
        """The range of the points, and the facts that are still missing."""
        return compute_range(self.kingdom, self.rule_set)

    @cached_property
    def is_open(self) -> bool:
        """True while facts about pieces are missing: there is no total, and `card` has only the certain lines."""
        return has_open_facts(self.kingdom)

    @property
    def total(self) -> str:
        """The total as text, or its range while a fact or a square is unknown."""
        return str(self.point_range)


@dataclass(frozen=True)
class Result:
    """Everything known about the kingdoms of one photo or of one game; `error` is set if the photo failed.

    `photo` is None for typed boards and for several photos. While facts about pieces are missing, `standing` is None
    and `outlook` says in a sentence what is known of the winner. `shared_problems` are those of no single kingdom.
    `failed_views` are further photos of the same kingdoms that could not be read, and why.
    """

    photo: str | None
    width: int | None = None
    height: int | None = None
    kingdoms: tuple[ScoredKingdom, ...] = ()
    standing: Standing | None = None
    error: KdvisionError | None = None
    outlook: str = ""
    failed_views: tuple[tuple[str, KdvisionError], ...] = ()
    shared_problems: tuple[Problem, ...] = ()

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
        return any(entry.review for entry in self.kingdoms)

    @property
    def first_question(self) -> ScoredDoubt | None:
        """The most important doubt of all kingdoms, to ask the user about."""
        doubts = [doubt for entry in self.kingdoms for doubt in entry.doubts]
        return max(doubts, key=lambda doubt: doubt.priority, default=None)

    @cached_property
    def inventory(self) -> Inventory | None:
        """The dominoes counted over all kingdoms; None for fewer than two kingdoms, or while towns are not known."""
        if len(self.kingdoms) < 2 or any(TOWNS in entry.kingdom.open_facts for entry in self.kingdoms):
            return None
        rules = self.kingdoms[0].rule_set
        boards = [entry.board for entry in self.kingdoms]
        return count_box(boards, rules.deck, drawn_count=rules.dominoes_drawn.get(len(boards)))

    @property
    def calibration(self) -> "Calibration | None":
        """The calibration of the models that read the photo; None for typed boards."""
        return next((entry.reading.calibration for entry in self.kingdoms if entry.reading is not None), None)
