"""All kingdoms of a table lie in one plane: what does not fit it is looked at in it."""

import numpy as np
import pytest

from kdvision.vision.candidate import Candidate, covered
from kdvision.vision.finder import Finder
from kdvision.vision.lattice import Lattice
from kdvision.vision.models import shipped
from kdvision.vision.photo import Photo
from kdvision.vision.plane import in_plane, patches_in_plane
from kdvision.vision.search import searched
from tests.test_lattice import view
from tests.test_search import SAMPLES


def test_a_lattice_of_half_squares_is_seen_whole_in_the_plane_of_a_surer_one() -> None:
    photo, finder = Photo.open(SAMPLES / "two-kingdoms.jpg"), Finder(shipped("finder"))
    sure, other = searched(photo, finder)[1].kept
    assert patches_in_plane(photo, finder, [sure, other], []) == []
    halves = {(2 * col + half, row): n for (col, row), n in other.lattice.members.items() for half in (0, 1)}
    squashed = Candidate(Lattice(halves, other.lattice.matrix @ np.diag([0.5, 1, 1])), other.squares)
    for kept, lost in (([sure, squashed], []), ([sure], [other.patch])):
        (found,) = (patch for patch in patches_in_plane(photo, finder, kept, lost) if patch.on(other))
        assert covered(other.squares, found)[other.chosen].all()
        assert len(found.chosen) <= len(other.chosen) + 2
    assert patches_in_plane(photo, finder, [], [other.patch]) == []


def test_nothing_lies_beyond_the_horizon() -> None:
    plane = view(0.0, perspective=0.01)
    points = np.array([[400.0, 400.0], [440.0, 430.0]])
    assert in_plane(points, plane) == pytest.approx(
        np.array([[0.0, 0.0], [40.0, 30.0]]) / 40 / (1 - np.array([[0.0], [40 * 0.01 / 3 + 30 * 0.01]]))
    )
    assert in_plane(np.array([[400.0, 400.0], [400.0, 600.0]]), plane) is None
