"""Harmony: a bonus for a complete kingdom, one for which no domino was discarded."""

from typing import Final

from kdvision.game.kingdom import find_complete_square
from kdvision.game.rules.variant import Variant

HARMONY: Final = Variant(
    "harmony",
    "Harmony",
    help="Add 5 points for a complete kingdom.",
    clause="kingdomino/harmony",
    points=5,
    find_groups=find_complete_square,
)
