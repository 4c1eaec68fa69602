"""Several looks at one kingdom: whether two readings show the same one, how one lies on the other, and both in one.

Photos of a kingdom from different sides see its lattice turned by quarters and shifted by whole squares. Of all those
ways the one is right in which the squares agree; where none agrees well enough, they are different kingdoms.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

import numpy as np

from kdvision.game.board import Square
from kdvision.game.legality import Problem
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.probabilities import NOTHING, Reading
from kdvision.vision.multiview.fuse import Alignment, compute_shift, find_contradictions, fuse
from kdvision.vision.networks.cells import Floats

AGREED: Final = 16.0
"""How much likelier one kingdom is than two where both readings show the same tile: there are so many kinds."""
AGAINST: Final = 0.05
"""How much less likely it is where they differ: squares are covered, dazzled and misread."""


def align(first: Reading, other: Reading) -> Alignment:
    """The best of all ways that the other reading can lie on the first."""
    return max((_shifted(first, other.rotate(turns), turns) for turns in range(4)), key=lambda found: found.gain)


def _shifted(first: Reading, other: Reading, turns: int) -> Alignment:
    """The best shift of a reading that is turned already."""
    (mine, bare), (theirs, theirs_bare) = _tiles(first), _tiles(other)
    agree = np.einsum("ijk,lmk->ijlm", mine, theirs)
    both = np.einsum("ij,lm->ijlm", mine.sum(axis=2), theirs.sum(axis=2))
    nothing = np.einsum("ij,lm->ijlm", bare, theirs_bare)
    gains = np.log(nothing + AGREED * agree + AGAINST * np.maximum(1 - nothing - agree, 0))
    alone = [np.log(part + AGAINST * (1 - part)) for part in (bare, theirs_bare)]
    best = Alignment(turns, 0, 0, -np.inf, 0.0)
    for rows in range(1 - other.rows, first.rows):
        for cols in range(1 - other.cols, first.cols):
            here, there = _overlap(first, rows, cols, other)
            over = sum(float(part.sum() - part[at].sum()) for part, at in zip(alone, (here, there), strict=True))
            gain = over + _summed(gains, here, there)
            if gain > best.gain + 1e-9:
                share = _summed(agree, here, there) / max(_summed(both, here, there), 1e-9)
                best = Alignment(turns, rows, cols, gain, share)
    return best


def _tiles(reading: Reading) -> tuple[Floats, Floats]:
    """The probabilities of each kind of tile (rows, cols, kinds - 1), and of none (rows, cols)."""
    likely, nothing = np.exp(reading.log_probs), reading.kinds.index(NOTHING)
    return np.delete(likely, nothing, axis=2), likely[..., nothing]


Window = tuple[slice, slice]


def _overlap(first: Reading, rows: int, cols: int, other: Reading) -> tuple[Window, Window]:
    """The part of each grid that lies on the other, where the other is moved by so many rows and columns."""
    tall = slice(max(rows, 0), min(rows + other.rows, first.rows))
    wide = slice(max(cols, 0), min(cols + other.cols, first.cols))
    moved = slice(tall.start - rows, tall.stop - rows), slice(wide.start - cols, wide.stop - cols)
    return (tall, wide), moved


def _summed(pairs: Floats, here: Window, there: Window) -> float:
    """The sum over squares that lie on each other of a table of all pairs (rows, cols, rows, cols)."""
    return float(np.einsum("ijij->", pairs[here[0], here[1], there[0], there[1]]))


MatchedView = tuple[int, GridObservation, Alignment]
"""Which kingdom of the first photo it is, what another photo shows of it, and how that lies on the first."""


def fuse_all(
    first: Sequence[GridObservation], others: Iterable[Sequence[MatchedView]]
) -> tuple[list[GridObservation], list[list[Problem]]]:
    """The first photo's kingdoms with all that other photos show of them, and where these contradict it, for each.

    `others` are the looks of each further photo.
    """
    found: list[list[tuple[GridObservation, Alignment]]] = [[] for _ in first]
    told: list[list[Problem]] = [[] for _ in first]
    for number, observation, laid in chain.from_iterable(others):
        found[number].append((observation, laid))
    for number, looks in enumerate(found):
        down, right = compute_shift(first[number], looks)  # squares are named as the whole kingdom lies
        for problem in find_contradictions(first[number], looks):
            squares = tuple(Square(square.row + down, square.col + right) for square in problem.squares)
            told[number].append(replace(problem, squares=squares))
    return [
        fuse(observation, looks) if looks else observation for observation, looks in zip(first, found, strict=True)
    ], told


def match_kingdoms(
    first: Sequence[GridObservation], observations: Sequence[GridObservation]
) -> tuple[list[MatchedView], list[GridObservation]]:
    """Which kingdom of the first photo each of another's is, the clearest first, none twice; the others."""
    found = [
        (n, k, align(one.reading, two.reading)) for n, one in enumerate(first) for k, two in enumerate(observations)
    ]
    pairs: dict[int, tuple[int, Alignment]] = {}
    for number, k, laid in sorted(found, key=lambda pair: -pair[2].gain):
        if laid.good and k not in pairs and all(number != other for other, _ in pairs.values()):
            pairs[k] = number, laid
    looks = [(number, observations[k], laid) for k, (number, laid) in pairs.items()]
    return looks, [observation for k, observation in enumerate(observations) if k not in pairs]
