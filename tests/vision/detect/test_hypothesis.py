"""Lattice hypotheses: fitted area, and what refinement left out."""

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from kdvision.vision.detect import search
from kdvision.vision.detect.hypothesis import LatticeHypothesis
from kdvision.vision.networks.detector import Detections, SquareDetector
from tests.kingdoms import find_indices, fit_lattices, table_photo
from tests.vision.detect.test_lattice import make_detections, make_view

ROW = [(float(c), float(r)) for c in range(5) for r in range(3)]


def fit_hypothesis(squares: Detections) -> LatticeHypothesis:
    (hypothesis,) = fit_lattices(squares)
    return hypothesis


def test_a_wrong_number_of_columns_lowers_the_fitted_area() -> None:
    right = fit_hypothesis(make_detections(ROW, make_view(0.2), noise=0.5))
    wide = replace(right, matrix=right.matrix @ np.diag([1.4, 1, 1]))
    assert right.fitted_area > 0.9 * right.area
    assert wide.fitted_area < 0.7 * right.fitted_area


def test_squares_that_refinement_left_out_form_a_component(monkeypatch: pytest.MonkeyPatch) -> None:
    """A false detection joined two kingdoms, and refinement kept one of them."""
    both = make_detections([*ROW, (5.0, 1.0), *((c + 6, r) for c, r in ROW)], make_view(0.2), noise=0.5)
    refined: list[LatticeHypothesis] = []

    def keep_first(*arguments: Any) -> LatticeHypothesis:
        refined.append(arguments[2])
        return fit_hypothesis(make_detections(ROW, make_view(0.2), seed=1))

    monkeypatch.setattr(search, "refine", keep_first)
    search.refine_hypotheses(table_photo(), cast(SquareDetector, None), fit_lattices(both))
    whole, rest = (find_indices(one, both) for one in refined)
    assert whole == [*range(31)]
    assert set(rest) >= {*range(16, 31)} and not {*range(15)} & set(rest)
