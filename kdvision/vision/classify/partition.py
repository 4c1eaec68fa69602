"""Partition of tiles among kingdoms: lattices with several castles are split, and shared tiles get one owner.

Kingdoms that lie close to each other may look like one lattice, or their lattices may go on over each other's tiles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from kdvision.game.legality import MAX_SIDE
from kdvision.vision.classify.observation import P_CONFIDENT, GridObservation
from kdvision.vision.detect.components import (
    DIAGONAL_COST,
    MAX_SAME_TILE_SIDES,
    Component,
    join_places,
    list_link_gaps,
)
from kdvision.vision.detect.hypothesis import LatticeHypothesis
from kdvision.vision.detect.lattice import MIN_KINGDOM_SQUARES
from kdvision.vision.detect.neighbours import Place
from kdvision.vision.geometry import Mask, compute_distances

MIN_CASTLES_TO_SPLIT: Final = 2


@dataclass(frozen=True)
class ObservedLattice:
    """A lattice hypothesis and the observation of its grid."""

    hypothesis: LatticeHypothesis
    observation: GridObservation

    def find_cells(self, mask: Mask) -> list[Place]:
        """Return the members on whose cells `mask` (rows, cols) is true."""
        cells = compute_distances(self.hypothesis.centres, self.observation.grid.centres.reshape(-1, 2)).argmin(axis=1)
        return [place for place, cell in zip(self.hypothesis.members, cells, strict=True) if mask.reshape(-1)[cell]]


def split_by_castles(lattice: ObservedLattice) -> list[LatticeHypothesis]:
    """Return the parts of a lattice with several castles, or larger than a kingdom; empty if it is one kingdom.

    Tiles are joined by edges. A part with several castles is split by Kruskal's algorithm, which never joins two
    castles, if the parts meet worse than the tiles within them.
    """
    observation, hypothesis = lattice.observation, lattice.hypothesis
    tiles = lattice.find_cells(observation.is_tile)
    castles = set(lattice.find_cells(observation.castle_probability > P_CONFIDENT))
    if not tiles or (len(castles) < MIN_CASTLES_TO_SPLIT and np.ptp(tiles, axis=0).max() < MAX_SIDE):
        return []
    members = {place: hypothesis.members[place] for place in tiles}
    gaps = list_link_gaps(hypothesis.squares, members)
    connected = join_places(members, [gap for gap in gaps if not _is_diagonal(*gap[1:])])
    parts = [part for whole in connected for part in _split_castles(whole, gaps, castles)]
    parts = [part for part in parts if len(part) >= MIN_KINGDOM_SQUARES]
    if len(parts) < MIN_CASTLES_TO_SPLIT:
        return []
    own = [{place: members[place] for place in sorted(part)} for part in parts]
    fitted = [LatticeHypothesis.fit(part, hypothesis.squares) for part in own]
    return [part for part in fitted if part is not None]


def _split_castles(
    whole: set[Place], gaps: Sequence[tuple[float, Place, Place]], castles: set[Place]
) -> list[set[Place]]:
    inside = [gap for gap in gaps if gap[1] in whole and gap[2] in whole]
    parts = join_places(whole, inside, may_join=lambda one, other: not (one & castles and other & castles))
    owner = {place: n for n, part in enumerate(parts) for place in part}
    across = [gap for gap, one, other in inside if owner[one] != owner[other]]
    within = [gap for gap, one, other in inside if owner[one] == owner[other] and not _is_diagonal(one, other)]
    return parts if across and min(across) > max(within, default=0.0) else [whole]


def _is_diagonal(one: Place, other: Place) -> bool:
    return one[0] != other[0] and one[1] != other[1]


def remove_foreign_tiles(lattices: Sequence[ObservedLattice]) -> list[GridObservation]:
    """Return the observations of kingdoms without the tiles that belong to another one.

    A tile belongs to the lattice of which it is a member; of two lattices, to the one with more unshared members beside
    it.
    """
    owned = [set(one.hypothesis.members) for one in lattices]
    for n, one in enumerate(lattices):
        for m, other in enumerate(lattices[:n]):
            for place, theirs in _match_members(one.hypothesis, other.hypothesis).items():
                if _count_links(place, owned[n]) > _count_links(theirs, owned[m]):
                    owned[m].discard(theirs)
                else:
                    owned[n].discard(place)
    return [_remove(n, lattices, owned) for n in range(len(lattices))]


def _match_members(one: Component, other: Component) -> dict[Place, Place]:
    """Return the members of one component that lie on members of another, each with that member."""
    distance = compute_distances(one.centres, other.centres)
    names, nearest = list(other.members), distance.argmin(axis=1)
    is_same = distance.min(axis=1) < MAX_SAME_TILE_SIDES * other.side
    return {place: names[k] for place, k, same in zip(one.members, nearest.tolist(), is_same, strict=True) if same}


def _count_links(place: Place, members: set[Place]) -> float:
    col, row = place
    edges = sum((col + dc, row + dr) in members for dc, dr in ((1, 0), (0, 1), (-1, 0), (0, -1)))
    corners = sum((col + dc, row + dr) in members for dc in (-1, 1) for dr in (-1, 1))
    return edges + DIAGONAL_COST * corners


def _remove(n: int, lattices: Sequence[ObservedLattice], owned: Sequence[set[Place]]) -> GridObservation:
    """Return the observation of lattice `n` without tiles on cells where tiles of other lattices lie."""
    observation, component = lattices[n].observation, lattices[n].hypothesis
    foreign = []
    for m, other in enumerate(lattices):
        if m != n:
            tiles = set(other.find_cells(other.observation.is_tile)) & owned[m]
            theirs = other.hypothesis
            foreign += [theirs.squares.centre[theirs.members[place]] for place in tiles]
    if not foreign:
        return observation
    grid = observation.grid
    centres = grid.centres.reshape(-1, 2)
    is_foreign = compute_distances(centres, np.array(foreign)).min(axis=1) < MAX_SAME_TILE_SIDES * grid.side
    own = [component.squares.centre[component.members[place]] for place in owned[n]]
    if own:
        is_foreign[compute_distances(np.array(own), centres).argmin(axis=1)] = False
    if not is_foreign.any():
        return observation
    return replace(observation, reading=observation.reading.remove_tiles(is_foreign.reshape(grid.rows, grid.cols)))
