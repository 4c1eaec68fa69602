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
from kdvision.vision.assess.missing import compute_max_occlusion, find_hidden_squares
from kdvision.vision.classify.background import Background
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.observe import compute_border_log_odds
from kdvision.vision.classify.occupancy import (
    compute_occlusion_features,
    compute_occlusion_probability,
    find_covered,
    find_foreign_objects,
)
from kdvision.vision.classify.probabilities import Reading
from kdvision.vision.find import assemble_kingdoms
from kdvision.vision.geometry import Floats, Mask
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.cells import CellPredictions
from tests.kingdoms import make_grid, make_plain_observation, table_photo
from tests.paths import SAMPLES

BOARD = Board.parse("# w w / f f .")


def table(*shades: tuple[float, float, float]) -> Floats:
    """The colours of four rows of six places, these in turn."""
    return np.array([shades[n % len(shades)] for n in range(24)]).reshape(4, 6, 3)


ALL = np.ones((4, 6), bool)


def find_objects(colours: Floats, empty: Mask = ALL) -> Mask:
    """The cells that show an object, by the colours of the grid alone."""
    return find_covered(Background(colours, np.zeros((0, 3))), empty)


def test_a_chequered_table_is_background() -> None:
    checked = table((60.0, 40.0, 20.0), (90.0, 0.0, 0.0))
    assert not find_objects(checked).any()
    checked[1, 1:3] = (30.0, -40.0, 30.0)
    assert np.argwhere(find_objects(checked)).tolist() == [[1, 1], [1, 2]]


@pytest.mark.parametrize(("shade", "told"), [((52.0, 2.0, 1.0), False), ((60.0, 30.0, 0.0), True)])
def test_shade_is_no_object(shade: tuple[float, float, float], told: bool) -> None:
    seen = table((60.0, 3.0, 2.0))
    seen[1, 1:3] = shade
    assert find_objects(seen).any() == told


@pytest.mark.parametrize("striped", [False, True])
def test_a_pattern_of_the_surround_is_background(striped: bool) -> None:
    """A stripe beside the kingdom is a thing where it is the only one, and the table's own where there are more."""
    pixels = np.full((700, 700, 3), (120, 90, 60), np.uint8)
    for left in range(0, 700, 150) if striped else [300]:
        pixels[(0 if striped else 250) : (700 if striped else 450), left : left + 50] = (40, 60, 160)
    grid = make_grid(Board.parse("\n".join(["w w w w w w"] * 4)), left=200, top=250, side=50)
    found = find_covered(Background.sample(Photo.open(pixels), grid), np.ones((4, 6), bool))
    assert np.argwhere(found.any(axis=0)).ravel().tolist() == ([] if striped else [2])


def test_without_background_samples_no_cell_is_an_object() -> None:
    seen, bare = table((60.0, 3.0, 2.0)), np.zeros((4, 6), bool)
    seen[1, 1] = (20.0, 50.0, 0.0)
    bare[1, :2] = True
    assert not find_objects(seen, bare).any()
    seen[0, 0] = np.nan
    bare[0, 0] = True
    assert not find_objects(seen, bare).any()


@pytest.mark.parametrize(
    ("places", "told"),
    [("C3 D3", "C3"), ("C3", ""), ("D2 D3", "D2"), ("E4 E5", ""), ("A1 A2", "A1 A2"), ("C3 C4 D3", "C3")],
)
def test_only_cells_that_may_hide_a_domino_of_the_kingdom_count(places: str, told: str) -> None:
    """B1, C1 and so on are tiles; a domino lies on two places, and one of them touches the kingdom."""
    board = [Square.parse(name) for name in ("B1", "C1", "D1", "B2", "C2", "B3")]
    is_covered = np.zeros((6, 6), bool)
    for name in places.split():
        is_covered[Square.parse(name)] = True
    assert " ".join(square.name for square in find_hidden_squares(board, is_covered)) == told


def test_a_kingdom_of_full_width_has_no_hidden_tile_beside_it() -> None:
    for width in (5, 4):  # of four columns, one more has room for a tile and not for a domino
        board, is_covered = [Square(0, col) for col in range(width)], np.zeros((3, 7), bool)
        is_covered[0, width:] = True
        assert find_hidden_squares(board, is_covered) == []


def test_a_cell_that_either_network_calls_empty_may_be_an_object() -> None:
    """A plain field says little to either, so that they are not sure together, but both say tile."""
    seen = table((60.0, 0.0, 0.0))
    seen[1, 1:5] = (60.0, 40.0, 40.0)
    cells, finder, alone = np.full((3, 4, 6), -3.0)
    cells[1, 1:5], finder[1, 1:5], alone[1, 1:5] = (2.0, -2.0, 3.0, 9.0), (2.0, 3.0, -2.0, -1.0), (2.0, 0.0, 0.5, 3.0)
    said = np.stack([cells, finder, np.zeros((4, 6))], axis=-1).reshape(-1, 3)
    things = find_foreign_objects(Background(seen, seen.reshape(-1, 3)[:1]), said, alone.reshape(-1))
    assert np.argwhere(things).tolist() == [[1, 2], [1, 3]]


def make_predictions(kind: np.ndarray[tuple[int, ...], np.dtype[np.float64]], hidden: list[float]) -> CellPredictions:
    n = len(hidden)
    four = np.full((n, 4), np.log(0.25))
    return CellPredictions(kind, np.zeros(n), np.array(hidden), four, np.zeros((n, 1)), np.zeros((n, 4)))


