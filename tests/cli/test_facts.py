"""Facts that no photo shows. Options or a game file give them; until then, the points are a range."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kdvision import pipeline
from kdvision.game.board import Board, Square
from kdvision.game.kingdom import Building, Kingdom, PlacedBuilding
from kdvision.game.legality import Problem
from kdvision.game.rules import make_rule_set, queendomino, royal_wedding
from kdvision.game.scoring import score
from kdvision.gamefile.model import load_game
from kdvision.pipeline import KingdomReading
from kdvision.vision.classify.pieces import DetectedPiece
from kdvision.vision.classify.probabilities import KINDS, ClassProbabilities
from tests.conftest import Run
from tests.kingdoms import (
    FIVE,
    SMALL,
    fill_in,
    list_lines,
    make_doubt,
    make_plain_observation,
    make_reader,
    make_reading,
    png,
    table_photo,
)
from tests.paths import SAMPLES

OTHER_BOARD = "g1 g / # l"
PIECE_KINDS = ("knight", "building")


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[KingdomReading]:
    """Return the readings of every photo in this test; a photo whose first pixel is black shows no kingdom."""
    kingdoms = [make_reading(SMALL), make_reading(OTHER_BOARD, left=400)]
    monkeypatch.setattr(pipeline, "read", make_reader(kingdoms))
    return kingdoms


def make_reading_with_towns(text: str) -> KingdomReading:
    """Return the reading of a board by networks that know towns."""
    board = Board.parse(text)
    observation = make_plain_observation(ClassProbabilities.of(board, kinds=(*KINDS, "t", "t1", "t2")))
    return replace(make_reading(text.replace("t", "w")), board=board, observation=observation, box="queendomino")


def leave_open(reading: KingdomReading) -> KingdomReading:
    """Return the reading with an uncertain knight, building and gem, so that the photo leaves these facts open."""
    pieces = (DetectedPiece(kind, Square(0, 1), 0.5, 0.5) for kind in ("knight", "building", "gem"))
    return replace(reading, uncertain_pieces=tuple(pieces))


def list_game_lines(run: Run, path: Path) -> list[list[tuple[str, int]]]:
    """Return the lines of each kingdom, as `kdvision game` prints them for a finished game."""
    game = json.loads(run("game", path, "--json").out)
    assert game["complete"]
    kingdoms = game["rounds"][0]["kingdoms"]
    assert all(kingdom["complete"] and kingdom["least"] == kingdom["most"] == kingdom["total"] for kingdom in kingdoms)
    return [[(line["label"], line["points"]) for line in kingdom["lines"]] for kingdom in kingdoms]


# From a photo to the score through a game file


def load_truth(name: str) -> list[Board]:
    truth = json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    return [Board.parse(kingdom["board"]) for kingdom in truth["kingdoms"]]


def correct_doubtful_squares(path: Path, truth: Sequence[Board]) -> None:
    """Correct every doubtful square of the file from the truth, as a person would."""
    blocks = path.read_text(encoding="utf-8").split("[[kingdom]]")
    for number, board in enumerate(truth, start=1):
        rows = re.findall(r'"""\n(.*?)\n"""', blocks[number], re.DOTALL)[0]
        file_board = Board.parse(rows)
        doubtful_squares = [Square.parse(name) for name in re.findall(r'^    "(\w+) is', blocks[number], re.MULTILINE)]
        corrected_board = file_board.with_cells({square: board.get(square) for square in doubtful_squares})
        block = re.sub(r"questions = \[\n.*?\n\]\n", "", blocks[number], flags=re.DOTALL)
        blocks[number] = block.replace(rows, "\n".join(corrected_board.format_rows()))
    path.write_text("[[kingdom]]".join(blocks), encoding="utf-8")


def test_a_filled_in_game_file_scores_like_the_true_board(run: Run, tmp_path: Path) -> None:
    kingdomino_path, wedding_path = tmp_path / "plain.toml", tmp_path / "wedding.toml"
    (board,) = load_truth("demo")
    result = run("score", SAMPLES / "demo.jpg", "--harmony", "--players", "Ann", "--game-file", kingdomino_path)
    message = f"kdvision: {kingdomino_path} was written. Fill it in, then run kdvision game {kingdomino_path}.\n"
    assert (result.code, result.err) == (0, message)
    run("score", SAMPLES / "demo.jpg", "--game", "royal-wedding", "--coins", "1:11", "--game-file", wedding_path)
    assert load_game(wedding_path).is_open(load_game(wedding_path).rounds[0])
    correct_doubtful_squares(kingdomino_path, [board])
    correct_doubtful_squares(wedding_path, [board])
    assert list_game_lines(run, kingdomino_path) == [list_lines(Kingdom(board), make_rule_set(variants=["harmony"]))]
    fill_in(
        wedding_path,
        ('towers = "?"', "towers = 2"),
        ('spare_knights = "?"', "spare_knights = 1"),
        ('queen = "?"', 'knights = ["A1"]\nqueen = true'),  # the file has no line for knights
    )
    truth = Kingdom(board, knights=(Square(0, 0),), spare_knights=1, towers=2, coins=11, queen=True)
    assert list_game_lines(run, wedding_path) == [list_lines(truth, royal_wedding(side=5))]


def test_queendomino_is_scored_from_photo_and_game_file(run: Run, tmp_path: Path) -> None:
    """The photo shows towns, buildings and knights. The test writes the other facts into the file."""
    game_path = tmp_path / "match.toml"
    (board,), sample = load_truth("queendomino"), json.loads((SAMPLES / "queendomino.json").read_text(encoding="utf-8"))
    result = run("score", SAMPLES / "queendomino.jpg", "--players", "Ann", "--game-file", game_path)
    assert result.code == 0 and "Queendomino" in result.out
    correct_doubtful_squares(game_path, [board])
    fill_in(
        game_path,
        ('coins = "?"', "coins = 11"),
        ('towers = "?"', "towers = 2"),
        ('spare_knights = "?"', "spare_knights = 1"),
        ('queen = "?"', "queen = true"),
        ('at = "A2", name = "?"', 'at = "A2", points = 3'),
        ('at = "B2", name = "?"', 'at = "B2", crowns = 1'),
        ('at = "D2", name = "?"', 'at = "D2", per_knight = 1'),
    )
    # a person checks the other squares where a knight may stand, and there is none
    game_path.write_text(game_path.read_text(encoding="utf-8").replace(', "?"]', "]"), encoding="utf-8")
    piece_items = sample["kingdoms"][0]["pieces"].items()
    squares_by_kind = {
        kind: [Square.parse(name) for name, piece_kind in piece_items if piece_kind == kind] for kind in PIECE_KINDS
    }
    buildings = zip(
        squares_by_kind["building"], (Building(points=3), Building(crowns=1), Building(per_knight=1)), strict=True
    )
    truth = Kingdom(
        board,
        buildings=tuple(PlacedBuilding(*pair) for pair in buildings),
        knights=tuple(squares_by_kind["knight"]),
        spare_knights=1,
        towers=2,
        coins=11,
        queen=True,
    )
    assert list_game_lines(run, game_path) == [list_lines(truth, queendomino(side=5))]


def test_a_variant_does_not_replace_the_facts_of_the_game_that_the_photo_shows(run: Run) -> None:
    result = run("score", SAMPLES / "queendomino.jpg", "--age-of-giants", "--giants", "1:", "--json")
    kingdom = json.loads(result.out)["kingdoms"][0]
    assert kingdom["total"] is None
    assert {"coins", "towers", "buildings"} <= {fact["item"] for fact in kingdom["missing"]}


def test_missing_towns_can_be_filled_in(run: Run, photo: Path, readings: list[KingdomReading], tmp_path: Path) -> None:
    game_path = tmp_path / "match.toml"
    readings[:] = map(leave_open, readings)
    result = run(
        "score", photo, "--game", "queendomino", "--size", "5", "--players", "Ann,Bob", "--game-file", game_path
    )
    assert result.code == 0
    assert run("game", game_path).code == 0
    fill_in(
        game_path,
        ("# f f1", "# t t1"),
        ('towns = "?"', "towns = 2"),
        ('coins = "?"', "coins = 7"),
        ('towers = "?"', "towers = 1"),
        ('queen = "?"', "queen = true"),
        ('buildings = "?"', 'buildings = [{ at = "B2", points = 5 }, { at = "C2", per_tower = 1 }]'),
    )
    output = json.loads(run("game", game_path, "--json").out)
    assert [kingdom["complete"] for kingdom in output["rounds"][0]["kingdoms"]] == [True, False]
    assert [fact["item"] for fact in output["rounds"][0]["kingdoms"][1]["missing"]] == [
        *("towns", "coins", "towers", "knights", "spare_knights", "buildings")
    ]
    fill_in(game_path, ('towns = "?"', "towns = 0"), ('coins = "?"', "coins = 2"))
    tiles = (Building(points=5), Building(per_tower=1))
    ann = Kingdom(
        Board.parse("w1 w w / # t t1 / . l l"),
        coins=7,
        towers=1,
        queen=True,
        buildings=tuple(PlacedBuilding(Square(1, 1 + place), tile) for place, tile in enumerate(tiles)),
    )
    assert list_game_lines(run, game_path) == [
        list_lines(ann, queendomino()),
        list_lines(Kingdom(Board.parse(OTHER_BOARD), coins=2), queendomino()),
    ]


def test_the_game_file_lists_doubts_problems_and_missing_facts(
    run: Run, photo: Path, readings: list[KingdomReading], tmp_path: Path
) -> None:
    game_path = tmp_path / "match.toml"
    readings[:] = [
        make_reading(SMALL, doubts=[make_doubt("B2", "f", "f1")]),
        make_reading(OTHER_BOARD, probability=0.6),
    ]
    readings[0] = replace(readings[0], colour="blue", problems=(Problem((), "wolf\udcff.jpg is left out"),))
    readings[1] = replace(readings[1], colour="blue")
    run("score", photo, "--game", "queendomino", "--game-file", game_path)
    text = game_path.read_text(encoding="utf-8")
    first_block, second_block = text.split("[[kingdom]]")[1:]
    assert (
        'questions = [\n    "B2 is f (80 % sure), otherwise f1",\n    "wolf\ufffd.jpg is left out",\n]' in first_block
    )
    assert f"# Read from {photo}, kingdom 1 (blue)." in first_block
    assert "# Towns were not read" in first_block
    assert 'questions = [\n    "this board is 60 % sure: compare it",\n]' in second_block
    assert ('player = "blue"' in first_block, 'player = "blue 2"' in second_block) == (True, True)
    for key in ("towns", "coins", "towers", "spare_knights", "queen"):
        assert re.search(rf'^{key} = "\?"  # \w', first_block, re.MULTILINE)
    readings[:] = [leave_open(make_reading_with_towns("# t g / . t t"))]
    run("score", photo, "--game", "queendomino", "--game-file", tmp_path / "towns.toml")
    text = (tmp_path / "towns.toml").read_text(encoding="utf-8")
    assert "towns" not in re.findall(r"^(\w+) =", text, re.MULTILINE)
    assert 'buildings = "?"  # tiles on B1, B2, C2; as in [{ at = "B1", points = 3 }], [] for none' in text


def test_gems_are_missing_facts_where_they_can_lie(
    run: Run, photo: Path, readings: list[KingdomReading], tmp_path: Path
) -> None:
    game_path = tmp_path / "match.toml"
    readings[:] = map(leave_open, [make_reading("w1 f s2 / l g # / . . m1"), make_reading("# w w")])
    result = run("score", photo, "--lost-treasures", "--game-file", game_path)
    assert "3 or more" in result.out
    assert "? still missing: gems between A1 B2" in result.out
    first_block, second_block = game_path.read_text(encoding="utf-8").split("[[kingdom]]")[1:]
    assert 'gems = "?"  # tokens between A1 B2; as in [{ kind = "ruby", between = "A1 B2", crowns' in first_block
    assert 'gems = "?"  # tokens where four different landscapes meet; none can lie on this board' in second_block
    gem = 'gems = [{ kind = "ruby", between = "A1 B2", crowns = [1, 0, 0, 2] }]'
    fill_in(game_path, ('gems = "?"', gem))
    assert [sum(points for _, points in lines) for lines in list_game_lines(run, game_path)] == [2 + 2 + 2 + 1, 0]


# Ranges


def test_the_table_shows_a_range_and_missing_facts(run: Run, photo: Path, readings: list[KingdomReading]) -> None:
    readings[:] = [
        leave_open(make_reading_with_towns("# t t / w1 w g")),
        replace(make_reading_with_towns(OTHER_BOARD), doubts=(make_doubt("B1", "g", "g1"),)),
    ]
    arguments = ("score", photo, "--game", "queendomino", "--size", "5", "--coins", "1:7", "--queen", "0")
    result = run(*arguments)
    assert re.search(r"total +4 to 48\b", result.out)
    assert (
        "? still missing: towers; knights on the board; knights beside the board; buildings on B1 and C1" in result.out
    )
    assert re.search(r"total +2 to 60\b", result.out)
    assert "? still missing: coins\n" in result.out
    assert "? B1 looks like g (80 % sure); it may be g1: --fix 2:B1=g1" in result.out
    assert "Who wins is not known yet" in result.out
    assert "wins on" not in result.out
    assert run(*arguments, "--strict").code == 6


def test_json_has_a_range_and_no_total_while_open(run: Run, photo: Path, readings: list[KingdomReading]) -> None:
    other_reading = make_reading(OTHER_BOARD, doubts=[make_doubt("B1", "g", "g1")])
    readings[:] = [leave_open(make_reading_with_towns("# t t / w1 w g")), other_reading]
    output = json.loads(run("score", photo, "--game", "queendomino", "--coins", "7", "--json").out)
    ann, bob = output["kingdoms"]
    assert (ann["complete"], ann["least"], ann["total"], ann["points"]) == (False, 4, None, None)
    assert ann["most"] > 4
    assert ann["missing"][-1] == {"item": "buildings", "squares": ["B1", "C1"], "text": "buildings on B1 and C1"}
    assert sum(line["points"] for line in ann["lines"]) == ann["least"]
    assert (bob["least"], bob["most"], bob["points_probability"], bob["alternatives"]) == (0, None, None, [])
    assert {bob["doubts"][0][key] for key in ("points_if", "total_if", "changes_winner")} == {None}
    assert (output["standing"], output["box"], output["ask_first"]["verdict"]) == (None, None, None)
    assert output["outlook"] == "who wins is not known yet"


@pytest.mark.parametrize("size, names_winner", [("5", False), ("7", True)])
def test_no_winner_is_named_while_kingdoms_are_missing(
    size: str, names_winner: bool, run: Run, photo: Path, readings: list[KingdomReading]
) -> None:
    facts = ("--coins", "1:150", "--coins", "2:9", "--towns", "1:0", "--towns", "2:0")  # the Queen stays open
    output = json.loads(run("score", photo, "--game", "queendomino", "--size", size, *facts, "--json").out)
    assert ("wins, whatever is still missing" in output["outlook"]) == names_winner  # with 5, three or more play


def test_facts_given_by_options_complete_the_score(run: Run, photo: Path, readings: list[KingdomReading]) -> None:
    readings.pop()
    options = ("--coins", "11", "--knights", "1:3", "--towers", "1:2", "--queen", "1", "--towns", "1:0")
    kingdom = json.loads(run("score", photo, "--game", "queendomino", *options, "--json").out)["kingdoms"][0]
    truth = Kingdom(Board.parse(SMALL), coins=11, towers=2, spare_knights=3, queen=True)
    assert kingdom["total"] == kingdom["least"] == kingdom["most"] == score(truth, queendomino()).total
    assert (kingdom["complete"], kingdom["missing"]) == (True, [])


def test_a_kingdomino_photo_is_complete(run: Run, photo: Path, readings: list[KingdomReading]) -> None:
    output = json.loads(run("score", photo, "--json").out)
    assert [
        (kingdom["complete"], kingdom["total"], kingdom["least"], kingdom["most"]) for kingdom in output["kingdoms"]
    ] == [(True, 5, 5, 5), (True, 2, 2, 2)]
    assert (output["standing"]["winners"], output["outlook"]) == ([1], None)
    assert json.loads(run("score", photo, "--game", "kingdomino", "--json").out) == output


def test_three_kingdoms_limit_the_side_of_each(run: Run, photo: Path, readings: list[KingdomReading]) -> None:
    wide_reading = make_reading("# w w f f f1")
    sentence = "the kingdom spans 1 by 6 squares, and at most 5 by 5 are allowed"
    for game, count, clause in (
        ("kingdomino", 3, "kingdomino/grid"),
        ("queendomino", 3, "queendomino/grid"),
        ("kingdomino", 2, ""),  # the Mighty Duel
    ):
        readings[:] = [wide_reading, make_reading(OTHER_BOARD, left=400), make_reading(SMALL, left=800)][:count]
        kingdom = json.loads(run("score", photo, "--game", game, "--json").out)["kingdoms"][0]
        clauses = [problem["clause"] for problem in kingdom["problems"] if problem["text"] == sentence]
        assert clauses == ([clause] if clause else [])
        assert kingdom["review"] or not clause
    readings[:] = [wide_reading]
    assert sentence not in run("score", photo, photo).out
    assert f"! {photo} (kingdom 1): {sentence}" in " ".join(run("score", photo, photo, photo).out.split())


def test_the_number_of_kingdoms_in_one_of_several_photos_decides_no_side(
    run: Run, photo: Path, readings: list[KingdomReading]
) -> None:
    readings[0] = make_reading(FIVE)
    sentence = "this kingdom is a full 5 by 5"  # two play Age of Giants to 7 by 7, and four to 5 by 5
    assert sentence in run("score", photo, "--age-of-giants").out
    assert sentence not in run("score", photo, photo, "--age-of-giants").out
    readings[:] = [make_reading("# w w f f f1"), *readings]
    assert "! the kingdom spans 1 by 6 squares, and at most 5 by 5 are allowed" in run("score", photo, photo).out


def test_a_problem_of_the_side_is_no_question_of_the_game_file(
    run: Run, photo: Path, readings: list[KingdomReading], tmp_path: Path
) -> None:
    readings[:] = [make_reading(FIVE), make_reading("# w w f f f f1", left=400)]
    game_path = tmp_path / "my match.toml"
    assert f'then run kdvision game "{game_path}"' in run("score", photo, "--game-file", game_path).err
    assert "full 5 by 5" not in game_path.read_text()
    assert run("game", game_path).out.count("full 5 by 5") == 1


@pytest.mark.parametrize("queen, has_problem", [("4", False), ("0", True)])
def test_the_queen_of_a_kingdom_in_another_photo_is_a_host(
    queen: str, has_problem: bool, run: Run, photo: Path, readings: list[KingdomReading]
) -> None:
    readings[:] = [make_reading_with_towns("# t t / w1 w g"), *readings]
    towers = ("--towers", "1:1", "--towers", "4:2")
    result = run("score", photo, photo, "--game", "queendomino", "--queen", queen, *towers)
    assert ("there are towers, and nobody hosts the Queen" in result.out) == has_problem


def test_pieces_are_counted_over_several_photos(run: Run, photo: Path, readings: list[KingdomReading]) -> None:
    readings[:] = [make_reading("# m3")]
    giants = [word for number in (1, 2, 3) for word in ("--giants", f"{number}:B1,B1,B1")]
    result = run("score", photo, photo, photo, "--age-of-giants", *giants)
    assert result.out.count("! there are 9 giants in the game, and the box has 6") == 1
    assert "giants in the game" not in run("score", photo, photo, "--age-of-giants", *giants[:4]).out


def test_an_open_game_of_several_photos_is_not_ranked(run: Run, photo: Path, readings: list[KingdomReading]) -> None:
    readings.pop()
    result = run("score", photo, photo, "--game", "queendomino", "--coins", "2:9")
    assert result.out.count("Who wins is not known yet: facts are missing.") == 1
    assert "wealth: 9 coins" in result.out


def test_the_overlay_of_an_open_kingdom_shows_the_range(
    run: Run, photo: Path, readings: list[KingdomReading], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kdvision.report import overlay

    labels: list[str] = []

    def draw_label(pen: object, anchor: object, words: str, *options: object) -> None:
        labels.append(words)

    monkeypatch.setattr(overlay, "draw_label", draw_label)
    assert run("score", photo, "--game", "queendomino", "--overlay", tmp_path / "out.png").code == 0
    assert "kingdom 1: 0 or more points ?" in labels


def test_more_than_the_box_holds_is_a_problem(run: Run, photo: Path, readings: list[KingdomReading]) -> None:
    result = run("score", photo, "--game", "queendomino", "--coins", "1:500", "--towers", "2:16", "--knights", "2:23")
    assert result.code == 0
    for sentence in (
        "there are 500 coins in the game, and the box has 174",
        "there are 16 towers in the game, and the box has 15",
        "there are 23 knights in the game, and the box has 22",
    ):
        assert f"! {sentence}" in result.out


# Impossible options


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--coins", "1:11"), 2, "Kingdomino has none: add --game queendomino"),
        (("--queen", "1"), 2, "Kingdomino has none"),
        (("--game", "carcassonne"), 2, "carcassonne"),
        (("--game", "queendomino", "--lost-treasures"), 2, "The Lost Treasures cannot be added to queendomino"),
        (("--game", "royal-wedding", "--quest", "bleak-king"), 2, "--quest bleak-king: Bleak King cannot be added to"),
        (("--game", "queendomino", "--queen", "-1"), 2, "-1 is not in the range 0<=x<=99"),
        (
            ("--game", "queendomino", "--coins", "1=11"),
            5,
            "'1=11' is not a number of coins. Write KINGDOM:COUNT, as in 1:11.",
        ),
        (("--game", "queendomino", "--coins", "0:1"), 5, "'0:1' is not a number of coins"),
        (("--game", "queendomino", "--coins", "1:1", "--coins", "2"), 5, "the coins of kingdom 1 are given twice"),
        (("--game", "queendomino", "--coins", "3:1"), 5, "there is no kingdom 3. Give a number from 1 to 2"),
        (("--game", "queendomino", "--queen", "9"), 5, "there is no kingdom 9"),
    ],
)
def test_impossible_facts_are_refused(
    options: tuple[str, ...],
    code: int,
    message: str,
    run: Run,
    photo: Path,
    readings: list[KingdomReading],
    tmp_path: Path,
) -> None:
    game_path = tmp_path / "match.toml"
    result = run("score", photo, *options, "--game-file", game_path)
    assert (result.code, result.out) == (code, "")
    assert message in " ".join(result.err.replace("│", " ").split())
    assert not game_path.exists()


def test_an_existing_game_file_is_never_overwritten(
    run: Run, photo: Path, readings: list[KingdomReading], tmp_path: Path
) -> None:
    game_path = tmp_path / "match.toml"
    game_path.write_text("mine")
    result = run("score", photo, "--game-file", game_path)
    assert (result.code, result.out, game_path.read_text()) == (2, "", "mine")
    assert run("score", photo, "--game-file", tmp_path / "none" / "match.toml").code == 2
    assert "names a folder; name a file" in " ".join(run("score", photo, "--game-file", tmp_path).err.split())


def test_no_game_file_is_written_if_a_photo_fails(
    run: Run, photo: Path, readings: list[KingdomReading], tmp_path: Path
) -> None:
    floor_photo, game_path = tmp_path / "floor.png", tmp_path / "match.toml"
    floor_photo.write_bytes(png(np.zeros((100, 100, 3), np.uint8)))
    result = run("score", photo, floor_photo, "--game-file", game_path)
    assert (result.code, game_path.exists()) == (7, False)
    assert "match.toml was not written, because " in result.err


def test_no_game_file_is_written_for_too_many_kingdoms(
    run: Run, photo: Path, readings: list[KingdomReading], tmp_path: Path
) -> None:
    game_path = tmp_path / "match.toml"
    result = run("score", photo, photo, photo, "--game-file", game_path)
    assert (result.code, game_path.exists()) == (1, False)
    assert "these kingdoms cannot be one game: Kingdomino with 6 kingdoms; expected at most 4 of them" in result.err


@pytest.mark.parametrize("names, is_over", [("Ann,Bob", True), ("Ann,Bob,Cy", False)])
def test_a_game_file_keeps_that_a_players_kingdom_is_missing(
    names: str, is_over: bool, run: Run, photo: Path, readings: list[KingdomReading], tmp_path: Path
) -> None:
    game_path = tmp_path / "match.toml"
    score_output = run("score", photo, "--players", names, "--game-file", game_path).out
    game_output = run("game", game_path).out
    assert ("Ann wins on points" in score_output) == ("Ann wins on points" in game_output) == is_over
    assert ("2 of 3 kingdoms are entered so far" in game_output) == (not is_over)


def test_strange_names_are_escaped_in_game_files(run: Run, readings: list[KingdomReading], tmp_path: Path) -> None:
    photo, game_path = tmp_path / 'a\nb"""\x07.png', tmp_path / "match.toml"
    photo.write_bytes(png(table_photo().pixels))
    assert run("score", photo, "--players", 'A"n\\n,kingdom 1', "--game-file", game_path).code == 0
    assert [kingdom.player for kingdom in load_game(game_path).rounds[0].kingdoms] == ['A"n\\n', "kingdom 1"]
    other_path = tmp_path / "other.toml"
    assert run("score", photo, "--players", "kingdom 2", "--game-file", other_path).code == 0
    assert [kingdom.player for kingdom in load_game(other_path).rounds[0].kingdoms] == ["kingdom 2", "kingdom 2 2"]
    third_path = tmp_path / "third.toml"
    assert run("score", photo, "--players", "Kingdom 2", "--game-file", third_path).code == 0
    assert [kingdom.player for kingdom in load_game(third_path).rounds[0].kingdoms] == ["Kingdom 2", "kingdom 2 2"]
