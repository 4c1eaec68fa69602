"""All that `decide` is asked about one photo, and what any laying of its pieces would cost there."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kdvision.game.deck import Deck
from kdvision.vision.decision.attached import detached
from kdvision.vision.decision.candidates import IMPOSSIBLE, Bonds, Catalogue, Floats, Ints, Mask, Prices, catalogue
from kdvision.vision.decision.sweep import Stack, stacks
from kdvision.vision.decision.windows import Window, windows_of
from kdvision.vision.reading import NOTHING


@dataclass(frozen=True)
class Scene:
    """The pieces that could lie there, the windows they may lie in, and what leaving the rules costs.

    `losses` (squares, kinds) are what the pieces' costs are made of: minus the log of each kind's probability.
    """

    catalogue: Catalogue
    windows: tuple[Window, ...]
    prices: Prices
    losses: Floats

    @classmethod
    def of(
        cls,
        losses: Sequence[Floats],
        kinds: tuple[str, ...],
        deck: Deck,
        *,
        side: int | None,
        bonds: Sequence[Bonds | None],
        prices: Prices,
    ) -> "Scene":
        """The scene of a photo; `losses` (rows, cols, kinds), a kingdom each, are minus the logs of probabilities."""
        items = catalogue(losses, bonds, deck, kinds, prices)
        flat = np.concatenate([loss.reshape(-1, len(kinds)) for loss in losses])
        return cls(items, windows_of(items.frames, side, prices), prices, flat)

    @cached_property
    def stacks(self) -> tuple[Stack, ...]:
        """The windows by shape."""
        return stacks(self.catalogue, self.windows)

    @cached_property
    def kingdom(self) -> Ints:
        """The kingdom of each window."""
        return np.array([window.kingdom for window in self.windows])

    @cached_property
    def larger(self) -> Mask:
        """Which windows need the larger side."""
        return np.array([window.larger for window in self.windows])

    @cached_property
    def price(self) -> Floats:
        """What each window costs, the larger side apart."""
        return np.array([window.price for window in self.windows])

    def used(self, chosen: Ints) -> Ints:
        """How many dominoes of each face these pieces are."""
        dominoes = chosen[chosen < self.catalogue.starts[0]]
        faces = self.catalogue.shown[dominoes % max(len(self.catalogue.shown), 1), 2]
        return np.bincount(faces, minlength=len(self.catalogue.stock))

    def labels(self, chosen: Ints) -> Ints:
        """The kind on each square of all kingdoms, one after another."""
        pieces, found = (
            self.catalogue.pieces(chosen),
            np.full(self.catalogue.squares, self.catalogue.kinds.index(NOTHING)),
        )
        two = pieces.second >= 0
        found[pieces.first] = pieces.kind
        found[pieces.second[two]] = pieces.other[two]
        return found

    def split(self, chosen: Ints) -> list[Ints]:
        """The pieces of each kingdom."""
        owner = self.catalogue.owner[self.catalogue.pieces(chosen).first]
        return [chosen[owner == number] for number in range(len(self.catalogue.frames))]

    def loss(self, chosen: Ints) -> float:
        """What these pieces cost in all, every price paid; that the box has them is not looked at."""
        pieces, catalogue = self.catalogue.pieces(chosen), self.catalogue
        castles = np.bincount(catalogue.owner[pieces.first[pieces.castle]], minlength=len(catalogue.frames))
        groups = len(detached(catalogue, pieces))
        out = self.prices.no_castle * int((castles == 0).sum()) + self.prices.detached * groups
        return float(pieces.cost.sum()) + out + self._room(pieces.covered)

    def _room(self, covered: Ints) -> float:
        """What the cheapest windows around the covered squares cost."""
        price = self.around(covered)
        small, every = self.by_kingdom(np.where(self.larger, IMPOSSIBLE, price)), self.by_kingdom(price)
        return float(min(small.sum(), every.sum() + self.prices.larger_side))

    def around(self, covered: Ints) -> Floats:
        """The price of each window that holds all covered squares of its kingdom; the others are impossible."""
        return np.where(self.outside[:, covered].any(axis=1), IMPOSSIBLE, self.price)

    def by_kingdom(self, values: Floats) -> Floats:
        """The least of the windows' values (…, windows) for each kingdom."""
        return np.minimum.reduceat(values, self._first, axis=-1)

    @cached_property
    def _first(self) -> Ints:
        """The first window of each kingdom; they lie one kingdom after another."""
        return np.searchsorted(self.kingdom, np.arange(len(self.catalogue.frames)))

    @cached_property
    def outside(self) -> Mask:
        """For each window which squares of its kingdom it leaves out (windows, squares)."""
        outside = np.asarray(self.kingdom[:, None] == self.catalogue.owner)
        for number, window in enumerate(self.windows):
            outside[number, window.squares] = False
        return outside
