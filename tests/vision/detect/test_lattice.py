"""Lattices and grids of synthetic detections; no network runs."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from kdvision.lab.axes import compute_axes
from kdvision.vision.detect.grid import Grid, build_grid
from kdvision.vision.detect.lattice import Component, grow_components, split_component
from kdvision.vision.geometry import UNIT_SQUARE, Floats, apply_homography
from kdvision.vision.networks.detector import Detections
from tests.kingdoms import find_indices, fit_lattices

FIVE = [(float(c), float(r)) for c in range(5) for r in range(5)]
SEVEN = [(float(c), float(r)) for c in range(7) for r in range(7)]
INCOMPLETE_FIVE = [place for place in FIVE if place not in ((4, 0), (2, 3), (2, 4))]


def make_view(angle: float, *, perspective: float = 0.0004, side: float = 40.0) -> Floats:
    """Return a homography from board coordinates to pixels."""
    rotation = np.array([[np.cos(angle), -np.sin(angle), 400], [np.sin(angle), np.cos(angle), 400], [0, 0, 1.0]])
    tilt = np.array([[1, 0, 0], [0, 1, 0], [perspective / 3, perspective, 1.0]])
    return np.asarray(rotation @ tilt @ np.diag([side, side, 1.0]))


def make_detections(
    places: Sequence[tuple[float, float]], matrix: Floats, *, noise: float = 0.0, seed: int = 0
) -> Detections:
    """Return detections of squares at these places, each with axes after a random number of quarter turns."""
    rng = np.random.default_rng(seed)
    quads = apply_homography(matrix, np.array(places)[:, None] + UNIT_SQUARE)
    quads = np.array([np.roll(quad, rng.integers(4), axis=0) for quad in quads])
    centre, alpha, beta = compute_axes(quads)
    u, v = alpha + beta, 1j * (alpha - beta)
    points = np.stack([centre.real, centre.imag], -1) + rng.normal(0, noise, (len(places), 2))
    return Detections(
        points, np.stack([u.real, u.imag], -1), np.stack([v.real, v.imag], -1), rng.uniform(0.7, 1.0, len(places))
    )


def build_only_grid(squares: Detections) -> Grid:
    (lattice,) = fit_lattices(squares)
    return build_grid(lattice)


@pytest.mark.parametrize("degrees", range(0, 360, 15))
def test_the_grid_is_upright_for_every_rotation(degrees: int) -> None:
    matrix = make_view(np.radians(degrees))
    grid = build_only_grid(make_detections(INCOMPLETE_FIVE, matrix, noise=0.8))
    assert (grid.rows, grid.cols) == (7, 7)  # a rim of table all around
    column_step = (grid.quads[:, :, 1] - grid.quads[:, :, 0]).mean((0, 1))
    row_step = (grid.quads[:, :, 3] - grid.quads[:, :, 0]).mean((0, 1))
    assert column_step[0] + row_step[1] > 0.99 * abs(column_step[1] - row_step[0])
    assert grid.scores is not None
    assert (grid.scores > 0).sum() == len(INCOMPLETE_FIVE)
    for centre in apply_homography(matrix, np.array(INCOMPLETE_FIVE) + 0.5):
        distances = np.linalg.norm(grid.centres - centre, axis=-1)
        assert distances.min() < 4
        assert grid.scores.reshape(-1)[distances.argmin()] > 0


def test_neighbouring_cells_share_corners() -> None:
    grid = build_only_grid(make_detections(INCOMPLETE_FIVE, make_view(0.3)))
    assert np.abs(grid.quads[:, :-1, 1] - grid.quads[:, 1:, 0]).max() < 1.0
    assert np.abs(grid.quads[:-1, :, 3] - grid.quads[1:, :, 0]).max() < 1.0


def test_kingdoms_with_a_gap_are_two_lattices() -> None:
    other_places = [(c + 5.6, r + 0.3) for c, r in FIVE]
    lattices = fit_lattices(make_detections(FIVE + other_places, make_view(0.2), noise=0.5))
    assert [*map(len, lattices)] == [25, 25]


def test_parts_that_touch_at_a_corner_are_one_lattice() -> None:
    places = [(c, r) for c in range(3) for r in range(3)] + [(3, 3), (4, 3), (3, 4), (4, 4)]
    assert [*map(len, fit_lattices(make_detections(places, make_view(1.0))))] == [13]


def test_the_grid_is_warped_to_crooked_rows() -> None:
    places = [(c + 0.12 * (r % 2), r + 0.03 * c) for c, r in FIVE]
    matrix = make_view(0.0, perspective=0.0)
    grid = build_only_grid(make_detections(places, matrix))
    centres = grid.centres[1:-1, 1:-1].swapaxes(0, 1).reshape(-1, 2)
    expected_centres = apply_homography(matrix, np.array(places) + 0.5)
    assert np.linalg.norm(centres - expected_centres, axis=1).max() < 3.0  # of 40


@pytest.mark.parametrize("places", [[(0, 0), (1, 0), (2, 0)], [(0, 0), (0, 1), (0, 2)], [(0, 0), (1, 0), (1, 1)]])
def test_the_smallest_kingdom_is_found(places: list[tuple[float, float]]) -> None:
    grid = build_only_grid(make_detections(places, make_view(0.1)))
    assert grid.scores is not None
    assert (grid.scores > 0).sum() == 3


def test_two_squares_are_no_kingdom() -> None:
    assert fit_lattices(make_detections([(0, 0), (1, 0)], make_view(0.1))) == []


@pytest.mark.parametrize("perspective", [0.0004, 0.0025, 0.004])
@pytest.mark.parametrize("degrees", [0, 35, 180, 250])
def test_weak_detections_on_two_halves_are_suppressed(degrees: int, perspective: float) -> None:
    """The detector gives them low scores. Perspective puts them where the next square would lie without it."""
    matrix = make_view(np.radians(degrees), perspective=perspective)
    halves = [(c + 0.5, r) for c, r in FIVE[:20]] + [(c + 0.5, r + 0.5) for c, r in INCOMPLETE_FIVE]
    squares = make_detections([*INCOMPLETE_FIVE, *halves], matrix, noise=0.6)
    squares = replace(squares, score=np.where(np.arange(len(squares)) < len(INCOMPLETE_FIVE), squares.score, 0.15))
    lattice = fit_lattices(squares)[0]
    assert find_indices(lattice, squares) == [*range(len(INCOMPLETE_FIVE))]
    lattice_centres = apply_homography(lattice.matrix, lattice.places + 0.5)
    distances = np.linalg.norm(lattice_centres - lattice.squares.centre, axis=1)
    assert (distances < 0.15 * lattice.squares.side_pixels).all()


@pytest.mark.parametrize("perspective", [0.0025, 0.004])
def test_lattices_grow_under_strong_perspective(perspective: float) -> None:
    """Far squares are much smaller than near ones, and each step is shorter than the one before."""
    squares = make_detections(SEVEN, make_view(0.4, perspective=perspective))
    assert squares.side_pixels.max() / squares.side_pixels.min() > 1.4
    assert [*map(len, fit_lattices(squares))] == [49]


def test_neighbours_are_linked_where_perspective_doubles_the_step() -> None:
    """The next square lies far from the place that a square's own axes predict."""
    squares = make_detections(FIVE, make_view(0.0, perspective=0.013))
    steps = np.linalg.norm(np.diff(squares.centre[:5], axis=0), axis=1)
    assert steps[0] / steps[-1] > 2
    assert [*map(len, fit_lattices(squares))] == [25]


