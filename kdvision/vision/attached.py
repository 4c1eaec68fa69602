"""Rules about a kingdom as a whole, as cuts: all of it is joined to the castle, by edges and by like terrain.

Stated for every board at once these rules would drown the programme, and the likeliest board mostly keeps them. So they
are looked for in a solution, and only what it breaks is added, for it and for everything that is solved after it.
"""

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from kdvision.vision.candidates import Floats, Frame, Ints, Mask, Prices
from kdvision.vision.programme import Programme
from kdvision.vision.reading import CASTLE
from kdvision.vision.solver import Cut

Links = Callable[[int], Iterable[int]]


def broken(programme: Programme, chosen: Ints, kinds: tuple[str, ...], prices: Prices) -> Iterator[Cut]:
    """The cuts that forbid, at a price, what is detached or joins no like terrain among the chosen pieces."""
    shown, partner = _shown(programme, chosen)
    for frame in programme.frames:
        mine = {square: kinds[kind] for square, kind in shown.items() if frame.start <= square < frame.end}
        roots = {square for square, kind in mine.items() if kind == CASTLE}

        def edges(square: int, frame: Frame = frame, mine: dict[int, str] = mine) -> Iterable[int]:
            return [near for near in frame.around(square) if near in mine]

        def like(square: int, mine: dict[int, str] = mine, edges: Links = edges) -> Iterable[int]:
            alike = (mine[square][0], CASTLE) if mine[square] != CASTLE else tuple("wflgsmt")
            return [partner[square], *(near for near in edges(square) if mine[near][0] in alike)]

        detached = list(_groups(mine, edges, roots))
        yield from (_joined(programme, frame, group, prices.detached) for group in detached)
        if roots and not detached:
            for group in _groups(mine, like, roots):
                yield _matched(programme, frame, {s: mine[s] for s in group}, kinds, prices.mismatched)


def _shown(programme: Programme, chosen: Ints) -> tuple[dict[int, int], dict[int, int]]:
    """The kind on each covered square, and the other square of its domino (itself for single ones)."""
    pieces, shown, partner = programme.pieces, {}, {}
    for piece in chosen.tolist():
        first, second = int(pieces.first[piece]), int(pieces.second[piece])
        shown[first], partner[first] = int(pieces.kind[piece]), first
        if second >= 0:
            shown[second], partner[first], partner[second] = int(pieces.other[piece]), second, first
    return shown, partner


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


def _matched(programme: Programme, frame: Frame, group: dict[int, str], kinds: tuple[str, ...], price: float) -> Cut:
    """Where these squares show these terrains, one leads out of the group or a neighbour matches or is a castle."""
    pieces, squares = programme.pieces, list(group)
    coefficients = np.zeros(len(pieces.cost))
    for square, kind in group.items():
        coefficients += _showing(programme, square, _like(kinds, kind))
    for near in _around(frame, squares):
        beside = [group[s] for s in frame.around(near) if s in group]
        matching = _like(kinds, CASTLE, *beside)
        coefficients -= _showing(programme, near, matching)
    inside = np.isin(pieces.first, squares).astype(int) + np.isin(pieces.second, squares)
    return _cut(coefficients - ((inside == 1) & (pieces.second >= 0)), len(group) - 1.0, price)


def _around(frame: Frame, squares: Iterable[int]) -> set[int]:
    return {near for square in squares for near in frame.around(square)} - set(squares)


def _like(kinds: tuple[str, ...], *samples: str) -> Mask:
    """Which kinds have the terrain of one of the samples."""
    return np.array([kind[0] in {sample[0] for sample in samples} for kind in kinds])


def _showing(programme: Programme, square: int, wanted: Mask) -> Floats:
    """1 for each piece that shows one of the wanted kinds on the square, else 0."""
    pieces = programme.pieces
    here = (pieces.first == square) & wanted[pieces.kind]
    return np.asarray(here | ((pieces.second == square) & wanted[pieces.other])).astype(float)


def _cut(coefficients: Floats, limit: float, price: float) -> Cut:
    pieces = np.flatnonzero(coefficients)
    return Cut(pieces, coefficients[pieces], limit, price)
