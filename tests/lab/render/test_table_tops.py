"""Table tops have the wanted size, differ by seed and are the same for the same seed."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray

from kdvision.lab.arrays import Floats32
from kdvision.lab.render.objects.surface import TILE_COLOURS, Surface, TableTop, choose_colour, paint
from kdvision.lab.render.objects.table_tops import SURFACE_MAKERS, _make_rug, make_patterned_top, make_table_top


@pytest.mark.parametrize("kind", sorted({kind.__name__: kind for kind in SURFACE_MAKERS}.values(), key=str))
@pytest.mark.parametrize("unit", [4.0, 30.0, 90.0])
def test_every_kind_makes_a_picture_in_range(kind: TableTop, unit: float) -> None:
    for seed in range(3):
        picture = paint(kind, np.random.default_rng(seed), 90, 140, unit)
        assert picture.shape == (90, 140, 3)
        assert picture.dtype == np.float32
        assert np.isfinite(picture).all()
        assert picture.min() >= 0
        assert picture.max() <= 1


def test_tables_differ_by_seed_and_only_by_seed() -> None:
    pictures = [paint(make_table_top, np.random.default_rng(seed), 60, 60, 12.0) for seed in (*range(20), 0)]
    assert np.array_equal(pictures[0], pictures[-1])
    assert len({picture.tobytes() for picture in pictures}) == 20


def test_some_tables_have_the_colour_of_a_terrain() -> None:
    means = np.array([choose_colour(np.random.default_rng(seed)) for seed in range(300)])
    for terrain in TILE_COLOURS:
        assert (np.abs(means - terrain).max(1) < 0.15).sum() >= 2


def test_photographed_scraps_are_tiled_without_seams() -> None:
    ramp = np.tile(np.linspace(40, 200, 63, dtype=np.uint8)[None, :, None], (63, 1, 3))
    tiled_count = 0
    for seed in range(30):
        picture = paint(partial(make_table_top, scraps=[ramp]), np.random.default_rng(seed), 80, 80, 16.0)
        tiled_count += is_smooth(picture) and picture.mean(2).std() > 0.1
    assert tiled_count >= 3


def is_smooth(picture: NDArray[np.float32]) -> bool:
    return bool(np.abs(np.diff(picture.mean(2), axis=1)).max() < 0.15)


@pytest.mark.parametrize("cell", [1.0, 6.0, 40.0])
def test_noise_has_the_wanted_cell_size(cell: float) -> None:
    field = Surface(np.random.default_rng(0), 200, 220, 1.0).make_noise(cell)
    assert field.shape == (200, 220)
    assert abs(field.mean()) < 0.5
    roughness = float(np.abs(np.diff(field, axis=1)).mean() / field.std())
    assert (roughness > 0.8) if cell == 1.0 else (roughness < 2.5 / cell)


def paint_patterned_top(seed: int) -> Floats32:
    return paint(make_patterned_top, np.random.default_rng(seed), 90, 120, 20.0)


@pytest.mark.parametrize("seed", range(12))
def test_a_top_fills_the_table_with_colours(seed: int) -> None:
    picture = paint_patterned_top(seed)
    assert picture.shape == (90, 120, 3)
    assert picture.dtype == np.float32
    assert 0 <= picture.min() < picture.max() <= 1


def test_equal_seeds_give_equal_tops_and_others_do_not() -> None:
    assert np.array_equal(paint_patterned_top(3), paint_patterned_top(3))
    assert not np.array_equal(paint_patterned_top(3), paint_patterned_top(4))


def test_a_rug_repeats_its_rows() -> None:
    """Within two rows of the largest pattern there is a shift after which the lines are the same."""
    rng = np.random.default_rng(2)
    rug = paint(_make_rug, rng, 400, 60, 12.0).mean(axis=2)
    lines = (rug - rug.mean(axis=0)) / rug.std()
    similarities = [float((lines[:-shift] * lines[shift:]).mean()) for shift in range(8, 200)]
    assert max(similarities) > 0.5
