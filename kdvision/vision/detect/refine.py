"""Refinement: the detector runs again on the rectified lattice, where every square is 48 pixels wide.

This corrects the fit, finds squares that the first pass missed, and shows which places are empty.
"""

from typing import Final

import cv2
import numpy as np

from kdvision.vision.detect.hypothesis import LatticeHypothesis
from kdvision.vision.detect.lattice import Bounds, Component, grow_components, split_component
from kdvision.vision.geometry import UNIT_SQUARE, Floats, Ints, apply_homography, compute_side_lengths
from kdvision.vision.image.photo import Photo, shrink
from kdvision.vision.image.srgb import Pixels
from kdvision.vision.networks.detector import PADDING_RGB, STRIDE_PIXELS, Detections, SquareDetector

RECTIFIED_SIDE_PIXELS: Final = 48


def refine(photo: Photo, detector: SquareDetector, hypothesis: LatticeHypothesis) -> LatticeHypothesis | None:
    """Return the lattice as detected in the rectified picture; again while it grows beyond its bounds."""
    lattice, max_passes = None, 3
    for _ in range(max_passes):
        lattice = detect_rectified(photo, detector, hypothesis, hypothesis.bounds.expand())
        if lattice is None or hypothesis.bounds.contain(lattice.places).all():
            break
        hypothesis = lattice
    return lattice


def detect_rectified(
    photo: Photo, detector: SquareDetector, hypothesis: LatticeHypothesis, bounds: Bounds
) -> LatticeHypothesis | None:
    """Return what the detector finds on a lattice rectified within `bounds`; None if that is too little."""
    picture, matrix = rectify(photo, hypothesis.matrix, bounds)
    detections, votes = detector.detect(picture)
    has_right_size = np.abs(np.log(detections.side_pixels / RECTIFIED_SIDE_PIXELS)) < 0.7  # half the size to twice
    parts = [
        Component(part.places + (_find_nearest_places(part.squares, bounds) - part.places)[0], part.squares)
        for component in grow_components(detections.select(has_right_size).turn_rightwards())
        for part in split_component(component)
    ]
    members = max(parts, key=lambda part: (hypothesis.count_common_places(part), len(part)), default=None)
    if members is None:
        return None
    members = members.select(np.lexsort(members.places.T[::-1]))  # the order of squares affects RANSAC
    # No place is known to be empty if the squares do not lie on the places for which the picture was rectified.
    lie_on_places = (_find_nearest_places(members.squares, bounds) == members.places).all()
    empty = _find_empty_places(votes, bounds) if lie_on_places else None
    squares = members.squares.transform(np.asarray(np.linalg.inv(matrix), np.float64))
    return LatticeHypothesis.fit(Component(members.places, squares), empty)


def rectify(photo: Photo, matrix: Floats, bounds: Bounds) -> tuple[Pixels, Floats]:
    """Return part of a lattice as a fronto-parallel picture, 48 pixels per cell, and the homography from the photo."""
    frame = UNIT_SQUARE * (bounds.cols, bounds.rows) + (bounds.left, bounds.top)
    side = compute_side_lengths(apply_homography(matrix, frame.mean(axis=0) + UNIT_SQUARE - 0.5)).mean()
    outline = apply_homography(matrix, frame)
    if (np.column_stack([frame, np.ones(4)]) @ matrix[2] <= 0).any():  # partly behind the camera
        outline = np.array([[0.0, 0.0], [photo.width, photo.height]])
    unit = RECTIFIED_SIDE_PIXELS
    pixels_per_cell = 1.2 * unit  # more than needed: the rectified picture is sampled, not averaged
    pixels, crop_matrix = photo.crop(outline, pixels_per_cell / side)
    if side * crop_matrix[0, 0] > 2.0 * unit:
        pixels, factors = shrink(pixels, pixels_per_cell / (side * crop_matrix[0, 0]))
        crop_matrix = np.diag([*factors, 1.0]) @ crop_matrix
    from_lattice = np.array([[unit, 0, -bounds.left * unit], [0, unit, -bounds.top * unit], [0, 0, 1.0]])
    to_rectified = from_lattice @ np.linalg.inv(matrix)
    size = (bounds.cols * unit, bounds.rows * unit)
    picture = cv2.warpPerspective(pixels, to_rectified @ np.linalg.inv(crop_matrix), size, borderValue=PADDING_RGB)
    return np.asarray(picture, np.uint8), to_rectified


def _find_nearest_places(detections: Detections, bounds: Bounds) -> Ints:
    """Return the place (n, 2) on which each square of a rectified picture lies."""
    return np.asarray(np.floor(detections.centre / RECTIFIED_SIDE_PIXELS) + bounds[:2], np.intp)


def _find_empty_places(votes: Floats, bounds: Bounds, *, max_probability: float = 0.01) -> Ints:
    """Return the places (m, 2) of a rectified picture in whose middle no vote speaks for a square.

    The cell network called none of them a tile on dark, tilted and glossy photos.
    """
    count = RECTIFIED_SIDE_PIXELS // STRIDE_PIXELS
    strongest_votes = votes.reshape(bounds.rows, count, bounds.cols, count)[:, 1:-1, :, 1:-1].max(axis=(1, 3))
    return np.argwhere(strongest_votes < max_probability)[:, ::-1] + bounds[:2]
