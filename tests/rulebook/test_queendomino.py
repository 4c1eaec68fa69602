"""Queendomino's rulebook, clause by clause, and its worked example line by line."""

from dataclasses import replace
from typing import Any

import pytest

from kdvision.game.board import Board, Square, Terrain
from kdvision.game.deck import QUEENDOMINO, count_kinds, parse_domino
from kdvision.game.game import find_table_problems
from kdvision.game.kingdom import Building, Kingdom, PlacedBuilding, Table, to_kingdom
from kdvision.game.rules import queendomino
from kdvision.game.rules.queendomino import BUILDINGS, describe_building
from kdvision.game.scoring import score
from kdvision.game.standing import rank_kingdoms
from kdvision.report.build import build_board_result
from kdvision.report.fits import find_fits

clause = pytest.mark.clause
RULES = queendomino()
BUILDINGS_BY_NAME = {building.name: building for building in BUILDINGS if building.name}
CROWN = Building(crowns=1)

# The book shows a kingdom with these territories. Dominoes of the box can form this board.
EXAMPLE = Kingdom(
    Board.parse("f1 f l1 t t / t t l1 l s1 / # g w w1 t / f g1 w m m1 / g2 g f1 t m3"),
    buildings=tuple(
        PlacedBuilding(Square.parse(square), BUILDINGS_BY_NAME[name])
        for square, name in {
            "D1": "The Sawmill",
            "E1": "The Church",
            "A2": "The Travelling Castle",
            "B2": "The Big Tavern",
            "E3": "The Statue",
            "D5": "The Guardtower",
        }.items()
    ),
    towers=3,
    coins=11,
    queen=True,
)


def make_kingdom(text: str, buildings: dict[str, Building] | None = None, **facts: Any) -> Kingdom:
    placed_buildings = tuple(
        PlacedBuilding(Square.parse(square), building) for square, building in (buildings or {}).items()
    )
    return replace(Kingdom(Board.parse(text), buildings=placed_buildings), **facts)


# A building without a name may bring any knights and towers.
TOWER_KINGDOM = make_kingdom("# t g", {"B1": CROWN}, towers=1, queen=True)


def list_points(kingdom: Kingdom, clause_id: str) -> list[int]:
    return [line.points for line in score(kingdom, RULES).lines if line.clause == clause_id]


def find_broken_clauses(*kingdoms: Kingdom) -> set[str]:
    return {problem.clause for problem in find_table_problems(kingdoms, RULES)}


def list_problems(*kingdoms: Kingdom) -> list[str]:
    return [problem.text for check in RULES.checks for problem in check(Table(kingdoms, seats=len(kingdoms)), RULES)]


@clause("queendomino/total")
def test_the_worked_example_scores_71_line_by_line() -> None:
    card = score(EXAMPLE, RULES)
    points = {
        str(terrain): sum(line.points for line in card.lines if line.territory and line.territory.terrain is terrain)
        for terrain in Terrain
    }
    bonuses = {line.label: line.points for line in card.lines if line.territory is None}
    assert points == {"wheat": 3, "forest": 3, "lake": 6, "grass": 16, "swamp": 1, "mine": 12, "town": 0, "castle": 0}
    assert bonuses == {
        "wealth: 11 coins": 3,
        "The Sawmill: 3 separate forest territories × 2": 6,
        "The Church: 4 separate town territories × 2": 8,
        "The Travelling Castle: 3 towers × 1": 3,
        "The Big Tavern: 2 points": 2,
        "The Statue: 5 points": 5,
        "The Guardtower: 3 points": 3,
    }
    assert (card.points, card.total) == (41, 71)
    assert find_broken_clauses(EXAMPLE) == set()


@clause("queendomino/box")
def test_the_box_holds_its_own_dominoes() -> None:
    assert count_kinds(QUEENDOMINO)[Board.parse("t")[Square(0, 0)]] == 20
    assert find_broken_clauses(make_kingdom("# t w")) == {"queendomino/box"}
    assert find_broken_clauses(make_kingdom("# t g")) == set()


@clause("queendomino/in-play")
def test_all_dominoes_are_drawn() -> None:
    assert RULES.dominoes_drawn == {3: 48, 4: 48}
    assert queendomino(side=7).dominoes_drawn == {2: 48}


