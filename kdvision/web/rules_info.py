"""What the page needs to know of the rules, collected from the rules themselves."""

from functools import cache
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from kdvision.game.deck import kinds
from kdvision.game.game import DYNASTY_ROUNDS
from kdvision.game.pieces import JOKER, QUARTERS, Building
from kdvision.game.rules import GAMES, SIDES, VARIANTS, Clause, clauses
from kdvision.game.rules.queendomino_checks import BUILDINGS, describe_building
from kdvision.gamefile.pieces import TERRAINS


class GameInfo(Struct):
    game: str
    name: str
    cells: list[str]
    variants: list[str]
    seats: dict[str, list[int]]
    pieces: bool
    teams: bool


class VariantInfo(Struct):
    id: str
    name: str
    help: str
    clause: str
    facts: Annotated[list[str], Meta(description="keys of a kingdom that the variant needs")]


class BuildingInfo(Struct):
    name: str | None
    gives: str
    count: int
    effect: dict[str, int | str] = msgspec.field(name="as")


class Rules(Struct):
    games: list[GameInfo]
    variants: list[VariantInfo]
    rounds: int
    terrains: dict[str, str]
    buildings: list[BuildingInfo]
    joker: str
    quarters: list[str]
    clauses: dict[str, Clause]
    keeps: Annotated[bool, Meta(description="whether the server keeps the photos")]


@cache
def describe_rules(*, keeps: bool) -> Rules:
    """Games with their squares and variants, buildings, gems, terrains and clauses."""
    return Rules(
        games=[_describe_game(kind) for kind in GAMES],
        variants=msgspec.convert(VARIANTS, list[VariantInfo], from_attributes=True),
        rounds=DYNASTY_ROUNDS,
        terrains={terrain.value: name for name, terrain in TERRAINS.items()} | {"#": "castle"},
        buildings=[_describe_building(building) for building in BUILDINGS],
        joker=JOKER,
        quarters=list(QUARTERS),
        clauses=dict(clauses()),
        keeps=keeps,
    )


def _describe_game(kind: str) -> GameInfo:
    by_side = {side: GAMES[kind](side=side) for side in SIDES}
    rule_set = by_side[SIDES[0]]
    return GameInfo(
        game=kind,
        name=rule_set.name,
        cells=sorted(str(cell) for cell in kinds(rule_set.deck)),
        variants=[variant.id for variant in VARIANTS if variant.fits(kind)],
        seats={str(side): sorted(one.dominoes_drawn) for side, one in by_side.items()},
        pieces=bool(rule_set.facts),
        teams=kind == "royal-wedding",
    )


def _describe_building(building: Building) -> BuildingInfo:
    effect: dict[str, int | str] = {
        "crowns": building.crowns,
        "points": building.points,
        "per_territory": str(building.per_territory) if building.per_territory else "",
        "per_tower": building.per_tower,
        "per_knight": building.per_knight,
    }
    gives = describe_building(building)
    return BuildingInfo(building.name or None, gives, building.count, {key: one for key, one in effect.items() if one})
