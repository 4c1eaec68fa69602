"""Components: connected detections, and their partition into parts that are no larger than a kingdom."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from kdvision.game.legality import MAX_SIDE
from kdvision.vision.detect.lattice import MIN_KINGDOM_SQUARES, grow_components
from kdvision.vision.detect.neighbours import NEIGHBOUR_STEPS, Bounds, Place
from kdvision.vision.geometry import Floats, Mask, compute_distances, compute_median
from kdvision.vision.networks.detector import Detections

Ints = npt.NDArray[np.intp]

DIAGONAL_COST: Final = 0.5
"""Added to the cost of links between squares that only share a corner."""
MAX_SAME_TILE_SIDES: Final = 0.7
"""A detection lies on a tile whose centre is closer than this; halves of two tiles look like a square."""


@dataclass(frozen=True, eq=False)
class Component:
    """Connected detections: `members` maps a place to the index of one of the `squares`."""

    members: dict[Place, int]
    squares: Detections

    @cached_property
    def indices(self) -> list[int]:
        """The indices of the members."""
        return list(self.members.values())

    @cached_property
    def centres(self) -> Floats:
        """The members' centres (n, 2) in pixels."""
        return self.squares.centre[self.indices]

    @property
    def scores(self) -> Floats:
        """The members' scores (n,)."""
        return self.squares.score[self.indices]

    @cached_property
    def side(self) -> float:
        """The median side of the members in pixels."""
        return compute_median(self.squares.side[self.indices])

    @property
    def bounds(self) -> Bounds:
        """The smallest rectangle of places that holds the members."""
        places = np.array(list(self.members))
        (left, top), (right, bottom) = places.min(axis=0).tolist(), places.max(axis=0).tolist()
        return Bounds(left, top, right + 1, bottom + 1)

    @cached_property
    def weighted_area(self) -> float:
        """The area of the members in square pixels, weighted by the squared score.

        At a wrong scale the detector sees many squares where there are few, with low scores.
        """
        return float((self.scores**2 * self.squares.side[self.indices] ** 2).sum())

    def find_covered(self, centres: Floats, *, max_sides: float = MAX_SAME_TILE_SIDES) -> Mask:
        """Return which points (n, 2) lie on members: closer to a centre than `max_sides`."""
        return np.asarray(compute_distances(centres, self.centres).min(axis=1) < max_sides * self.side)


def find_components(squares: Detections, *, among: Mask | None = None) -> list[Component]:
    """Return the components of the detections, none of them larger than a kingdom; `among` (n,) limits them."""
    grown = grow_components(squares, among=among)
    parts = [part for members in grown for part in split_component(squares, members)]
    return [Component(part, squares) for part in parts if len(part) >= MIN_KINGDOM_SQUARES]


def split_component(squares: Detections, members: dict[Place, int]) -> list[dict[Place, int]]:
    """Return the members in parts that are no larger than a kingdom, the largest first.

    Kruskal's algorithm (1956) with a size limit: links are used from the best to the worst, so that detections on the
    table between two kingdoms join last.
    """
    if _fits_kingdom(members):
        return [members]
    costs = [
        (gap + 1 - float(min(squares.score[members[one]], squares.score[members[other]])), one, other)
        for gap, one, other in list_link_gaps(squares, members)
    ]
    parts = join_places(members, costs, may_join=lambda one, other: _fits_kingdom(one | other))
    parts.sort(key=lambda part: (-len(part), min(part)))
    return [{place: index for place, index in members.items() if place in part} for part in parts]


def join_places(
    places: Iterable[Place],
    links: Iterable[tuple[float, Place, Place]],
    *,
    may_join: Callable[[set[Place], set[Place]], bool] = lambda *_: True,
) -> list[set[Place]]:
    """Return the parts that links (cost, place, place) connect, cheapest first, where two parts `may_join`."""
    part = {place: {place} for place in places}
    for _, one, other in sorted(links):
        if part[one] is not part[other] and may_join(part[one], part[other]):
            union = part[one] | part[other]
            part.update(dict.fromkeys(union, union))
    return list({id(one): one for one in part.values()}.values())


def _fits_kingdom(places: Collection[Place]) -> bool:
    return not places or int(np.ptp(np.array(list(places)), axis=0).max()) < MAX_SIDE


def list_link_gaps(squares: Detections, members: Mapping[Place, int]) -> list[tuple[float, Place, Place]]:
    """Return the gap in sides between each two neighbours, with `DIAGONAL_COST` for those that share a corner."""
    links = [
        ((col, row), (col + dc, row + dr))
        for col, row in members
        for dc, dr in NEIGHBOUR_STEPS
        if (dc, dr) > (0, 0) and (col + dc, row + dr) in members
    ]
    one, other = (np.array([members[link[end]] for link in links], np.intp) for end in (0, 1))
    half_way = (squares.centre[other] - squares.centre[one]) / 2
    apart = 2 * half_way - _find_step(squares, one, half_way) + _find_step(squares, other, -half_way)
    gaps = np.hypot(*apart.T) / squares.side[one]
    diagonal = [a[0] != b[0] and a[1] != b[1] for a, b in links]
    return [(gap, *link) for gap, link in zip((gaps + DIAGONAL_COST * np.array(diagonal)).tolist(), links, strict=True)]


def _find_step(squares: Detections, indices: Ints, way: Floats) -> Floats:
    """Return the step (n, 2) from each square's centre to the middle of an edge or the corner closest to a way."""
    u, v = squares.axis_u[indices], squares.axis_v[indices]
    steps = np.stack([s * u + t * v for s in (-1, 0, 1) for t in (-1, 0, 1) if (s, t) != (0, 0)], axis=1)
    closest = ((way[:, None] - steps) ** 2).sum(axis=2).argmin(axis=1)
    return np.asarray(steps[np.arange(len(steps)), closest])
