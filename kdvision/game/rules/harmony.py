"""Harmony: a bonus for a complete kingdom, one for which no domino was discarded."""

from typing import Final

from kdvision.game.kingdom import find_complete_square
from kdvision.game.rules.variant import Variant, make_bonus

HARMONY: Final[Variant] = make_bonus(
    "harmony",
    "Harmony",
    points=5,
    help="Add 5 points for a complete kingdom.",
    clause="kingdomino/harmony",
    find_squares=find_complete_square,
)
