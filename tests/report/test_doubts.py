"""What doubts are worth, and which square a report asks for first."""

from typing import Any

import pytest

from kdvision.game.board import Board
from kdvision.game.rules import kingdomino
from kdvision.pipeline import Calibration, KingdomReading
from kdvision.report.build import build_board_result, build_photo_result, combine_kingdoms
from kdvision.report.result import Result
from kdvision.report.table import format_combined, format_table
from kdvision.report.to_dict import result_to_dict
from tests.kingdoms import doubt, seen

AHEAD, BEHIND = "w1 w w / # . .", "f1 f # / . . ."
"""3 points and 2."""


def game(*reads: KingdomReading) -> Result:
    return build_photo_result("table.png", (640, 480), list(reads), kingdomino())


def doubts_of(result: Result, kingdom: int) -> dict[str, dict[str, Any]]:
    return {found["square"]: found for found in result_to_dict(result)["kingdoms"][kingdom]["doubts"]}


def test_each_doubt_tells_whether_the_standing_would_change() -> None:
    """B1 as f1 makes 4 points and wins; C1 as nothing changes nothing."""
    result = game(
        seen(AHEAD, place="left"),
        seen(BEHIND, place="right", doubts=[doubt("A2", ".", "s", 0.6), doubt("B1", "f", "f1", 0.9)]),
    )
    found = doubts_of(result, 1)
    assert (found["B1"]["changes_winner"], found["B1"]["changes_standing"]) == (True, True)
    assert (found["A2"]["changes_winner"], found["A2"]["changes_standing"]) == (False, False)
    assert list(found) == ["B1", "A2"]  # what matters comes first, not what is least sure


def test_the_report_asks_first_for_the_square_that_decides_the_game() -> None:
    result = game(
        seen(AHEAD, place="left", doubts=[doubt("A2", "#", "s2", 0.5)]),
        seen(BEHIND, place="right", doubts=[doubt("B1", "f", "f1", 0.9)]),
    )
    first = result_to_dict(result)["ask_first"]
    assert (first["kingdom"], first["square"], first["instead"]) == (2, "B1", "f1")
    assert "kingdom 2 wins" in first["verdict"]
    text = " ".join(format_table(result).split())
    assert "Look first at kingdom 2, B1: it decides the game. If it is f1, kingdom 2 wins on points, 4 to 3" in text


def test_a_doubt_about_a_place_that_is_not_the_first_changes_the_standing_alone() -> None:
    result = game(
        seen("w1 w w w w / # . . . .", place="left"),
        seen("l1 l # / . . .", place="right", doubts=[doubt("B1", "l", "l1", 0.8)]),
        seen("g1 g g / # . .", place="bottom"),
    )
    found = doubts_of(result, 1)["B1"]
    assert (found["changes_winner"], found["changes_standing"]) == (False, True)
    assert "and the places change" in format_table(result, width=200)


def test_one_kingdom_has_nobody_to_beat() -> None:
    result = game(seen(AHEAD, doubts=[doubt("B1", "w", "w1", 0.9)]))
    assert doubts_of(result, 0)["B1"]["changes_standing"] is None
    assert result_to_dict(result)["ask_first"]["square"] == "B1"


def test_kingdoms_of_several_photos_are_weighed_together() -> None:
    ahead, behind = game(seen(AHEAD)), game(seen(BEHIND, doubts=[doubt("B1", "f", "f1", 0.9)]))
    found = combine_kingdoms([*ahead.kingdoms, *behind.kingdoms], ["anna.jpg", "ben.jpg"], kingdomino())
    assert found is not None
    assert found.questions[0].doubt.changes_winner
    text = format_combined(found, width=200)
    assert "Look first at ben.jpg, B1: it decides the game. If it is f1, ben.jpg wins on points, 4 to 3" in text
    assert "The dominoes of kingdoms 1 and 2 cannot be told, so the box is not counted" in text


