"""Which kingdom read is which true one."""

import numpy as np

from kdvision.evaluate.match import Kingdom, matched
from kdvision.game.board import Board

BOARD = Board.parse("w1 w / # f")


def read(board: Board) -> Kingdom:
    return Kingdom(board, board, np.zeros(2))


def test_a_turned_board_is_the_same_kingdom() -> None:
    (pair,) = matched([BOARD], [None], [read(BOARD.turned(1))])
    assert pair is not None and pair.exact and pair.quarters == 3


def test_where_one_side_has_none_nothing_is_matched() -> None:
    assert matched([], [], [read(BOARD)]) == []
    assert matched([BOARD], [None], []) == [None]
