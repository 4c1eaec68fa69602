"""Plane geometry shared by all stages: homographies, distances, rasters."""

from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]

UNIT_SQUARE: Final = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
"""Corners of a square, clockwise from the top left."""


def apply_homography(matrix: npt.NDArray[np.floating[Any]], points: npt.NDArray[np.floating[Any]]) -> Floats:
    """Return points (…, 2) under a homography (3, 3)."""
    if not points.size:
        return np.zeros(points.shape)  # OpenCV refuses an empty array
    flat = np.ascontiguousarray(points, np.float64).reshape(1, -1, 2)
    projected_points: Floats = cv2.perspectiveTransform(flat, matrix).reshape(points.shape)  # type: ignore[assignment]
    return projected_points


def fit_rectangle_homography(rows: float, cols: float, corners: npt.ArrayLike) -> Floats:
    """Return the homography (3, 3) from a rectangle of `rows` and `cols` to a quadrilateral (4, 2).

    It maps points (column, row); corners are clockwise from the top left.
    """
    rectangle = (UNIT_SQUARE * (cols, rows)).astype(np.float32)
    return np.asarray(cv2.getPerspectiveTransform(rectangle, np.asarray(corners, np.float32)), np.float64)


def compute_distances(points: Floats, other_points: Floats) -> Floats:
    """Return the Euclidean distance (n, m) of each of `points` (n, 2) from each of `other_points` (m, 2)."""
    return np.asarray(np.linalg.norm(points[:, None] - other_points[None], axis=2))


def compute_side_lengths(quads: Floats) -> Floats:
    """Return the lengths (…, 4) of the sides of quadrilaterals (…, 4, 2)."""
    return np.asarray(np.linalg.norm(quads - np.roll(quads, 1, axis=-2), axis=-1))


def sample_quads(quads: Floats, positions: Floats) -> Floats:
    """Return a raster of points (n, k * k, 2) inside quadrilaterals (n, 4, 2), at `positions` (k,) along each side."""
    across, down = np.meshgrid(positions, positions)
    weights = np.stack([(1 - across) * (1 - down), across * (1 - down), across * down, (1 - across) * down], -1)
    return np.asarray(np.einsum("ijk,nkd->nijd", weights, quads).reshape(len(quads), -1, 2))
