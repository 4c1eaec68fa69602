"""The detector's code of axes, for its targets; `vision.networks.detector` decodes it."""

import numpy as np

from kdvision.vision.geometry import Floats
from kdvision.vision.networks.detector import Complex


def encode_axes(alpha: Complex, beta: Complex) -> Floats:
    """Return the code (n, 5) of axes."""
    size = np.abs(alpha)
    turn = (alpha / size) ** 4
    skew = alpha * beta / size**2
    return np.stack([np.log(size), turn.real, turn.imag, skew.real, skew.imag], -1)


def compute_axes(quads: Floats) -> tuple[Complex, Complex, Complex]:
    """Return centre, alpha and beta of squares (n, 4, 2) with clockwise corners; mirrored squares are flipped."""
    corners: Complex = quads[..., 0] + 1j * quads[..., 1]
    u = (corners[..., 1] + corners[..., 2] - corners[..., 0] - corners[..., 3]) / 4
    v = (corners[..., 2] + corners[..., 3] - corners[..., 0] - corners[..., 1]) / 4
    v = np.where((np.conj(u) * v).imag < 0, -v, v)
    return np.asarray(corners.mean(-1)), np.asarray((u - 1j * v) / 2), np.asarray((u + 1j * v) / 2)
