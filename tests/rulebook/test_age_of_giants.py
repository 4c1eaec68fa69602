"""Age of Giants, clause by clause."""

import json
from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kdvision.errors import NotationError
from kdvision.game.board import Board, Square
from kdvision.game.deck import parse_domino
from kdvision.game.game import Game, find_table_problems, make_game
from kdvision.game.kingdom import Building, Gem, Kingdom, PlacedBuilding, Table, Token, count_crowns
from kdvision.game.players import Players
from kdvision.game.rules import make_rule_set
from kdvision.game.rules.age_of_giants import AGE_OF_GIANTS, DOMINOES
from kdvision.game.rules.quests import QUEST_GROUP, QUESTS, find_crown_lines
from kdvision.game.scoring import score
from kdvision.game.standing import rank_kingdoms
from kdvision.gamefile.model import parse_game
from kdvision.gamefile.write import write_game_text
from kdvision.report.build import build_board_result
from kdvision.report.fits import find_fits
from kdvision.web.games import describe_rules
from kdvision.web.http import ReadQuery
from kdvision.web.service import Service, score_game
from tests.conftest import Run

clause = pytest.mark.clause
RULES = make_rule_set(variants=["age-of-giants"])
PHOTO = Path(__file__).with_name("age_of_giants.jpg")
"""Rendered by `giants_photo.py`."""


def make_kingdom(text: str, *giants: str, player: str = "") -> Kingdom:
    return Kingdom(
        Board.parse(text), player, tokens=tuple(Token("giants", Square.parse(square), "", -1) for square in giants)
    )


def list_problems(*kingdoms: Kingdom) -> list[str]:
    return [problem.text for problem in RULES.check_pieces(Table(kingdoms))]


def score_quest(quest: str, text: str, *giants: str) -> int:
    (line,) = [
        line for line in score(make_kingdom(text, *giants), make_rule_set(variants=[quest])).lines if not line.territory
    ]
    return line.points


@clause("age-of-giants/base")
@clause("age-of-giants/alone")
def test_giants_and_quests_are_added_to_one_box_each_alone_too() -> None:
    assert {variant.games for variant in (AGE_OF_GIANTS, *QUESTS)} == {("kingdomino", "queendomino")}
    assert len(make_rule_set("queendomino", variants=["age-of-giants"]).deck) == 48 + 12
    assert len(make_rule_set(variants=["bleak-king"]).deck) == 48
    assert make_rule_set(variants=["bleak-king"]).facts == ()
    with pytest.raises(NotationError, match="Age of Giants cannot be added to royal-wedding"):
        parse_game('game = "royal-wedding"\nvariants = ["age-of-giants"]\n[[kingdom]]\nboard = "#"')


@clause("age-of-giants/box")
def test_the_box_has_twelve_more_dominoes() -> None:
    assert [domino.number for domino in DOMINOES] == [*"ABCDEF", 49, 50, 51, 52, 53, 54]
    cells = [cell for domino in DOMINOES for cell in (domino.left, domino.right)]
    squares = Counter(str(cell.terrain) for cell in cells)
    assert squares == {"wheat": 4, "forest": 4, "lake": 4, "grass": 5, "swamp": 4, "mine": 3}
    crown_counts = [cell.crowns for domino in DOMINOES[6:] for cell in (domino.left, domino.right)]
    assert (len(crown_counts), sum(crown_counts)) == (12, 18)
    assert not any(cell.crowns for domino in DOMINOES[:6] for cell in (domino.left, domino.right))
    assert find_table_problems([make_kingdom("# w2 f1")], RULES) == ()
    problems = find_table_problems([make_kingdom("# w2 w")], RULES)
    assert [problem.clause for problem in problems] == ["age-of-giants/box"] * 2
    problem = find_table_problems([make_kingdom("# w2 f1")], make_rule_set())[0]
    assert problem.text == "the box has no square w2 (B1)"


@clause("age-of-giants/fifth-player")
def test_five_players_play_and_the_fifth_is_brown() -> None:
    assert RULES.max_kingdoms == 5
    players = Players.parse("brown=Ann")
    players.check_colours(["age-of-giants"])
    with pytest.raises(NotationError, match=r"brown \(Ann\) is a colour of Age of Giants, which is not played"):
        players.check_colours([])


