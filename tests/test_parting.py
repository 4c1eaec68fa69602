"""Kingdoms that hang together are told apart by their castles, and one kingdom is never taken for two."""

import pytest

from kdvision.vision.finder import Squares
from kdvision.vision.lattice import Place, lattices
from kdvision.vision.parting import parted
from kdvision.vision.search import Candidate
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


@pytest.mark.parametrize("castles", [(4, 13), (0, 17), (8, 12)])
def test_two_kingdoms_that_nearly_touch(castles: tuple[int, int]) -> None:
    squares = two(gap=0.3)
    candidate = whole(squares)
    parts = parted(candidate, [place_of(candidate, index) for index in castles])
    assert [set(part.chosen) for part in parts] == [set(range(9)), set(range(9, 18))]
    assert [(part.grid.rows, part.grid.cols) for part in parts] == [(5, 5), (5, 5)]  # with their rims


def test_a_tile_that_looks_like_a_castle_makes_no_second_kingdom() -> None:
    candidate = whole(seen(RAGGED, view(0.3), noise=1.0))
    assert parted(candidate, [place_of(candidate, 3), place_of(candidate, 15)]) == [candidate]


def test_a_castle_alone_is_no_kingdom() -> None:
    squares = seen([(0, 0), (1, 0), (2, 0), (0, 1), (3.3, 1.3)], view(0.0, perspective=0.0))
    candidate = whole(squares)
    assert parted(candidate, [place_of(candidate, 0), place_of(candidate, 4)]) == [candidate]
