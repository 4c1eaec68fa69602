"""Partition of tiles among kingdoms: lattices with several castles are split, and shared tiles get one owner.

Kingdoms that lie close to each other may look like one lattice, or their lattices may go on over each other's tiles.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kdvision.vision.classify.observation import P_CONFIDENT, GridObservation
from kdvision.vision.classify.probabilities import NOTHING
from kdvision.vision.detect.hypothesis import LatticeHypothesis, find_hypotheses
from kdvision.vision.detect.lattice import DIAGONAL_COST_SIDES, MAX_SAME_TILE_SIDES, Component, join_squares, list_links
from kdvision.vision.geometry import Mask, compute_distances


@dataclass(frozen=True)
class ObservedLattice:
    """A lattice hypothesis and the observation of its grid."""

    hypothesis: LatticeHypothesis
    observation: GridObservation

    def find_squares(self, mask: Mask) -> Mask:
        """Return the squares (n,) of the hypothesis on whose cells `mask` (rows, cols) is true."""
        centres = self.observation.grid.centres.reshape(-1, 2)
        return np.asarray(mask.reshape(-1)[compute_distances(self.hypothesis.squares.centre, centres).argmin(axis=1)])


def split_by_castles(lattice: ObservedLattice) -> list[LatticeHypothesis]:
    """Return the parts of a lattice with several castles, empty if it is one kingdom.

    Tiles are joined by edges. A part with several castles is split by Kruskal's algorithm, which never joins two
    castles, if the parts meet worse than the tiles within them.
    """
    is_tile = lattice.find_squares(lattice.observation.is_tile)
    tiles = lattice.hypothesis.select(is_tile)
    is_castle = lattice.find_squares(lattice.observation.castle_probability > P_CONFIDENT)[is_tile]
    castles = set(np.flatnonzero(is_castle).tolist())
    if len(castles) < 2:
        return []
    links = list_links(tiles)
    edges = {link for link in links if (tiles.places[link[1]] == tiles.places[link[2]]).any()}  # others join corners
    parts = list[set[int]]()
    for group in join_squares(len(tiles), edges):
        group_links = [link for link in links if group.issuperset(link[1:])]
        subgroups = join_squares(len(tiles), group_links, may_join=lambda a, b: not (a & castles and b & castles))
        owner = {square: n for n, part in enumerate(subgroups) for square in part}
        gaps_across = [gap for gap, first, second in group_links if owner[first] != owner[second]]
        gaps_within = [link[0] for link in edges.intersection(group_links) if owner[link[1]] == owner[link[2]]]
        is_split = gaps_across and min(gaps_across) > max(gaps_within, default=0.0)
        parts += [part for part in subgroups if part <= group] if is_split else [group]
    hypotheses = find_hypotheses(tiles.select(sorted(part)) for part in parts)
    return hypotheses if len(hypotheses) > 1 else []


def remove_foreign_tiles(lattices: Sequence[ObservedLattice]) -> list[GridObservation]:
    """Return the observations of kingdoms without the tiles that belong to another one.

    A tile belongs to the lattice that has a square on it; of two lattices, to the one with more unshared squares beside
    it.
    """
    masks = [np.ones(len(lattice.hypothesis), bool) for lattice in lattices]
    for n, lattice in enumerate(lattices):
        for m, other in enumerate(lattices[:n]):
            distance = compute_distances(lattice.hypothesis.squares.centre, other.hypothesis.squares.centre)
            nearest_squares = distance.argmin(axis=1)
            for square in np.flatnonzero(distance.min(axis=1) < MAX_SAME_TILE_SIDES * other.hypothesis.side_pixels):
                match = nearest_squares[square]
                if _count_links(lattice.hypothesis, square, masks[n]) > _count_links(other.hypothesis, match, masks[m]):
                    masks[m][match] = False
                else:
                    masks[n][square] = False
    return [_remove_tiles_of_others(n, lattices, masks) for n in range(len(lattices))]


def _count_links(component: Component, square: np.intp, mask: Mask) -> float:
    """Return the number of neighbours of a square among those of `mask`, with less weight for corners."""
    step = np.abs(component.places[mask] - component.places[square])
    edges, corners = ((step.max(axis=1) == 1) & (step.min(axis=1) == diagonal) for diagonal in (0, 1))
    return float(edges.sum() + DIAGONAL_COST_SIDES * corners.sum())


def _remove_tiles_of_others(n: int, lattices: Sequence[ObservedLattice], masks: Sequence[Mask]) -> GridObservation:
    """Return the observation of lattice `n` without tiles on cells where tiles of other lattices lie.

    `masks` tell which squares each lattice owns.
    """
    observation, grid = lattices[n].observation, lattices[n].observation.grid
    centres = grid.centres.reshape(-1, 2)
    is_foreign = np.zeros(len(centres), bool)
    for other, is_owned in zip((*lattices[:n], *lattices[n + 1 :]), (*masks[:n], *masks[n + 1 :]), strict=True):
        tiles = other.hypothesis.squares.centre[other.find_squares(other.observation.is_tile) & is_owned]
        is_foreign |= (compute_distances(centres, tiles) < MAX_SAME_TILE_SIDES * grid.side_pixels).any(axis=1)
    owned_centres = lattices[n].hypothesis.squares.centre[masks[n]]
    is_foreign[compute_distances(owned_centres, centres).argmin(axis=1)] = False
    if not is_foreign.any():
        return observation
    return replace(
        observation, probabilities=observation.probabilities.set_kind(is_foreign.reshape(grid.rows, grid.cols), NOTHING)
    )
