"""Problems of a table: kingdoms that cannot come from one game."""

from dataclasses import replace

import pytest

from kdvision.game import game
from kdvision.game.board import Board
from kdvision.game.game import WINNER_UNKNOWN, describe_outlook, find_table_problems, make_game
from kdvision.game.kingdom import Kingdom, Table
from kdvision.game.rules import make_rule_set

RULES = make_rule_set(variants=["middle-kingdom"])


def list_problems(*boards: str) -> list[str]:
    return [problem.text for problem in find_table_problems([Kingdom(Board.parse(text)) for text in boards], RULES)]


def test_right_kingdoms_of_one_game_have_no_problems() -> None:
    assert list_problems("# m3 w", "# w w") == []


@pytest.mark.parametrize(
    "first, second, sentence",
    [
        ("# m3 w", "# m3 w", "the kingdoms together have 2 squares m3, and the box has 1"),
        ("# w g2", "# w g2", "the kingdoms need 2 dominoes g2 w, and the box has 1"),
        ("# w w / . w w", "# w w", "the kingdoms need 3 dominoes w w, and the box has 2"),
    ],
)
def test_no_domino_lies_in_two_kingdoms(first: str, second: str, sentence: str) -> None:
    assert list_problems(first) == list_problems(second) == []
    assert list_problems(first, second) == [sentence]


def test_kingdoms_that_can_lie_in_several_ways_leave_each_other_room() -> None:
    # The second kingdom needs the box's only f w. The first kingdom uses it in one of two readings.
    assert list_problems(". f l . / # f w . / w w w w", "# w f") == []
    assert list_problems(". f l . / # f w . / w w w w", "# w f", "# w w") != []


@pytest.mark.parametrize("third", ["# w ?", "# w . m1"])
def test_a_kingdom_that_cannot_be_checked_does_not_hide_what_is_wrong_with_the_others(third: str) -> None:
    sentence = "the kingdoms together have 2 squares m3, and the box has 1"
    assert sentence in list_problems("# m3 w", third, "# m3 w")
    assert list_problems("# m3 w", third, "# w w") == list_problems(third)


def test_squares_beside_unknown_ones_may_be_other_dominoes_than_they_look() -> None:
    unknown_board = "# ? w g2 ?"  # the box has one domino g2 w, and here w and g2 may be halves of two others
    assert list_problems("# w g2", unknown_board) == list_problems(unknown_board)


def test_kingdoms_with_too_many_ways_for_one_box_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game, "MAX_READINGS", 1)
    ambiguous_board = ". f l . / # f w . / w w w w"
    texts = {*list_problems(ambiguous_board, "# w f"), *list_problems(ambiguous_board, "# w w")}
    assert texts == {"there are too many ways to lay these kingdoms from one box to look at them all"}


def test_a_problem_names_its_kingdom() -> None:
    kingdoms = [Kingdom(Board.parse("# w w")), Kingdom(Board.parse("# w f / . . . / f f ."))]
    problems = find_table_problems(kingdoms, RULES)
    assert [problem.kingdom for problem in problems] == [1]


def test_more_dominoes_than_the_players_draw() -> None:
    full_board = " / ".join(["w w w w w w w"] * 6 + ["# w w w w w w"])
    assert "48 dominoes lie in the kingdoms, and 2 kingdoms get 24" in list_problems(full_board, full_board)
    assert not any("draws" in text for text in list_problems(full_board))


def test_more_kingdoms_than_play_together() -> None:
    sentence = "there are 5 kingdoms, and Kingdomino, Middle Kingdom is played with at most 4"
    assert list_problems("# f f", "# l l", "# g g", "# w w", "# s s") == [sentence]


