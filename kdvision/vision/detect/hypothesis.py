"""Lattice hypotheses: components that may be kingdoms, with the homography that fits them."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import cv2
import numpy as np

from kdvision.vision.detect.lattice import MIN_KINGDOM_SQUARES, Component, split_component
from kdvision.vision.geometry import Floats, Ints, apply_homography


@dataclass(frozen=True, eq=False)
class LatticeHypothesis(Component):
    """A component that may be a kingdom, its homography, and the places (m, 2) known to be empty.

    `matrix` (3, 3) takes lattice coordinates (column, row; corners of squares at integers) to pixels of the photo.
    """

    matrix: Floats
    empty_places: Ints

    @classmethod
    def fit(cls, component: Component, empty_places: Ints | None = None) -> Self | None:
        """Return the hypothesis with the homography that fits its squares; None if they are too few, or none fits."""
        if len(component) < MIN_KINGDOM_SQUARES:
            return None
        matrix = _fit_homography(component)
        if not np.isfinite(matrix).all() or abs(np.linalg.det(matrix[:2, :2])) <= 1:
            return None
        empty = np.zeros((0, 2), int) if empty_places is None else empty_places
        return cls(component.places, component.squares, matrix, empty)

    @cached_property
    def fitted_area(self) -> float:
        """The weighted area of the squares, weighted also by how well they fit.

        With a wrong number of columns the corners of squares do not lie on lattice corners.
        """
        corners = apply_homography(np.linalg.inv(self.matrix), self.squares.corners)
        error = np.abs(np.abs(corners - self.places[:, None] - 0.5) - 0.5)
        fit = np.clip(1 - 2 * np.linalg.norm(error, axis=-1).mean(axis=1), 0, 1)
        return float((fit * self.squares.score**2 * self.squares.side_pixels**2).sum())

    def overlaps(self, other: "LatticeHypothesis", *, max_share: float = 0.3) -> bool:
        """Return True if so many squares lie on those of another hypothesis that both show the same tiles."""
        return bool(other.find_points_on_squares(self.squares.centre).mean() > max_share)


def find_hypotheses(components: Iterable[Component]) -> list[LatticeHypothesis]:
    """Return the lattices that the components form, none of them larger than a kingdom."""
    hypotheses = (LatticeHypothesis.fit(part) for component in components for part in split_component(component))
    return [hypothesis for hypothesis in hypotheses if hypothesis is not None]


def _fit_homography(component: Component) -> Floats:
    """Return the robust homography (3, 3) from lattice coordinates to pixels; it may be singular.

    Few squares, or a single row, do not determine a perspective: there the fit is affine and uses the squares' axes.
    """
    min_projective_squares, max_error_sides = 8, 0.2
    squares, places = component.squares, component.places + 0.5
    if len(places) >= min_projective_squares and np.ptp(places, axis=0).min() >= 2:
        tolerance = max_error_sides * component.side_pixels
        # RANSAC (Fischler and Bolles, 1981) finds the same inliers as least squares where all points fit, and takes
        # longer. OpenCV's samples are deterministic.
        for method in (0, cv2.RANSAC):
            homography, _ = cv2.findHomography(places, squares.centre, method, tolerance, confidence=1 - 1e-9)
            matrix: Floats = np.zeros((3, 3)) if homography is None else np.asarray(homography, np.float64)
            error = np.linalg.norm(apply_homography(matrix, places) - squares.centre, axis=1)
            if matrix.any() and error.max() < tolerance:
                break
        return matrix
    steps = [(0.0, 0.0), (0.5, 0.0), (-0.5, 0.0), (0.0, 0.5), (0.0, -0.5)]
    board = np.concatenate([places + step for step in steps])
    pixels = np.concatenate([squares.centre + 2 * (a * squares.axis_u + b * squares.axis_v) for a, b in steps])
    solution = np.linalg.lstsq(np.column_stack([board, np.ones(len(board))]), pixels, rcond=None)[0].T
    return np.vstack([solution, [0, 0, 1]])
