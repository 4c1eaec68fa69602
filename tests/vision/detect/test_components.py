"""Components larger than a kingdom are split at their worst links."""

from dataclasses import replace

import numpy as np

from kdvision.vision.detect.lattice import Component, grow_components, split_component
from kdvision.vision.networks.detector import Detections
from tests.kingdoms import find_indices
from tests.vision.detect.test_lattice import make_detections, make_view

FIVE = [(float(c), float(r)) for c in range(5) for r in range(5)]
SEVEN = [(float(c), float(r)) for c in range(7) for r in range(7)]
FIVE_BESIDE = [(c + 6.0, r) for c, r in FIVE]


def grow_only_component(squares: Detections) -> Component:
    (whole,) = grow_components(squares)
    return whole


def test_a_weak_detection_between_two_kingdoms_is_where_they_are_split() -> None:
    squares = make_detections([*FIVE, (5.0, 2.0), *FIVE_BESIDE], make_view(0.3, perspective=0.0001), noise=0.5)
    score = np.where(np.arange(len(squares)) == len(FIVE), 0.3, squares.score)
    squares = replace(squares, score=score)
    first, second = split_component(grow_only_component(squares))
    kingdoms = {frozenset(range(25)), frozenset(range(26, 51))}
    assert {frozenset(find_indices(part, squares)) - {25} for part in (first, second)} == kingdoms


def test_kingdoms_with_a_small_gap_are_split_there() -> None:
    squares = make_detections([*FIVE, *((c + 5.3, r) for c, r in FIVE)], make_view(0.3, perspective=0.0001), noise=0.5)
    parts = split_component(grow_only_component(squares))
    assert sorted(find_indices(part, squares) for part in parts) == [[*range(25)], [*range(25, 50)]]


def test_the_largest_kingdom_is_not_split() -> None:
    whole = grow_only_component(make_detections(SEVEN, make_view(0.3), noise=0.5))
    assert split_component(whole) == [whole]
