"""Player colours of drawn starting tiles under several lights, and of squares that show none."""

import numpy as np
import pytest
from numpy.typing import NDArray

from kdvision.game.players import COLOURS
from kdvision.lab.render.drawn.tiles import DrawnArt
from kdvision.vision.classify.player_colour import compute_colour_features, load_player_colours
from kdvision.vision.networks.cells import prepare_crops

LIGHTS = {"plain": (1.0, 1.0, 1.0), "lamp": (1.0, 0.82, 0.6), "shade": (0.6, 0.7, 0.85), "dim": (0.35, 0.3, 0.25)}
BOX = np.array([[32.0, 32], [96, 32], [96, 96], [32, 96]])


@pytest.fixture(scope="module")
def tiles() -> dict[str, NDArray[np.uint8]]:
    """Some starting tiles from our own box, 64 pixels a side."""
    art = DrawnArt(3, side=64)
    return {colour: art.tile("castle", colour) for colour in ("blue", "green", "pink", "yellow", "purple")}


def crop(
    tile: NDArray[np.uint8], light: tuple[float, float, float] = (1, 1, 1), quarters: int = 0
) -> NDArray[np.uint8]:
    """The crop of a tile on a green table under a light."""
    picture = np.full((128, 128, 3), (90, 120, 60), np.uint8)
    picture[32:96, 32:96] = np.rot90(tile, quarters)
    lit = 255 * (picture / 255) * np.array(light) ** (1 / 2.2)
    return np.asarray(prepare_crops(lit.round().astype(np.uint8), BOX[None])[0], np.uint8)


def test_there_is_a_weight_for_every_colour_and_feature(tiles: dict[str, NDArray[np.uint8]]) -> None:
    known = load_player_colours()
    assert (*known.colours, "brown") == COLOURS  # no castle of Age of Giants is among the training pictures
    assert known.weights.shape == (len(compute_colour_features(crop(tiles["blue"]))) + 1, len(known.colours))
    assert 0.5 < known.threshold < 1


def test_player_colours_are_classified_under_any_light(tiles: dict[str, NDArray[np.uint8]]) -> None:
    told = [
        (load_player_colours().classify(crop(tile, light, quarters)), colour)
        for colour, tile in tiles.items()
        for light in LIGHTS.values()
        for quarters in (0, 1)
    ]
    certain = [(read, true) for read, true in told if read]
    assert len(certain) > 0.6 * len(told)
    assert sum(read != true for read, true in certain) <= 0.05 * len(certain)


def test_a_rotated_tile_has_the_same_features(tiles: dict[str, NDArray[np.uint8]]) -> None:
    upright = compute_colour_features(crop(tiles["pink"]))
    assert np.allclose(upright, compute_colour_features(np.rot90(crop(tiles["pink"]), 1)), atol=0.02)


@pytest.mark.parametrize("shade", [0, 30, 128, 255])
def test_a_plain_square_has_no_certain_colour(shade: int) -> None:
    plain = np.full((64, 64, 3), shade, np.uint8)
    assert load_player_colours().compute_probabilities(plain).sum() == pytest.approx(1)
    assert load_player_colours().classify(plain) == ""
