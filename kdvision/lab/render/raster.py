"""A small software rasteriser for the pieces that stand on the table.

Lengths are in squares (1.0 is one square's side); x and y lie on the table and z points up towards the viewer. A camera
is a 3x4 matrix that takes (x, y, z, 1) to homogeneous pixels. Faces are painted from the farthest to the nearest, each
in one flat shade: at the size of a piece in a photo nobody sees more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]
Colour = Sequence[int]

_SUPERSAMPLING = 2
_SHIFT = 4  # fractional bits of the corners given to OpenCV
_FAR = 1 << 14  # pixels: OpenCV's fixed-point corners overflow beyond


@dataclass(frozen=True)
class Mesh:
    """A piece as flat triangles.

    `triangles` is (n, 3, 3): corners in squares, base at z = 0, centred on the origin, counter-clockwise seen from
    outside. `colours` is (n, 3): RGB, 0 to 255.
    """

    triangles: Floats
    colours: Bytes

    def __post_init__(self) -> None:
        if self.triangles.shape[1:] != (3, 3) or self.colours.shape != (len(self.triangles), 3):
            raise ValueError(f"triangles {self.triangles.shape} and colours {self.colours.shape} do not fit together")

    @property
    def size(self) -> tuple[float, float, float]:
        """Width, depth and height in squares."""
        width, depth, height = np.ptp(self.triangles.reshape(-1, 3), axis=0)
        return float(width), float(depth), float(height)

    def painted(self, colour: Colour) -> Mesh:
        """The same piece in one colour, as wooden pieces come."""
        return Mesh(self.triangles, np.full_like(self.colours, colour))

    def laid(self) -> Mesh:
        """The same piece toppled onto its back."""
        return standing(self.triangles[..., [0, 2, 1]] * (1.0, -1.0, 1.0), self.colours)


def standing(triangles: Floats, colours: Bytes) -> Mesh:
    """The mesh moved so that its base lies on the table, centred on the origin."""
    low, high = triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))
    return Mesh(triangles - ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]), colours)


def of_quads(quads: Iterable[object], colours: Iterable[object]) -> Mesh:
    """The mesh of flat four-cornered faces, counter-clockwise seen from outside, a colour each."""
    corners = np.array(list(quads), dtype=np.float64)
    triangles = corners[:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3, 3)
    return Mesh(triangles, np.repeat(np.array(list(colours)).astype(np.uint8), 2, axis=0))


def draw(
    image: Bytes,
    mesh: Mesh,
    camera: ArrayLike,
    *,
    at: tuple[float, float] = (0.0, 0.0),
    turn: float = 0.0,
    scale: float = 1.0,
    light: tuple[float, float, float] = (0.4, -0.5, 0.8),
    ambient: float = 0.5,
) -> NDArray[np.bool_]:
    """The pixels that the piece covers, (H, W); the piece itself is painted into `image`, (H, W, 3) RGB.

    `at` is where the middle of its base stands, in squares; `turn` is in radians; `light` points from the table to the
    light; `ambient` is the share of light that reaches even the faces turned away from it.
    """
    matrix = np.asarray(camera, dtype=np.float64)
    corners = _placed(mesh.triangles, at, turn, scale)
    normals = _normals(corners)
    middles = corners.mean(axis=1)
    to_viewer, distance = _seen_from(matrix, middles)
    pixels, ahead = _project(matrix, corners)
    seen = np.flatnonzero((np.sum(normals * to_viewer, axis=1) > 0) & ahead.all(axis=1))
    order = seen[np.argsort(-distance[seen])]
    shades = _shaded(mesh.colours, normals, light, ambient)
    return _paint(image, pixels[order], shades[order])


def shadow_mask(
    shape: tuple[int, ...],
    mesh: Mesh,
    camera: ArrayLike,
    at: tuple[float, float] = (0.0, 0.0),
    turn: float = 0.0,
    scale: float = 1.0,
    light: tuple[float, float, float] = (0.4, -0.5, 0.8),
) -> Bytes:
    """The shadow that the piece casts on the table, (H, W): 255 in shadow, 0 in light; hard edged, to be blurred.

    `light` must point upwards; a light at the horizon would throw the shadow to infinity.
    """
    if light[2] <= 0:
        raise ValueError("the light must stand above the table")
    corners = _placed(mesh.triangles, at, turn, scale)
    slide = np.asarray(light, dtype=np.float64) / light[2]
    flat = corners - corners[..., 2:] * slide
    pixels, ahead = _project(np.asarray(camera, dtype=np.float64), flat)
    mask = np.zeros(shape[:2], dtype=np.uint8)
    for triangle in _fixed_point(pixels[ahead.all(axis=1)]):
        cv2.fillConvexPoly(mask, triangle, 255, cv2.LINE_8, _SHIFT)
    return mask


def _placed(triangles: Floats, at: tuple[float, float], turn: float, scale: float) -> Floats:
    cos, sin = np.cos(turn) * scale, np.sin(turn) * scale
    turned = triangles @ np.array([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, scale]])
    return np.asarray(turned + np.array((at[0], at[1], 0.0)))


def _normals(corners: Floats) -> Floats:
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return np.asarray(normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12))


def _seen_from(camera: Floats, points: Floats) -> tuple[Floats, Floats]:
    """Vectors from the points to the viewer, and distances that order them; parallel projections work as well."""
    centre = np.linalg.svd(camera)[2][3]
    if abs(centre[3]) > 1e-9:
        to_viewer = centre[:3] / centre[3] - points
        return to_viewer, np.linalg.norm(to_viewer, axis=1)
    direction = centre[:3] * (1.0 if centre[2] >= 0 else -1.0)  # nobody looks at a table from below
    return np.broadcast_to(direction, points.shape), -(points @ direction)


def _project(camera: Floats, corners: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Pixels (n, 3, 2), and which corners (n, 3) lie in front of the camera."""
    homogeneous = corners @ camera[:, :3].T + camera[:, 3]
    depth = homogeneous[..., 2]
    ahead = depth * np.sign(np.median(depth)) > 1e-6
    return homogeneous[..., :2] / np.where(ahead, depth, 1.0)[..., None], ahead


