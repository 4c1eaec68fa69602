"""A folder that is watched while photos arrive."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from kdvision.batch.folder import walk
from kdvision.batch.outputs import Written
from kdvision.batch.run import Night, stamp_of
from kdvision.errors import KdvisionError

EVERY: Final = 2.0
"""Seconds between two looks at a folder that is watched, and that a file must have been left alone to be read."""


def watch(night: Night, *, every: float | None = None, ready: Callable[[Written], None] = lambda _: None) -> None:
    """Go on for ever: whenever photos, corrections or the event's file are new, read and write; then call `ready`.

    A folder that is away for a while, and an event file with a mistake, are told once and waited for.
    """
    every = EVERY if every is None else every
    last: object = None
    told = ""
    while True:
        try:
            found = walk(night.plan.folder, leave=night.plan.out)
            event = night.plan.told()
        except KdvisionError as error:
            if str(error) != told:
                night.say(str(error))
            told = str(error)
            time.sleep(every)
            continue
        found = found._replace(photos=tuple(shot for shot in found.photos if _left_alone(shot.path, every)))
        state = ([(shot.name, stamp_of(shot.path)) for shot in found.photos], found.failures, event)
        corrected = night.book.refreshed()
        if state != last or corrected:
            night.follow(event)
            night.look(found.photos)
            ready(night.finish(found))
            last = state
        told = ""
        time.sleep(every)


def _left_alone(path: Path, seconds: float) -> bool:
    """False for a file that may still be arriving."""
    try:
        return time.time() - path.stat().st_mtime > seconds
    except OSError:
        return True