@clause("queendomino/grid")
def test_kingdoms_fit_five_by_five_or_for_two_seven_by_seven() -> None:
    long_kingdom = make_kingdom("f f # w w w w")
    assert find_broken_clauses(long_kingdom) == {"queendomino/grid"}
    assert {problem.clause for problem in find_table_problems([long_kingdom], queendomino(side=7))} == set()
    longer_kingdom = make_kingdom("f f f f # w w w w")
    assert {problem.clause for problem in find_table_problems([longer_kingdom], queendomino(side=7))} == {
        "queendomino/grid"
    }


@clause("queendomino/castle")
def test_there_is_one_castle_and_everything_may_touch_it() -> None:
    assert find_broken_clauses(make_kingdom("# t g")) == set()
    assert find_broken_clauses(make_kingdom("t g")) == {"queendomino/castle"}


@clause("queendomino/connection")
def test_a_domino_needs_a_matching_side() -> None:
    assert find_broken_clauses(make_kingdom("# w w f f")) == {"queendomino/connection"}
    assert find_broken_clauses(make_kingdom("# t g / . t .  / . t .")) == set()


@clause("queendomino/discard")
def test_thrown_away_dominoes_earn_nothing() -> None:
    assert score(make_kingdom("# w1 f", discarded=5), RULES).total == score(make_kingdom("# w1 f"), RULES).total == 1


@clause("queendomino/must-lay")
def test_a_domino_that_can_be_laid_must_be() -> None:
    full_board = "t t t t t / t t t t t / t t # t t / t t t t t / t t t t t"
    assert [get_domino_clause(board) for board in ("# t t", full_board)] == [
        "queendomino/must-lay",
        "queendomino/discard",
    ]


def get_domino_clause(board: str) -> str:
    (answer,) = find_fits(build_board_result([Board.parse(board)], RULES), parse_domino("t w"), side=5)
    return answer.clause


@clause("queendomino/territory")
@clause("queendomino/value")
def test_a_territory_is_its_squares_times_its_crowns() -> None:
    assert list_points(make_kingdom("g2 g g / g g1 #"), "queendomino/value") == [15]
    assert list_points(make_kingdom("g1 # / . g"), "queendomino/value") == [1, 0]


@clause("queendomino/several")
@clause("queendomino/no-crowns")
def test_territories_of_one_terrain_are_scored_apart_and_need_a_crown() -> None:
    assert list_points(make_kingdom("g1 g # g g g"), "queendomino/value") == [2, 0]


@clause("queendomino/towns")
@clause("queendomino/building-crowns")
def test_towns_score_by_the_crowns_of_their_buildings() -> None:
    assert list_points(make_kingdom("t t t # t"), "queendomino/value") == [0, 0]
    assert list_points(make_kingdom("t t t # t", {"A1": CROWN, "B1": CROWN}), "queendomino/value") == [6, 0]


@clause("queendomino/construction")
def test_a_building_needs_a_town_square_of_its_own() -> None:
    statue = BUILDINGS_BY_NAME["The Statue"]
    assert list_problems(make_kingdom("# t t", {"B1": statue})) == []
    for square in ("A1", "C1", "A9"):
        assert list_problems(make_kingdom("# t g", {square: statue})) == [
            f"the building on {square} does not stand on a town square"
        ]
    two_buildings = replace(
        make_kingdom("# t t"), buildings=(PlacedBuilding(Square(0, 1), statue), PlacedBuilding(Square(0, 1), CROWN))
    )
    assert list_problems(two_buildings) == ["more than one building stands on B1"]


@clause("queendomino/buildings")
def test_there_are_32_buildings_of_thirteen_kinds() -> None:
    assert sum(building.count for building in BUILDINGS) == 32
    assert len({*map(describe_building, BUILDINGS)}) == len(BUILDINGS) == 13
    towns = "# t t t / . t t t"
    crowns = dict.fromkeys(("B1", "C1", "D1", "B2"), CROWN)
    assert list_problems(make_kingdom(towns, crowns)) == ["4 buildings give 1 crown, and the box has 3"]
    churches = dict.fromkeys(("B1", "C1"), BUILDINGS_BY_NAME["The Church"])
    assert list_problems(make_kingdom(towns, churches)) == ["The Church stands in the game 2 times"]


@clause("queendomino/building-points")
@pytest.mark.parametrize("name, value", [("The Big Tavern", 2), ("The Guardtower", 3), ("The Statue", 5)])
def test_some_buildings_have_points(name: str, value: int) -> None:
    assert list_points(make_kingdom("# t", {"B1": BUILDINGS_BY_NAME[name]}), "queendomino/building-points") == [value]


