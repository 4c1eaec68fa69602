"""Rivals in which one kingdom alone changes, with the dominoes that the others leave it: exact, from sweeps.

One is asked for each square, and one for each domino that could lie on it: where glare hides one it may be any, each of
them unlikely, and all together not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from kdvision.vision.decision.answers import Answer, Best, nearest
from kdvision.vision.decision.attached import detached
from kdvision.vision.decision.candidates import IMPOSSIBLE, Floats, Ints
from kdvision.vision.decision.lists import Lists
from kdvision.vision.decision.relaxed import swept
from kdvision.vision.decision.scene import Scene
from kdvision.vision.decision.sweep import Sweep
from kdvision.vision.reading import NOTHING

_DOMINOES: Final = 96
"""Of so many dominoes, the likeliest, it is asked what they would cost."""


class _Asked(NamedTuple):
    """Questions (rows of `lists`), each about one of the `squares`, and what has to lie in the kingdom's window for it.

    In a window that leaves them out, empty squares and dominoes are not asked about at all: the answer would be the
    best one once more. `inside` (questions, squares), -1 for none.
    """

    lists: Lists
    squares: Ints
    inside: Ints


@dataclass(frozen=True, eq=False)
class Alone:
    """Each kingdom of the best answer, while the others stay: its pieces, and what it has without changing theirs."""

    scene: Scene
    best: Best

    @cached_property
    def parts(self) -> list[Ints]:
        """The pieces of each kingdom."""
        return self.scene.split(self.best.chosen)

    @cached_property
    def left(self) -> Ints:
        """How many dominoes of each face each kingdom could have (kingdoms, faces)."""
        used = np.array([self.scene.used(part) for part in self.parts])
        return np.asarray(self.scene.catalogue.stock - used.sum(axis=0) + used)

    @cached_property
    def room(self) -> Floats:
        """What each window costs a kingdom: the larger side is free where another one needs it."""
        scene = self.scene
        around = scene.around(scene.catalogue.pieces(self.best.chosen).covered)
        needs = scene.by_kingdom(np.where(scene.larger, IMPOSSIBLE, around)) > scene.by_kingdom(around)
        others = np.array([np.delete(needs, kingdom).any() for kingdom in range(len(needs))])
        return np.asarray(scene.price + scene.prices.larger_side * (scene.larger & ~others[scene.kingdom]))

    @cached_property
    def costs(self) -> list[float]:
        """What each kingdom pays: its pieces, the way out if it has no castle, its window, and what lies detached."""
        return [self._cost(part, number) for number, part in enumerate(self.parts)]

    def _cost(self, part: Ints, kingdom: int) -> float:
        scene, pieces = self.scene, self.scene.catalogue.pieces(part)
        fits = (scene.kingdom == kingdom) & (scene.around(pieces.covered) < IMPOSSIBLE)
        out = 0.0 if pieces.castle.any() else scene.prices.no_castle
        return float(pieces.cost.sum() + self.room[fits].min() + out + scene.prices.detached * _apart(scene, part))


def one_a_square(alone: Alone, lists: Lists, squares: Ints, limit: float) -> Iterator[tuple[int, Answer]]:
    """For each square the cheapest answer in which it shows something else and only its own kingdom changes.

    Left out where it would need dominoes that are not there.
    """
    scene, best = alone.scene, alone.best
    empty = best.labels[squares] == scene.catalogue.kinds.index(NOTHING)
    asked = _Asked(lists.without(squares, best.labels), squares, np.where(empty, squares, -1)[:, None])
    for number, answer in _own(alone, [asked], limit):
        yield int(squares[number]), answer


def every_domino(alone: Alone, lists: Lists, squares: Ints, limit: float) -> list[Answer]:
    """The like of it for each domino that shows something else on some of the squares, and for each of them bare."""
    scene, best = alone.scene, alone.best
    known, foreign = best.known, scene.catalogue.starts[0]
    numbers = np.flatnonzero(known.at_least[:foreign] <= limit + best.gap)
    pieces, asked = scene.catalogue.pieces(numbers), np.zeros(len(best.labels), bool)
    asked[squares] = True
    other = asked[pieces.first] & (pieces.kind != best.labels[pieces.first])
    other |= asked[pieces.second] & (pieces.other != best.labels[pieces.second])
    numbers = nearest(known.at_least, np.isin(np.arange(foreign), numbers[other]), _DOMINOES)
    nothing = scene.catalogue.kinds.index(NOTHING)
    bare = squares[(best.labels[squares] != nothing) & (known.if_empty[squares] <= limit + best.gap)]
    pair = numbers // max(len(scene.catalogue.shown), 1)
    questions = (
        _Asked(lists.holding(numbers), scene.catalogue.pieces(numbers).first, scene.catalogue.pairs[pair]),
        _Asked(lists.showing(bare, np.full(len(bare), nothing)), bare, np.full((len(bare), 1), -1)),
    )
    return [answer for _, answer in _own(alone, questions, limit)]


def _own(alone: Alone, asked: Sequence[_Asked], limit: float) -> Iterator[tuple[int, Answer]]:
    """For each question, about one of these squares, the cheapest answer in which only that one's kingdom changes."""
    scene, best, left = alone.scene, alone.best, alone.left
    for lists, squares, inside in asked:
        rows, windows = _entries(scene, best, squares, inside, limit)
        if not len(rows):
            continue
        sweeps = swept(scene, lists.lacking(left).priced(), rows, windows)
        for number, (chosen, total) in sorted(_cheapest_entries(sweeps, alone.room).items()):
            kingdom = int(scene.catalogue.owner[squares[number]])
            if (scene.used(chosen) <= left[kingdom]).all():
                loss = best.loss + total - alone.costs[kingdom] + scene.prices.detached * _apart(scene, chosen)
                others = (part for other, part in enumerate(alone.parts) if other != kingdom)
                everything = np.concatenate([chosen, *others])
                yield number, Answer(scene.labels(everything), loss, everything)


def _apart(scene: Scene, chosen: Ints) -> int:
    return len(detached(scene.catalogue, scene.catalogue.pieces(chosen)))


def _entries(scene: Scene, best: Best, squares: Ints, inside: Ints, limit: float) -> tuple[Ints, Ints]:
    """For each square (by its place in the list) the windows of its kingdom that could matter, one after another."""
    open_ = best.known.window <= limit + best.gap
    mine = scene.catalogue.owner[squares][:, None] == scene.kingdom
    for column in inside.T:
        mine &= (column < 0)[:, None] | ~scene.outside[:, np.maximum(column, 0)].T
    rows, windows = np.nonzero(mine & open_)
    return rows, windows


def _cheapest_entries(sweeps: tuple[Sweep, ...], room: Floats) -> dict[int, tuple[Ints, float]]:
    """For each row the pieces of its cheapest window, and what they cost with the window."""
    rows, totals = (
        np.concatenate(part) for part in zip(*((s.row, s.totals + room[s.windows]) for s in sweeps), strict=True)
    )
    starts = np.cumsum([0, *(len(one.row) for one in sweeps)])
    order = np.lexsort((totals, rows))
    winners = order[np.flatnonzero(np.diff(rows[order], prepend=-1))]
    winners = winners[totals[winners] < IMPOSSIBLE / 2]
    found = {}
    for number, one in enumerate(sweeps):
        mine = winners[(winners >= starts[number]) & (winners < starts[number + 1])]
        for entry, chosen in zip(mine.tolist(), one.traced(mine - starts[number]), strict=True):
            found[int(rows[entry])] = chosen, float(totals[entry])
    return found
