"""The crops that are cut from a rendered picture: squares that it shows, and no others."""

from __future__ import annotations

import numpy as np

from kdvision.game.board import Board, Square
from kdvision.lab.render.renderer import Picture, RenderedKingdom, RenderedSquare
from kdvision.lab.train.examples import TILE_KINDS, cut_cell_examples

SIDE = 40


def make_picture(*, shift: int) -> Picture:
    """Return a picture of a board of 3x3 from above, of which `shift` pixels on the left are cut off."""
    board = Board.parse("w w f / # f l / g g l")
    box = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]]) * SIDE
    squares = {
        Square(row, col): RenderedSquare(box + np.array([col * SIDE + 20 - shift, row * SIDE + 20]), 0.0)
        for row in range(3)
        for col in range(3)
    }
    photo = np.full((160, 160 - shift, 3), 90, np.uint8)
    return Picture(photo, (RenderedKingdom(board, squares, {}),), ())


def list_kinds(picture: Picture) -> list[str]:
    examples = cut_cell_examples(picture, np.random.default_rng(3))
    return sorted(TILE_KINDS[kind] for kind, tile in examples.labels[:, :2] if tile)


def test_every_square_of_a_picture_is_cut_with_its_kind() -> None:
    assert list_kinds(make_picture(shift=0)) == sorted("wwf#flggl")


def test_squares_beyond_the_picture_are_left_out() -> None:
    """Their crops are grey; a network would learn that grey means any kind."""
    assert list_kinds(make_picture(shift=35)) == sorted("wwf#flggl")  # the centres of the first column are visible
    assert list_kinds(make_picture(shift=45)) == sorted("wffllg")
