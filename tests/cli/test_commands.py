"""The command line: output, exit codes and files. The tests make readings from notation, without a network."""

import errno
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image

from kdvision import pipeline
from kdvision.errors import ModelError
from kdvision.game.rules import GAMES
from kdvision.pipeline import KingdomReading
from kdvision.vision.detect.outline import KingdomOutline
from kdvision.vision.image.photo import Photo
from tests.conftest import Run
from tests.kingdoms import FIVE, SMALL, make_doubt, make_reader, make_reading, png
from tests.paths import ROOT, SAMPLES


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[KingdomReading]:
    """Return the readings of every photo in this test; a photo whose first pixel is black shows no kingdom."""
    kingdoms = [make_reading(SMALL)]
    monkeypatch.setattr(pipeline, "read", make_reader(kingdoms))
    return kingdoms


SIX_SQUARES = "w1 w w / # f f1"
"""A board with too few squares to decide whether two photos show the same kingdom."""


def write_photo_without_kingdom(folder: Path) -> Path:
    path = folder / "floor.png"
    path.write_bytes(png(np.zeros((100, 100, 3), np.uint8)))
    return path


# Entry points and help


@pytest.mark.parametrize("command", [["cli.py"], ["-m", "kdvision"]])
def test_script_and_module_run_the_same_program(command: list[str]) -> None:
    process = subprocess.run(
        [sys.executable, *command, "type", SMALL], cwd=ROOT, capture_output=True, text=True, encoding="utf-8"
    )
    assert (process.returncode, process.stderr) == (0, "")
    assert process.stdout.startswith("1 kingdom · Kingdomino\n")


def test_help_lists_the_commands_and_exit_codes(run: Run) -> None:
    result = run("--help")
    assert result.code == 0
    assert "8 a model file" in " ".join(result.out.split())
    assert all(command in result.out for command in ("score", "type", "evaluate"))


@pytest.mark.parametrize(("command", "argument"), [("score", "PHOTO..."), ("type", "BOARD...")])
def test_usage_says_that_several_arguments_are_taken(command: str, argument: str, run: Run) -> None:
    assert argument in run(command, "--help").out.splitlines()[0]


HEAVY_PACKAGES = {
    "PIL",
    "cv2",
    "distributed",
    "jinja2",
    "msgspec",
    "multiprocessing",
    "numpy",
    "onnxruntime",
    "rich",
    "scipy",
    "skimage",
}
"""Packages that would make `--help` slow."""


@pytest.mark.parametrize("args", [["--help"], ["score", "--help"], ["batch", "--help"], ["--version"]])
def test_help_imports_no_heavy_package(args: list[str]) -> None:
    code = f"""
import sys
from kdvision.cli import main
try:
    main({args!r})
finally:
    print(*sorted({HEAVY_PACKAGES!r} & set(sys.modules)), file=sys.stderr)
"""
    process = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    assert process.stdout
    assert process.stderr.split() == []


def test_version(run: Run) -> None:
    assert run("--version").out.startswith("kdvision 0.")


# type


def test_type_scores_a_board(run: Run) -> None:
    result = run("type", FIVE, "--harmony", "--json")
    (kingdom,) = json.loads(result.out)["kingdoms"]
    assert (kingdom["points"], kingdom["total"]) == (33, 38)
    assert (result.code, result.err) == (0, "")


def test_type_reads_stdin_and_ranks_several(run: Run) -> None:
    output = json.loads(run("type", "-", SMALL, "--json", stdin=FIVE.replace(" / ", "\n").encode()).out)
    assert [kingdom["points"] for kingdom in output["kingdoms"]] == [33, 5]
    assert output["standing"]["winners"] == [1]


def test_type_takes_corrections(run: Run) -> None:
    output = json.loads(run("type", SMALL, SMALL, "--fix", "2:B2=f1", "--fix", "A1=.", "--json").out)
    assert [kingdom["points"] for kingdom in output["kingdoms"]] == [2, 7]
    assert output["kingdoms"][0]["board"][0] == ". w w"


@pytest.mark.parametrize(("size", "side"), [("5", 5), ("7", 7), (None, 5)])
def test_the_side_is_given_or_taken_from_the_board(size: str | None, side: int, run: Run) -> None:
    result = run("type", SMALL, "--json", *(["--size", size] if size else []))
    assert json.loads(result.out)["kingdoms"][0]["side"] == side


TOWN_BOARD = "t l / # t / . g"
"""A board with towns, which Kingdomino's box lacks."""


