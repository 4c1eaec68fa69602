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
    """Return the indices of the extents in reading order."""
    rows: list[list[int]] = []
    for index in sorted(range(len(extents)), key=lambda index: extents[index].top + extents[index].bottom):
        if rows and _share_row(extents[rows[-1][0]], extents[index]):
            rows[-1].append(index)
        else:
            rows.append([index])
    return [n for row in rows for n in sorted(row, key=lambda index: extents[index].left + extents[index].right)]


def _share_row(one: Extent, other: Extent, *, min_overlap: float = 1 / 3) -> bool:
    """Return True if the boxes have `min_overlap` of the smaller height in common; small shifts change nothing."""
    common = min(one.bottom, other.bottom) - max(one.top, other.top)
    return common > min(one.bottom - one.top, other.bottom - other.top) * min_overlap