@clause("queendomino/detached")
@pytest.mark.parametrize("terrain", [terrain for terrain in Terrain if terrain is not Terrain.CASTLE])
def test_some_give_two_points_for_each_separate_territory(terrain: Terrain) -> None:
    letter = terrain.value
    board = f"{letter} {letter}1 # {letter} / . . t t / {letter} . . ."
    tile = Building(per_territory=terrain)
    count = sum(territory.terrain is terrain for territory in to_kingdom(Board.parse(board)).territories)
    assert count == 3
    assert list_points(make_kingdom(board, {"C2": tile}), "queendomino/detached") == [6]
    assert any(replace(building, name="") == replace(tile, count=2) for building in BUILDINGS)


@clause("queendomino/tower-bonus")
def test_some_give_a_point_for_each_tower() -> None:
    tile = BUILDINGS_BY_NAME["The Travelling Castle"]
    assert list_points(make_kingdom("# t", {"B1": tile}, towers=4), "queendomino/tower-bonus") == [4]
    assert score(make_kingdom("# t", towers=4), RULES).total == 0


@clause("queendomino/knight-bonus")
def test_some_give_a_point_for_each_knight_placed_or_not() -> None:
    knight_kingdom = replace(
        make_kingdom("# t", {"B1": BUILDINGS_BY_NAME["The Archery Range"]}, spare_knights=2), knights=(Square(0, 1),)
    )
    assert list_points(knight_kingdom, "queendomino/knight-bonus") == [3]


@clause("queendomino/knights")
def test_knights_stand_on_dominoes_one_on_a_square() -> None:
    board = Board.parse("# t g")
    buildings = (PlacedBuilding(Square(0, 1), CROWN),)
    assert list_problems(Kingdom(board, buildings=buildings, knights=(Square(0, 1), Square(0, 2)))) == []
    assert list_problems(Kingdom(board, knights=(Square(0, 0),))) == ["the knight on A1 stands on the castle"]
    assert list_problems(Kingdom(board, knights=(Square(4, 4),))) == ["the knight on E5 stands on no domino"]
    assert list_problems(Kingdom(Board.parse("# ?"), knights=(Square(0, 1),))) == []  # there may be a domino
    two_knights = Kingdom(board, buildings=buildings, knights=(Square(0, 1),) * 2)
    assert list_problems(two_knights) == ["more than one knight stands on B1"]


@clause("queendomino/first-knight")
def test_a_kingdom_begins_with_one_knight() -> None:
    assert list_problems(make_kingdom("# t g", spare_knights=1)) == []
    assert list_problems(make_kingdom("# t g")) == []  # knights that do not score need not be entered
    knightless_kingdom = make_kingdom("# t g", {"B1": Building("My range", per_knight=1)})
    assert list_problems(knightless_kingdom) == [
        "this kingdom has 0 knights, and its start and its buildings bring 1 or more"
    ]
    assert list_problems(replace(knightless_kingdom, open_facts=frozenset({"spare_knights"}))) == []


@clause("queendomino/gained")
def test_towers_and_further_knights_come_from_buildings() -> None:
    assert list_problems(make_kingdom("# t g", spare_knights=9), TOWER_KINGDOM) == [
        "this kingdom has 9 knights, and its start and its buildings bring 1"
    ]
    assert list_problems(
        make_kingdom("# t g", towers=3), make_kingdom("# t g", {"B1": CROWN}, towers=3, queen=True)
    ) == ["this kingdom has 3 towers, and its buildings bring 0"]
    assert list_problems(make_kingdom("# t g", {"B1": CROWN}, spare_knights=9, towers=3, queen=True)) == []
    assert list_problems(make_kingdom("# t g", spare_knights=9, open_facts=frozenset({"buildings"}))) == []


@clause("queendomino/gained")
@pytest.mark.parametrize("knights, is_right", [(0, True), (1, False), (3, False), (4, True), (5, False)])
def test_the_big_tavern_brings_three_knights(knights: int, is_right: bool) -> None:
    problem_texts = list_problems(
        make_kingdom("# t g", {"B1": BUILDINGS_BY_NAME["The Big Tavern"]}, spare_knights=knights)
    )
    text = f"this kingdom has {knights} knight{'s' * (knights != 1)}, and its start and its buildings bring 4"
    assert problem_texts == ([] if is_right else [text])


