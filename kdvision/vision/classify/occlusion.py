"""Things on the table where tiles may be: places beside a kingdom that show neither a tile nor the table.

A hand, a phone or a cup on a domino looks like no tile, and so the kingdom seems to end there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from kdvision.game.board import Square
from kdvision.vision.assess.calibration import compute_log_odds
from kdvision.vision.classify.background import Background, compute_colour_distance
from kdvision.vision.classify.truncation import can_grow, find_neighbours
from kdvision.vision.detect.hypothesis import Mask
from kdvision.vision.networks.cells import CellPredictions
from kdvision.vision.networks.detector import Floats

ALIKE: Final = 3
"""Cloths have two colours or so: of the places a third or more is like any one that shows the table."""
FAINT: Final = 1e-4
"""Less probable than this the network calls nothing covered that it has looked at."""
SLIGHT: Final = -4.0
"""Log-odds that something hides a tile up to which there is no sign of it at all: one place in fifty-five."""
UNLIKE: Final = 8.0
"""A place that differs more than this from those is not the table (CIE L*a*b*, lightness by `tabletop.DEPTH`)."""


def find_covered(table: Background, bare: Mask) -> Mask:
    """Return on which places (rows, cols) something lies that is not the table: a tile or another thing.

    They look like few of the `bare` places, those without a tile, and like little of the table further around.
    """
    return np.asarray(find_non_background(table.places, bare) & (table.distance(bare) > UNLIKE))


def find_non_background(seen: Floats, bare: Mask) -> Mask:
    """Return which places (rows, cols) look like few of the `bare` ones, those without a tile.

    `seen` are their colours (rows, cols, 3). What lies on the table covers some of its places, and most are the table.
    """
    return np.asarray(compute_colour_distance(seen.reshape(-1, 3), seen[bare], ALIKE).reshape(bare.shape) > UNLIKE)


def compute_occlusion_features(seen: CellPredictions, said: Floats) -> Floats:
    """Return the signs (n, 6) that something hides a tile on places that show none.

    What the witnesses say (n, 3) as `evidence.witnesses` gives it, the colour nought where it is not known, and whether
    it is not; the log-odds that something covers it, as the cell network says; and how little what is there looks like
    any one kind of tile (the entropy of the kinds, nats): a bare table looks like none, too, but is no doubt to it.
    """
    unknown = np.isnan(said[:, 2])
    unlike = -(np.exp(seen.kind) * seen.kind).sum(axis=1)
    colour = np.where(unknown, 0.0, said[:, 2])
    return np.column_stack([said[:, :2], colour, unknown, compute_log_odds(np.clip(seen.hidden, FAINT, 1)), unlike])


def compute_occlusion_probability(compute_occlusion_features: Floats, about: Mapping[str, Sequence[float]]) -> Floats:
    """Return how far to take it that something hides a tile (n,), of its signs (n, 6): from a half on, ask.

    The weights, and a constant, are in what the model file says of itself, `covering`: a logistic regression on
    held-out scenes in which things lie on the kingdoms (`lab/calibrate.py`). Without them nothing is hidden.
    """
    if "covering" not in about:
        return np.zeros(len(compute_occlusion_features))
    *weights, constant = about["covering"]
    return np.asarray(1 / (1 + np.exp(-compute_occlusion_features @ np.array(weights) - constant)))


def find_hidden_squares(board: Collection[Square], find_covered: Mask) -> list[Square]:
    """Return the places beside a board that something covers (rows, cols) which is large enough to hide a domino.

    Only where the board could go on, that is: two such places side by side.
    """
    pairs = iterate_pairs_beside(board, *find_covered.shape)
    return list(dict.fromkeys(place for place, other in pairs if find_covered[place] and find_covered[other]))


def compute_max_occlusion(board: Collection[Square], hidden: Floats) -> float:
    """Return how strongly the surest two places beside a board speak of a domino hidden there, nought for not at all.

    `hidden` (rows, cols) is how far to take it that something hides a tile; counted are log-odds above SLIGHT, those of
    the less sure one of the two.
    """
    odds = compute_log_odds(np.clip(hidden, FAINT, 1 - FAINT))
    pairs = iterate_pairs_beside(board, *hidden.shape)
    return max([SLIGHT, *(float(min(odds[place], odds[other])) for place, other in pairs)]) - SLIGHT


def iterate_pairs_beside(board: Collection[Square], rows: int, cols: int) -> Iterator[tuple[Square, Square]]:
    """Yield the places of a grid on which one domino more could lie: one beside the board, and one beside that."""
    for place in find_neighbours(board, rows, cols):
        if can_grow(board, place):
            grown = {*board, place}
            for other in find_neighbours([place], rows, cols):
                if other not in grown and can_grow(grown, other):
                    yield place, other
