"""Crowns come and go where boxes print them, and nothing else of a square changes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kdvision.lab.render.art.augment import MAX_CROWNS, change_crowns

SIDE = 100
CROWN, MINE, ROCK = (240, 220, 80), (50, 48, 52), (190, 160, 110)
LEFT = (20, 50, 79)
"""Where the middles of crowns are, from the left; all of them 15 below the upper edge."""


def printed(crowns: int, *, side: int) -> NDArray[np.uint8]:
    """A mine with a rock and so many crowns."""
    square = np.full((SIDE, SIDE, 3), MINE, np.uint8)
    square[45:90, 30:70] = ROCK
    for x in (LEFT if side == 0 else LEFT[::-1])[:crowns]:
        square[8:22, x - 9 : x + 10] = CROWN
    return square


def counted(square: NDArray[np.uint8]) -> list[bool]:
    """Whether a crown stands in each of the places, from the left."""
    return [bool(np.abs(square[15, x].astype(int) - CROWN).max() < 40) for x in LEFT]


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("had", [1, 2, 3])
@pytest.mark.parametrize("wanted", range(MAX_CROWNS + 1))
def test_so_many_crowns_stand_there_as_are_wanted(had: int, wanted: int, side: int) -> None:
    made = change_crowns(printed(had, side=side), had, wanted, side=side)
    assert counted(made) == counted(printed(wanted, side=side))
    assert np.array_equal(made[45:], printed(0, side=side)[45:])


def test_a_crown_that_is_printed_nowhere_cannot_be_copied() -> None:
    with pytest.raises(ValueError, match="0 crowns cannot be made 1"):
        change_crowns(printed(0, side=0), 0, 1, side=0)
    with pytest.raises(ValueError, match="2 crowns cannot be made 4"):
        change_crowns(printed(2, side=0), 2, 4, side=0)
