"""Asking for the rest: pieces told by options, points as a range, and the game file that is written for filling in."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kdvision import pipeline
from kdvision.game.board import Board, Square
from kdvision.game.kingdom import Kingdom
from kdvision.game.legality import Problem
from kdvision.game.pieces import Building, Built
from kdvision.game.rules import add_variants, kingdomino, queendomino, royal_wedding
from kdvision.game.scoring import score
from kdvision.gamefile.model import load_game
from kdvision.pipeline import KingdomReading
from kdvision.vision.classify.probabilities import KINDS, Reading
from tests.conftest import Run
from tests.kingdoms import SMALL, doubt, eyes_for, filled, lines_of, png, seen, table_photo
from tests.paths import SAMPLES

OTHER = "g1 g / # l"
PIECES = ("knight", "building")


@pytest.fixture
def eyes(monkeypatch: pytest.MonkeyPatch) -> list[KingdomReading]:
    """What every photo shows in this test; a photo whose first pixel is black shows no kingdom."""
    kingdoms = [seen(SMALL), seen(OTHER, left=400)]
    monkeypatch.setattr(pipeline, "read", eyes_for(kingdoms))
    return kingdoms


def with_towns(text: str) -> KingdomReading:
    """The kingdom of a board's notation as networks that know towns would have read it."""
    board = Board.parse(text)
    reading = Reading.of(board, kinds=(*KINDS, "t", "t1", "t2"))
    return replace(seen(text.replace("t", "w")), board=board, reading=reading)


def told_lines(run: Run, path: Path) -> list[list[tuple[str, int]]]:
    """The lines of each kingdom that `kdvision game` prints of a finished game."""
    game = json.loads(run("game", path, "--json").out)
    assert game["complete"]
    kingdoms = game["rounds"][0]["kingdoms"]
    assert all(one["complete"] and one["least"] == one["most"] == one["total"] for one in kingdoms)
    return [[(line["label"], line["points"]) for line in one["lines"]] for one in kingdoms]


# From a photo to the score, by way of the file


def truth_of(name: str) -> list[Board]:
    told = json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    return [Board.parse(kingdom["board"]) for kingdom in told["kingdoms"]]


def compared(path: Path, truth: Sequence[Board]) -> None:
    """Look at every square that the file calls unsure, as a person would, and write what lies there."""
    blocks = path.read_text(encoding="utf-8").split("[[kingdom]]")
    for number, board in enumerate(truth, start=1):
        rows = re.findall(r'"""\n(.*?)\n"""', blocks[number], re.DOTALL)[0]
        read = Board.parse(rows)
        unsure = [Square.parse(name) for name in re.findall(r"# Uncertain: (\w+) is", blocks[number])]
        right = read.with_cells({square: board.get(square) for square in unsure})
        blocks[number] = blocks[number].replace(rows, "\n".join(right.rows()))
    path.write_text("[[kingdom]]".join(blocks), encoding="utf-8")


def test_a_photo_and_a_filled_in_file_are_scored_line_by_line_as_the_truth(run: Run, tmp_path: Path) -> None:
    plain, wedding = tmp_path / "plain.toml", tmp_path / "wedding.toml"
    (board,) = truth_of("demo")
    ran = run("score", SAMPLES / "demo.jpg", "--harmony", "--players", "Ann", "--game-file", plain)
    assert (ran.code, ran.err) == (0, f"kdvision: {plain} was written. Fill it in, then run kdvision game {plain}.\n")
    run("score", SAMPLES / "demo.jpg", "--game", "royal-wedding", "--coins", "1:11", "--game-file", wedding)
    assert load_game(wedding).is_open(load_game(wedding).rounds[0])
    compared(plain, [board])
    compared(wedding, [board])
    assert told_lines(run, plain) == [lines_of(Kingdom(board), add_variants(kingdomino(), ["harmony"]))]
    filled(
        wedding,
        ('towers = "?"', "towers = 2"),
        ('spare_knights = "?"', "spare_knights = 1"),
        ('queen = "?"', 'knights = ["A1"]\nqueen = true'),  # none was seen, and no line stands for that
    )
    truth = Kingdom(board, knights=(Square(0, 0),), spare_knights=1, towers=2, coins=11, queen=True)
    assert told_lines(run, wedding) == [lines_of(truth, royal_wedding(side=5))]


