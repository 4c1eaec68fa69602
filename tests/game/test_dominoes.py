"""The dominoes of a board, boards with several readings, and the dominoes that a box lacks."""

import numpy as np
import pytest

from kdvision.game import dominoes
from kdvision.game.board import Board, Square
from kdvision.game.deck import KINGDOMINO, ROYAL_WEDDING, Deck, count_kinds
from kdvision.game.dominoes import MAX_READINGS, Naming, count_box, name_game_dominoes
from kdvision.lab.games.play import play


def name_dominoes(board: Board, deck: Deck = KINGDOMINO) -> Naming | None:
    return name_game_dominoes([board], deck)[0]


def list_dominoes(text: str) -> list[str]:
    naming = name_dominoes(Board.parse(text))
    assert naming is not None
    return [str(domino) for domino in naming.dominoes]


def test_dominoes_have_their_numbers() -> None:
    assert list_dominoes("# m3 w") == ["B1-C1: 48"]


def test_alike_dominoes_have_all_their_numbers() -> None:
    assert list_dominoes("# f f") == ["B1-C1: 3 or 4 or 5 or 6"]


def test_a_domino_of_several_readings_is_not_sure() -> None:
    naming = name_dominoes(Board.parse("w w # / w w ."))
    assert naming is not None
    assert naming.readings == 2
    assert not any(domino.is_sure for domino in naming.dominoes)
    assert str(naming.dominoes[0]).endswith(": 1 or 2 (or otherwise)")


def test_what_every_reading_shares_is_sure() -> None:
    naming = name_dominoes(Board.parse("w w # m3 w / w w . . ."))
    assert naming is not None
    assert [domino.numbers for domino in naming.dominoes if domino.is_sure] == [(48,)]


def test_readings_that_cannot_be_built_do_not_count() -> None:
    # The box also has upright dominoes f f and l w, but l w touches neither the castle nor its own terrain.
    assert list_dominoes("# f l / . f w") == ["B1-C1: 17", "B2-C2: 13"]


@pytest.mark.parametrize("text", ["# m3 m3", "# w w f f", "# w"])
def test_a_wrong_board_has_no_dominoes(text: str) -> None:
    assert name_dominoes(Board.parse(text)) is None


def test_mixed_boxes_name_the_box() -> None:
    naming = name_dominoes(Board.parse("# t g"), ROYAL_WEDDING)
    assert naming is not None
    assert naming.dominoes[0].numbers == ("Q35", "Q36")


def describe_namings(*boards: str) -> list[str]:
    namings = name_game_dominoes([Board.parse(text) for text in boards], KINGDOMINO)
    return [
        "none"
        if naming is None
        else f"{naming.readings}/{naming.readings_alone} {', '.join(map(str, naming.dominoes))}"
        for naming in namings
    ]


def test_what_another_kingdom_needs_narrows_the_readings() -> None:
    ambiguous_board = ". f l . / # f w . / w w w w"
    ambiguous_naming, _ = describe_namings(ambiguous_board, "# m3 w")
    narrowed_naming, rival_naming = describe_namings(ambiguous_board, "# w f")
    assert ambiguous_naming.startswith("2/2 ")
    assert narrowed_naming.startswith("1/2 ")
    assert "otherwise" not in narrowed_naming
    assert rival_naming == "1/1 B1-C1: 13"


def test_where_there_is_too_much_to_follow_each_is_named_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dominoes, "MAX_FRONTIER", 0)
    ambiguous_naming, _ = describe_namings(". f l . / # f w . / w w w w", "# w f")
    assert ambiguous_naming.startswith("2/2 ")


def test_kingdoms_that_no_one_box_laid_are_named_each_by_itself() -> None:
    assert describe_namings("# m3 w", "# m3 w") == ["1/1 B1-C1: 48"] * 2


