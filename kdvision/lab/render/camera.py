"""Cameras for rendered scenes: position, projection and lens distortion."""

from dataclasses import dataclass

import numpy as np

from kdvision.lab.arrays import Floats32, Points
from kdvision.vision.geometry import apply_homography

# A board's y runs down the page; a right-handed world with z towards the viewer needs it up.
_FLIP_Y = np.diag([1.0, -1.0, 1.0, 1.0])


@dataclass(frozen=True)
class Camera:
    """A pinhole camera over a table, with one radial distortion term.

    `matrix` (3, 4) takes table coordinates (squares; x right, y down, z up) to pixels; `bend` is the radial
    coefficient relative to half the picture's diagonal (barrel below 0).
    """

    matrix: Points
    width: int
    height: int
    bend: float = 0.0

    def compute_plane_homography(self, z: float) -> Points:
        """Return the homography (3, 3) from the plane at height `z` to pixels, before distortion."""
        result = self.matrix[:, [0, 1, 3]].copy()
        result[:, 2] += z * self.matrix[:, 2]
        return result

    def lift(self, z: float) -> Points:
        """Return the matrix (3, 4) for a table whose surface is at height `z`."""
        lift = np.eye(4)
        lift[2, 3] = z
        return np.asarray(self.matrix @ lift)

    def project(self, points: Points, z: float = 0.0) -> Points:
        """Return the pixels (n, 2) of table points (n, 2) at height `z`, with distortion."""
        return self.distort(apply_homography(self.compute_plane_homography(z), points))

    def distort(self, pixels: Points) -> Points:
        """Return the distorted positions of ideal pixels (n, 2)."""
        middle, scale = self._locate_lens()
        offset = (pixels - middle) / scale
        return np.asarray(middle + scale * offset * (1 + self.bend * (offset**2).sum(-1, keepdims=True)))

    def compute_lens_maps(self) -> tuple[Floats32, Floats32]:
        """Return the maps for `cv2.remap` that distort an ideal picture."""
        middle, scale = self._locate_lens()
        x = ((np.arange(self.width) - middle[0]) / scale).astype(np.float32)
        y = ((np.arange(self.height) - middle[1]) / scale).astype(np.float32)[:, None]
        bend = np.float32(self.bend)
        square = x * x + y * y
        ratio = 1 / (1 + bend * square)
        for _ in range(3):  # ideal radius / distorted radius by fixed-point iteration; converges for |bend| <= 0.1
            ratio = 1 / (1 + bend * square * ratio * ratio)
        ratio *= np.float32(scale)
        return x * ratio + np.float32(middle[0]), y * ratio + np.float32(middle[1])

    def _locate_lens(self) -> tuple[Points, float]:
        return np.array([self.width / 2, self.height / 2]), float(np.hypot(self.width, self.height) / 2)


def _look_at(target: Points, *, tilt: float, azimuth: float, roll: float, distance: float, focal: float) -> Points:
    """Return the matrix (3, 4) of a camera that looks at a table point; `focal` is in pixels."""
    direction = np.array([np.sin(tilt) * np.cos(azimuth), np.sin(tilt) * np.sin(azimuth), np.cos(tilt)])
    position = np.array([target[0], -target[1], 0.0]) + distance * direction
    up = np.array([-np.cos(azimuth) * np.cos(tilt), -np.sin(azimuth) * np.cos(tilt), np.sin(tilt)])
    right = np.cross(-direction, up)
    turn = np.array([[np.cos(roll), -np.sin(roll), 0], [np.sin(roll), np.cos(roll), 0], [0, 0, 1]])
    rows = turn @ np.stack([right, -up, -direction])
    extrinsic = np.concatenate([rows, (-rows @ position)[:, None]], 1)
    return np.asarray(np.diag([focal, focal, 1.0]) @ extrinsic @ _FLIP_Y)


def fit_camera(
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
    """Return the camera in whose picture table `points` (n, 2) span the share `fill`.

    Angles are in radians; `tilt` is from straight above. `focal` is in units of the picture's longer side. `shift`
    moves the points, in units of the picture's size, as cropping a larger photo does.
    """
    target, focal_pixels = points.mean(0), focal * max(width, height)
    distance = 3.0 * float(np.ptp(points, axis=0).max() + 1) * focal
    min_distance = 1.2 * float(np.abs(points - target).max()) * np.sin(tilt) + 1.0
    for _ in range(6):
        pose = _look_at(target, tilt=tilt, azimuth=azimuth, roll=roll, distance=distance, focal=focal_pixels)
        pixels = apply_homography(pose[:, [0, 1, 3]], points)
        distance *= float((np.ptp(pixels, axis=0) / (width, height)).max()) / fill
        distance = max(distance, min_distance)
    middle = (pixels.max(0) + pixels.min(0)) / 2
    centre = np.array([width * (0.5 + shift[0]), height * (0.5 + shift[1])]) - middle
    translation = np.array([[1, 0, centre[0]], [0, 1, centre[1]], [0, 0, 1.0]])
    return Camera(translation @ pose, width, height, bend)
