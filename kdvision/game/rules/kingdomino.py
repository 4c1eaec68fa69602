"""Kingdomino, and the Mighty Duel of two players."""

from typing import Final

from kdvision.game.deck import KINGDOMINO
from kdvision.game.kingdom import count_crowns, measure_largest
from kdvision.game.scoring import RuleSet, TieBreak, list_territory_lines

LARGEST: Final = TieBreak("the largest territory", "kingdomino/tie-largest", measure_largest)
CROWNS: Final = TieBreak("crowns", "kingdomino/tie-crowns", count_crowns)

DOMINOES_DRAWN: Final = {5: {2: 24, 3: 36, 4: 48}, 7: {2: 48}}
"""By side, the dominoes that a number of kingdoms draws (kingdomino/in-play, kingdomino/mighty-duel)."""


def kingdomino(*, side: int = 5) -> RuleSet:
    """Return the rules of Kingdomino: with a side of 5, or of 7 for the Mighty Duel."""
    name = "Kingdomino, Mighty Duel" if side > 5 else "Kingdomino"
    return RuleSet(name, side, KINGDOMINO, (list_territory_lines,), (LARGEST, CROWNS), DOMINOES_DRAWN[side])
