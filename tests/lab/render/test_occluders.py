"""Things that lie on kingdoms, as training draws them."""

import numpy as np
import pytest

from kdvision.lab.render.objects import occluders

SIDE = 30
CORNERS = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
SQUARES = [SIDE * (CORNERS + np.array([3 + col, 2 + row])) for row in range(3) for col in range(3)]


def strewn(seed: int) -> tuple[occluders.Bytes, occluders.Floats, occluders.Bytes]:
    picture, gloss = np.full((200, 260, 3), 120, np.uint8), np.full((200, 260), -1, np.float32)
    cover = np.zeros((200, 260), np.uint8)
    occluders.place_occluders(picture, gloss, cover, SQUARES, [], np.random.default_rng(seed))
    return picture, gloss, cover


@pytest.mark.parametrize("seed", range(8))
def test_what_is_hidden_is_marked_and_has_the_thing_s_gloss(seed: int) -> None:
    picture, gloss, cover = strewn(seed)
    hidden = cover == 255
    assert hidden.any() and not hidden.all()
    assert ((gloss >= 0) == hidden).all()
    assert not (picture[hidden] == 120).all()
    assert picture.dtype == np.uint8


def test_equal_seeds_lay_equal_things_and_others_do_not() -> None:
    assert np.array_equal(strewn(3)[0], strewn(3)[0])
    assert not np.array_equal(strewn(3)[0], strewn(4)[0])


def test_most_things_hide_a_square_and_some_lie_beside() -> None:
    """A network that saw things on kingdoms only would take every cup on the table for a hidden tile."""
    on = [any(strewn(seed)[2][int(q[0, 1]) + 15, int(q[0, 0]) + 15] for q in SQUARES) for seed in range(60)]
    assert 0.5 < np.mean(on) < 0.95


@pytest.mark.parametrize("shape", occluders.SHAPES)
def test_every_shape_lies_about_its_point(shape: occluders.Shape) -> None:
    for seed in range(5):
        mask = np.zeros((300, 300), np.float32)
        shape(mask, np.array([150.0, 150.0]), 20.0, np.random.default_rng(seed))
        rows, cols = np.nonzero(mask)
        assert np.hypot(rows - 150, cols - 150).min() < 20
        assert 0 < (mask > 0.5).mean() < 0.6


def test_without_squares_nothing_is_laid() -> None:
    picture = np.full((40, 40, 3), 9, np.uint8)
    occluders.place_occluders(
        picture, np.zeros((40, 40), np.float32), np.zeros((40, 40), np.uint8), [], [], np.random.default_rng(0)
    )
    assert (picture == 9).all()
