"""Lattice hypotheses: agreement, weighted area, and what refinement left out."""

from dataclasses import replace

import numpy as np

from kdvision.vision.detect.components import Component
from kdvision.vision.detect.hypothesis import LatticeHypothesis
from kdvision.vision.detect.search import _find_rest
from kdvision.vision.networks.detector import Detections
from tests.kingdoms import fit_lattices
from tests.vision.detect.test_lattice import make_detections, make_view

ROW = [(float(c), float(r)) for c in range(5) for r in range(3)]


def fit_hypothesis(squares: Detections) -> LatticeHypothesis:
    (hypothesis,) = fit_lattices(squares)
    return hypothesis


def test_matching_hypotheses_average_their_scores() -> None:
    one, two = (fit_hypothesis(make_detections(ROW, make_view(0.2), noise=0.5, seed=seed)) for seed in (0, 1))
    assert one.matches(two)
    both = one.average_scores(two)
    assert np.allclose(both.squares.score, (one.squares.score + two.squares.score) / 2)
    less = fit_hypothesis(make_detections(ROW[:12], make_view(0.2)))
    assert not one.matches(less)
    assert np.allclose(one.average_scores(less).squares.score[12:], one.squares.score[12:] / 2)


def test_a_wrong_number_of_columns_lowers_the_weighted_area() -> None:
    right = fit_hypothesis(make_detections(ROW, make_view(0.2), noise=0.5))
    wide = replace(right, matrix=right.matrix @ np.diag([1.4, 1, 1]))
    assert right.weighted_area > 0.9 * Component(right.members, right.squares).weighted_area
    assert wide.weighted_area < 0.7 * right.weighted_area


def test_squares_that_refinement_left_out_form_a_component() -> None:
    """A false detection joined two kingdoms, and refinement kept one of them."""
    both = make_detections([*ROW, (5.0, 1.0), *((c + 6, r) for c, r in ROW)], make_view(0.2), noise=0.5)
    (lattice,) = fit_lattices(both)
    (rest,) = _find_rest(lattice, fit_hypothesis(make_detections(ROW, make_view(0.2), seed=1)))
    assert set(rest.indices) >= {*range(16, 31)}
    assert not {*range(15)} & set(rest.indices)
    assert _find_rest(rest, fit_hypothesis(make_detections(ROW, make_view(0.2), seed=1))) == []
