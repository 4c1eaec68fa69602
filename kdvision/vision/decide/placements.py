"""Placements: everything that could lie on the grids of a photo, with its cost. They are the columns of the ILP.

A placement is a domino of the deck on two neighbouring squares, a castle, or, at a penalty, something that no box
explains: a foreign domino or a single square. Its cost is the loss of the readings relative to bare table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kdvision.game.deck import Deck, faces
from kdvision.vision.classify.observation import BorderLogOdds
from kdvision.vision.classify.probabilities import CASTLE, NOTHING
from kdvision.vision.geometry import Floats, Mask

Ints = NDArray[np.intp]

MAX_EXCESS_NATS: Final = 16.0
"""A placement whose kinds are less probable than the best kinds by more than this is not considered."""


@dataclass(frozen=True)
class Penalties:
    """Costs, in nats, of deviations from the rules; 7 is about one in a thousand."""

    foreign_domino: float = 7.0
    single_square: float = 12.0
    no_castle: float = 11.0
    oversize: float = 12.0
    larger_side: float = 3.0
    detached_group: float = 6.0


@dataclass(frozen=True)
class Frame:
    """One kingdom's grid. Its squares are numbered row by row from `start`, so that all grids share one numbering."""

    start: int
    rows: int
    cols: int

    @property
    def numbers(self) -> Ints:
        """The numbers of the squares (rows, cols)."""
        return np.arange(self.start, self.end).reshape(self.rows, self.cols)

    @property
    def end(self) -> int:
        """The number after the last square's."""
        return self.start + self.rows * self.cols


@dataclass(frozen=True)
class Placements:
    """Parallel arrays (n,): squares `first` and `second` with kinds `kind_a` and `kind_b`, deck `face`, `cost`.

    `second`, `kind_b` and `face` are -1 for placements of one square or without a face. `stock` (faces,) is the number
    of dominoes with each face, `losses` (squares, kinds) the negative log-probability of each kind on each square.
    """

    frames: tuple[Frame, ...]
    kinds: tuple[str, ...]
    stock: Ints
    losses: Floats
    first: Ints
    second: Ints
    kind_a: Ints
    kind_b: Ints
    face: Ints
    cost: Floats
    is_castle: Mask
    is_foreign: Mask

    @property
    def nothing(self) -> int:
        """The index of the kind "no tile"."""
        return self.kinds.index(NOTHING)

    def label_squares(self, chosen: Ints) -> Ints:
        """Return the kind (squares,) on each square, given the indices of the chosen placements."""
        labels = np.full(self.frames[-1].end, self.nothing)
        labels[self.first[chosen]] = self.kind_a[chosen]
        pairs = chosen[self.second[chosen] >= 0]
        labels[self.second[pairs]] = self.kind_b[pairs]
        return labels


def list_placements(
    losses: Sequence[Floats],
    border_log_odds: Sequence[BorderLogOdds | None],
    deck: Deck,
    kinds: tuple[str, ...],
    penalties: Penalties,
) -> Placements:
    """Return all plausible placements; `losses` are arrays (rows, cols, kinds) of negative log-probabilities."""
    starts = np.cumsum([0, *(loss.shape[0] * loss.shape[1] for loss in losses)])
    frames = tuple(Frame(int(start), *loss.shape[:2]) for start, loss in zip(starts, losses, strict=False))
    flat = np.concatenate([loss.reshape(-1, len(kinds)) for loss in losses])
    stock = {face: count for face, count in faces(deck).items() if {str(face[0]), str(face[1])} <= set(kinds)}
    ways = [(kinds.index(str(one)), kinds.index(str(two)), n) for n, (one, two) in enumerate(stock)]
    ways = [*ways, *((b, a, n) for a, b, n in ways if a != b)]
    groups = _list_groups(
        flat, kinds, np.array(ways, np.intp).reshape(-1, 3), *_list_pairs(frames, border_log_odds), penalties
    )
    first, second, kind_a, kind_b, face, price = (np.concatenate(part) for part in zip(*groups, strict=True))
    group = np.repeat(np.arange(len(groups)), [len(columns[0]) for columns in groups])
    is_pair = second >= 0
    over = flat - flat.min(axis=1, keepdims=True)
    excess = over[first, kind_a] + np.where(is_pair, over[second, kind_b], 0.0) + price
    gain = flat - flat[:, [kinds.index(NOTHING)]]
    cost = gain[first, kind_a] + np.where(is_pair, gain[second, kind_b], 0.0) + price
    columns = (first, second, kind_a, kind_b, face, cost, group == 3, (group == 1) | (group == 2))
    counts = np.array(list(stock.values()), np.intp)
    return Placements(frames, kinds, counts, flat, *(column[excess < MAX_EXCESS_NATS] for column in columns))


def _list_groups(
    losses: Floats, kinds: tuple[str, ...], ways: Ints, first: Ints, second: Ints, gains: Floats, penalties: Penalties
) -> list[tuple[NDArray[np.generic], ...]]:
    """Return dominoes, foreign dominoes, single squares and castles: squares, kinds, face and price of each.

    `ways` (n, 3) are the kinds and the face of the deck's dominoes, `gains` the border evidence for each pair.
    """
    over = losses - losses.min(axis=1, keepdims=True)
    tiles = np.array([n for n, kind in enumerate(kinds) if kind not in (NOTHING, CASTLE)])
    single = np.array([n for n, kind in enumerate(kinds) if kind != NOTHING])
    best_tile, best_single = tiles[losses[:, tiles].argmin(axis=1)], single[losses[:, single].argmin(axis=1)]
    excess = over[first][:, ways[:, 0]] + over[second][:, ways[:, 1]] - gains[:, None]
    pair, way = np.nonzero(excess < MAX_EXCESS_NATS)
    squares, none, no_face = np.arange(len(losses)), np.full(len(losses), -1), np.full(len(first), -1)
    groups: list[tuple[NDArray[np.generic], ...]] = [
        (first[pair], second[pair], ways[way, 0], ways[way, 1], ways[way, 2], -gains[pair]),
        (first, second, best_tile[first], best_tile[second], no_face, penalties.foreign_domino - gains),
        (squares, none, best_single, none, none, np.full(len(losses), penalties.single_square)),
    ]
    if CASTLE in kinds:
        castle = np.full(len(losses), kinds.index(CASTLE))
        groups.append((squares, none, castle, none, none, np.zeros(len(losses))))
    return groups


def _list_pairs(frames: Sequence[Frame], border_log_odds: Sequence[BorderLogOdds | None]) -> tuple[Ints, Ints, Floats]:
    """Return all pairs of neighbouring squares and the log-odds that each pair is one domino."""
    first, second, gains = [], [], []
    for frame, log_odds in zip(frames, border_log_odds, strict=True):
        numbers = frame.numbers
        first += [numbers[:, :-1].ravel(), numbers[:-1].ravel()]
        second += [numbers[:, 1:].ravel(), numbers[1:].ravel()]
        pairs = len(first[-2]) + len(first[-1])
        gains += [np.zeros(pairs)] if log_odds is None else [part.ravel() for part in log_odds]
    return np.concatenate(first), np.concatenate(second), np.concatenate(gains)
