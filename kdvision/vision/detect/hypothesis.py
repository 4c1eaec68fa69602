"""Lattice hypotheses: components that may be kingdoms, with the homography that fits them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import cv2
import numpy as np

from kdvision.vision.detect.lattice import Component, Indices
from kdvision.vision.geometry import Floats, apply_homography, compute_distances

MIN_SURE_SCORE: Final = 0.8
"""Score from which a detection counts as certain."""
MAX_MATCH_SIDES: Final = 0.35
"""Distance between the centres of one square seen in two passes."""


@dataclass(frozen=True, eq=False)
class LatticeHypothesis(Component):
    """A component that may be a kingdom, its homography, and the places (m, 2) known to be empty.

    `matrix` (3, 3) takes lattice coordinates (column, row; corners of squares at integers) to pixels of the photo.
    """

    matrix: Floats
    empty_places: Indices

    @classmethod
    def fit(cls, component: Component, empty_places: Indices | None = None) -> LatticeHypothesis | None:
        """Return the hypothesis with the homography that fits its squares; None if there is none."""
        matrix = _fit_homography(component)
        if not np.isfinite(matrix).all() or abs(np.linalg.det(matrix[:2, :2])) <= 1:
            return None
        empty = np.zeros((0, 2), int) if empty_places is None else empty_places
        return cls(component.places, component.squares, matrix, empty)

    @cached_property
    def weighted_area(self) -> float:
        """The area of the squares in square pixels, weighted by the squared score and by how well they fit.

        With a wrong number of columns their corners do not lie on lattice corners.
        """
        corners = apply_homography(np.linalg.inv(self.matrix), self.squares.corners)
        error = np.abs(np.abs(corners - self.places[:, None] - 0.5) - 0.5)
        fit = np.clip(1 - 2 * np.linalg.norm(error, axis=-1).mean(axis=1), 0, 1)
        return float((fit * self.squares.score**2 * self.squares.side**2).sum())

    @property
    def is_certain(self) -> bool:
        """True if every square is certain."""
        return bool((self.squares.score > MIN_SURE_SCORE).all())

    def matches(self, other: LatticeHypothesis) -> bool:
        """Return True if every certain square of either hypothesis is also in the other."""
        return all(
            (one._measure_offsets(two).min(axis=1) < MAX_MATCH_SIDES)[one.squares.score > MIN_SURE_SCORE].all()
            for one, two in ((self, other), (other, self))
        )

    def average_scores(self, other: LatticeHypothesis) -> LatticeHypothesis:
        """Return this hypothesis with the mean of the scores that its squares have in both."""
        offset = self._measure_offsets(other)
        matched = other.squares.score[offset.argmin(axis=1)] * (offset.min(axis=1) < MAX_MATCH_SIDES)
        return replace(self, squares=replace(self.squares, score=(self.squares.score + matched) / 2))

    def _measure_offsets(self, other: LatticeHypothesis) -> Floats:
        """Return the distance (n, m) of the squares from those of another hypothesis, in sides of the former."""
        return np.asarray(compute_distances(self.squares.centre, other.squares.centre) / self.squares.side[:, None])


def _fit_homography(component: Component) -> Floats:
    """Return the robust homography (3, 3) from lattice coordinates to pixels; it may be singular.

    Few squares, or a single row, do not determine a perspective: there the fit is affine and uses the squares' axes.
    """
    min_projective_squares, max_error_sides = 8, 0.2
    squares, places = component.squares, component.places + 0.5
    if len(places) >= min_projective_squares and np.ptp(places, axis=0).min() >= 2:
        tolerance = max_error_sides * component.side
        # RANSAC (Fischler and Bolles, 1981) finds the same inliers as least squares where all points fit, and takes
        # longer. OpenCV's samples are deterministic.
        for method in (0, cv2.RANSAC):
            found, _ = cv2.findHomography(places, squares.centre, method, tolerance, maxIters=2000, confidence=1 - 1e-9)
            matrix: Floats = np.zeros((3, 3)) if found is None else np.asarray(found, np.float64)
            error = np.linalg.norm(apply_homography(matrix, places) - squares.centre, axis=1)
            if matrix.any() and error.max() < tolerance:
                break
        return matrix
    steps = [(0.0, 0.0), (0.5, 0.0), (-0.5, 0.0), (0.0, 0.5), (0.0, -0.5)]
    board = np.concatenate([places + step for step in steps])
    pixels = np.concatenate([squares.centre + 2 * (a * squares.axis_u + b * squares.axis_v) for a, b in steps])
    solution = np.linalg.lstsq(np.column_stack([board, np.ones(len(board))]), pixels, rcond=None)[0].T
    return np.vstack([solution, [0, 0, 1]])
