"""Player colours of drawn starting tiles under several lights, and of squares that show none."""

import numpy as np
import pytest
from numpy.typing import NDArray

from kdvision.game.players import COLOURS
from kdvision.lab.render.drawn.tiles import DrawnArt
from kdvision.vision.classify.player_colour import compute_colour_features, load_colour_classifier
from kdvision.vision.networks.cells import prepare_crops

LIGHTS = {"plain": (1.0, 1.0, 1.0), "lamp": (1.0, 0.82, 0.6), "shade": (0.6, 0.7, 0.85), "dim": (0.35, 0.3, 0.25)}
BOX = np.array([[32.0, 32], [96, 32], [96, 96], [32, 96]])


@pytest.fixture(scope="module")
def tiles() -> dict[str, NDArray[np.uint8]]:
    """Drawn starting tiles, 64 pixels a side."""
    art = DrawnArt(3, side=64)
    return {colour: art.draw_tile("castle", colour) for colour in ("blue", "green", "pink", "yellow", "purple")}


def crop_tile(
    tile: NDArray[np.uint8], light: tuple[float, float, float] = (1, 1, 1), quarter_turns: int = 0
) -> NDArray[np.uint8]:
    """Return the crop of a tile on a green table under a light."""
    picture = np.full((128, 128, 3), (90, 120, 60), np.uint8)
    picture[32:96, 32:96] = np.rot90(tile, quarter_turns)
    lit_picture = 255 * (picture / 255) * np.array(light) ** (1 / 2.2)
    return np.asarray(prepare_crops(lit_picture.round().astype(np.uint8), BOX[None])[0], np.uint8)


def test_there_is_a_weight_for_every_colour_and_feature(tiles: dict[str, NDArray[np.uint8]]) -> None:
    classifier = load_colour_classifier()
    assert (*classifier.colours, "brown") == COLOURS  # no castle of Age of Giants is among the training pictures
    assert classifier.weights.shape == (
        len(compute_colour_features(crop_tile(tiles["blue"]))) + 1,
        len(classifier.colours),
    )
    assert 0.5 < classifier.threshold < 1


def test_player_colours_are_classified_under_any_light(tiles: dict[str, NDArray[np.uint8]]) -> None:
    predictions = [
        (load_colour_classifier().classify(crop_tile(tile, light, quarter_turns)), colour)
        for colour, tile in tiles.items()
        for light in LIGHTS.values()
        for quarter_turns in (0, 1)
    ]
    certain_predictions = [
        (predicted_colour, true_colour) for predicted_colour, true_colour in predictions if predicted_colour
    ]
    assert len(certain_predictions) > 0.6 * len(predictions)
    assert sum(predicted_colour != true_colour for predicted_colour, true_colour in certain_predictions) <= 0.05 * len(
        certain_predictions
    )


def test_a_rotated_tile_has_the_same_features(tiles: dict[str, NDArray[np.uint8]]) -> None:
    features = compute_colour_features(crop_tile(tiles["pink"]))
    assert np.allclose(features, compute_colour_features(np.rot90(crop_tile(tiles["pink"]), 1)), atol=0.02)


@pytest.mark.parametrize("shade", [0, 30, 128, 255])
def test_a_plain_square_has_no_certain_colour(shade: int) -> None:
    pixels = np.full((64, 64, 3), shade, np.uint8)
    assert load_colour_classifier().compute_probabilities(pixels).sum() == pytest.approx(1)
    assert load_colour_classifier().classify(pixels) == ""
