"""The effects of doubts, and the square that a report asks for first."""

from typing import Any

import pytest

from kdvision.game.board import Board, Square
from kdvision.game.kingdom import Gem, Kingdom
from kdvision.game.rules import kingdomino, make_rule_set, royal_wedding
from kdvision.game.scoring import RuleSet
from kdvision.pipeline import KingdomReading
from kdvision.report.build import build_board_result, build_photo_result, combine_kingdoms
from kdvision.report.doubt_effects import list_possible_contents
from kdvision.report.result import Result
from kdvision.report.table import format_combined, format_table
from kdvision.report.to_dict import result_to_dict, standing_to_dict
from kdvision.vision.assess.calibration import Calibration
from tests.kingdoms import make_doubt, make_reading

LEADING_BOARD, TRAILING_BOARD = "w1 w w / # . .", "f1 f # / . . ."
"""3 points and 2."""


def build_game(*readings: KingdomReading) -> Result:
    return build_photo_result("table.png", (640, 480), list(readings), kingdomino())


def get_doubts(result: Result, kingdom: int) -> dict[str, dict[str, Any]]:
    return {doubt["square"]: doubt for doubt in result_to_dict(result)["kingdoms"][kingdom]["doubts"]}


def test_each_doubt_says_whether_the_standing_would_change() -> None:
    """B1 as f1 makes 4 points and wins; C1 as nothing changes nothing."""
    result = build_game(
        make_reading(LEADING_BOARD, place="left"),
        make_reading(
            TRAILING_BOARD, place="right", doubts=[make_doubt("A2", ".", "s", 0.6), make_doubt("B1", "f", "f1", 0.9)]
        ),
    )
    doubts = get_doubts(result, 1)
    assert (doubts["B1"]["changes_winner"], doubts["B1"]["changes_standing"]) == (True, True)
    assert (doubts["A2"]["changes_winner"], doubts["A2"]["changes_standing"]) == (False, False)
    assert list(doubts) == ["B1", "A2"]  # sorted by effect, not by probability


def test_the_report_asks_first_for_the_square_that_decides_the_game() -> None:
    result = build_game(
        make_reading(LEADING_BOARD, place="left", doubts=[make_doubt("A2", "#", "s2", 0.5)]),
        make_reading(TRAILING_BOARD, place="right", doubts=[make_doubt("B1", "f", "f1", 0.9)]),
    )
    question = result_to_dict(result)["ask_first"]
    assert (question["kingdom"], question["square"], question["instead"]) == (2, "B1", "f1")
    assert "kingdom 2 wins" in question["verdict"]
    text = " ".join(format_table(result).split())
    assert "Look first at kingdom 2, B1: it decides the game. If it is f1, kingdom 2 wins on points, 4 to 3" in text


def test_a_doubt_about_a_place_that_is_not_the_first_changes_the_standing_alone() -> None:
    result = build_game(
        make_reading("w1 w w w w / # . . . .", place="left"),
        make_reading("l1 l # / . . .", place="right", doubts=[make_doubt("B1", "l", "l1", 0.8)]),
        make_reading("g1 g g / # . .", place="bottom"),
    )
    doubt = get_doubts(result, 1)["B1"]
    assert (doubt["changes_winner"], doubt["changes_standing"]) == (False, True)
    assert "and the places change" in format_table(result, width=200)


def test_a_single_kingdom_has_no_standing_to_change() -> None:
    result = build_game(make_reading(LEADING_BOARD, doubts=[make_doubt("B1", "w", "w1", 0.9)]))
    assert get_doubts(result, 0)["B1"]["changes_standing"] is None
    assert result_to_dict(result)["ask_first"]["square"] == "B1"


def test_doubts_of_several_photos_are_compared_as_one_game() -> None:
    leading_result, trailing_result = (
        build_game(make_reading(LEADING_BOARD)),
        build_game(make_reading(TRAILING_BOARD, doubts=[make_doubt("B1", "f", "f1", 0.9)])),
    )
    combined_result = combine_kingdoms(
        [*leading_result.kingdoms, *trailing_result.kingdoms], ["anna.jpg", "ben.jpg"], kingdomino()
    )
    assert combined_result.first_question is not None and combined_result.first_question.changes_winner
    text = format_combined(combined_result, width=200)
    assert "Look first at ben.jpg, B1: it decides the game. If it is f1, ben.jpg wins on points, 4 to 3" in text
    assert "The dominoes of kingdoms 1 and 2 cannot be told, so the box is not counted" in text