@clause("age-of-giants/in-play")
def test_three_to_five_kingdoms_get_twelve_dominoes_each() -> None:
    assert RULES.dominoes_drawn == {3: 36, 4: 48, 5: 60}
    six_kingdoms = [Kingdom(Board.parse("#"))] * 6
    (problem,) = find_table_problems(six_kingdoms, RULES)
    assert problem.clause == "age-of-giants/in-play"


@clause("age-of-giants/two-players")
def test_two_players_build_seven_rows() -> None:
    tables = [Table((make_kingdom("#"), make_kingdom("#")))]
    game = make_game("kingdomino", tables, variants=["age-of-giants"])
    assert (game.side, game.rule_set.dominoes_drawn) == (7, {2: 48})
    (problem,) = find_table_problems([make_kingdom("# w w w f f f f")], replace(game.rule_set, deck=()))[:1]
    assert problem.clause == "age-of-giants/two-players"


@clause("age-of-giants/must-lay")
def test_a_domino_that_can_be_laid_may_not_be_thrown_away() -> None:
    (answer,) = find_fits(build_board_result([Board.parse("# m g")], RULES), parse_domino("w2 f1"), side=5)
    assert (answer.fits, answer.clause) == (True, "age-of-giants/must-lay")


@clause("age-of-giants/giants")
def test_each_giant_stands_on_a_crown_of_its_own() -> None:
    assert list_problems(make_kingdom("# w1 m2", "B1", "C1", "C1")) == []
    assert list_problems(make_kingdom("# w1 m2", "B1", "B1")) == [
        "2 giants stand on B1, which has 1 crown: each giant covers one"
    ]
    assert list_problems(make_kingdom("# w", "B1")) == [
        "1 giant stands on B1, which has 0 crowns: each giant covers one"
    ]
    assert list_problems(make_kingdom("# w", "A1", "A2")) == [
        "the giant on A1 is on the castle",
        "the giant on A2 is on no domino",
    ]
    assert list_problems(make_kingdom("# m2 m2 m2 m1", "B1", "B1", "C1", "C1", "D1", "D1", "E1")) == [
        "there are 7 giants in the game, and the box has 6"
    ]


@clause("age-of-giants/moves")
def test_giants_score_where_they_stand_whoever_moved_them() -> None:
    lettered_kingdom, crowned_kingdom = make_kingdom("# f w"), make_kingdom("# w2 f1", "B1")
    assert list_problems(lettered_kingdom, crowned_kingdom) == []
    assert [score(kingdom, RULES).total for kingdom in (lettered_kingdom, crowned_kingdom)] == [0, 1 + 1]


@clause("age-of-giants/any-crown")
def test_a_giant_covers_a_crown_of_a_building_or_a_gem() -> None:
    rules = make_rule_set("queendomino", variants=["age-of-giants"])
    building_kingdom = replace(
        make_kingdom("# t t", "B1"), buildings=(PlacedBuilding(Square(0, 1), Building(crowns=1)),)
    )
    assert list_problems(building_kingdom) == []
    assert score(building_kingdom, rules).total == 0
    queen_kingdom = replace(make_kingdom("# t t", "B1"), queen=True)
    assert list_problems(queen_kingdom) == ["1 giant stands on B1, which has 0 crowns: each giant covers one"]
    assert score(queen_kingdom, rules).total == 2
    gem_kingdom = replace(make_kingdom("w f / g l", "B1"), gems=(Gem("ruby", Square(0, 0), (0, 1, 0, 0)),))
    assert list_problems(gem_kingdom) == []
    assert score(gem_kingdom).total == 0
    assert list_problems(replace(gem_kingdom, gems=(Gem("?", Square(0, 0)),))) == []
    assert list_problems(replace(make_kingdom("# w", "B1"), open_facts=frozenset(["court"]))) == []


@clause("age-of-giants/covered")
def test_a_covered_crown_does_not_count() -> None:
    assert score(make_kingdom("# w1 w w1"), RULES).total == 6
    card = score(make_kingdom("# w1 w w1", "B1"), RULES)
    assert [(line.label, line.points, line.clause) for line in card.lines] == [
        ("wheat: 3 squares × 1 crown", 3, "kingdomino/value"),
        ("giant on B1: covers a crown", 0, "age-of-giants/covered"),
    ]
    assert card.total == 3
    assert score(make_kingdom("# m2 m", "B1"), RULES).total == 2
    assert score(make_kingdom("# m2 m", "B1", "B1"), RULES).total == 0
    assert score(make_kingdom("# m2 m1", "C1", "C1", "C1"), RULES).total == 4  # never fewer crowns than 0 on a square


