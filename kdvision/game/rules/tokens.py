"""The problems that the tokens of any expansion can have: their squares, and their numbers against the box."""

from collections.abc import Iterator

from kdvision.game.board import Terrain
from kdvision.game.kingdom import Table
from kdvision.game.legality import Problem
from kdvision.game.pieces import Token, TokenKind
from kdvision.text import count_noun


def check_tokens(table: Table, kind: TokenKind, clause: str) -> Iterator[Problem]:
    """Yield problems: tokens of a kind off the board or on the castle, more of them than the box has."""
    for number, kingdom in enumerate(table.kingdoms):
        for token in kingdom.list_tokens(kind.key):
            cell = kingdom.board.get(token.square)
            if token.square not in kingdom.board.unknown and (cell is None or cell.terrain is Terrain.CASTLE):
                where = "no domino" if cell is None else "the castle"
                text = f"the {describe_token(kind, token)} on {token.square.name} is on {where}"
                yield Problem((token.square,), text, clause, number)
    used = sum(len(kingdom.list_tokens(kind.key)) for kingdom in table.kingdoms)
    if used > kind.count:
        text = f"there are {count_noun(used, kind.word)} in the game, and the box has {kind.count}"
        yield Problem((), text, clause)


def describe_token(kind: TokenKind, token: Token) -> str:
    """Return what a token is called, such as "giant" or "court tile King"."""
    return f"{kind.word} {token.name}".rstrip()
