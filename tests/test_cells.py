"""Crops as the cell network gets them, and its answers under quarter turns; the real network runs."""

import numpy as np
import pytest

from kdvision.vision.cells import CROP, INNER, CellReader, prepare
from kdvision.vision.models import shipped


def picture(size: int = 400) -> np.ndarray:
    """Coloured so that every place can be told from its colour: red runs right, green runs down."""
    y, x = np.mgrid[0:size, 0:size] * 255 / size
    return np.dstack([x, y, np.full_like(x, 128)]).astype(np.uint8)


def box(x: float, y: float, side: float) -> np.ndarray:
    return np.array([[x, y], [x + side, y], [x + side, y + side], [x, y + side]])


@pytest.mark.parametrize("side", [20.0, 40.0, 90.0, 200.0])
def test_the_square_fills_the_middle_of_its_crop(side: float) -> None:
    crop = prepare(picture(), box(100, 150, side)[None])[0].astype(float)
    assert crop.shape == (CROP, CROP, 3)
    first, last = (CROP - INNER) // 2, (CROP + INNER) // 2 - 1
    per_pixel = 255 / 400
    within = 1.5 + side / INNER * per_pixel  # one pixel of the crop
    assert crop[CROP // 2, first, 0] == pytest.approx(100 * per_pixel, abs=within)
    assert crop[CROP // 2, last, 0] == pytest.approx((100 + side) * per_pixel, abs=within)
    assert crop[last, CROP // 2, 1] == pytest.approx((150 + side) * per_pixel, abs=within)


def test_corners_that_begin_elsewhere_turn_the_crop() -> None:
    upright, turned = prepare(picture(), np.stack([box(100, 100, 80), np.roll(box(100, 100, 80), -1, axis=0)]))
    assert np.abs(np.rot90(upright).astype(float) - turned)[4:-4, 4:-4].mean() < 3


def test_no_squares_give_no_crops() -> None:
    assert prepare(picture(), np.zeros((0, 4, 2))).shape == (0, CROP, CROP, 3)


def test_turning_a_square_turns_its_partner_and_nothing_else() -> None:
    reader = CellReader(shipped("cells"))
    rng = np.random.default_rng(3)
    noise = rng.integers(0, 256, (50, 50, 3)).astype(np.uint8).repeat(8, 0).repeat(8, 1)
    # four turns are averaged, so a turned square is the same four crops in another order
    upright = reader.look(noise, box(120, 120, 60)[None])
    turned = reader.look(noise, np.roll(box(120, 120, 60), -1, axis=0)[None])
    assert np.allclose(upright.kind, turned.kind, atol=0.05)
    assert np.allclose(upright.presence, turned.presence, atol=0.05)
    # beginning at the top right corner, what lay right of the square now lies above it
    assert np.allclose(np.roll(upright.partner, -1, axis=1), turned.partner, atol=0.05)
    assert np.allclose(np.exp(upright.kind).sum(1), 1)
