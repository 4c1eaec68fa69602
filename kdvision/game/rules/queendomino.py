"""Queendomino: towns, buildings, knights, towers, wealth and the Queen.

Territories, the sum and the winner are as in Kingdomino: queendomino/territory, queendomino/several,
queendomino/no-crowns, queendomino/building-crowns, queendomino/total, queendomino/winner and queendomino/shared need no
code of their own.
"""

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Final

from kdvision.game.board import Terrain
from kdvision.game.deck import QUEENDOMINO
from kdvision.game.kingdom import (
    KNIGHT_KEYS,
    QUEENDOMINO_FACTS,
    TOWNS,
    UNKNOWN_BUILDING,
    Building,
    Kingdom,
    Table,
    find_towns,
    measure_largest,
)
from kdvision.game.legality import Problem
from kdvision.game.rules.variant import check_each, check_land, check_single, check_supply
from kdvision.game.scoring import Line, RuleSet, TieBreak, list_territory_lines
from kdvision.text import count_noun

KNIGHTS: Final = 22
TOWERS: Final = 15
COINS: Final = 12 * 1 + 18 * 3 + 12 * 9
"""The value of all coins of the box."""

BUILDINGS: Final = (
    Building(per_territory=Terrain.GRASS, count=2),
    Building(per_territory=Terrain.WHEAT, count=2),
    Building(per_territory=Terrain.SWAMP, count=2),
    Building("The Church", per_territory=Terrain.TOWN, count=2),
    Building(per_territory=Terrain.LAKE, count=2),
    Building(per_territory=Terrain.MINE, count=2),
    Building("The Sawmill", per_territory=Terrain.FOREST, count=2),
    Building("The Big Tavern", points=2, count=4),
    Building("The Archery Range", per_knight=1, count=2),
    Building("The Guardtower", points=3, count=4),
    Building("The Travelling Castle", per_tower=1, count=2),
    Building("The Statue", points=5, count=3),
    Building(crowns=1, count=3),
)
"""The 32 building tiles by effect; `name` is the one known name among tiles of that effect."""

OWN_CLAUSES: Final = {
    "kingdomino/box": "queendomino/box",
    "kingdomino/castle": "queendomino/castle",
    "kingdomino/connection": "queendomino/connection",
    "kingdomino/discard": "queendomino/discard",
    "kingdomino/grid": "queendomino/grid",
    "kingdomino/mighty-duel": "queendomino/grid",
    "kingdomino/must-lay": "queendomino/must-lay",
    "kingdomino/in-play": "queendomino/in-play",
}


