"""Which dominoes lie where, where several can, and what a box lacks."""

import numpy as np
import pytest

from kdvision.game import dominoes
from kdvision.game.board import Board, Square
from kdvision.game.deck import KINGDOMINO, ROYAL_WEDDING, Deck, kinds
from kdvision.game.dominoes import MAX_READINGS, Naming, count_box, name_game_dominoes
from kdvision.lab.games.play import play


def name_alone(board: Board, deck: Deck = KINGDOMINO) -> Naming | None:
    return name_game_dominoes([board], deck)[0]


def list_placed(text: str) -> list[str]:
    naming = name_alone(Board.parse(text))
    assert naming is not None
    return [str(placed) for placed in naming.dominoes]


def test_dominoes_have_their_numbers() -> None:
    assert list_placed("# m3 w") == ["B1-C1: 48"]


def test_alike_dominoes_have_all_their_numbers() -> None:
    assert list_placed("# f f") == ["B1-C1: 3 or 4 or 5 or 6"]


def test_a_domino_of_several_readings_is_not_sure() -> None:
    naming = name_alone(Board.parse("w w # / w w ."))
    assert naming is not None
    assert naming.readings == 2
    assert not any(placed.is_sure for placed in naming.dominoes)
    assert str(naming.dominoes[0]).endswith(": 1 or 2 (or otherwise)")


def test_what_every_reading_shares_is_sure() -> None:
    naming = name_alone(Board.parse("w w # m3 w / w w . . ."))
    assert naming is not None
    assert [placed.numbers for placed in naming.dominoes if placed.is_sure] == [(48,)]


def test_readings_that_cannot_be_built_do_not_count() -> None:
    # Upright dominoes f f and l w would do for the box, but l w would touch nothing of its own.
    assert list_placed("# f l / . f w") == ["B1-C1: 17", "B2-C2: 13"]


@pytest.mark.parametrize("text", ["# m3 m3", "# w w f f", "# w"])
def test_a_wrong_board_has_no_dominoes(text: str) -> None:
    assert name_alone(Board.parse(text)) is None


def test_mixed_boxes_name_the_box() -> None:
    naming = name_alone(Board.parse("# t g"), ROYAL_WEDDING)
    assert naming is not None
    assert naming.dominoes[0].numbers == ("Q35", "Q36")


def name_together(*boards: str) -> list[str]:
    namings = name_game_dominoes([Board.parse(text) for text in boards], KINGDOMINO)
    return [
        "none"
        if naming is None
        else f"{naming.readings}/{naming.readings_alone} {', '.join(map(str, naming.dominoes))}"
        for naming in namings
    ]


def test_what_another_kingdom_needs_narrows_the_readings() -> None:
    square = ". f l . / # f w . / w w w w"
    alone, _ = name_together(square, "# m3 w")
    narrowed, other = name_together(square, "# w f")
    assert alone.startswith("2/2 ")
    assert narrowed.startswith("1/2 ")
    assert "otherwise" not in narrowed
    assert other == "1/1 B1-C1: 13"


def test_where_there_is_too_much_to_follow_each_is_named_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dominoes, "MAX_FRONTIER", 0)
    square, _ = name_together(". f l . / # f w . / w w w w", "# w f")
    assert square.startswith("2/2 ")


def test_kingdoms_that_no_one_box_laid_are_named_each_by_itself() -> None:
    assert name_together("# m3 w", "# m3 w") == ["1/1 B1-C1: 48"] * 2


def test_a_wrong_board_narrows_no_other() -> None:
    assert name_together("# m3 m3", "# ? f", "# m3 w") == ["none", "none", "1/1 B1-C1: 48"]
    assert name_together() == []


@pytest.mark.parametrize("seed", range(6))
def test_what_was_played_is_among_the_readings(seed: int) -> None:
    kingdoms = play(np.random.default_rng(seed), players=2, side=7, care=(0, 1))
    alone = [name_alone(kingdom.board) for kingdom in kingdoms]
    beside = name_game_dominoes([kingdom.board for kingdom in kingdoms], KINGDOMINO)
    for kingdom, one, other in zip(kingdoms, alone, beside, strict=True):
        assert one is not None and other is not None
        top, left = kingdom.top_left
        played = {
            frozenset(Square(s.row - top, s.col - left) for s in (p.left, p.right)): p.domino.number
            for p in kingdom.placements
        }
        for placed in (*one.dominoes, *other.dominoes):
            if placed.is_sure:
                assert played[frozenset(placed.squares)] in placed.numbers
        assert 1 <= other.readings <= other.readings_alone == one.readings <= MAX_READINGS


# The box counted over the kingdoms of a game


def test_four_whole_kingdoms_account_for_all_dominoes() -> None:
    boards = [kingdom.board for kingdom in play(np.random.default_rng(3), players=4)]
    counted = count_box(boards, KINGDOMINO, drawn_count=48)
    laid = sum(len(board) - 1 for board in boards) // 2
    assert (counted.dominoes_laid, counted.box_size, counted.excess, counted.unnamed_kingdoms) == (laid, 48, (), ())
    assert sum(one.count for one in counted.missing_dominoes) == 48 - laid
    assert counted.is_possible
    words = "all 48 dominoes are accounted for" if laid == 48 else f"{laid} of the 48 dominoes are accounted for"
    assert str(counted).startswith(words)


def test_every_domino_is_missing_or_here() -> None:
    boards = [kingdom.board for kingdom in play(np.random.default_rng(4), players=3)]
    counted = count_box(boards, KINGDOMINO, drawn_count=36)
    here = sum((kinds(KINGDOMINO) - kinds(())).values()) // 2 - sum(one.count for one in counted.missing_dominoes)
    assert here == counted.dominoes_laid
    assert "of 36 that were drawn" in str(counted)


def test_the_same_kingdom_twice_uses_dominoes_twice() -> None:
    board = Board.parse("w m3 # s m2 / . . w g2 .")
    counted = count_box([board, board.rotate()], KINGDOMINO)
    assert not counted.is_possible
    assert {one.shows for one in counted.excess} >= {"m3 w", "g2 w"}
    assert all(one.kingdoms == (0, 1) for one in counted.excess)
    assert "domino 48 (m3 w) lies in kingdoms 1 and 2" in str(counted)
    counted = count_box([Board.parse("w w # w w"), Board.parse("w w #")], KINGDOMINO)
    assert str(counted) == "more than the box has: 3 of 1 and 2 (w w) lie in kingdoms 1 and 2"


def test_ambiguous_dominoes_are_not_missing() -> None:
    counted = count_box([Board.parse("w w # m3 m3"), Board.parse("w ? #")], KINGDOMINO)
    assert counted.unnamed_kingdoms == (0, 1) and counted.missing_dominoes == ()
    assert "kingdoms 1 and 2 cannot be told" in str(counted)


def test_kingdoms_that_one_box_can_have_laid_only_in_different_ways_are_right() -> None:
    """One lays 15 and 17, the other 14 and 18: each way goes with some of the other's, none with any."""
    twins = [Board.parse("# w g / f l f / f f f")] * 2
    assert count_box(twins, KINGDOMINO).is_possible
