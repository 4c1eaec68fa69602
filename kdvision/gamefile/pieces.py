"""Buildings and gems of a game file."""

from dataclasses import replace
from typing import Final

from kdvision.game.board import Square, Terrain
from kdvision.game.pieces import JOKER, QUARTERS, UNKNOWN, UNKNOWN_BUILDING, Building, Built, Gem
from kdvision.game.rules.queendomino_checks import BUILDINGS, describe_building
from kdvision.gamefile.read import Node

BUILDING_KEYS: Final = ("at", "name", "points", "crowns", "per_territory", "per_tower", "per_knight")
GEM_KEYS: Final = ("kind", "between", "crowns", "skull", "turned")
TERRAINS: Final = {str(terrain): terrain for terrain in Terrain if terrain is not Terrain.CASTLE}


def parse_building(node: Node) -> Built:
    """Return a building with its square, given by a known name or by its effect."""
    node.check_keys(BUILDING_KEYS, of="a building")
    if "at" not in node:
        node.fail("a building without a square", 'at = and a square, as in at = "C3"')
    return Built(node.square("at"), _building(node))


def _building(node: Node) -> Building:
    name = node.text("name")
    known = next(
        (building for building in BUILDINGS if building.name and _normalise(building.name) == _normalise(name)), None
    )
    effects = [key for key in BUILDING_KEYS[2:] if key in node]
    if name == UNKNOWN and not effects:
        return UNKNOWN_BUILDING
    if known is not None and not effects:
        return known
    if not effects:
        names = ", ".join(building.name for building in BUILDINGS if building.name)
        what = f"the building {name!r} is not known" if name else "a building without name or effect"
        node.at("name").fail(what, f"one of {names}, or what it gives: {', '.join(BUILDING_KEYS[2:])}")
    effect = (
        node.number("crowns"),
        node.number("points"),
        TERRAINS[node.choice("per_territory", TERRAINS, default="")] if "per_territory" in node else None,
        node.number("per_tower"),
        node.number("per_knight"),
    )
    made = next((building for building in BUILDINGS if building.effect == effect), None)
    if made is None or (known is not None and known != made):
        kinds = ", ".join(describe_building(building) for building in BUILDINGS)
        given = describe_building(Building("", *effect))
        node.fail(
            f"{name or 'a building'} that gives {given}", describe_building(known) if known else f"one of: {kinds}"
        )
    return replace(made, name="" if name == UNKNOWN else name)


def _normalise(name: str) -> str:
    words = name.lower().replace("-", " ").split()
    return "".join(words[1:] if words[:1] == ["the"] else words)


def parse_gem(node: Node) -> Gem:
    """Return a gem. Its place is given by two of its squares that touch at the corner: `between = "B2 C3"`."""
    node.check_keys(GEM_KEYS, of="a gem")
    if "kind" not in node:
        node.fail("a gem without its kind", f'kind = and its colour, "{JOKER}", or "{UNKNOWN}"')
    skull = node.choice("skull", QUARTERS, default="") if "skull" in node else ""
    turned = node.number("turned", most=3)
    return Gem(
        kind=node.text("kind").lower(),
        corner=_corner(node),
        crowns=_crowns(node),
        skull=QUARTERS.index(skull) if skull else None,
        turned=turned,
    )


def _corner(node: Node) -> Square:
    names = node.text("between").split()
    expected = 'two squares that touch at the corner the gem lies on, as in between = "B2 C3"'
    if len(names) != 2:
        node.at("between").fail("a gem lies between squares", expected)
    one, other = (node.at("between").parse_square(name) for name in names)
    if abs(one.row - other.row) != 1 or abs(one.col - other.col) != 1:
        node.at("between").fail(f"{names[0]} and {names[1]} do not touch at a corner", expected)
    return Square(min(one.row, other.row), min(one.col, other.col))


def _crowns(node: Node) -> tuple[int, int, int, int]:
    crowns = node.value.get("crowns", [0, 0, 0, 0])
    whole = isinstance(crowns, list) and all(type(count) is int and 0 <= count <= 9 for count in crowns)
    if not whole or len(crowns) != len(QUARTERS):
        node.at("crowns").fail(f"crowns is {crowns!r}", f"four numbers, for {', '.join(QUARTERS)}")
    first, second, third, fourth = crowns
    return first, second, third, fourth
