"""One at a time: a lock that the system takes back when its holder dies, however that happens."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from kdvision.errors import KdvisionError

if sys.platform == "win32":
    import msvcrt

    def _take(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


PATIENCE: Final = 10.0
"""Seconds."""


class Taken(KdvisionError):
    """Another run holds the lock."""


@contextmanager
def locked(path: Path, *, patient: bool = False) -> Iterator[None]:
    """Hold the lock of this file while the block runs; raises Taken where another process has it.

    That is at once, or after some seconds for one who is `patient`, for locks that are held for moments only.
    """
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        hint = "choose a folder that you may write into"
        raise KdvisionError(f"{path.parent} cannot be written into: {error.strerror}", hint=hint) from error
    until = time.monotonic() + (PATIENCE if patient else 0)
    while not _taken(file):
        if time.monotonic() >= until:
            os.close(file)
            hint = "wait until it is done, or name another folder"
            raise Taken(f"another run is writing into {path.parent}", hint=hint)
        time.sleep(0.05)
    try:
        yield
    finally:
        os.close(file)


def _taken(file: int) -> bool:
    try:
        _take(file)
    except OSError:
        return False
    return True
