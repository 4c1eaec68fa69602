"""The finder network: where squares lie in a photo, which way they lie and how large they are.

The network looks at the whole photo at once and gives one vote for each 8 x 8 pixels: is this inside a square, where
is that square's centre, and which are its axes. A square looks the same after a quarter turn, so its axes are coded by
numbers that do not change under one. With half-axes u and v as complex numbers, p = c + alpha z + beta conj(z) maps the
unit square (|Re z|, |Im z| <= 1) onto the photo; alpha^4 and alpha beta stay the same when z is turned by i.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.onnx import Model

Floats = npt.NDArray[np.float64]
Complex = npt.NDArray[np.complex128]

STRIDE: Final = 8
LONG_SIDES: Final = (640, 320)
"""The finder sees the whole photo with its longer side at so many pixels: small squares show in one, large in both."""
FINER: Final = 1280
"""And so many, where kingdoms may be so small in the photo that their squares do not show in those."""
PADDING: Final = 114
"""The grey beyond the picture's edge, in training and at run time."""
CHANNELS: Final = 8


def encode_axes(alpha: Complex, beta: Complex) -> Floats:
    """Return the code (n, 5) of axes: log |alpha|, cos and sin of alpha's fourth power, alpha beta / |alpha|^2."""
    size = np.abs(alpha)
    turn = (alpha / size) ** 4
    skew = alpha * beta / size**2
    return np.stack([np.log(size), turn.real, turn.imag, skew.real, skew.imag], -1)


def decode_axes(code: Floats) -> tuple[Complex, Complex]:
    """Return alpha and beta of a code (n, 5), up to a quarter turn."""
    size = np.exp(np.clip(code[..., 0], -2, 8))
    alpha = size * np.exp(1j * np.arctan2(code[..., 2], code[..., 1]) / 4)
    skew = code[..., 3] + 1j * code[..., 4]
    skew = skew / np.maximum(1.0, np.abs(skew) / 0.8)
    return alpha, skew * size**2 / alpha


def axes_of(quads: Floats) -> tuple[Complex, Complex, Complex]:
    """Return centre, alpha and beta of squares (n, 4, 2), corners clockwise; mirrored ones turned over."""
    corners: Complex = quads[..., 0] + 1j * quads[..., 1]
    centre = corners.mean(-1)
    u = (corners[..., 1] + corners[..., 2] - corners[..., 0] - corners[..., 3]) / 4
    v = (corners[..., 2] + corners[..., 3] - corners[..., 0] - corners[..., 1]) / 4
    v = np.where((np.conj(u) * v).imag < 0, -v, v)
    return np.asarray(centre), np.asarray((u - 1j * v) / 2), np.asarray((u + 1j * v) / 2)


@dataclass(frozen=True)
class Detections:
    """Squares seen in a photo, best first: `centre`, `u` and `v` (n, 2) in pixels, `score` (n,) from 0 to 1.

    `u` points from the centre to the middle of one side, `v` to the next side clockwise.
    """

    centre: Floats
    u: Floats
    v: Floats
    score: Floats

    def __len__(self) -> int:
        return len(self.score)

    @cached_property
    def side(self) -> Floats:
        """The sides' lengths (n,), as the root of the area."""
        return np.asarray(2 * np.sqrt(np.abs(self.u[:, 0] * self.v[:, 1] - self.u[:, 1] * self.v[:, 0])))

    @property
    def corners(self) -> Floats:
        """The corners (n, 4, 2), one after another around each square."""
        centre, u, v = self.centre, self.u, self.v
        return np.stack([centre - u - v, centre + u - v, centre + u + v, centre - u + v], axis=1)

    def moved(self, matrix: Floats) -> Detections:
        """Return the squares under a homography (3, 3), to first order about each centre."""
        points = np.stack(
            [
                self.centre,
                self.centre + 0.5 * self.u,
                self.centre - 0.5 * self.u,
                self.centre + 0.5 * self.v,
                self.centre - 0.5 * self.v,
            ]
        )
        moved = cv2.perspectiveTransform(points.reshape(1, -1, 2), matrix).reshape(points.shape)
        return Detections(moved[0], moved[1] - moved[2], moved[3] - moved[4], self.score)


