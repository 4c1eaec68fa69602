"""The detector network: centre, axes and score of every square in a picture.

The network is fully convolutional and gives one vote for each 8 x 8 pixels: is this inside a square, where is that
square's centre, and which are its axes. A square looks the same after a quarter turn, so the axes are encoded by
quantities that a quarter turn does not change. With the half-axes as complex numbers u and v, the affine map
p = c + alpha z + beta conj(z) takes the unit square (|Re z|, |Im z| <= 1) to the picture; alpha^4 and alpha beta are
invariant when z is multiplied by i.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt
from scipy.special import expit

from kdvision.vision.geometry import Floats, Ints, apply_homography
from kdvision.vision.image.photo import Photo
from kdvision.vision.image.srgb import Pixels
from kdvision.vision.networks.onnx import Model

Complex = npt.NDArray[np.complex128]

STRIDE_PIXELS: Final = 8
FINE_LONG_SIDE_PIXELS: Final = 640
"""Longer side at which the detector sees a whole photo; large squares also show at half of it."""
PADDING_RGB: Final = (114, 114, 114)
"""Colour beyond the border, in training and at run time."""


def decode_axes(code: Floats, *, max_skew: float = 0.8) -> tuple[Complex, Complex]:
    """Return alpha and beta, up to a quarter turn, of a code (n, 5).

    It is log |alpha|, cos and sin of 4 arg(alpha), real and imaginary part of the skew alpha beta / |alpha|^2.
    """
    size = np.exp(code[..., 0])
    alpha = size * np.exp(1j * np.arctan2(code[..., 2], code[..., 1]) / 4)
    skew = code[..., 3] + 1j * code[..., 4]
    skew = skew / np.maximum(1.0, np.abs(skew) / max_skew)
    return alpha, skew * size**2 / alpha


@dataclass(frozen=True)
class Detections:
    """Detected squares: `centre`, `axis_u` and `axis_v` (n, 2) in pixels, `score` (n,) from 0 to 1.

    `axis_u` points from the centre to the middle of one side, `axis_v` to that of the next side clockwise.
    """

    centre: Floats
    axis_u: Floats
    axis_v: Floats
    score: Floats

    def __len__(self) -> int:
        return len(self.score)

    @cached_property
    def side_pixels(self) -> Floats:
        """The side lengths (n,) in pixels, as the root of the area."""
        u, v = self.axis_u, self.axis_v
        return np.asarray(2 * np.sqrt(np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])))

    @cached_property
    def weighted_area(self) -> float:
        """The area of the squares in square pixels, weighted by the squared score.

        At a wrong scale the detector sees many squares where there are few, with low scores.
        """
        return float((self.score**2 * self.side_pixels**2).sum())

    @property
    def corners(self) -> Floats:
        """The corners (n, 4, 2) around each square."""
        centre, u, v = self.centre, self.axis_u, self.axis_v
        return np.stack([centre - u - v, centre + u - v, centre + u + v, centre - u + v], axis=1)

    def transform(self, matrix: Floats) -> "Detections":
        """Return the detections under a homography (3, 3), to first order around each centre."""
        u, v = 0.5 * self.axis_u, 0.5 * self.axis_v
        points = np.stack([self.centre, self.centre + u, self.centre - u, self.centre + v, self.centre - v])
        points = apply_homography(matrix, points)
        return Detections(points[0], points[1] - points[2], points[3] - points[4], self.score)

    def select(self, selection: npt.NDArray[Any] | list[int]) -> "Detections":
        """Return some detections, chosen by a mask (n,) or by indices."""
        return Detections(self.centre[selection], self.axis_u[selection], self.axis_v[selection], self.score[selection])

    def turn(self, quarter_turns: Ints) -> "Detections":
        """Return the detections with axes turned by a number (n,) of quarter turns; their squares stay."""
        axes, indices = np.stack([self.axis_u, self.axis_v, -self.axis_u, -self.axis_v]), np.arange(len(self))
        return Detections(self.centre, axes[quarter_turns, indices], axes[(quarter_turns + 1) % 4, indices], self.score)

    def turn_rightwards(self) -> "Detections":
        """Return the detections with their axes turned so that `axis_u` points right as far as possible."""
        u, v = (axis[:, 0] / (np.linalg.norm(axis, axis=1) + 1e-9) for axis in (self.axis_u, self.axis_v))
        return self.turn(np.argmax([u, v, -u, -v], axis=0))


def decode_votes(output: npt.NDArray[np.float32]) -> Detections:
    """Return the squares that the network's votes (8, h, w) agree on, in pixels of its input, strongest first.

    The score is the sum of a square's votes, weighted by probability and by how close they lie to its centre, relative
    to the number of votes that a square of its size can have.
    """
    min_probability, full_score_share = 0.5, 0.45  # votes that count; share of the possible votes for a score of 1
    probability = expit(output[0].astype(np.float64))
    rows, cols = np.nonzero(probability > min_probability)
    votes = output[1:, rows, cols].T.astype(np.float64)  # offset to the centre in half sides, code of the axes
    votes[:, 2] = np.clip(votes[:, 2], -2, 8)  # against overflow
    half_side = np.exp(votes[:, 2])
    weight = probability[rows, cols] * np.exp(-0.5 * (votes[:, :2] ** 2).sum(-1))
    votes[:, :2] = (np.stack([cols, rows], -1) + 0.5) * STRIDE_PIXELS + votes[:, :2] * half_side[:, None]
    order = np.argsort(-weight, kind="stable")
    votes, weight, half_side = votes[order], weight[order], half_side[order]
    cluster, strongest = _cluster_votes(votes[:, :2], half_side)
    total = np.bincount(cluster, weight)
    mean = np.stack([np.bincount(cluster, weight * column) for column in votes.T], axis=1) / total[:, None]
    alpha, beta = decode_axes(mean[:, 2:])
    u, v = alpha + beta, 1j * (alpha - beta)
    possible_votes = np.maximum(1.0, (2 * half_side[strongest] / STRIDE_PIXELS) ** 2)
    return Detections(
        np.ascontiguousarray(mean[:, :2]),
        np.stack([u.real, u.imag], -1),
        np.stack([v.real, v.imag], -1),
        np.minimum(1.0, total / (full_score_share * possible_votes)),
    )


def _cluster_votes(centre: Floats, half_side: Floats) -> tuple[Ints, list[int]]:
    """Return the cluster (n,) of each vote, and the strongest vote of each cluster.

    Clustering is greedy: the strongest vote collects all votes whose centres lie within `radius_half_sides`.
    """
    radius_half_sides = 0.7
    remaining_votes, cluster, strongest = np.arange(len(centre)), np.zeros(len(centre), np.intp), list[int]()
    while len(remaining_votes):
        squared_distance = ((centre[remaining_votes] - centre[remaining_votes[0]]) ** 2).sum(axis=1)
        outside = squared_distance >= (radius_half_sides * half_side[remaining_votes[0]]) ** 2
        outside[0] = False
        cluster[remaining_votes] = len(strongest)  # the votes outside get another number in a later round
        strongest.append(int(remaining_votes[0]))
        remaining_votes = remaining_votes[outside]
    return cluster, strongest


class SquareDetector:
    """The detector network as a model that is ready to run."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def detect(self, pixels: Pixels) -> tuple[Detections, Floats]:
        """Return the squares in an RGB picture (H, W, 3) at its own size, and the votes for them.

        The votes are the probabilities (H / 8, W / 8) that each 8 x 8 pixels lie in a square.
        """
        height, width = pixels.shape[:2]
        below, right = -height % 32, -width % 32
        padded_pixels = cv2.copyMakeBorder(pixels, 0, below, 0, right, cv2.BORDER_CONSTANT, value=PADDING_RGB)
        output = self.model.run(np.asarray(padded_pixels, np.uint8)[None])[0]
        detections = decode_votes(output)
        inside = ((detections.centre >= 0) & (detections.centre < (width, height))).all(-1)
        votes = output[0, : -(-height // STRIDE_PIXELS), : -(-width // STRIDE_PIXELS)]
        return detections.select(np.asarray(inside)), np.asarray(expit(votes.astype(np.float64)))

    def detect_photo(self, photo: Photo, long_side: int) -> Detections:
        """Return the squares of a whole photo, in its own pixels, detected where its longer side has `long_side`.

        Scales are not merged: a scale at which squares are too large yields many small false detections.
        """
        pixels = photo.resize(long_side)
        scale = np.diag([photo.width / pixels.shape[1], photo.height / pixels.shape[0], 1.0])
        return self.detect(pixels)[0].transform(scale)
