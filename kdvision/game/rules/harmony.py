"""Harmony: a bonus for a complete kingdom, one for which no domino was discarded."""

from typing import Final

from kdvision.game.kingdom import Kingdom
from kdvision.game.rules.variant import Groups, Variant


def find_complete_square(kingdom: Kingdom, side: int) -> Groups:
    """Return all squares of a kingdom that fills `side` rows and columns without holes, else nothing.

    One of the squares is the castle, or can be, because it is unknown. Whether the kingdom is complete is the ruling
    kingdomino/complete.
    """
    board = kingdom.board
    is_full = len(board) + len(board.unknown) == side * side and board.extent == (side, side)
    castles = len(board.castles())
    return [tuple(board)] if is_full and (castles == 1 or (board.unknown and not castles)) else []


HARMONY: Final = Variant(
    "harmony",
    "Harmony",
    help="Add 5 points for a complete kingdom.",
    clause="kingdomino/harmony",
    points=5,
    find_groups=find_complete_square,
)
