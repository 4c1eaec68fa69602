"""Training of the player colour classifier."""

from pathlib import Path

import numpy as np
import pytest

from kdvision.lab.arrays import Bytes
from kdvision.lab.render.objects import meshes
from kdvision.lab.run import Run
from kdvision.lab.train import player_colour
from kdvision.lab.train.player_colour import choose_threshold, fit_player_colour, write_classifier
from kdvision.vision.classify.player_colour import WEIGHTS, load_colour_classifier
from tests.paths import MODELS

NAMES = tuple(meshes.COLOURS)


def make_square(number: int) -> tuple[Bytes, int, bool]:
    """Return the crop of a square of stone with a patch of a player's colour in the middle, and noise."""
    rng = np.random.default_rng(number)
    index = int(rng.integers(len(NAMES)))
    crop = np.full((64, 64, 3), (150, 130, 110), np.uint8)
    crop[24:40, 24:40] = meshes.COLOURS[NAMES[index]]
    return np.clip(crop + rng.normal(0, 6, crop.shape), 0, 255).astype(np.uint8), index, rng.random() < 0.5


def test_the_fit_separates_distinct_colours() -> None:
    crops, colours, _ = (np.array(column) for column in zip(*map(make_square, range(160)), strict=True))
    classifier = fit_player_colour(crops[:80], colours[:80])
    assert [classifier.classify(crop) for crop in crops[80:]] == [NAMES[index] for index in colours[80:]]


def test_only_a_training_of_the_shipped_models_replaces_the_weights_of_the_runtime(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights_path = tmp_path / "package" / WEIGHTS.name
    weights_path.parent.mkdir()
    monkeypatch.setattr(player_colour, "WEIGHTS", weights_path)
    monkeypatch.setattr(player_colour, "PICTURES", 160)
    monkeypatch.setattr(player_colour, "render_square", lambda number, data: make_square(number))
    for models, written_path in ((tmp_path, tmp_path / weights_path.name), (MODELS, weights_path)):
        player_colour.train_player_colour(Run(data=tmp_path, models=models, work=tmp_path, workers=1))
        assert load_colour_classifier(written_path).colours == NAMES
        written_path.unlink()
        assert not list(tmp_path.rglob("*.json"))


def test_the_threshold_gives_the_required_precision() -> None:
    is_right = np.array([False] * 3 + [True] * 97)
    assert choose_threshold(is_right, np.array([0.605] * 3 + [0.9] * 97)) == 0.61
    assert choose_threshold(~is_right, np.array([0.605] * 3 + [0.9] * 97)) == 1.0


def test_the_runtime_reads_what_training_writes(tmp_path: Path) -> None:
    shipped_classifier = load_colour_classifier()
    write_classifier(shipped_classifier, tmp_path / "weights.json")
    loaded_classifier = load_colour_classifier(tmp_path / "weights.json")
    assert (loaded_classifier.colours, loaded_classifier.threshold) == (
        shipped_classifier.colours,
        shipped_classifier.threshold,
    )
    for name in ("mean", "scale", "weights"):
        assert np.array_equal(getattr(loaded_classifier, name), getattr(shipped_classifier, name))
