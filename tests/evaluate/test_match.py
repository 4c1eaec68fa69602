"""Which kingdom that was read is which true kingdom."""

import numpy as np

from kdvision.evaluate.match import DecidedBoard, match_kingdoms
from kdvision.game.board import Board

BOARD = Board.parse("w1 w / # f")


def decided(board: Board) -> DecidedBoard:
    return DecidedBoard(board, board, np.zeros(2))


def test_a_rotated_board_is_the_same_kingdom() -> None:
    (match,) = match_kingdoms([BOARD], [None], [decided(BOARD.rotate(1))])
    assert match is not None and match.exact and match.quarters == 3


def test_without_kingdoms_on_one_side_nothing_matches() -> None:
    assert match_kingdoms([], [], [decided(BOARD)]) == []
    assert match_kingdoms([BOARD], [None], []) == [None]
