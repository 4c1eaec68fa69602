"""A whole game: its rules, and the kingdoms of its rounds."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from kdvision.game.board import Board
from kdvision.game.kingdom import Kingdom, Table
from kdvision.game.legality import Problem
from kdvision.game.open_facts import compute_range, has_open_facts, score_certain
from kdvision.game.pieces import TOWNS
from kdvision.game.rules import infer_board_side, make_rule_set
from kdvision.game.scoring import RuleSet, Scorecard
from kdvision.game.standing import Standing, rank_dynasty, rank_kingdoms
from kdvision.game.table_check import find_table_problems

DYNASTY_ROUNDS: Final = 3
"""The rounds of a Dynasty (kingdomino/dynasty)."""


@dataclass(frozen=True)
class ScoredKingdom:
    """One kingdom of a round with its points."""

    kingdom: Kingdom
    card: Scorecard


@dataclass(frozen=True)
class Game:
    """A game of one round, or a Dynasty. `kind` and `variants` are ids of `rules.GAMES` and `rules.VARIANTS`."""

    kind: str
    side: int
    rounds: tuple[Table, ...]
    variants: tuple[str, ...] = ()
    teams: bool = False

    @cached_property
    def rule_set(self) -> RuleSet:
        """The rules of this game."""
        return make_rule_set(self.kind, side=self.side, variants=self.variants, teams=self.teams)

    def score_round(self, table: Table) -> tuple[ScoredKingdom, ...]:
        """Return the kingdoms of a round with their points. While facts are open, only certain points count."""
        return tuple(ScoredKingdom(kingdom, score_certain(kingdom, self.rule_set)) for kingdom in table.kingdoms)

    def problems(self, table: Table) -> tuple[Problem, ...]:
        """Return the problems of a round. The dominoes of a board with open towns are not checked."""
        return drop_uncheckable(find_table_problems(table, self.rule_set), table.kingdoms)

    def is_open(self, table: Table) -> bool:
        """Return whether facts or squares of a round are unknown, so that it has no winner yet."""
        return any(has_open_facts(kingdom) or kingdom.board.unknown for kingdom in table.kingdoms)

    @property
    def has_all_facts(self) -> bool:
        """Whether everything that scores is known."""
        return not any(map(self.is_open, self.rounds))

    def has_all_kingdoms(self, table: Table) -> bool:
        """Return whether no kingdom of a round is known to be missing."""
        return self.rule_set.with_seats(table).is_complete

    def has_round_result(self, table: Table) -> bool:
        """Return whether it is known who has won a round."""
        return self.has_all_kingdoms(table) and not self.is_open(table)

    @property
    def has_result(self) -> bool:
        """Whether it is known who has won the whole game."""
        return all(map(self.has_round_result, self.rounds))

    def note(self, table: Table) -> str:
        """Return a sentence if kingdoms of a round are missing, else an empty text."""
        if self.has_all_kingdoms(table):
            return ""
        count = len(table.kingdoms)
        seats = f"{'' if table.seats else 'at least '}{self.rule_set.with_seats(table).seats}"
        verb = "is" if count == 1 else "are"
        return f"{count} of {seats} kingdoms {verb} entered: nothing is known of the others"

    def rank_round(self, table: Table) -> Standing:
        """Return the standing of a round, by the facts that are known."""
        return rank_kingdoms(table.kingdoms, self.rule_set)

    @property
    def standing(self) -> Standing:
        """The standing of the whole game, by the facts that are known."""
        if len(self.rounds) == 1:
            return self.rank_round(self.rounds[0])
        return rank_dynasty([table.kingdoms for table in self.rounds], self.rule_set)


def drop_uncheckable(problems: Iterable[Problem], kingdoms: Sequence[Kingdom]) -> tuple[Problem, ...]:
    """Return the problems without those about the dominoes of boards whose towns are open."""
    has_open_towns = [TOWNS in kingdom.open_facts for kingdom in kingdoms]

    def is_checkable(problem: Problem) -> bool:
        about = any(has_open_towns) if problem.kingdom is None else has_open_towns[problem.kingdom]
        return not (about and problem.clause.endswith(("/box", "/connection")))

    return tuple(filter(is_checkable, problems))


def describe_outlook(kingdoms: Sequence[Kingdom], rule_set: RuleSet, *, whole: bool = True) -> str:
    """Return a sentence on who wins while facts are open; empty for a single kingdom.

    `whole` is false if kingdoms of the game are missing: they may have any number of points.
    """
    if len(kingdoms) < 2:
        return ""
    ranges = [compute_range(kingdom, rule_set) for kingdom in kingdoms]
    if whole and not any(map(rule_set.is_outright_win, kingdoms)):
        for number, (kingdom, own) in enumerate(zip(kingdoms, ranges, strict=True)):
            others = [other.most for place, other in enumerate(ranges) if place != number]
            if all(most is not None and most < own.least for most in others):
                return f"{kingdom.player} wins, whatever is still missing"
    return "who wins is not known yet"


def infer_side(kind: str, tables: Sequence[Table], *, teams: bool = False) -> int:
    """Return the side that follows from the number of kingdoms, or from the boards if the number leaves it open."""
    count = max((max(table.seats, len(table.kingdoms)) for table in tables), default=0)
    if count > 2 or teams:
        return 7 if kind == "royal-wedding" and (teams or count < 5) else 5
    if kind == "queendomino" and count == 2:
        return 7
    return infer_board_side(kingdom.board for table in tables for kingdom in table.kingdoms)


def choose_rule_set(
    kind: str | None, boards: Sequence[Board], *, side: int | None = None, variants: Collection[str] = ()
) -> RuleSet:
    """Return the rules to score the boards of one game by. Without a `kind` it is Kingdomino."""
    kind = kind or "kingdomino"
    side = side or infer_side(kind, [Table(tuple(map(Kingdom, boards)))])
    return make_rule_set(kind, side=side, variants=variants)
