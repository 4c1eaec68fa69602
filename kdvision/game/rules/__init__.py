"""The rule sets by name, and the clauses of the books they follow."""

from collections.abc import Iterable
from typing import Final

from kdvision.game.board import Board
from kdvision.game.rules.clauses import Clause, clauses
from kdvision.game.rules.kingdomino import kingdomino
from kdvision.game.rules.lost_treasures import with_lost_treasures
from kdvision.game.rules.queendomino import queendomino, royal_wedding

SIDES: Final = (5, 7)
"""The sides a kingdom can be played to."""


def side_of(boards: Iterable[Board]) -> int:
    """The side a game was played to, as its boards show it: 7 as soon as one is longer than 5, else 5."""
    longest = max((max(board.extent) for board in boards), default=0)
    return next((side for side in SIDES if longest <= side), SIDES[-1])


__all__ = [
    "SIDES",
    "Clause",
    "clauses",
    "kingdomino",
    "queendomino",
    "royal_wedding",
    "side_of",
    "with_lost_treasures",
]
