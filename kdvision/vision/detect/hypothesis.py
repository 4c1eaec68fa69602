"""Lattice hypotheses: lattices that may be kingdoms, compared by the area that they explain."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from kdvision.vision.detect.components import MAX_SAME_TILE_SIDES, Component
from kdvision.vision.detect.grid import Grid, build_grid
from kdvision.vision.detect.lattice import Lattice
from kdvision.vision.detect.neighbours import Place
from kdvision.vision.geometry import Floats, apply_homography, compute_distances
from kdvision.vision.networks.detector import Detections

MIN_SURE_SCORE: Final = 0.8
"""Score from which a detection counts as certain."""
MAX_MATCH_SIDES: Final = 0.35
"""Distance between the centres of one square seen in two passes."""


@dataclass(frozen=True, eq=False)
class LatticeHypothesis:
    """A lattice that may be a kingdom, the detections that its members index, and the places known to be empty."""

    lattice: Lattice
    squares: Detections
    empty_places: frozenset[Place] = frozenset()

    @cached_property
    def component(self) -> Component:
        """The members."""
        return Component(self.lattice.members, self.squares)

    @property
    def scores(self) -> Floats:
        """The members' scores (n,)."""
        return self.squares.score[self.component.indices]

    @cached_property
    def weighted_area(self) -> float:
        """The area of the members in square pixels, weighted by the squared score and by how well they fit.

        With a wrong number of columns the members' corners do not lie on lattice corners.
        """
        indices = self.component.indices
        corners = apply_homography(np.linalg.inv(self.lattice.matrix), self.squares.corners[indices])
        error = np.abs(np.abs(corners - np.array(list(self.lattice.members))[:, None] - 0.5) - 0.5)
        fit = np.clip(1 - 2 * np.linalg.norm(error, axis=-1).mean(axis=1), 0, 1)
        return float((fit * self.scores**2 * self.squares.side[indices] ** 2).sum())

    def matches(self, other: LatticeHypothesis) -> bool:
        """Return True if every certain square of either hypothesis is also in the other."""
        return all(
            (_measure_offsets(one, two).min(axis=1) < MAX_MATCH_SIDES)[one.scores > MIN_SURE_SCORE].all()
            for one, two in ((self, other), (other, self))
        )

    def compute_overlap(self, other: LatticeHypothesis) -> float:
        """Return the share of the members that lie on members of the other hypothesis."""
        distance = compute_distances(self.component.centres, other.component.centres).min(axis=1)
        return float((distance < MAX_SAME_TILE_SIDES * other.component.side).mean())

    def average_scores(self, other: LatticeHypothesis) -> LatticeHypothesis:
        """Return this hypothesis with the mean of the scores that its squares have in both."""
        offset, score = _measure_offsets(self, other), self.squares.score.copy()
        matched = other.scores[offset.argmin(axis=1)] * (offset.min(axis=1) < MAX_MATCH_SIDES)
        score[self.component.indices] = (self.scores + matched) / 2
        return replace(self, squares=replace(self.squares, score=score))

    @cached_property
    def grid(self) -> Grid:
        """The cell grid with a rim of one cell."""
        return build_grid(self.lattice, self.squares, empty=self.empty_places)


def _measure_offsets(one: LatticeHypothesis, other: LatticeHypothesis) -> Floats:
    """Return the distance (n, m) of the members of one from those of the other, in sides of the former."""
    distance = compute_distances(one.component.centres, other.component.centres)
    return np.asarray(distance / one.squares.side[one.component.indices][:, None])
