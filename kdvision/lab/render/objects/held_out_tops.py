"""Table tops that look like real ones: oak boards, linen, parquet, a carpet. They are made from noise.

Samples and experiments use them. Training must not: they represent the tables that training never saw.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from kdvision.lab.render.objects.table_tops import FloatImage, make_fractal_noise, make_noise
from kdvision.lab.render.renderer import TableTop

Rng = np.random.Generator


def _apply_shade(colour: tuple[float, float, float], shade: npt.NDArray[np.floating]) -> FloatImage:
    return np.asarray(np.clip(np.array(colour) * shade[..., None], 0, 1), np.float32)


def oak(rng: Rng, height: int, width: int, unit: float) -> FloatImage:
    """Return oiled boards, three squares wide, with rings, fibres and dark joints."""
    pitch = 3.1 * unit
    y = np.arange(height, dtype=np.float32)[:, None]
    board = (y / pitch).astype(int)
    shift = rng.uniform(-40, 40, board.max() + 1).astype(np.float32)[board]
    bend = 0.9 * make_noise(rng, height, width, 1.4 * unit, stretch=7) + 0.25 * make_noise(
        rng, height, width, 0.4 * unit, stretch=9
    )
    rings = np.sin(2 * np.pi * (0.55 * y / unit + shift + bend))
    fibres = make_fractal_noise(rng, height, width, 0.05 * unit, stretch=25)
    pores = np.clip(make_noise(rng, height, width, max(1.6, 0.02 * unit), stretch=16) - 1.3, 0, 1)
    tone = rng.uniform(0.9, 1.08, board.max() + 1)[board]
    shade = tone * (1 + 0.07 * rings**3 + 0.035 * fibres - 0.22 * pores)
    joint = np.abs((y % pitch) - 0.5 * max(2.0, 0.02 * unit)) < 0.5 * max(2.0, 0.025 * unit)
    return _apply_shade((0.60, 0.40, 0.235), np.where(joint, 0.45 * shade, shade))


def linen(rng: Rng, height: int, width: int, unit: float) -> FloatImage:
    """Return a pale woven cloth with soft folds."""
    fine = max(2.0, 0.035 * unit)
    warp, weft = make_noise(rng, height, width, fine, stretch=12), make_noise(rng, width, height, fine, stretch=12).T
    folds = make_fractal_noise(rng, height, width, 5 * unit, stretch=1.5)
    return _apply_shade((0.80, 0.77, 0.70), 1 + 0.035 * warp + 0.035 * weft + 0.03 * folds)


def felt(rng: Rng, height: int, width: int, unit: float) -> FloatImage:
    """Return a dark blue-grey playing mat."""
    nap = make_noise(rng, height, width, 1.0) * 0.5 + make_noise(rng, height, width, 0.06 * unit)
    return _apply_shade((0.20, 0.25, 0.31), 1 + 0.06 * nap + 0.03 * make_fractal_noise(rng, height, width, 2 * unit))


def stone(rng: Rng, height: int, width: int, unit: float) -> FloatImage:
    """Return a light stone counter with veins and specks."""
    clouds = make_noise(rng, height, width, 3 * unit) + make_fractal_noise(rng, height, width, 0.2 * unit)
    veins = np.exp(-((9 * make_fractal_noise(rng, height, width, 4 * unit)) ** 2))
    specks = np.clip(make_noise(rng, height, width, 0.04 * unit) - 1.2, 0, 1)
    return _apply_shade((0.72, 0.69, 0.64), 1 + 0.014 * clouds - 0.05 * veins - 0.16 * specks)


def gingham(rng: Rng, height: int, width: int, unit: float) -> FloatImage:
    """Return a checked cloth in pale red; the checks are smaller than a square."""
    pitch = 0.62 * unit
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    red = ((x / pitch).astype(int) % 2 + (y / pitch).astype(int) % 2) / 2
    cloth = linen(rng, height, width, unit)
    return np.asarray(np.clip(cloth * (1.12 - red[..., None] * np.array([0.10, 0.52, 0.50])), 0, 1), np.float32)


def parquet(rng: Rng, height: int, width: int, unit: float) -> FloatImage:
    """Return a basket-weave floor: blocks of parallel staves, every other block turned."""
    block, staves = 2.3 * unit, 5
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    row, col = (y / block).astype(int), (x / block).astype(int)
    across = (row + col) % 2 == 0
    along = np.where(across, y, x) % block * staves / block
    tone = rng.uniform(0.82, 1.12, (row.max() + 1, col.max() + 1, staves))[row, col, along.astype(int) % staves]
    grain = np.where(across, make_fractal_noise(rng, height, width, 0.1 * unit, stretch=12), 0)
    grain = np.where(across, grain, make_fractal_noise(rng, width, height, 0.1 * unit, stretch=12).T)
    joint = np.minimum(along % 1, 1 - along % 1) < 0.03
    return _apply_shade((0.52, 0.33, 0.19), np.where(joint, 0.55, tone * (1 + 0.05 * grain)))


def carpet(rng: Rng, height: int, width: int, unit: float) -> FloatImage:
    """Return a red and blue carpet: rows of nested diamonds, in knots of wool."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32) / np.float32(1.7 * unit)
    ring = np.abs((x + 0.5 * (y.astype(int) % 2)) % 1 - 0.5) + np.abs(y % 1 - 0.5)
    wool = np.array(
        [(0.45, 0.08, 0.09), (0.80, 0.68, 0.48), (0.10, 0.13, 0.30), (0.50, 0.14, 0.10), (0.72, 0.50, 0.22)]
    )
    knots = (
        1 + 0.12 * make_noise(rng, height, width, 0.05 * unit) + 0.05 * make_fractal_noise(rng, height, width, 2 * unit)
    )
    return np.asarray(np.clip(wool[(ring * 5).astype(int) % 5] * knots[..., None], 0, 1), np.float32)


