"""`kdvision fits`: places of a domino, from a board and from a photo."""

import json
from pathlib import Path

import pytest

from kdvision import pipeline
from kdvision.errors import ExitCode
from tests.conftest import Run
from tests.kingdoms import make_doubt, make_reader, make_reading
from tests.paths import ROOT

FULL_BOARD = "w w w w w / w w w w w / w w # w w / w w w w . / w w w w ."


def test_places_are_listed_with_the_clause(run: Run) -> None:
    result = run("fits", "l w1", FULL_BOARD)
    assert (result.code, result.err) == (0, "")
    assert "l w1 fits in 2 places within 5 by 5 squares: it may not be discarded." in result.out
    assert "l on E4, w1 on E5  beside D5 (wheat)" in result.out
    assert "kingdomino/must-lay (Kingdomino, Connection rules, ruling)" in result.out


def test_a_domino_that_fits_nowhere_must_be_discarded(run: Run) -> None:
    result = run("fits", "l f", FULL_BOARD)
    assert result.code == 0
    assert "l f fits nowhere within 5 by 5 squares: it must be discarded." in result.out
    assert "kingdomino/discard (Kingdomino" in result.out


def test_a_wider_game_is_named_unless_the_side_is_given(run: Run) -> None:
    full_board = FULL_BOARD.replace(".", "w")
    assert "in a game of 7 by 7 squares it fits in" in run("fits", "l w1", full_board).out
    assert "7 by 7" not in run("fits", "l w1", full_board, "--size", "5").out
    assert "fits in" in run("fits", "l w1", full_board, "--size", "7").out


