"""Table tops that look like particular things: oak boards, linen, felt, stone, checked cloth. Made from noise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kdvision.lab.tables import FloatImage, layered, noise

Bytes = npt.NDArray[np.uint8]
Rng = np.random.Generator


def _coloured(colour: tuple[float, float, float], shade: npt.NDArray[np.floating]) -> FloatImage:
    return np.asarray(np.clip(np.array(colour) * shade[..., None], 0, 1), np.float32)


def oak(rng: Rng, height: int, width: int, unit: float, *, scraps: Sequence[Bytes] = ()) -> FloatImage:  # noqa: ARG001
    """Return oiled boards, three squares wide, with rings, fibres and dark joints."""
    pitch = 3.1 * unit
    y = np.arange(height, dtype=np.float32)[:, None]
    board = (y / pitch).astype(int)
    shift = rng.uniform(-40, 40, board.max() + 1).astype(np.float32)[board]
    bend = 0.9 * noise(rng, height, width, 1.4 * unit, stretch=7) + 0.25 * noise(
        rng, height, width, 0.4 * unit, stretch=9
    )
    rings = np.sin(2 * np.pi * (0.55 * y / unit + shift + bend))
    fibres = layered(rng, height, width, 0.05 * unit, stretch=25)
    pores = np.clip(noise(rng, height, width, max(1.6, 0.02 * unit), stretch=16) - 1.3, 0, 1)
    tone = rng.uniform(0.9, 1.08, board.max() + 1)[board]
    shade = tone * (1 + 0.07 * rings**3 + 0.035 * fibres - 0.22 * pores)
    joint = np.abs((y % pitch) - 0.5 * max(2.0, 0.02 * unit)) < 0.5 * max(2.0, 0.025 * unit)
    return _coloured((0.60, 0.40, 0.235), np.where(joint, 0.45 * shade, shade))


def linen(rng: Rng, height: int, width: int, unit: float, *, scraps: Sequence[Bytes] = ()) -> FloatImage:  # noqa: ARG001
    """Return a pale woven cloth with soft folds."""
    fine = max(2.0, 0.035 * unit)
    warp, weft = noise(rng, height, width, fine, stretch=12), noise(rng, width, height, fine, stretch=12).T
    folds = layered(rng, height, width, 5 * unit, stretch=1.5)
    return _coloured((0.80, 0.77, 0.70), 1 + 0.035 * warp + 0.035 * weft + 0.03 * folds)


def felt(rng: Rng, height: int, width: int, unit: float, *, scraps: Sequence[Bytes] = ()) -> FloatImage:  # noqa: ARG001
    """Return a dark blue-grey playing mat."""
    nap = noise(rng, height, width, 1.0) * 0.5 + noise(rng, height, width, 0.06 * unit)
    return _coloured((0.20, 0.25, 0.31), 1 + 0.06 * nap + 0.03 * layered(rng, height, width, 2 * unit))


def stone(rng: Rng, height: int, width: int, unit: float, *, scraps: Sequence[Bytes] = ()) -> FloatImage:  # noqa: ARG001
    """Return a light stone counter with veins and specks."""
    clouds = noise(rng, height, width, 3 * unit) + layered(rng, height, width, 0.2 * unit)
    veins = np.exp(-((9 * layered(rng, height, width, 4 * unit)) ** 2))
    specks = np.clip(noise(rng, height, width, 0.04 * unit) - 1.2, 0, 1)
    return _coloured((0.72, 0.69, 0.64), 1 + 0.014 * clouds - 0.05 * veins - 0.16 * specks)


def gingham(rng: Rng, height: int, width: int, unit: float, *, scraps: Sequence[Bytes] = ()) -> FloatImage:  # noqa: ARG001
    """Return a checked kitchen cloth in pale red, its checks smaller than a square."""
    pitch = 0.62 * unit
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    red = ((x / pitch).astype(int) % 2 + (y / pitch).astype(int) % 2) / 2
    cloth = linen(rng, height, width, unit)
    return np.asarray(np.clip(cloth * (1.12 - red[..., None] * np.array([0.10, 0.52, 0.50])), 0, 1), np.float32)