def list_wealth_lines(kingdom: Kingdom) -> Iterator[Line]:
    """Yield one line: one point for every three coins left, rounded down."""
    yield Line(f"wealth: {count_noun(kingdom.coins, 'coin')}", kingdom.coins // 3, "queendomino/wealth")


def list_building_lines(kingdom: Kingdom) -> Iterator[Line]:
    """Yield one line for each effect of each building. The crowns of buildings count in their territories instead."""
    for place in kingdom.buildings:
        tile, name = place.building, place.building.name or "building"
        if tile.points:
            label = f"{name}: {count_noun(tile.points, 'point')}"
            yield Line(label, tile.points, "queendomino/building-points", (place.square,))
        terrain = tile.per_territory
        territory_count = sum(territory.terrain is terrain for territory in kingdom.territories)
        for factor, count, noun, clause in (
            (2 if terrain else 0, territory_count, f"separate {terrain} territory", "queendomino/detached"),
            (tile.per_tower, kingdom.towers, "tower", "queendomino/tower-bonus"),
            (tile.per_knight, kingdom.all_knights, "knight", "queendomino/knight-bonus"),
        ):
            if factor:
                label = f"{name}: {count_noun(count, noun)} × {factor}"
                yield Line(label, count * factor, clause, (place.square,))


@check_each
def check_places(kingdom: Kingdom) -> Iterator[Problem]:
    """Yield problems: a wrong number of towns, buildings off the towns, knights off the land, two on one square."""
    towns = find_towns(kingdom.board)
    if kingdom.towns is not None and kingdom.towns != len(towns) and not kingdom.board.unknown:
        text = f"{kingdom.towns} town squares were counted here, and the board has {len(towns)}: write t on each"
        yield Problem((), text)
    sites = [place.square for place in kingdom.buildings]
    for square in sites if TOWNS not in kingdom.open_facts else ():
        if square not in towns and square not in kingdom.board.unknown:
            text = f"the building on {square.name} does not stand on a town square"
            yield Problem((square,), text, "queendomino/construction")
    yield from check_single("building", sites, "queendomino/construction")
    for square in dict.fromkeys(kingdom.knights):
        yield from check_land(kingdom, square, f"the knight on {square.name} stands on", "queendomino/knights")
    yield from check_single("knight", kingdom.knights, "queendomino/knights")


@check_each
def check_gained(kingdom: Kingdom) -> Iterator[Problem]:
    """Yield problems: more or fewer knights and towers than a kingdom has from its start and its buildings.

    A kingdom begins with one knight (queendomino/first-knight). What buildings of other names bring is not known. A
    number that does not score is not checked if it is 0.
    """
    built_knights = {"The Big Tavern": 3, "The Archery Range": 1, "The Travelling Castle": 0}
    built_towers = {"The Big Tavern": 0, "The Archery Range": 0, "The Travelling Castle": 1}
    tiles = [place.building for place in kingdom.buildings]
    names = {tile.name for tile in tiles}
    for keys, count, initial_count, gains, is_scored in (
        (KNIGHT_KEYS, kingdom.all_knights, 1, built_knights, any(tile.per_knight for tile in tiles)),
        (("towers",), kingdom.towers, 0, built_towers, any(tile.per_tower for tile in tiles)),
    ):
        min_count = initial_count + sum(gains.get(name, 0) for name in names)
        is_most = "buildings" not in kingdom.open_facts and names <= gains.keys()
        is_given = kingdom.open_facts.isdisjoint(keys) and (count or is_scored)
        if (is_most and count > min_count) or (is_given and count < min_count):
            start, suffix = "its start and " if initial_count else "", "" if is_most else " or more"
            noun = keys[0].removesuffix("s")
            text = f"this kingdom has {count_noun(count, noun)}, and {start}its buildings bring {min_count}{suffix}"
            yield Problem((), text, "queendomino/gained")


def check_queen(table: Table, rules: RuleSet) -> Iterator[Problem]:
    """Yield problems: two Queens, a Queen without a town or the most towers, towers without a Queen.

    A missing kingdom may have the most towers and host the Queen. An open fact is no problem.
    """
    kingdoms, clause = table.kingdoms, "queendomino/queen-host"
    hosts = [number for number, kingdom in enumerate(kingdoms) if kingdom.queen]
    max_towers = max((kingdom.towers for kingdom in kingdoms), default=0)
    if len(hosts) > 1:
        yield Problem((), f"the Queen is in {len(hosts)} kingdoms at once", clause)
    for number in hosts:
        towers, board, open_facts = kingdoms[number].towers, kingdoms[number].board, kingdoms[number].open_facts
        if not (find_towns(board) or board.unknown or TOWNS in open_facts):
            text = "the Queen is in a kingdom without a town, so no building brought a tower"
            yield Problem((), text, clause, number)
        elif "towers" not in open_facts and (towers < max_towers or not towers):
            other = f", and another kingdom has {max_towers}" if max_towers > towers else ""
            yield Problem((), f"the Queen is with {count_noun(towers, 'tower')}{other}", clause, number)
    is_queen_open = any("queen" in kingdom.open_facts for kingdom in kingdoms)
    if max_towers and not hosts and rules.has_all_kingdoms(table) and not is_queen_open:
        yield Problem((), "there are towers, and nobody hosts the Queen", clause)


def check_box(table: Table, _rules: RuleSet) -> Iterator[Problem]:
    """Yield problems: more pieces than the box has, in all or of one kind."""
    tiles = [place.building for kingdom in table.kingdoms for place in kingdom.buildings]
    for pieces, count, supply in (
        ("buildings", len(tiles), sum(tile.count for tile in BUILDINGS)),
        ("knights", sum(kingdom.all_knights for kingdom in table.kingdoms), KNIGHTS),
        ("towers", sum(kingdom.towers for kingdom in table.kingdoms), TOWERS),
        ("coins", sum(kingdom.coins for kingdom in table.kingdoms), COINS),
    ):
        yield from check_supply(pieces, count, supply, "queendomino/pieces")
    effects = Counter(map(describe_building, tiles))
    for effect, supply in {describe_building(tile): tile.count for tile in BUILDINGS}.items():
        if effects[effect] > supply:
            text = f"{effects[effect]} buildings give {effect}, and the box has {supply}"
            yield Problem((), text, "queendomino/buildings")
    for name, count in Counter(tile.name for tile in tiles).items():
        if name and name != UNKNOWN_BUILDING.name and count > 1:
            yield Problem((), f"{name} stands in the game {count} times", "queendomino/buildings")


def describe_building(building: Building) -> str:
    """Return the effect of a building in a few words; other effects have other words."""
    effects = [
        count_noun(building.points, "point") if building.points else "",
        f"2 points per {building.per_territory} territory" if building.per_territory else "",
        f"{count_noun(building.per_tower, 'point')} per tower" if building.per_tower else "",
        f"{count_noun(building.per_knight, 'point')} per knight" if building.per_knight else "",
        count_noun(building.crowns, "crown") if building.crowns else "",
    ]
    return " and ".join(effect for effect in effects if effect) or "nothing at the end"


def queendomino(*, side: int = 5) -> RuleSet:
    """Return the rules of Queendomino: 5x5 for 3 or 4 kingdoms, 7x7 for 2. Towns are terrain (queendomino/towns)."""
    return RuleSet(
        "Queendomino",
        side,
        QUEENDOMINO,
        (list_wealth_lines, partial(list_territory_lines, clause="queendomino/value"), list_building_lines),
        (TieBreak("the largest territory", "queendomino/tie-largest", measure_largest),),
        {2: 48} if side > 5 else {3: 48, 4: 48},
        facts=QUEENDOMINO_FACTS,
        checks=(check_places, check_gained, check_queen, check_box),
        own_clauses=OWN_CLAUSES,
    )
