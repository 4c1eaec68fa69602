"""Verdicts on rendered pictures: found, outlined, exact, silent errors and false alarms, by position."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from kdvision.game.board import Board
from kdvision.lab.experiments.experiment import Reading
from kdvision.lab.experiments.judge import judge
from kdvision.lab.render.renderer import Picture, RenderedKingdom, RenderedSquare
from kdvision.pipeline import KingdomReading
from tests.kingdoms import SMALL, make_doubt, make_grid, make_reading

OTHER_BOARD = "l l1 / # w"


def make_picture(*kingdoms: tuple[str, float]) -> Picture:
    """Return a picture of boards, each at its distance from the left edge, with squares of 50 pixels."""
    return Picture(np.zeros((600, 900, 3), np.uint8), tuple(render_kingdom(text, left) for text, left in kingdoms), ())


def render_kingdom(text: str, left: float) -> RenderedKingdom:
    board = Board.parse(text)
    grid = make_grid(board, left=left)
    return RenderedKingdom(board, {square: RenderedSquare(grid.quads[square], 0.0) for square in board}, {})


def judge_picture(picture: Picture, *readings: KingdomReading, error: str = "") -> SimpleNamespace:
    return SimpleNamespace(**judge(picture, Reading(readings, error)))


def test_the_same_board_at_its_place_is_exact() -> None:
    verdict = judge_picture(make_picture((SMALL, 40)), make_reading(SMALL))
    assert (verdict.kingdoms, verdict.found, verdict.outlined, verdict.exact) == (1, 1, 1, 1)
    assert (verdict.silent_errors, verdict.invented) == (0, 0)


def test_a_board_read_upside_down_is_as_good() -> None:
    """Rows and columns may run either way: what counts is what lies where."""
    reading = make_reading(SMALL)
    board = reading.board.rotate(2)
    grid = replace(reading.grid, quads=np.rot90(reading.grid.quads, 2).copy())
    turned_reading = replace(reading, board=board, observation=replace(reading.observation, grid=grid))
    assert judge_picture(make_picture((SMALL, 40)), turned_reading).exact == 1


def test_a_misread_square_keeps_the_outline() -> None:
    verdict = judge_picture(make_picture((SMALL, 40)), make_reading(SMALL.replace("f1", "f")))
    assert (verdict.outlined, verdict.exact, verdict.silent_errors) == (1, 0, 1)


def test_a_flagged_kingdom_is_no_silent_error() -> None:
    reading = make_reading(SMALL.replace("f1", "f"), doubts=[make_doubt("C2", "f", "f1")])
    assert judge_picture(make_picture((SMALL, 40)), reading).silent_errors == 0


def test_a_missed_and_an_invented_square_break_the_outline() -> None:
    verdict = judge_picture(make_picture((SMALL, 40)), make_reading("w1 w w / # f f1 / . l ."))
    assert (verdict.found, verdict.outlined, verdict.exact) == (1, 0, 0)
    verdict = judge_picture(make_picture((SMALL, 40)), make_reading("w1 w w / # f f1 / g l l"))
    assert (verdict.found, verdict.outlined, verdict.exact) == (1, 0, 0)


def test_the_right_board_a_square_beside_its_place_is_wrong() -> None:
    verdict = judge_picture(make_picture((SMALL, 40)), make_reading(SMALL, left=90))
    assert verdict.found == 1 and verdict.outlined == 0 and verdict.exact == 0


def test_each_kingdom_has_its_own() -> None:
    verdict = judge_picture(
        make_picture((SMALL, 40), (OTHER_BOARD, 500)), make_reading(OTHER_BOARD, left=500), make_reading(SMALL)
    )
    assert (verdict.kingdoms, verdict.found, verdict.exact, verdict.unflagged) == (2, 2, 2, 2)


def test_a_kingdom_where_none_lies_is_invented() -> None:
    flagged_reading = make_reading(OTHER_BOARD, left=500, doubts=[make_doubt("A1", "l", "l1")])
    for reading, silent_errors in ((make_reading(OTHER_BOARD, left=500), 1), (flagged_reading, 0)):
        verdict = judge_picture(make_picture((SMALL, 40)), make_reading(SMALL), reading)
        assert (verdict.found, verdict.invented, verdict.silent_errors) == (1, 1, silent_errors)


def test_less_than_half_a_kingdom_is_not_found() -> None:
    verdict = judge_picture(make_picture((SMALL, 40)), make_reading("w1 w w"))
    assert (verdict.found, verdict.invented, verdict.silent_errors) == (0, 1, 1)


def test_a_missed_kingdom_is_silent_unless_another_one_is_flagged() -> None:
    picture = make_picture((SMALL, 40), (OTHER_BOARD, 500))
    assert judge_picture(picture, make_reading(SMALL)).silent_errors == 1
    verdict = judge_picture(picture, make_reading(SMALL, doubts=[make_doubt("A1", "w1", "w")]))
    assert (verdict.silent_errors, verdict.unflagged) == (0, 0)
    assert judge_picture(make_picture((SMALL, 40)), error="NoKingdomFound: none").silent_errors == 0
    assert judge_picture(make_picture((SMALL, 40))).silent_errors == 1


def test_nothing_on_the_table_and_nothing_read_is_right() -> None:
    assert judge_picture(make_picture(), error="NoKingdomFound: none").kingdoms == 0
    assert judge_picture(make_picture(), make_reading(SMALL)).invented == 1


def test_an_exact_kingdom_that_is_flagged_is_a_false_alarm() -> None:
    verdict = judge_picture(make_picture((SMALL, 40)), make_reading(SMALL, doubts=[make_doubt("A1", "w1", "w")]))
    assert (verdict.exact, verdict.false_alarms, verdict.unflagged) == (1, 1, 0)
