"""The order of the kingdoms of a photo: by row, then from left to right."""

from itertools import permutations

import pytest

from kdvision.vision.assess.kingdom import sort_in_reading_order
from kdvision.vision.classify.observation import BoundingBox


def make_bounding_box(x: float, y: float, side: float = 100) -> BoundingBox:
    return x, y, x + side, y + side


def test_kingdoms_are_sorted_by_row_and_from_left_to_right() -> None:
    assert sort_in_reading_order(
        [make_bounding_box(300, 0), make_bounding_box(0, 60), make_bounding_box(310, 230), make_bounding_box(20, 200)]
    ) == [1, 0, 3, 2]


def test_a_few_pixels_change_nothing() -> None:
    """Four kingdoms in two rows of two, each a few pixels further up."""
    for shifts in permutations((0, 3, 9, 14)):
        table = [
            make_bounding_box(x, y - shift)
            for (x, y), shift in zip([(0, 0), (120, 0), (0, 130), (120, 130)], shifts, strict=True)
        ]
        assert sort_in_reading_order(table) == [0, 1, 2, 3]


def test_nothing_has_no_order() -> None:
    assert sort_in_reading_order([]) == []
    assert sort_in_reading_order([make_bounding_box(5, 5)]) == [0]


@pytest.mark.parametrize(("top", "order"), [(60, [1, 0]), (70, [0, 1])])
def test_extents_share_a_row_from_a_third_of_their_height_on(top: int, order: list[int]) -> None:
    """The second box lies left of the first one, with 40 or 30 of 100 pixels in common."""
    assert sort_in_reading_order([make_bounding_box(300, 0), make_bounding_box(0, top)]) == order
