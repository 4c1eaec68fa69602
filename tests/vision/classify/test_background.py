"""The background: samples of the table, colour distances of cells, and what they add to the evidence for tiles."""

from __future__ import annotations

import numpy as np
import pytest

from kdvision.game.board import Board
from kdvision.vision.classify.background import Background, compute_colour_distance, list_surrounding_cells
from kdvision.vision.classify.occupancy import compute_tile_features, compute_tile_log_odds, find_unlike_background
from kdvision.vision.detect.grid import Grid
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.cells import CellPredictions
from tests.kingdoms import make_grid

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def test_the_colour_of_a_cell_is_its_median() -> None:
    pixels = np.full((240, 320, 3), 200, np.uint8)
    pixels[60:110, 40:90] = (200, 0, 0)
    pixels[60:110, 90:100] = (200, 0, 0)
    colours = Background.sample(Photo.open(pixels), make_grid(Board.parse("w w w"), left=40, top=60, side=50)).cells
    assert colours[0, 0] == pytest.approx([41.6, 66.6, 55.9], abs=0.5)
    assert colours[0, 1] == pytest.approx(colours[0, 2])


def test_truncated_cells_have_the_colour_of_their_visible_part() -> None:
    pixels = np.full((240, 320, 3), 200, np.uint8)
    colours = Background.sample(Photo.open(pixels), make_grid(Board.parse("w w w"), left=-85, top=60, side=50)).cells
    assert np.isnan(colours[0, 0]).all()
    assert colours[0, 1] == pytest.approx(colours[0, 2])


@pytest.mark.parametrize(("left", "border"), [(39, 64), (-25.75, 8)])
def test_samples_of_two_greys_have_the_lightness_between_them(left: float, border: int) -> None:
    """Half of the samples lie on each side of the border; half of the second cell lies outside the photo."""
    pixels = np.full((240, 320, 3), 200, np.uint8)
    pixels[:, :border] = 180
    colours = Background.sample(Photo.open(pixels), make_grid(Board.parse("w w w"), left=left, top=60, side=50)).cells
    assert colours[0, 0, 0] == pytest.approx((73.3 + 80.5) / 2, abs=0.6)  # L* of both greys


def test_the_surround_continues_the_grid() -> None:
    quads = list_surrounding_cells(make_grid(Board.parse("w w w"), left=400, top=300, side=50), 4)
    assert len(quads) == (3 + 2 * 4) * (1 + 2 * 4) - 3
    assert quads[0] == pytest.approx(np.array([[200, 100], [250, 100], [250, 150], [200, 150]]), abs=0.01)


def make_table_with_domino() -> tuple[Photo, Grid]:
    """Return a brown table with one dark blue domino on the second row's second and third place."""
    pixels = np.full((700, 700, 3), (120, 90, 60), np.uint8)
    pixels[300:350, 250:350] = (40, 60, 160)
    return Photo.open(pixels), make_grid(Board.parse("\n".join(["w w w w w w"] * 4)), left=200, top=250, side=50)


def make_predictions(presence: Floats) -> CellPredictions:
    """Return the output of a network that knows only the log-odds of a tile."""
    count = presence.size
    uniform = np.log(np.full((count, 4), 0.25))
    return CellPredictions(
        uniform, presence.reshape(-1), np.zeros(count), uniform, np.zeros((count, 0)), np.zeros((count, 0))
    )


def test_an_unclassified_tile_differs_from_the_background() -> None:
    """The two places of an undetected domino resemble each other, but this alone does not make them background."""
    distances = Background.sample(*make_table_with_domino()).measure_distance(np.ones((4, 6), bool))
    assert (distances[1, 1:3] > 40).all()
    distances[1, 1:3] = 0
    assert distances.max() < 1


def test_a_shaded_table_is_closer_than_another_colour() -> None:
    colours, background_colours = np.array([[40.0, 10, 10], [60, 10, 30]]), np.tile([60.0, 10, 10], (9, 1))
    assert compute_colour_distance(colours, background_colours, 8) == pytest.approx([8, 20])


def test_saturated_cells_have_no_colour() -> None:
    photo, grid = make_table_with_domino()
    pixels = photo.pixels.copy()
    pixels[305:345, 255:295] = 255
    background = Background.sample(Photo.open(pixels), grid)
    colour = compute_tile_features(make_predictions(np.full((4, 6), -6.0)), grid, background)[:, 2].reshape(4, 6)
    assert np.argwhere(np.isnan(colour)).tolist() == [[1, 1]] and colour[1, 2] > 2
    assert find_unlike_background(background, np.ones((4, 6), bool))[1, 1:3].all()


def test_without_background_samples_there_is_no_distance() -> None:
    photo, grid = make_table_with_domino()
    background = Background.sample(photo, grid)._replace(surround=np.full((9, 3), np.nan))
    assert np.isnan(background.measure_distance(np.zeros((4, 6), bool))).all()


def test_a_doubtful_cell_that_differs_from_the_background_is_a_tile() -> None:
    photo, grid = make_table_with_domino()
    presence = np.full((4, 6), -6.0)
    presence[1, 1:3] = presence[3, 1:3] = -1.0
    features = compute_tile_features(make_predictions(presence), grid, Background.sample(photo, grid))
    weights = {"tile_weights_without_colour": (1.0, 0.0, 0.0), "tile_weights": (1.0, 0.0, 2.0, -2.0)}
    odds = compute_tile_log_odds(features, weights).reshape(4, 6)
    assert (odds[1, 1:3] > 1).all() and (odds[3, 1:3] < -2).all()


def test_without_a_colour_the_networks_decide_alone() -> None:
    features = np.array([[2.0, 1.0, np.nan], [2.0, 1.0, 1.0]])
    weights = {"tile_weights_without_colour": (0.5, 0.25, -1.0), "tile_weights": (0.5, 0.25, 3.0, -4.0)}
    assert compute_tile_log_odds(features, weights) == pytest.approx([0.25, 0.25])
    assert compute_tile_log_odds(
        features, {"tile_weights_without_colour": weights["tile_weights_without_colour"]}
    ) == pytest.approx([0.25, 0.25])
    assert compute_tile_log_odds(features, {}) == pytest.approx([2.0, 2.0])
