"""Kingdoms so close to each other that their squares seem to form one lattice, told apart: each has one castle.

Between them lie squares that are none, or nothing: what the cell network takes for table does not hold a kingdom
together, and neither does a corner (kingdomino/connection: sides touch).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from kdvision.vision.finder import Floats, Squares
from kdvision.vision.lattice import LEAST, NEIGHBOURS, Lattice, Place, fit
from kdvision.vision.second import Candidate

DIAGONAL: Final = 0.5
"""So much weaker, in sides, a corner holds squares together than an edge does."""

Seam = tuple[float, Place, Place]
"""How far two neighbours are apart, in sides."""


@dataclass(frozen=True)
class Part:
    """A part of a lattice that may be a kingdom by itself; `cut` where it touches another, so that no gap shows."""

    candidate: Candidate
    cut: bool = False


def parted(candidate: Candidate, tiles: Collection[Place], castles: Collection[Place]) -> list[Part]:
    """Return the parts of a lattice whose `tiles` (column, row) hang together by their sides, one for each castle.

    Parts too small for a kingdom are left out. No part comes back where it is all one kingdom, or nothing can be said.
    """
    squares = candidate.squares
    members = {place: index for place, index in candidate.lattice.members.items() if place in tiles}
    seams = sorted(_seams(squares, members))
    pieces = _pieces(_joined(members, [seam for seam in seams if not _diagonal(seam)]))
    groups = [(group, cut) for piece in pieces for group, cut in _cut(piece, seams, castles)]
    groups = [(group, cut) for group, cut in groups if len(group) >= LEAST]
    if len(groups) < 2:
        return []
    parts = []
    for group, cut in groups:
        own = {place: members[place] for place in sorted(group)}
        matrix = fit(squares, own)
        if matrix is not None:
            parts.append(Part(Candidate(Lattice(own, matrix), squares), cut))
    return parts


def _cut(piece: set[Place], seams: Sequence[Seam], castles: Collection[Place]) -> list[tuple[set[Place], bool]]:
    """Return what is left of a piece when its castles are taken apart, and whether they were.

    Squares are joined in the order of how well they meet (Kruskal, 1956), but never two castles. Where the parts meet
    no worse than the squares within them do, it is one kingdom, and some tile only looks like a castle.
    """
    here = [seam for seam in seams if seam[1] in piece and seam[2] in piece]
    group = _joined(piece, here, apart=castles)
    across = [seam[0] for seam in here if group[seam[1]] is not group[seam[2]]]
    within = [seam[0] for seam in here if group[seam[1]] is group[seam[2]] and not _diagonal(seam)]
    if not across or min(across) <= max(within, default=0.0):
        return [(piece, False)]
    return [(part, True) for part in _pieces(group)]


def _joined(
    places: Iterable[Place], seams: Sequence[Seam], *, apart: Collection[Place] = ()
) -> dict[Place, set[Place]]:
    """Return for each place all that hangs together with it, without joining two of those to be kept `apart`."""
    group = {place: {place} for place in places}
    for _, one, other in seams:
        if group[one] is not group[other] and not all(group[place] & set(apart) for place in (one, other)):
            joined = group[one] | group[other]
            group.update(dict.fromkeys(joined, joined))
    return group


def _pieces(group: dict[Place, set[Place]]) -> list[set[Place]]:
    return list({id(piece): piece for piece in group.values()}.values())


def _diagonal(seam: Seam) -> bool:
    _, one, other = seam
    return one[0] != other[0] and one[1] != other[1]


def _seams(squares: Squares, members: dict[Place, int]) -> list[Seam]:
    """Return how far apart neighbours lie, in sides."""
    seams = []
    for (col, row), index in members.items():
        for dc, dr in NEIGHBOURS:
            other = members.get((col + dc, row + dr))
            if other is not None and (dc, dr) > (0, 0):
                apart = _apart(squares, index, other) + DIAGONAL * bool(dc and dr)
                seams.append((apart, (col, row), (col + dc, row + dr)))
    return seams


def _apart(squares: Squares, one: int, other: int) -> float:
    """Return how far the sides or corners in which two squares should meet are from each other, in sides."""
    way: Floats = squares.centre[other] - squares.centre[one]
    ends = []
    for index, sign in ((one, 1.0), (other, -1.0)):
        u, v = squares.u[index], squares.v[index]
        steps = [s * u + t * v for s in (-1, 0, 1) for t in (-1, 0, 1) if (s, t) != (0, 0)]
        # the middle of a side or the corner that lies nearest to the way
        ends.append(sign * min(steps, key=lambda step: float(((sign * way / 2 - step) ** 2).sum())))
    return math.hypot(*(way - ends[0] - ends[1]).tolist()) / float(squares.side[one])
