"""Work shared out among processes, its results in the order of the work."""

import os
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import get_context
from typing import TypeVar

import cv2

Work = TypeVar("Work")
Done = TypeVar("Done")


def in_order(do: Callable[[Work], Done], work: Iterable[Work], *, workers: int = 1) -> Iterator[Done]:
    """Yield what `do` makes of each piece of work, in order, by so many processes; one worker is this process.

    With several, `do` and the work travel to processes of one thread each, so they must pickle; an error of one ends
    all.
    """
    if workers == 1:
        yield from map(do, work)
        return
    with get_context("spawn").Pool(workers, _start) as pool:
        yield from pool.imap(do, work)


def _start() -> None:
    os.environ["KDVISION_THREADS"] = "1"
    cv2.setNumThreads(1)
