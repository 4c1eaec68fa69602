"""Table tops that look like real ones: oak boards, linen, parquet, a carpet. They are made from noise.

Samples and experiments use them. Training must not: they represent the tables that training never saw.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np

from kdvision.lab.arrays import AnyFloats
from kdvision.lab.render.objects.surface import Surface, TableTop, shade_colour


def oak(surface: Surface) -> AnyFloats:
    """Return oiled boards, three squares wide, with rings, fibres and dark joints."""
    rng, unit, pitch = surface.rng, surface.unit, 3.1 * surface.unit
    y = np.arange(surface.height, dtype=np.float32)[:, None]
    board = (y / pitch).astype(int)
    shift = rng.uniform(-40, 40, board.max() + 1).astype(np.float32)[board]
    bend = 0.9 * surface.make_noise(1.4, stretch=7) + 0.25 * surface.make_noise(0.4, stretch=9)
    rings = np.sin(2 * np.pi * (0.55 * y / unit + shift + bend))
    fibres = surface.make_fractal_noise(0.05, stretch=25)
    pores = np.clip(surface.make_noise(max(1.6 / unit, 0.02), stretch=16) - 1.3, 0, 1)
    tone = rng.uniform(0.9, 1.08, board.max() + 1)[board]
    light = tone * (1 + 0.07 * rings**3 + 0.035 * fibres - 0.22 * pores)
    joint = np.abs((y % pitch) - 0.5 * max(2.0, 0.02 * unit)) < 0.5 * max(2.0, 0.025 * unit)
    return shade_colour((0.60, 0.40, 0.235), np.where(joint, 0.45 * light, light))


def linen(surface: Surface) -> AnyFloats:
    """Return a pale woven cloth with soft folds."""
    thread = max(2.0 / surface.unit, 0.035)
    warp, weft = surface.make_noise(thread, stretch=12), surface.turn().make_noise(thread, stretch=12).T
    folds = surface.make_fractal_noise(5, stretch=1.5)
    return shade_colour((0.80, 0.77, 0.70), 1 + 0.035 * warp + 0.035 * weft + 0.03 * folds)


def felt(surface: Surface) -> AnyFloats:
    """Return a dark blue-grey playing mat."""
    nap = surface.make_noise(1 / surface.unit) * 0.5 + surface.make_noise(0.06)
    return shade_colour((0.20, 0.25, 0.31), 1 + 0.06 * nap + 0.03 * surface.make_fractal_noise(2))


def stone(surface: Surface) -> AnyFloats:
    """Return a light stone counter with veins and specks."""
    clouds = surface.make_noise(3) + surface.make_fractal_noise(0.2)
    veins = np.exp(-((9 * surface.make_fractal_noise(4)) ** 2))
    specks = np.clip(surface.make_noise(0.04) - 1.2, 0, 1)
    return shade_colour((0.72, 0.69, 0.64), 1 + 0.014 * clouds - 0.05 * veins - 0.16 * specks)


def gingham(surface: Surface) -> AnyFloats:
    """Return a checked cloth in pale red; the checks are smaller than a square."""
    y, x = ((axis / (0.62 * surface.unit)).astype(int) % 2 for axis in surface.pixels)
    cloth = np.clip(linen(surface), 0, 1)
    return np.asarray(cloth * (1.12 - shade_colour((0.05, 0.26, 0.25), x + y)))


def parquet(surface: Surface) -> AnyFloats:
    """Return a basket-weave floor: blocks of parallel staves, every other block turned."""
    block, staves = 2.3 * surface.unit, 5
    y, x = surface.pixels
    row, col = (y / block).astype(int), (x / block).astype(int)
    is_across = (row + col) % 2 == 0
    along = np.where(is_across, y, x) % block * staves / block
    tones = surface.rng.uniform(0.82, 1.12, (row.max() + 1, col.max() + 1, staves))
    tone = tones[row, col, along.astype(int) % staves]
    grains = surface.make_fractal_noise(0.1, stretch=12), surface.turn().make_fractal_noise(0.1, stretch=12).T
    joint = np.minimum(along % 1, 1 - along % 1) < 0.03
    return shade_colour((0.52, 0.33, 0.19), np.where(joint, 0.55, tone * (1 + 0.05 * np.where(is_across, *grains))))


def carpet(surface: Surface) -> AnyFloats:
    """Return a red and blue carpet: rows of nested diamonds, in knots of wool."""
    y, x = (axis / np.float32(1.7 * surface.unit) for axis in surface.pixels)
    ring = np.abs((x + 0.5 * (y.astype(int) % 2)) % 1 - 0.5) + np.abs(y % 1 - 0.5)
    wool = np.array(
        [(0.45, 0.08, 0.09), (0.80, 0.68, 0.48), (0.10, 0.13, 0.30), (0.50, 0.14, 0.10), (0.72, 0.50, 0.22)]
    )
    knots = 1 + 0.12 * surface.make_noise(0.05) + 0.05 * surface.make_fractal_noise(2)
    return shade_colour(wool[(ring * 5).astype(int) % 5], knots)


def terrazzo(surface: Surface) -> AnyFloats:
    """Return a pale polished floor with chips of marble."""
    picture = shade_colour((0.83, 0.81, 0.78), 1 + 0.02 * surface.make_fractal_noise(1))
    for chip in ((0.35, 0.33, 0.32), (0.62, 0.42, 0.33), (0.45, 0.52, 0.46), (0.95, 0.94, 0.92)):
        size = surface.rng.uniform(0.1, 0.22)
        picture[surface.make_noise(size) + 0.3 * surface.make_noise(0.3 * size) > 1.35] = chip
    return picture


def slate(surface: Surface) -> AnyFloats:
    """Return dark kitchen tiles, four squares wide, with pale joints."""
    pitch, joint = 4.2 * surface.unit, max(2.0, 0.07 * surface.unit)
    y, x = surface.pixels
    tones = surface.rng.uniform(0.85, 1.15, (int(surface.height / pitch) + 1, int(surface.width / pitch) + 1))
    cleft = 1 + 0.09 * surface.make_fractal_noise(0.8, stretch=2.5)
    tiles = shade_colour((0.24, 0.25, 0.27), tones[(y / pitch).astype(int), (x / pitch).astype(int)] * cleft)
    tiles[(y % pitch < joint) | (x % pitch < joint)] = 0.55
    return tiles


def lawn(surface: Surface) -> AnyFloats:
    """Return a sunny meadow, yellow and green."""
    blades = surface.turn().make_fractal_noise(0.12, stretch=6).T + surface.make_fractal_noise(0.1, stretch=3)
    dryness = np.clip(0.4 + 0.3 * surface.make_fractal_noise(1.5), 0, 1)
    colour = shade_colour((0.25, 0.42, 0.12), 1 - dryness) + shade_colour((0.62, 0.58, 0.26), dryness)
    return shade_colour(colour, 1 + 0.22 * blades)


_ALL: Final = (oak, linen, felt, stone, gingham, parquet, carpet, terrazzo, slate, lawn)
HELD_OUT_TOPS: Final[Mapping[str, TableTop]] = {top.__name__: top for top in _ALL}
"""The table tops by name."""
