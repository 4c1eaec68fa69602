"""What several kingdoms leave each other of one box: which readings of each go together with some of all the others."""

from collections import Counter
from collections.abc import Iterable, Sequence
from operator import add
from typing import Final

from kdvision.game.tiling import Pair, Puzzle, Undecided

Tiling = tuple[Pair, ...]
"""One way to lay a board: the pairs of squares that its dominoes cover."""

Uses = tuple[int, ...]
"""How many dominoes are used of each of some faces."""

LEAST: Final = 100
"""Sums of uses that are followed at once before the search is given up."""


def filter_readings(puzzles: Sequence[Puzzle], ways: Sequence[Sequence[Tiling]], supply: Uses) -> list[list[Tiling]]:
    """Of each kingdom's ways those with which every other kingdom can be laid by one of its own, from one supply.

    Exact: a way is kept if and only if there is a choice of ways for all that the supply allows. A kingdom without any
    way takes nothing. All lists are empty where no choice fits. Raises Undecided where there is too much to follow.
    """
    used = [[_used(of, way) for way in own] for of, own in zip(puzzles, ways, strict=True)]
    contested = [face for face, held in enumerate(supply) if sum(_most(own, face) for own in used) > held]
    left = tuple(supply[face] for face in contested)
    uses = [[tuple(way[face] for face in contested) for way in own] for own in used]
    before = _sums(uses, left)
    after = _sums(uses[::-1], left)[::-1]
    fit = [_fitting(set(own), before[k], after[k + 1], left) for k, own in enumerate(uses)]
    return [
        [way for way, use in zip(own, use_of, strict=True) if use in good]
        for own, use_of, good in zip(ways, uses, fit, strict=True)
    ]


def _used(of: Puzzle, way: Tiling) -> Counter[int]:
    return Counter(of.face[i][j] for i, j in way)


def _most(used: Iterable[Counter[int]], face: int) -> int:
    return max((way[face] for way in used), default=0)


def _sums(uses: Sequence[Sequence[Uses]], left: Uses) -> list[list[Uses]]:
    """What the first 0, 1, 2, … kingdoms can use together: the least that any other choice uses at least."""
    sums = [[(0,) * len(left)]]
    for own in uses:
        more = {tuple(map(add, one, use)) for one in sums[-1] for use in set(own)} if own else set(sums[-1])
        sums.append(_least(use for use in more if _within(use, left)))
    return sums


def _least(uses: Iterable[Uses]) -> list[Uses]:
    """Those that are no more in every face than another one."""
    least: list[Uses] = []
    for use in sorted(uses, key=sum):
        if not any(_within(other, use) for other in least):
            least.append(use)
        if len(least) > LEAST:
            raise Undecided
    return least


def _fitting(own: Iterable[Uses], before: Sequence[Uses], after: Sequence[Uses], left: Uses) -> set[Uses]:
    others = _least({tuple(map(add, one, other)) for one in before for other in after})
    return {use for use in own if any(_within(tuple(map(add, use, rest)), left) for rest in others)}


def _within(use: Uses, left: Uses) -> bool:
    return all(count <= held for count, held in zip(use, left, strict=True))
