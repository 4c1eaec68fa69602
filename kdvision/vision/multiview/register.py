"""Registration of two views of one kingdom: quarter turns and whole-cell shifts, by likelihood.

Photos from different sides see a kingdom's lattice turned by quarters and shifted by whole cells. The alignment in
which the cells agree best is chosen; if none agrees well enough, they are different kingdoms.
"""

from collections.abc import Sequence
from itertools import product, starmap
from typing import NamedTuple

import numpy as np

from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.observe import MIN_WHOLE_SHARE
from kdvision.vision.classify.probabilities import NOTHING, ClassProbabilities
from kdvision.vision.geometry import Mask


class Alignment(NamedTuple):
    """The alignment of another view on a first one: clockwise quarter turns, then a shift by rows and columns.

    `gain` is the log-likelihood ratio that they show one kingdom, `share` the part of the tiles visible in both that
    agree.
    """

    turns: int
    rows: int
    cols: int
    gain: float
    share: float

    @property
    def is_same_kingdom(self) -> bool:
        """True if both show the same kingdom."""
        min_gain_nats, min_share = 8.0, 0.6
        return self.gain >= min_gain_nats and self.share >= min_share


AlignedView = tuple[GridObservation, Alignment]
"""The observation of a kingdom in another photo, and its alignment on that in the first one."""


def align(first: GridObservation, other: GridObservation) -> Alignment:
    """Return the most likely alignment of another observation on the first."""
    is_whole, is_other_whole = (view.visible_share >= MIN_WHOLE_SHARE for view in (first, other))
    alignments = (
        _find_shift(
            first.probabilities, other.probabilities.rotate(turns), turns, is_whole, np.rot90(is_other_whole, -turns)
        )
        for turns in range(4)
    )
    return max(alignments, key=lambda alignment: alignment.gain)


def _find_shift(
    first: ClassProbabilities, other: ClassProbabilities, turns: int, is_whole: Mask, is_other_whole: Mask
) -> Alignment:
    """Return the most likely shift of a view that is already turned.

    The ratios are the likelihoods of one kingdom against two, for a cell with the same tile (there are about 16 kinds)
    and for a differing one (above 0 because of occlusion, glare and misreadings). Cells that the border of a photo cuts
    or hides tell nothing.
    """
    agreement_ratio, disagreement_ratio, nothing = 16.0, 0.05, first.kinds.index(NOTHING)
    tiles, other_tiles = (np.delete(np.exp(view.log_probs), nothing, axis=2) for view in (first, other))
    empty, other_empty = (np.exp(view.log_probs[..., nothing]) for view in (first, other))
    same_tile = np.einsum("ijk,lmk->ijlm", tiles, other_tiles)
    both_tiles = np.einsum("ij,lm->ijlm", tiles.sum(axis=2), other_tiles.sum(axis=2))
    no_tile = np.einsum("ij,lm->ijlm", empty, other_empty)
    # The log-likelihood ratio of a cell outside the other grid; that of two overlapping cells is relative to it.
    outside, other_outside = (
        np.log(p + disagreement_ratio * (1 - p)) * is_known
        for p, is_known in ((empty, is_whole & is_other_whole.all()), (other_empty, is_other_whole & is_whole.all()))
    )
    gains = np.log(no_tile + agreement_ratio * same_tile + disagreement_ratio * np.maximum(1 - no_tile - same_tile, 0))
    gains -= outside[:, :, None, None] + other_outside
    gains *= is_whole[:, :, None, None] & is_other_whole

    def measure_shift(rows: int, cols: int) -> Alignment:
        down = slice(max(rows, 0), min(rows + other.rows, first.rows))
        right = slice(max(cols, 0), min(cols + other.cols, first.cols))
        other_overlap = slice(down.start - rows, down.stop - rows), slice(right.start - cols, right.stop - cols)
        gain, agreement, tile = (
            float(np.einsum("ijij->", values[down, right, *other_overlap])) for values in (gains, same_tile, both_tiles)
        )
        gain += float(outside.sum() + other_outside.sum())
        return Alignment(turns, rows, cols, gain, agreement / max(tile, 1e-9))

    shifts = product(range(1 - other.rows, first.rows), range(1 - other.cols, first.cols))
    return max(starmap(measure_shift, shifts), key=lambda alignment: alignment.gain)


def match_kingdoms(
    kingdoms: Sequence[GridObservation], observations: Sequence[GridObservation]
) -> tuple[dict[int, AlignedView], list[GridObservation]]:
    """Return the view of each known kingdom among the observations of another photo, and the unmatched observations.

    Views are keyed by the kingdom's index. The best pairs are matched first.
    """
    pairs = product(enumerate(kingdoms), enumerate(observations))
    alignments = [(n, k, align(kingdom, observation)) for (n, kingdom), (k, observation) in pairs]
    views, unmatched_observations = dict[int, AlignedView](), dict(enumerate(observations))
    for n, k, alignment in sorted(alignments, key=lambda entry: -entry[2].gain):
        if alignment.is_same_kingdom and n not in views and k in unmatched_observations:
            views[n] = unmatched_observations.pop(k), alignment
    return views, list(unmatched_observations.values())
