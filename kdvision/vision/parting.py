"""Kingdoms so close to each other that their squares seem to form one lattice, told apart: each has one castle."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from kdvision.vision.finder import Floats, Squares
from kdvision.vision.lattice import LEAST, NEIGHBOURS, Lattice, Place, fit
from kdvision.vision.search import Candidate

DIAGONAL: Final = 0.5
"""So much weaker, in sides, a corner holds squares together than an edge does."""


def parted(candidate: Candidate, castles: Sequence[Place]) -> list[Candidate]:
    """Return a candidate for each castle (column, row), the seams between them where squares lie furthest apart.

    Squares are joined in the order of how well they meet (Kruskal, 1956), but never two castles. The candidate itself
    comes back where a part is too small, or where the parts meet no worse than the squares within them do: then it is
    one kingdom, and some tile only looks like a castle.
    """
    squares, members = candidate.squares, candidate.lattice.members
    seams = sorted(_seams(squares, members))
    castle = _forest(seams, members, castles)
    within = [seam for seam, one, other in seams if castle[one] == castle[other] and not _diagonal(one, other)]
    if min((seam for seam, one, other in seams if castle[one] != castle[other]), default=1.0) <= max(within, default=0):
        return [candidate]
    parts = []
    for one in castles:
        own = {place: index for place, index in members.items() if castle[place] == one}
        matrix = fit(squares, own) if len(own) >= LEAST else None
        if matrix is None:
            return [candidate]
        parts.append(Candidate(Lattice(own, matrix), squares))
    return parts


def _forest(
    seams: Sequence[tuple[float, Place, Place]], places: Iterable[Place], castles: Sequence[Place]
) -> dict[Place, Place | None]:
    """Return for each place the castle that it hangs together with."""
    group = {place: {place} for place in places}
    castle: dict[Place, Place | None] = {place: place if place in castles else None for place in group}
    for _, one, other in seams:
        if group[one] is group[other] or (castle[one] and castle[other]):
            continue
        joined, owner = group[one] | group[other], castle[one] or castle[other]
        for place in joined:
            group[place], castle[place] = joined, owner
    return castle


def _diagonal(one: Place, other: Place) -> bool:
    return one[0] != other[0] and one[1] != other[1]


def _seams(squares: Squares, members: dict[Place, int]) -> list[tuple[float, Place, Place]]:
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
