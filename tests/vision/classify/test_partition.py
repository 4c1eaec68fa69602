"""Partition of tiles among kingdoms: castles split a lattice, and a shared tile has one owner."""

from dataclasses import replace

import numpy as np
import pytest

from kdvision.vision.classify.partition import ObservedLattice, remove_foreign_tiles, split_by_castles
from kdvision.vision.classify.probabilities import KINDS, ClassProbabilities
from kdvision.vision.detect.grid import build_grid
from kdvision.vision.detect.hypothesis import LatticeHypothesis
from kdvision.vision.geometry import Floats
from kdvision.vision.networks.detector import Detections
from tests.kingdoms import find_indices, fit_lattices, make_plain_observation
from tests.vision.detect.test_lattice import INCOMPLETE_FIVE, make_detections, make_view

NO_POINTS = np.zeros((0, 2))
NINE = [(float(c), float(r)) for c in range(3) for r in range(3)]


def observe_only_lattice(
    squares: Detections, castle_indices: tuple[int, ...], empty_indices: tuple[int, ...] = ()
) -> ObservedLattice:
    (hypothesis,) = fit_lattices(squares)
    return observe(hypothesis, squares.centre[[*castle_indices]], squares.centre[[*empty_indices]])


def observe(hypothesis: LatticeHypothesis, castle_points: Floats, empty_points: Floats) -> ObservedLattice:
    """Return the lattice with castles and table at the given points, wheat on other detections, and table elsewhere."""
    grid = build_grid(hypothesis)
    probabilities = np.full((grid.rows, grid.cols, len(KINDS)), 0.001)
    probabilities[..., KINDS.index(".")] = 1.0
    cells = np.linalg.norm(hypothesis.squares.centre[:, None] - grid.centres.reshape(1, -1, 2), axis=2).argmin(axis=1)
    for index, centre in enumerate(hypothesis.squares.centre):
        kind = "#" if (centre == castle_points).all(1).any() else "." if (centre == empty_points).all(1).any() else "w"
        cell = probabilities.reshape(-1, len(KINDS))[cells[index]]
        cell[:] = 0.001
        cell[KINDS.index(kind)] = 1.0
    return ObservedLattice(hypothesis, make_plain_observation(ClassProbabilities.of_probabilities(probabilities), grid))


def list_parts(parts: list[LatticeHypothesis], squares: Detections) -> list[list[int]]:
    return sorted(find_indices(part, squares) for part in parts)


@pytest.mark.parametrize("castles", [(4, 13), (0, 17), (8, 12)])
@pytest.mark.parametrize("offset", [(3.3, 3.3), (3.3, 1.2)])
def test_two_kingdoms_that_almost_touch_are_split(castles: tuple[int, int], offset: tuple[float, float]) -> None:
    col_offset, row_offset = offset
    squares = make_detections(
        [*NINE, *((c + col_offset, r + row_offset) for c, r in NINE)], make_view(0.3, perspective=0.0001), noise=0.5
    )
    parts = split_by_castles(observe_only_lattice(squares, castles))
    assert list_parts(parts, squares) == [[*range(9)], [*range(9, 18)]]
    assert [(grid.rows, grid.cols) for grid in map(build_grid, parts)] == [(5, 5), (5, 5)]  # with a rim


def test_detections_on_the_table_connect_nothing() -> None:
    squares = make_detections([*NINE, (3.0, 1.0), (3.0, 2.0), *((c + 4, r) for c, r in NINE)], make_view(0.3))
    parts = split_by_castles(observe_only_lattice(squares, (4, 15), empty_indices=(9, 10)))
    assert list_parts(parts, squares) == [[*range(9)], [*range(11, 20)]]


def test_a_tile_that_looks_like_a_castle_splits_no_kingdom() -> None:
    assert (
        split_by_castles(observe_only_lattice(make_detections(INCOMPLETE_FIVE, make_view(0.3), noise=1.0), (3, 15)))
        == []
    )


def test_a_castle_alone_is_no_part() -> None:
    squares = make_detections([(0, 0), (1, 0), (2, 0), (0, 1), (3.3, 1.3)], make_view(0.0, perspective=0.0))
    assert split_by_castles(observe_only_lattice(squares, (0, 4))) == []


def test_one_castle_splits_nothing() -> None:
    assert split_by_castles(observe_only_lattice(make_detections(INCOMPLETE_FIVE, make_view(0.3)), (3,))) == []


def test_tiles_of_another_kingdom_are_removed_from_a_grid_that_reaches_over_them() -> None:
    """The first lattice includes a tile of the second one."""
    places = [*NINE, *((c + 3.25, r + 0.2) for c, r in NINE)]
    squares = make_detections(places, make_view(0.0, perspective=0.0))
    (first,), (second,) = (fit_lattices(squares.select([*range(*span)])) for span in ((0, 9), (9, 18)))
    order = np.lexsort((first.squares.centre[:, 0], first.squares.centre[:, 1].round()))
    first_places = np.array([*first.places[order], (first.bounds.right, 0)])
    overlapping_lattice = replace(first, places=first_places, squares=squares.select([*range(10)]))
    observation, other_observation = remove_foreign_tiles(
        [observe(lattice, squares.centre[[n]], NO_POINTS) for lattice, n in ((overlapping_lattice, 4), (second, 13))]
    )
    assert observation.is_tile.sum() == 9 and other_observation.is_tile.sum() == 9


def test_kingdoms_apart_keep_their_tiles() -> None:
    squares = make_detections([*NINE, *((c + 6.0, r) for c, r in NINE)], make_view(0.3))
    lattices = [observe(lattice, lattice.squares.centre[:1], NO_POINTS) for lattice in fit_lattices(squares)]
    assert remove_foreign_tiles(lattices) == [lattice.observation for lattice in lattices]
