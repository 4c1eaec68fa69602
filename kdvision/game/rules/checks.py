"""Checks of pieces that several games and expansions share: their squares, and their numbers against the box."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import wraps

from kdvision.game.board import Square, Terrain
from kdvision.game.kingdom import Kingdom, Table
from kdvision.game.legality import Problem
from kdvision.game.pieces import TokenKind
from kdvision.game.scoring import Check, RuleSet


def check_each(check: Callable[[Kingdom], Iterable[Problem]]) -> Check:
    """Return a check of the table that runs a check of one kingdom on each."""

    @wraps(check)
    def check_table(table: Table, _rules: RuleSet) -> Iterator[Problem]:
        for number, kingdom in enumerate(table.kingdoms):
            yield from (replace(problem, kingdom=number) for problem in check(kingdom))

    return check_table


def check_supply(pieces: str, count: int, held: int, clause: str) -> Iterator[Problem]:
    """Yield the problem of more pieces in the game than the box has."""
    if count > held:
        yield Problem((), f"there are {count} {pieces} in the game, and the box has {held}", clause)


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


def check_tokens(table: Table, _rules: RuleSet, *, kind: TokenKind, clause: str) -> Iterator[Problem]:
    """Yield problems: tokens of a kind off the board or on the castle, more of them than the box has."""
    tokens = [(number, token) for number, one in enumerate(table.kingdoms) for token in one.list_tokens(kind.key)]
    for number, token in tokens:
        words = f"the {kind.describe(token)} on {token.square.name} is on"
        for problem in check_land(table.kingdoms[number], token.square, words, clause):
            yield replace(problem, kingdom=number)
    yield from check_supply(f"{kind.word}s", len(tokens), kind.count, clause)
