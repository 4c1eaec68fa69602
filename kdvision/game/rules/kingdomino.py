"""Kingdomino, and the Mighty Duel of two players."""

from typing import Final

from kdvision.game.deck import KINGDOMINO
from kdvision.game.kingdom import count_crowns, measure_largest
from kdvision.game.scoring import RuleSet, Territories, TieBreak

LARGEST: Final = TieBreak("the largest territory", "kingdomino/tie-largest", measure_largest)
CROWNS: Final = TieBreak("crowns", "kingdomino/tie-crowns", count_crowns)

DOMINOES_DRAWN: Final = {2: 24, 3: 36, 4: 48}
"""Dominoes drawn for a number of kingdoms of 5x5 squares (kingdomino/in-play)."""

DOMINOES_DRAWN_IN_DUEL: Final = {2: 48}
"""Dominoes drawn for kingdoms of 7x7 squares (kingdomino/mighty-duel)."""


def kingdomino(*, side: int = 5) -> RuleSet:
    """Return the rules of Kingdomino: with a side of 5, or of 7 for the Mighty Duel."""
    name, draws = ("Kingdomino, Mighty Duel", DOMINOES_DRAWN_IN_DUEL) if side > 5 else ("Kingdomino", DOMINOES_DRAWN)
    return RuleSet(name, side, KINGDOMINO, (Territories(),), (LARGEST, CROWNS), draws)