@clause("age-of-giants/covered-quests")
def test_covered_crowns_do_not_count_for_quests() -> None:
    assert score_quest("bleak-king", "# w w w1 w w") == 0
    assert score_quest("bleak-king", "# w w w1 w w", "D1") == 10
    assert score_quest("folie-des-grandeurs", "# w1 f1 m2") == 10
    assert score_quest("folie-des-grandeurs", "# w1 f1 m2", "D1") == 10
    assert score_quest("folie-des-grandeurs", "# w1 f1 m2", "D1", "D1") == 0


@clause("age-of-giants/ties")
def test_ties_count_the_crowns_that_are_left() -> None:
    covered_kingdom, crowned_kingdom = (
        make_kingdom("# w1 w1 / . f f", "B1", player="Ann"),
        make_kingdom("# m2 . / . g g", player="Bo"),
    )
    assert (count_crowns(covered_kingdom), count_crowns(crowned_kingdom)) == (1, 2)
    assert rank_kingdoms([covered_kingdom, crowned_kingdom], RULES).reason == "Bo wins on crowns, 2 to 1"


@clause("age-of-giants/quests")
def test_two_quests_are_drawn() -> None:
    def list_quest_problems(*quests: str) -> list[str]:
        return [problem.text for problem in find_table_problems([make_kingdom("#")], make_rule_set(variants=quests))]

    assert list_quest_problems("lost-corner", "bleak-king") == []
    assert list_quest_problems("lost-corner") == ["1 quest is played, and a game has 2"]
    quest_ids = [variant.id for variant in QUEST_GROUP.variants]
    assert len(quest_ids) == 17
    assert list_quest_problems(*quest_ids) == ["17 quests are played, and a game has 2"]


@clause("age-of-giants/old-quests")
def test_harmony_and_middle_kingdom_are_quests() -> None:
    rules = make_rule_set(variants=["harmony", "lost-corner"])
    assert find_table_problems([make_kingdom("#")], rules) == ()
    rules = make_rule_set(variants=["harmony", "middle-kingdom", "lost-corner"])
    (problem,) = find_table_problems([make_kingdom("#")], rules)
    assert problem.text == "3 quests are played, and a game has 2"
    assert find_table_problems([make_kingdom("#")], make_rule_set(variants=["harmony", "middle-kingdom"])) == ()


@clause("age-of-giants/dynasty")
def test_the_quests_count_in_all_rounds_of_a_dynasty() -> None:
    rounds = [Table((make_kingdom("# w", player="Ann"), make_kingdom("w # w", player="Bo")))] * 3
    game = Game("kingdomino", 5, tuple(rounds), ("lost-corner", "bleak-king"))
    assert game.standing.reason == "Ann wins on points of 3 rounds, 60 to 0"


@clause("age-of-giants/lost-corner")
def test_lost_corner() -> None:
    assert score_quest("lost-corner", "w w / w #") == 20
    assert score_quest("lost-corner", "w # / w w") == 20
    assert score_quest("lost-corner", "w # w / w w w") == 0


@clause("age-of-giants/corners")
def test_corners_are_those_of_the_rectangle_around_the_kingdom() -> None:
    assert score_quest("lost-corner", ". . . / . # w / . w w") == 20
    assert score_quest("lost-corner", ". # w / w w w") == 0
    assert score_quest("four-corners-wheat", ". # w / w w .") == 10


@clause("age-of-giants/four-corners")
@pytest.mark.parametrize("terrain", ["wheat", "forest", "lake", "grass", "swamp", "mine"])
def test_four_corners(terrain: str) -> None:
    letter, other = terrain[0], "f" if terrain != "forest" else "w"
    quest = f"four-corners-{terrain}"
    assert score_quest(quest, f"{letter} {other} {letter}1 / {other} # {letter} / {letter} {letter} {letter}") == 20
    assert score_quest(quest, f"{letter} {other} {other} / {other} # {letter} / # {letter} {letter}") == 10


@clause("age-of-giants/local-business")
@pytest.mark.parametrize("terrain", ["wheat", "forest", "lake", "grass", "swamp", "mine"])
def test_local_business(terrain: str) -> None:
    letter, other = terrain[0], "f" if terrain != "forest" else "w"
    board = f"{letter} {letter} {letter} {letter} / {letter} # {letter}1 {letter} / {letter} {other} {letter} {letter}"
    assert score_quest(f"local-business-{terrain}", board) == 35
    assert score_quest(f"local-business-{terrain}", f"# {letter} {letter} / {other} {other} {letter}") == 5


