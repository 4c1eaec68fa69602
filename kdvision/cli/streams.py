"""Sets up the standard streams: only results on stdout, and errors while printing are handled."""

import io
import os
import sys
from contextlib import suppress
from typing import Any, Final, TextIO

from kdvision.errors import KdvisionError

HINT: Final = "free some space, or send the results elsewhere"


def separate_streams() -> None:
    """Send what libraries print to stdout to stderr, so that stdout has only results, unless it is a terminal.

    HiGHS, in C++, sometimes prints a line of its own, which would spoil a file of JSON. After this call, results that
    cannot be printed raise KdvisionError, and messages that cannot be printed are dropped.
    """
    for number in range(3):  # the next file would get the number of a closed stream
        try:
            os.fstat(number)
        except OSError:
            with suppress(OSError):
                os.open(os.devnull, os.O_RDWR)  # takes the lowest free number
    with suppress(OSError, ValueError):
        if sys.stderr is not None and not sys.stderr.isatty():
            sys.stderr = _wrap(_MessageFile(os.dup(2), "w"), sys.stderr, line_buffering=True)
    with suppress(OSError, ValueError):  # if one of the two streams is missing there is nothing to separate
        if sys.stdout is None:
            sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115  (used until the process ends)
        elif not sys.stdout.isatty():  # a terminal keeps its descriptor, which is asked for the width
            sys.stdout.flush()
            results = _ResultFile(os.dup(1), "w")
            os.dup2(2, 1)
            sys.stdout = _wrap(results, sys.stdout)


def _wrap(file: io.FileIO, stream: TextIO, *, line_buffering: bool = False) -> TextIO:
    writer = io.BufferedWriter(file)
    return io.TextIOWrapper(writer, encoding=stream.encoding, errors="replace", line_buffering=line_buffering)


class _ResultFile(io.FileIO):
    """Stdout: the first write that fails raises KdvisionError, later ones are dropped, and all for a closed pipe."""

    has_failed = False

    def write(self, content: Any) -> int:
        if not self.has_failed:
            try:
                return int(super().write(content))
            except OSError as error:
                self.has_failed = True
                if not isinstance(error, BrokenPipeError):  # else the reader has what it wants
                    raise KdvisionError(f"the results cannot be printed: {error.strerror}", hint=HINT) from error
        return len(content)


class _MessageFile(io.FileIO):
    """Stderr: a message that cannot be written is dropped, so that it never ends the work."""

    def write(self, content: Any) -> int:
        with suppress(OSError):
            return int(super().write(content))
        return len(content)
