"""Occlusion: objects are reported where they may hide a domino and do not look like the table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

import kdvision
from kdvision.game.board import Board, Square
from kdvision.pipeline import decide_again
from kdvision.vision.assess.missing import compute_hidden_evidence, find_hidden_squares
from kdvision.vision.classify.background import Background
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.observe import compute_border_log_odds
from kdvision.vision.classify.occupancy import (
    compute_occlusion_features,
    compute_occlusion_probability,
    find_foreign_objects,
    find_unlike_background,
)
from kdvision.vision.classify.probabilities import ClassProbabilities
from kdvision.vision.find import assemble_kingdoms
from kdvision.vision.geometry import Floats, Mask
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.cells import CellPredictions
from tests.kingdoms import make_grid, make_plain_observation, table_photo
from tests.paths import SAMPLES

BOARD = Board.parse("# w w / f f .")


def make_colours(*shades: tuple[float, float, float]) -> Floats:
    """Return the colours of four rows of six places, which repeat these shades in turn."""
    return np.array([shades[n % len(shades)] for n in range(24)]).reshape(4, 6, 3)


ALL_CELLS = np.ones((4, 6), bool)


def find_objects(colours: Floats, is_empty: Mask = ALL_CELLS) -> Mask:
    """Return the cells that show an object, by the colours of the grid alone."""
    return find_unlike_background(Background(colours, np.zeros((0, 3))), is_empty)


def test_a_chequered_table_is_background() -> None:
    colours = make_colours((60.0, 40.0, 20.0), (90.0, 0.0, 0.0))
    assert not find_objects(colours).any()
    colours[1, 1:3] = (30.0, -40.0, 30.0)
    assert np.argwhere(find_objects(colours)).tolist() == [[1, 1], [1, 2]]


@pytest.mark.parametrize(("shade", "is_object"), [((52.0, 2.0, 1.0), False), ((60.0, 30.0, 0.0), True)])
def test_shade_is_no_object(shade: tuple[float, float, float], is_object: bool) -> None:
    colours = make_colours((60.0, 3.0, 2.0))
    colours[1, 1:3] = shade
    assert find_objects(colours).any() == is_object


@pytest.mark.parametrize("has_stripes", [False, True])
def test_a_pattern_of_the_surround_is_background(has_stripes: bool) -> None:
    """A single stripe is an object. Several stripes are a pattern of the table."""
    pixels = np.full((700, 700, 3), (120, 90, 60), np.uint8)
    for left in range(0, 700, 150) if has_stripes else [300]:
        pixels[(0 if has_stripes else 250) : (700 if has_stripes else 450), left : left + 50] = (40, 60, 160)
    grid = make_grid(Board.parse("\n".join(["w w w w w w"] * 4)), left=200, top=250, side=50)
    is_covered = find_unlike_background(Background.sample(Photo.open(pixels), grid), np.ones((4, 6), bool))
    assert np.argwhere(is_covered.any(axis=0)).ravel().tolist() == ([] if has_stripes else [2])


def test_without_background_samples_no_cell_is_an_object() -> None:
    colours, is_empty = make_colours((60.0, 3.0, 2.0)), np.zeros((4, 6), bool)
    colours[1, 1] = (20.0, 50.0, 0.0)
    is_empty[1, :2] = True
    assert not find_objects(colours, is_empty).any()
    colours[0, 0] = np.nan
    is_empty[0, 0] = True
    assert not find_objects(colours, is_empty).any()


@pytest.mark.parametrize(
    ("places", "hidden_squares"),
    [("C3 D3", "C3"), ("C3", ""), ("D2 D3", "D2"), ("E4 E5", ""), ("A1 A2", "A1 A2"), ("C3 C4 D3", "C3")],
)
def test_only_cells_that_may_hide_a_domino_of_the_kingdom_count(places: str, hidden_squares: str) -> None:
    """B1, C1 and so on are tiles; a domino lies on two places, and one of them touches the kingdom."""
    board = [Square.parse(name) for name in ("B1", "C1", "D1", "B2", "C2", "B3")]
    is_covered = np.zeros((6, 6), bool)
    for name in places.split():
        is_covered[Square.parse(name)] = True
    assert " ".join(square.name for square in find_hidden_squares(board, is_covered)) == hidden_squares


def test_a_kingdom_of_full_width_has_no_hidden_tile_beside_it() -> None:
    for width in (5, 4):  # of four columns, one more has room for a tile and not for a domino
        board, is_covered = [Square(0, col) for col in range(width)], np.zeros((3, 7), bool)
        is_covered[0, width:] = True
        assert find_hidden_squares(board, is_covered) == []


def test_a_cell_that_either_network_calls_empty_may_be_an_object() -> None:
    """Neither network is certain of a plain field, but both call it a tile."""
    colours = make_colours((60.0, 0.0, 0.0))
    colours[1, 1:5] = (60.0, 40.0, 40.0)
    cell_log_odds, detector_log_odds, tile_log_odds = np.full((3, 4, 6), -3.0)
    cell_log_odds[1, 1:5], detector_log_odds[1, 1:5], tile_log_odds[1, 1:5] = (
        (2.0, -2.0, 3.0, 9.0),
        (2.0, 3.0, -2.0, -1.0),
        (2.0, 0.0, 0.5, 3.0),
    )
    features = np.stack([cell_log_odds, detector_log_odds, np.zeros((4, 6))], axis=-1).reshape(-1, 3)
    is_object = find_foreign_objects(
        Background(colours, colours.reshape(-1, 3)[:1]), features, tile_log_odds.reshape(-1)
    )
    assert np.argwhere(is_object).tolist() == [[1, 2], [1, 3]]


def make_predictions(
    kind: np.ndarray[tuple[int, ...], np.dtype[np.float64]], hidden_probability: list[float]
) -> CellPredictions:
    n = len(hidden_probability)
    partner = np.full((n, 4), np.log(0.25))
    return CellPredictions(kind, np.zeros(n), np.array(hidden_probability), partner, np.zeros((n, 1)), np.zeros((n, 4)))


def test_occlusion_features_mark_unknown_values() -> None:
    """The networks do not classify an empty place: all kinds are equally likely, and nothing covers it."""
    kind = np.log([[0.97, 0.01, 0.02], [1 / 3, 1 / 3, 1 / 3]])
    tile_features = np.array([[-2.0, 1.0, 1.5], [-8.0, -3.0, np.nan]])
    features = compute_occlusion_features(make_predictions(kind, [0.5, 0.0]), tile_features)
    assert features[:, :4].tolist() == [[-2, 1, 1.5, 0], [-8, -3, 0, 1]]
    assert features[0, 4] == pytest.approx(0) and -10 < features[1, 4] < -9
    assert features[0, 5] < 0.2 and features[1, 5] == pytest.approx(np.log(3))


def test_without_occlusion_weights_no_tile_is_hidden() -> None:
    assert compute_occlusion_probability(np.ones((3, 6)), {}).tolist() == [0, 0, 0]


def make_covered_observation() -> GridObservation:
    """Return a kingdom with something on C2 and on C3, below it."""
    reading = ClassProbabilities.of(". . . . . / . # w w . / . f f . . / . . . . .", confidence=0.999)
    occlusion = np.zeros((reading.rows, reading.cols))
    occlusion[2:, 3] = 1.0
    return replace(make_plain_observation(reading), occlusion=occlusion)


def test_a_possible_occlusion_is_reported_until_the_square_is_fixed() -> None:
    (reading,) = assemble_kingdoms(table_photo(), [make_covered_observation()])
    (problem,) = (problem for problem in reading.problems if "may hide a domino" in problem.text)
    assert "C2" in problem.text and reading.review
    (reading_with_fix,) = assemble_kingdoms(
        table_photo(), [make_covered_observation()], fixed_squares={(0, Square.parse("C2")): "."}
    )
    assert not any("may hide" in problem.text for problem in reading_with_fix.problems)
    (second_reading,) = decide_again(
        [reading.observation], surroundings=[reading.surroundings], fixed_squares={(0, Square(2, 3)): "."}
    )
    assert not any("may hide" in problem.text for problem in second_reading.problems)
    observation = replace(make_covered_observation(), occlusion=np.zeros((4, 5)))
    assert not any(
        "may hide" in problem.text for problem in assemble_kingdoms(table_photo(), [observation])[0].problems
    )


def test_a_domino_is_hidden_with_the_lower_probability_of_its_cells() -> None:
    """A single place hides no domino, and neither do places beyond the full width of the board."""
    board = {Square(1, 1), Square(1, 2)}

    def compute_occlusion(**shares: float) -> float:
        occlusion = np.zeros((4, 5))
        for name, share in shares.items():
            occlusion[Square.parse(name)] = share
        return compute_hidden_evidence(board, occlusion)

    assert compute_occlusion() == compute_occlusion(D2=0.9) == 0.0
    assert compute_occlusion(D2=0.9, E2=0.5) == pytest.approx(0.0 + 4.0)
    assert compute_occlusion(D2=0.9, E2=0.9) == pytest.approx(np.log(9) + 4.0)
    assert compute_occlusion(D2=0.9, E2=0.9, B1=0.6, B2=0.6) == compute_occlusion(D2=0.9, E2=0.9)
    full_row = {Square(1, col) for col in range(7)}
    occlusion = np.zeros((3, 9))
    occlusion[1, 7:] = 0.9
    assert compute_hidden_evidence(full_row, occlusion) == 0.0


def test_border_log_odds_count_once_for_both_halves() -> None:
    """Each half points to the other with probability 0.7, and so does their mean."""
    partner = np.log(np.full((2, 4), 0.1))
    partner[0, 0] = partner[1, 2] = np.log(0.7)
    no_values = np.zeros((2, 0))
    predictions = CellPredictions(no_values, np.zeros(2), np.zeros(2), partner, no_values, no_values)
    right, down = compute_border_log_odds(predictions, (1, 2))
    assert right == pytest.approx(np.log([[0.7 / 0.25]])) and down.shape == (0, 2)


def test_a_possible_object_read_as_a_tile_is_reported_until_the_square_is_fixed() -> None:
    """A king on a tile is no such object: the network knows kings, and its occlusion stays below 1."""
    observation = make_covered_observation()
    occlusion = np.zeros((4, 5))
    occlusion[1, 2], occlusion[1, 3] = 1.0, 0.99  # an unknown object, and a king
    (reading,) = assemble_kingdoms(table_photo(), [replace(observation, occlusion=occlusion)])
    assert reading.board == BOARD and reading.review
    (problem,) = (problem for problem in reading.problems if "may be no tile" in problem.text)
    assert problem.squares == (Square.parse("B1"),) and "B1" in problem.text and "C1" not in problem.text
    (reading_with_fix,) = assemble_kingdoms(
        table_photo(),
        [replace(observation, occlusion=occlusion)],
        fixed_squares={(0, Square.parse("B1")): "w"},
    )
    assert not any("may be no tile" in problem.text for problem in reading_with_fix.problems)


def test_an_object_on_a_domino_at_the_rim_is_reported() -> None:
    photo = Photo.open(SAMPLES / "demo.jpg")
    (reading,) = kdvision.read(photo)
    is_flagged, dominoes = [], list[Any](reading.dominoes)
    for domino in dominoes[::2]:
        quads = np.array([reading.grid.quads[square] for square in domino.squares])
        centre, radius = quads.mean(axis=(0, 1)), 1.15 * reading.grid.side_pixels
        pixels = photo.pixels.copy()
        cv2.circle(pixels, tuple(np.rint(centre).astype(int).tolist()), round(radius), (20, 20, 24), -1, cv2.LINE_AA)
        try:
            (second_reading,) = kdvision.read(pixels)
        except kdvision.KdvisionError:
            continue
        is_flagged.append(second_reading.review or second_reading.board == reading.board)
        assert is_flagged[-1] or second_reading.warning_strengths["hidden"] > 0, (
            f"{domino.squares}: {second_reading.board}"
        )
    assert len(is_flagged) > 2 and sum(is_flagged) > 0.75 * len(is_flagged)
