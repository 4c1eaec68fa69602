"""Sizes of meshes."""

import numpy as np

from kdvision.lab.render.raster import Mesh


def measure_size(mesh: Mesh) -> tuple[float, float, float]:
    """Return width, depth and height in squares."""
    width, depth, height = np.ptp(mesh.triangles.reshape(-1, 3), axis=0).tolist()
    return width, depth, height
