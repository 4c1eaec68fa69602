"""Scoring: rules are small objects of one shape, a rule set is a tuple of them, a scorecard is their lines."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

from kdvision.game.board import Board, Square
from kdvision.game.deck import Deck
from kdvision.game.kingdom import Kingdom, Table, Territory, to_kingdom
from kdvision.game.legality import Problem


@dataclass(frozen=True, slots=True)
class Line:
    """One entry of a scorecard: what it is for, its points, the clause it follows, the squares that earned it.

    `territory` is the territory scored, or None for a bonus.
    """

    label: str
    points: int
    clause: str
    squares: tuple[Square, ...] = ()
    territory: Territory | None = None


@dataclass(frozen=True, slots=True)
class Scorecard:
    """The lines of one kingdom; its total is their sum (kingdomino/total)."""

    lines: tuple[Line, ...]

    @property
    def points(self) -> int:
        """The points of the territories alone."""
        return sum(line.points for line in self.lines if line.territory is not None)

    @property
    def total(self) -> int:
        """All points, bonuses included."""
        return sum(line.points for line in self.lines)


class Rule(Protocol):
    """Something that earns points: anything with this one method."""

    def lines(self, kingdom: Kingdom) -> Iterable[Line]:
        """The lines this rule adds to the kingdom's scorecard."""
        ...


@dataclass(frozen=True)
class Territories:
    """Each territory: its squares times its crowns. Territories without crowns have their line too, of 0 points."""

    clause: str = "kingdomino/value"

    def lines(self, kingdom: Kingdom) -> Iterator[Line]:
        """One line a territory, from the top left (kingdomino/several)."""
        for territory in kingdom.territories:
            label = f"{territory.terrain}: {_times(territory)}"
            clause = "lost-treasures/skull" if territory.cursed else self.clause
            yield Line(label, territory.points, clause, territory.squares, territory)


class TieBreak(NamedTuple):
    """One step of breaking a tie: the more of `measure`, the better. `words` name it: "the largest territory"."""

    words: str
    clause: str
    measure: Callable[[Kingdom], int]


class OutrightWin(NamedTuple):
    """A way to win without counting points: `words` give the reason, `is_reached` tells whether a kingdom has won so."""

    words: str
    is_reached: Callable[[Kingdom], bool]


Check = Callable[[Table], Iterable[Problem]]
"""What finds oddities among the pieces of all kingdoms on a table."""


@dataclass(frozen=True)
class RuleSet:
    """What one game is played by.

    `side` is the most rows and columns of a kingdom; `dominoes_drawn` tells for each allowed number of kingdoms how many
    dominoes are drawn; `team` is how many players share a kingdom. `facts` are the keys of game files for the
    pieces that are played with. `checks` find what is odd about the pieces on a table; `own_clauses` are this book's clauses where
    it repeats one of Kingdomino's.
    """

    name: str
    side: int
    deck: Deck
    rules: tuple[Rule, ...]
    tie_breaks: tuple[TieBreak, ...]
    dominoes_drawn: Mapping[int, int] = field(default_factory=dict)
    team: int = 1
    outright: OutrightWin | None = None
    facts: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    own_clauses: Mapping[str, str] = field(default_factory=dict)

    @property
    def max_kingdoms(self) -> int:
        """The most kingdoms that play together."""
        return max(self.dominoes_drawn, default=1)

    def with_seats(self, table: Table) -> Table:
        """The table with the kingdoms that must have been played, where nobody told: the fewest that can have been."""
        entered = len(table.kingdoms)
        fewest = min((count for count in self.dominoes_drawn if count >= entered), default=entered)
        return table if table.seats else replace(table, seats=fewest)

    def is_outright_win(self, kingdom: Kingdom) -> bool:
        """Return whether a kingdom wins without counting points."""
        return self.outright is not None and self.outright.is_reached(kingdom)


def score(kingdom: Kingdom | Board, rule_set: RuleSet | None = None) -> Scorecard:
    """The scorecard of a kingdom, or of a bare board; without a rule set its territories alone.

    Only what lies on the board counts (kingdomino/discard). A wrong board scores too: what is wrong with it is for
    `legality.problems` to say.
    """
    whole = to_kingdom(kingdom)
    rules = (Territories(),) if rule_set is None else rule_set.rules
    return Scorecard(tuple(line for rule in rules for line in rule.lines(whole)))


def _times(territory: Territory) -> str:
    squares, crowned = len(territory.squares), territory.crowns
    words = f"{squares} square{'s' * (squares != 1)} × {crowned} crown{'s' * (crowned != 1)}"
    return f"{words}, worth nothing under a skull" if territory.cursed else words
