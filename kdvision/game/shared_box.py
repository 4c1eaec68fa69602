"""Which readings of several kingdoms fit together, because they take their dominoes from one box."""

from collections import Counter
from collections.abc import Iterable, Sequence
from operator import add
from typing import Final

from kdvision.game.tiling import Pair, Puzzle, Undecided

Tiling = tuple[Pair, ...]
"""One way to lay a board: the pairs of squares that its dominoes cover."""

Uses = tuple[int, ...]
"""The number of dominoes used of each contested face."""

MAX_FRONTIER: Final = 100
"""Largest Pareto frontier of uses; beyond it `Undecided` is raised."""


def filter_readings(puzzles: Sequence[Puzzle], ways: Sequence[Sequence[Tiling]], supply: Uses) -> list[list[Tiling]]:
    """Return, for each kingdom, the tilings that leave every other kingdom one of its own.

    Exact: a tiling is kept if and only if the supply allows it together with some choice for all other kingdoms. A
    kingdom without tilings uses nothing. All lists are empty if no choice fits. Raises Undecided.
    """
    used = [[_count_faces(of, way) for way in own] for of, own in zip(puzzles, ways, strict=True)]
    demand = [sum(max((way[face] for way in own), default=0) for own in used) for face in range(len(supply))]
    contested = [face for face, count in enumerate(supply) if demand[face] > count]
    limit = tuple(supply[face] for face in contested)
    uses = [[tuple(way[face] for face in contested) for way in own] for own in used]
    before = _sum_uses(uses, limit)
    after = _sum_uses(uses[::-1], limit)[::-1]
    fitting = [_select_fitting(set(own), before[k], after[k + 1], limit) for k, own in enumerate(uses)]
    return [
        [way for way, use in zip(own, own_uses, strict=True) if use in fits]
        for own, own_uses, fits in zip(ways, uses, fitting, strict=True)
    ]


def _count_faces(of: Puzzle, way: Tiling) -> Counter[int]:
    return Counter(of.face[i][j] for i, j in way)


def _sum_uses(uses: Sequence[Sequence[Uses]], limit: Uses) -> list[list[Uses]]:
    """Return the Pareto-minimal sums of uses of the first 0, 1, 2, … kingdoms."""
    sums = [[(0,) * len(limit)]]
    for own in uses:
        totals = {tuple(map(add, one, use)) for one in sums[-1] for use in set(own)} if own else set(sums[-1])
        sums.append(_select_minimal(total for total in totals if _is_within(total, limit)))
    return sums


def _select_minimal(uses: Iterable[Uses]) -> list[Uses]:
    """Return the Pareto frontier: the uses that no other one undercuts. Raises Undecided."""
    frontier: list[Uses] = []
    for use in sorted(uses, key=sum):
        if not any(_is_within(other, use) for other in frontier):
            frontier.append(use)
        if len(frontier) > MAX_FRONTIER:
            raise Undecided
    return frontier


def _select_fitting(own: Iterable[Uses], before: Sequence[Uses], after: Sequence[Uses], limit: Uses) -> set[Uses]:
    others = _select_minimal({tuple(map(add, one, other)) for one in before for other in after})
    return {use for use in own if any(_is_within(tuple(map(add, use, rest)), limit) for rest in others)}


def _is_within(use: Uses, limit: Uses) -> bool:
    return all(count <= most for count, most in zip(use, limit, strict=True))