def test_a_game_of_queendomino_is_its_photo_and_what_no_photo_shows(run: Run, tmp_path: Path) -> None:
    """Towns, buildings and knights are seen; what the buildings give, and what lies beside the board, is written in."""
    out = tmp_path / "match.toml"
    (board,), told = truth_of("queendomino"), json.loads((SAMPLES / "queendomino.json").read_text(encoding="utf-8"))
    ran = run("score", SAMPLES / "queendomino.jpg", "--players", "Ann", "--game-file", out)
    assert ran.code == 0 and "Queendomino" in ran.out
    compared(out, [board])
    filled(
        out,
        ('coins = "?"', "coins = 11"),
        ('towers = "?"', "towers = 2"),
        ('spare_knights = "?"', "spare_knights = 1"),
        ('queen = "?"', "queen = true"),
        ('at = "A2", name = "?"', 'at = "A2", points = 3'),
        ('at = "B2", name = "?"', 'at = "B2", crowns = 1'),
        ('at = "D2", name = "?"', 'at = "D2", per_knight = 1'),
    )
    # where a knight may stand too, a person looks: there is none
    out.write_text(out.read_text(encoding="utf-8").replace(', "?"]', "]"), encoding="utf-8")
    there = told["kingdoms"][0]["pieces"].items()
    on = {kind: [Square.parse(name) for name, one in there if one == kind] for kind in PIECES}
    built = zip(on["building"], (Building(points=3), Building(crowns=1), Building(per_knight=1)), strict=True)
    truth = Kingdom(
        board,
        buildings=tuple(Built(*pair) for pair in built),
        knights=tuple(on["knight"]),
        spare_knights=1,
        towers=2,
        coins=11,
        queen=True,
    )
    assert told_lines(run, out) == [lines_of(truth, queendomino(side=5))]


def test_towns_that_the_photo_did_not_show_are_written_in_by_hand(
    run: Run, photo: Path, eyes: list[KingdomReading], tmp_path: Path
) -> None:
    out = tmp_path / "match.toml"
    ran = run("score", photo, "--game", "queendomino", "--size", "5", "--players", "Ann,Bob", "--game-file", out)
    assert ran.code == 0
    assert run("game", out).code == 0
    filled(
        out,
        ("# f f1", "# t t1"),
        ('towns = "?"', "towns = 2"),
        ('coins = "?"', "coins = 7"),
        ('towers = "?"', "towers = 1"),
        ('queen = "?"', "queen = true"),
        ('buildings = "?"', 'buildings = [{ at = "B2", points = 5 }, { at = "C2", per_tower = 1 }]'),
    )
    told = json.loads(run("game", out, "--json").out)
    assert [one["complete"] for one in told["rounds"][0]["kingdoms"]] == [True, False]
    assert [gap["item"] for gap in told["rounds"][0]["kingdoms"][1]["missing"]] == [
        *("towns", "coins", "towers", "knights", "spare_knights", "buildings")
    ]
    filled(out, ('towns = "?"', "towns = 0"), ('coins = "?"', "coins = 2"))
    tiles = (Building(points=5), Building(per_tower=1))
    ann = Kingdom(
        Board.parse("w1 w w / # t t1 / . l l"),
        coins=7,
        towers=1,
        queen=True,
        buildings=tuple(Built(Square(1, 1 + place), tile) for place, tile in enumerate(tiles)),
    )
    assert told_lines(run, out) == [
        lines_of(ann, queendomino()),
        lines_of(Kingdom(Board.parse(OTHER), coins=2), queendomino()),
    ]


def test_the_file_tells_what_is_unsure_odd_and_missing(
    run: Run, photo: Path, eyes: list[KingdomReading], tmp_path: Path
) -> None:
    out = tmp_path / "match.toml"
    eyes[:] = [seen(SMALL, doubts=[doubt("B2", "f", "f1"), doubt("B2", "f", "l")]), seen(OTHER, probability=0.6)]
    eyes[0] = replace(eyes[0], colour="blue", problems=(Problem((Square(0, 0),), "a wolf sits on A1"),))
    eyes[1] = replace(eyes[1], colour="blue", review=True)
    run("score", photo, "--game", "queendomino", "--game-file", out)
    text = out.read_text(encoding="utf-8")
    first, second = text.split("[[kingdom]]")[1:]
    assert "# Uncertain: B2 is f (80 % sure), otherwise l or f1." in first or "otherwise f1 or l." in first
    assert "# Problem: a wolf sits on A1." in first
    assert f"# Read from {photo}, kingdom 1 (blue)." in first
    assert "# Towns were not read" in first
    assert "# Uncertain: this board is 60 % sure." in second
    assert ('player = "blue"' in first, 'player = "blue 2"' in second) == (True, True)
    for key in ("towns", "coins", "towers", "spare_knights", "knights", "queen", "buildings"):
        assert re.search(rf'^{key} = "\?"  # \w', first, re.MULTILINE)
    eyes[:] = [with_towns("# t g / . t t")]
    run("score", photo, "--game", "queendomino", "--game-file", tmp_path / "towns.toml")
    text = (tmp_path / "towns.toml").read_text(encoding="utf-8")
    assert "towns" not in re.findall(r"^(\w+) =", text, re.MULTILINE)
    assert 'buildings = "?"  # tiles on B1, B2, C2; as in [{ at = "B1", points = 3 }], [] for none' in text


