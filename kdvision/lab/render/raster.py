"""A small software rasteriser for the pieces that stand on the table.

Lengths are in squares; x and y lie on the table and z points up towards the viewer. A camera is a 3x4 matrix that
takes (x, y, z, 1) to homogeneous pixels. Faces are painted from the farthest to the nearest, each in one flat shade.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from kdvision.lab.arrays import Bytes, Floats

Colour = Sequence[int]
Vector = tuple[float, float, float]

_SUPERSAMPLING = 2
_SHIFT = 4  # fractional bits of the corners given to OpenCV
_MAX_PX = 1 << 14  # OpenCV's fixed-point corners overflow beyond
_LIGHT: Vector = (0.4, -0.5, 0.8)


@dataclass(frozen=True)
class Mesh:
    """A piece as flat triangles.

    `triangles` is (n, 3, 3): corners in squares, base at z = 0, centred on the origin, counter-clockwise seen from
    outside. `colours` is (n, 3): RGB, 0 to 255.
    """

    triangles: Floats
    colours: Bytes

    def paint(self, colour: Colour) -> Mesh:
        """Return the piece in one colour, as wooden pieces come."""
        return Mesh(self.triangles, np.full_like(self.colours, colour))

    def topple(self, *, front_up: bool = False) -> Mesh:
        """Return the piece lying on its front, or on its back."""
        turn = (1.0, 1.0, -1.0) if front_up else (1.0, -1.0, 1.0)
        return make_standing(self.triangles[..., [0, 2, 1]] * turn, self.colours)

    def tip(self, angle: float) -> Mesh:
        """Return the piece tipped over by an angle in radians, towards +y; its lowest point stays on the table."""
        cos, sin = np.cos(angle), np.sin(angle)
        triangles = self.triangles @ np.array([[1.0, 0.0, 0.0], [0.0, cos, -sin], [0.0, sin, cos]])
        return Mesh(triangles - (0.0, 0.0, triangles[..., 2].min()), self.colours)

    def place(self, at: tuple[float, float], turn: float = 0.0, scale: float = 1.0) -> Mesh:
        """Return the piece scaled, turned by an angle in radians and moved from the origin to a point."""
        cos, sin = np.cos(turn) * scale, np.sin(turn) * scale
        triangles = self.triangles @ np.array([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, scale]])
        return Mesh(triangles + np.array((at[0], at[1], 0.0)), self.colours)


def make_standing(triangles: Floats, colours: Bytes) -> Mesh:
    """Return the mesh with its base on the table, centred on the origin."""
    low, high = triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))
    return Mesh(triangles - ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]), colours)


def make_mesh(quads: Iterable[object], colours: Iterable[object]) -> Mesh:
    """Return the mesh of flat quadrilaterals, counter-clockwise seen from outside, one colour each."""
    corners = np.array(list(quads), dtype=np.float64)
    triangles = corners[:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3, 3)
    return Mesh(triangles, np.repeat(np.array(list(colours)).astype(np.uint8), 2, axis=0))


def revolve(profile: Sequence[tuple[float, float]], colours: ArrayLike, *, steps: int) -> Mesh:
    """Return a solid of revolution: (height, radius) from the foot outwards and up, and a colour for each pair."""
    angles = np.linspace(0, 2 * np.pi, steps + 1)
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    quads = [
        [(*a * wide, low), (*b * wide, low), (*b * narrow, high), (*a * narrow, high)]
        for (low, wide), (high, narrow) in pairwise(profile)
        for a, b in pairwise(ring)
    ]
    return make_mesh(quads, np.repeat(np.asarray(colours), steps, axis=0))


def draw_mesh(
    image: Bytes, mesh: Mesh, camera: Floats, *, light: Vector = _LIGHT, ambient: float = 0.5
) -> NDArray[np.bool_]:
    """Draw a mesh into `image`, (H, W, 3) RGB; return the pixels that it covers, (H, W).

    `light` points from the table to the light; `ambient` is the share of light that reaches faces turned away from it.
    """
    corners = mesh.triangles
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    eye = np.linalg.svd(camera)[2][3]
    to_viewer = eye[:3] / eye[3] - corners.mean(axis=1)
    distance = np.linalg.norm(to_viewer, axis=1)
    pixels, is_ahead = _project(camera, corners)
    visible_faces = np.flatnonzero((np.sum(normals * to_viewer, axis=1) > 0) & is_ahead.all(axis=1))
    order = visible_faces[np.argsort(-distance[visible_faces])]
    direction = np.asarray(light, dtype=np.float64) / np.linalg.norm(light)
    strength = ambient + (1.0 - ambient) * np.clip(normals @ direction, 0.0, 1.0)
    shades = np.clip(mesh.colours * strength[:, None], 0, 255).astype(np.uint8)
    return _fill_triangles(image, pixels[order], shades[order])


def draw_shadow(shape: tuple[int, ...], mesh: Mesh, camera: Floats, *, light: Vector = _LIGHT) -> Bytes:
    """Return the hard-edged shadow of a mesh on the table, (H, W): 255 in shadow, 0 in light; `light` points up."""
    slide = np.asarray(light, dtype=np.float64) / light[2]
    projection = mesh.triangles - mesh.triangles[..., 2:] * slide
    pixels, is_ahead = _project(camera, projection)
    mask = np.zeros(shape[:2], dtype=np.uint8)
    for triangle in _to_fixed_point(pixels[is_ahead.all(axis=1)]):
        cv2.fillConvexPoly(mask, triangle, 255, cv2.LINE_8, _SHIFT)
    return mask


def _project(camera: Floats, corners: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Return pixels (n, 3, 2), and which corners (n, 3) lie in front of the camera."""
    homogeneous = corners @ camera[:, :3].T + camera[:, 3]
    depth = homogeneous[..., 2]
    is_ahead = depth * np.sign(np.median(depth)) > 1e-6
    return homogeneous[..., :2] / np.where(is_ahead, depth, 1.0)[..., None], is_ahead


