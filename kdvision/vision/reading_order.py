"""In which order the kingdoms of a photo are counted: as people read, from left to right, row by row."""

from collections.abc import Sequence
from typing import NamedTuple


class Extent(NamedTuple):
    """How far something reaches in a photo, in pixels."""

    left: float
    top: float
    right: float
    bottom: float


def sort_in_reading_order(extents: Sequence[Extent]) -> list[int]:
    """The places of these in the order in which people read.

    What lies beside each other for more than a third of its height is in one row, so that a few pixels up or down
    change nothing.
    """
    rows: list[list[int]] = []
    for place in sorted(range(len(extents)), key=lambda place: extents[place].top + extents[place].bottom):
        if rows and _beside(extents[rows[-1][0]], extents[place]):
            rows[-1].append(place)
        else:
            rows.append([place])
    return [
        place for row in rows for place in sorted(row, key=lambda place: extents[place].left + extents[place].right)
    ]


def _beside(one: Extent, other: Extent) -> bool:
    common = min(one.bottom, other.bottom) - max(one.top, other.top)
    return common > min(one.bottom - one.top, other.bottom - other.top) / 3
