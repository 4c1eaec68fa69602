"""Risk and coverage: of boards, the surest first, how many can be given, and how many of these are wrong.

For every number of boards that nobody is asked to look at it is told how many were wrong (Geifman and El-Yaniv, 2017).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Believed = Sequence[tuple[float, bool]]
"""For each board its probability, and whether it was right."""

PRECISE: Final = 0.995
"""How many boards are accepted is told at this share of them right, too, whatever is shipped."""


def coverage(boards: Believed, *, of: int) -> tuple[Floats, Floats, Floats]:
    """Return, board by board from the surest on: the share of `of` boards accepted, the share wrong, the chance.

    `of` counts those besides that are never accepted, because something is odd about them.
    """
    chance, right = columns(boards)
    order = np.argsort(-chance, kind="stable")
    count = np.arange(1, len(order) + 1)
    return count / of, np.cumsum(~right[order]) / count, chance[order]


def accepted(boards: Believed, *, of: int) -> float:
    """Return the largest share of `of` boards that can be accepted, the surest first, of which PRECISE are right."""
    if not boards:
        return 0.0
    share, wrong, _ = coverage(boards, of=of)
    return float(share[wrong <= 1 - PRECISE].max(initial=0.0))


def columns(boards: Believed) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the probabilities (n,) and what was right (n,)."""
    return np.array([chance for chance, _ in boards], float), np.array([right for _, right in boards], bool)
