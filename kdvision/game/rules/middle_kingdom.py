"""Middle Kingdom: a bonus for a castle in the centre of its kingdom."""

from typing import Final

from kdvision.game.board import Square
from kdvision.game.kingdom import Kingdom
from kdvision.game.rules.variant import Variant, make_bonus


def find_central_castle(kingdom: Kingdom, _side: int) -> tuple[Square, ...]:
    """Return the castle's square if it is the centre of the kingdom, else nothing.

    The centre is that of the smallest rectangle around all squares, if both sides of it are odd; this is the ruling
    kingdomino/centre.
    """
    castles = kingdom.board.castles()
    if len(castles) != 1:
        return ()
    (row, col), (top, left, bottom, right) = castles[0], kingdom.board.bounds
    return castles if (2 * row, 2 * col) == (top + bottom, left + right) else ()


MIDDLE_KINGDOM: Final[Variant] = make_bonus(
    "middle-kingdom",
    "Middle Kingdom",
    points=10,
    help="Add 10 points for a castle in the middle.",
    clause="kingdomino/middle-kingdom",
    find_squares=find_central_castle,
)