def test_the_other_reading_mends_its_neighbour_where_the_box_says_so() -> None:
    """If A1 is a mine with two crowns, its other half is no forest: the runner-up knows."""
    read = seen("m1 w # / . . .", doubts=[doubt("A1", "m1", "m2", 0.7)], runners_up=[("m2 s # / . . .", 0.3)])
    assert doubts_of(game(read), 0)["A1"]["total_if"] == 2
    assert game(read).kingdoms[0].doubts[0].board == Board.parse("m2 s # / . . .")


def test_the_total_may_be_sure_where_the_board_is_not() -> None:
    """Two readings of the castle's corner differ in a square that scores nothing."""
    read = seen(AHEAD, probability=0.6, runners_up=[("w1 w w / # s s", 0.3), ("w1 w w1 / # . .", 0.1)])
    (kingdom,) = result_to_dict(game(read))["kingdoms"]
    assert (kingdom["probability"], kingdom["points_probability"]) == (0.6, 0.9)
    assert kingdom["alternatives"] == [{"total": 6, "points": 6, "probability": 0.1}]
    assert "the total is 3 (90 % sure); otherwise 6 (10 %)" in format_table(game(read))


@pytest.mark.parametrize("promised", [True, False])
def test_what_unflagged_boards_promise_is_told(promised: bool) -> None:
    calibration = (
        Calibration(unflagged=900, unflagged_wrong=1, wrong_at_most=0.005, upper=0.00526) if promised else Calibration()
    )
    result = game(seen(AHEAD, calibration=calibration))
    assert not result.review
    promise = result_to_dict(result)["promise"]
    assert (promise is not None) == promised == ("At most 1 in 200 boards without a flag" in format_table(result))
    if promised:
        assert (promise["wrong_at_most"], promise["boards"], promise["wrong"]) == (0.005, 900, 1)
        assert (promise["upper"], promise["confidence"]) == (0.00526, 0.95)


def test_squares_typed_as_not_known_are_doubts() -> None:
    result = build_board_result([Board.parse("w w1 / ? #"), Board.parse("l1 l1 # f")], kingdomino())
    made = result_to_dict(result)
    (unknown,) = made["kingdoms"][0]["doubts"]
    assert (unknown["square"], unknown["read"], unknown["probability"]) == ("A2", "?", 0)
    assert unknown["changes_winner"]  # of all that may lie there, what decides the game is told
    assert made["ask_first"]["square"] == "A2"
    assert (made["kingdoms"][0]["probability"], made["kingdoms"][1]["probability"]) == (0, 1)
    assert result.kingdoms[0].review
    assert "? A2 is not known; as" in format_table(result)


def test_what_cannot_lie_on_an_unknown_square_is_not_offered() -> None:
    """Beside `m3` alone only wheat makes a domino of the box."""
    (only,) = build_board_result([Board.parse("m3 ? . #")], kingdomino()).kingdoms
    assert {doubt.instead for doubt in only.doubts} <= {"w", "."}


def test_the_box_is_counted_in_the_object() -> None:
    made = result_to_dict(game(seen("w m3 # / . . ."), seen("w m3 # / . . .")))["box"]
    assert not made["right"] and made["dominoes"] == 2
    assert made["twice"] == [{"numbers": [48], "shows": "m3 w", "count": 2, "kingdoms": [1, 2]}]
    assert result_to_dict(game(seen(AHEAD)))["box"] is None


def test_the_same_photo_twice_in_a_game_is_told() -> None:
    board = Board.parse("w m3 # / f f s / . . s1")
    rows = [*game(seen(str(board))).kingdoms, *game(seen(str(board.rotate()))).kingdoms, *game(seen(AHEAD)).kingdoms]
    found = combine_kingdoms(rows, ["anna.jpg", "anna2.jpg", "ben.jpg"], kingdomino())
    assert found is not None and found.identical == (("anna.jpg", "anna2.jpg"),)
    assert "! anna.jpg and anna2.jpg show the same kingdom: leave one of them out" in format_combined(found, width=200)
