"""Buildings, gems and tokens of a game file."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from kdvision.game.board import Square, Terrain
from kdvision.game.kingdom import (
    JOKER,
    QUARTERS,
    UNKNOWN,
    UNKNOWN_BUILDING,
    Building,
    Gem,
    PlacedBuilding,
    Token,
    TokenKind,
)
from kdvision.game.rules.queendomino import BUILDINGS, describe_building
from kdvision.gamefile.read import Node

EFFECT_KEYS: Final = ("points", "crowns", "per_territory", "per_tower", "per_knight")
TERRAINS: Final = {str(terrain): terrain for terrain in Terrain if terrain is not Terrain.CASTLE}


def _normalise(name: str) -> str:
    words = name.casefold().replace("-", " ").split()
    return "".join(words[1:] if words[:1] == ["the"] else words)


_NAMED: Final = {_normalise(building.name): building for building in BUILDINGS if building.name}
_KNOWN: Final = {_normalise(describe_building(tile)): replace(tile, name="") for tile in BUILDINGS} | _NAMED
"""The buildings by their names, and by what they give."""


def parse_building(node: Node) -> PlacedBuilding:
    """Return a building with its square, by its name or by what it gives.

    It is a table, or a text of a square and words, as in "C3 The Statue" and "C3 2 points per forest territory".
    """
    if isinstance(node.value, str):
        square, name = _split_place(node)
        return PlacedBuilding(square, _find_building(node, name))
    node.check_keys(("at", "name", *EFFECT_KEYS), of="a building")
    if "at" not in node:
        node.fail("a building without a square", 'at = and a square, as in at = "C3"')
    name = node.get_text("name")
    has_effect = any(key in node for key in EFFECT_KEYS)
    place = node.get_node("at").parse_square(node.get_text("at"))
    building = _parse_effect(node, name) if has_effect else _find_building(node.get_node("name"), name)
    return PlacedBuilding(place, building)


def _find_building(node: Node, name: str) -> Building:
    building = UNKNOWN_BUILDING if name == UNKNOWN else _KNOWN.get(_normalise(name))
    if building is None:
        names = ", ".join(building.name for building in BUILDINGS if building.name)
        example = describe_building(BUILDINGS[0])
        message = f"the building {name!r} is not known" if name else "a building without name or effect"
        node.fail(message, f'one of {names}, or what it shows, such as "{example}" ({", ".join(EFFECT_KEYS)})')
    return building


def _parse_effect(node: Node, name: str) -> Building:
    namesake = _NAMED.get(_normalise(name))
    new_tile = Building(
        crowns=node.get_number("crowns"),
        points=node.get_number("points"),
        per_territory=TERRAINS[node.get_choice("per_territory", TERRAINS, default="")]
        if "per_territory" in node
        else None,
        per_tower=node.get_number("per_tower"),
        per_knight=node.get_number("per_knight"),
    )
    effect = describe_building(new_tile)
    tile = _KNOWN.get(_normalise(effect))
    if tile is None or (namesake is not None and describe_building(namesake) != effect):
        kinds = ", ".join(map(describe_building, BUILDINGS))
        expected = describe_building(namesake) if namesake else f"one of: {kinds}"
        node.fail(f"{name or 'a building'} that gives {effect}", expected)
    own_name = "" if name == UNKNOWN else name
    return replace(tile, name=namesake.name if namesake else own_name)


def parse_gem(node: Node) -> Gem:
    """Return a gem. Its place is given by two of its squares that touch at the corner: `between = "B2 C3"`."""
    node.check_keys(("kind", "between", "crowns", "skull", "turned"), of="a gem")
    if "kind" not in node:
        node.fail("a gem without its kind", f'kind = and its colour, "{JOKER}", or "{UNKNOWN}"')
    skull = QUARTERS.index(node.get_choice("skull", QUARTERS, default="")) if "skull" in node else None
    turn_count = node.get_number("turned", maximum=3)
    kind, crossing = node.get_text("kind").casefold(), _parse_crossing(node)
    crowns = node.value.get("crowns", [0, 0, 0, 0])
    are_numbers = isinstance(crowns, list) and all(type(count) is int and 0 <= count <= 9 for count in crowns)
    if not are_numbers or len(crowns) != len(QUARTERS):
        node.get_node("crowns").fail(f"crowns is {crowns!r}", f"four numbers, for {', '.join(QUARTERS)}")
    first, second, third, fourth = crowns
    return Gem(kind, crossing, (first, second, third, fourth), skull, turn_count)


def _parse_crossing(node: Node) -> Square:
    place, names = node.get_node("between"), node.get_text("between").split()
    expected = 'two squares that touch at the corner the gem lies on, as in between = "B2 C3"'
    if len(names) != 2:
        place.fail("a gem lies between squares", expected)
    square, other_square = map(place.parse_square, names)
    if abs(square.row - other_square.row) != 1 or abs(square.col - other_square.col) != 1:
        place.fail(f"{names[0]} and {names[1]} do not touch at a corner", expected)
    return Square(min(square.row, other_square.row), min(square.col, other_square.col))


def parse_tokens(node: Node, kind: TokenKind) -> Iterator[Token]:
    """Yield the tokens of one kind on a kingdom: texts of a square and a name, as in "C3" and "C3 Farmer"."""
    names = {_normalise(name): name for name in kind.crowns}
    for entry in node.list_text_nodes(kind.key, may_be_unknown=True):
        square, name = _split_place(entry)
        full_name = names.get(_normalise(name))
        if full_name is None:
            message = f"the {kind.word} {name!r} is not known" if name else f"a {kind.word} without its name"
            names_of_kind = ", ".join(filter(None, kind.crowns))
            expected = f"a square and one of {names_of_kind}" if names_of_kind else 'a square alone, as in "C3"'
            entry.fail(message, expected)
        yield Token(kind.key, square, full_name, kind.crowns[full_name])


def _split_place(node: Node) -> tuple[Square, str]:
    """Return the square and the name of a text such as "C3 The Statue"; the name may be empty."""
    square, *words = node.value.split() or [""]
    return node.parse_square(square), " ".join(words)