@clause("age-of-giants/bleak-king")
def test_bleak_king() -> None:
    assert score_quest("bleak-king", "# w w w w") == 0
    assert score_quest("bleak-king", "# w w w w / . w . . .") == 10
    assert score_quest("bleak-king", "# w w w w w w") == 10
    assert score_quest("bleak-king", "w w w w w / # . f . . / f f f f f") == 20
    assert score_quest("bleak-king", "l l l l l / # . . . . / g g g g g") == 20
    assert score_quest("bleak-king", "s s s s s / # . . . . / m m m m m") == 0
    assert score_quest("bleak-king", "w w w w w1 / # . . . . / f f f f f") == 10


def make_crowned_board(rows: str) -> str:
    return " / ".join(" ".join("w1" if mark == "1" else "w" for mark in row) for row in rows.split("/"))


@clause("age-of-giants/folie-des-grandeurs")
@pytest.mark.parametrize(
    "rows, points",
    [
        ("11", 0),
        ("111", 10),
        ("1/1/1", 10),
        ("100/010/001", 10),
        ("001/010/100", 10),
        ("110/001", 0),
        ("1111", 10),
        ("010/111/010", 20),
        ("101/010/101", 20),
        ("111/001/001", 20),
    ],
)
def test_folie_des_grandeurs(rows: str, points: int) -> None:
    assert score_quest("folie-des-grandeurs", make_crowned_board(rows)) == points


@clause("age-of-giants/lines")
@pytest.mark.parametrize(
    "rows, points",
    [
        ("11111", 20),
        ("11100/11100/11100/00000/00000", 80),
        ("11111/11111/11111/11111/11111", 320),
        ("11100/11100/11100/00100/00000", 90),
        ("00001/00001/11111/00100/01000", 40),
    ],
)
def test_two_lines_share_at_most_one_square(rows: str, points: int) -> None:
    assert score_quest("folie-des-grandeurs", make_crowned_board(rows)) == points


def count_lines_exhaustively(crowned_squares: set[Square]) -> int:
    """Return the largest number of lines, any two of which share at most one square, by trying all choices."""
    lines = [
        frozenset(line)
        for row, col in crowned_squares
        for row_step, col_step in ((0, 1), (1, 0), (1, 1), (1, -1))
        if crowned_squares.issuperset(line := [Square(row + i * row_step, col + i * col_step) for i in range(3)])
    ]

    def count_best(lines: list[frozenset[Square]]) -> int:
        if not lines:
            return 0
        first, *other_lines = lines
        conflicting_lines = [line for line in other_lines if len(line & first) > 1]
        count_with_first = 1 + count_best([line for line in other_lines if line not in conflicting_lines])
        return count_with_first if not conflicting_lines else max(count_with_first, count_best(other_lines))

    return count_best(lines)


def test_the_most_lines_are_found_on_random_grids() -> None:
    rng = np.random.default_rng(45)
    for _ in range(1000):
        height, width = rng.integers(1, 6, 2)
        crown_mask = rng.random((height, width)) < rng.uniform(0.2, 0.75)
        board = Board.parse([" ".join("w1" if has_crown else "w" for has_crown in row) for row in crown_mask])
        lines = find_crown_lines(Kingdom(board), 5)
        crowned_squares = {Square(int(row), int(col)) for row, col in np.argwhere(crown_mask)}
        assert all(crowned_squares.issuperset(line) for line in lines)
        assert all(len({*first_line} & {*second_line}) <= 1 for first_line, second_line in combinations(lines, 2))
        assert len(lines) == count_lines_exhaustively(crowned_squares)


# From a photo to the winner.

PLAYERS = ["Ann", "Bo", "Cy", "Di", "Eve"]
GIANTS_BY_PLAYER = {"Ann": ["A2", "A2"], "Bo": ["B2"], "Cy": ["C4"], "Di": ["C4"], "Eve": ["B2"]}
LINES_BY_PLAYER = {
    "Ann": "mine 1×1, lake 2×0, wheat 4×2, swamp 4×1, wheat 1×0, grass 3×3, forest 5×2, lake 2×0, "
    "giant A2, giant A2, 0, 0",
    "Bo": "swamp 1×0, mine 3×4, wheat 8×3, grass 1×0, swamp 1×0, forest 7×3, lake 1×0, giant B2, 0, 0",
    "Cy": "swamp 1×1, mine 3×5, grass 1×0, mine 1×0, wheat 6×0, grass 3×0, swamp 1×1, forest 3×0, swamp 1×0, "
    "giant C4, 10, 0",
    "Di": "grass 7×4, lake 4×1, forest 1×0, lake 2×2, wheat 1×0, swamp 2×4, forest 4×1, grass 1×0, giant C4, 0, 0",
    "Eve": "wheat 4×1, lake 11×5, forest 3×2, forest 1×0, wheat 1×0, giant B2, 0, 10",
}
"""The lines of each player; the last two numbers are the points of Bleak King and Folie des grandeurs."""


