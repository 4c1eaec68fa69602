"""Reading order: kingdoms of a photo are numbered from left to right, row by row."""

from collections.abc import Sequence
from typing import NamedTuple


class Extent(NamedTuple):
    """A bounding box in pixels."""

    left: float
    top: float
    right: float
    bottom: float


def sort_in_reading_order(extents: Sequence[Extent]) -> list[int]:
    """Return the indices of the extents in reading order; a row shares a third of the smaller box's height."""
    rows: list[list[int]] = []
    for index in sorted(range(len(extents)), key=lambda index: extents[index].top + extents[index].bottom):
        one, other = extents[rows[-1][0] if rows else index], extents[index]
        common_height = min(one.bottom, other.bottom) - max(one.top, other.top)
        if rows and common_height > min(one.bottom - one.top, other.bottom - other.top) / 3:
            rows[-1].append(index)
        else:
            rows.append([index])
    return [n for row in rows for n in sorted(row, key=lambda index: extents[index].left + extents[index].right)]
