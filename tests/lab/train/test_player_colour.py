"""Training of the player colour classifier."""

from pathlib import Path

import numpy as np

from kdvision.lab.render.objects import meshes
from kdvision.lab.train.player_colour import choose_threshold, fit_player_colour, write_classifier
from kdvision.vision.classify.player_colour import load_player_colours


def test_the_fit_separates_distinct_colours() -> None:
    """Squares of stone with a patch of each colour in the middle, and noise."""
    rng = np.random.default_rng(0)
    names = tuple(meshes.COLOURS)
    colour = np.arange(160) % len(names)
    crops = np.full((160, 64, 64, 3), (150, 130, 110), np.uint8)
    for crop, index in zip(crops, colour, strict=True):
        crop[24:40, 24:40] = meshes.COLOURS[names[index]]
        crop[:] = np.clip(crop + rng.normal(0, 6, crop.shape), 0, 255)
    classifier = fit_player_colour(crops[:80], colour[:80])
    assert [classifier.classify(crop) for crop in crops[80:]] == [names[index] for index in colour[80:]]


def test_the_threshold_gives_the_required_precision() -> None:
    right = np.array([False] * 3 + [True] * 97)
    assert choose_threshold(right, np.array([0.605] * 3 + [0.9] * 97)) == 0.61
    assert choose_threshold(~right, np.array([0.605] * 3 + [0.9] * 97)) == 1.0


def test_the_runtime_reads_what_training_writes(tmp_path: Path) -> None:
    shipped = load_player_colours()
    write_classifier(shipped, tmp_path / "weights.json")
    loaded = load_player_colours(tmp_path / "weights.json")
    assert (loaded.colours, loaded.threshold) == (shipped.colours, shipped.threshold)
    for name in ("mean", "scale", "weights"):
        assert np.array_equal(getattr(loaded, name), getattr(shipped, name))
