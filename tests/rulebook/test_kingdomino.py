"""Kingdomino's rulebook, clause by clause: a board and a number each."""

import pytest

from kdvision.game.board import Board
from kdvision.game.deck import KINGDOMINO, parse_domino
from kdvision.game.kingdom import Kingdom
from kdvision.game.legality import find_problems
from kdvision.game.rules import kingdomino, make_rule_set
from kdvision.game.scoring import score
from kdvision.game.standing import rank_dynasty, rank_kingdoms
from kdvision.report.build import build_board_result
from kdvision.report.fits import find_fits

clause = pytest.mark.clause
KINGDOMINO_RULES = kingdomino()


def score_board(text: str) -> int:
    return score(Board.parse(text), KINGDOMINO_RULES).total


def get_bonus(text: str, label: str, *, side: int = 5) -> int:
    lines = score(Board.parse(text), make_rule_set(side=side, variants=["middle-kingdom", "harmony"])).lines
    return next(line.points for line in lines if line.label == label)


def rank_boards(*texts: str) -> str:
    names = ("Ann", "Bo", "Cy")
    return rank_kingdoms(
        [Kingdom(Board.parse(text), name) for text, name in zip(texts, names, strict=False)], KINGDOMINO_RULES
    ).reason


def find_fit(domino: str, text: str) -> tuple[str, bool | None]:
    result = build_board_result([Board.parse(text)], KINGDOMINO_RULES)
    (answer,) = find_fits(result, parse_domino(domino), side=None)
    return answer.clause, answer.fits


def find_broken_clauses(text: str, *, side: int = 7) -> set[str]:
    return {problem.clause for problem in find_problems(Board.parse(text), KINGDOMINO, side=side)}


@clause("kingdomino/value")
@pytest.mark.parametrize(
    "text, expected", [("f f1 f f / # f2 f f", 21), ("w1 w w w / # w1 w w / . . . w", 16), ("m3 #", 3)]
)
def test_a_territory_is_worth_squares_times_crowns(text: str, expected: int) -> None:
    assert score_board(text) == expected


@clause("kingdomino/no-crowns")
def test_nine_lakes_without_a_crown_are_worth_nothing() -> None:
    assert score_board("l l l / l l l / l l l / # . .") == 0


@clause("kingdomino/territory")
def test_only_sides_join() -> None:
    assert score_board("w1 f / f w") == 1
    assert score_board("w1 w / f w") == 3


@clause("kingdomino/castle")
def test_the_castle_joins_nothing_and_is_no_terrain() -> None:
    assert score_board("w1 # w") == 1
    assert find_broken_clauses("w f . / . # . / . # .") == {"kingdomino/castle"}


@clause("kingdomino/several")
def test_territories_of_one_terrain_are_scored_apart() -> None:
    assert score_board("w1 w f w1 w w") == 2 + 3
    assert score_board("w1 w f w w w") == 2


@clause("kingdomino/discard")
def test_holes_earn_nothing_and_are_no_problem() -> None:
    text = "w1 . f1 / f # w"
    assert score_board(text) == 2
    assert find_broken_clauses(text) == set()


@clause("kingdomino/must-lay")
def test_only_a_domino_that_fits_nowhere_may_be_thrown_away() -> None:
    assert find_fit("w f1", "w . . / w . # / w l l") == ("kingdomino/must-lay", True)
    full_board = "w w w w w / w w w w w / w w # w w / w w w w . / w w w w ."
    assert find_fit("l f1", full_board) == ("kingdomino/discard", False)
    assert find_fit("l w1", full_board) == ("kingdomino/must-lay", True)
    assert find_fit("l w1", full_board.replace("w .", "w w")) == ("kingdomino/discard", False)


@clause("kingdomino/total")
def test_the_score_is_the_sum_of_territories_and_bonuses() -> None:
    card = score(Board.parse("w1 w / f1 #"), make_rule_set(variants=["middle-kingdom"]))
    assert (card.points, card.total) == (3, 3)
    card = score(Board.parse("w1 w . / f1 # w / . w1 w1"), make_rule_set(variants=["middle-kingdom"]))
    assert (card.points, card.total) == (2 + 1 + 6, 2 + 1 + 6 + 10)


@clause("kingdomino/winner")
def test_the_highest_score_wins() -> None:
    assert rank_boards("w1 #", "w2 #") == "Bo wins on points, 2 to 1"


@clause("kingdomino/tie-largest")
def test_ties_go_to_the_largest_territory_crowned_or_not() -> None:
    assert rank_boards("w2 # f", "w2 # f f") == "Bo wins on the largest territory, 2 to 1"


@clause("kingdomino/tie-crowns")
def test_then_to_the_most_crowns() -> None:
    assert rank_boards("w1 w w w #", "m2 m # w w w w") == "Bo wins on crowns, 2 to 1"


@clause("kingdomino/shared")
def test_then_the_victory_is_shared() -> None:
    assert rank_boards("w1 # f", "f1 # l").startswith("Ann and Bo share the victory")


