"""Rules, rule sets and scorecards: a rule set is a tuple of rules, and a scorecard is the lines they yield."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from kdvision.game.board import Board, Square
from kdvision.game.deck import Deck
from kdvision.game.kingdom import Kingdom, Table, Territory, to_kingdom
from kdvision.game.legality import Problem
from kdvision.text import count_noun


@dataclass(frozen=True, slots=True)
class Line:
    """One entry of a scorecard, with its clause and the squares that earn it. A bonus has no `territory`."""

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


Rule = Callable[[Kingdom], Iterable[Line]]
"""Something that earns points: returns the lines that it adds to the scorecard of a kingdom."""


def list_territory_lines(kingdom: Kingdom, *, clause: str = "kingdomino/value") -> Iterator[Line]:
    """Yield one line for each territory, from the top left: its squares times its crowns (kingdomino/several).

    A territory without crowns has a line of 0 points.
    """
    for territory in kingdom.territories:
        size, crowns = count_noun(len(territory.squares), "square"), count_noun(territory.crowns, "crown")
        label = f"{territory.terrain}: {size} × {crowns}{', worth nothing under a skull' * territory.is_cursed}"
        line_clause = "lost-treasures/skull" if territory.is_cursed else clause
        yield Line(label, territory.points, line_clause, territory.squares, territory)


class TieBreak(NamedTuple):
    """One step of breaking a tie: the higher `measure` wins. `words` name it, "the largest territory" for example."""

    words: str
    clause: str
    measure: Callable[[Kingdom], int]


Check = Callable[[Table, "RuleSet"], Iterable[Problem]]
"""Returns the problems with the pieces of all kingdoms on a table, by the rules that it is played by."""


@dataclass(frozen=True)
class RuleSet:
    """The rules of one game.

    `side` is the largest number of rows and columns. `dominoes_drawn` gives for each number of kingdoms that is
    allowed how many dominoes are drawn. `outright_win` returns why a kingdom wins without counting points, an empty
    text if it does not. `facts` are the keys of game files for the pieces of this game. `checks` look for problems with
    the pieces. `own_clauses` replace clauses of Kingdomino by those of another book that say the same.
    """

    name: str
    side: int
    deck: Deck
    rules: tuple[Rule, ...]
    tie_breaks: tuple[TieBreak, ...]
    dominoes_drawn: Mapping[int, int] = field(default_factory=dict)
    outright_win: Callable[[Kingdom], str] = lambda _kingdom: ""
    facts: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    own_clauses: Mapping[str, str] = field(default_factory=dict)

    @property
    def max_kingdoms(self) -> int:
        """The largest number of kingdoms that play together."""
        return max(self.dominoes_drawn, default=1)

    def count_seats(self, table: Table) -> int:
        """Return how many kingdoms were played: the given number, or else that of the entered ones.

        If the rules do not allow it, it is the next larger number that they allow.
        """
        seats = table.seats or len(table.kingdoms)
        return min((count for count in self.dominoes_drawn if count >= seats), default=seats)

    def has_all_kingdoms(self, table: Table) -> bool:
        """Return whether no kingdom is known to be missing."""
        return self.count_seats(table) <= len(table.kingdoms)

    def check_pieces(self, table: Table) -> list[Problem]:
        """Return the problems with the pieces of all kingdoms."""
        return [problem for check in self.checks for problem in check(table, self)]


def score(kingdom: Kingdom | Board, rule_set: RuleSet | None = None) -> Scorecard:
    """Return the scorecard of a kingdom or a board; without a rule set, only that of its territories.

    Only the board and the pieces count (kingdomino/discard). A board with problems is scored too; see
    `legality.find_problems`.
    """
    rules: tuple[Rule, ...] = (list_territory_lines,) if rule_set is None else rule_set.rules
    full_kingdom = to_kingdom(kingdom)
    return Scorecard(tuple(line for rule in rules for line in rule(full_kingdom)))
