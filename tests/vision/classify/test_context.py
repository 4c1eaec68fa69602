"""The context network on samples: tiles of one photo classified beside each other."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from kdvision import pipeline
from kdvision.game.board import Square
from kdvision.vision.assess.kingdom import split_kingdoms
from kdvision.vision.classify.context import ContextClassifier, measure_colours
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.probabilities import NOTHING, Reading
from kdvision.vision.find import Networks, find_kingdoms
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.cells import crop_squares
from kdvision.vision.networks.onnx import load_model
from tests.kingdoms import get_probability
from tests.paths import SAMPLES


@pytest.fixture(scope="module")
def context() -> ContextClassifier:
    return ContextClassifier(load_model("context"))


@pytest.fixture(scope="module")
def two() -> tuple[Photo, list[GridObservation]]:
    """The kingdoms of a sample, each tile read by itself."""
    photo = Photo.open(SAMPLES / "two-kingdoms.jpg")
    return photo, split_kingdoms(find_kingdoms(photo, replace(Networks.load(), context=None)))[0]


def make_unsure(observation: GridObservation, place: Square, shares: dict[str, float]) -> GridObservation:
    """The sight with a square that looks like these kinds, with this probability each."""
    probabilities = np.exp(observation.reading.log_probs)
    probabilities[place] = [shares.get(kind, 1e-5) for kind in observation.reading.kinds]
    return replace(observation, reading=Reading.of_probabilities(probabilities, observation.reading.kinds))


@pytest.mark.parametrize(("kind", "other"), [("w", "g"), ("g", "w"), ("f", "l")])
def test_an_ambiguous_square_is_resolved_by_the_others(
    kind: str, other: str, context: ContextClassifier, two: tuple[Photo, list[GridObservation]]
) -> None:
    photo, (observation, beside) = two
    best = observation.reading.best
    place = next(square for square, cell in best.items() if str(cell) == kind)
    doubtful = make_unsure(observation, place, {kind: 0.45, other: 0.55})
    read = context.classify(photo, [doubtful, beside])[0]
    assert doubtful.reading.best[place] != best[place]
    assert get_probability(read.reading, place, kind) > 0.6


def test_certain_kinds_and_presence_stay(context: ContextClassifier, two: tuple[Photo, list[GridObservation]]) -> None:
    photo, observations = two
    for before, after in zip(observations, context.classify(photo, observations), strict=True):
        assert after.reading.best == before.reading.best
        assert np.allclose(after.tile_probability, before.tile_probability)
        bare = before.tile_probability <= 0.5
        assert (after.reading.log_probs[bare] == before.reading.log_probs[bare]).all()
        assert (after.border_log_odds, after.occlusion.tolist()) == (before.border_log_odds, before.occlusion.tolist())


def test_no_kind_is_ruled_out_by_the_others(
    context: ContextClassifier, two: tuple[Photo, list[GridObservation]]
) -> None:
    """Else neither the deck nor what a person says of its other half could mend a square."""
    photo, observations = two
    for before, after in zip(observations, context.classify(photo, observations), strict=True):
        assert (after.reading.log_probs - before.reading.log_probs).min() > np.log(0.1) - 1e-3


@pytest.mark.parametrize(("none", "one", "two_crowns"), [(0.6, 0.3, 0.09), (0.1, 0.85, 0.04)])
def test_crowns_are_counted_on_each_square(
    none: float, one: float, two_crowns: float, context: ContextClassifier, two: tuple[Photo, list[GridObservation]]
) -> None:
    photo, (observation, beside) = two
    place = next(square for square, cell in observation.reading.best.items() if str(cell) == "g")
    doubtful = make_unsure(observation, place, {"g": none, "g1": one, "g2": two_crowns})
    read = context.classify(photo, [doubtful, beside])[0].reading
    chances = np.array([get_probability(read, place, kind) for kind in ("g", "g1", "g2")])
    assert chances / chances.sum() == pytest.approx(
        np.array([none, one, two_crowns]) / (none + one + two_crowns), abs=1e-3
    )


def test_towns_keep_their_share(context: ContextClassifier, two: tuple[Photo, list[GridObservation]]) -> None:
    photo, (observation, beside) = two
    place = next(square for square, cell in observation.reading.best.items() if str(cell) == "w")
    read = context.classify(photo, [make_unsure(observation, place, {"t": 0.7, "w": 0.15, "g": 0.15}), beside])[0]
    assert get_probability(read.reading, place, "t") == pytest.approx(0.7, abs=1e-3)
    assert sum(get_probability(read.reading, place, kind) for kind in ("w", "g")) == pytest.approx(0.3, abs=0.02)


def test_neither_the_order_of_kingdoms_nor_where_their_squares_lie_matters(
    context: ContextClassifier, two: tuple[Photo, list[GridObservation]]
) -> None:
    photo, (one, other) = two
    straight, swapped = context.classify(photo, [one, other]), context.classify(photo, [other, one])[::-1]
    for first, second in zip(straight, swapped, strict=True):
        assert np.allclose(np.exp(first.reading.log_probs), np.exp(second.reading.log_probs), atol=1e-4)
    assert not np.allclose(context.classify(photo, [one])[0].reading.log_probs, straight[0].reading.log_probs)


def test_without_tiles_nothing_is_classified(
    context: ContextClassifier, two: tuple[Photo, list[GridObservation]]
) -> None:
    photo, (observation, _) = two
    bare = replace(observation, reading=observation.reading.set_kind(observation.tile_probability > -1, NOTHING))
    assert context.classify(photo, []) == []
    assert context.classify(photo, [bare]) == [bare]
    both = context.classify(photo, [bare, observation])
    assert (both[0].reading.log_probs == bare.reading.log_probs).all()


def beside_two_dominoes() -> Photo:
    """The sample with two of its dominoes again, on the table right of it."""
    photo = Photo.open(SAMPLES / "demo.jpg")
    (observation,) = find_kingdoms(photo, replace(Networks.load(), context=None))
    quads, side = observation.grid.quads[1:3, 1:3], observation.grid.side
    pixels = np.pad(photo.pixels, ((0, 0), (0, round(8 * side)), (0, 0)), mode="edge")
    outline = np.array([quads[0, 0, 0], quads[0, 1, 1], quads[1, 1, 2], quads[1, 0, 3]], np.int32)
    laid = np.roll(cv2.fillConvexPoly(np.zeros(pixels.shape[:2], np.uint8), outline, 1), round(7.5 * side), axis=1) > 0
    pixels[laid] = np.roll(pixels, round(7.5 * side), axis=1)[laid]
    return Photo.open(pixels)


def test_only_kingdoms_share_their_context(context: ContextClassifier) -> None:
    """Dominoes on offer stay as the cell network saw them; which grids are kingdoms is no matter of this network's."""
    photo, networks = beside_two_dominoes(), Networks.load()
    alone, together = find_kingdoms(photo, replace(networks, context=None)), find_kingdoms(photo, networks)
    kingdom, offer = sorted(alone, key=lambda observation: -observation.expected_tiles)
    assert split_kingdoms(alone) == ([kingdom], [offer]) and offer.expected_tiles > 3
    (read,) = context.classify(photo, [kingdom])
    seen = {kingdom: read, offer: offer}
    for before, after in zip(alone, together, strict=True):
        assert (after.reading.log_probs == seen[before].reading.log_probs).all()
    assert not np.allclose(read.reading.log_probs, kingdom.reading.log_probs)


