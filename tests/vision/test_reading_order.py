"""The order of the kingdoms of a photo: by row, then from left to right."""

from itertools import permutations

import pytest

from kdvision.vision.assess.kingdom import sort_in_reading_order
from kdvision.vision.classify.observation import Extent


def at(x: float, y: float, side: float = 100) -> Extent:
    return x, y, x + side, y + side


def test_kingdoms_are_sorted_by_row_and_from_left_to_right() -> None:
    assert sort_in_reading_order([at(300, 0), at(0, 60), at(310, 230), at(20, 200)]) == [1, 0, 3, 2]


def test_a_few_pixels_change_nothing() -> None:
    """Four kingdoms, two and two, each of them any few pixels further up than it was."""
    for up in permutations((0, 3, 9, 14)):
        table = [at(x, y - moved) for (x, y), moved in zip([(0, 0), (120, 0), (0, 130), (120, 130)], up, strict=True)]
        assert sort_in_reading_order(table) == [0, 1, 2, 3]


def test_nothing_has_no_order() -> None:
    assert sort_in_reading_order([]) == []
    assert sort_in_reading_order([at(5, 5)]) == [0]


@pytest.mark.parametrize(("up", "order"), [(60, [1, 0]), (70, [0, 1])])
def test_extents_share_a_row_from_a_third_of_their_height_on(up: int, order: list[int]) -> None:
    """The second box lies left of the first one, with 40 or 30 of 100 pixels in common."""
    assert sort_in_reading_order([at(300, 0), at(0, up)]) == order
