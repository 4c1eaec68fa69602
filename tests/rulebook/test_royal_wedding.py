"""The Royal Wedding: both boxes, more players, teams."""

import pytest

from kdvision.game.board import Board, Square
from kdvision.game.deck import KINGDOMINO, QUEENDOMINO, ROYAL_WEDDING, count_faces
from kdvision.game.game import find_table_problems
from kdvision.game.kingdom import Kingdom, PlacedBuilding
from kdvision.game.rules import royal_wedding
from kdvision.game.rules.queendomino import BUILDINGS
from kdvision.game.scoring import score

clause = pytest.mark.clause


def find_broken_clauses(text: str, *, side: int) -> set[str]:
    return {problem.clause for problem in find_table_problems([Kingdom(Board.parse(text))], royal_wedding(side=side))}


@clause("royal-wedding/box")
def test_both_boxes_are_one() -> None:
    assert len(ROYAL_WEDDING) == 96
    assert count_faces(ROYAL_WEDDING) == count_faces(KINGDOMINO) + count_faces(QUEENDOMINO)
    assert len({domino.number for domino in ROYAL_WEDDING}) == 96
    assert find_broken_clauses("w m3 # m3 t", side=5) == set()
    assert find_broken_clauses("w m3 # m3 w", side=5) == {"royal-wedding/box"}
    assert set(royal_wedding().dominoes_drawn.values()) == {96}


@clause("royal-wedding/seven")
def test_three_or_four_play_to_seven() -> None:
    assert sorted(royal_wedding(side=7).dominoes_drawn) == [3, 4]
    assert find_broken_clauses("# w w w w w w", side=7) == set()
    assert find_broken_clauses("# w w w w w w w w", side=7) == {"royal-wedding/seven"}


@clause("royal-wedding/five")
def test_five_to_eight_play_to_five() -> None:
    assert sorted(royal_wedding(side=5).dominoes_drawn) == [5, 6, 7, 8]
    assert find_broken_clauses("# w w w w w w", side=5) == {"royal-wedding/five"}


@clause("royal-wedding/turns")
def test_a_kingdom_has_as_many_dominoes_of_one_box_as_of_the_other() -> None:
    seven_towns = "# t t t t / f t t g . / s t t l . / g t . . ."
    assert find_broken_clauses(seven_towns, side=5) == {"royal-wedding/turns"}
    assert find_broken_clauses(seven_towns, side=7) == set()
    assert find_broken_clauses(seven_towns.replace("g t .", ". . ."), side=5) == set()
    (problem,) = find_table_problems([Kingdom(Board.parse(seven_towns))], royal_wedding(side=5))
    assert problem.text == "at least 7 dominoes of Queendomino lie here, and a kingdom draws 6 of each box"


@clause("royal-wedding/teams")
def test_three_or_four_pairs_share_kingdoms_of_seven() -> None:
    teams = royal_wedding(side=5, teams=True)
    assert (teams.side, sorted(teams.dominoes_drawn)) == (7, [3, 4])


def test_towns_and_buildings_score_as_in_queendomino() -> None:
    church = next(building for building in BUILDINGS if building.name == "The Church")
    kingdom = Kingdom(Board.parse("t t # t w1"), buildings=(PlacedBuilding(Square(0, 0), church),), coins=7)
    assert score(kingdom, royal_wedding()).total == 2 + 1 + 4
