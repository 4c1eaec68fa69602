"""Cameras for rendered scenes: where one stands, what it sees, and how its lens bends the picture."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]

# A board's y runs down the page; a right-handed world with z towards the viewer needs it up.
_FLIP = np.diag([1.0, -1.0, 1.0, 1.0])


@dataclass(frozen=True)
class Camera:
    """A pinhole camera over a table, with one radial term.

    `matrix` (3, 4) takes table coordinates (squares; x right, y down, z up) to pixels; `bend` is the radial
    coefficient relative to half the picture's diagonal (barrel below 0).
    """

    matrix: Points
    width: int
    height: int
    bend: float = 0.0

    def plane(self, z: float) -> Points:
        """Return the homography (3, 3) from the table plane at height `z` to pixels, before the lens bends them."""
        result = self.matrix[:, [0, 1, 3]].copy()
        result[:, 2] += z * self.matrix[:, 2]
        return result

    def project(self, points: Points, z: float = 0.0) -> Points:
        """Return the pixels (n, 2) of table points (n, 2) at height `z`, lens included."""
        return self.distort(cv2.perspectiveTransform(points[None].astype(np.float64), self.plane(z))[0])

    def distort(self, pixels: Points) -> Points:
        """Return where the lens puts ideal pixels (n, 2)."""
        middle, scale = self._lens()
        offset = (pixels - middle) / scale
        return np.asarray(middle + scale * offset * (1 + self.bend * (offset**2).sum(-1, keepdims=True)))

    def lens_maps(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Return the maps for `cv2.remap` that bend an ideal picture as the lens does."""
        middle, scale = self._lens()
        x = ((np.arange(self.width) - middle[0]) / scale).astype(np.float32)
        y = ((np.arange(self.height) - middle[1]) / scale).astype(np.float32)[:, None]
        bend = np.float32(self.bend)
        square = x * x + y * y
        ratio = 1 / (1 + bend * square)
        for _ in range(3):  # ideal radius / seen radius, a fixed point of the forward model; |bend| <= 0.1 converges
            ratio = 1 / (1 + bend * square * ratio * ratio)
        ratio *= np.float32(scale)
        return x * ratio + np.float32(middle[0]), y * ratio + np.float32(middle[1])

    def _lens(self) -> tuple[Points, float]:
        return np.array([self.width / 2, self.height / 2]), float(np.hypot(self.width, self.height) / 2)


def look_at(
    *, tilt: float, azimuth: float, roll: float, distance: float, focal: float, target: tuple[float, float]
) -> Points:
    """Return [R|t] scaled by the focal length (3, 4): `tilt` from straight above, all angles in radians."""
    away = np.array([np.sin(tilt) * np.cos(azimuth), np.sin(tilt) * np.sin(azimuth), np.cos(tilt)])
    position = np.array([target[0], -target[1], 0.0]) + distance * away
    up = np.array([-np.cos(azimuth) * np.cos(tilt), -np.sin(azimuth) * np.cos(tilt), np.sin(tilt)])
    right = np.cross(-away, up)
    turn = np.array([[np.cos(roll), -np.sin(roll), 0], [np.sin(roll), np.cos(roll), 0], [0, 0, 1]])
    rows = turn @ np.stack([right, -up, -away])
    extrinsic = np.concatenate([rows, (-rows @ position)[:, None]], 1)
    return np.asarray(np.diag([focal, focal, 1.0]) @ extrinsic @ _FLIP)


def frame(
    points: Points,
    *,
    tilt: float,
    azimuth: float,
    roll: float = 0.0,
    focal: float,
    width: int,
    height: int,
    fill: float,
    shift: tuple[float, float] = (0.0, 0.0),
    bend: float = 0.0,
) -> Camera:
    """Return the camera that sees table `points` (n, 2) fill `fill` of the picture.

    `focal` is in widths of the longer side; `shift` moves what is seen, in pictures, as cropping a larger photo does.
    """
    long = max(width, height)
    target = points.mean(0)
    distance = 3.0 * float(np.ptp(points, axis=0).max() + 1) * focal
    for _ in range(6):
        pose = look_at(
            tilt=tilt, azimuth=azimuth, roll=roll, distance=distance, focal=focal * long, target=(target[0], target[1])
        )
        seen = cv2.perspectiveTransform(points[None].astype(np.float64), pose[:, [0, 1, 3]])[0]
        extent = np.ptp(seen, axis=0) / (width, height)
        distance *= float(extent.max()) / fill
        distance = max(distance, 1.2 * float(np.abs(points - target).max()) * np.sin(tilt) + 1.0)
    middle = (seen.max(0) + seen.min(0)) / 2
    centre = np.array([width * (0.5 + shift[0]), height * (0.5 + shift[1])]) - middle
    moved = np.array([[1, 0, centre[0]], [0, 1, centre[1]], [0, 0, 1.0]])
    return Camera(moved @ pose, width, height, bend)
