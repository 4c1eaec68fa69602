"""The diagnosis of a photo without a kingdom: the stage, the reason, and what to change."""

import cv2
import numpy as np
import pytest

from kdvision.errors import OUTLINE_HINT
from kdvision.vision.assess.diagnosis import make_no_kingdom_error
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.probabilities import ClassProbabilities
from kdvision.vision.image.photo import Photo
from tests.kingdoms import make_plain_observation, table_photo
from tests.paths import SAMPLES


@pytest.fixture(scope="module")
def sample() -> Photo:
    return Photo.open(SAMPLES / "demo.jpg")


def make_observation(text: str) -> GridObservation:
    return make_plain_observation(ClassProbabilities.of(text))


@pytest.mark.parametrize("gain", [0.0, 0.1, 0.15])
def test_a_dark_photo_is_diagnosed(gain: float, sample: Photo) -> None:
    error = make_no_kingdom_error(Photo.open((sample.pixels * gain).astype(np.uint8), name="x.jpg"), [])
    assert "x.jpg shows no kingdom: it is too dark" in str(error)
    assert "lamp" in error.hint


def test_an_overexposed_photo_is_diagnosed(sample: Photo) -> None:
    pixels = np.clip(sample.pixels.astype(float) + 200, 0, 255).astype(np.uint8)
    assert "nearly white" in str(make_no_kingdom_error(Photo.open(pixels), []))


def test_a_photo_of_one_colour_is_diagnosed() -> None:
    assert "one colour" in str(make_no_kingdom_error(table_photo(), []))


@pytest.mark.parametrize("tint", [(1.0, 1.0, 1.0), (1.0, 0.9, 0.75)])
def test_a_photo_without_colours_is_diagnosed(tint: tuple[float, ...], sample: Photo) -> None:
    pixels = sample.pixels.mean(axis=2, keepdims=True) * tint
    error = make_no_kingdom_error(Photo.open(pixels.astype(np.uint8)), [])
    assert "no colours" in str(error)
    assert "in colour" in error.hint


@pytest.mark.parametrize("share", [0.005, 0.01, 0.03])
def test_a_blurred_photo_is_diagnosed(share: float, sample: Photo) -> None:
    sigma = share * max(sample.width, sample.height)
    error = make_no_kingdom_error(Photo.open(cv2.GaussianBlur(sample.pixels, (0, 0), sigma)), [])
    assert "blurred" in str(error)
    assert "focus" in error.hint


@pytest.mark.parametrize("name", ["demo", "no-kingdom", "hard-light", "seven"])
def test_sharp_photos_are_not_called_blurred(name: str) -> None:
    error = make_no_kingdom_error(Photo.open(SAMPLES / f"{name}.jpg"), [])
    assert "nothing in it looks like a square tile" in str(error)
    assert error.hint.endswith(OUTLINE_HINT)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("w w f f / l l f f", "8 tiles lie together, but no castle"),
        ("# .", "a castle was found, but hardly any tiles"),
        ("# # # / # w # / # # #", "in a pattern, or beside a row of dominoes"),
        (". .", "its squares show no tiles"),
    ],
)
def test_the_error_describes_what_was_found(text: str, words: str, sample: Photo) -> None:
    error = make_no_kingdom_error(sample, [make_observation(". ."), make_observation(text)])
    assert words in str(error)


def test_a_preview_has_too_few_pixels(sample: Photo) -> None:
    pixels = cv2.resize(sample.pixels, (160, 120), interpolation=cv2.INTER_AREA)
    assert "too few pixels" in str(make_no_kingdom_error(Photo.open(np.asarray(pixels, np.uint8)), []))