# Components larger than a kingdom are split at their worst links.


def grow_only_component(squares: Detections) -> Component:
    (component,) = grow_components(squares)
    return component


def test_a_weak_detection_between_two_kingdoms_is_where_they_are_split() -> None:
    places = [*FIVE, (5.0, 2.0), *((c + 6, r) for c, r in FIVE)]
    squares = make_detections(places, make_view(0.3, perspective=0.0001), noise=0.5)
    score = np.where(np.arange(len(squares)) == len(FIVE), 0.3, squares.score)
    squares = replace(squares, score=score)
    first, second = split_component(grow_only_component(squares))
    kingdoms = {frozenset(range(25)), frozenset(range(26, 51))}
    assert {frozenset(find_indices(component, squares)) - {25} for component in (first, second)} == kingdoms


def test_kingdoms_with_a_small_gap_are_split_there() -> None:
    squares = make_detections([*FIVE, *((c + 5.3, r) for c, r in FIVE)], make_view(0.3, perspective=0.0001), noise=0.5)
    parts = split_component(grow_only_component(squares))
    assert sorted(find_indices(part, squares) for part in parts) == [[*range(25)], [*range(25, 50)]]


def test_the_largest_kingdom_is_not_split() -> None:
    component = grow_only_component(make_detections(SEVEN, make_view(0.3), noise=0.5))
    assert split_component(component) == [component]


def test_kingdoms_that_touch_at_a_corner_are_split_there() -> None:
    """A link across a corner costs more than one across an edge, also between the two strongest detections."""
    places = [*FIVE, *((col + 5, row + 5) for col, row in FIVE)]
    squares = make_detections(places, make_view(0.3, perspective=0.0001))
    meets = np.isin(np.arange(len(places)), [places.index((4, 4)), places.index((5, 5))])
    squares = replace(squares, score=np.where(meets, 1.0, 0.8))
    parts = split_component(grow_only_component(squares))
    assert sorted(find_indices(part, squares) for part in parts) == [[*range(25)], [*range(25, 50)]]
