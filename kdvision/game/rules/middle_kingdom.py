"""Middle Kingdom: a bonus for a castle in the centre of its kingdom."""

from typing import Final

from kdvision.game.board import Board, Square
from kdvision.game.kingdom import Kingdom
from kdvision.game.rules.variant import Variant, make_bonus


def find_central_castle(kingdom: Kingdom, _side: int) -> tuple[Square, ...]:
    """Return the castle's square if it is the centre of the kingdom, else nothing."""
    castles = kingdom.board.castles()
    return castles if castles == (find_centre(kingdom.board),) else ()


def find_centre(board: Board) -> Square | None:
    """Return the centre of the smallest rectangle around the board's squares, None if a side of it is even.

    This is the ruling kingdomino/centre.
    """
    if board.bounds is None:
        return None
    top, left, bottom, right = board.bounds
    odd = (bottom - top) % 2 == 0 and (right - left) % 2 == 0
    return Square((top + bottom) // 2, (left + right) // 2) if odd else None


MIDDLE_KINGDOM: Final[Variant] = make_bonus(
    "middle-kingdom",
    "Middle Kingdom",
    points=10,
    help="Add 10 points for a castle in the middle.",
    clause="kingdomino/middle-kingdom",
    find_squares=find_central_castle,
)