def list_expected_lines(words: str) -> list[tuple[str, int, str]]:
    """Return label, points and clause of each line."""
    *phrases, bleak_king_points, folie_points = words.split(", ")
    expected = []
    for phrase in phrases:
        name, value = phrase.split()
        if name == "giant":
            expected.append((f"giant on {value}: covers a crown", 0, "age-of-giants/covered"))
            continue
        squares, crowns = map(int, value.split("×"))
        label = f"{name}: {squares} square{'s' * (squares != 1)} × {crowns} crown{'s' * (crowns != 1)}"
        expected.append((label, squares * crowns, "kingdomino/value"))
    return [
        *expected,
        ("Bleak King", int(bleak_king_points), "age-of-giants/bleak-king"),
        ("Folie des grandeurs", int(folie_points), "age-of-giants/folie-des-grandeurs"),
    ]


def test_a_game_of_five_from_a_photo_and_a_filled_in_game_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "match.toml"
    options = ["--age-of-giants", "--quest", "bleak-king", "--quest", "folie-des-grandeurs", "--game-file", path]
    result = run("score", PHOTO, *options, "--players", ",".join(PLAYERS))
    assert result.code == 0, result.err
    text = path.read_text(encoding="utf-8")
    assert 'variants = ["age-of-giants", "bleak-king", "folie-des-grandeurs"]' in text
    for player in PLAYERS:
        text = text.replace('giants = ["?"]', f"giants = {json.dumps(GIANTS_BY_PLAYER[player])}", 1)
    path.write_text(text, encoding="utf-8")
    result = run("game", path, "--json", "--strict")
    assert result.code == 0, result.err
    game = json.loads(result.out)
    assert (game["rules"], game["side"], game["winners"]) == (
        "Kingdomino, Age of Giants, Bleak King, Folie des grandeurs",
        5,
        ["Eve"],
    )
    (table,) = game["rounds"]
    for kingdom in table["kingdoms"]:
        lines = [(line["label"], line["points"], line["clause"]) for line in kingdom["lines"]]
        assert lines == list_expected_lines(LINES_BY_PLAYER[kingdom["player"]])
        assert kingdom["problems"] == []
    totals = {kingdom["player"]: kingdom["total"] for kingdom in table["kingdoms"]}
    assert totals == {"Ann": 32, "Bo": 57, "Cy": 27, "Di": 48, "Eve": 75}
    names = [number for kingdom in table["kingdoms"] for domino in kingdom["dominoes"] for number in domino["numbers"]]
    assert {"D", "E", "F", 49, 50, 51, 52, 53, 54} <= {*names}


# Bad input.

KINGDOM_TEXT = '\n[[kingdom]]\nplayer = "Ann"\nboard = "# w1 w"\n'
GIANTS_VARIANT = 'variants = ["age-of-giants"]'


@pytest.mark.parametrize(
    "text, message",
    [
        (
            f'{KINGDOM_TEXT}giants = ["B1"]',
            r'match, line 5, kingdom 1, giants: .*expected variants = \["age-of-giants"\] at the top',
        ),
        (f'{GIANTS_VARIANT}{KINGDOM_TEXT}giants = ["Z99"]', "match, line 5, kingdom 1, giants 1: 'Z99' is no square"),
        (f'{GIANTS_VARIANT}{KINGDOM_TEXT}giants = ["B1 Olaf"]', "the giant 'Olaf' is not known; expected a square"),
        (f"{GIANTS_VARIANT}{KINGDOM_TEXT}giants = 3", r"giants is 3; expected a list in \[ \]"),
        (
            f'variants = ["glorious-king"]{KINGDOM_TEXT}',
            "match, line 1, variants 1: variants has 'glorious-king'; expected one of",
        ),
        (KINGDOM_TEXT * 5, "Kingdomino with 5 kingdoms; expected at most 4 of them"),
        (f"{GIANTS_VARIANT}{KINGDOM_TEXT * 6}", "Age of Giants with 6 kingdoms; expected at most 5 of them"),
        (f'variants = ["age-of-giants"{KINGDOM_TEXT}', "match, line"),
    ],
)
def test_a_mistake_in_a_game_file_is_named_with_its_place(text: str, message: str) -> None:
    with pytest.raises(NotationError, match=message):
        parse_game(text, name="match")


