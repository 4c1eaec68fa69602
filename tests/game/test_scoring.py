"""Scorecards: their lines, their sums, and how rules are composed."""

import pytest

from kdvision.game.board import Board, Square, Terrain
from kdvision.game.kingdom import Kingdom, count_crowns, measure_largest, to_kingdom
from kdvision.game.rules import infer_board_side, kingdomino, make_rule_set
from kdvision.game.scoring import score

KINGDOMINO_RULES = kingdomino()
EXAMPLE = Board.parse("w w1 f f f / l l1 # f1 m2 / l g s s m1 / g g2 s1 w w / g g w1 w w")


def test_the_example_of_the_notation_is_worth_33_and_38() -> None:
    assert score(EXAMPLE, KINGDOMINO_RULES).total == 33
    assert score(EXAMPLE, make_rule_set(variants=["harmony"])).total == 38
    assert score(EXAMPLE, make_rule_set(variants=["harmony"])).points == 33


def test_a_line_tells_what_it_is_for() -> None:
    (line,) = score(Board.parse("w w1 / # w2"), KINGDOMINO_RULES).lines
    assert line.label == "wheat: 3 squares × 3 crowns"
    assert (line.points, line.clause) == (9, "kingdomino/value")
    assert [square.name for square in line.squares] == ["A1", "B1", "B2"]
    assert line.territory is not None
    assert line.territory.terrain is Terrain.WHEAT


def test_without_a_rule_set_territories_are_scored() -> None:
    assert score(EXAMPLE) == score(EXAMPLE, KINGDOMINO_RULES)


def test_lines_are_the_same_with_more_rules_but_for_the_new_ones() -> None:
    base_lines = score(EXAMPLE, KINGDOMINO_RULES).lines
    variant_lines = score(EXAMPLE, make_rule_set(variants=["middle-kingdom", "harmony"])).lines
    assert variant_lines[: len(base_lines)] == base_lines
    assert [line.label for line in variant_lines[len(base_lines) :]] == ["Middle Kingdom", "Harmony"]


def test_largest_and_crowns_of_a_kingdom() -> None:
    kingdom = Kingdom(EXAMPLE)
    assert measure_largest(kingdom) == 5
    assert count_crowns(kingdom) == 10
    assert (measure_largest(Kingdom(Board.parse("# ."))), count_crowns(Kingdom(Board.parse("# .")))) == (0, 0)


def test_territories_come_from_the_top_left_with_sorted_squares() -> None:
    territories = to_kingdom(Board.parse("w f / # f1")).territories
    assert [str(territory.terrain) for territory in territories] == ["wheat", "forest"]
    assert territories[1].squares == (Square(0, 1), Square(1, 1))


@pytest.mark.parametrize("text, side", [("w #", 5), ("w . . . . #", 7), (". . . . . . w / . . . . . . #", 5)])
def test_the_side_is_what_the_boards_show(text: str, side: int) -> None:
    assert infer_board_side([Board.parse("#"), Board.parse(text)]) == side


def test_names_of_rule_sets_name_their_variants() -> None:
    assert make_rule_set(side=7, variants=["harmony"]).name == "Kingdomino, Mighty Duel, Harmony"