def median(values: Floats) -> float:
    """Return the median, as `np.median` does, which takes ten times longer for few values."""
    order = np.sort(values, axis=None)
    return float((order[(len(order) - 1) // 2] + order[len(order) // 2]) / 2)


def decode_votes(output: npt.NDArray[np.float32], *, threshold: float = 0.5) -> Detections:
    """Return the squares that the network's votes (8, h, w) agree on, in pixels of its input.

    Votes are gathered greedily: the surest vote collects all that fall within 0.45 of a half-axis pair of it.
    """
    chance = _chance(output[0])
    rows, cols = np.nonzero(chance > threshold)
    votes = output[:, rows, cols].T.astype(np.float64)
    weight = chance[rows, cols]
    size = np.exp(np.clip(votes[:, 3], -2, 8))
    here = np.stack([(cols + 0.5) * STRIDE, (rows + 0.5) * STRIDE], -1)
    centre = here + votes[:, 1:3] * size[:, None]
    weight = weight * np.exp(-0.5 * (votes[:, 1:3] ** 2).sum(-1))
    return _gather(centre, votes[:, 3:8], weight, size)


def _chance(odds: npt.NDArray[np.float32]) -> Floats:
    return np.asarray(1 / (1 + np.exp(-odds.astype(np.float64))))


def _gather(centre: Floats, code: Floats, weight: Floats, size: Floats) -> Detections:
    order = np.argsort(-weight, kind="stable")
    x, y = (np.ascontiguousarray(axis) for axis in centre[order].T)
    reach = (0.7 * size[order]) ** 2
    left, square, firsts = np.arange(len(order)), np.zeros(len(order), np.intp), list[int]()
    while len(left):
        stay = (x - x[0]) ** 2 + (y - y[0]) ** 2 >= reach[left[0]]
        stay[0] = False
        square[left] = len(firsts)  # those that stay get another number later
        firsts.append(int(left[0]))
        left, x, y = left[stay], x[stay], y[stay]
    if not firsts:
        nothing = np.zeros((0, 2))
        return Detections(nothing, nothing, nothing, np.zeros(0))
    weight = weight[order]
    total = np.bincount(square, weight)
    votes = np.concatenate([centre, code], axis=1)[order]
    mean = np.stack([np.bincount(square, weight * axis) for axis in votes.T], axis=1) / total[:, None]
    alpha, beta = decode_axes(mean[:, 2:])
    u, v = alpha + beta, 1j * (alpha - beta)
    expected = np.maximum(1.0, (2 * size[order][firsts] / STRIDE) ** 2)
    return Detections(
        np.ascontiguousarray(mean[:, :2]),
        np.stack([u.real, u.imag], -1),
        np.stack([v.real, v.imag], -1),
        np.minimum(1.0, total / (0.45 * expected)),
    )


class SquareDetector:
    """The finder network, ready to look."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def look(self, pixels: npt.NDArray[np.uint8]) -> Detections:
        """Return the squares in an RGB picture (H, W, 3), at the size it has."""
        return self.glimpse(pixels)[0]

    def glimpse(self, pixels: npt.NDArray[np.uint8]) -> tuple[Detections, Floats]:
        """Return the squares as `look` does, and for every 8 x 8 pixels how likely they lie in one (H / 8, W / 8)."""
        height, width = pixels.shape[:2]
        padded = cv2.copyMakeBorder(pixels, 0, -height % 32, 0, -width % 32, cv2.BORDER_CONSTANT, value=(PADDING,) * 3)
        output = self.model.run(np.asarray(padded, np.uint8)[None])[0]
        found = decode_votes(output)
        inside = ((found.centre >= 0) & (found.centre < (width, height))).all(-1)
        squares = Detections(found.centre[inside], found.u[inside], found.v[inside], found.score[inside])
        return squares, _chance(output[0, : -(-height // STRIDE), : -(-width // STRIDE)])

    def find(self, photo: Photo, long_sides: Sequence[int] = LONG_SIDES) -> list[Detections]:
        """Return the squares in a photo, in its own pixels, from each look at the whole of it, in the order asked for.

        The looks are kept apart: where squares are too large for one, its answers are many, small and wrong.
        """
        looks = []
        for long_side in long_sides:
            pixels, _ = photo.scaled(long_side / max(photo.width, photo.height))
            pixels, _ = shrink(pixels, long_side / max(pixels.shape[:2]))
            found = self.look(pixels)
            scale = np.diag([photo.width / pixels.shape[1], photo.height / pixels.shape[0], 1.0])
            looks.append(found.moved(scale) if len(found) else found)
        return looks


def shrink(pixels: npt.NDArray[np.uint8], factor: float) -> tuple[npt.NDArray[np.uint8], tuple[float, float]]:
    """Return the picture scaled by `factor`, and the exact factors (x, y) that whole pixels allow.

    Down to a half a pixel of the result is no more than four of the picture, and interpolating between those is quicker
    than adding up areas.
    """
    height, width = pixels.shape[:2]
    size = (max(8, round(width * factor)), max(8, round(height * factor)))
    method = cv2.INTER_AREA if factor < 0.5 else cv2.INTER_LINEAR
    small = np.asarray(cv2.resize(pixels, size, interpolation=method), np.uint8)
    return small, (size[0] / width, size[1] / height)
