"""A rule about a kingdom as a whole, as cuts: all of it is joined to the castle by edges.

Stated for every board at once it would drown the programme, and the likeliest board mostly keeps it. So it is looked
for in a solution, and only what that breaks is added, for it and for everything that is solved after it. The connection
rule is no cut: on real tables it is broken often enough that holding to it changed squares that were read right. Boards
that break it are reported, as read.
"""

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from kdvision.vision.candidates import Floats, Frame, Ints, Prices
from kdvision.vision.programme import Programme
from kdvision.vision.reading import CASTLE
from kdvision.vision.solver import Cut

Links = Callable[[int], Iterable[int]]


def broken(programme: Programme, chosen: Ints, kinds: tuple[str, ...], prices: Prices) -> Iterator[Cut]:
    """The cuts that forbid, at a price, what is detached among the chosen pieces."""
    shown = _shown(programme, chosen)
    for frame in programme.frames:
        mine = {square: kinds[kind] for square, kind in shown.items() if frame.start <= square < frame.end}
        roots = {square for square, kind in mine.items() if kind == CASTLE}

        def edges(square: int, frame: Frame = frame, mine: dict[int, str] = mine) -> Iterable[int]:
            return [near for near in frame.around(square) if near in mine]

        for group in _groups(mine, edges, roots):
            yield _joined(programme, frame, group, prices.detached)


def _shown(programme: Programme, chosen: Ints) -> dict[int, int]:
    """The kind on each covered square."""
    pieces, shown = programme.pieces, {}
    for piece in chosen.tolist():
        first, second = int(pieces.first[piece]), int(pieces.second[piece])
        shown[first] = int(pieces.kind[piece])
        if second >= 0:
            shown[second] = int(pieces.other[piece])
    return shown


def _groups(squares: Iterable[int], links: Links, roots: set[int]) -> Iterator[list[int]]:
    """The groups of linked squares that hold no root; without roots all but the largest group."""
    left = sorted(squares)
    groups: list[list[int]] = []
    seen: set[int] = set()
    for start in left:
        if start in seen:
            continue
        new, group = [start], list[int]()
        seen.add(start)
        while new:
            group.append(new.pop())
            fresh = set(links(group[-1])) - seen
            seen |= fresh
            new += sorted(fresh)
        groups.append(group)
    largest = max(groups, key=len) if groups else []
    rooted = roots or set(largest)
    return (group for group in groups if rooted.isdisjoint(group))


def _joined(programme: Programme, frame: Frame, group: list[int], price: float) -> Cut:
    """Where the group's squares are covered, the castle lies among them or a square around them is covered too."""
    weight = np.zeros(programme.frames[-1].end + 1)  # the last stands for "no second square"
    weight[group] = 1 / len(group)
    weight[list(_around(frame, group))] = -1
    pieces = programme.pieces
    coefficients = weight[pieces.first] + weight[pieces.second]
    return _cut(coefficients - (pieces.castle & np.isin(pieces.first, group)), 0.0, price)


def _around(frame: Frame, squares: Iterable[int]) -> set[int]:
    return {near for square in squares for near in frame.around(square)} - set(squares)


def _cut(coefficients: Floats, limit: float, price: float) -> Cut:
    pieces = np.flatnonzero(coefficients)
    return Cut(pieces, coefficients[pieces], limit, price)