@pytest.mark.parametrize(
    ("game", "rules", "side", "lines", "has_problems"),
    [
        ("kingdomino", "Kingdomino", 5, 4, True),
        ("queendomino", "Queendomino", 5, 5, False),
        ("royal-wedding", "Royal Wedding", 5, 5, False),
    ],
)
def test_typed_boards_are_checked_against_the_box_of_their_game(
    game: str, rules: str, side: int, lines: int, has_problems: bool, run: Run
) -> None:
    result = run("type", TOWN_BOARD, "--json", "--game", game)
    (kingdom,) = json.loads(result.out)["kingdoms"]
    assert (kingdom["rules"], kingdom["side"], len(kingdom["lines"])) == (rules, side, lines)
    assert (bool(kingdom["problems"]), kingdom["review"], result.err) == (has_problems, has_problems, "")


@pytest.mark.parametrize(
    ("game", "count", "side"),
    [("queendomino", 2, 7), ("queendomino", 4, 5), ("royal-wedding", 3, 7), ("kingdomino", 3, 5)],
)
def test_the_side_of_typed_boards_follows_from_their_number(game: str, count: int, side: int, run: Run) -> None:
    output = json.loads(run("type", *["# w w"] * count, "--json", "--game", game).out)
    assert [kingdom["side"] for kingdom in output["kingdoms"]] == [side] * count


def test_a_note_says_what_typed_boards_leave_out(run: Run) -> None:
    assert run("type", "# f f").err == ""
    assert run("type", TOWN_BOARD).err.endswith("use --game queendomino or --game royal-wedding.\n")
    result = run("type", TOWN_BOARD, "--game", "queendomino")
    assert "wealth: 0 coins" in result.out
    assert result.err.startswith("kdvision: coins, buildings, knights, towers and the Queen need a game file")
    assert "Kingdom 1 leads on points" in run("type", SMALL, "# f", "# f", "--game", "queendomino").out
    assert run("type", "# t m", "--game", "chess").code == 2


@pytest.mark.parametrize("game", GAMES)
def test_every_game_of_the_rules_can_be_typed(game: str, run: Run) -> None:
    assert run("type", "# w w", "--game", game).code == 0


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["type", "w w1 / l q"], ["row 2, column 2", "'q'"]),
        (["type", "w w1 / l"], ["row 2", "expected 2"]),
        (["type", ""], ["empty"]),
        (["type", SMALL, "--fix", "1:Z9=w1"], ["no square Z9", "A1 to C3"]),
        (["type", SMALL, "--fix", "2:A1=w1"], ["no kingdom 2"]),
        (["type", SMALL, "--fix", "1:A1=x"], ["'x'"]),
        (["type", SMALL, "--fix", "1:A1=w", "--fix", "A1=f"], ["A1 of kingdom 1", "twice"]),
        (["type", SMALL, "--fix", "1:A1"], ["1:C3=w1"]),
        (["type", SMALL, "--fix", "1:11=w"], ["C3"]),
        (["score", "no.jpg", "--fix", "nonsense"], ["nonsense"]),
        (["score", "no.jpg", "--players", "mauve=Ann"], ["'mauve'", "blue, green"]),
        (["score", "no.jpg", "--corners", "1,2 3,4"], ["'1,2 3,4' is no outline", "clockwise"]),
        (["score", "no.jpg", "--corners", "1,1 9,9 9,1 1,9"], ["convex"]),
        (["score", "no.jpg", "--corners", "9x9: 1,1 9,1 9,9 1,9"], ["7 x 7"]),
    ],
)
def test_malformed_text_is_one_line_and_code_5(args: list[str], words: list[str], run: Run) -> None:
    result = run(*args)
    assert (result.code, result.out) == (5, "")
    assert result.err.startswith("kdvision: ")
    assert result.err.count("\n") == 1
    assert all(word in result.err for word in words)


def test_the_total_of_a_board_with_an_unknown_square_is_a_range(run: Run) -> None:
    """The square may also end a bonus, so the text has only lines that are certain."""
    for board, options, lines in (
        (SMALL.replace("w1 w w", "w1 w ?"), [], ["wheat 2 × 1 = 2", "total 4 or more"]),
        ("w w w / w # w1 / ? l l", ["--middle-kingdom"], ["wheat 5 × 1 = 5", "total 5 or more"]),
        ("w w w / w # w1 / l l l", ["--middle-kingdom"], ["Middle Kingdom = 10", "total 15"]),
    ):
        output = "\n".join(
            " ".join(line.split()) for line in run("type", board, *options, "--clauses").out.splitlines()
        )
        assert all(f"{line}\n" in output for line in lines)
        assert ("Middle Kingdom =" in output) == ("total 15" in output)
        assert ("\n5 or more total\n" in output) == ("total 5 or more" in output)


def test_strict_typing_wants_a_board_without_problems(run: Run) -> None:
    assert run("type", SMALL).code == 0
    result = run("type", SMALL, "--strict")
    assert result.code == 6
    assert "total" in result.out
    assert "check kingdom 1" in result.err


# Colours


