"""Work shared out among processes, its results in the order of the work, and none done twice."""

import os
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from multiprocessing import get_context
from typing import Final, TypeVar

import cv2

Work = TypeVar("Work")
Done = TypeVar("Done")
Key = TypeVar("Key", bound=Hashable)

SAVED_EVERY: Final = 20
"""Seconds of work that a run that is broken off may lose."""


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


def completed(
    do: Callable[[Work], Done],
    work: Mapping[Key, Work],
    known: Mapping[Key, Done],
    *,
    save: Callable[[Mapping[Key, Done]], None],
    workers: int = 1,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> dict[Key, Done]:
    """Return what is known and what `do` makes of the work that is not, by the keys of both.

    `save` is given all that there is so far, in the order of the work and then of what was known besides, now and then
    and at the end, also where an error ends the run.
    """
    made, saved = dict(known), time.monotonic()
    missing = [key for key in work if key not in made]

    def so_far() -> dict[Key, Done]:
        return {key: made[key] for key in dict.fromkeys((*work, *made)) if key in made}

    try:
        done = in_order(do, [work[key] for key in missing], workers=workers)
        for number, (key, result) in enumerate(zip(missing, done, strict=True), 1):
            made[key] = result
            progress(number, len(missing))
            if time.monotonic() - saved > SAVED_EVERY:
                save(so_far())
                saved = time.monotonic()
    finally:
        save(so_far())
    return so_far()
