"""What goes where: results alone to stdout, all else to stderr; and what becomes of what cannot be printed."""

import io
import os
import sys
from contextlib import suppress
from typing import Any, Final, TextIO

from kdvision.errors import KdvisionError

HINT: Final = "make room there, or send the results elsewhere"


def results_alone() -> None:
    """Leave stdout to what this program prints; what libraries print by themselves goes to stderr.

    HiGHS, deep in C++, now and then reports a failed try of its own, and one such line would spoil a file of JSON.
    Results that cannot be printed are a KdvisionError; messages that cannot be are lost, and the work goes on.
    """
    _fill_gaps()
    with suppress(OSError, ValueError):
        if sys.stderr is not None and not sys.stderr.isatty():
            sys.stderr = _text(_Messages(os.dup(2), "w"), sys.stderr, line_buffering=True)
    with suppress(OSError, ValueError):  # without one of the two streams there is nothing to keep apart
        if sys.stdout is None:
            sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115  (it is stdout from here on)
            return
        sys.stdout.flush()
        own = os.dup(1)
        os.dup2(2, 1)
        if sys.stdout.isatty():
            sys.stdout = os.fdopen(own, "w", encoding=sys.stdout.encoding, errors="replace")
        else:
            sys.stdout = _text(_Results(own, "w"), sys.stdout)


def _fill_gaps() -> None:
    """Open nothing in place of streams that are closed, or the next file would get their number and their noise."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            with suppress(OSError):
                os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free


def _text(raw: io.FileIO, like: TextIO, *, line_buffering: bool = False) -> TextIO:
    buffered = io.BufferedWriter(raw)
    return io.TextIOWrapper(buffered, encoding=like.encoding, errors="replace", line_buffering=line_buffering)


class _Results(io.FileIO):
    """Stdout itself: the first write that fails is an error with advice, what comes after it is dropped."""

    lost = False

    def write(self, content: Any) -> int:
        if self.lost:
            return len(content)
        try:
            return int(super().write(content))
        except BrokenPipeError:  # whoever read has seen enough, which the command line takes quietly
            self.lost = True
            raise
        except OSError as error:
            self.lost = True
            raise KdvisionError(f"the results cannot be printed: {error.strerror}", hint=HINT) from error


class _Messages(io.FileIO):
    """Stderr itself: a message that cannot be written is dropped, for no work should end over it."""

    def write(self, content: Any) -> int:
        with suppress(OSError):
            return int(super().write(content))
        return len(content)
