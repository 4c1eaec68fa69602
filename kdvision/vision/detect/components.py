"""How well squares meet, and what hangs together when they are joined in that order, within the size of a kingdom."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from kdvision.game.legality import MAX_SIDE
from kdvision.vision.detect.neighbours import NEIGHBOURS, Place
from kdvision.vision.networks.detector import Detections, Floats

DIAGONAL: Final = 0.5
"""So much weaker, in sides, a corner holds squares together than an edge does."""

Seam = tuple[float, Place, Place]
"""How far two neighbours are apart, in sides."""


def split_components(squares: Detections, members: dict[Place, int]) -> list[dict[Place, int]]:
    """Return the members of a lattice in parts, none of them larger than a kingdom can be; the largest comes first.

    Squares are joined in the order of how well they meet and how sure they are: those of the table, over which the
    lattices of two kingdoms run into each other, come last.
    """
    if _of_size(members):
        return [members]
    group = joined(members, sorted(weakness(squares, members)), may=lambda one, other: _of_size(one | other))
    parts = sorted(pieces(group), key=lambda part: (-len(part), min(part)))
    return [{place: index for place, index in members.items() if place in part} for part in parts]


def _of_size(places: Collection[Place]) -> bool:
    return not places or int(np.ptp(np.array(list(places)), axis=0).max()) < MAX_SIDE


def joined(
    places: Iterable[Place],
    seams: Sequence[Seam],
    *,
    may: Callable[[set[Place], set[Place]], bool] | None = None,
) -> dict[Place, set[Place]]:
    """Return for each place all that hangs together with it, two parts joined only where they `may` be.

    Seams are taken in their order (Kruskal, 1956).
    """
    group = {place: {place} for place in places}
    for _, one, other in seams:
        if group[one] is not group[other] and (may is None or may(group[one], group[other])):
            together = group[one] | group[other]
            group.update(dict.fromkeys(together, together))
    return group


def pieces(group: Mapping[Place, set[Place]]) -> list[set[Place]]:
    """Return what hangs together, each piece once."""
    return list({id(piece): piece for piece in group.values()}.values())


def diagonal(seam: Seam) -> bool:
    """Whether the two meet in a corner."""
    _, one, other = seam
    return one[0] != other[0] and one[1] != other[1]


def seams(squares: Detections, members: Mapping[Place, int]) -> list[Seam]:
    """Return how far apart neighbours lie, in sides."""
    found = []
    for (col, row), index in members.items():
        for dc, dr in NEIGHBOURS:
            other = members.get((col + dc, row + dr))
            if other is not None and (dc, dr) > (0, 0):
                apart = _apart(squares, index, other) + DIAGONAL * bool(dc and dr)
                found.append((apart, (col, row), (col + dc, row + dr)))
    return found


def weakness(squares: Detections, members: Mapping[Place, int]) -> list[Seam]:
    """Return how badly neighbours hold together: how far apart they lie, in sides, and how unsure the less sure is."""
    return [
        (apart + 1 - float(min(squares.score[members[one]], squares.score[members[other]])), one, other)
        for apart, one, other in seams(squares, members)
    ]


def _apart(squares: Detections, one: int, other: int) -> float:
    """Return how far the sides or corners in which two squares should meet are from each other, in sides."""
    way: Floats = squares.centre[other] - squares.centre[one]
    ends = []
    for index, sign in ((one, 1.0), (other, -1.0)):
        u, v = squares.u[index], squares.v[index]
        steps = [s * u + t * v for s in (-1, 0, 1) for t in (-1, 0, 1) if (s, t) != (0, 0)]
        # the middle of a side or the corner that lies nearest to the way
        ends.append(sign * min(steps, key=lambda step: float(((sign * way / 2 - step) ** 2).sum())))
    return math.hypot(*(way - ends[0] - ends[1]).tolist()) / float(squares.side[one])