def _shaded(colours: Bytes, normals: Floats, light: Sequence[float], ambient: float) -> Bytes:
    direction = np.asarray(light, dtype=np.float64) / np.linalg.norm(light)
    strength = ambient + (1.0 - ambient) * np.clip(normals @ direction, 0.0, 1.0)
    return np.clip(colours * strength[:, None], 0, 255).astype(np.uint8)


def _fixed_point(pixels: Floats) -> NDArray[np.int32]:
    return np.asarray(np.round(np.clip(pixels, -_FAR, _FAR) * (1 << _SHIFT)), dtype=np.int32)


def _paint(image: Bytes, pixels: Floats, shades: Bytes) -> NDArray[np.bool_]:
    """Paint triangles in the given order, antialiased, touching only the box they fill; the covered pixels."""
    covered = np.zeros(image.shape[:2], dtype=np.bool_)
    if not len(pixels):
        return covered
    flat = pixels.reshape(-1, 2)
    height, width = image.shape[:2]
    left, top = np.clip(np.floor(flat.min(axis=0)).astype(int) - 1, 0, (width, height))
    right, bottom = np.clip(np.ceil(flat.max(axis=0)).astype(int) + 2, 0, (width, height))
    if left >= right or top >= bottom:
        return covered
    canvas = np.zeros(((bottom - top) * _SUPERSAMPLING, (right - left) * _SUPERSAMPLING, 4), dtype=np.uint8)
    # Pixel centres are whole numbers: a fine pixel's centre lies half a fine pixel before a coarse one's.
    fine = (pixels - (left, top) + 0.5) * _SUPERSAMPLING - 0.5
    for corners, (red, green, blue) in zip(_fixed_point(fine), shades.tolist(), strict=True):
        cv2.fillConvexPoly(canvas, corners, (red, green, blue, 255), cv2.LINE_8, _SHIFT)
    soft = cv2.resize(canvas, (right - left, bottom - top), interpolation=cv2.INTER_AREA).astype(np.float32)
    region = image[top:bottom, left:right]
    region[:] = np.clip(np.round(region * (1.0 - soft[..., 3:] / 255.0) + soft[..., :3]), 0, 255).astype(np.uint8)
    covered[top:bottom, left:right] = soft[..., 3] >= 128
    return covered
