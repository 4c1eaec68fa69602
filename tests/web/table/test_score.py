"""Each kingdom has its points whatever is wrong with the game, and a winner is named when nothing is left to check."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from kdvision.web.table.changes import AddKingdom, Context, SetRules, apply_changes
from kdvision.web.table.model import PhotoInfo, PieceDoubt, Proposal, SquareDoubt, TableGame, TableKingdom, TableRules
from kdvision.web.table.score import score_table
from kdvision.web.table.storage import Storage

CONTEXT = Context(Storage(), "T")

ANN = AddKingdom(board="w1 w / # f", player="Ann")
BO = AddKingdom(board="# l1 / l l", player="Bo")
CY = AddKingdom(board="# s2 / s s", player="Cy")


def make_game(*kingdoms: AddKingdom, **rules: Any) -> TableGame:
    return apply_changes(TableGame(), [SetRules(TableRules(**rules)), *kingdoms], CONTEXT)


def list_totals(score: dict[str, Any]) -> list[int]:
    return [kingdom["total"] for kingdom in score["rounds"][0]["kingdoms"]]


def list_texts(score: dict[str, Any]) -> list[str]:
    return [entry["text"] for entry in (*score["messages"], *score["rounds"][0]["problems"])]


def add_doubts(game: TableGame, number: int, *doubts: SquareDoubt) -> TableGame:
    """Return the game with a kingdom that was read from a photo and needs a review."""
    kingdom: TableKingdom = game.rounds[0][number]
    info = PhotoInfo(reading="r", review=True, doubts=list(doubts), problems=["something lies on A1"])
    return game.with_kingdom(TableKingdom(kingdom.id, kingdom.player, kingdom.colour, kingdom.cells, photo_info=info))


def test_a_fifth_kingdom_is_a_message_and_all_keep_their_points() -> None:
    score = score_table(make_game(ANN, BO, CY, AddKingdom(board="# w"), AddKingdom(board="# w")))
    assert list_totals(score) == [2, 3, 6, 0, 0]
    assert list_texts(score)[0] == "there are 5 kingdoms, and Kingdomino is played with at most 4"
    assert score["rounds"][0]["standing"]["winners"] == [3]


def test_two_kingdoms_of_one_name_keep_their_points() -> None:
    score = score_table(
        make_game(AddKingdom(board=ANN.board, player="Anna"), AddKingdom(board=BO.board, player="anna"))
    )
    assert (list_totals(score), score["messages"]) == (
        [2, 3],
        [{"text": "Two kingdoms are called Anna.", "hint": "Give each its own name."}],
    )
    assert [kingdom["player"] for kingdom in score["rounds"][0]["kingdoms"]] == ["Anna", "anna"]
    assert score["rounds"][0]["verdict"]["text"] == "anna wins on points, 3 to 2"


def test_a_dynasty_has_no_winner_while_a_round_is_to_check() -> None:
    additions = [replace(addition, round=number) for number in range(3) for addition in (ANN, BO)]
    game = make_game(*additions, dynasty=True)
    assert score_table(game)["standing"]["reason"] == "Bo wins on points of 3 rounds, 9 to 6"
    reason = score_table(add_doubts(game, 0))["standing"]["reason"]
    assert reason == "Bo leads on points of 3 rounds, 9 to 6; still to check: round 1"


def test_a_dynasty_has_no_winner_before_its_last_round() -> None:
    """The standing of the first round is not that of the Dynasty."""
    score = score_table(add_doubts(make_game(ANN, BO, dynasty=True), 0))
    assert score["standing"] is None
    assert score["rounds"][0]["verdict"]["text"] == "round 1: Bo leads on points, 3 to 2; still to check: Ann"
    assert score_table(make_game(ANN, BO, dynasty=True))["rounds"][0]["verdict"]["text"].startswith("round 1: Bo wins")


def test_a_dynasty_has_no_winner_while_two_kingdoms_of_a_round_have_one_name() -> None:
    """Otherwise their points are added up, or count for a third player in later rounds."""
    namesake = replace(CY, player="ann")
    additions = [replace(addition, round=number) for number in range(3) for addition in (ANN, BO, namesake)]
    reason = score_table(make_game(*additions, dynasty=True))["standing"]["reason"]
    assert reason.startswith("Ann leads on points of 3 rounds, 24 to 9; round 1 has two kingdoms of one player")


@pytest.mark.parametrize(
    ("kingdoms", "rules", "changes", "reason"),
    [
        ((ANN, BO), {}, {"deciding": [0]}, "squares are being decided again"),
        (
            (replace(ANN, id="a"), BO),
            {},
            {"proposals": [Proposal("p", "Replace it?", ["a"], [])]},
            "a question about a photo is open",
        ),
        (
            (ANN, BO),
            {},
            {"proposals": [Proposal("p", "Replace it?", ["removed"], [])]},
            "a question about a photo is open",
        ),
        ((ANN, BO, ANN), {"seats": 2}, {}, "there are too many kingdoms"),
        ((ANN, BO, ANN, ANN, ANN), {"seats": 5}, {}, "there are too many kingdoms"),
    ],
)
def test_nobody_wins_while_something_is_pending(
    kingdoms: Sequence[AddKingdom], rules: dict[str, Any], changes: dict[str, Any], reason: str
) -> None:
    game = make_game(*kingdoms, **rules)
    score = score_table(replace(game, **changes))
    text = f"Bo leads on points, 3 to 2; {reason}"
    assert (score["rounds"][0]["verdict"]["text"], score["rounds"][0]["verdict"]["certain"]) == (text, False)
    assert score["standing"]["reason"] == text


def test_nobody_wins_despite_missing_facts_while_squares_are_to_check() -> None:
    """The verdict "Bo wins, whatever is still missing" needs boards that are checked."""
    town_kingdom = AddKingdom(board="# t / t t", player="Ann", facts={"coins": "?"})
    large_kingdom = AddKingdom(board=" / ".join(["# w3 w3 w2 w2 w w", *["w w w w w w w"] * 3]), player="Bo")
    game = make_game(town_kingdom, large_kingdom, game="queendomino", side=7)
    assert score_table(game)["rounds"][0]["verdict"]["text"] == "Bo wins, whatever is still missing"
    doubtful_game = add_doubts(game, 1)
    assert score_table(doubtful_game)["rounds"][0]["verdict"]["text"] == "who wins is not known yet"


def test_a_dynasty_has_no_winner_while_a_player_lacks_a_kingdom() -> None:
    kingdoms = [(ANN, 0), (BO, 0), (CY, 0), (ANN, 1), (BO, 1), (ANN, 2), (BO, 2), (CY, 2)]
    game = make_game(*(replace(addition, round=number) for addition, number in kingdoms), dynasty=True)
    reason = "Cy leads on points of 3 rounds, 12 to 9; round 2 has no kingdom of Cy"
    assert score_table(game)["standing"]["reason"] == reason


def test_side_7_with_four_kingdoms_is_a_message() -> None:
    score = score_table(make_game(ANN, BO, CY, AddKingdom(board="# w"), side=7))
    assert (list_totals(score), score["side"]) == ([2, 3, 6, 0], 7)
    assert any("Mighty Duel is played with at most 2" in text for text in list_texts(score))


def test_more_kingdoms_than_seats_are_a_message() -> None:
    score = score_table(make_game(ANN, BO, CY, seats=2))
    assert (list_totals(score), list_texts(score)[0]) == (
        [2, 3, 6],
        "3 kingdoms are at the table, and the rules say 2.",
    )


def test_a_wrong_fact_costs_only_itself() -> None:
    wrong_kingdom = AddKingdom(
        board="# t / w1 w", facts={"buildings": [{"at": "0,1", "name": "The Moon"}], "coins": 30}
    )
    score = score_table(make_game(wrong_kingdom, BO, game="queendomino"))
    first, second = score["rounds"][0]["kingdoms"]
    assert ("The Moon" in first["error"], first["total"], second["error"]) == (True, 2, None)
    assert first["review"]
    assert score["rounds"][0]["verdict"]["text"] == "Bo leads on points, 3 to 2; still to check: Player 1"


def test_facts_of_another_game_do_not_count() -> None:
    score = score_table(make_game(AddKingdom(board="# w1", facts={"coins": 9, "gems": ["?"], "nonsense": {}})))
    assert (list_totals(score), score["rounds"][0]["kingdoms"][0]["error"]) == ([1], None)


def test_an_empty_kingdom_has_no_points() -> None:
    assert list_totals(score_table(make_game(AddKingdom(), BO))) == [0, 3]


def test_nobody_wins_while_squares_are_in_doubt() -> None:
    doubts = [
        SquareDoubt("0,1", "s2", "s", 0.6, {"0,1": "s"}),
        SquareDoubt("1,0", "s", "w", 0.9, {"1,0": "w"}),
    ]
    score = score_table(add_doubts(make_game(ANN, BO, CY), 2, *doubts))
    round_score = score["rounds"][0]
    assert round_score["verdict"] == {
        "text": "Cy leads on points, 6 to 3; 2 squares to check; B1 of Cy decides it",
        "certain": False,
        "to_check": 2,
        "first": [round_score["kingdoms"][2]["id"]],
    }
    deciding_question, other_question = round_score["questions"]
    assert (deciding_question["at"], deciding_question["total_if"], deciding_question["changes_winner"]) == (
        "0,1",
        0,
        True,
    )
    assert deciding_question["verdict"] == "Bo wins on points, 3 to 2"
    assert (other_question["square"], other_question["total_if"], other_question["changes_winner"]) == ("A2", 4, False)
    assert round_score["kingdoms"][2]["review"]


@pytest.mark.parametrize("kingdoms", [(ANN, BO, CY, ANN, BO), (ANN, BO, AddKingdom(board="# s " + "w " * 12))])
def test_questions_are_not_ranked_for_more_or_larger_kingdoms_than_play(kingdoms: tuple[AddKingdom, ...]) -> None:
    """With the largest game that a link can have, the ranking would take many seconds for each change."""
    game = add_doubts(make_game(*kingdoms), 2, SquareDoubt("0,0", "#", "s", 0.9, {"0,0": "s"}))
    assert score_table(game)["rounds"][0]["questions"] == []


def test_a_kingdom_without_doubts_may_still_need_a_look() -> None:
    game = add_doubts(make_game(ANN, BO), 1)
    round_score = score_table(game)["rounds"][0]
    assert round_score["verdict"]["text"] == "Bo leads on points, 3 to 2; still to check: Bo"
    assert "something lies on A1" in [problem["text"] for problem in round_score["kingdoms"][1]["problems"]]


def test_a_kingdom_from_a_photo_is_as_probable_as_its_reading_until_a_person_confirms_it() -> None:
    game = add_doubts(make_game(ANN, BO), 0)
    kingdom = game.rounds[0][0]
    assert kingdom.photo_info is not None
    game = game.with_kingdom(replace(kingdom, photo_info=replace(kingdom.photo_info, probability=0.6)))
    for is_checked, probability in ((False, 0.6), (True, 1.0)):
        kingdom = replace(game.rounds[0][0], checked=is_checked)
        score = score_table(game.with_kingdom(kingdom))["rounds"][0]["kingdoms"][0]
        assert score["probability"] == score["points_probability"] == probability


def test_a_kingdom_from_a_photo_that_is_too_wide_for_the_game_is_to_check() -> None:
    """A domino on offer beside a kingdom is read as part of it. Only the number of kingdoms shows the error."""
    game = make_game(ANN, BO, AddKingdom(board="# w w w w w", player="Cy"))
    kingdom = game.rounds[0][2]
    for photo_info, is_certain in ((PhotoInfo(reading="r"), False), (None, True)):
        game = game.with_kingdom(replace(kingdom, photo_info=photo_info))
        round_score = score_table(game)["rounds"][0]
        assert round_score["verdict"]["certain"] == is_certain
    game = game.with_kingdom(replace(kingdom, photo_info=PhotoInfo(reading="r"), checked=True))
    assert score_table(game)["rounds"][0]["verdict"]["certain"]


def test_a_typed_kingdom_with_a_problem_is_to_check_until_a_person_confirms_it() -> None:
    game = make_game(AddKingdom(board="# g3"), BO)
    for is_checked in (False, True):
        score = score_table(game.with_kingdom(replace(game.rounds[0][0], checked=is_checked)))
        assert score["rounds"][0]["kingdoms"][0]["review"] is not is_checked


def test_questions_about_pieces_of_other_rules_are_not_counted() -> None:
    """The page asks only about those of the game, so nobody could answer them."""
    gem = PieceDoubt("gem", "0,0", 0.7)
    kingdoms = replace(ANN, pieces=[gem]), BO
    text = "Bo wins on points, 3 to 2"
    assert score_table(make_game(*kingdoms))["rounds"][0]["verdict"]["text"] == text
    verdict = score_table(make_game(*kingdoms, variants=["lost-treasures"]))["rounds"][0]["verdict"]
    assert verdict["text"] == "Bo leads on points, 3 to 2; 1 square to check"


def test_open_facts_are_not_a_result() -> None:
    kingdom = AddKingdom(board="# w1", player="Ann", facts={"coins": "?"})
    round_score = score_table(make_game(kingdom, BO, game="queendomino"))["rounds"][0]
    assert (round_score["verdict"]["text"], round_score["verdict"]["certain"]) == ("who wins is not known yet", False)


def test_missing_kingdoms_are_not_a_result() -> None:
    round_score = score_table(make_game(ANN, BO, seats=3))["rounds"][0]
    assert round_score["verdict"]["text"] == "Bo leads on points, 3 to 2"
    assert round_score["note"] == "2 of 3 kingdoms are entered so far"


def test_two_queens_are_not_a_result() -> None:
    kingdoms = [replace(addition, facts={"queen": True, "towers": 1}) for addition in (ANN, BO)]
    round_score = score_table(make_game(*kingdoms, CY, game="queendomino"))["rounds"][0]
    verdict = round_score["verdict"]
    assert (verdict["text"].rpartition("; ")[2], verdict["certain"]) == ("the Queen is in several kingdoms", False)
    assert "the Queen is in 2 kingdoms at once" in [problem["text"] for problem in round_score["problems"]]


def test_fewer_kingdoms_than_the_rules_allow_are_not_a_result() -> None:
    for side, is_certain in ((7, True), (5, False)):
        score = score_table(make_game(ANN, BO, game="queendomino", side=side, seats=2))
        assert score["rounds"][0]["verdict"]["certain"] == is_certain
        text = "the number of kingdoms is 2, and Queendomino is played with at least 3"
        assert (text in list_texts(score)) != is_certain
