"""Each photo factor has its effect and no other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kdvision.evaluate.corruptions.pixels import GAMMA, encode_jpeg
from kdvision.lab.render import light
from kdvision.lab.render.light import PhotoFactors

Floats = NDArray[np.float32]
IDEAL_FACTORS = PhotoFactors(0.0, 0.0, 0.0, 0.0, 0.0)


def make_grey_picture(level: float = 0.5) -> Floats:
    return np.full((120, 160, 3), level, np.float32)


def make_chequered_picture() -> Floats:
    y, x = np.mgrid[0:120, 0:160] // 10
    return np.repeat(((x + y) % 2 * 0.6 + 0.2)[..., None], 3, axis=2).astype(np.float32)


def average_over_seeds(measure: Callable[[np.random.Generator], float], seeds: int = 12) -> float:
    return float(np.mean([measure(np.random.default_rng(seed)) for seed in range(seeds)]))


def measure_sharpness(photo: NDArray[np.uint8]) -> float:
    return float(np.abs(cv2.Laplacian(photo[..., 1].astype(np.float32), cv2.CV_32F)).mean() / photo.std())


def test_factors_lie_between_0_and_1_and_most_photos_are_fair() -> None:
    samples = np.array([astuple(PhotoFactors.sample(np.random.default_rng(seed))) for seed in range(300)])
    assert samples.min() >= 0
    assert samples.max() <= 1
    assert np.median(samples) < 0.4
    assert (samples.max(1) > 0.7).mean() > 0.2


def test_a_harder_light_is_less_even() -> None:
    def measure_unevenness(strength: float) -> Callable[[np.random.Generator], float]:
        return lambda rng: float(light.add_illumination(make_grey_picture(), rng, strength)[..., 1].std())

    assert average_over_seeds(measure_unevenness(1.0)) > 3 * average_over_seeds(measure_unevenness(0.0))


def test_light_multiplies_so_black_stays_black() -> None:
    for seed in range(5):
        assert not light.add_illumination(make_grey_picture(0.0), np.random.default_rng(seed), 1.0).any()


FLAT_TABLE = np.zeros((120, 160, 2), np.float32)


def test_glare_shows_only_on_what_is_glossy() -> None:
    gloss = np.zeros((120, 160), np.float32)
    gloss[:, 80:] = 1
    is_changed = np.zeros((120, 160), bool)
    for seed in range(8):
        picture = light.add_glare(make_grey_picture(0.3), gloss, np.random.default_rng(seed), 1.0, lean=FLAT_TABLE)
        is_changed |= np.abs(picture - 0.3).max(-1) > 0.02
    assert not is_changed[:, :80].any()
    assert is_changed[:, 80:].mean() > 0.5


@pytest.mark.parametrize("sigma", [3.0, 25.0, 80.0])
def test_a_wide_blur_at_a_lower_resolution_is_the_same(sigma: float) -> None:
    mask = np.zeros((480, 640), np.float32)
    cv2.ellipse(mask, (300, 200), (150, 60), 30, 0, 360, 1.0, -1)
    assert np.allclose(light.blur_mask(mask, sigma), cv2.GaussianBlur(mask, (0, 0), sigma), atol=0.02)


def test_reflections_add_light() -> None:
    gloss = np.ones((120, 160), np.float32)
    dark_picture, bright_picture = (
        light.add_glare(make_grey_picture(level), gloss, np.random.default_rng(4), 1.0, lean=FLAT_TABLE)
        for level in (0.2, 0.6)
    )
    added_light = [
        picture.astype(float) ** GAMMA - level**GAMMA for picture, level in ((dark_picture, 0.2), (bright_picture, 0.6))
    ]
    assert added_light[0].max() > 0.1
    assert added_light[0].min() > -1e-6
    assert np.allclose(added_light[0], added_light[1], atol=1e-5)


def test_a_leaning_card_mirrors_another_spot() -> None:
    gloss = np.ones((120, 160), np.float32)
    lean = np.zeros((120, 160, 2), np.float32)
    lean[40:80, 60:100] = (0.06, -0.04)
    differences = []
    for seed in range(6):
        flat_picture, leaning_picture = (
            light.add_glare(make_grey_picture(0.2), gloss, np.random.default_rng(seed), 1.0, lean=slope)
            for slope in (lean * 0, lean)
        )
        differences.append(np.abs(flat_picture - leaning_picture).max(-1) > 0.01)
    is_changed = np.any(differences, axis=0)
    assert is_changed[40:80, 60:100].mean() > 0.5
    is_changed[40:80, 60:100] = False
    assert not is_changed.any()


def test_motion_smears_along_its_line_only() -> None:
    picture = np.zeros((61, 61, 3), np.float32)
    picture[:, 30] = 1
    blur_along = light.add_motion_blur(picture, length=9, angle=np.pi / 2)
    blur_across = light.add_motion_blur(picture, length=9, angle=0.0)
    assert blur_along[10:-10] == pytest.approx(picture[10:-10], abs=1e-3)
    assert blur_across[30].sum() == pytest.approx(picture[30].sum(), rel=1e-3)
    assert 7 <= (blur_across[30, :, 0] > 0.02).sum() <= 12


@pytest.mark.parametrize("factor", ["blur", "noise", "jpeg"])
def test_each_factor_of_the_camera_has_its_own_effect(factor: str) -> None:
    """Blur softens, noise and blocks roughen; none of them moves the mean."""
    strong_factors = replace(IDEAL_FACTORS, **{factor: 1.0})

    def measure_photos(factors: PhotoFactors) -> tuple[float, float]:
        photos = [light.expose(make_chequered_picture(), np.random.default_rng(seed), factors) for seed in range(10)]
        return float(np.mean([measure_sharpness(p) for p in photos])), float(np.mean([p.mean() for p in photos]))

    (easy_sharpness, easy_mean), (bad_sharpness, bad_mean) = (
        measure_photos(IDEAL_FACTORS),
        measure_photos(strong_factors),
    )
    assert bad_mean == pytest.approx(easy_mean, abs=15)
    assert (bad_sharpness < 0.8 * easy_sharpness) if factor == "blur" else (bad_sharpness > easy_sharpness)


def test_a_clean_photo_equals_its_picture() -> None:
    for seed in range(5):
        photo = light.expose(make_chequered_picture(), np.random.default_rng(seed), IDEAL_FACTORS)
        assert photo.shape == (120, 160, 3)
        assert np.corrcoef(photo[..., 1].ravel(), make_chequered_picture()[..., 1].ravel())[0, 1] > 0.97


def test_jpeg_keeps_shape_and_order_of_colours_and_loses_with_lower_quality() -> None:
    photo = (make_chequered_picture() * 255 * (1.0, 0.5, 0.1)).astype(np.uint8)
    noisy = np.clip(photo + np.random.default_rng(0).normal(0, 25, photo.shape), 0, 255).astype(np.uint8)
    losses = [np.abs(encode_jpeg(noisy, quality).astype(int) - noisy).mean() for quality in (97, 60, 20)]
    assert encode_jpeg(photo, 97).mean((0, 1)) == pytest.approx(photo.mean((0, 1)), abs=4)
    assert losses == sorted(losses)
