"""What everything costs before any price is asked for it, a row each question that is asked about one photo."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from kdvision.vision.decision.candidates import IMPOSSIBLE, Catalogue, Floats, Ints, Mask
from kdvision.vision.decision.sweep import Costs
from kdvision.vision.reading import NOTHING


@dataclass(frozen=True)
class Lists:
    """The dominoes that may lie on some `pairs` in some `ways` (the way after the last is a foreign domino).

    They cost `table` (rows, pairs, ways); squares cost `empty`, under a `lone` half, under a `castle` (rows, squares).
    """

    catalogue: Catalogue
    pairs: Ints
    ways: Ints
    table: Floats
    empty: Floats
    lone: Floats
    castle: Floats

    @classmethod
    def of(cls, catalogue: Catalogue) -> Self:
        """One question, with all there is."""
        pairs, ways = np.arange(len(catalogue.pairs)), np.arange(len(catalogue.shown) + 1)
        table = np.concatenate([catalogue.domino, catalogue.foreign[:, None]], axis=1)
        parts = (table, np.zeros(catalogue.squares), catalogue.lone, catalogue.castle)
        return cls(catalogue, pairs, ways, *(part[None] for part in parts))

    def only(self, allowed: Mask) -> Self:
        """The same with these pieces' dominoes alone, by their numbers; pairs and ways that none needs are left out."""
        foreign, lone, _ = self.catalogue.starts
        may = np.concatenate([allowed[:foreign].reshape(len(self.pairs), -1), allowed[foreign:lone, None]], axis=1)
        pairs, ways = np.flatnonzero(may.any(axis=1)), np.flatnonzero(may.any(axis=0))
        at = np.ix_(pairs, ways)
        return replace(self, pairs=pairs, ways=ways, table=np.where(may[at], self.table[:, at[0], at[1]], IMPOSSIBLE))

    def without(self, squares: Ints, labels: Ints) -> Self:
        """A question for each of the squares: what if it does not show its label (one for each square there is)?"""
        return self._asking(squares, labels[squares], np.equal)

    def showing(self, squares: Ints, labels: Ints) -> Self:
        """A question for each of the squares: what if it shows this label (one for each question)?"""
        return self._asking(squares, labels, np.not_equal)

    def holding(self, dominoes: Ints) -> Self:
        """A question for each of these dominoes, by their numbers: what if it lies there?"""
        pair, way = np.divmod(dominoes, len(self.catalogue.shown))
        table, empty, lone, castle = (
            np.repeat(part, len(dominoes), axis=0) for part in (self.table, self.empty, self.lone, self.castle)
        )
        ends, each = self.catalogue.pairs[pair], np.arange(len(dominoes))[:, None]
        for costs in (empty, lone, castle):
            costs[each, ends] = IMPOSSIBLE
        row, taken = np.nonzero(
            (self.catalogue.pairs[self.pairs][None, :, :, None] == ends[:, None, None]).any(axis=(2, 3))
        )
        kept = (self.pairs[taken] == pair[row])[:, None] & (self.ways == way[row][:, None])
        table[row, taken] = np.where(kept, table[row, taken], IMPOSSIBLE)
        return replace(self, table=table, empty=empty, lone=lone, castle=castle)

    def _asking(self, squares: Ints, label: Ints, barred: np.ufunc) -> Self:
        """A question for each of the squares: what if it shows nothing that is `barred` by its label?"""
        catalogue, each = self.catalogue, np.arange(len(squares))
        table, empty, lone, castle = (
            np.repeat(part, len(squares), axis=0) for part in (self.table, self.empty, self.lone, self.castle)
        )
        for column, end in enumerate(catalogue.pairs[self.pairs].T):
            known = np.append(catalogue.shown[:, column], -1)[self.ways]
            shown = np.where(self.ways < len(catalogue.shown), known, catalogue.likely[end][:, None])
            row, pair = np.nonzero(end == squares[:, None])
            table[row, pair] = np.where(barred(shown[pair], label[row][:, None]), IMPOSSIBLE, table[row, pair])
        for costs, shows in (
            (empty, catalogue.kinds.index(NOTHING)),
            (lone, catalogue.half[squares]),
            (castle, catalogue.throne),
        ):
            costs[each, squares] = np.where(barred(shows, label), IMPOSSIBLE, costs[each, squares])
        return replace(self, table=table, empty=empty, lone=lone, castle=castle)

    def lacking(self, left: Ints) -> Self:
        """The same where so many dominoes of each face are left for each kingdom (kingdoms, faces)."""
        owner, foreign = (
            self.catalogue.owner[self.catalogue.pairs[self.pairs, 0]],
            self.ways == len(self.catalogue.shown),
        )
        gone = (left[owner][:, np.append(self.catalogue.shown[:, 2], 0)[self.ways]] <= 0) & ~foreign
        return replace(self, table=np.where(gone, IMPOSSIBLE, self.table))

    def rows(self, rows: Ints) -> Self:
        """Some of the questions."""
        parts = {name: getattr(self, name)[rows] for name in ("table", "empty", "lone", "castle")}
        return replace(self, **parts)

    def priced(self, prices: Floats | None = None) -> Costs:
        """The costs with prices (rows, faces) on the dominoes: each pair has its cheapest one."""
        table, catalogue = self.table, self.catalogue
        if prices is not None:
            faces = np.append(catalogue.shown[:, 2], prices.shape[1])[self.ways]
            table = table + np.pad(prices, ((0, 0), (0, 1)))[:, None, faces]
        rows, count = len(table), len(catalogue.pairs)
        pair, piece = np.full((rows, count + 1), IMPOSSIBLE), np.full((rows, count + 1), -1)
        if table.size:
            best = table.argmin(axis=2)
            pair[:, self.pairs] = np.take_along_axis(table, best[:, :, None], axis=2)[:, :, 0]
            way = self.ways[best]
            foreign = way == len(catalogue.shown)
            piece[:, self.pairs] = np.where(
                foreign, catalogue.starts[0] + self.pairs, self.pairs * len(catalogue.shown) + way
            )
        return Costs(catalogue, self.empty, self.lone, self.castle, pair, piece)
