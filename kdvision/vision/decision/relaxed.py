"""Kingdoms that share one box, taken apart: each face gets a price, and every kingdom is laid by itself.

The sum of the cheapest layings, less what the box's dominoes are worth, is never more than what the best legal boards
cost: a bound (Lagrangian duality; Fisher, Management Science 27, 1981). Prices rise where the kingdoms want more of a
face than there is, and fall where some is left, in steps after Polyak. Mostly the layings then agree with the box, and
are the answer; else the bound tells which pieces an answer can hold at all, and few are left for the integer
programme. Many questions about one photo are asked together, in rows.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from kdvision.vision.decision.candidates import IMPOSSIBLE, Floats, Ints
from kdvision.vision.decision.lists import Lists
from kdvision.vision.decision.scene import Scene
from kdvision.vision.decision.sweep import Costs, Sweep, sweep

EXACT: Final = 1e-6
_REACH: Final = 4.0
_CLOSE: Final = 0.05


@dataclass(frozen=True)
class Round:
    """Every kingdom laid by itself at some prices (rows, faces): what each window costs (rows, windows), the pieces of
    each row, how many dominoes more than there are they hold (rows, faces), and the bounds (rows)."""

    prices: Floats
    sweeps: tuple[Sweep, ...]
    totals: Floats
    chosen: list[Ints]
    excess: Ints
    bound: Floats


@dataclass(frozen=True)
class Ascent:
    """How far the bounds rose: for each row the bound, at which prices, and the best pieces met on the way that agree
    with the box (None: none did) with what they cost."""

    bound: Floats
    prices: Floats
    chosen: list[Ints | None]
    loss: Floats


def ascend(
    scene: Scene,
    lists: Lists,
    prices: Floats,
    windows: Ints,
    *,
    rounds: int,
    enough: float = np.inf,
    reach: float = _REACH,
    first: Round | None = None,
) -> Ascent:
    """Raise and lower prices, in every row until its bound is proved right, rises no more, or is `enough`.

    `first` is how the kingdoms lie at these prices, where that is known already.
    """
    count, prices = len(prices), prices.copy()
    best, at, ahead = np.full(count, -np.inf), prices.copy(), np.full(count, reach)
    chosen: list[Ints | None] = [None] * count
    loss, active = np.full(count, np.inf), np.arange(count)
    for _ in range(rounds):
        now, first = first or lay(scene, lists.rows(active), prices[active], windows), None
        for row, mine, excess in zip(active.tolist(), now.chosen, now.excess, strict=True):
            if not (excess > 0).any() and (here := scene.loss(mine)) < loss[row]:
                chosen[row], loss[row] = mine, here
        better = now.bound > best[active] + EXACT
        best[active], at[active] = (
            np.where(better, now.bound, best[active]),
            np.where(better[:, None], prices[active], at[active]),
        )
        ahead[active] = np.where(better, ahead[active], ahead[active] / 2)
        slope = np.where((now.excess > 0) | (now.prices > 0), now.excess, 0)
        step = np.minimum(loss[active], best[active] + ahead[active]) - now.bound
        prices[active] = np.maximum(now.prices + (step / np.maximum((slope**2).sum(axis=1), 1))[:, None] * slope, 0.0)
        going = (
            (loss[active] - best[active] >= EXACT)
            & slope.any(axis=1)
            & (ahead[active] >= _CLOSE)
            & (best[active] < enough)
        )
        active = active[going]
        if not len(active):
            break
    return Ascent(best, at, chosen, loss)


def lay(scene: Scene, lists: Lists, prices: Floats, windows: Ints) -> Round:
    """Lay every kingdom by itself, in these windows only."""
    count = len(prices)
    costs = lists.priced(prices)
    sweeps = swept(scene, costs, np.repeat(np.arange(count), len(windows)), np.tile(windows, count))
    totals = np.full((count, len(scene.windows)), IMPOSSIBLE)
    for one in sweeps:
        totals[one.row, one.windows] = one.totals + scene.price[one.windows]
    small, every = scene.by_kingdom(np.where(scene.larger, IMPOSSIBLE, totals)), scene.by_kingdom(totals)
    small, every = small.sum(axis=1), every.sum(axis=1) + scene.prices.larger_side
    chosen = _traced(scene, sweeps, np.where(scene.larger & (small <= every)[:, None], IMPOSSIBLE, totals))
    excess = np.array([scene.used(pieces) for pieces in chosen]) - scene.catalogue.stock
    return Round(prices, sweeps, totals, chosen, excess, np.minimum(small, every) - prices @ scene.catalogue.stock)


def swept(scene: Scene, costs: Costs, rows: Ints, windows: Ints) -> tuple[Sweep, ...]:
    """Sweeps, one a shape, of these windows, each under the price list of its row."""
    stacks = ((stack, np.flatnonzero(np.isin(windows, stack.windows))) for stack in scene.stacks)
    return tuple(
        sweep(stack, costs, rows[mine], windows[mine], no_castle=scene.prices.no_castle)
        for stack, mine in stacks
        if len(mine)
    )


def _traced(scene: Scene, sweeps: tuple[Sweep, ...], totals: Floats) -> list[Ints]:
    """For each row the pieces in the cheapest window of each kingdom."""
    winners = np.zeros(totals.shape, bool)
    for kingdom in range(len(scene.catalogue.frames)):
        mine = np.flatnonzero(scene.kingdom == kingdom)
        winners[np.arange(len(totals)), mine[totals[:, mine].argmin(axis=1)]] = True
    found: list[list[Ints]] = [[] for _ in totals]
    for one in sweeps:
        entries = np.flatnonzero(winners[one.row, one.windows])
        for row, pieces in zip(one.row[entries].tolist(), one.traced(entries), strict=True):
            found[row].append(pieces)
    return [np.concatenate(parts) for parts in found]


_ROUNDS: Final = 6
_HOPEFUL: Final = 12.0
"""Windows that cost this much more than the best one at no prices are left alone while prices move."""


@dataclass(frozen=True)
class Relaxed:
    """What no answer can cost less than: in all, the `bound`; above that with each piece, empty square, window.

    `chosen` are the pieces of the best answer met on the way, which costs `loss`; None where none agreed with the box.
    """

    bound: float
    prices: Floats
    at_least: Floats
    if_empty: Floats
    window: Floats
    chosen: Ints | None
    loss: float


def relaxed(scene: Scene) -> Relaxed:
    """The photo taken apart, at the prices where the bound is highest."""
    lists, free, windows = (
        Lists.of(scene.catalogue),
        np.zeros((1, len(scene.catalogue.stock))),
        np.arange(len(scene.windows)),
    )
    first = lay(scene, lists, free, windows)
    least = scene.by_kingdom(first.totals)[0][scene.kingdom]
    hopeful = np.flatnonzero(first.totals[0] < least + _HOPEFUL + scene.prices.larger_side)
    found = ascend(scene, lists, free, hopeful, rounds=_ROUNDS, first=first)
    last = lay(scene, lists, found.prices, windows) if found.prices.any() else first
    return Relaxed(float(last.bound[0]), found.prices, *_margins(scene, last), found.chosen[0], float(found.loss[0]))


def _margins(scene: Scene, of: Round) -> tuple[Floats, Floats, Floats]:
    """What every piece costs at least if it has to lie there, every square if empty, every window, above the bound."""
    catalogue, totals = scene.catalogue, of.totals[0]
    small = scene.by_kingdom(np.where(scene.larger, IMPOSSIBLE, totals))
    every = scene.by_kingdom(totals)
    others_small, others = small.sum() - small, every.sum() - every + scene.prices.larger_side
    rest = np.where(scene.larger, others[scene.kingdom], np.minimum(others_small, others)[scene.kingdom])
    empty, lone, castle = (np.full(catalogue.squares, IMPOSSIBLE) for _ in range(3))
    pair = np.full(len(catalogue.pairs) + 1, IMPOSSIBLE)
    for one in of.sweeps:
        beside = (rest + scene.price)[one.windows][:, None]
        own = catalogue.owner == scene.kingdom[one.windows][:, None]
        margins = one.margins()
        empty = np.minimum(empty, np.where(own, margins[0] + beside, IMPOSSIBLE).min(axis=0))
        lone, castle, pair = (
            np.minimum(least, (margin + beside).min(axis=0))
            for least, margin in zip((lone, castle, pair), margins[1:], strict=True)
        )
    table = np.concatenate([catalogue.domino + of.prices[0][catalogue.shown[:, 2]], catalogue.foreign[:, None]], axis=1)
    domino = pair[:-1, None] + table - table.min(axis=1, keepdims=True)
    zero = of.bound[0] + of.prices[0] @ catalogue.stock
    pieces = np.concatenate([domino[:, :-1].ravel(), domino[:, -1], lone, castle])
    return pieces - zero, empty - zero, totals + rest - zero