def test_gems_are_asked_for_where_they_can_lie(
    run: Run, photo: Path, eyes: list[KingdomReading], tmp_path: Path
) -> None:
    out = tmp_path / "match.toml"
    eyes[:] = [seen("w1 f s2 / l g # / . . m1"), seen("# w w")]
    ran = run("score", photo, "--lost-treasures", "--game-file", out)
    assert "3 or more" in ran.out
    assert "? still missing: gems between A1 B2" in ran.out
    first, second = out.read_text(encoding="utf-8").split("[[kingdom]]")[1:]
    assert 'gems = "?"  # tokens between A1 B2; as in [{ kind = "ruby", between = "A1 B2", crowns' in first
    assert 'gems = "?"  # tokens where four different landscapes meet; none can lie on this board' in second
    gem = 'gems = [{ kind = "ruby", between = "A1 B2", crowns = [1, 0, 0, 2] }]'
    filled(out, ('gems = "?"', gem))
    assert [sum(points for _, points in lines) for lines in told_lines(run, out)] == [2 + 2 + 2 + 1, 0]


# A range until all is told


def test_the_table_gives_a_range_and_says_what_is_missing(run: Run, photo: Path, eyes: list[KingdomReading]) -> None:
    eyes[:] = [with_towns("# t t / w1 w g"), replace(with_towns(OTHER), doubts=(doubt("B1", "g", "g1"),))]
    asked = ("score", photo, "--game", "queendomino", "--size", "5", "--coins", "1:7", "--queen", "0")
    ran = run(*asked)
    assert re.search(r"total +4 to 48\b", ran.out)
    assert "? still missing: towers; knights on the board; knights beside the board; buildings on B1 and C1" in ran.out
    assert re.search(r"total +2 to 60\b", ran.out)
    assert "? still missing: coins\n" in ran.out
    assert "? B1 looks like g (80 % sure); it may be g1: --fix 2:B1=g1" in ran.out
    assert "Who wins is not known until the rest is told" in ran.out
    assert "wins on" not in ran.out
    assert run(*asked, "--strict").code == 6


def test_json_gives_bounds_and_withholds_totals(run: Run, photo: Path, eyes: list[KingdomReading]) -> None:
    eyes[:] = [with_towns("# t t / w1 w g"), seen(OTHER, doubts=[doubt("B1", "g", "g1")])]
    found = json.loads(run("score", photo, "--game", "queendomino", "--coins", "7", "--json").out)
    ann, bob = found["kingdoms"]
    assert (ann["complete"], ann["least"], ann["total"], ann["points"]) == (False, 4, None, None)
    assert ann["most"] > 4
    assert ann["missing"][-1] == {"item": "buildings", "squares": ["B1", "C1"], "text": "buildings on B1 and C1"}
    assert sum(line["points"] for line in ann["lines"]) == ann["least"]
    assert (bob["least"], bob["most"], bob["points_probability"], bob["alternatives"]) == (0, None, None, [])
    assert {bob["doubts"][0][key] for key in ("points_if", "total_if", "changes_winner")} == {None}
    assert (found["standing"], found["box"], found["ask_first"]["verdict"]) == (None, None, None)
    assert found["outlook"] == "who wins is not known until the rest is told"


def test_what_is_told_by_options_makes_it_complete(run: Run, photo: Path, eyes: list[KingdomReading]) -> None:
    eyes.pop()
    options = ("--coins", "11", "--knights", "1:3", "--towers", "1:2", "--queen", "1", "--towns", "1:0")
    found = json.loads(run("score", photo, "--game", "queendomino", *options, "--json").out)["kingdoms"][0]
    truth = Kingdom(Board.parse(SMALL), coins=11, towers=2, spare_knights=3, queen=True)
    assert found["total"] == found["least"] == found["most"] == score(truth, queendomino()).total
    assert (found["complete"], found["missing"]) == (True, [])


def test_plain_photos_are_complete_as_before(run: Run, photo: Path, eyes: list[KingdomReading]) -> None:
    plain = json.loads(run("score", photo, "--json").out)
    assert [(one["complete"], one["total"], one["least"], one["most"]) for one in plain["kingdoms"]] == [
        (True, 5, 5, 5),
        (True, 2, 2, 2),
    ]
    assert (plain["standing"]["winners"], plain["outlook"]) == ([1], None)
    assert json.loads(run("score", photo, "--game", "kingdomino", "--json").out) == plain