def run_on_terminal(*, columns: int = 80, **environment: str) -> str:
    """Return what the program prints on a terminal, without its messages."""
    import pty
    import termios

    output = b""
    parent, child = pty.openpty()
    termios.tcsetwinsize(child, (24, columns))
    command = [sys.executable, "cli.py", "type", SMALL]
    base_environment = {
        name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM", "COLUMNS")
    }
    with subprocess.Popen(
        command, cwd=ROOT, stdout=child, stdin=child, env={**base_environment, "TERM": "xterm", **environment}
    ):
        os.close(child)
        while True:
            try:
                chunk = os.read(parent, 65536)
            except OSError:  # Linux raises this at the end of a terminal
                break
            if not chunk:
                break
            output += chunk
    os.close(parent)
    return output.decode()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals of this kind")
def test_colours_are_for_terminals_that_want_them() -> None:
    assert "\x1b[" in run_on_terminal()
    assert "\x1b" not in run_on_terminal(NO_COLOR="1")
    assert "\x1b" not in run_on_terminal(TERM="dumb")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals of this kind")
def test_lines_keep_to_the_width_of_the_terminal() -> None:
    wide_lines, narrow_lines = (run_on_terminal(columns=columns, NO_COLOR="1").splitlines() for columns in (150, 50))
    assert max(map(len, narrow_lines)) <= 50 < max(map(len, wide_lines))


# score


def test_score_prints_a_table(run: Run, photo: Path, readings: list[KingdomReading]) -> None:
    result = run("score", photo)
    assert (result.code, result.err) == (0, "")
    assert "w1  w   w" in result.out
    assert "\x1b" not in result.out


def test_score_prints_one_object_per_photo(
    run: Run, photo: Path, tmp_path: Path, readings: list[KingdomReading]
) -> None:
    result = run("score", photo, write_photo_without_kingdom(tmp_path), tmp_path / "no.jpg", photo, "--json")
    rows = [json.loads(line) for line in result.out.splitlines()]
    assert [len(row["kingdoms"]) for row in rows] == [1, 0, 0, 1]
    assert [row["error"] is None for row in rows] == [True, False, False, True]
    assert rows[0]["photo"] == str(photo)
    assert (rows[0]["width"], rows[0]["height"]) == (640, 480)
    assert result.code == 7
    assert result.err.count("\n") == 2


def test_other_photos_are_scored_after_a_failure(
    run: Run, photo: Path, tmp_path: Path, readings: list[KingdomReading]
) -> None:
    result = run("score", tmp_path / "no.jpg", photo)
    assert result.code == 7
    assert "there is no file" in result.err
    assert "w1  w   w" in result.out


def test_nobody_wins_while_a_photo_of_the_game_has_failed(
    run: Run, photo: Path, tmp_path: Path, readings: list[KingdomReading]
) -> None:
    other_photo, floor_photo = shutil.copy(photo, tmp_path / "ben.png"), write_photo_without_kingdom(tmp_path)
    result = run("score", photo, floor_photo, other_photo)
    assert (result.code, "share the lead" in result.out, "victory" in result.out) == (7, True, False)
    assert f"! Nobody wins yet: {floor_photo} failed, so a kingdom may be missing." in result.out


def test_several_photos_are_ranked_as_one_game(
    run: Run, photo: Path, tmp_path: Path, readings: list[KingdomReading]
) -> None:
    other_photo = shutil.copy(photo, tmp_path / "ben.png")
    output = run("score", photo, other_photo).out
    assert "share the lead" in output and "ben.png show the same kingdom: leave one of them out" in " ".join(
        output.split()
    )
    readings[:] = [make_reading(SIX_SQUARES)]
    assert "share the victory" in run("score", photo, other_photo).out
    output = run("score", *[photo] * 7).out
    assert "victory" not in output and " ! 7 kingdoms are too many for one game" in output
    assert "The leader of a photo has won if that photo shows the whole game." in output


def test_a_photo_names_no_winner_while_others_may_show_more_of_the_game(
    run: Run, photo: Path, readings: list[KingdomReading]
) -> None:
    doubt = make_doubt("A1", "w1", "l1", 0.9)
    readings[:] = [make_reading(SIX_SQUARES, doubts=[doubt]), make_reading("w1 w w w / # . . .", left=300)]
    assert re.findall("wins|leads|victory", run("score", photo, photo).out) == ["leads"] * 6 + ["victory", "wins"]
    photo_objects = run("score", photo, photo, "--json").out
    assert photo_objects == run("score", photo, "--json").out * 2


@pytest.mark.parametrize("source", ["path", "stdin"])
def test_stdin_is_a_photo_like_any_other(source: str, run: Run, photo: Path, readings: list[KingdomReading]) -> None:
    result = (
        run("score", photo, "--json") if source == "path" else run("score", "-", "--json", stdin=photo.read_bytes())
    )
    assert json.loads(result.out)["kingdoms"][0]["points"] == 5
    assert json.loads(result.out)["photo"] == (str(photo) if source == "path" else "-")


