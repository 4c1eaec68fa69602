"""The integer programme behind `decide`, solved by HiGHS through scipy: the best boards and the nearest others.

Columns are pieces, kingdoms without a castle, windows (where on its grid a kingdom lies), the larger side, and groups
that lie detached at a price. One linear programme without whole numbers comes first: its bound and its reduced costs
say which pieces no answer within the limit can hold (reduced-cost fixing), and few are left.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import ndimage, sparse
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from kdvision.vision.classify.probabilities import NOTHING
from kdvision.vision.decide.placements import SIDES, Floats, Frame, Ints, Mask, Penalties, Placements

MIN_GAP: Final = 2.0
"""Nats above the bound within which the best answer is looked for first."""
MAX_NODES: Final = 60
"""So often HiGHS may branch: what ends by a count ends alike on every machine."""
MAX_ROUNDS: Final = 12
CLOSE: Final = 0.05
"""A runner-up this near (nats) to the bound of a square is taken for its best."""


@dataclass(frozen=True)
class Solution:
    """The kind on each square, what that costs, the pieces, and whether it is proved that nothing costs less."""

    labels: Ints
    loss: float
    chosen: Ints
    proved: bool


class Model:
    """The programme of one photo."""

    def __init__(self, pieces: Placements, side: int | None, prices: Penalties) -> None:
        self.pieces, self.prices = pieces, prices
        n, squares = len(pieces.cost), pieces.frames[-1].end
        kingdoms, faces = len(pieces.frames), len(pieces.stock)
        owner = np.repeat(np.arange(kingdoms), [frame.rows * frame.cols for frame in pieces.frames])
        windows = [
            window for number, frame in enumerate(pieces.frames) for window in _windows(number, frame, side, prices)
        ]
        each = np.arange(n)
        two, faced = pieces.second >= 0, pieces.face >= 0
        cover = sparse.coo_array(
            (np.ones(n + two.sum()), (np.r_[pieces.first, pieces.second[two]], np.r_[each, each[two]])), (squares, n)
        )
        inside, of, larger = (
            np.zeros((squares, len(windows))),
            np.zeros((kingdoms, len(windows))),
            np.zeros(len(windows)),
        )
        for w, (number, where, _, large) in enumerate(windows):
            inside[where, w], of[number, w], larger[w] = -1.0, 1.0, large
        castles = np.flatnonzero(pieces.castle)
        throne = sparse.coo_array((np.ones(len(castles)), (owner[pieces.first[castles]], castles)), (kingdoms, n))
        used = sparse.coo_array((np.ones(faced.sum()), (pieces.face[faced], each[faced])), (faces, n))
        self.matrix = sparse.csc_array(
            sparse.block_array(
                [
                    [cover, None, inside, None],
                    [used, None, None, np.zeros((faces, 1))],
                    [None, None, of * larger, np.full((kingdoms, 1), -1.0)],
                    [throne, np.eye(kingdoms), None, None],
                    [None, None, of, None],
                ]
            )
        )
        self.upper = np.r_[np.zeros(squares), pieces.stock, np.zeros(kingdoms), np.ones(2 * kingdoms)]
        self.equal = len(self.upper) - 2 * kingdoms
        self.cost = np.r_[
            pieces.cost, np.full(kingdoms, prices.no_castle), [price for _, _, price, _ in windows], prices.larger_side
        ]
        self.cuts: list[Floats] = []
        self.groups: list[tuple[int, ...]] = []
        self.cover = sparse.csr_array(cover)

    def solved(self, *, limit: float, most: int) -> tuple[Solution, list[Solution], set[int]]:
        """The best answer, others that cost at most `limit` more, and kingdoms for which that was given up.

        For an unsure square, `most` in each kingdom, the best answer that shows something else there.
        """
        lp = linprog(
            self.cost,
            A_ub=self.matrix[: self.equal],
            b_ub=self.upper[: self.equal],
            A_eq=self.matrix[self.equal :],
            b_eq=self.upper[self.equal :],
            method="highs",
        )
        n = len(self.pieces.cost)
        reduced = lp.lower.marginals
        gap = MIN_GAP
        while True:
            best = self._answer(reduced <= gap)
            if best is None or best.loss <= lp.fun + gap or gap > 1e3:
                break
            gap = best.loss - lp.fun + 1e-3
        assert best is not None
        gap = max(best.loss - lp.fun, 0.0)
        near = reduced <= gap + limit
        bounds = np.where(
            best.labels == self.pieces.kinds.index(NOTHING), np.inf, -lp.ineqlin.marginals[: len(best.labels)]
        )
        for where, shown in ((self.pieces.first, self.pieces.kind), (self.pieces.second, self.pieces.other)):
            other = np.flatnonzero((where >= 0) & near[:n] & (shown != best.labels[where]))
            np.minimum.at(bounds, where[other], reduced[other])
        bounds = np.maximum(bounds - gap, 0.0)
        each, rest = np.arange(len(best.labels)), self.pieces.losses.copy()
        rest[each, best.labels] = np.inf
        unsure = bounds + np.maximum(rest.min(axis=1) - self.pieces.losses[each, best.labels], 0.0)
        found: list[Solution] = []
        left: set[int] = set()
        for number, frame in enumerate(self.pieces.frames):
            squares = frame.start + np.argsort(unsure[frame.start : frame.end], kind="stable")
            squares = squares[(bounds[squares] <= limit) & (unsure[squares] <= 2 * limit)]
            for square in squares[:most].tolist():
                known = [one.loss for one in found if one.labels[square] != best.labels[square]]
                if min(known, default=np.inf) <= best.loss + bounds[square] + CLOSE:
                    continue
                answer = self._answer(near, square=square, label=int(best.labels[square]))
                if answer is None:
                    left.add(number)
                elif answer.loss <= best.loss + limit:
                    found.append(answer)
        if found and (first := min(found, key=lambda one: one.loss)).loss < best.loss:
            found = [one for one in found if one is not first] + [best]
            best = first
        return best, found, left

    def _answer(self, keep: Mask, *, square: int = -1, label: int = -1) -> Solution | None:
        """The best answer of these columns, groups joined where that costs less; one `square` shows no `label`."""
        p = self.pieces
        if square >= 0:
            shows = ((p.first == square) & (p.kind == label)) | ((p.second == square) & (p.other == label))
            keep = keep.copy()
            keep[: len(shows)] &= ~shows
        keep = keep.copy()
        keep[len(p.cost) :] = True
        columns = np.flatnonzero(keep)
        whole = columns < len(p.cost)
        rows = self.matrix[:, columns]
        lower = np.r_[np.full(self.equal, -np.inf), self.upper[self.equal :]]
        must = label == p.kinds.index(NOTHING)
        result = None
        for _ in range(MAX_ROUNDS):
            extra = len(self.cuts)
            cost = np.r_[self.cost[columns], np.full(extra, self.prices.detached)]
            parts = [
                LinearConstraint(sparse.hstack([rows, sparse.csc_array((rows.shape[0], extra))]), lower, self.upper)
            ]
            if extra:
                cuts = np.array(self.cuts)[:, columns[whole]]
                size = np.array([len(group) for group in self.groups])
                cut = np.hstack([cuts, np.zeros((extra, (~whole).sum())), -np.eye(extra)])
                parts.append(LinearConstraint(cut, -np.inf, size - 1))
            if must:
                row = np.zeros(len(cost))
                row[: whole.sum()] = self.cover[[square]].toarray()[0, columns[whole]]
                parts.append(LinearConstraint(row[None], 1, np.inf))
            found = milp(
                cost,
                integrality=np.r_[whole, np.zeros(extra)],
                bounds=Bounds(0, np.inf),
                constraints=parts,
                options={"mip_rel_gap": 0.0, "node_limit": MAX_NODES},
            )
            if found.x is None:
                return result
            chosen = columns[whole][found.x[: whole.sum()] > 0.5]
            labels = self._labels(chosen)
            new = [group for group in self._detached(labels) if group not in self.groups]
            # what the programme has not paid for yet is paid here
            loss = float(found.fun) + self.prices.detached * len(new)
            answer = Solution(labels, loss, chosen, found.status == 0 and not new)
            result = answer if result is None or loss <= result.loss + 1e-9 else result
            if not new:
                return answer if answer.loss <= result.loss + 1e-9 else result
            for group in new:
                self._cut(group)
        return result

    def _labels(self, chosen: Ints) -> Ints:
        p = self.pieces
        labels = np.full(p.frames[-1].end, p.kinds.index(NOTHING))
        labels[p.first[chosen]] = p.kind[chosen]
        two = chosen[p.second[chosen] >= 0]
        labels[p.second[two]] = p.other[two]
        return labels

    def _detached(self, labels: Ints) -> list[tuple[int, ...]]:
        """The groups of tiles without a castle in kingdoms that have one; else all groups but the largest."""
        p, found = self.pieces, list[tuple[int, ...]]()
        throne = p.kinds.index("#") if "#" in p.kinds else -1
        for frame in p.frames:
            shown = labels[frame.start : frame.end].reshape(frame.rows, frame.cols)
            marks, count = ndimage.label(shown != p.kinds.index(NOTHING))
            rooted = (
                set(marks[shown == throne].tolist()) or {int(np.bincount(marks[marks > 0]).argmax())}
                if count
                else set()
            )
            found += [tuple(frame.numbers[marks == n].tolist()) for n in range(1, count + 1) if n not in rooted]
        return found

    def _cut(self, group: tuple[int, ...]) -> None:
        """A row whose sum is the group's size where the group lies detached, and less elsewhere."""
        p, size = self.pieces, len(group)
        self.groups.append(group)
        frame = next(frame for frame in p.frames if frame.start <= group[0] < frame.end)
        inside = np.isin(frame.numbers, group)
        weight = np.zeros(p.frames[-1].end + 1)  # the last is that of no second square
        weight[frame.numbers[ndimage.binary_dilation(inside) & ~inside]] = -size
        weight[list(group)] = 1.0
        self.cuts.append(weight[p.first] + weight[p.second] - size * (p.castle & np.isin(p.first, group)))


def _windows(number: int, frame: Frame, side: int | None, prices: Penalties) -> list[tuple[int, Ints, float, bool]]:
    """Every place of a side x side window on a grid: kingdom, squares, price, and whether it needs the larger side."""
    longest = max(frame.rows, frame.cols)
    sizes = [(size, 0.0) for size in (SIDES if side is None else (side,))]
    fitting = next((n for n, (size, _) in enumerate(sizes) if size >= longest), None)
    sizes = [*sizes, (longest, prices.too_wide)] if fitting is None else sizes[: fitting + 1]
    return [
        (number, frame.numbers[top : top + size, left : left + size].ravel(), price, side is None and size > SIDES[0])
        for size, price in sizes
        for top in range(max(frame.rows - size, 0) + 1)
        for left in range(max(frame.cols - size, 0) + 1)
    ]