def test_photos_of_an_open_game_are_not_ranked_together(run: Run, photo: Path, eyes: list[KingdomReading]) -> None:
    eyes.pop()
    ran = run("score", photo, photo, "--game", "queendomino", "--coins", "2:9")
    assert ran.out.count("Who wins is not known until the rest is told.") == 1
    assert "wealth: 9 coins" in ran.out


def test_a_picture_of_an_open_kingdom_shows_the_range(
    run: Run, photo: Path, eyes: list[KingdomReading], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kdvision.report import overlay

    written: list[str] = []

    def draw_label(pen: object, at: object, words: str, *more: object) -> None:
        written.append(words)

    monkeypatch.setattr(overlay, "draw_label", draw_label)
    assert run("score", photo, "--game", "queendomino", "--overlay", tmp_path / "out.png").code == 0
    assert "kingdom 1: 0 or more points ?" in written


def test_more_than_the_box_holds_is_a_problem(run: Run, photo: Path, eyes: list[KingdomReading]) -> None:
    ran = run("score", photo, "--game", "queendomino", "--coins", "1:500", "--towers", "2:16", "--knights", "2:23")
    assert ran.code == 0
    for sentence in (
        "there are 500 coins in the game, and the box has 174",
        "there are 16 towers in the game, and the box has 15",
        "there are 23 knights in the game, and the box has 22",
    ):
        assert f"! {sentence}" in ran.out


# What is asked wrongly


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        (("--coins", "1:11"), 2, "Kingdomino has none: add --game queendomino"),
        (("--queen", "1"), 2, "Kingdomino has none"),
        (("--game", "carcassonne"), 2, "carcassonne"),
        (("--game", "queendomino", "--lost-treasures"), 2, "The Lost Treasures cannot be added to queendomino"),
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
def test_options_that_cannot_be_meant_are_answered(
    options: tuple[str, ...], code: int, told: str, run: Run, photo: Path, eyes: list[KingdomReading], tmp_path: Path
) -> None:
    out = tmp_path / "match.toml"
    ran = run("score", photo, *options, "--game-file", out)
    assert (ran.code, ran.out) == (code, "")
    assert told in " ".join(ran.err.replace("│", " ").split())
    assert not out.exists()


def test_a_file_that_somebody_has_filled_in_is_never_written_over(
    run: Run, photo: Path, eyes: list[KingdomReading], tmp_path: Path
) -> None:
    out = tmp_path / "match.toml"
    out.write_text("mine")
    ran = run("score", photo, "--game-file", out)
    assert (ran.code, ran.out, out.read_text()) == (2, "", "mine")
    assert run("score", photo, "--game-file", tmp_path / "none" / "match.toml").code == 2


def test_where_a_photo_fails_no_file_is_written(
    run: Run, photo: Path, eyes: list[KingdomReading], tmp_path: Path
) -> None:
    floor, out = tmp_path / "floor.png", tmp_path / "match.toml"
    floor.write_bytes(png(np.zeros((100, 100, 3), np.uint8)))
    ran = run("score", photo, floor, "--game-file", out)
    assert (ran.code, out.exists()) == (7, False)
    assert "match.toml was not written, because " in ran.err


def test_kingdoms_that_are_no_one_game_are_no_file(
    run: Run, photo: Path, eyes: list[KingdomReading], tmp_path: Path
) -> None:
    out = tmp_path / "match.toml"
    ran = run("score", photo, photo, photo, "--game-file", out)
    assert (ran.code, out.exists()) == (1, False)
    assert "these kingdoms cannot be one game: Kingdomino with 6 kingdoms; expected at most 4 of them" in ran.err


def test_photos_with_strange_names_and_players_make_right_files(
    run: Run, eyes: list[KingdomReading], tmp_path: Path
) -> None:
    photo, out = tmp_path / 'a\nb"""\x07.png', tmp_path / "match.toml"
    photo.write_bytes(png(table_photo().pixels))
    assert run("score", photo, "--players", 'A"n\\n,kingdom 1', "--game-file", out).code == 0
    assert [kingdom.player for kingdom in load_game(out).rounds[0].kingdoms] == ['A"n\\n', "kingdom 1"]
    other = tmp_path / "other.toml"
    assert run("score", photo, "--players", "kingdom 2", "--game-file", other).code == 0
    assert [kingdom.player for kingdom in load_game(other).rounds[0].kingdoms] == ["kingdom 2", "kingdom 3"]