@pytest.mark.parametrize(
    ("kind", "side", "seats", "least"), [("queendomino", 5, 2, 3), ("queendomino", 7, 2, 2), ("royal-wedding", 5, 3, 5)]
)
def test_fewer_kingdoms_than_play_together_are_a_problem_and_no_result(
    kind: str, side: int, seats: int, least: int
) -> None:
    table = Table(tuple(Kingdom(Board.parse("# w1 w")) for _ in range(seats)), seats=seats)
    game = make_game(kind, [table], side=side)
    texts = [problem.text for problem in game.find_problems(table)]
    is_allowed = seats == least
    assert any(text.endswith(f"is played with at least {least}") for text in texts) != is_allowed
    assert (game.has_round_result(table), game.describe_missing_kingdoms(table) == "") == (is_allowed, is_allowed)


@pytest.mark.parametrize(
    "claims, sentence",
    [
        (("Harmony",), "Harmony is claimed, and it is not played"),
        (("Middle Kingdom",), "Middle Kingdom is claimed, and the board does not earn it"),
    ],
)
def test_claims_are_compared_with_the_board(claims: tuple[str, ...], sentence: str) -> None:
    (problem,) = find_table_problems([Kingdom(Board.parse("# w w"), claims=claims)], RULES)
    assert problem.text == sentence


def test_a_right_claim_is_no_problem() -> None:
    assert find_table_problems([Kingdom(Board.parse("# w w f f").rotate(2), claims=())], RULES) != ()
    assert find_table_problems([Kingdom(Board.parse("w w # w f"), claims=("Middle Kingdom",))], RULES) == ()


def test_a_claim_is_not_denied_while_what_earns_it_is_unknown() -> None:
    kingdoms = [
        Kingdom(Board.parse("w w ? w f"), claims=("Middle Kingdom",)),
        Kingdom(Board.parse("w w w1 w w #"), claims=("Bleak King",), open_facts=frozenset(["giants"])),
    ]
    rules = make_rule_set(variants=["middle-kingdom", "age-of-giants", "bleak-king"])
    assert not any("claimed" in problem.text for problem in find_table_problems(kingdoms, rules))


def test_a_full_kingdom_has_discarded_nothing() -> None:
    board = Board.parse("w g2 g f1 g / w g2 g g g / l1 l # l g1 / l l f f1 w / l l1 f f l1")
    assert find_table_problems([Kingdom(board, discarded=0)], RULES) == ()
    (problem,) = find_table_problems([Kingdom(board, discarded=1)], RULES)
    assert problem.text == "dominoes laid here: 12, discarded: 1; a kingdom gets 12"


def test_an_unknown_square_may_be_the_castle() -> None:
    board = Board.parse("w g2 g f1 g / w g2 g g g / l1 l ? l g1 / l l f f1 w / l l1 f f l1")
    (problem,) = find_table_problems([Kingdom(board, discarded=0)], RULES)
    assert problem.text.startswith("it is not known what lies on C3")


def test_a_kingdom_with_a_hole_has_discarded_a_domino() -> None:
    board = Board.parse("w g2 g f1 g / w g2 g g g / l1 l # l g1 / l l f f1 w / l l1 f . .")
    assert find_table_problems([Kingdom(board, discarded=1)], RULES) == ()
    (problem,) = find_table_problems([Kingdom(board, discarded=0)], RULES)
    assert (problem.text, problem.clause) == (
        "dominoes laid here: 11, discarded: 0; a kingdom gets 12",
        "kingdomino/complete",
    )


def test_two_queens_are_not_a_result() -> None:
    boards = map(Board.parse, ("# t w2 w w", "# w w", "# f f"))
    kingdoms = [Kingdom(board, queen=True) for board in boards]
    for hosts, is_certain in ((1, True), (2, False)):
        table = Table(tuple(replace(kingdom, queen=number < hosts) for number, kingdom in enumerate(kingdoms)))
        assert make_game("queendomino", [table]).has_round_result(table) == is_certain
        outlook = describe_outlook(table, make_rule_set("queendomino"))
        assert (outlook == WINNER_UNKNOWN) != is_certain
