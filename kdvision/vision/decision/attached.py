"""A rule about a kingdom as a whole: all of it is joined to the castle by edges, or what is not costs a price.

Stated for every board at once it would drown the programme, and the likeliest board mostly keeps it. So it is looked
for in an answer, and only what that breaks becomes a row, for it and for everything that is solved after it. The
connection rule is not held to: on real tables it is broken often enough that holding to it changed squares that were
read right. Boards that break it are reported, as read.
"""

from typing import NamedTuple

import numpy as np

from kdvision.vision.decision.candidates import Candidates, Catalogue, Floats


class Group(NamedTuple):
    """Squares of one kingdom that hang together and with nothing else."""

    kingdom: int
    squares: tuple[int, ...]


def detached(catalogue: Catalogue, pieces: Candidates) -> list[Group]:
    """The groups of covered squares without a castle in kingdoms that have one; else all groups but the largest."""
    castles = set(pieces.first[pieces.kind == catalogue.throne].tolist())
    kingdoms: dict[int, list[set[int]]] = {}
    for group in _groups(catalogue, set(pieces.covered.tolist())):
        kingdoms.setdefault(int(catalogue.owner[next(iter(group))]), []).append(group)
    found = []
    for number, groups in kingdoms.items():
        rooted = [group for group in groups if not castles.isdisjoint(group)] or groups[:1]
        found += [Group(number, tuple(sorted(group))) for group in groups if group not in rooted]
    return found


def to_be_joined(catalogue: Catalogue, pieces: Candidates) -> list[Group]:
    """The detached groups, and all of kingdoms without a castle: any may be what the others are detached from."""
    found = detached(catalogue, pieces)
    castles = set(catalogue.owner[pieces.first[pieces.kind == catalogue.throne]].tolist())
    loose = {group.kingdom for group in found} - castles
    every = (tuple(sorted(group)) for group in _groups(catalogue, set(pieces.covered.tolist())))
    others = [Group(int(catalogue.owner[squares[0]]), squares) for squares in every]
    return found + [group for group in others if group.kingdom in loose and group not in found]


def _groups(catalogue: Catalogue, squares: set[int]) -> list[set[int]]:
    """The groups of squares joined by edges, largest first."""
    near, groups = catalogue.near, list[set[int]]()
    for start in sorted(squares):
        if start in squares:
            squares.discard(start)
            group, new = {start}, [start]
            while new:
                fresh = squares.intersection(near[new.pop()])
                squares -= fresh
                group |= fresh
                new += fresh
            groups.append(group)
    return sorted(groups, key=lambda group: (-len(group), min(group)))


def row(catalogue: Catalogue, pieces: Candidates, group: Group) -> Floats:
    """For each piece its coefficient: their sum is the group's size where the group lies detached, and less elsewhere.

    It is the size where all of the group is covered, nothing around it is, and no castle lies in it.
    """
    size = len(group.squares)
    around = {near for square in group.squares for near in catalogue.near[square]}.difference(group.squares)
    weight = np.zeros(catalogue.squares + 1)  # the last is that of no second square
    weight[list(group.squares)], weight[list(around)] = 1.0, -size
    throne = (pieces.kind == catalogue.throne) & np.isin(pieces.first, group.squares)
    return np.asarray(weight[pieces.first] + weight[pieces.second] - size * throne)
