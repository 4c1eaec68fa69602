"""Objects on kingdoms, as training draws them."""

import numpy as np
import pytest

from kdvision.lab.arrays import Bytes, Floats32
from kdvision.lab.render.objects import occluders

SIDE = 12
CORNERS = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
SQUARES = [SIDE * (CORNERS + np.array([3 + col, 2 + row])) for row in range(3) for col in range(3)]


def draw_occluders(seed: int) -> tuple[Bytes, Floats32, Bytes]:
    picture, gloss = np.full((80, 104, 3), 120, np.uint8), np.full((80, 104), -1, np.float32)
    cover = np.zeros((80, 104), np.uint8)
    occluders.place_occluders(picture, gloss, cover, SQUARES, [], np.random.default_rng(seed))
    return picture, gloss, cover


@pytest.mark.parametrize("seed", range(8))
def test_hidden_pixels_are_marked_and_have_the_reflectance_of_the_object(seed: int) -> None:
    picture, gloss, cover = draw_occluders(seed)
    is_hidden = cover == 255
    assert is_hidden.any() and not is_hidden.all()
    assert ((gloss >= 0) == is_hidden).all()
    assert not (picture[is_hidden] == 120).all()
    assert picture.dtype == np.uint8


def test_equal_seeds_give_equal_objects_and_others_do_not() -> None:
    assert np.array_equal(draw_occluders(3)[0], draw_occluders(3)[0])
    assert not np.array_equal(draw_occluders(3)[0], draw_occluders(4)[0])


def test_most_objects_hide_a_square_and_some_lie_beside() -> None:
    """A network that saw objects on kingdoms only would take every cup on the table for a hidden tile."""
    hides_square = [
        any(draw_occluders(seed)[2][int(q[0, 1]) + 6, int(q[0, 0]) + 6] for q in SQUARES) for seed in range(60)
    ]
    assert 0.5 < np.mean(hides_square) < 0.95


@pytest.mark.parametrize("shape", occluders.SHAPES)
def test_every_shape_lies_around_its_point(shape: occluders.Shape) -> None:
    for seed in range(5):
        mask = np.zeros((300, 300), np.float32)
        shape(mask, np.array([150.0, 150.0]), 20.0, np.random.default_rng(seed))
        rows, cols = np.nonzero(mask)
        assert np.hypot(rows - 150, cols - 150).min() < 20
        assert 0 < (mask > 0.5).mean() < 0.6


def test_without_squares_nothing_is_drawn() -> None:
    picture = np.full((40, 40, 3), 9, np.uint8)
    occluders.place_occluders(
        picture, np.zeros((40, 40), np.float32), np.zeros((40, 40), np.uint8), [], [], np.random.default_rng(0)
    )
    assert (picture == 9).all()
