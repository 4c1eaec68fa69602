"""The second look: how far a lattice reaches, and what two looks at it say together."""

from dataclasses import replace

import numpy as np
import pytest

from kdvision.vision.classify.observe import look, whole
from kdvision.vision.detect.hypothesis import Candidate, Patch
from kdvision.vision.detect.lattice import Lattice
from kdvision.vision.detect.neighbours import Place
from kdvision.vision.detect.refine import reach
from kdvision.vision.detect.search import left_over, searched
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.cells import CellReader
from kdvision.vision.networks.detector import Finder, Squares
from kdvision.vision.networks.onnx import shipped
from tests.kingdoms import lattices
from tests.paths import SAMPLES
from tests.vision.detect.test_lattice import seen, view

ROW = [(float(c), float(r)) for c in range(5) for r in range(3)]


def candidate(squares: Squares, members: dict[Place, int] | None = None) -> Candidate:
    (lattice,) = lattices(squares)
    return Candidate(Lattice(members or lattice.members, lattice.matrix), squares)


@pytest.mark.parametrize("degrees", [0, 50, 130])
def test_a_lattice_reaches_as_far_as_the_look_before_goes_on(degrees: int) -> None:
    """The row's last square and the one behind it were lost: the first is what leads to the other."""
    matrix = view(np.radians(degrees))
    before = seen([*ROW, (5.0, 1.0), (6.0, 1.0)], matrix, noise=0.5)
    again = candidate(seen(ROW, matrix, seed=1))
    left, top, right, bottom = reach(again, before)
    assert sorted((right - left, bottom - top)) == [3, 7]
    assert reach(again, replace(before, score=before.score * 0.4)) == again.lattice.bounds()


def test_no_lattice_reaches_further_than_a_kingdom() -> None:
    again = candidate(seen(ROW, view(0.2)))
    left, top, right, bottom = reach(again, seen([(float(c), 1.0) for c in range(12)], view(0.2), noise=0.5))
    assert max(right - left, bottom - top) <= 7


@pytest.mark.parametrize("apart", [(5.3, 3.3), (5.3, 0.1), (5.4, 1.2), (5.25, 2.2)])
def test_a_lattice_does_not_reach_into_a_kingdom_beside_it(apart: tuple[float, float]) -> None:
    """Both together are larger than one kingdom; with a row of it the other would lose the rows that fit this less."""
    theirs = [(c + apart[0], r + apart[1]) for c, r in ROW]
    again = candidate(seen(ROW, view(0.2), seed=1))
    assert reach(again, seen([*ROW, *theirs], view(0.2), noise=0.5)) == again.lattice.bounds()


@pytest.mark.parametrize("degrees", [0, 50, 130])
def test_what_lies_out_of_a_kingdoms_reach_changes_nothing(degrees: int) -> None:
    matrix = view(np.radians(degrees))
    goes_on = [*ROW, (5.0, 1.0), (6.0, 1.0)]
    theirs = [(c + 11.3, r - 4.2) for c, r in ROW] + [(c - 3.4, r + 12.1) for c, r in ROW]
    again = candidate(seen(ROW, matrix, seed=1))
    alone, beside = (seen(places, matrix, noise=0.5) for places in (goes_on, [*goes_on, *theirs]))
    assert reach(again, beside) == reach(again, alone) != again.lattice.bounds()


def test_two_looks_that_agree_say_together_how_sure_a_square_is() -> None:
    one, two = (candidate(seen(ROW, view(0.2), noise=0.5, seed=seed)) for seed in (0, 1))
    assert one.same_as(two)
    both = one.agreed(two)
    assert np.allclose(both.squares.score, (one.squares.score + two.squares.score) / 2)
    less = candidate(seen(ROW[:12], view(0.2)))
    assert not one.same_as(less)
    assert np.allclose(one.agreed(less).squares.score[12:], one.squares.score[12:] / 2)


def test_a_lattice_that_squares_do_not_fill_covers_less() -> None:
    right = candidate(seen(ROW, view(0.2), noise=0.5))
    wide = Candidate(Lattice(right.lattice.members, right.lattice.matrix @ np.diag([1.4, 1, 1])), right.squares)
    assert right.covered > 0.9 * right.patch.covered
    assert wide.covered < 0.7 * right.covered


def test_a_second_kingdom_on_a_lattice_is_not_lost() -> None:
    """The first look took the table between the two for a square, and the second one kept to the first kingdom."""
    both = seen([*ROW, (5.0, 1.0), *((c + 6, r) for c, r in ROW)], view(0.2), noise=0.5)
    (lattice,) = lattices(both)
    (rest,) = left_over(Patch(lattice.members, both), candidate(seen(ROW, view(0.2), seed=1)))
    assert set(rest.chosen) >= {*range(16, 31)}
    assert not {*range(15)} & set(rest.chosen)
    assert left_over(rest, candidate(seen(ROW, view(0.2), seed=1))) == []


def test_a_row_that_only_the_reader_sees_is_looked_at_whole() -> None:
    """A domino lies across the rim of a lattice that lost two columns: its other half is found beyond."""
    photo, finder, reader = Photo.open(SAMPLES / "demo.jpg"), Finder(shipped("finder")), CellReader(shipped("cells"))
    (full,) = searched(photo, finder)[1].kept
    left, top, right, bottom = full.lattice.bounds()
    members = {(col, row): index for (col, row), index in full.lattice.members.items() if col < right - 2}
    less = Candidate(Lattice(members, full.lattice.matrix), full.squares)
    grown, sight = whole(photo, finder, reader, less, {less: look(photo, reader, less.grid)})
    assert grown.bounds == (left, top, right, bottom)
    assert sight.tiles == pytest.approx(look(photo, reader, full.grid).tiles, abs=0.5)
    assert whole(photo, finder, reader, full, {full: sight})[0] is full
