"""Registration of two readings of one kingdom: quarter turns and whole-cell shifts, by likelihood.

Photos from different sides see a kingdom's lattice turned by quarters and shifted by whole cells. The alignment in
which the cells agree best is chosen; if none agrees well enough, they are different kingdoms.
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
from kdvision.vision.geometry import Floats
from kdvision.vision.multiview.fuse import Alignment, compute_shift, find_contradictions, fuse

AGREEMENT_RATIO: Final = 16.0
"""Likelihood ratio of one kingdom against two for a cell with the same tile; there are about that many kinds."""
DISAGREEMENT_RATIO: Final = 0.05
"""Likelihood ratio of a differing cell; above 0 because of occlusion, glare and misreadings."""

MatchedView = tuple[int, GridObservation, Alignment]
"""The index of a kingdom of the first photo, its observation in another photo, and the alignment of that."""
Window = tuple[slice, slice]


def align(first: Reading, other: Reading) -> Alignment:
    """Return the most likely alignment of another reading on the first."""
    return max((_find_shift(first, other.rotate(turns), turns) for turns in range(4)), key=lambda found: found.gain)


def _find_shift(first: Reading, other: Reading, turns: int) -> Alignment:
    """Return the most likely shift of a reading that is already turned."""
    (tiles, empty), (other_tiles, other_empty) = _split_probabilities(first), _split_probabilities(other)
    agree = np.einsum("ijk,lmk->ijlm", tiles, other_tiles)
    both = np.einsum("ij,lm->ijlm", tiles.sum(axis=2), other_tiles.sum(axis=2))
    neither = np.einsum("ij,lm->ijlm", empty, other_empty)
    gains = np.log(neither + AGREEMENT_RATIO * agree + DISAGREEMENT_RATIO * np.maximum(1 - neither - agree, 0))
    outside = [np.log(part + DISAGREEMENT_RATIO * (1 - part)) for part in (empty, other_empty)]
    best = Alignment(turns, 0, 0, -np.inf, 0.0)
    for rows in range(1 - other.rows, first.rows):
        for cols in range(1 - other.cols, first.cols):
            here, there = _find_overlap(first, rows, cols, other)
            rest = sum(float(part.sum() - part[at].sum()) for part, at in zip(outside, (here, there), strict=True))
            gain = rest + _sum_overlap(gains, here, there)
            if gain > best.gain + 1e-9:
                share = _sum_overlap(agree, here, there) / max(_sum_overlap(both, here, there), 1e-9)
                best = Alignment(turns, rows, cols, gain, share)
    return best


def _split_probabilities(reading: Reading) -> tuple[Floats, Floats]:
    """Return the probabilities of each kind of tile (rows, cols, kinds - 1), and of none (rows, cols)."""
    probabilities, nothing = np.exp(reading.log_probs), reading.kinds.index(NOTHING)
    return np.delete(probabilities, nothing, axis=2), probabilities[..., nothing]


def _find_overlap(first: Reading, rows: int, cols: int, other: Reading) -> tuple[Window, Window]:
    """Return the overlapping part of each grid after a shift of the other by rows and columns."""
    down = slice(max(rows, 0), min(rows + other.rows, first.rows))
    right = slice(max(cols, 0), min(cols + other.cols, first.cols))
    shifted = slice(down.start - rows, down.stop - rows), slice(right.start - cols, right.stop - cols)
    return (down, right), shifted


def _sum_overlap(pairs: Floats, here: Window, there: Window) -> float:
    """Return the sum of a table of all pairs (rows, cols, rows, cols) over cells that coincide."""
    return float(np.einsum("ijij->", pairs[here[0], here[1], there[0], there[1]]))


def fuse_all(
    kingdoms: Sequence[GridObservation], views: Iterable[Sequence[MatchedView]]
) -> tuple[list[GridObservation], list[list[Problem]]]:
    """Return the first photo's kingdoms fused with their views in further photos, and the contradictions of each."""
    matched: list[list[tuple[GridObservation, Alignment]]] = [[] for _ in kingdoms]
    for number, observation, alignment in chain.from_iterable(views):
        matched[number].append((observation, alignment))
    problems: list[list[Problem]] = []
    for kingdom, others in zip(kingdoms, matched, strict=True):
        down, right = compute_shift(kingdom, others)  # squares are named on the fused grid
        problems.append([_shift_problem(one, down, right) for one in find_contradictions(kingdom, others)])
    return [fuse(one, others) if others else one for one, others in zip(kingdoms, matched, strict=True)], problems


def _shift_problem(problem: Problem, down: int, right: int) -> Problem:
    return replace(problem, squares=tuple(Square(row + down, col + right) for row, col in problem.squares))


def match_kingdoms(
    kingdoms: Sequence[GridObservation], observations: Sequence[GridObservation]
) -> tuple[list[MatchedView], list[GridObservation]]:
    """Return which kingdom of the first photo each observation of another shows, best first, and the unmatched ones."""
    aligned = [
        (n, k, align(one.reading, two.reading)) for n, one in enumerate(kingdoms) for k, two in enumerate(observations)
    ]
    pairs: dict[int, tuple[int, Alignment]] = {}
    for number, k, alignment in sorted(aligned, key=lambda pair: -pair[2].gain):
        if alignment.is_same_kingdom and k not in pairs and all(number != other for other, _ in pairs.values()):
            pairs[k] = number, alignment
    views = [(number, observations[k], alignment) for k, (number, alignment) in pairs.items()]
    return views, [one for k, one in enumerate(observations) if k not in pairs]