def _to_fixed_point(pixels: Floats) -> NDArray[np.int32]:
    return np.asarray(np.round(np.clip(pixels, -_MAX_PX, _MAX_PX) * (1 << _SHIFT)), dtype=np.int32)


def _fill_triangles(image: Bytes, pixels: Floats, shades: Bytes) -> NDArray[np.bool_]:
    """Fill triangles in the given order, antialiased; return the covered pixels. Only their bounding box is drawn."""
    cover = np.zeros(image.shape[:2], dtype=np.bool_)
    if not len(pixels):
        return cover
    points, limits = pixels.reshape(-1, 2), (image.shape[1], image.shape[0])
    left, top = np.clip(np.floor(points.min(axis=0)).astype(int) - 1, 0, limits)
    right, bottom = np.clip(np.ceil(points.max(axis=0)).astype(int) + 2, 0, limits)
    if left >= right or top >= bottom:
        return cover
    canvas = np.zeros(((bottom - top) * _SUPERSAMPLING, (right - left) * _SUPERSAMPLING, 4), dtype=np.uint8)
    # Pixel centres are whole numbers: a fine pixel's centre lies half a fine pixel before a coarse one's.
    fine_pixels = (pixels - (left, top) + 0.5) * _SUPERSAMPLING - 0.5
    for corners, (red, green, blue) in zip(_to_fixed_point(fine_pixels), shades.tolist(), strict=True):
        cv2.fillConvexPoly(canvas, corners, (red, green, blue, 255), cv2.LINE_8, _SHIFT)
    layer = cv2.resize(canvas, (right - left, bottom - top), interpolation=cv2.INTER_AREA).astype(np.float32)
    region = image[top:bottom, left:right]
    region[:] = np.clip(np.round(region * (1.0 - layer[..., 3:] / 255.0) + layer[..., :3]), 0, 255).astype(np.uint8)
    cover[top:bottom, left:right] = layer[..., 3] >= 128
    return cover
