"""What the page needs to know of the rules, collected from the rules themselves."""

from functools import cache
from typing import Any

from kdvision.game.deck import kinds
from kdvision.game.game import DYNASTY_ROUNDS
from kdvision.game.pieces import JOKER, QUARTERS, Building
from kdvision.game.rules import GAMES, SIDES, VARIANTS, Variant, clauses
from kdvision.game.rules.queendomino_checks import BUILDINGS, describe_building
from kdvision.gamefile.pieces import TERRAINS


@cache
def rules_data() -> dict[str, Any]:
    """Games with their squares and variants, buildings, gems, terrains and clauses, as plain values."""
    return {
        "games": [_game_data(kind) for kind in GAMES],
        "variants": [_variant_data(variant) for variant in VARIANTS],
        "rounds": DYNASTY_ROUNDS,
        "terrains": {terrain.value: name for name, terrain in TERRAINS.items()} | {"#": "castle"},
        "buildings": [_building_data(building) for building in BUILDINGS],
        "joker": JOKER,
        "quarters": list(QUARTERS),
        "clauses": {name: clause.data() for name, clause in clauses().items()},
    }


def _game_data(kind: str) -> dict[str, Any]:
    by_side = {side: GAMES[kind](side=side) for side in SIDES}
    rule_set = by_side[SIDES[0]]
    return {
        "game": kind,
        "name": rule_set.name,
        "cells": sorted(str(cell) for cell in kinds(rule_set.deck)),
        "variants": [variant.id for variant in VARIANTS if variant.fits(kind)],
        "seats": {str(side): sorted(one.dominoes_drawn) for side, one in by_side.items()},
        "pieces": bool(rule_set.facts),
        "teams": kind == "royal-wedding",
    }


def _variant_data(variant: Variant) -> dict[str, Any]:
    return {
        "id": variant.id,
        "name": variant.name,
        "help": variant.help,
        "clause": variant.clause,
        "facts": list(variant.facts),
    }


def _building_data(building: Building) -> dict[str, Any]:
    effect = {
        "crowns": building.crowns,
        "points": building.points,
        "per_territory": str(building.per_territory) if building.per_territory else "",
        "per_tower": building.per_tower,
        "per_knight": building.per_knight,
    }
    return {
        "name": building.name or None,
        "gives": describe_building(building),
        "count": building.count,
        "as": {key: value for key, value in effect.items() if value},
    }
