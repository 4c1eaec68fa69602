"""No lattice is larger than a kingdom; where two run into each other, they are cut at what is least sure."""

from dataclasses import replace

import numpy as np

from kdvision.vision.detect.components import split_component
from kdvision.vision.detect.lattice import grow_components
from tests.vision.detect.test_lattice import seen, view

FIVE = [(float(c), float(r)) for c in range(5) for r in range(5)]
SEVEN = [(float(c), float(r)) for c in range(7) for r in range(7)]
BESIDE = [(c + 6.0, r) for c, r in FIVE]


def test_two_kingdoms_in_a_row_are_parted_at_the_square_of_the_table_between_them() -> None:
    squares = seen([*FIVE, (5.0, 2.0), *BESIDE], view(0.3, perspective=0.0001), noise=0.5)
    score = np.where(np.arange(len(squares)) == len(FIVE), 0.3, squares.score)
    squares = replace(squares, score=score)
    (whole,) = grow_components(squares)
    first, second = split_component(squares, whole)
    kingdoms = {frozenset(range(25)), frozenset(range(26, 51))}
    assert {frozenset(part.values()) - {25} for part in (first, second)} == kingdoms


def test_kingdoms_that_are_a_little_apart_are_parted_there() -> None:
    squares = seen([*FIVE, *((c + 5.3, r) for c, r in FIVE)], view(0.3, perspective=0.0001), noise=0.5)
    (whole,) = grow_components(squares)
    assert {frozenset(part.values()) for part in split_component(squares, whole)} == {
        frozenset(range(25)),
        frozenset(range(25, 50)),
    }


def test_the_largest_kingdom_stays_whole() -> None:
    squares = seen(SEVEN, view(0.3), noise=0.5)
    (whole,) = grow_components(squares)
    assert split_component(squares, whole) == [whole]
    assert split_component(squares, {}) == [{}]