def terrazzo(rng: Rng, height: int, width: int, unit: float) -> FloatImage:
    """Return a pale polished floor with chips of marble."""
    picture = _apply_shade((0.83, 0.81, 0.78), 1 + 0.02 * make_fractal_noise(rng, height, width, unit))
    for chip in ((0.35, 0.33, 0.32), (0.62, 0.42, 0.33), (0.45, 0.52, 0.46), (0.95, 0.94, 0.92)):
        size = unit * rng.uniform(0.1, 0.22)
        picture[make_noise(rng, height, width, size) + 0.3 * make_noise(rng, height, width, 0.3 * size) > 1.35] = chip
    return picture


def slate(rng: Rng, height: int, width: int, unit: float) -> FloatImage:
    """Return dark kitchen tiles, four squares wide, with pale joints."""
    pitch, joint = 4.2 * unit, max(2.0, 0.07 * unit)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    tone = rng.uniform(0.85, 1.15, (int(height / pitch) + 1, int(width / pitch) + 1))
    tone = tone[(y / pitch).astype(int), (x / pitch).astype(int)]
    cleft = 1 + 0.09 * make_fractal_noise(rng, height, width, 0.8 * unit, stretch=2.5)
    between = (y % pitch < joint) | (x % pitch < joint)
    return np.where(between[..., None], np.float32(0.55), _apply_shade((0.24, 0.25, 0.27), tone * cleft))


def lawn(rng: Rng, height: int, width: int, unit: float) -> FloatImage:
    """Return a sunny meadow, yellow and green."""
    blades = make_fractal_noise(rng, width, height, 0.12 * unit, stretch=6).T + make_fractal_noise(
        rng, height, width, 0.1 * unit, stretch=3
    )
    dry = np.clip(0.4 + 0.3 * make_fractal_noise(rng, height, width, 1.5 * unit), 0, 1)[..., None]
    colour = np.array([0.25, 0.42, 0.12]) * (1 - dry) + np.array([0.62, 0.58, 0.26]) * dry
    return np.asarray(np.clip(colour * (1 + 0.22 * blades[..., None]), 0, 1), np.float32)


_ALL: Final = (oak, linen, felt, stone, gingham, parquet, carpet, terrazzo, slate, lawn)
HELD_OUT_TOPS: Final[Mapping[str, TableTop]] = {top.__name__: top for top in _ALL}
"""The table tops by name."""
