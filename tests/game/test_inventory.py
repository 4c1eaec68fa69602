"""The box counted over the kingdoms of a game."""

import numpy as np

from kdvision.game.board import Board
from kdvision.game.deck import KINGDOMINO, kinds
from kdvision.game.dominoes import count_box
from kdvision.lab.games.play import play


def test_four_whole_kingdoms_account_for_all_dominoes() -> None:
    boards = [kingdom.board for kingdom in play(np.random.default_rng(3), players=4)]
    counted = count_box(boards, KINGDOMINO, drawn=48)
    laid = sum(len(board) - 1 for board in boards) // 2
    assert (counted.laid, counted.box_size, counted.excess, counted.unnamed) == (laid, 48, (), ())
    assert sum(one.count for one in counted.missing) == 48 - laid
    assert counted.is_possible
    words = "all 48 dominoes are accounted for" if laid == 48 else f"{laid} of the 48 dominoes are accounted for"
    assert str(counted).startswith(words)


def test_every_domino_is_missing_or_here() -> None:
    boards = [kingdom.board for kingdom in play(np.random.default_rng(4), players=3)]
    counted = count_box(boards, KINGDOMINO, drawn=36)
    here = sum((kinds(KINGDOMINO) - kinds(())).values()) // 2 - sum(one.count for one in counted.missing)
    assert here == counted.laid
    assert "of 36 that were drawn" in str(counted)


def test_the_same_kingdom_twice_uses_dominoes_twice() -> None:
    board = Board.parse("w m3 # s m2 / . . w g2 .")
    counted = count_box([board, board.rotate()], KINGDOMINO)
    assert not counted.is_possible
    assert {one.shows for one in counted.excess} >= {"m3 w", "g2 w"}
    assert all(one.kingdoms == (0, 1) for one in counted.excess)
    assert "domino 48 (m3 w) lies in kingdoms 1 and 2" in str(counted)


def test_ambiguous_dominoes_are_not_missing() -> None:
    counted = count_box([Board.parse("w w # m3 m3"), Board.parse("w ? #")], KINGDOMINO)
    assert counted.unnamed == (0, 1) and counted.missing == ()
    assert "kingdoms 1 and 2 cannot be told" in str(counted)


def test_kingdoms_that_one_box_can_have_laid_only_in_different_ways_are_right() -> None:
    """One lays 15 and 17, the other 14 and 18: each way goes with some of the other's, none with any."""
    twins = [Board.parse("# w g / f l f / f f f")] * 2
    assert count_box(twins, KINGDOMINO).is_possible
