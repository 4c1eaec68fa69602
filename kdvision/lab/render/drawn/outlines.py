"""Outlines of drawn shapes: points (n, 2) in squares."""

import numpy as np
from numpy.typing import ArrayLike

from kdvision.lab.arrays import Floats, Rng

Point = tuple[float, float]


def shift_points(points: ArrayLike, dx: float, dy: float) -> Floats:
    """Return the points, (n, 2), moved."""
    return np.asarray(np.asarray(points, dtype=np.float64) + np.array((dx, dy)))


def make_oval(centre: Point, radius: float | Point, *, turn: float = 0.0, steps: int = 28) -> Floats:
    """Return the outline of a circle or an ellipse, (n, 2)."""
    cos, sin = np.cos(turn), np.sin(turn)
    return np.asarray((_make_circle(steps) * radius) @ np.array([[cos, sin], [-sin, cos]]) + centre)


def make_blob(centre: Point, radius: float | Point, rng: Rng, *, wobble: float = 0.15) -> Floats:
    """Return the outline of a rounded, irregular patch, (n, 2)."""
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    reach = np.ones_like(angle)
    for order in (2, 3, 5):
        reach += wobble * rng.uniform(0.3, 1.0) / np.sqrt(order) * np.cos(order * angle + rng.uniform(0, 6.3))
    return np.asarray(_make_circle(40) * reach[:, None] * radius + centre)


def make_stone(centre: Point, radius: float | Point, rng: Rng, *, corners: int = 8) -> Floats:
    """Return the outline of an angular stone, (n, 2)."""
    angle = (np.arange(corners) + rng.uniform(-0.3, 0.3, corners)) * 2 * np.pi / corners
    reach = rng.uniform(0.8, 1.08, corners)
    return np.asarray(reach[:, None] * np.stack([np.cos(angle), np.sin(angle)], 1) * radius + centre)


def _make_circle(steps: int) -> Floats:
    angle = np.linspace(0, 2 * np.pi, steps, endpoint=False)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)
