"""What counts as found, outlined, exact and silent, by where squares lie in the picture."""

from __future__ import annotations

import numpy as np

from kdvision.game.board import Board
from kdvision.lab.experiments.judged import judge
from kdvision.lab.render.renderer import Picture, RenderedKingdom, RenderedSquare
from tests.kingdoms import SMALL, doubt, grid_of, seen

OTHER = "l l1 / # w"


def picture(*kingdoms: tuple[str, float]) -> Picture:
    """A picture with the boards' squares 50 pixels wide, each board so far from the left."""
    return Picture(np.zeros((600, 900, 3), np.uint8), tuple(true(text, left) for text, left in kingdoms), ())


def true(text: str, left: float) -> RenderedKingdom:
    board = Board.parse(text)
    grid = grid_of(board, left=left)
    return RenderedKingdom(board, {square: RenderedSquare(grid.quad(square), 0.0) for square in board}, {})


def test_the_same_board_at_its_place_is_exact() -> None:
    verdict = judge(picture((SMALL, 40)), [seen(SMALL)])
    assert (verdict.kingdoms, verdict.found, verdict.outlined, verdict.exact) == (1, 1, 1, 1)
    assert (verdict.silent, verdict.invented, verdict.squares) == (0, 0, 8)


def test_a_board_read_upside_down_is_as_good() -> None:
    """Rows and columns may run either way: what counts is what lies where."""
    read = seen(SMALL)
    board = read.board.turned(2)
    quads = np.rot90(read.grid.quads, 2).copy()
    turned = type(read)(board, type(read.grid)(quads), read.reading, (), (), 0.9, False, "the photo")
    assert judge(picture((SMALL, 40)), [turned]).exact == 1


def test_a_misread_square_keeps_the_outline() -> None:
    verdict = judge(picture((SMALL, 40)), [seen(SMALL.replace("f1", "f"))])
    assert (verdict.outlined, verdict.exact, verdict.misread, verdict.silent) == (1, 0, 1, 1)


def test_a_warning_is_no_silence() -> None:
    read = seen(SMALL.replace("f1", "f"), doubts=[doubt("C2", "f", "f1")])
    assert judge(picture((SMALL, 40)), [read]).silent == 0


def test_a_missed_and_an_invented_square_break_the_outline() -> None:
    missed = judge(picture((SMALL, 40)), [seen("w1 w w / # f f1 / . l .")])
    assert (missed.found, missed.outlined, missed.missed, missed.extra) == (1, 0, 1, 0)
    extra = judge(picture((SMALL, 40)), [seen("w1 w w / # f f1 / g l l")])
    assert (extra.found, extra.outlined, extra.missed, extra.extra) == (1, 0, 0, 1)


def test_the_right_board_a_square_beside_its_place_is_wrong() -> None:
    verdict = judge(picture((SMALL, 40)), [seen(SMALL, left=90)])
    assert verdict.found == 1 and verdict.outlined == 0 and verdict.exact == 0


def test_each_kingdom_has_its_own() -> None:
    both = judge(picture((SMALL, 40), (OTHER, 500)), [seen(OTHER, left=500), seen(SMALL)])
    assert (both.kingdoms, both.found, both.exact, both.sure) == (2, 2, 2, 2)


def test_a_kingdom_where_none_lies_is_invented() -> None:
    verdict = judge(picture((SMALL, 40)), [seen(SMALL), seen(OTHER, left=500)])
    assert (verdict.found, verdict.invented, verdict.silent) == (1, 1, 0)


def test_less_than_half_a_kingdom_is_not_found() -> None:
    verdict = judge(picture((SMALL, 40)), [seen("w1 w w")])
    assert (verdict.found, verdict.invented) == (0, 1)


def test_a_missed_kingdom_is_silent_unless_something_was_said() -> None:
    two = picture((SMALL, 40), (OTHER, 500))
    assert judge(two, [seen(SMALL)]).silent == 1
    told = judge(two, [seen(SMALL, doubts=[doubt("A1", "w1", "w")])])
    assert (told.silent, told.sure) == (0, 0)
    assert judge(picture((SMALL, 40)), [], error=True).silent == 0
    assert judge(picture((SMALL, 40)), []).silent == 1


def test_nothing_on_the_table_and_nothing_read_is_right() -> None:
    assert judge(picture(), [], error=True).kingdoms == 0
    assert judge(picture(), [seen(SMALL)]).invented == 1
