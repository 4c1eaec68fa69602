"""Connectivity: groups of tiles that do not touch the castle's group, and the cuts that price them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage
from skimage import measure

from kdvision.vision.classify.probabilities import CASTLE
from kdvision.vision.decide.placements import Ints, Placements
from kdvision.vision.geometry import Floats

Group = tuple[int, ...]
"""The numbers of connected squares."""


def find_detached_groups(placements: Placements, labels: Ints) -> list[tuple[int, Group]]:
    """Return kingdom and squares of each group without the castle; without a castle, of all groups but the largest."""
    found: list[tuple[int, Group]] = []
    castle = placements.kinds.index(CASTLE) if CASTLE in placements.kinds else -1
    for kingdom, frame in enumerate(placements.frames):
        shown = labels[frame.start : frame.end].reshape(frame.rows, frame.cols)
        groups, count = measure.label(shown != placements.nothing, connectivity=1, return_num=True)
        if count < 2:
            continue
        attached = set(groups[shown == castle].tolist()) or {int(np.bincount(groups[groups > 0]).argmax())}
        detached = (group for group in range(1, count + 1) if group not in attached)
        found += [(kingdom, tuple(frame.numbers[groups == group].tolist())) for group in detached]
    return found


@dataclass(frozen=True)
class Cut:
    """A constraint on the placements: the sum of `weights` exceeds `size` - 1 only if the group lies detached.

    Squares of the group count 1, squares beside it -`size`; a castle in the group counts -`size` more.
    """

    kingdom: int
    group: Group
    weights: Floats

    @property
    def size(self) -> int:
        """The number of squares of the group."""
        return len(self.group)


def make_cut(placements: Placements, kingdom: int, group: Group) -> Cut:
    """Return the cut for a detached group of a kingdom."""
    frame, size = placements.frames[kingdom], len(group)
    inside = np.isin(frame.numbers, group)
    weight = np.zeros(placements.frames[-1].end + 1)  # the last entry stands for a missing second square
    weight[frame.numbers[ndimage.binary_dilation(inside) & ~inside]] = -size
    weight[list(group)] = 1.0
    castles = placements.is_castle & np.isin(placements.first, group)
    return Cut(kingdom, group, weight[placements.first] + weight[placements.second] - size * castles)
