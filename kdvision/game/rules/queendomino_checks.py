"""The problems with Queendomino's pieces: their squares, and their numbers against the box."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from kdvision.game.board import Square, Terrain
from kdvision.game.kingdom import Kingdom, Table, find_towns
from kdvision.game.legality import Problem
from kdvision.game.pieces import KNIGHT_KEYS, TOWER_KEYS, TOWNS, UNKNOWN_BUILDING, Building
from kdvision.text import count_noun

KNIGHTS: Final = 22
TOWERS: Final = 15
COINS: Final = 12 * 1 + 18 * 3 + 12 * 9
"""The value of all coins of the box."""

BUILDINGS: Final = (
    *(
        Building(name, per_territory=Terrain[terrain.upper()], count=2)
        for terrain, name in {
            "grass": "",
            "wheat": "",
            "swamp": "",
            "town": "The Church",
            "lake": "",
            "mine": "",
            "forest": "The Sawmill",
        }.items()
    ),
    Building("The Big Tavern", points=2, count=4),
    Building("The Archery Range", per_knight=1, count=2),
    Building("The Guardtower", points=3, count=4),
    Building("The Travelling Castle", per_tower=1, count=2),
    Building("The Statue", points=5, count=3),
    Building(crowns=1, count=3),
)
"""The 32 building tiles by effect; `name` is the one known name among tiles of that effect."""

FIRST_KNIGHTS: Final = 1
"""Knights with which a kingdom begins (queendomino/first-knight)."""

BUILT_KNIGHTS: Final = {"The Big Tavern": 3, "The Archery Range": 1, "The Travelling Castle": 0}
"""Knights that a building brings, by its name; those of other buildings are not known."""

BUILT_TOWERS: Final = {"The Big Tavern": 0, "The Archery Range": 0, "The Travelling Castle": 1}
"""Towers that a building brings, by its name; those of other buildings are not known."""


def check_buildings(table: Table) -> Iterator[Problem]:
    """Yield problems: buildings off the towns, two on one town, more of an effect than the box has."""
    for number, kingdom in enumerate(table.kingdoms):
        yield from _check_places(number, kingdom)
    all_tiles, held = sum(len(kingdom.buildings) for kingdom in table.kingdoms), sum(tile.count for tile in BUILDINGS)
    if all_tiles > held:
        yield Problem((), f"there are {all_tiles} buildings in the game, and the box has {held}", "queendomino/pieces")
    used = Counter(built.building.effect for kingdom in table.kingdoms for built in kingdom.buildings)
    for building in BUILDINGS:
        count = used[building.effect]
        if count > building.count:
            text = f"{count} buildings give {describe_building(building)}, and the box has {building.count}"
            yield Problem((), text, "queendomino/buildings")
    named = Counter(built.building.name for kingdom in table.kingdoms for built in kingdom.buildings)
    twice = [name for name, count in named.items() if name and name != UNKNOWN_BUILDING.name and count > 1]
    yield from (
        Problem((), f"{name} stands in the game {named[name]} times", "queendomino/buildings") for name in twice
    )


def _check_places(number: int, kingdom: Kingdom) -> Iterator[Problem]:
    squares = [built.square for built in kingdom.buildings]
    for square in squares:
        cell = kingdom.board.get(square)
        if "towns" not in kingdom.open_facts and (cell is None or cell.terrain is not Terrain.TOWN):
            text = f"the building on {square.name} does not stand on a town square"
            yield Problem((square,), text, "queendomino/construction", number)
    for square in _find_repeated(squares):
        text = f"more than one building stands on {square.name}"
        yield Problem((square,), text, "queendomino/construction", number)


def check_knights(table: Table) -> Iterator[Problem]:
    """Yield problems: knights off the board or on the castle, two on one square, more than the box has."""
    for number, kingdom in enumerate(table.kingdoms):
        for square in dict.fromkeys(kingdom.knights):
            cell = kingdom.board.get(square)
            if cell is None or cell.terrain is Terrain.CASTLE:
                where = "the castle" if cell is not None else "no domino"
                text = f"the knight on {square.name} stands on {where}"
                yield Problem((square,), text, "queendomino/knights", number)
        for square in _find_repeated(kingdom.knights):
            text = f"more than one knight stands on {square.name}"
            yield Problem((square,), text, "queendomino/knights", number)
    yield from _check_count("knights", sum(kingdom.all_knights for kingdom in table.kingdoms), KNIGHTS)


def check_gained(table: Table) -> Iterator[Problem]:
    """Yield problems: more or fewer knights and towers than a kingdom has from its start and its buildings."""
    for number, kingdom in enumerate(table.kingdoms):
        buildings = [built.building for built in kingdom.buildings]
        scores = any(building.per_knight for building in buildings)
        yield from _check_gained(number, kingdom, KNIGHT_KEYS, kingdom.all_knights, BUILT_KNIGHTS, scores=scores)
        scores = any(building.per_tower for building in buildings)
        yield from _check_gained(number, kingdom, TOWER_KEYS, kingdom.towers, BUILT_TOWERS, scores=scores)


def _check_gained(
    number: int, kingdom: Kingdom, keys: tuple[str, ...], count: int, built: Mapping[str, int], *, scores: bool
) -> Iterator[Problem]:
    """Yield the problem of a number that the buildings cannot have brought. If it does not score, 0 is not checked."""
    names = {one.building.name for one in kingdom.buildings}
    first = FIRST_KNIGHTS if keys == KNIGHT_KEYS else 0
    known = first + sum(built.get(name, 0) for name in names)
    is_most = "buildings" not in kingdom.open_facts and names <= built.keys()
    is_given = kingdom.open_facts.isdisjoint(keys) and (count or scores)
    if (is_most and count > known) or (is_given and count < known):
        start, more = "its start and " if first else "", "" if is_most else " or more"
        noun = keys[0].removesuffix("s")
        text = f"this kingdom has {count_noun(count, noun)}, and {start}its buildings bring {known}{more}"
        yield Problem((), text, "queendomino/gained", number)


def check_queen(table: Table) -> Iterator[Problem]:
    """Yield problems: two Queens, a Queen without a town or the most towers, towers without a Queen, too many towers.

    A missing kingdom may have the most towers and host the Queen. An open fact is no problem.
    """
    kingdoms = table.kingdoms
    hosts = tuple(number for number, kingdom in enumerate(kingdoms) if kingdom.queen)
    most = max((kingdom.towers for kingdom in kingdoms), default=0)
    clause = "queendomino/queen-host"
    if len(hosts) > 1:
        yield Problem((), f"the Queen is in {len(hosts)} kingdoms at once", clause)
    for number in hosts:
        towers, board = kingdoms[number].towers, kingdoms[number].board
        if not (find_towns(board) or board.unknown or TOWNS in kingdoms[number].open_facts):
            yield Problem(
                (), "the Queen is in a kingdom without a town, so no building brought a tower", clause, number
            )
        elif "towers" not in kingdoms[number].open_facts and (towers < most or not towers):
            text = f"the Queen is with {count_noun(towers, 'tower')}" + (
                f", and another kingdom has {most}" if most > towers else ""
            )
            yield Problem((), text, clause, number)
    if most and not hosts and table.is_complete and not any("queen" in kingdom.open_facts for kingdom in kingdoms):
        yield Problem((), "there are towers, and nobody hosts the Queen", clause)
    yield from _check_count("towers", sum(kingdom.towers for kingdom in kingdoms), TOWERS)


def check_towns(table: Table) -> Iterator[Problem]:
    """Yield the boards with more or fewer town squares than the game file gives."""
    for number, kingdom in enumerate(table.kingdoms):
        count = len(find_towns(kingdom.board))
        if kingdom.towns is not None and kingdom.towns != count and not kingdom.board.unknown:
            text = f"{kingdom.towns} town squares were counted here, and the board has {count}: write t on each"
            yield Problem((), text, kingdom=number)


def check_coins(table: Table) -> Iterator[Problem]:
    """Yield the problem of more coins than the box has."""
    yield from _check_count("coins", sum(kingdom.coins for kingdom in table.kingdoms), COINS)


def describe_building(building: Building) -> str:
    """Return the effect of a building in a few words."""
    parts = [
        count_noun(building.points, "point") if building.points else "",
        f"2 points per {building.per_territory} territory" if building.per_territory else "",
        f"{count_noun(building.per_tower, 'point')} per tower" if building.per_tower else "",
        f"{count_noun(building.per_knight, 'point')} per knight" if building.per_knight else "",
        count_noun(building.crowns, "crown") if building.crowns else "",
    ]
    return " and ".join(part for part in parts if part) or "nothing at the end"


def _check_count(what: str, count: int, held: int) -> Iterator[Problem]:
    if count > held:
        yield Problem((), f"there are {count} {what} in the game, and the box has {held}", "queendomino/pieces")


def _find_repeated(squares: Sequence[Square]) -> list[Square]:
    return [square for square, count in Counter(squares).items() if count > 1]
