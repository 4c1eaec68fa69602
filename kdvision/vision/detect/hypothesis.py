"""Lattice hypotheses: lattices that may be kingdoms, compared by the area that they explain."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from kdvision.vision.detect.components import Component
from kdvision.vision.detect.lattice import fit_homography
from kdvision.vision.detect.neighbours import Place
from kdvision.vision.geometry import Floats, apply_homography, compute_distances
from kdvision.vision.networks.detector import Detections

MIN_SURE_SCORE: Final = 0.8
"""Score from which a detection counts as certain."""
MAX_MATCH_SIDES: Final = 0.35
"""Distance between the centres of one square seen in two passes."""


@dataclass(frozen=True, eq=False)
class LatticeHypothesis(Component):
    """A component that may be a kingdom, its homography, and the places known to be empty.

    `matrix` (3, 3) takes lattice coordinates (column, row; corners of squares at integers) to pixels of the photo.
    """

    matrix: Floats
    empty_places: frozenset[Place] = frozenset()

    @classmethod
    def fit(
        cls, members: dict[Place, int], squares: Detections, empty_places: frozenset[Place] = frozenset()
    ) -> LatticeHypothesis | None:
        """Return the hypothesis with the homography that fits its members; None if there is none."""
        matrix = fit_homography(squares, members)
        return None if matrix is None else cls(members, squares, matrix, empty_places)

    @cached_property
    def weighted_area(self) -> float:
        """The area of the members in square pixels, weighted by the squared score and by how well they fit.

        With a wrong number of columns the members' corners do not lie on lattice corners.
        """
        corners = apply_homography(np.linalg.inv(self.matrix), self.squares.corners[self.indices])
        error = np.abs(np.abs(corners - np.array(list(self.members))[:, None] - 0.5) - 0.5)
        fit = np.clip(1 - 2 * np.linalg.norm(error, axis=-1).mean(axis=1), 0, 1)
        return float((fit * self.scores**2 * self.squares.side[self.indices] ** 2).sum())

    def matches(self, other: LatticeHypothesis) -> bool:
        """Return True if every certain square of either hypothesis is also in the other."""
        return all(
            (one._measure_offsets(two).min(axis=1) < MAX_MATCH_SIDES)[one.scores > MIN_SURE_SCORE].all()
            for one, two in ((self, other), (other, self))
        )

    def average_scores(self, other: LatticeHypothesis) -> LatticeHypothesis:
        """Return this hypothesis with the mean of the scores that its squares have in both."""
        offset, score = self._measure_offsets(other), self.squares.score.copy()
        matched = other.scores[offset.argmin(axis=1)] * (offset.min(axis=1) < MAX_MATCH_SIDES)
        score[self.indices] = (self.scores + matched) / 2
        return replace(self, squares=replace(self.squares, score=score))

    def _measure_offsets(self, other: LatticeHypothesis) -> Floats:
        """Return the distance (n, m) of the members from those of another hypothesis, in sides of the former."""
        return np.asarray(compute_distances(self.centres, other.centres) / self.squares.side[self.indices][:, None])
