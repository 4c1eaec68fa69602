"""What goes where: results alone to stdout, all else to stderr."""

import os
import sys
from contextlib import suppress


def results_alone() -> None:
    """Leave stdout to what this program prints; what libraries print by themselves goes to stderr.

    HiGHS, deep in C++, now and then reports a failed try of its own, and one such line would spoil a file of JSON.
    """
    with suppress(OSError, ValueError):  # without one of the two streams there is nothing to keep apart
        sys.stdout.flush()
        own = os.dup(1)
        os.dup2(2, 1)
        sys.stdout = os.fdopen(own, "w", encoding=sys.stdout.encoding, errors="replace")
