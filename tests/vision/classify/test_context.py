"""The context network on samples: it classifies the tiles of one photo together."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from kdvision import pipeline
from kdvision.game.board import Square
from kdvision.vision.assess.kingdom import split_kingdoms
from kdvision.vision.classify.context import ContextClassifier, measure_colours
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.probabilities import NOTHING, ClassProbabilities
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
def two_kingdoms() -> tuple[Photo, list[GridObservation]]:
    """The kingdoms of a sample, with each tile classified by itself."""
    photo = Photo.open(SAMPLES / "two-kingdoms.jpg")
    return photo, split_kingdoms(find_kingdoms(photo, replace(Networks.load(), context=None)))[0]


def replace_shares(observation: GridObservation, place: Square, shares: dict[str, float]) -> GridObservation:
    """Return the observation with these probabilities of kinds on a square."""
    values, kinds = np.exp(observation.probabilities.log_probs), observation.probabilities.kinds
    values[place] = [shares.get(kind, 1e-5) for kind in kinds]
    return replace(observation, probabilities=ClassProbabilities.of_probabilities(values, kinds))


@pytest.mark.parametrize(("kind", "other"), [("w", "g"), ("g", "w"), ("f", "l")])
def test_an_ambiguous_square_is_resolved_by_the_others(
    kind: str, other: str, context: ContextClassifier, two_kingdoms: tuple[Photo, list[GridObservation]]
) -> None:
    photo, (observation, neighbour) = two_kingdoms
    best = observation.probabilities.best
    place = next(square for square, cell in best.items() if str(cell) == kind)
    ambiguous_observation = replace_shares(observation, place, {kind: 0.45, other: 0.55})
    result = context.classify(photo, [ambiguous_observation, neighbour])[0]
    assert ambiguous_observation.probabilities.best[place] != best[place]
    assert get_probability(result.probabilities, place, kind) > 0.6


def test_certain_kinds_and_presence_stay(
    context: ContextClassifier, two_kingdoms: tuple[Photo, list[GridObservation]]
) -> None:
    photo, observations = two_kingdoms
    for observation, result in zip(observations, context.classify(photo, observations), strict=True):
        assert result.probabilities.best == observation.probabilities.best
        assert np.allclose(result.tile_probability, observation.tile_probability)
        is_empty = observation.tile_probability <= 0.5
        assert (result.probabilities.log_probs[is_empty] == observation.probabilities.log_probs[is_empty]).all()
        assert (result.border_log_odds, result.occlusion.tolist()) == (
            observation.border_log_odds,
            observation.occlusion.tolist(),
        )


def test_no_kind_is_ruled_out_by_the_others(
    context: ContextClassifier, two_kingdoms: tuple[Photo, list[GridObservation]]
) -> None:
    """Otherwise neither the deck nor a fix of the other half could correct a square."""
    photo, observations = two_kingdoms
    for observation, result in zip(observations, context.classify(photo, observations), strict=True):
        assert (result.probabilities.log_probs - observation.probabilities.log_probs).min() > np.log(0.1) - 1e-3


@pytest.mark.parametrize(("no_crown", "one_crown", "two_crowns"), [(0.6, 0.3, 0.09), (0.1, 0.85, 0.04)])
def test_crowns_are_counted_on_each_square(
    no_crown: float,
    one_crown: float,
    two_crowns: float,
    context: ContextClassifier,
    two_kingdoms: tuple[Photo, list[GridObservation]],
) -> None:
    photo, (observation, neighbour) = two_kingdoms
    place = next(square for square, cell in observation.probabilities.best.items() if str(cell) == "g")
    ambiguous_observation = replace_shares(observation, place, {"g": no_crown, "g1": one_crown, "g2": two_crowns})
    reading = context.classify(photo, [ambiguous_observation, neighbour])[0].probabilities
    probabilities = np.array([get_probability(reading, place, kind) for kind in ("g", "g1", "g2")])
    assert probabilities / probabilities.sum() == pytest.approx(
        np.array([no_crown, one_crown, two_crowns]) / (no_crown + one_crown + two_crowns), abs=1e-3
    )


def test_towns_keep_their_share(context: ContextClassifier, two_kingdoms: tuple[Photo, list[GridObservation]]) -> None:
    photo, (observation, neighbour) = two_kingdoms
    place = next(square for square, cell in observation.probabilities.best.items() if str(cell) == "w")
    town_observation = replace_shares(observation, place, {"t": 0.7, "w": 0.15, "g": 0.15})
    result = context.classify(photo, [town_observation, neighbour])[0]
    town, *others = (get_probability(result.probabilities, place, kind) for kind in ("t", "w", "g"))
    assert town == pytest.approx(0.7, abs=1e-3)
    assert sum(others) == pytest.approx(0.3, abs=0.02)


def test_neither_the_order_of_kingdoms_nor_where_their_squares_lie_matters(
    context: ContextClassifier, two_kingdoms: tuple[Photo, list[GridObservation]]
) -> None:
    photo, (left, right) = two_kingdoms
    results, swapped_results = context.classify(photo, [left, right]), context.classify(photo, [right, left])[::-1]
    for first, second in zip(results, swapped_results, strict=True):
        assert np.allclose(np.exp(first.probabilities.log_probs), np.exp(second.probabilities.log_probs), atol=1e-4)
    single_result = context.classify(photo, [left])[0]
    assert not np.allclose(single_result.probabilities.log_probs, results[0].probabilities.log_probs)


def test_without_tiles_nothing_is_classified(
    context: ContextClassifier, two_kingdoms: tuple[Photo, list[GridObservation]]
) -> None:
    photo, (observation, _) = two_kingdoms
    empty_observation = replace(
        observation, probabilities=observation.probabilities.set_kind(observation.tile_probability > -1, NOTHING)
    )
    assert context.classify(photo, []) == []
    assert context.classify(photo, [empty_observation]) == [empty_observation]
    results = context.classify(photo, [empty_observation, observation])
    assert (results[0].probabilities.log_probs == empty_observation.probabilities.log_probs).all()


def make_photo_with_offer() -> Photo:
    """Return the demo with copies of two of its dominoes on the table to the right."""
    photo = Photo.open(SAMPLES / "demo.jpg")
    (observation,) = find_kingdoms(photo, replace(Networks.load(), context=None))
    quads, side = observation.grid.quads[1:3, 1:3], observation.grid.side_pixels
    pixels = np.pad(photo.pixels, ((0, 0), (0, round(8 * side)), (0, 0)), mode="edge")
    outline = np.array([quads[0, 0, 0], quads[0, 1, 1], quads[1, 1, 2], quads[1, 0, 3]], np.int32)
    is_offer = (
        np.roll(cv2.fillConvexPoly(np.zeros(pixels.shape[:2], np.uint8), outline, 1), round(7.5 * side), axis=1) > 0
    )
    pixels[is_offer] = np.roll(pixels, round(7.5 * side), axis=1)[is_offer]
    return Photo.open(pixels)


def test_only_kingdoms_share_their_context(context: ContextClassifier) -> None:
    """Dominoes on offer keep the output of the cell network, and the split into kingdoms does not change."""
    photo, networks = make_photo_with_offer(), Networks.load()
    observations, results = find_kingdoms(photo, replace(networks, context=None)), find_kingdoms(photo, networks)
    kingdom, offer = sorted(observations, key=lambda observation: -observation.expected_tiles)
    assert split_kingdoms(observations) == ([kingdom], [offer]) and offer.expected_tiles > 3
    (kingdom_result,) = context.classify(photo, [kingdom])
    expected_results = {kingdom: kingdom_result, offer: offer}
    for observation, result in zip(observations, results, strict=True):
        assert (result.probabilities.log_probs == expected_results[observation].probabilities.log_probs).all()
    assert not np.allclose(kingdom_result.probabilities.log_probs, kingdom.probabilities.log_probs)


@pytest.mark.parametrize("mode", ["found", "corners", "same"])
def test_boards_are_decided_from_the_output_in_context(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    demo = SAMPLES / "demo.jpg"
    (first_reading,) = pipeline.read(demo)
    corners = first_reading.grid.corners.tolist()
    monkeypatch.setattr(
        ContextClassifier,
        "classify",
        lambda self, photo, observations: [replace_with_swamp(observation) for observation in observations],
    )
    if mode == "same":
        (reading,) = pipeline.read_views([demo, demo])
    else:
        (reading,) = pipeline.read(demo, corners=[corners] if mode == "corners" else None)
    assert str(first_reading.board[Square(0, 0)]) != "s"
    assert get_probability(reading.probabilities, Square(0, 0), "s") > 0.9


def replace_with_swamp(observation: GridObservation) -> GridObservation:
    """Return the observation with swamp on its first tile."""
    first_tile = Square(*np.argwhere(observation.tile_probability > 0.5)[0].tolist())
    return replace_shares(observation, first_tile, {"s": 0.99})


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
