"""Kingdoms that hang together are told apart by their castles, and one kingdom is never taken for two."""

import pytest

from kdvision.vision.candidate import Candidate
from kdvision.vision.finder import Squares
from kdvision.vision.parting import parted
from kdvision.vision.steps import Place
from tests.kingdoms import lattices
from tests.test_lattice import RAGGED, seen, view


def two(*, gap: float) -> Squares:
    """Two kingdoms of nine squares, one at the other's lower right corner, `gap` of a square further."""
    nine = [(float(c), float(r)) for c in range(3) for r in range(3)]
    return seen([*nine, *((c + 3 + gap, r + 3 + gap) for c, r in nine)], view(0.3, perspective=0.0001), noise=0.5)


def whole(squares: Squares) -> Candidate:
    (lattice,) = lattices(squares)
    return Candidate(lattice, squares)


def place_of(candidate: Candidate, index: int) -> Place:
    return next(place for place, member in candidate.lattice.members.items() if member == index)


def tiles_of(candidate: Candidate) -> list[Place]:
    return list(candidate.lattice.members)


@pytest.mark.parametrize("castles", [(4, 13), (0, 17), (8, 12)])
def test_two_kingdoms_whose_corners_nearly_touch(castles: tuple[int, int]) -> None:
    candidate = whole(two(gap=0.3))
    parts = parted(candidate, tiles_of(candidate), [place_of(candidate, index) for index in castles])
    assert sorted(sorted(part.candidate.chosen) for part in parts) == [[*range(9)], [*range(9, 18)]]
    assert [(part.candidate.grid.rows, part.candidate.grid.cols) for part in parts] == [(5, 5), (5, 5)]  # with rims
    assert not any(part.cut for part in parts)


def test_two_kingdoms_whose_sides_nearly_touch_are_cut_there() -> None:
    nine = [(float(c), float(r)) for c in range(3) for r in range(3)]
    candidate = whole(seen([*nine, *((c + 3.3, r + 1.2) for c, r in nine)], view(0.3, perspective=0.0001), noise=0.5))
    parts = parted(candidate, tiles_of(candidate), [place_of(candidate, 4), place_of(candidate, 13)])
    assert sorted(sorted(part.candidate.chosen) for part in parts) == [[*range(9)], [*range(9, 18)]]
    assert all(part.cut for part in parts)


def test_squares_of_the_table_hold_nothing_together() -> None:
    nine = [(float(c), float(r)) for c in range(3) for r in range(3)]
    between = [(3.0, 1.0), (3.0, 2.0)]
    candidate = whole(seen([*nine, *between, *((c + 4, r) for c, r in nine)], view(0.3)))
    tiles = [place for place, index in candidate.lattice.members.items() if index not in (9, 10)]
    parts = parted(candidate, tiles, [place_of(candidate, 4)])
    assert sorted(sorted(part.candidate.chosen) for part in parts) == [[*range(9)], [*range(11, 20)]]


def test_a_tile_that_looks_like_a_castle_makes_no_second_kingdom() -> None:
    candidate = whole(seen(RAGGED, view(0.3), noise=1.0))
    assert parted(candidate, tiles_of(candidate), [place_of(candidate, 3), place_of(candidate, 15)]) == []


def test_a_castle_alone_is_no_kingdom() -> None:
    candidate = whole(seen([(0, 0), (1, 0), (2, 0), (0, 1), (3.3, 1.3)], view(0.0, perspective=0.0)))
    assert parted(candidate, tiles_of(candidate), [place_of(candidate, 0), place_of(candidate, 4)]) == []