def test_a_doubt_uses_the_runner_up_with_a_changed_neighbour() -> None:
    """If A1 is a mine with two crowns, its other half is a swamp, as the runner-up has it."""
    reading = make_reading(
        "m1 w # / . . .", doubts=[make_doubt("A1", "m1", "m2", 0.7)], runners_up=[("m2 s # / . . .", 0.3)]
    )
    assert get_doubts(build_game(reading), 0)["A1"]["total_if"] == 2
    assert build_game(reading).kingdoms[0].doubts[0].board == Board.parse("m2 s # / . . .")


def test_a_doubt_uses_the_likeliest_runner_up_with_its_cell() -> None:
    runners_up = [("m2 s # / . . .", 0.3), ("m2 w # / . . .", 0.1)]
    reading = make_reading("m1 w # / . . .", doubts=[make_doubt("A1", "m1", "m2", 0.6)], runners_up=runners_up)
    assert build_game(reading).kingdoms[0].doubts[0].board == Board.parse(runners_up[0][0])


def test_a_doubt_uses_no_runner_up_that_is_another_board() -> None:
    reading = make_reading(
        "w1 w w w w / # w w w w",
        doubts=[make_doubt("E2", "w", "w1", 0.7)],
        runners_up=[("f f f f f / # f f f w1", 0.3)],
    )
    assert get_doubts(build_game(reading), 0)["E2"]["points_if"] == 18


def test_a_likely_error_comes_before_a_costly_one() -> None:
    doubts = [make_doubt("A1", "w1", "w", 0.99), make_doubt("B1", "w", ".", 0.6)]
    doubts_by_square = get_doubts(build_game(make_reading(LEADING_BOARD, doubts=doubts)), 0)
    assert [(square, doubt["points_if"]) for square, doubt in doubts_by_square.items()] == [("B1", 1), ("A1", 0)]


def test_the_total_can_be_more_certain_than_the_board() -> None:
    """Two readings of the castle's corner differ in a square that scores nothing."""
    reading = make_reading(
        LEADING_BOARD, probability=0.6, runners_up=[("w1 w w / # s s", 0.3), ("w1 w w1 / # . .", 0.1)]
    )
    (kingdom,) = result_to_dict(build_game(reading))["kingdoms"]
    assert (kingdom["probability"], kingdom["points_probability"]) == (0.6, 0.9)
    assert kingdom["alternatives"] == [{"total": 6, "points": 6, "probability": 0.1}]
    assert "the total is 3 (90 % sure); otherwise 6 (10 %)" in format_table(build_game(reading))


@pytest.mark.parametrize("has_promise", [True, False])
def test_the_expected_error_rate_is_shown(has_promise: bool) -> None:
    calibration = (
        Calibration(unflagged=900, unflagged_wrong=1, wrong_at_most=0.005, upper=0.00526)
        if has_promise
        else Calibration()
    )
    result = build_game(make_reading(LEADING_BOARD, calibration=calibration))
    assert not result.review
    promise = result_to_dict(result)["promise"]
    assert (promise is not None) == has_promise == ("At most 1 in 200 boards without a flag" in format_table(result))
    if has_promise:
        assert (promise["wrong_at_most"], promise["boards"], promise["wrong"]) == (0.005, 900, 1)
        assert (promise["upper"], promise["confidence"]) == (0.00526, 0.95)


def test_squares_typed_as_unknown_are_doubts() -> None:
    result = build_board_result([Board.parse("w w1 / ? #"), Board.parse("l1 l1 # f")], kingdomino())
    data = result_to_dict(result)
    (doubt,) = data["kingdoms"][0]["doubts"]
    assert (doubt["square"], doubt["read"], doubt["probability"]) == ("A2", "?", 0)
    assert doubt["changes_winner"]  # of all contents, the one that decides the game
    assert data["ask_first"]["square"] == "A2"
    assert (data["kingdoms"][0]["probability"], data["kingdoms"][1]["probability"]) == (0, 1)
    assert result.kingdoms[0].review
    assert "? A2 is not known; as" in format_table(result)


@pytest.mark.parametrize("rules", [kingdomino(), royal_wedding()])
@pytest.mark.parametrize("text", ["w w1 / ? #", "w w1 / f #"])
def test_a_kingdom_leads_while_squares_or_kingdoms_are_missing(rules: RuleSet, text: str) -> None:
    standing = build_board_result([Board.parse(text), Board.parse("l # f")], rules).standing
    is_over = "?" not in text and rules == kingdomino()  # three or more play a Royal Wedding
    assert standing is not None and ("wins" if is_over else "leads") in standing.reason
    assert standing_to_dict(standing)["winners"] == ([1] if is_over else [])


