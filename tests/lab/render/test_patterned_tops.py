"""Patterned table tops."""

import numpy as np
import pytest

from kdvision.lab.render.objects.table_tops import _make_rug, make_patterned_top
from kdvision.lab.render.objects.surface import FloatImage, paint


def top(seed: int) -> FloatImage:
    return paint(make_patterned_top, np.random.default_rng(seed), 90, 120, 20.0)


@pytest.mark.parametrize("seed", range(12))
def test_a_top_fills_the_table_with_colours(seed: int) -> None:
    picture = top(seed)
    assert picture.shape == (90, 120, 3)
    assert picture.dtype == np.float32
    assert 0 <= picture.min() < picture.max() <= 1


def test_equal_seeds_give_equal_tops_and_others_do_not() -> None:
    assert np.array_equal(top(3), top(3))
    assert not np.array_equal(top(3), top(4))


def test_a_rug_repeats_its_rows() -> None:
    """Within two rows of the largest pattern there is a shift after which the lines are the same."""
    rng = np.random.default_rng(2)
    rug = paint(_make_rug, rng, 400, 60, 12.0).mean(axis=2)
    lines = (rug - rug.mean(axis=0)) / rug.std()
    alike = [float((lines[:-shift] * lines[shift:]).mean()) for shift in range(8, 200)]
    assert max(alike) > 0.5