@pytest.mark.parametrize("how", ["found", "corners", "same"])
def test_boards_are_decided_from_the_output_in_context(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    demo = SAMPLES / "demo.jpg"
    (plain,) = pipeline.read(demo)
    corners = plain.grid.corners.tolist()
    monkeypatch.setattr(
        ContextClassifier,
        "classify",
        lambda self, photo, observations: [replace_with_swamp(observation) for observation in observations],
    )
    if how == "same":
        (read,) = pipeline.read_views([demo, demo])
    else:
        (read,) = pipeline.read(demo, corners=[corners] if how == "corners" else None)
    assert str(plain.board[Square(0, 0)]) != "s"
    assert get_probability(read.reading, Square(0, 0), "s") > 0.9


def replace_with_swamp(observation: GridObservation) -> GridObservation:
    """The sight with swamp on its first tile."""
    first = Square(*np.argwhere(observation.tile_probability > 0.5)[0].tolist())
    return make_unsure(observation, first, {"s": 0.99})


def test_colours_are_those_of_the_square_and_not_of_its_neighbours() -> None:
    crops = np.zeros((2, 64, 64, 3), np.uint8)
    crops[:, 12:52, 12:52] = (200, 180, 40)
    crops[1, 12:32, 12:52] = (40, 90, 200)
    first, second = measure_colours(crops)
    lab = cv2.cvtColor(np.array([[[200, 180, 40], [40, 90, 200]]], np.uint8), cv2.COLOR_RGB2LAB)[0].astype(float)
    assert first[:3] == pytest.approx(lab[0]) and first[3:] == pytest.approx(0)
    assert second[:3] == pytest.approx(lab.mean(axis=0))
    assert second[3:] == pytest.approx(lab.std(axis=0))
    assert measure_colours(crop_squares(Photo.open(np.zeros((64, 64, 3), np.uint8)), np.zeros((0, 4, 2)))).shape == (
        0,
        6,
    )
