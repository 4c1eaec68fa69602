"""Boards and scores from other programs' tests, in the data folder beside the checkout."""

import json
from typing import Any

import pytest

from kdvision.game.board import Board, Terrain
from kdvision.game.kingdom import Kingdom, count_crowns, measure_largest
from kdvision.game.rules import make_rule_set
from kdvision.game.scoring import Scorecard, score
from kdvision.game.standing import Contender, rank_contenders
from tests.paths import SHARED

VECTOR_FILE = SHARED / "rules" / "score_vectors.json"
DATA: dict[str, Any] = json.loads(VECTOR_FILE.read_text(encoding="utf-8")) if VECTOR_FILE.is_file() else {}
VECTORS = DATA.get("vectors", [])
TIES = DATA.get("tie_breaks", {}).get("cases", [])

pytestmark = pytest.mark.skipif(not DATA, reason="the data folder beside the checkout is not there")


def test_all_vectors_are_here() -> None:
    assert len(VECTORS) == 59
    assert len(TIES) == 3


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_other_programs_agree(vector: dict[str, Any]) -> None:
    board = Board.parse(vector["board"])
    variants = [name.replace("_", "-") for name in vector["variants"]]
    card = score(board, make_rule_set(side=vector["size"], variants=variants))
    expected = vector["expected"]
    kingdom = Kingdom(board)
    actual = {
        "total": card.total,
        "largest_property": measure_largest(kingdom),
        "crowns": count_crowns(kingdom),
        "by_terrain": {name: sum_terrain_points(card, name) for name in expected.get("by_terrain", ())},
        "properties_count": {"lake_with_crowns": count_crowned_territories(kingdom, Terrain.LAKE)},
    }
    assert expected == {name: actual[name] for name in expected}


def sum_terrain_points(card: Scorecard, name: str) -> int:
    return sum(line.points for line in card.lines if line.territory and str(line.territory.terrain) == name)


def count_crowned_territories(kingdom: Kingdom, terrain: Terrain) -> int:
    return sum(territory.terrain is terrain and territory.crowns > 0 for territory in kingdom.territories)


@pytest.mark.parametrize("case", TIES, ids=lambda case: "-".join(case["players"]))
def test_other_programs_break_ties_alike(case: dict[str, Any]) -> None:
    contenders = [Contender(player, tuple(keys)) for player, keys in case["players"].items()]
    standing = rank_contenders(contenders, ("points", "the largest territory", "crowns"))
    assert {place.player: place.place for place in standing.places} == case["expected_positions"]