def test_a_giant_without_a_free_crown_and_too_many_quests_are_problems(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "match.toml"
    quests = [variant.id for variant in QUEST_GROUP.variants]
    variants = json.dumps(["age-of-giants", *quests, quests[0]])
    path.write_text(f'variants = {variants}{KINGDOM_TEXT}giants = ["B1", "B1"]\n', encoding="utf-8")
    result = run("game", path, "--strict")
    assert result.code == 6
    output = " ".join(result.out.split())
    assert "! 2 giants stand on B1, which has 1 crown: each giant covers one" in output
    assert "! 17 quests are played, and a game has 2" in output


def test_the_expansion_can_be_named_as_the_game(run: Run) -> None:
    for command, argument in (("score", PHOTO), ("type", "# w2 f1")):
        result = run(command, argument, "--game", "age-of-giants")
        assert result == run(command, argument, "--age-of-giants", "--game", "kingdomino")
        assert "Kingdomino, Age of Giants" in result.out


def test_brown_needs_the_expansion(run: Run) -> None:
    result = run("score", PHOTO, "--players", "brown=Ann")
    assert (result.code, result.out) == (5, "")
    assert "brown (Ann) is a colour of Age of Giants, which is not played" in result.err
    assert "--age-of-giants" in result.err


# Other entry points and games.


def test_the_server_reads_and_scores_with_the_expansion() -> None:
    options = ReadQuery(age_of_giants=True, lost_corner=True, bleak_king=True)
    make_service: Any = Service
    photo_result = json.loads(make_service(None, None).read(PHOTO.read_bytes(), options, ()).body)
    assert [kingdom["board"][0] for kingdom in photo_result["kingdoms"]] == [
        "m1 l l w .",
        "s m w1 w1 g",
        ". s1 m2 . g",
        "g g1 l f .",
        "w w l1 f .",
    ]
    assert (photo_result["game"], photo_result["variants"]) == (
        "kingdomino",
        ["age-of-giants", "lost-corner", "bleak-king"],
    )
    assert [kingdom["untold"] for kingdom in photo_result["kingdoms"]] == [["giants"]] * 5
    body = {
        "variants": ["age-of-giants", "lost-corner", "bleak-king"],
        "kingdom": [{"board": kingdom["board"], "giants": []} for kingdom in photo_result["kingdoms"]],
    }
    game_score = json.loads(bytes(score_game(body, "").body))
    assert [kingdom["total"] for kingdom in game_score["rounds"][0]["kingdoms"]] == [40, 60, 23, 52, 76]
    info = describe_rules(keeps=False)
    (giants_variant,) = [variant for variant in info.variants if variant.id == "age-of-giants"]
    assert {"w2", "f2", "l2"} <= {*giants_variant.cells}
    assert (giants_variant.seats, giants_variant.colours) == ({"5": [3, 4, 5], "7": [2]}, ["brown"])
    assert (info.groups["quest"].drawn, len(info.groups["quest"].variants)) == (2, 17)


def test_five_play_queendomino_with_giants() -> None:
    rules = make_rule_set("queendomino", variants=["age-of-giants"])
    assert (rules.dominoes_drawn, rules.max_kingdoms) == ({3: 36, 4: 48, 5: 60}, 5)
    assert make_game("queendomino", [Table((make_kingdom("#"),) * 2)], variants=["age-of-giants"]).side == 7
    text = 'game = "queendomino"\nvariants = ["age-of-giants", "bleak-king", "lost-corner"]\n'
    for player in PLAYERS:
        text += f'[[kingdom]]\nplayer = "{player}"\nboard = "# t t w1"\ncoins = 3\n'
    text += 'giants = ["D1"]\nbuildings = ["B1 1 crown"]\n'
    game = parse_game(text)
    totals = [place.total for place in sorted(game.standing.places, key=lambda place: place.index)]
    assert totals == [22, 22, 22, 22, 23]
    assert parse_game(write_game_text(game)) == game
