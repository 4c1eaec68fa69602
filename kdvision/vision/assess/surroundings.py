"""What lies around a kingdom on its table: tiles that do not join it, other kingdoms, copies and pictures."""

from collections.abc import Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np

from kdvision.vision.assess.copies import find_copies, may_be_picture
from kdvision.vision.assess.kingdom import classify_grid
from kdvision.vision.classify.observation import P_PRESENT, GridObservation
from kdvision.vision.decide.decision import Decision
from kdvision.vision.geometry import compute_distances


class Surroundings(NamedTuple):
    """What else lies on the table.

    `crowded`: tiles beside the kingdom that do not join it. `unread`: tiles elsewhere that may be another kingdom.
    `touched`: another kingdom so close that a domino may belong to either. `damaged`: the photo's file is damaged.
    `copied`: a smaller copy of the kingdom is also there. `colourless`: the photo is grey or sepia.
    `outside`: tiles just outside the outline that a person has drawn. `pictured`: tiles elsewhere are much larger, so
    that it may be a picture.

    Stored tables hold these values by position, so a new one comes last.
    """

    crowded: bool = False
    unread: bool = False
    touched: bool = False
    damaged: bool = False
    copied: bool = False
    colourless: bool = False
    outside: bool = False
    pictured: bool = False


def describe_surroundings(
    kingdoms: Sequence[GridObservation], observations: Sequence[GridObservation]
) -> list[Surroundings]:
    """Return what lies around each kingdom among all observations of a photo.

    Tiles beside a kingdom that show no castle may be part of it. Copies of a kingdom do not count.
    """
    pairs = [pair for pair in find_copies(observations) if pair[1] in kingdoms]
    copies, originals = {copy for copy, _ in pairs}, {original for _, original in pairs}
    other_grids = {*observations} - copies - {*kingdoms}
    castleless_kingdoms = [kingdom for kingdom in {*kingdoms} - copies if kingdom.max_castle_probability <= P_PRESENT]
    neighbours = (*other_grids, *castleless_kingdoms)
    unread = any(classify_grid(grid).is_possible for grid in other_grids)
    return [
        Surroundings(
            crowded=any(kingdom.is_beside(other) for other in neighbours if other is not kingdom),
            unread=unread,
            copied=kingdom in originals,
            pictured=may_be_picture(kingdom, observations),
        )
        for kingdom in kingdoms
    ]


def mark_touching(
    surroundings: Sequence[Surroundings], observations: Sequence[GridObservation], decisions: Sequence[Decision]
) -> list[Surroundings]:
    """Return the surroundings with kingdoms marked whose decided boards almost touch: centres within `max_sides`.

    Dominoes there may have been assigned to the wrong one of both, and the other one looks complete without them.
    """
    max_sides, touching_kingdoms, grids = 1.4, set[int](), [observation.grid for observation in observations]
    pairs = zip(grids, decisions, strict=True)
    tiles = [np.array([grid.centres[square] for square in decision.board]).reshape(-1, 2) for grid, decision in pairs]
    for first, second in permutations(range(len(grids)), 2):
        distances = compute_distances(*(grids[first].to_grid_coordinates(tiles[n]) for n in (first, second)))
        if (distances < max_sides).any():
            touching_kingdoms |= {first, second}
    return [entry._replace(touched=n in touching_kingdoms) for n, entry in enumerate(surroundings)]
