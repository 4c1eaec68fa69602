"""What the page needs to know of the rules, collected from the rules themselves, and a model of the games it sends.

The model only describes games, for the OpenAPI description: kdvision.gamefile checks them.
"""

from functools import cache
from typing import Annotated, Any, Final, Literal, Required, TypedDict

import msgspec
from msgspec import Meta, Struct

from kdvision.game.deck import count_kinds
from kdvision.game.game import DYNASTY_ROUNDS
from kdvision.game.kingdom import JOKER, QUARTERS, Building, TokenKind
from kdvision.game.rules import (
    GAMES,
    GROUPS,
    SIDES,
    TOKEN_KINDS,
    VARIANTS,
    Clause,
    Variant,
    load_clauses,
    make_rule_set,
)
from kdvision.game.rules.queendomino import BUILDINGS, describe_building
from kdvision.gamefile.model import CLAIMS
from kdvision.gamefile.pieces import EFFECT_KEYS, TERRAINS

SQUARE: Final = r"[A-Za-z]([1-9]|1[0-9]|2[0-6])"


def allow_values(values: Any) -> Meta:
    """Return the schema of a field that has one of these values."""
    return Meta(extra_json_schema={"enum": list(values)})


QuestionMark = Literal["?"]
Count = Annotated[int, Meta(ge=0, le=1000)]
Name = Annotated[str, Meta(min_length=1, max_length=60)]
SquareOrQuestionMark = Annotated[str, Meta(pattern=rf"^(\?|{SQUARE})$")]
Players = Annotated[list[Name], Meta(min_length=2, max_length=2)]
Quarters = Annotated[list[int], Meta(description="clockwise from the top left", min_length=4, max_length=4)]
Board = Annotated[list[str] | str, Meta(description="one text per row, or rows separated by /", examples=[["w1 w"]])]


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
    tokens: Annotated[list[TokenKind], Meta(description="tokens on squares: a square and a name, such as C3 Farmer")]
    group: Annotated[str, Meta(description="the group by which it is chosen, if it is not offered alone")]
    cells: Annotated[list[str], Meta(description="squares of the dominoes that it adds to the box")]
    seats: Annotated[
        dict[str, list[int]], Meta(description="numbers of kingdoms by side, empty if they are the game's")
    ]
    colours: Annotated[list[str], Meta(description="players' colours that it adds")]


class GroupInfo(Struct):
    drawn: int
    variants: list[str]


class BuildingInfo(Struct):
    name: str | None
    gives: str
    count: int
    effect: dict[str, int | str] = msgspec.field(name="as")


class Rules(Struct):
    games: list[GameInfo]
    variants: list[VariantInfo]
    groups: Annotated[dict[str, GroupInfo], Meta(description="variants of which some are drawn for a game")]
    rounds: int
    terrains: dict[str, str]
    buildings: list[BuildingInfo]
    joker: str
    quarters: list[str]
    clauses: dict[str, Clause]
    keeps: Annotated[bool, Meta(description="whether the server keeps the photos")]


@cache
def describe_rules(*, keeps: bool) -> Rules:
    """Return the games with their squares and variants, buildings, gems, terrains and clauses."""
    return Rules(
        games=[_describe_game(kind) for kind in GAMES],
        variants=[_describe_variant(variant) for variant in VARIANTS],
        groups={name: GroupInfo(group.drawn, [entry.id for entry in group.variants]) for name, group in GROUPS.items()},
        rounds=DYNASTY_ROUNDS,
        terrains={terrain.value: name for name, terrain in TERRAINS.items()} | {"#": "castle"},
        buildings=[_describe_building(building) for building in BUILDINGS],
        joker=JOKER,
        quarters=list(QUARTERS),
        clauses=dict(load_clauses()),
        keeps=keeps,
    )


def _describe_game(kind: str) -> GameInfo:
    rule_set = make_rule_set(kind)
    cells = sorted(str(cell) for cell in count_kinds(rule_set.deck))
    variants = [variant.id for variant in VARIANTS if variant.fits(kind)]
    is_royal = kind == "royal-wedding"
    return GameInfo(kind, rule_set.name, cells, variants, _list_seats(kind), bool(rule_set.facts), teams=is_royal)


def _list_seats(kind: str, *variants: str) -> dict[str, list[int]]:
    """Return the numbers of kingdoms that play together, by side."""
    return {str(side): sorted(make_rule_set(kind, side=side, variants=variants).dominoes_drawn) for side in SIDES}


def _describe_variant(variant: Variant) -> VariantInfo:
    kind = variant.games[0] if variant.games else next(iter(GAMES))
    seats = _list_seats(kind, variant.id)
    values = {name: getattr(variant, name) for name in VariantInfo.__struct_fields__ if hasattr(variant, name)}
    derived_values = {
        "cells": sorted(str(cell) for cell in count_kinds(variant.dominoes)),
        "seats": seats if seats != _list_seats(kind) else {},
    }
    return msgspec.convert(values | derived_values, VariantInfo, from_attributes=True)


def _describe_building(building: Building) -> BuildingInfo:
    values = {name: getattr(building, name) for name in EFFECT_KEYS}
    effect = {name: value if isinstance(value, int) else str(value) for name, value in values.items() if value}
    return BuildingInfo(building.name or None, describe_building(building), building.count, effect)


class GivenBuilding(TypedDict, total=False):
    at: Required[Annotated[str, Meta(pattern=f"^{SQUARE}$")]]
    name: str
    points: Count
    crowns: Count
    per_territory: str
    per_tower: Count
    per_knight: Count


class GivenGem(TypedDict, total=False):
    kind: Required[Name]
    between: Required[Annotated[str, Meta(description="two squares that touch at its corner, such as B2 C3")]]
    crowns: Quarters
    skull: Annotated[str, allow_values(QUARTERS)]
    turned: Annotated[int, Meta(ge=0, le=3)]


_TokenText = Annotated[str, Meta(description="a square and a name, or a square alone", examples=["C3 Farmer"])]
_BuildingText = Annotated[
    str, Meta(description='as in a game file, or "?"', examples=["C3 2 points per mine territory"])
]
_GivenTokens = TypedDict(  # type: ignore[misc]  # its keys depend on the variants
    "_GivenTokens", dict.fromkeys(TOKEN_KINDS, list[_TokenText] | QuestionMark), total=False
)


class GivenKingdom(_GivenTokens, total=False):
    board: Required[Board]
    player: Name
    players: Players
    questions: Annotated[list[str], Meta(description="what is left to check")]
    discarded: Count
    claims: list[Annotated[str, allow_values(CLAIMS)]]
    towns: Count | QuestionMark
    coins: Count | QuestionMark
    towers: Count | QuestionMark
    queen: bool | QuestionMark
    knights: list[SquareOrQuestionMark] | QuestionMark
    spare_knights: Count | QuestionMark
    buildings: list[GivenBuilding | _BuildingText] | QuestionMark
    gems: list[GivenGem | QuestionMark] | QuestionMark


class GivenRound(TypedDict, total=False):
    kingdom: Required[list[GivenKingdom]]
    open_gems: list[Name]


class Game(TypedDict, total=False):
    """A game as in a game file: either `kingdom`, or `round` three times."""

    game: Annotated[str, allow_values(GAMES)]
    variants: list[Annotated[str, allow_values(variant.id for variant in VARIANTS)]]
    side: Annotated[int, allow_values(SIDES)]
    teams: bool
    kingdoms: Annotated[Count, Meta(description="how many were played, if some are not listed")]
    open_gems: list[Name]
    kingdom: list[GivenKingdom]
    round: list[GivenRound]
