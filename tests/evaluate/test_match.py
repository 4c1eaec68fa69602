"""Which kingdom that was read is which true kingdom."""

from kdvision.evaluate.match import match_kingdoms
from kdvision.game.board import Board
from tests.kingdoms import make_reading

BOARD = Board.parse("w1 w / # f")


def test_a_rotated_board_is_the_same_kingdom() -> None:
    (match,) = match_kingdoms([BOARD], [None], [make_reading(str(BOARD.rotate(1)))])
    assert match is not None and match.exact and match.quarters == 3


def test_without_kingdoms_on_one_side_nothing_matches() -> None:
    assert match_kingdoms([], [], [make_reading(str(BOARD))]) == []
    assert match_kingdoms([BOARD], [None], []) == [None]