@pytest.mark.parametrize(
    "size, other_board, is_named", [(None, "# g g", True), ("7", "# g g", False), (None, "# g g g g g", False)]
)
def test_a_narrower_game_is_named_unless_side_or_boards_decide(
    size: str | None, other_board: str, is_named: bool, run: Run, photo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two play Queendomino to 7 by 7, but more may play than the photo shows."""
    readings = [make_reading(FULL_BOARD.replace(".", "w")), make_reading(other_board, left=400)]
    monkeypatch.setattr(pipeline, "read", make_reader(readings))
    output = run("fits", "l w1", photo, "--game", "queendomino", *(["--size", size] if size else [])).out
    assert output.count("within 7 by 7 squares: it may not be discarded") >= 1
    assert ("? in a game of 5 by 5 squares it fits nowhere" in output) == is_named


def test_places_beyond_the_frame_are_described(run: Run) -> None:
    output = run("fits", "w w", "# f").out
    assert "w above A1, w 2 above A1" not in output  # equal halves: each pair of squares is listed once
    assert "w 2 above A1, w above A1" in output
    assert "w left of A1, w above and left of A1" not in output


def test_json_has_every_place(run: Run) -> None:
    output = json.loads(run("fits", "w f1", "w . . / # l l", "--json", "--size", "5").out)
    assert (output["domino"], output["photo"], output["game"]) == (["w", "f1"], None, "kingdomino")
    (kingdom,) = output["kingdoms"]
    assert (kingdom["fits"], kingdom["clause"], kingdom["side"]) == (True, "kingdomino/must-lay", 5)
    place = next(placement for placement in kingdom["placements"] if placement["first"] == [0, 1])
    assert place == {"first": [0, 1], "second": [-1, 1], "joints": ["A1"], "text": "w on B1, f1 above B1"}


def test_an_unknown_square_leaves_the_answer_open(run: Run) -> None:
    board = "w w w w w / w w w w w / w w # w w / w w w w . / w w w ? ."
    (kingdom,) = json.loads(run("fits", "l f", board, "--json").out)["kingdoms"]
    assert kingdom["fits"] is None
    (doubt,) = kingdom["doubts"]
    assert doubt["square"] == "D5"
    output = run("fits", "l f", board).out
    assert "l f fits within 5 by 5 squares only if an unknown square is free or shows its terrain." in output
    assert "l on E5, f on E4  on or beside an unknown square" in output
    sentence = "w f fits in 1 place within 5 by 5 squares, and 2 more if an unknown square is free or shows its terrain"
    assert sentence in " ".join(run("fits", "w f", board).out.split())
    assert run("fits", "l f", board, "--fix", "D5=l", "--json").out.count('"fits": true') == 1


def test_an_unknown_square_may_be_free(run: Run) -> None:
    board = FULL_BOARD.replace("w .", "w w", 1).replace(".", "?")
    output = run("fits", "w f", board.replace("w w w w ?", "w w w ? ?")).out
    assert "w f fits within 5 by 5 squares only if an unknown square is free" in output
    assert "w on D5, f on E5  on or beside an unknown square" in output


def test_a_domino_of_another_box_is_named(run: Run) -> None:
    assert "the box of Kingdomino has no domino t g" in run("fits", "t g", "# g g").out
    assert "has no domino" not in run("fits", "t g", "# g g", "--game", "queendomino").out
    assert "queendomino/must-lay" in run("fits", "t g", "# g g", "--game", "queendomino").out


def test_a_board_can_come_from_stdin(run: Run) -> None:
    assert "fits in 2 places" in run("fits", "l w1", "-", stdin=FULL_BOARD.encode()).out


@pytest.mark.parametrize("sample, domino, fits", [("demo", "w f1", [False]), ("two-kingdoms", "m w", [False, True])])
def test_a_photo_is_read(sample: str, domino: str, fits: list[bool], run: Run) -> None:
    photo = ROOT / "samples" / f"{sample}.jpg"
    output = json.loads(run("fits", domino, photo, "--json").out)
    truth = json.loads(photo.with_suffix(".json").read_text("utf-8"))["kingdoms"]
    assert [kingdom["board"] for kingdom in output["kingdoms"]] == [kingdom["board"] for kingdom in truth]
    assert [kingdom["fits"] for kingdom in output["kingdoms"]] == fits


def test_uncertain_squares_of_a_photo_are_named(run: Run, photo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    board = FULL_BOARD.replace("w .", "f .", 1)
    readings = [make_reading(board, probability=0.6, doubts=[make_doubt("D4", "f", "l")])]
    monkeypatch.setattr(pipeline, "read", make_reader(readings))
    result = run("fits", "f s", photo, "--strict")
    assert result.code == ExitCode.NEEDS_REVIEW
    assert "? D4 looks like f (" in result.out
    assert "if it is l, the domino fits nowhere" in result.out
    assert "D4 looks like f" in run("fits", "w s", photo).out
    assert "the answer stays" in run("fits", "w s", photo).out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("w", FULL_BOARD), ExitCode.NOTATION, "is no domino"),
        (("w f", ""), ExitCode.NOTATION, "the board is empty"),
        (("w f", "w x / # ."), ExitCode.NOTATION, "'x' is no square"),
        (("w f", "w x f / # . f"), ExitCode.NOTATION, "'x' is no square"),
        (("w f", "my photo.jpg"), ExitCode.PHOTO, "there is no file my photo.jpg"),
        (("w f", "missing.jpg"), ExitCode.PHOTO, "there is no file"),
        (("w f", ROOT / "samples" / "no-kingdom.jpg"), ExitCode.NO_KINGDOM, "(kdvision score --corners)"),
        (("w f", "# w", "--fix", "2:A1=w"), ExitCode.NOTATION, "there is no kingdom 2"),
    ],
)
def test_errors_have_the_usual_codes(arguments: tuple[object, ...], code: int, message: str, run: Run) -> None:
    result = run("fits", *arguments)
    assert (result.code, result.out) == (code, "")
    assert message in result.err


def test_the_box_has_the_dominoes_of_an_expansion(run: Run) -> None:
    message = "the box of Kingdomino has no domino w2 f1"
    assert message in run("fits", "w2 f1", "# w").out
    for options in (("--age-of-giants",), ("--game", "age-of-giants")):
        result = run("fits", "w2 f1", "# m g", *options, "--strict")
        assert (result.code, message in result.out) == (0, False)
