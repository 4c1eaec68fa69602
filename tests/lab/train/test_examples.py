"""What is cut from a rendered picture to learn from: squares that it shows, and no others."""

from __future__ import annotations

import numpy as np

from kdvision.game.board import Board, Square
from kdvision.lab.render.renderer import Picture, RenderedKingdom, RenderedSquare
from kdvision.lab.train.examples import TILE_KINDS, bare_places, cell_examples

SIDE = 40


def picture(*, shift: int) -> Picture:
    """A board of 3x3 in plain colours from above, `shift` pixels to the left of where all of it would be seen."""
    board = Board.parse("w w f / # f l / g g l")
    box = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]]) * SIDE
    squares = {
        Square(row, col): RenderedSquare(box + np.array([col * SIDE + 20 - shift, row * SIDE + 20]), 0.0)
        for row in range(3)
        for col in range(3)
    }
    photo = np.full((160, 160 - shift, 3), 90, np.uint8)
    return Picture(photo, (RenderedKingdom(board, squares, {}),), ())


def tiles(shown: Picture) -> list[str]:
    examples = cell_examples(shown, np.random.default_rng(3))
    return sorted(TILE_KINDS[kind] for kind, tile in zip(examples.kind, examples.tile, strict=True) if tile)


def test_every_square_of_a_picture_is_cut_with_its_kind() -> None:
    assert tiles(picture(shift=0)) == sorted("wwf#flggl")


def test_squares_beyond_the_picture_are_left_out() -> None:
    """Their crops are grey all over: what would be learned is that grey means any kind."""
    assert tiles(picture(shift=35)) == sorted("wwf#flggl")  # the middles of the first column are seen still
    assert tiles(picture(shift=45)) == sorted("wffllg")


def test_bare_places_lie_beside_squares_once_each_and_know_how_many() -> None:
    """A ring about a hole: eight squares, the hole beside four of them, and twelve places outside."""
    box = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    ring = np.array([box + np.array((col, row)) for row in range(3) for col in range(3) if (row, col) != (1, 1)])
    places, near = bare_places(30 * ring)
    middles = {
        tuple(np.rint(place.mean(0) / 30 - 0.5).astype(int)): int(n) for place, n in zip(places, near, strict=True)
    }
    assert middles.pop((1, 1)) == 4
    assert len(places) == 13 and set(middles.values()) == {1}
    assert set(middles) == {(c, r) for c in range(-1, 4) for r in range(-1, 4) if (c in (-1, 3)) != (r in (-1, 3))}
    turned = np.array([np.roll(quad, 1, 0) for quad in ring])  # whichever corner comes first
    assert sorted(bare_places(30 * turned)[1].tolist()) == sorted(near.tolist())


def test_of_no_squares_there_are_no_bare_places() -> None:
    places, near = bare_places(np.zeros((0, 4, 2)))
    assert places.shape == (0, 4, 2)
    assert near.shape == (0,)