def test_a_wrong_board_narrows_no_other() -> None:
    assert describe_namings("# m3 m3", "# ? f", "# m3 w") == ["none", "none", "1/1 B1-C1: 48"]
    assert describe_namings() == []


@pytest.mark.parametrize("seed", range(6))
def test_what_was_played_is_among_the_readings(seed: int) -> None:
    kingdoms = play(np.random.default_rng(seed), players=2, side=7, care=(0, 1))
    single_namings = [name_dominoes(kingdom.board) for kingdom in kingdoms]
    joint_namings = name_game_dominoes([kingdom.board for kingdom in kingdoms], KINGDOMINO)
    for kingdom, single_naming, joint_naming in zip(kingdoms, single_namings, joint_namings, strict=True):
        assert single_naming is not None and joint_naming is not None
        top, left = kingdom.top_left
        numbers_by_squares = {
            frozenset(Square(s.row - top, s.col - left) for s in (p.left, p.right)): p.domino.number
            for p in kingdom.placements
        }
        for domino in (*single_naming.dominoes, *joint_naming.dominoes):
            if domino.is_sure:
                assert numbers_by_squares[frozenset(domino.squares)] in domino.numbers
        assert 1 <= joint_naming.readings <= joint_naming.readings_alone == single_naming.readings <= MAX_READINGS


# The box counted over the kingdoms of a game


def test_four_whole_kingdoms_account_for_all_dominoes() -> None:
    boards = [kingdom.board for kingdom in play(np.random.default_rng(3), players=4)]
    count = count_box(boards, KINGDOMINO, drawn_count=48)
    laid_count = sum(len(board) - 1 for board in boards) // 2
    assert (count.dominoes_laid, count.box_size, count.excess, count.unnamed_kingdoms) == (laid_count, 48, (), ())
    assert sum(domino.count for domino in count.missing_dominoes) == 48 - laid_count
    assert count.is_possible
    words = (
        "all 48 dominoes are accounted for"
        if laid_count == 48
        else f"{laid_count} of the 48 dominoes are accounted for"
    )
    assert str(count).startswith(words)


def test_every_domino_is_missing_or_here() -> None:
    boards = [kingdom.board for kingdom in play(np.random.default_rng(4), players=3)]
    count = count_box(boards, KINGDOMINO, drawn_count=36)
    laid_count = sum((count_kinds(KINGDOMINO) - count_kinds(())).values()) // 2 - sum(
        domino.count for domino in count.missing_dominoes
    )
    assert laid_count == count.dominoes_laid
    assert "of 36 that were drawn" in str(count)


def test_the_same_kingdom_twice_uses_dominoes_twice() -> None:
    board = Board.parse("w m3 # s m2 / . . w g2 .")
    count = count_box([board, board.rotate()], KINGDOMINO)
    assert not count.is_possible
    assert {domino.shows for domino in count.excess} >= {"m3 w", "g2 w"}
    assert all(domino.kingdoms == (0, 1) for domino in count.excess)
    assert "domino 48 (m3 w) lies in kingdoms 1 and 2" in str(count)
    count = count_box([Board.parse("w w # w w"), Board.parse("w w #")], KINGDOMINO)
    assert str(count) == "more than the box has: 3 of 1 and 2 (w w) lie in kingdoms 1 and 2"


def test_ambiguous_dominoes_are_not_missing() -> None:
    count = count_box([Board.parse("w w # m3 m3"), Board.parse("w ? #")], KINGDOMINO)
    assert count.unnamed_kingdoms == (0, 1) and count.missing_dominoes == ()
    assert "kingdoms 1 and 2 cannot be told" in str(count)


def test_kingdoms_that_one_box_can_have_laid_only_in_different_ways_are_right() -> None:
    """One kingdom has dominoes 15 and 17, the other 14 and 18, so they have different readings."""
    boards = [Board.parse("# w g / f l f / f f f")] * 2
    assert count_box(boards, KINGDOMINO).is_possible
