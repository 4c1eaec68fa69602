"""Where on its grid a kingdom may lie: every place of a side x side window, and what each costs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kdvision.vision.decision.candidates import Frame, Ints, Prices

SIDES: Final = (5, 7)
"""The sides a kingdom may have where none is given."""


@dataclass(frozen=True)
class Window:
    """A place for one kingdom: the numbers of its squares (tall, wide); the others of its grid stay empty.

    `larger` windows need the larger side, which is paid once for all kingdoms of a photo.
    """

    kingdom: int
    squares: Ints
    price: float
    larger: bool


def windows_of(frames: Sequence[Frame], side: int | None, prices: Prices) -> tuple[Window, ...]:
    """Every window of every kingdom, smaller sides first."""
    return tuple(
        Window(number, squares, price, side is None and size > SIDES[0])
        for number, frame in enumerate(frames)
        for size, price in _sizes(frame, side, prices)
        for squares in _places(frame, size)
    )


def _sizes(frame: Frame, side: int | None, prices: Prices) -> list[tuple[int, float]]:
    """The sides a kingdom may have on this grid, each with its price; the grid itself is the dearest way out."""
    most = max(frame.rows, frame.cols)
    sizes = [(size, 0.0) for size in (SIDES if side is None else (side,))]
    fitting = next((number for number, (size, _) in enumerate(sizes) if size >= most), None)
    return [*sizes, (most, prices.too_wide)] if fitting is None else sizes[: fitting + 1]


def _places(frame: Frame, side: int) -> list[Ints]:
    """The squares of every place a window of this side has (cut to the grid where that is smaller)."""
    tall, wide, numbers = min(side, frame.rows), min(side, frame.cols), frame.numbers
    return [
        numbers[top : top + tall, left : left + wide]
        for top in range(frame.rows - tall + 1)
        for left in range(frame.cols - wide + 1)
    ]
