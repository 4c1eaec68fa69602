"""What a variant is, the bonus that it may give for squares that the board shows, and checks of pieces."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, wraps
from typing import NamedTuple

from kdvision.game.board import Square, Terrain
from kdvision.game.deck import Deck
from kdvision.game.kingdom import Kingdom, Table, TokenKind
from kdvision.game.legality import Problem
from kdvision.game.scoring import Check, Line, Rule, RuleSet

Groups = Sequence[tuple[Square, ...]]
"""What earns the points of a bonus, each time that it is there: the squares of each corner, territory or line."""


@dataclass(frozen=True)
class Variant:
    """A variant, an expansion or a house rule, with all that the entry points need to offer it.

    `id` is its name in game files and event files, and as an option (`--harmony`). `name` is shown to people and
    becomes part of the rule set's name. `help` says in one sentence what it does. `clause` is its entry in
    `clauses.toml`. `rules` and `checks` are added to those of the game; `change` makes any other change.

    A bonus gives `points` for each group that `find_groups` finds in a kingdom; the number is the game's side. Players
    can claim it. Other variants have no `points`.

    `facts` are the keys of a game file that the variant needs. Without facts other than tokens, typed boards and events
    can be played with it. `games` are the games it can be added to, all if empty.

    `tokens` are the kinds of token that it puts on squares; their keys are among the `facts`. `group` is the option by
    which it is chosen among others, as in `--quest bleak-king`; without one it has an option of its own. `colours` are
    the players' colours, and `dominoes` the dominoes that it adds to the box.
    """

    id: str
    name: str
    help: str
    clause: str
    points: int = 0
    find_groups: Callable[[Kingdom, int], Groups] = lambda _kingdom, _side: ()
    rules: tuple[Rule, ...] = ()
    checks: tuple[Check, ...] = ()
    change: Callable[[RuleSet], RuleSet] | None = None
    facts: tuple[str, ...] = ()
    games: tuple[str, ...] = ()
    tokens: tuple[TokenKind, ...] = ()
    group: str = ""
    colours: tuple[str, ...] = ()
    dominoes: Deck = ()

    @property
    def key(self) -> str:
        """The id as a name of Python, of a query and of JSON: `middle_kingdom`."""
        return self.id.replace("-", "_")

    def fits(self, game: str) -> bool:
        """Return whether the variant can be added to a game, `queendomino` for example."""
        return not self.games or game in self.games

    def add_to(self, rule_set: RuleSet) -> RuleSet:
        """Return the rule set with this variant."""
        new_rules = self.change(rule_set) if self.change else rule_set
        bonuses = [Bonus(self, rule_set.side)] if self.points else []
        token_checks = [partial(check_tokens, kind=kind) for kind in self.tokens]
        return replace(
            new_rules,
            name=f"{rule_set.name}, {self.name}",
            deck=(*new_rules.deck, *self.dominoes),
            rules=(*new_rules.rules, *bonuses, *self.rules),
            checks=tuple(dict.fromkeys((*new_rules.checks, *token_checks, *self.checks))),
            facts=(*new_rules.facts, *self.facts),
        )


class Group(NamedTuple):
    """Variants from which `drawn` are drawn for a game."""

    drawn: int
    variants: tuple[Variant, ...]


@dataclass(frozen=True)
class Bonus:
    """The rule of a variant that is a bonus, in a game of this side."""

    variant: Variant
    side: int

    def __call__(self, kingdom: Kingdom) -> Iterator[Line]:
        """Yield one line, of 0 points if nothing is found."""
        groups = self.variant.find_groups(kingdom, self.side)
        squares = tuple(sorted({square for group in groups for square in group}))
        yield Line(self.variant.name, self.variant.points * len(groups), self.variant.clause, squares)


def check_each(check: Callable[[Kingdom], Iterable[Problem]]) -> Check:
    """Return a check of the table that runs a check of one kingdom on each."""

    @wraps(check)
    def check_table(table: Table, _rules: RuleSet) -> Iterator[Problem]:
        for number, kingdom in enumerate(table.kingdoms):
            yield from (replace(problem, kingdom=number) for problem in check(kingdom))

    return check_table


def check_supply(pieces: str, count: int, supply: int, clause: str) -> Iterator[Problem]:
    """Yield the problem of more pieces in the game than the box has."""
    if count > supply:
        yield Problem((), f"there are {count} {pieces} in the game, and the box has {supply}", clause)


def check_land(kingdom: Kingdom, square: Square, words: str, clause: str) -> Iterator[Problem]:
    """Yield the problem of a piece that is on no domino or on the castle; `words` are "the giant on A1 is on"."""
    cell = kingdom.board.get(square)
    if square not in kingdom.board.unknown and (cell is None or cell.terrain is Terrain.CASTLE):
        yield Problem((square,), f"{words} {'no domino' if cell is None else 'the castle'}", clause)


def check_single(piece: str, squares: Sequence[Square], clause: str) -> Iterator[Problem]:
    """Yield the squares with several pieces of a kind that stands alone."""
    for square, count in Counter(squares).items():
        if count > 1:
            yield Problem((square,), f"more than one {piece} stands on {square.name}", clause)


def check_tokens(table: Table, _rules: RuleSet, *, kind: TokenKind) -> Iterator[Problem]:
    """Yield problems: tokens of a kind off the board or on the castle, more of them than the box has."""
    tokens = [(n, token) for n, kingdom in enumerate(table.kingdoms) for token in kingdom.list_tokens(kind.key)]
    for number, token in tokens:
        words = f"the {kind.describe(token)} on {token.square.name} is on"
        for problem in check_land(table.kingdoms[number], token.square, words, kind.clause):
            yield replace(problem, kingdom=number)
    yield from check_supply(f"{kind.word}s", len(tokens), kind.count, kind.clause)
