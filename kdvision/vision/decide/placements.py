"""Everything that could lie on the grids of a photo, with what it costs: the columns of the integer programme.

A piece is a domino of the deck on two neighbouring squares, a castle, or, at a price, something that no box explains: a
foreign domino, a lone half. Its cost is what the readings lose when it lies there instead of bare table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kdvision.game.deck import Deck, faces
from kdvision.vision.classify.probabilities import CASTLE, NOTHING

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Mask = NDArray[np.bool_]
BorderLogOdds = tuple[Floats, Floats]
"""Log-odds that two neighbours are one domino: to the right (rows, cols - 1), downwards (rows - 1, cols)."""

SIDES: Final = (5, 7)
"""The sides a kingdom may have where none is given."""
MAX_EXCESS: Final = 16.0
"""Nats by which what a piece shows may be less likely than what its squares were read as."""


@dataclass(frozen=True)
class Penalties:
    """What it costs, in nats, to leave the rules; 7 is about one in a thousand."""

    foreign_domino: float = 7.0
    lone_half: float = 12.0
    no_castle: float = 11.0
    too_wide: float = 12.0
    larger_side: float = 3.0
    detached: float = 6.0


@dataclass(frozen=True)
class Frame:
    """One kingdom's grid; its squares are numbered row by row from `start`, so that all grids share one numbering."""

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
    """Pieces as parallel arrays; `second`, `other` and `face` are -1 for pieces of one square or of no face.

    `stock` is how many dominoes have each face, `losses` (squares, kinds) what each kind costs on each square.
    """

    frames: tuple[Frame, ...]
    kinds: tuple[str, ...]
    stock: Ints
    losses: Floats
    first: Ints
    second: Ints
    kind: Ints
    other: Ints
    face: Ints
    cost: Floats
    castle: Mask
    foreign: Mask


def list_placements(
    losses: Sequence[Floats],
    border_log_odds: Sequence[BorderLogOdds | None],
    deck: Deck,
    kinds: tuple[str, ...],
    prices: Penalties,
) -> Placements:
    """All pieces worth a look. `losses` are arrays (rows, cols, kinds), minus the logarithm of each probability."""
    starts = np.cumsum([0, *(loss.shape[0] * loss.shape[1] for loss in losses)])
    frames = tuple(Frame(int(start), *loss.shape[:2]) for start, loss in zip(starts, losses, strict=False))
    flat = np.concatenate([loss.reshape(-1, len(kinds)) for loss in losses])
    stock = {face: count for face, count in faces(deck).items() if {str(face[0]), str(face[1])} <= set(kinds)}
    ways = [(kinds.index(str(one)), kinds.index(str(two)), n) for n, (one, two) in enumerate(stock)]
    shown = np.array(ways + [(b, a, n) for a, b, n in ways if a != b], np.intp).reshape(-1, 3)
    (a, b), gains = _pairs(frames, border_log_odds)
    over = flat - flat.min(axis=1, keepdims=True)
    tiles = np.array([n for n, kind in enumerate(kinds) if kind not in (NOTHING, CASTLE)])
    alone = np.array([n for n, kind in enumerate(kinds) if kind != NOTHING])
    likely, half = tiles[flat[:, tiles].argmin(axis=1)], alone[flat[:, alone].argmin(axis=1)]
    squares, none = np.arange(len(flat)), np.full(len(flat), -1)
    pair, way = np.nonzero(over[a][:, shown[:, 0]] + over[b][:, shown[:, 1]] - gains[:, None] < MAX_EXCESS)
    throne = kinds.index(CASTLE) if CASTLE in kinds else -1
    no_pair = np.full(len(a), -1)
    parts = [  # first, second, kind, other, face, price
        (a[pair], b[pair], shown[way, 0], shown[way, 1], shown[way, 2], -gains[pair]),
        (a, b, likely[a], likely[b], no_pair, prices.foreign_domino - gains),
        (squares, none, half, none, none, np.full(len(flat), prices.lone_half)),
    ]
    if throne >= 0:
        parts.append((squares, none, np.full(len(flat), throne), none, none, np.zeros(len(flat))))
    first, second, kind, other, face, price = (np.concatenate(part) for part in zip(*parts, strict=True))
    two = second >= 0
    excess = over[first, kind] + np.where(two, over[second, other], 0.0) + price
    keep = excess < MAX_EXCESS
    nothing = flat[:, kinds.index(NOTHING)]
    cost = flat[first, kind] - nothing[first] + np.where(two, flat[second, other] - nothing[second], 0.0) + price
    group = np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])
    return Placements(
        frames,
        kinds,
        np.array(list(stock.values()), np.intp),
        flat,
        *(part[keep] for part in (first, second, kind, other, face, cost, group == 3, (group == 1) | (group == 2))),
    )


def _pairs(
    frames: Sequence[Frame], border_log_odds: Sequence[BorderLogOdds | None]
) -> tuple[tuple[Ints, Ints], Floats]:
    """All neighbouring squares and the log-odds that each two are one domino."""
    one, two, gains = [], [], []
    for frame, bond in zip(frames, border_log_odds, strict=True):
        numbers = frame.numbers
        one += [numbers[:, :-1].ravel(), numbers[:-1].ravel()]
        two += [numbers[:, 1:].ravel(), numbers[1:].ravel()]
        gains += [np.zeros(len(one[-2]) + len(one[-1]))] if bond is None else [part.ravel() for part in bond]
    return (np.concatenate(one), np.concatenate(two)), np.concatenate(gains)
