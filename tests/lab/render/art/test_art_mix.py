"""Crowns are added and removed where boxes print them; nothing else of a square changes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kdvision.lab.render.art.art_mix import MAX_CROWNS, change_crowns

SIDE = 100
CROWN, MINE, ROCK = (240, 220, 80), (50, 48, 52), (190, 160, 110)
CROWN_XS = (20, 50, 79)
"""The x of the middles of crowns; their y is 15."""


def print_mine(crowns: int, *, side: int) -> NDArray[np.uint8]:
    """Return a mine with a rock and a number of crowns."""
    square = np.full((SIDE, SIDE, 3), MINE, np.uint8)
    square[45:90, 30:70] = ROCK
    for x in (CROWN_XS if side == 0 else CROWN_XS[::-1])[:crowns]:
        square[8:22, x - 9 : x + 10] = CROWN
    return square


def find_crowns(square: NDArray[np.uint8]) -> list[bool]:
    """Return for each place, from the left, whether a crown is there."""
    return [bool(np.abs(square[15, x].astype(int) - CROWN).max() < 40) for x in CROWN_XS]


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("old_count", [1, 2, 3])
@pytest.mark.parametrize("new_count", range(MAX_CROWNS + 1))
def test_the_wanted_number_of_crowns_is_there(old_count: int, new_count: int, side: int) -> None:
    changed_square = change_crowns(print_mine(old_count, side=side), old_count, new_count, side=side)
    assert find_crowns(changed_square) == find_crowns(print_mine(new_count, side=side))
    assert np.array_equal(changed_square[45:], print_mine(0, side=side)[45:])
