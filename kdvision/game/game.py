"""A whole game: what was played, by which rules, and the kingdoms of its rounds."""

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
    """A game of one round, or of three as a Dynasty. `kind` and `variants` are ids of `rules.GAMES` and `rules.VARIANTS`."""

    kind: str
    side: int
    rounds: tuple[Table, ...]
    variants: tuple[str, ...] = ()
    teams: bool = False

    @cached_property
    def rule_set(self) -> RuleSet:
        """The rules this game was played by."""
        return make_rule_set(self.kind, side=self.side, variants=self.variants, teams=self.teams)

    def played(self, table: Table) -> tuple[ScoredKingdom, ...]:
        """The kingdoms of one round with their points: those that are certain, where pieces are still to be told."""
        return tuple(ScoredKingdom(kingdom, score_certain(kingdom, self.rule_set)) for kingdom in table.kingdoms)

    def problems(self, table: Table) -> tuple[Problem, ...]:
        """All that is odd about one round; of boards whose towns are not told yet the dominoes are not checked."""
        return drop_uncheckable(find_table_problems(table, self.rule_set), table.kingdoms)

    def is_open(self, table: Table) -> bool:
        """True where pieces or squares of one round are still to be told, so that nobody has won it yet."""
        return any(has_open_facts(kingdom) or kingdom.board.unknown for kingdom in table.kingdoms)

    @property
    def finished(self) -> bool:
        """True where nothing of any round is still to be told."""
        return not any(map(self.is_open, self.rounds))

    def entered(self, table: Table) -> bool:
        """True where all kingdoms of one round are entered, as far as anybody told."""
        return self.rule_set.with_seats(table).whole

    def is_decided(self, table: Table) -> bool:
        """True where it is known who has won one round: all kingdoms are entered, and all that scores is told."""
        return self.entered(table) and not self.is_open(table)

    @property
    def decided(self) -> bool:
        """True where it is known who has won the whole game."""
        return all(map(self.is_decided, self.rounds))

    def note(self, table: Table) -> str:
        """One sentence where not all kingdoms of a round are entered, else nothing."""
        seated, entered = self.rule_set.with_seats(table), len(table.kingdoms)
        if self.entered(table):
            return ""
        least = "" if table.seats else "at least "
        verb = "is" if entered == 1 else "are"
        return f"{entered} of {least}{seated.seats} kingdoms {verb} entered: nothing is known of the others"

    def round_standing(self, table: Table) -> Standing:
        """Who leads in one round, by what is told."""
        return rank_kingdoms(table.kingdoms, self.rule_set)

    @property
    def standing(self) -> Standing:
        """Who wins the whole game, by what is told."""
        if len(self.rounds) == 1:
            return self.round_standing(self.rounds[0])
        return rank_dynasty([table.kingdoms for table in self.rounds], self.rule_set)


def drop_uncheckable(problems: Iterable[Problem], kingdoms: Sequence[Kingdom]) -> tuple[Problem, ...]:
    """The problems without those about dominoes that rest on boards whose towns are not told yet."""
    open_boards = [TOWNS in kingdom.open_facts for kingdom in kingdoms]
    return tuple(
        problem
        for problem in problems
        if not (
            problem.clause.endswith(("/box", "/connection"))
            and (any(open_boards) if problem.kingdom is None else open_boards[problem.kingdom])
        )
    )


def describe_outlook(kingdoms: Sequence[Kingdom], rule_set: RuleSet, *, whole: bool = True) -> str:
    """One sentence on who wins while pieces are still to be told: known already, or not; nothing for one kingdom.

    `whole` is false where kingdoms of the game are missing, which may have any points.
    """
    if len(kingdoms) < 2:
        return ""
    known = [compute_range(kingdom, rule_set) for kingdom in kingdoms]
    unsettled = not whole or any(map(rule_set.is_outright_win, kingdoms))
    for number, (kingdom, own) in enumerate(zip(kingdoms, known, strict=True)):
        others = [other.most for place, other in enumerate(known) if place != number]
        if not unsettled and all(most is not None and most < own.least for most in others):
            return f"{kingdom.player} wins, whatever is still to be told"
    return "who wins is not known until the rest is told"


def infer_side(kind: str, tables: Sequence[Table], *, teams: bool = False) -> int:
    """The side that a game of so many kingdoms is played to; where that does not tell, the boards show it."""
    kingdoms = max((max(table.seats, len(table.kingdoms)) for table in tables), default=0)
    if kingdoms > 2 or teams:
        return 7 if kind == "royal-wedding" and (teams or kingdoms < 5) else 5
    if kind == "queendomino" and kingdoms == 2:
        return 7
    return infer_board_side(kingdom.board for table in tables for kingdom in table.kingdoms)


def choose_rule_set(
    kind: str | None, boards: Sequence[Board], *, side: int | None = None, variants: Collection[str] = ()
) -> RuleSet:
    """Return the rules to score the boards of one game by. Without a `kind` it is Kingdomino."""
    kind = kind or "kingdomino"
    side = side or infer_side(kind, [Table(tuple(map(Kingdom, boards)))])
    return make_rule_set(kind, side=side, variants=variants)
