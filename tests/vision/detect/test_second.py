"""The second look: how far a lattice reaches, and what two looks at it say together."""

from dataclasses import replace

import numpy as np

from kdvision.vision.detect.components import Component
from kdvision.vision.detect.hypothesis import LatticeHypothesis
from kdvision.vision.detect.neighbours import Place
from kdvision.vision.detect.search import _find_rest
from kdvision.vision.networks.detector import Detections
from tests.kingdoms import fit_lattices
from tests.vision.detect.test_lattice import seen, view

ROW = [(float(c), float(r)) for c in range(5) for r in range(3)]


def candidate(squares: Detections, members: dict[Place, int] | None = None) -> LatticeHypothesis:
    (lattice,) = fit_lattices(squares)
    return replace(lattice, members=members or lattice.members)


def test_two_looks_that_agree_say_together_how_sure_a_square_is() -> None:
    one, two = (candidate(seen(ROW, view(0.2), noise=0.5, seed=seed)) for seed in (0, 1))
    assert one.matches(two)
    both = one.average_scores(two)
    assert np.allclose(both.squares.score, (one.squares.score + two.squares.score) / 2)
    less = candidate(seen(ROW[:12], view(0.2)))
    assert not one.matches(less)
    assert np.allclose(one.average_scores(less).squares.score[12:], one.squares.score[12:] / 2)


def test_a_lattice_that_squares_do_not_fill_covers_less() -> None:
    right = candidate(seen(ROW, view(0.2), noise=0.5))
    wide = replace(right, matrix=right.matrix @ np.diag([1.4, 1, 1]))
    assert right.weighted_area > 0.9 * Component(right.members, right.squares).weighted_area
    assert wide.weighted_area < 0.7 * right.weighted_area


def test_a_second_kingdom_on_a_lattice_is_not_lost() -> None:
    """The first look took the table between the two for a square, and the second one kept to the first kingdom."""
    both = seen([*ROW, (5.0, 1.0), *((c + 6, r) for c, r in ROW)], view(0.2), noise=0.5)
    (lattice,) = fit_lattices(both)
    (rest,) = _find_rest(lattice, candidate(seen(ROW, view(0.2), seed=1)))
    assert set(rest.indices) >= {*range(16, 31)}
    assert not {*range(15)} & set(rest.indices)
    assert _find_rest(rest, candidate(seen(ROW, view(0.2), seed=1))) == []