def test_options_are_passed_to_the_pipeline(run: Run, photo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    received_options: dict[str, Any] = {}

    def read(photo: Photo, **options: Any) -> list[KingdomReading]:
        received_options.update(options)
        return [make_reading(SMALL)]

    monkeypatch.setattr(pipeline, "read", read)
    run("score", photo, "--size", "7", "--fix", "2:C3=w1", "--fix", "A1=.", "--corners", "5x4: 1,2 9,2 9,8 1,8")
    outline = KingdomOutline(((1, 2), (9, 2), (9, 8), (1, 8)), rows=5, cols=4)
    fixed_squares = {(1, (2, 2)): "w1", (0, (0, 0)): "."}
    assert received_options == {"side": 7, "fixed_squares": fixed_squares, "corners": [outline], "game": "auto"}


def test_players_have_names_by_order_or_colour(run: Run, photo: Path, readings: list[KingdomReading]) -> None:
    readings[:] = [
        replace(make_reading(SMALL, place="left"), colour="pink"),
        make_reading(FIVE, place="right", left=300),
    ]
    result = run("score", photo, "--players", "Ann,Bob", "--json")
    assert [k["player"] for k in json.loads(result.out)["kingdoms"]] == ["Ann", "Bob"]
    assert "Bob wins on points, 33 to 5" in run("score", photo, "--players", "Ann,Bob").out
    result = run("score", photo, "--players", "pink=Ann,blue=Bob")
    assert "Ann: kingdom 1 (pink)" in result.out
    assert (result.code, result.err.count("\n")) == (0, 1)
    assert "no kingdom was seen to be blue (Bob)" in result.err
    for players, code in (("Ann,Bob", 0), ("Ann,Bob,Cy", 6), ("pink=Ann,blue=Bob", 6)):
        assert run("score", photo, "--players", players, "--strict").code == code


def test_the_leader_does_not_win_while_a_named_player_has_no_kingdom(
    run: Run, photo: Path, readings: list[KingdomReading]
) -> None:
    doubt = make_doubt("A1", "w1", "l1", 0.9)
    readings[:] = [make_reading(SIX_SQUARES, doubts=[doubt]), make_reading("w1 w w w / # . . .", left=300)]
    for players, word in (("Ann,Bob", "wins"), ("Ann,Bob,Cy", "leads"), ("blue=Ann,pink=Bob,green=Cy", "leads")):
        output = run("score", photo, "--players", players).out
        assert re.findall(r" (wins|leads) on points", output) == [word] * 3, "the standing, and the doubt twice"
    for players, verdict in (("Ann,Bob,Cy,Di", "victory"), ("Ann,Bob,Cy,Di,Ed", "lead")):
        assert f"Ann and Cy share the {verdict}" in run("score", photo, photo, "--players", players).out


@pytest.mark.clause("kingdomino/mighty-duel")
def test_more_players_than_the_rules_allow_are_reported(run: Run, photo: Path, readings: list[KingdomReading]) -> None:
    readings[:] = [make_reading(SIX_SQUARES)]
    for size, code in (("5", 0), ("7", 6)):
        result = run("score", *[photo] * 3, "--players", "Ann,Bob,Cy", "--size", size, "--strict")
        assert (result.code, result.err.count("\n")) == (code, code == 6)
    sentence = "3 players are named, and Kingdomino, Mighty Duel is played with at most 2: check --players and --size"
    assert result.err == f"kdvision: {sentence}.\n"
    assert sentence in run("score", photo, photo, "--players", "Ann,Bob,Cy", "--size", "7").err
    names = ["--players", "Ann,Bob,Cy,Di,Ed", "--game", "royal-wedding"]
    assert run("score", *[photo] * 3, *names).err.count("\n") == 1, "the number of kingdoms may still change the side"


def test_two_kingdoms_of_one_colour_get_different_names(run: Run, photo: Path, readings: list[KingdomReading]) -> None:
    """With several photos, the colour does not decide which kingdom is Ann's."""
    readings[:] = [replace(make_reading(SIX_SQUARES), colour="blue")]
    other_photo = shutil.copy(photo, photo.with_name("other.png"))
    result = run("score", photo, other_photo, "--players", "blue=Ann", "--strict")
    verdict = f"Ann ({photo}) and Ann ({other_photo}) share the victory"
    assert "".join(verdict.split()) in "".join(result.out.split())
    assert (result.code, result.err.count("\n")) == (6, 1)
    assert "several kingdoms were seen to be blue (Ann): name players in the order of the kingdoms" in result.err
    assert run("score", *[photo] * 7, "--players", "blue=Ann").err == "", "too many kingdoms for one game"


def test_a_player_named_like_a_colour_gets_a_different_name(
    run: Run, photo: Path, readings: list[KingdomReading]
) -> None:
    readings[:] = [
        make_reading(FIVE, place="left"),
        replace(make_reading(SMALL, left=400, place="right"), colour="pink"),
    ]
    assert "Pink (left) wins on points, 33 to 5" in run("score", photo, "--players", "pink").out


def test_the_order_of_players_continues_over_photos(run: Run, photo: Path, readings: list[KingdomReading]) -> None:
    readings[:] = [make_reading(SIX_SQUARES)]
    output = run("score", photo, photo, "--players", "Ann,Bob").out
    assert "Ann and Bob share the victory" in output


def test_after_a_failed_photo_the_order_of_players_is_not_used(
    run: Run, photo: Path, readings: list[KingdomReading]
) -> None:
    result = run("score", write_photo_without_kingdom(photo.parent), photo, "--players", "Ann,Bob")
    assert result.code == 7
    assert "Ann" not in result.out and "Bob" not in result.out
    assert "floor.png failed" in result.err


def test_a_total_that_differs_in_the_whole_game_is_explained(
    run: Run, photo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One kingdom is wider than five squares, so the game's side is 7 and the other kingdom earns no Harmony."""
    other_photo = photo.parent / "seven.png"
    other_photo.write_bytes(photo.read_bytes())
    readings_by_name = {photo.name: make_reading(FIVE), other_photo.name: make_reading("w w w w w w / # w w w w w")}
    monkeypatch.setattr(pipeline, "read", lambda picture, **_: [readings_by_name[Path(picture.name).name]])
    result = run("score", photo, other_photo, "--harmony")
    assert "has 33 points in this game and 38 above" in " ".join(result.out.split())


def test_strict_exits_with_6_if_a_kingdom_needs_review(run: Run, photo: Path, readings: list[KingdomReading]) -> None:
    assert run("score", photo, "--strict").code == 0
    readings[:] = [make_reading(SMALL, doubts=[make_doubt("B2", "f", "f1")])]
    result = run("score", photo, "--strict")
    assert result.code == 6
    assert "check kingdom 1 (B2)" in result.err
    assert run("score", photo).code == 0


@pytest.mark.parametrize(
    ("boards", "problem"),
    [
        (["w m3 # / . . .", "# . . / w m3 ."], "More than the box has: domino 48 (m3 w) lies in kingdoms 1 and 2"),
        (["# w w w w w w", "# f f", "# l l"], "the kingdom spans 1 by 7 squares, and at most 5 by 5 are allowed"),
        (["# w w w w / . . . f f"] * 2, "show the same kingdom: leave one of them out"),
    ],
)
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_strict_exits_with_6_for_problems_of_all_photos_together(
    boards: list[str], problem: str, options: list[str], run: Run, photo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    photo_readings = iter([[make_reading(board)] for board in boards])
    monkeypatch.setattr(pipeline, "read", lambda *_, **__: next(photo_readings))
    result = run("score", *[photo] * len(boards), "--strict", *options)
    assert (result.code, result.err.count("\n")) == (6, 1)
    assert result.err.endswith(f"{problem}.\n")
    assert result.out.count("! ") == (0 if options else 1)


# Bad photos: one line, the code of the class, nothing written.


def write_bad_photos(folder: Path) -> dict[str, Path]:
    """Write a file for each kind of bad photo, and return the paths by name."""
    intact_photo = folder / "whole.jpg"
    Image.effect_noise((300, 200), 80).convert("RGB").save(intact_photo)
    content_by_name = {
        "text.jpg": b"w w1 / l #\n" * 40,
        "short.jpg": intact_photo.read_bytes()[:5000],
        "empty.jpg": b"",
    }
    for name, content in content_by_name.items():
        (folder / name).write_bytes(content)
    Image.new("RGB", (1, 1)).save(folder / "dot.png")
    (folder / "folder").mkdir()
    return {name: folder / name for name in (*content_by_name, "dot.png", "folder", "missing.jpg")}


@pytest.mark.parametrize("name", ["text.jpg", "short.jpg", "empty.jpg", "dot.png", "folder", "missing.jpg"])
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_bad_photo_is_one_line_and_code_3(name: str, options: list[str], run: Run, tmp_path: Path) -> None:
    overlay_path = tmp_path / "out.png"
    path = write_bad_photos(tmp_path)[name]
    files = sorted(tmp_path.rglob("*"))
    result = run("score", path, "--overlay", overlay_path, *options)
    assert result.code == 3
    assert result.err.startswith(f"kdvision: {'there is no file ' if name == 'missing.jpg' else ''}{path}")
    assert result.err.count("\n") == 1
    assert result.err.count(". ") >= 1, "what is wrong, then what to do"
    assert sorted(tmp_path.rglob("*")) == files
    if options:
        assert json.loads(result.out)["error"]
    else:
        assert result.out == ""


def test_an_empty_name_is_no_photo(run: Run) -> None:
    """A script passes one if a variable is not set."""
    for command in (["score"], ["look", "-o", "out"]):
        result = run(*command, "")
        assert (result.code, result.err) == (3, "kdvision: the name of the photo is empty. Name a file.\n")


@pytest.mark.parametrize(
    "command",
    [
        ("look", "a.jpg", "-o", ""),
        ("batch", "", "-o", "out"),
        ("batch", ".", "-o", ""),
        ("batch", ".", "-o", "out", "--event", ""),
        ("review", ""),
    ],
)
def test_an_empty_path_is_wrong_usage(run: Run, command: tuple[str, ...]) -> None:
    """It would mean the current folder."""
    result = run(*command)
    assert (result.code, result.out) == (2, "")
    assert "the name is empty" in result.err


def test_bad_bytes_on_stdin_fail_the_same(run: Run) -> None:
    result = run("score", "-", stdin=b"no photo")
    assert (result.code, result.out) == (3, "")
    assert "the photo on stdin is no picture" in result.err
    assert run("score", "-").code == 3


def test_a_photo_without_a_kingdom_is_code_4(run: Run, tmp_path: Path, readings: list[KingdomReading]) -> None:
    result = run("score", write_photo_without_kingdom(tmp_path), "--overlay", tmp_path / "out.png")
    assert (result.code, result.out) == (4, "")
    assert "shows no kingdom. Take it from above." in result.err
    assert not (tmp_path / "out.png").exists()


def test_a_missing_model_ends_the_run_with_8(run: Run, photo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(photo: Photo, **_: Any) -> list[KingdomReading]:
        raise ModelError("the model detector.onnx is missing", hint="run make model")

    monkeypatch.setattr(pipeline, "read", read)
    result = run("score", photo, photo)
    assert (result.code, result.out) == (8, "")
    assert result.err.count("\n") == 1


# Overlays


@pytest.mark.parametrize("name", ["out.png", "out.jpg", "out.JPEG", "out.webp"])
def test_the_overlay_is_written_in_the_photos_size(
    name: str, run: Run, photo: Path, readings: list[KingdomReading]
) -> None:
    overlay_path = photo.parent / name
    assert run("score", photo, "--overlay", overlay_path).code == 0
    with Image.open(overlay_path) as overlay:
        assert overlay.size == (640, 480)
    assert sorted(path.name for path in photo.parent.iterdir()) == sorted([name, "table.png"])


def test_an_overlay_replaces_an_older_one(run: Run, photo: Path, readings: list[KingdomReading]) -> None:
    overlay_path = photo.parent / "out.png"
    overlay_path.write_text("old")
    assert run("score", photo, "--overlay", overlay_path).code == 0
    with Image.open(overlay_path) as overlay:
        assert overlay.format == "PNG"


def test_overlays_of_several_photos_go_into_a_folder(run: Run, photo: Path, readings: list[KingdomReading]) -> None:
    folder, other_folder = photo.parent / "out", photo.parent / "more"
    folder.mkdir()
    other_folder.mkdir()
    photo_copy = shutil.copy(photo, other_folder)
    assert run("score", photo, photo_copy, write_photo_without_kingdom(photo.parent), "--overlay", folder).code == 7
    assert sorted(path.name for path in folder.iterdir()) == ["table 2-score.jpg", "table-score.jpg"]


def test_every_photo_has_an_overlay_of_its_own(run: Run, photo: Path, readings: list[KingdomReading]) -> None:
    folder = photo.parent / "out"
    folder.mkdir()
    jpeg_copy, numbered_copy = (shutil.copy(photo, photo.with_name(name)) for name in ("table.jpg", "table 2.png"))
    assert run("score", numbered_copy, photo, jpeg_copy, "--overlay", folder).code == 0
    assert len(list(folder.iterdir())) == 3


@pytest.mark.parametrize("overlay_name", ["a\x1b-score.jpg", ""], ids=["a file", "a folder"])
def test_an_overlay_never_overwrites_a_photo(
    overlay_name: str, run: Run, photo: Path, readings: list[KingdomReading], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        pipeline, "read_views", lambda photos, **options: pipeline.read(photos[0], game=options["game"])
    )
    first_photo, other_photo = (
        Path(shutil.copy(photo, photo.with_name(name))) for name in ("a\x1b.png", "a\x1b-score.jpg")
    )
    result = run(
        "score",
        *(["--same"] if overlay_name else []),
        first_photo,
        other_photo,
        "--overlay",
        photo.parent / overlay_name,
    )
    assert (result.code, other_photo.read_bytes()) == (2, photo.read_bytes())
    assert "a\ufffd-score.jpg is one of the photos" in " ".join(result.err.split())


@pytest.mark.parametrize(
    ("overlay_name", "photo_count", "words"),
    [
        ("out.png", 2, "need a folder"),
        ("", 1, "the name is empty; name a file, or a folder such as ./"),
        ("", 2, "the name is empty; name a file, or a folder such as ./"),
        ("out.gif", 1, "must end in"),
        ("out", 1, "must end in"),
        ("nowhere/out.png", 1, "there is no folder"),
        ("nowhere/", 2, "there is no folder"),
        ("x" * 300 + "/", 1, "there is no folder"),
        ("table.png", 1, "is one of the photos"),
    ],
)
def test_an_impossible_overlay_is_wrong_usage(
    overlay_name: str, photo_count: int, words: str, run: Run, photo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(photo.parent)
    photo_bytes = photo.read_bytes()
    result = run("score", *[photo] * photo_count, "--overlay", overlay_name)
    assert (result.code, result.out) == (2, "")
    assert words in " ".join(result.err.replace("│", "").split())
    assert [path.name for path in photo.parent.iterdir()] == ["table.png"]
    assert photo.read_bytes() == photo_bytes


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_an_overlay_in_a_read_only_folder_is_an_ordinary_error(
    run: Run, photo: Path, readings: list[KingdomReading]
) -> None:
    folder = photo.parent / "out"
    folder.mkdir(mode=0o500)
    result = run("score", photo, "--overlay", folder / "out.png")
    assert result.code == 1
    assert "cannot be written" in result.err
    assert list(folder.iterdir()) == []


def test_an_overlay_on_a_read_only_disk_is_an_ordinary_error(
    run: Run, photo: Path, readings: list[KingdomReading], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(os, "fsync", fail)
    result = run("score", photo, "--overlay", photo.parent / "out.png")
    assert result.code == 1
    assert result.err.startswith("kdvision: ") and result.err.count("\n") == 1
    assert result.err.endswith(
        "cannot be written: Read-only file system. Choose a folder that exists and that you may write to.\n"
    )


def test_an_overlay_that_cannot_be_written_leaves_the_old_one(
    run: Run, photo: Path, readings: list[KingdomReading], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    overlay_path = photo.parent / "out.png"
    overlay_path.write_text("old")
    monkeypatch.setattr(Path, "replace", fail)
    result = run("score", photo, "--overlay", overlay_path)
    assert result.code == 1
    assert "No space left on device" in result.err
    assert overlay_path.read_text() == "old"
    assert len(list(photo.parent.iterdir())) == 2


# Several photos of one kingdom


def test_photos_of_the_same_kingdom_are_combined(
    run: Run, photo: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    photo_lists: list[list[Any]] = []

    def read_same(photos: Sequence[Any], **_: Any) -> Sequence[KingdomReading]:
        photo_lists.append(list(photos))
        return [make_reading(SMALL)]

    monkeypatch.setattr(pipeline, "read_views", read_same)
    result = run("score", "--same", photo, "left.jpg", "right.jpg", "--json", "--fix", "A1=w1", "--overlay", tmp_path)
    assert (result.code, result.err) == (0, "")
    assert [str(getattr(view, "name", view)) for view in photo_lists[0]] == [str(photo), "left.jpg", "right.jpg"]
    assert json.loads(result.out)["photo"] == str(photo)
    assert [path.name for path in tmp_path.glob("*-score.jpg")] == ["table-score.jpg"]


def test_failed_views_are_listed_and_the_code_is_7(run: Run, tmp_path: Path) -> None:
    samples = SAMPLES
    demo, missing_photo = samples / "demo.jpg", tmp_path / "none.jpg"
    result = run("score", "--same", demo, missing_photo, samples / "no-kingdom.jpg", "--json", "--strict")
    (row,) = map(json.loads, result.out.splitlines())
    assert (result.code, result.err.count("\n"), row["error"], len(row["kingdoms"])) == (7, 2, None, 1)
    assert [failure["photo"] for failure in row["failed"]] == [str(missing_photo), str(samples / "no-kingdom.jpg")]
    assert row["failed"][0]["error"].startswith("there is no file") and all(
        failure["hint"] for failure in row["failed"]
    )
    result = run("score", "--same", demo, missing_photo)
    assert result.code == 7 and "there is no file" in result.err and "total" in result.out
    result = run("score", "--same", missing_photo, demo)
    assert result.code == 3 and "put another one first" in result.err


def test_same_needs_two_photos(run: Run) -> None:
    result = run("score", "--same", "a.jpg")
    assert result.code == 2
    assert "--same" in result.err


# Wrong usage


@pytest.mark.parametrize(
    "args",
    [["score"], ["type"], ["score", "a", "--size", "6"], ["play"], ["score", "a", "b", "--fix", "A1=w"],
     ["evaluate", ".", "--csv", "."], ["evaluate", ".", "--csv", ""], ["evaluate", ".", "--csv", "new/"],
     ["evaluate", ".", "--csv", "a.json"], ["evaluate", ".", "--csv", "a.JPG"], ["type", "w", "w1", "/", "#", "w"],
     ["type", "#", "w1", "w"],
     ["score", "a", "--game-file", ""], ["score", "a", "--game-file", "new/"],
     ["score", "-", "-"], ["score", "--same", "-", "a", "-"], ["type", "-", "-"]],
)  # fmt: skip
def test_wrong_usage_is_code_2(args: list[str], run: Run) -> None:
    result = run(*args)
    assert (result.code, result.out) == (2, "")
    assert "Usage" in result.err


@pytest.mark.clause("lost-treasures/crowns")
def test_type_takes_gems(run: Run) -> None:
    gems = [
        "--gem",
        "1: kind = 'Ruby', between = 'A1 B2', crowns = [2, 0, 0, 0]",
        "--gem",
        "2:kind='joker',between='A1 B2'",
    ]
    result = run("type", "w f / l g", "w f / l g", *gems, "--json")
    ruby, joker = json.loads(result.out)["kingdoms"]
    assert (ruby["rules"], ruby["total"]) == ("Kingdomino, The Lost Treasures", 2)
    assert "the joker has one crown and no skull" in [problem["text"] for problem in joker["problems"]]


@pytest.mark.parametrize(
    "gem, code, message",
    [
        ("2: kind = 'ruby', between = 'A1 B2'", 5, "there is no kingdom 2. The only number is 1"),
        ("kind = 'ruby', between = 'A1'", 5, "--gem, gem, between: a gem lies between squares"),
        ("ruby A1 B2", 5, "--gem, line 1: no TOML"),
    ],
)
def test_a_gem_that_is_none_is_an_error(gem: str, code: int, message: str, run: Run) -> None:
    result = run("type", "w f / l g", "--gem", gem)
    assert (result.code, message in result.err) == (code, True)


def test_gems_belong_to_kingdomino(run: Run) -> None:
    result = run("type", "w f / l g", "--gem", "kind = 'ruby', between = 'A1 B2'", "--game", "queendomino")
    assert result.code == 2
    assert "--gem: The Lost Treasures cannot be added to queendomino" in " ".join(result.err.split())


def test_one_point_is_no_points(run: Run) -> None:
    output = run("type", "w1 #", "w #").out
    assert " 1 point " in output
    assert " 0 points" in output


@pytest.mark.parametrize("square", ["E4", "D3"])
def test_a_correction_that_moves_the_castle_asks_for_a_review(square: str, run: Run) -> None:
    """The photo shows the castle on E3."""
    result = run("score", SAMPLES / "demo.jpg", "--fix", f"1:{square}=#", "--strict", "--json")
    (kingdom,) = json.loads(result.out)["kingdoms"]
    assert (result.code, "".join(kingdom["board"]).count("#")) == (6, 1)


def test_a_correction_that_renames_the_squares_says_so(run: Run, tmp_path: Path) -> None:
    """The photo lacks the first row of the demo. The other half of a mine on E1 can only lie in that row."""
    (truth,) = json.loads((SAMPLES / "demo.json").read_text("utf-8"))["kingdoms"]
    corners = np.array(truth["corners_tl_tr_br_bl_px"], float)
    lower_corners = corners[:2] + (corners[[3, 2]] - corners[:2]) / len(truth["board"])
    pixels = np.array(Photo.open(SAMPLES / "demo.jpg").pixels)
    table_colour = np.median(pixels[:40, :40].reshape(-1, 3), axis=0).tolist()
    outline = np.rint(np.add([*corners[:2], *lower_corners[::-1]], [(-3, -3), (3, -3), (3, 0), (-3, 0)])).astype(
        np.int32
    )
    cv2.fillPoly(pixels, [outline], table_colour)
    path = tmp_path / "photo.png"
    path.write_bytes(png(pixels))
    for command in (["score"], ["fits", "w f"]):
        for fix, is_renamed in (("1:A1=g", False), ("1:E1=m", True)):
            result = run(*command, path, "--fix", fix, "--json")
            assert ("kingdom 1, so its squares have new names" in result.err) == is_renamed
            assert [kingdom["renamed"] for kingdom in json.loads(result.out)["kingdoms"]] == [is_renamed]
    sentence = "the squares that were given for its pieces have new names"
    for squares, fix, is_reported in (("D2", "E1=m", True), ("", "E1=m", False), ("D2", "A1=g", False)):
        result = run("score", path, "--giants", f"1:{squares}", "--fix", fix, "--json")
        (kingdom,) = json.loads(result.out)["kingdoms"]
        assert any(sentence in problem["text"] for problem in kingdom["problems"]) == is_reported