@clause("queendomino/gained")
@pytest.mark.parametrize("towers, is_right", [(0, False), (1, True), (2, False)])
def test_the_travelling_castle_brings_one_tower(towers: int, is_right: bool) -> None:
    castle_kingdom = make_kingdom(
        "# t g", {"B1": BUILDINGS_BY_NAME["The Travelling Castle"]}, towers=towers, queen=towers > 0
    )
    assert list_problems(castle_kingdom) == (
        [] if is_right else [f"this kingdom has {towers} towers, and its buildings bring 1"]
    )


@clause("queendomino/pieces")
def test_a_box_holds_so_many_pieces() -> None:
    assert list_problems(replace(TOWER_KINGDOM, spare_knights=22, coins=174)) == []
    knight_kingdom = replace(TOWER_KINGDOM, spare_knights=23)
    assert list_problems(knight_kingdom) == ["there are 23 knights in the game, and the box has 22"]
    assert list_problems(make_kingdom("#", coins=100), make_kingdom("#", coins=75)) == [
        "there are 175 coins in the game, and the box has 174"
    ]
    assert list_problems(replace(TOWER_KINGDOM, towers=16)) == ["there are 16 towers in the game, and the box has 15"]


@clause("queendomino/queen-host")
def test_the_queen_is_where_most_towers_are() -> None:
    queenless_kingdom = replace(TOWER_KINGDOM, queen=False)
    assert list_problems(replace(TOWER_KINGDOM, towers=2), replace(queenless_kingdom, towers=2)) == []
    assert list_problems(replace(TOWER_KINGDOM, towers=2), replace(queenless_kingdom, towers=3)) == [
        "the Queen is with 2 towers, and another kingdom has 3"
    ]
    assert list_problems(replace(TOWER_KINGDOM, towers=0)) == ["the Queen is with 0 towers"]
    three_kingdoms = (queenless_kingdom, make_kingdom("#"), make_kingdom("#"))
    assert list_problems(*three_kingdoms) == ["there are towers, and nobody hosts the Queen"]
    assert list_problems(TOWER_KINGDOM, TOWER_KINGDOM) == ["the Queen is in 2 kingdoms at once"]


@clause("queendomino/queen-host")
def test_the_queen_is_in_no_kingdom_without_a_town() -> None:
    text = "the Queen is in a kingdom without a town, so no building brought a tower"
    for open_facts in ({"towers"}, {"towers", "buildings"}):
        assert list_problems(make_kingdom("# w w", queen=True, open_facts=frozenset(open_facts))) == [text]
    assert list_problems(make_kingdom("# w w", queen=True, open_facts=frozenset({"towers", "towns"}))) == []
    assert list_problems(make_kingdom("# ? w", queen=True, open_facts=frozenset({"towers"}))) == []


@clause("queendomino/queen")
def test_the_queen_is_a_crown_on_the_largest_territory_towns_included() -> None:
    assert score(make_kingdom("# w w f1", queen=True), RULES).points == 2 + 1
    assert score(make_kingdom("# t t t w1 w", queen=True), RULES).points == 3 + 2
    assert score(make_kingdom("#", queen=True), RULES).points == 0


@clause("queendomino/queen-choice")
def test_of_equally_large_territories_the_best_one_has_the_queen() -> None:
    assert score(make_kingdom("# w w / f f1 .", queen=True), RULES).points == 2 + 2


@clause("queendomino/wealth")
@pytest.mark.parametrize("coins, expected", [(0, 0), (2, 0), (3, 1), (11, 3), (12, 4)])
def test_three_coins_are_a_point(coins: int, expected: int) -> None:
    assert list_points(make_kingdom("#", coins=coins), "queendomino/wealth") == [expected]


@clause("queendomino/winner")
def test_the_highest_score_wins() -> None:
    assert (
        rank_kingdoms([make_kingdom("# w1"), make_kingdom("#", coins=6)], RULES).reason
        == "kingdom 2 wins on points, 2 to 1"
    )


@clause("queendomino/tie-largest")
def test_ties_go_to_the_largest_territory() -> None:
    standing = rank_kingdoms([make_kingdom("# w1 w"), make_kingdom("# w1 f1")], RULES)
    assert standing.reason == "kingdom 1 wins on the largest territory, 2 to 1"


@clause("queendomino/shared")
def test_crowns_break_no_tie() -> None:
    standing = rank_kingdoms([make_kingdom("# w2 f"), make_kingdom("# w1 f1")], RULES)
    assert standing.reason.startswith("kingdom 1 and kingdom 2 share the victory")
