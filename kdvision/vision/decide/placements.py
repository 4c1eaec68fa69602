"""Placements: everything that could lie on the grids of a photo, with its cost. They are the columns of the ILP.

A placement is a domino of the deck on two neighbouring squares, a castle, or, at a penalty, something that no box
explains: a foreign domino or a single square. Its cost is the loss of the squares relative to bare table.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kdvision.game.board import Terrain
from kdvision.game.deck import Deck, index_deck
from kdvision.vision.classify.observation import BorderLogOdds
from kdvision.vision.classify.probabilities import NOTHING
from kdvision.vision.geometry import Floats, Ints, Mask


class Penalties:
    """Costs, in nats, of deviations from the rules; 7 is about one in a thousand."""

    foreign_domino = 7.0
    single_square = 12.0
    no_castle = 11.0
    oversize = 12.0
    larger_side = 3.0
    detached_group = 6.0


class Placements(NamedTuple):
    """Parallel arrays (n,): squares `first` and `second` with kinds `kind_a` and `kind_b`, deck `face`, `cost`.

    `grids` hold the numbers (rows, cols) of each kingdom's squares; all kingdoms share one numbering. `second`,
    `kind_b` and `face` are -1 for placements of one square or without a face. `numbers` are those of the dominoes with
    each face, `stock` (faces,) says how many these are. `losses` (squares, kinds) are negative log-probabilities.
    """

    grids: tuple[Ints, ...]
    kinds: tuple[str, ...]
    numbers: tuple[tuple[int | str, ...], ...]
    stock: Ints
    losses: Floats
    first: Ints
    second: Ints
    kind_a: Ints
    kind_b: Ints
    face: Ints
    cost: Floats
    is_castle: Mask

    @property
    def nothing(self) -> int:
        """The index of the kind "no tile"."""
        return self.kinds.index(NOTHING)

    @property
    def kingdom_of(self) -> Ints:
        """The number (squares,) of each square's kingdom."""
        return np.repeat(np.arange(len(self.grids)), [grid.size for grid in self.grids])

    @property
    def is_black(self) -> Mask:
        """Whether each square (squares,) is black if every grid is coloured like a chessboard."""
        return np.concatenate([np.indices(grid.shape).sum(axis=0).ravel() % 2 == 0 for grid in self.grids])

    def label_squares(self, placement_ids: Ints) -> Ints:
        """Return the kind (squares,) on each square, given the indices of the chosen placements."""
        labels = np.full(len(self.losses) + 1, self.nothing)  # the last entry stands for a missing second square
        labels[self.second[placement_ids]] = self.kind_b[placement_ids]
        labels[self.first[placement_ids]] = self.kind_a[placement_ids]
        return labels[:-1]


def list_placements(
    losses: Sequence[Floats], border_log_odds: Sequence[BorderLogOdds | None], deck: Deck, kinds: tuple[str, ...]
) -> Placements:
    """Return all plausible placements; `losses` are arrays (rows, cols, kinds) of negative log-probabilities.

    A placement whose kinds are less probable than the best kinds by more than `max_excess_nats` is not plausible.
    """
    max_excess_nats = 16.0
    sizes = [loss.shape[0] * loss.shape[1] for loss in losses]
    square_numbers = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
    grids = tuple(numbers.reshape(loss.shape[:2]) for numbers, loss in zip(square_numbers, losses, strict=True))
    flat = np.concatenate([loss.reshape(-1, len(kinds)) for loss in losses])
    first, second, pair_log_odds = _list_pairs(grids, border_log_odds)
    index = index_deck(deck)
    dominoes = [((str(a), str(b)), numbers) for (a, b), numbers in zip(index.faces, index.numbers, strict=True)]
    dominoes = [(face, numbers) for face, numbers in dominoes if {*face} <= {*kinds}]
    ways = [(kinds.index(a), kinds.index(b), n) for n, ((a, b), _) in enumerate(dominoes)]
    ways += [(b, a, n) for a, b, n in ways if a != b]
    kind_a, kind_b, face = np.array(ways, np.intp).reshape(-1, 3).T

    # Relative to the best kind and to bare table; the last entries stand for no second square.
    above_best = np.pad(flat - flat.min(axis=1, keepdims=True), (0, 1))
    above_table = np.pad(flat - flat[:, [kinds.index(NOTHING)]], (0, 1))
    excess = above_best[first][:, kind_a] + above_best[second][:, kind_b] - pair_log_odds[:, None]
    pair, way = np.nonzero(excess < max_excess_nats)
    tile = np.where(np.isin(kinds, [NOTHING, Terrain.CASTLE.value]), np.inf, flat).argmin(axis=1)
    single = np.where(np.isin(kinds, [NOTHING]), np.inf, flat).argmin(axis=1)
    squares, castle = np.arange(len(flat)), kinds.index(Terrain.CASTLE.value)
    groups: list[tuple[ArrayLike, ...]] = [
        (first[pair], second[pair], kind_a[way], kind_b[way], face[way], -pair_log_odds[pair], False),
        (first, second, tile[first], tile[second], -1, Penalties.foreign_domino - pair_log_odds, False),
        (squares, -1, single, -1, -1, Penalties.single_square, False),
        (squares, -1, castle, -1, -1, 0.0, True),
    ]
    columns = [np.concatenate(parts) for parts in zip(*(np.broadcast_arrays(*group) for group in groups), strict=True)]
    first, second, kind_a, kind_b, _, price, _ = columns
    columns[5] = above_table[first, kind_a] + above_table[second, kind_b] + price
    is_plausible = above_best[first, kind_a] + above_best[second, kind_b] + price < max_excess_nats
    face_numbers = tuple(numbers for _, numbers in dominoes)
    stock = np.array([len(numbers) for numbers in face_numbers], np.intp)
    return Placements(grids, kinds, face_numbers, stock, flat, *(column[is_plausible] for column in columns))


def _list_pairs(grids: Sequence[Ints], border_log_odds: Sequence[BorderLogOdds | None]) -> tuple[Ints, Ints, Floats]:
    """Return all pairs of neighbouring squares and the log-odds that each pair is one domino."""
    first, second, pair_log_odds = [], [], []
    for grid, log_odds in zip(grids, border_log_odds, strict=True):
        for axis, (squares, neighbours) in enumerate([(grid[:, :-1], grid[:, 1:]), (grid[:-1], grid[1:])]):
            first.append(squares.ravel())
            second.append(neighbours.ravel())
            pair_log_odds.append(np.zeros(squares.size) if log_odds is None else log_odds[axis].ravel())
    return np.concatenate(first), np.concatenate(second), np.concatenate(pair_log_odds)
