"""Buildings, gems and tokens of a game file."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from kdvision.game.board import Square, Terrain
from kdvision.game.pieces import JOKER, QUARTERS, UNKNOWN, UNKNOWN_BUILDING, Building, Built, Gem, Token, TokenKind
from kdvision.game.rules.queendomino import BUILDINGS, describe_building
from kdvision.gamefile.read import Node

BUILDING_KEYS: Final = ("at", "name", "points", "crowns", "per_territory", "per_tower", "per_knight")
EFFECT_KEYS: Final = BUILDING_KEYS[2:]
GEM_KEYS: Final = ("kind", "between", "crowns", "skull", "turned")
TERRAINS: Final = {str(terrain): terrain for terrain in Terrain if terrain is not Terrain.CASTLE}


def _normalise(name: str) -> str:
    words = name.casefold().replace("-", " ").split()
    return "".join(words[1:] if words[:1] == ["the"] else words)


_NAMED: Final = {_normalise(building.name): building for building in BUILDINGS if building.name}
_DESCRIBED: Final = {_normalise(describe_building(building)): replace(building, name="") for building in BUILDINGS}


def parse_building(node: Node) -> Built:
    """Return a building with its square, by its name or by what it gives.

    It is a table, or a text of a square and words, as in "C3 The Statue" and "C3 2 points per forest territory".
    """
    if isinstance(node.value, str):
        square, _, name = node.value.strip().partition(" ")
        return Built(node.parse_square(square), _find_building(node, name.strip()))
    node.check_keys(BUILDING_KEYS, of="a building")
    if "at" not in node:
        node.fail("a building without a square", 'at = and a square, as in at = "C3"')
    name = node.text("name")
    if any(key in node for key in EFFECT_KEYS):
        return Built(node.square("at"), _parse_effect(node, name))
    return Built(node.square("at"), _find_building(node.at("name"), name))


def _find_building(node: Node, name: str) -> Building:
    key = _normalise(name)
    building = UNKNOWN_BUILDING if name == UNKNOWN else _NAMED.get(key) or _DESCRIBED.get(key)
    if building is None:
        names = ", ".join(building.name for building in BUILDINGS if building.name)
        shown = describe_building(BUILDINGS[0])
        what = f"the building {name!r} is not known" if name else "a building without name or effect"
        node.fail(what, f'one of {names}, or what it shows, such as "{shown}" ({", ".join(EFFECT_KEYS)})')
    return building


def _parse_effect(node: Node, name: str) -> Building:
    known = _NAMED.get(_normalise(name))
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


def parse_gem(node: Node) -> Gem:
    """Return a gem. Its place is given by two of its squares that touch at the corner: `between = "B2 C3"`."""
    node.check_keys(GEM_KEYS, of="a gem")
    if "kind" not in node:
        node.fail("a gem without its kind", f'kind = and its colour, "{JOKER}", or "{UNKNOWN}"')
    skull = node.choice("skull", QUARTERS, default="") if "skull" in node else ""
    turned = node.number("turned", most=3)
    return Gem(
        kind=node.text("kind").casefold(),
        corner=_corner(node),
        crowns=_crowns(node),
        skull=QUARTERS.index(skull) if skull else None,
        turned=turned,
    )


def parse_tokens(node: Node, kind: TokenKind) -> Iterator[Token]:
    """Yield the tokens of one kind on a kingdom: texts of a square and a name, as in "C3" and "C3 Farmer"."""
    names = {_normalise(name): name for name in kind.crowns}
    for entry in node.text_nodes(kind.key, may_be_unknown=True):
        square, _, name = entry.value.partition(" ")
        if _normalise(name) not in names:
            what = f"the {kind.word} {name!r} is not known" if name else f"a {kind.word} without its name"
            entry.fail(what, _describe_names(kind))
        known = names[_normalise(name)]
        yield Token(kind.key, entry.parse_square(square), known, kind.crowns[known])


def _describe_names(kind: TokenKind) -> str:
    named = [name for name in kind.crowns if name]
    return f"a square and one of {', '.join(named)}" if named else 'a square alone, as in "C3"'


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
