"""Middle Kingdom: a bonus for a castle in the centre of its kingdom."""

from typing import Final

from kdvision.game.kingdom import Kingdom
from kdvision.game.rules.variant import Groups, Variant


def find_central_castle(kingdom: Kingdom, _side: int) -> Groups:
    """Return the castle's square if it is the centre of the kingdom, else nothing.

    The centre is that of the smallest rectangle around all squares, if both sides of it are odd; this is the ruling
    kingdomino/centre.
    """
    castles, (top, left, bottom, right) = kingdom.board.find_castles(), kingdom.board.bounds
    is_central = [(2 * row, 2 * col) for row, col in castles] == [(top + bottom, left + right)]
    return [castles] if is_central else []


MIDDLE_KINGDOM: Final = Variant(
    "middle-kingdom",
    "Middle Kingdom",
    help="Add 10 points for a castle in the middle.",
    clause="kingdomino/middle-kingdom",
    points=10,
    find_groups=find_central_castle,
)