def test_occlusion_features_mark_unknown_values() -> None:
    """A bare place was not looked at: no kind is likelier than another, and nothing covers it."""
    kind = np.log([[0.97, 0.01, 0.02], [1 / 3, 1 / 3, 1 / 3]])
    said = np.array([[-2.0, 1.0, 1.5], [-8.0, -3.0, np.nan]])
    seen = compute_occlusion_features(make_predictions(kind, [0.5, 0.0]), said)
    assert seen[:, :4].tolist() == [[-2, 1, 1.5, 0], [-8, -3, 0, 1]]
    assert seen[0, 4] == pytest.approx(0) and -10 < seen[1, 4] < -9
    assert seen[0, 5] < 0.2 and seen[1, 5] == pytest.approx(np.log(3))


def test_without_occlusion_weights_no_tile_is_hidden() -> None:
    assert compute_occlusion_probability(np.ones((3, 6)), {}).tolist() == [0, 0, 0]


def make_covered_observation() -> GridObservation:
    """A kingdom with something on C2 and on C3, below it."""
    reading = Reading.of(". . . . . / . # w w . / . f f . . / . . . . .", confidence=0.999)
    hidden = np.zeros((reading.rows, reading.cols))
    hidden[2:, 3] = 1.0
    return replace(make_plain_observation(reading), occlusion=hidden)


def test_a_possible_occlusion_is_reported_until_the_square_is_fixed() -> None:
    (read,) = assemble_kingdoms(table_photo(), [make_covered_observation()])
    (problem,) = (problem for problem in read.problems if "may hide a domino" in problem.text)
    assert "C2" in problem.text and read.review
    (known,) = assemble_kingdoms(
        table_photo(), [make_covered_observation()], fixed_squares={(0, Square.parse("C2")): "."}
    )
    assert not any("may hide" in problem.text for problem in known.problems)
    (again,) = decide_again(
        [read.observation], surroundings=[read.surroundings], fixed_squares={(0, Square(2, 3)): "."}
    )
    assert not any("may hide" in problem.text for problem in again.problems)
    clear = replace(make_covered_observation(), occlusion=np.zeros((4, 5)))
    assert not any("may hide" in problem.text for problem in assemble_kingdoms(table_photo(), [clear])[0].problems)


def test_a_domino_is_hidden_with_the_lower_probability_of_its_cells() -> None:
    """One place alone hides none, and none is hidden where the board may not go on."""
    board = {Square(1, 1), Square(1, 2)}

    def told(**shares: float) -> float:
        hidden = np.zeros((4, 5))
        for name, share in shares.items():
            hidden[Square.parse(name)] = share
        return compute_max_occlusion(board, hidden)

    assert told() == told(D2=0.9) == 0.0
    assert told(D2=0.9, E2=0.5) == pytest.approx(0.0 + 4.0)
    assert told(D2=0.9, E2=0.9) == pytest.approx(np.log(9) + 4.0)
    assert told(D2=0.9, E2=0.9, B1=0.6, B2=0.6) == told(D2=0.9, E2=0.9)
    long = {Square(1, col) for col in range(7)}
    hidden = np.zeros((3, 9))
    hidden[1, 7:] = 0.9
    assert compute_max_occlusion(long, hidden) == 0.0


def test_border_log_odds_count_once_for_both_halves() -> None:
    """Each says with 0.7 that the other half lies there: so do both."""
    partner = np.log(np.full((2, 4), 0.1))
    partner[0, 0] = partner[1, 2] = np.log(0.7)
    nothing = np.zeros((2, 0))
    seen = CellPredictions(nothing, np.zeros(2), np.zeros(2), partner, nothing, nothing)
    right, down = compute_border_log_odds(seen, (1, 2))
    assert right == pytest.approx(np.log([[0.7 / 0.25]])) and down.shape == (0, 2)


def test_a_possible_object_read_as_a_tile_is_reported_until_the_square_is_fixed() -> None:
    """A king on a tile is none: the network knows kings, and what it says is never quite certain."""
    observation = make_covered_observation()
    occlusion = np.zeros((4, 5))
    occlusion[1, 2], occlusion[1, 3] = 1.0, 0.99  # a thing, and a king
    (read,) = assemble_kingdoms(table_photo(), [replace(observation, occlusion=occlusion)])
    assert read.board == BOARD and read.review
    (problem,) = (problem for problem in read.problems if "may be no tile" in problem.text)
    assert problem.squares == (Square.parse("B1"),) and "B1" in problem.text and "C1" not in problem.text
    (known,) = assemble_kingdoms(
        table_photo(),
        [replace(observation, occlusion=occlusion)],
        fixed_squares={(0, Square.parse("B1")): "w"},
    )
    assert not any("may be no tile" in problem.text for problem in known.problems)


def test_an_object_on_a_domino_at_the_rim_is_reported() -> None:
    photo = Photo.open(SAMPLES / "demo.jpg")
    (read,) = kdvision.read(photo)
    is_flagged, dominoes = [], list[Any](read.dominoes)
    for domino in dominoes[::2]:
        quads = np.array([read.grid.quads[square] for square in domino.squares])
        middle, size = quads.mean(axis=(0, 1)), 1.15 * read.grid.side
        pixels = photo.pixels.copy()
        cv2.circle(pixels, tuple(np.rint(middle).astype(int).tolist()), round(size), (20, 20, 24), -1, cv2.LINE_AA)
        try:
            (seen,) = kdvision.read(pixels)
        except kdvision.KdvisionError:
            continue
        is_flagged.append(seen.review or seen.board == read.board)
        assert is_flagged[-1] or seen.warning_strengths["hidden"] > 0, f"{domino.squares}: {seen.board}"
    assert len(is_flagged) > 2 and sum(is_flagged) > 0.75 * len(is_flagged)
