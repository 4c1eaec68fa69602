"""Queendomino: towns, buildings, knights, towers, wealth and the Queen.

Territories, the sum and the winner are as in Kingdomino: queendomino/territory, queendomino/several,
queendomino/no-crowns, queendomino/building-crowns, queendomino/total, queendomino/winner and queendomino/shared need no
code of their own.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from kdvision.game.deck import QUEENDOMINO
from kdvision.game.kingdom import Kingdom, measure_largest
from kdvision.game.pieces import QUEENDOMINO_FACTS, Building
from kdvision.game.rules.queendomino_checks import (
    check_buildings,
    check_coins,
    check_gained,
    check_knights,
    check_queen,
    check_towns,
)
from kdvision.game.scoring import Line, RuleSet, Territories, TieBreak
from kdvision.text import count_noun

OWN_CLAUSES = {
    "kingdomino/box": "queendomino/box",
    "kingdomino/castle": "queendomino/castle",
    "kingdomino/connection": "queendomino/connection",
    "kingdomino/discard": "queendomino/discard",
    "kingdomino/grid": "queendomino/grid",
    "kingdomino/mighty-duel": "queendomino/grid",
    "kingdomino/must-lay": "queendomino/must-lay",
    "kingdomino/in-play": "queendomino/in-play",
}


@dataclass(frozen=True)
class Wealth:
    """One point for every three coins left, rounded down."""

    coins: int = 3

    def lines(self, kingdom: Kingdom) -> Iterator[Line]:
        """Yield one line."""
        label = f"wealth: {count_noun(kingdom.coins, 'coin')}"
        yield Line(label, kingdom.coins // self.coins, "queendomino/wealth")


@dataclass(frozen=True)
class BuildingValues:
    """The points of the buildings. The crowns of buildings count in their territories instead."""

    per_territory: int = 2

    def lines(self, kingdom: Kingdom) -> Iterator[Line]:
        """Yield one line for each effect of each building."""
        for built in kingdom.buildings:
            name = built.building.name or "building"
            for words, points, clause in self._effects(built.building, kingdom):
                yield Line(f"{name}: {words}", points, clause, (built.square,))

    def _effects(self, building: Building, kingdom: Kingdom) -> Iterator[tuple[str, int, str]]:
        """Yield the effects of a building: words, points and clause."""
        if building.points:
            yield count_noun(building.points, "point"), building.points, "queendomino/building-points"
        if terrain := building.per_territory:
            count = sum(territory.terrain is terrain for territory in kingdom.territories)
            words = f"{count} separate {terrain} territor{'y' if count == 1 else 'ies'} × {self.per_territory}"
            yield words, count * self.per_territory, "queendomino/detached"
        if building.per_tower:
            points = kingdom.towers * building.per_tower
            yield f"{count_noun(kingdom.towers, 'tower')} × {building.per_tower}", points, "queendomino/tower-bonus"
        if building.per_knight:
            points = kingdom.all_knights * building.per_knight
            yield (
                f"{count_noun(kingdom.all_knights, 'knight')} × {building.per_knight}",
                points,
                "queendomino/knight-bonus",
            )


def queendomino(*, side: int = 5) -> RuleSet:
    """Return the rules of Queendomino: 5x5 for 3 or 4 kingdoms, 7x7 for 2. Towns are terrain (queendomino/towns)."""
    return RuleSet(
        "Queendomino",
        side,
        QUEENDOMINO,
        (Wealth(), Territories("queendomino/value"), BuildingValues()),
        (TieBreak("the largest territory", "queendomino/tie-largest", measure_largest),),
        {2: 48} if side > 5 else {3: 48, 4: 48},
        facts=QUEENDOMINO_FACTS,
        checks=(check_towns, check_buildings, check_knights, check_gained, check_queen, check_coins),
        own_clauses=OWN_CLAUSES,
    )