def test_more_kingdoms_than_play_one_game_have_no_winner() -> None:
    result = build_game(
        *[make_reading(LEADING_BOARD)] * 3, make_reading(TRAILING_BOARD), make_reading("w1 w w / # w .")
    )
    reason = "kingdom 5 leads on points, 4 to 3; Kingdomino is played with at most 4 kingdoms"
    assert result_to_dict(result)["standing"]["reason"] == reason
    assert f"K{reason[1:]}" in format_table(result)


def test_no_total_is_named_for_an_unknown_square_while_pieces_are_unknown() -> None:
    kingdom = Kingdom(Board.parse("w1 f # / l s ? / w w w"), gems=(Gem("?", Square(0, 0)),))
    text = format_table(build_board_result([kingdom], make_rule_set(variants=["lost-treasures"])))
    assert "? C2 is not known; it may be" in text and "the total would be" not in text


def test_a_total_is_a_least_one_while_other_squares_are_unknown() -> None:
    result = build_board_result([Board.parse("w1 ? ? / # f f")], kingdomino())
    assert "? B1 is not known; as w1 the total would be 4 or more" in format_table(result)
    result = build_board_result([Board.parse("w1 ? w / # f f")], kingdomino())
    assert "? B1 is not known; as w1 the total would be 6:" in format_table(result)


def test_impossible_contents_of_an_unknown_square_are_not_offered() -> None:
    """Beside `m3` alone only wheat makes a domino of the box."""
    (kingdom,) = build_board_result([Board.parse("m3 ? . #")], kingdomino()).kingdoms
    assert {doubt.other_kind for doubt in kingdom.doubts} <= {"w", "."}


def test_contents_that_other_kingdoms_have_are_not_offered() -> None:
    """The box has one mine with three crowns, and a kingdom one castle."""
    boards = [Board.parse(text) for text in ("w ? #", "m3 w #")]
    contents = [
        {content.other_kind for content in list_possible_contents(boards[0], played_boards, kingdomino().deck)}
        for played_boards in (boards[:1], boards)
    ]
    assert contents[0] - contents[1] == {"m3"} and "#" not in contents[0]


def test_the_box_is_counted_in_the_object() -> None:
    box = result_to_dict(build_game(make_reading("w m3 # / . . ."), make_reading("w m3 # / . . .")))["box"]
    assert not box["right"] and box["dominoes"] == 2
    assert box["twice"] == [{"numbers": [48], "shows": "m3 w", "count": 2, "kingdoms": [1, 2]}]
    assert result_to_dict(build_game(make_reading(LEADING_BOARD)))["box"] is None


def test_photos_together_have_only_the_problems_that_none_has_alone() -> None:
    wide_board, ann_and_bo = "w w w w w w #", ["ann", "bo"]
    bo_kingdoms = build_game(make_reading(LEADING_BOARD)).kingdoms
    wide_kingdoms = build_game(make_reading(wide_board)).kingdoms
    assert len(wide_kingdoms[0].problems) == 1
    assert combine_kingdoms([*wide_kingdoms, *bo_kingdoms], ann_and_bo, kingdomino()).shared_problems == ()
    duel_kingdoms = build_photo_result("table.png", (640, 480), [make_reading(wide_board)], kingdomino(side=7)).kingdoms
    (problem,) = combine_kingdoms([*duel_kingdoms, *bo_kingdoms], ann_and_bo, kingdomino()).shared_problems
    assert problem.text == f"ann: {wide_kingdoms[0].problems[0].text}"
    duplicate_kingdoms = build_game(make_reading("w m3 #")).kingdoms * 2
    (box_problem,) = combine_kingdoms(duplicate_kingdoms, ann_and_bo, kingdomino()).shared_problems
    assert box_problem.text == "More than the box has: domino 48 (m3 w) lies in kingdoms 1 and 2"


def test_two_photos_of_one_kingdom_are_reported() -> None:
    board = Board.parse("w m3 # / f f s / . . s1")
    kingdoms = [
        *build_game(make_reading(str(board))).kingdoms,
        *build_game(make_reading(str(board.rotate()))).kingdoms,
        *build_game(make_reading(LEADING_BOARD)).kingdoms,
    ]
    combined_result = combine_kingdoms(kingdoms, ["anna.jpg", "anna2.jpg", "ben.jpg"], kingdomino())
    assert len([problem for problem in combined_result.shared_problems if "show the same kingdom" in problem.text]) == 1
    assert "! anna.jpg and anna2.jpg show the same kingdom: leave one of them out" in format_combined(
        combined_result, width=200
    )