@clause("kingdomino/middle-kingdom")
@pytest.mark.parametrize(
    "text, expected", [("w w w / w # w / w w w", 10), ("w w w / # w w / w w w", 0), ("w # w", 10), ("# w w", 0)]
)
def test_a_castle_in_the_centre_is_worth_ten(text: str, expected: int) -> None:
    assert get_bonus(text, "Middle Kingdom") == expected


@clause("kingdomino/centre")
@pytest.mark.parametrize(
    "text, expected",
    [
        (". . . . . / . . w # w / . . . . .", 10),
        ("w # w w", 0),
        ("w . . / . # . / . . w", 10),
        (". w . / w # w / . ? .", 10),
        (". # . / . # . / . # .", 0),
        ("w w w / w w w", 0),
    ],
)
def test_the_centre_is_that_of_the_smallest_rectangle(text: str, expected: int) -> None:
    assert get_bonus(text, "Middle Kingdom") == expected


FULL_BOARD = " / ".join(["w w w w w"] * 4 + ["# w w w w"])


@clause("kingdomino/harmony")
@clause("kingdomino/complete")
def test_a_full_square_is_worth_five() -> None:
    assert get_bonus(FULL_BOARD, "Harmony") == 5
    assert get_bonus(FULL_BOARD.replace("w / w", ". / w", 1), "Harmony") == 0
    assert get_bonus("w w / w #", "Harmony") == 0
    assert get_bonus(FULL_BOARD, "Harmony", side=7) == 0
    assert get_bonus(" / ".join(["w w w # w w w", *["w w w w w w w"] * 6]), "Harmony", side=7) == 5


@clause("kingdomino/complete")
def test_a_full_square_without_a_castle_is_not_complete() -> None:
    assert get_bonus(FULL_BOARD.replace("#", "w"), "Harmony") == 0
    assert get_bonus(FULL_BOARD.replace("#", "?"), "Harmony") == 5
    assert get_bonus(FULL_BOARD.replace("w / w", "# / w", 1), "Harmony") == 0


@clause("kingdomino/mix")
def test_variants_mix() -> None:
    text = "w w w w w / w w w w w / w w # w w / w w w w w / w w w w w1"
    assert score(Board.parse(text), make_rule_set(variants=["middle-kingdom", "harmony"])).total == 24 + 10 + 5


@clause("kingdomino/grid")
def test_a_kingdom_fits_five_by_five() -> None:
    assert find_broken_clauses("# w w w f", side=5) == set()
    assert find_broken_clauses("# w w w f f f", side=5) == {"kingdomino/grid"}


@clause("kingdomino/mighty-duel")
def test_a_duel_is_played_to_seven_by_seven_with_all_dominoes() -> None:
    rule_set = kingdomino(side=7)
    assert rule_set.side == 7
    assert rule_set.dominoes_drawn == {2: 48}
    assert find_broken_clauses("# w w w f f f", side=7) == set()
    assert find_broken_clauses("# w w w f f f f l", side=7) == {"kingdomino/mighty-duel"}


@clause("kingdomino/in-play")
def test_players_fix_the_dominoes_drawn() -> None:
    assert KINGDOMINO_RULES.dominoes_drawn == {2: 24, 3: 36, 4: 48}


@clause("kingdomino/connection")
@pytest.mark.parametrize(
    "text", ["# w w . . f f", "# w f . / . . l l", "# w w / . . s / . . s", "# w w . . / . . l f . / . . . f f"]
)
def test_every_domino_joins_the_castle_or_its_own_terrain(text: str) -> None:
    assert find_broken_clauses(text) == {"kingdomino/connection"}


@clause("kingdomino/connection")
@pytest.mark.parametrize("text", ["# w f / . . f / . . l", "f . . / w # f / . . l", "# m3 w / . . w / . . w"])
def test_dominoes_joined_by_one_square_are_right(text: str) -> None:
    assert find_broken_clauses(text) == set()


@clause("kingdomino/box")
@pytest.mark.parametrize("text", ["# m3 m", "# l2 w", "m3 w # w m3", "# t w", "w # w", "f m1 # m1 f"])
def test_every_square_belongs_to_a_domino_of_the_box(text: str) -> None:
    assert "kingdomino/box" in find_broken_clauses(text)


def rank_rounds(*rounds: tuple[str, str]) -> str:
    return rank_dynasty(
        [
            [Kingdom(Board.parse(text), name) for text, name in zip(texts, ("Ann", "Bo"), strict=True)]
            for texts in rounds
        ],
        KINGDOMINO_RULES,
    ).reason


@clause("kingdomino/dynasty")
def test_three_rounds_are_summed() -> None:
    assert rank_rounds(("w1", "w2 w"), ("w1", "w"), ("f2 f", "w")) == "Ann wins on points of 3 rounds, 6 to 4"


@clause("kingdomino/dynasty-tie")
def test_equal_sums_share() -> None:
    reason = rank_rounds(("w1", "w"), ("w", "w1"), ("w w w", "w"))
    assert reason == "Ann and Bo share the victory: equal in points of 3 rounds"
