"""Random table tops: cloth, wood, grids, plain and tile-coloured surfaces, all made from noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np
import numpy.typing as npt

FloatImage = npt.NDArray[np.float32]
"""Height x width x 3, RGB, 0 to 1."""

# Mean colours of the printed terrains. Tables in these colours resemble tiles most, so many tables have one of them.
TILE_COLOURS: tuple[tuple[float, float, float], ...] = (
    (0.93, 0.76, 0.10),
    (0.16, 0.30, 0.09),
    (0.10, 0.42, 0.80),
    (0.50, 0.72, 0.15),
    (0.66, 0.56, 0.42),
    (0.15, 0.13, 0.12),
    (0.62, 0.55, 0.45),
    (0.75, 0.32, 0.22),
)


def make_noise(rng: np.random.Generator, height: int, width: int, cell: float, *, stretch: float = 1.0) -> FloatImage:
    """Return smooth noise (height, width) of mean about 0 with bumps of `cell` pixels, `stretch` times longer in x."""
    rows = max(2, int(height / max(cell, 1.0)) + 2)
    columns = max(2, int(width / max(cell * stretch, 1.0)) + 2)
    if cell < 1.5 and stretch == 1.0:
        return rng.standard_normal((height, width), dtype=np.float32)
    seeds = rng.standard_normal((min(rows, height + 2), min(columns, width + 2)), dtype=np.float32)
    return cv2.resize(seeds, (width, height), interpolation=cv2.INTER_CUBIC).astype(np.float32, copy=False)


def make_fractal_noise(
    rng: np.random.Generator, height: int, width: int, cell: float, *, stretch: float = 1.0
) -> FloatImage:
    """Return several octaves of noise (height, width), coarse to fine, each weaker by a random factor."""
    falloff = rng.uniform(0.4, 0.9)
    total = np.zeros((height, width), np.float32)
    weight = 1.0
    while cell >= 1.0 and weight > 0.05:
        total += weight * make_noise(rng, height, width, cell, stretch=stretch)
        weight *= falloff
        cell /= rng.uniform(1.8, 3.0)
    return total


def _clip(picture: npt.NDArray[np.floating[npt.NBitBase]] | npt.NDArray[np.generic]) -> FloatImage:
    return np.asarray(np.clip(picture, 0, 1), np.float32)


def choose_colour(rng: np.random.Generator) -> FloatImage:
    """Return a random colour (3,), RGB 0 to 1: a terrain's, a grey, a brown or any hue."""
    kind = rng.random()
    if kind < 0.35:
        base = np.array(TILE_COLOURS[rng.integers(len(TILE_COLOURS))], np.float32)
        return np.asarray(np.clip(base * rng.uniform(0.7, 1.25) + rng.normal(0, 0.04, 3), 0.02, 1), np.float32)
    if kind < 0.6:
        return np.asarray(np.clip(rng.uniform(0.05, 0.98) + rng.normal(0, 0.03, 3), 0.02, 1), np.float32)
    if kind < 0.8:  # wood and leather
        return _clip(np.array([0.75, 0.5, 0.3]) * rng.uniform(0.3, 1.3) * rng.uniform(0.85, 1.1, 3))
    hsv = np.array([[[rng.uniform(0, 360), rng.uniform(0.1, 0.9), rng.uniform(0.15, 1.0)]]], np.float32)
    return _clip(cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)[0, 0])


def _make_plain_top(rng: np.random.Generator, height: int, width: int, unit: float) -> FloatImage:
    grain = make_fractal_noise(rng, height, width, unit * rng.uniform(0.3, 6)) * rng.uniform(0.0, 0.06)
    return np.clip(choose_colour(rng)[None, None] * (1 + grain[..., None]), 0, 1).astype(np.float32)


def _make_specks(rng: np.random.Generator, height: int, width: int, unit: float) -> FloatImage:
    picture = _make_plain_top(rng, height, width, unit)
    for _ in range(rng.integers(1, 4)):
        spots = make_noise(rng, height, width, unit * rng.uniform(0.03, 0.4)) > rng.uniform(0.8, 2.2)
        picture[spots] = choose_colour(rng) * 0.6 + picture[spots] * 0.4
    return picture


def _make_wood(rng: np.random.Generator, height: int, width: int, unit: float) -> FloatImage:
    grain = make_fractal_noise(rng, height, width, unit * rng.uniform(0.1, 0.5), stretch=rng.uniform(6, 30))
    picture = choose_colour(rng)[None, None] * (
        1 + rng.uniform(0.05, 0.3) * grain[..., None] * rng.uniform(0.6, 1.2, 3)
    )
    if rng.random() < 0.6:
        pitch = unit * rng.uniform(1.2, 5)
        board = (np.arange(height) / pitch).astype(int)
        picture *= rng.uniform(0.8, 1.2, board.max() + 1)[board][:, None, None]
        picture[(np.arange(height) % pitch) < max(1.0, unit * 0.03)] *= rng.uniform(0.3, 0.8)
    return np.clip(picture, 0, 1).astype(np.float32)


def _make_cloth(rng: np.random.Generator, height: int, width: int, unit: float) -> FloatImage:
    picture = _make_plain_top(rng, height, width, unit)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    pitch = unit * rng.uniform(0.04, 0.15)
    weave = np.sin(2 * np.pi * x / pitch) * np.sin(2 * np.pi * y / pitch)
    folds = make_fractal_noise(rng, height, width, unit * rng.uniform(3, 10), stretch=rng.uniform(1, 3))
    relief = 1 + rng.uniform(0.02, 0.12) * weave + rng.uniform(0, 0.2) * folds
    return _clip(picture * relief[..., None])


def _choose_pitch(rng: np.random.Generator) -> float:
    """Return a distance of lines or checks in squares; often it is that of squares on a board."""
    return rng.uniform(0.94, 1.1) if rng.random() < 0.25 else float(np.exp(rng.uniform(np.log(0.25), np.log(3.0))))


def _make_checks(rng: np.random.Generator, height: int, width: int, unit: float) -> FloatImage:
    """Return checks, stripes or a tartan."""
    pitch = unit * _choose_pitch(rng)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    across, down = (x / pitch + rng.random()).astype(int) % 2, (y / pitch + rng.random()).astype(int) % 2
    style = rng.integers(3)
    pattern = (across ^ down, across, (across + down) / 2)[style].astype(np.float32)
    first, second = choose_colour(rng), choose_colour(rng)
    return _clip(first + (second - first) * pattern[..., None] * rng.uniform(0.3, 1))


def _make_grid(rng: np.random.Generator, height: int, width: int, unit: float) -> FloatImage:
    """Return grid lines as on cutting mats, tiled floors or graph paper."""
    picture = _make_plain_top(rng, height, width, unit)
    pitch, line = unit * _choose_pitch(rng), max(1.0, unit * rng.uniform(0.01, 0.08))
    ink = choose_colour(rng)
    if rng.random() < 0.5:
        ink = np.full(3, rng.uniform(0.7, 1), np.float32)
    for axis, length in ((0, height), (1, width)):
        on = (np.arange(length) + rng.uniform(0, pitch)) % pitch < line
        view = picture if axis == 0 else picture.transpose(1, 0, 2)
        view[on] = view[on] * 0.25 + ink * 0.75
    for _ in range(rng.integers(0, 12)):
        centre = (int(rng.uniform(0, width)), int(rng.uniform(0, height)))
        marks = np.zeros((height, width), np.uint8)
        cv2.circle(marks, centre, int(unit * rng.uniform(0.1, 0.8)), 255, max(1, int(line)), cv2.LINE_AA)
        cv2.putText(marks, str(rng.integers(100)), centre, cv2.FONT_HERSHEY_SIMPLEX, unit / 60, 255, max(1, int(line)))
        picture[marks > 127] = ink
    return picture


def _make_flowers(rng: np.random.Generator, height: int, width: int, unit: float) -> FloatImage:
    """Return a printed cloth: blobs and leaves in several colours, some as large as a square."""
    picture = _make_plain_top(rng, height, width, unit)
    inks = [choose_colour(rng) for _ in range(4)]
    for _ in range(int(rng.integers(20, 160))):
        centre = (int(rng.uniform(0, width)), int(rng.uniform(0, height)))
        axes = (int(unit * rng.uniform(0.05, 0.7)) + 1, int(unit * rng.uniform(0.05, 0.4)) + 1)
        ink = inks[rng.integers(4)]
        cv2.ellipse(picture, centre, axes, rng.uniform(0, 360), 0, 360, [float(c) for c in ink], -1, cv2.LINE_AA)
    return picture


def _mirror_scrap(
    rng: np.random.Generator, height: int, width: int, patch: npt.NDArray[np.uint8], unit: float
) -> FloatImage:
    """Return a photographed surface, mirrored until it fills the table."""
    side = int(unit * rng.uniform(1.5, 8)) + 8
    scrap = cv2.resize(patch, (side, side), interpolation=cv2.INTER_CUBIC).astype(np.float32) / 255
    block = np.concatenate([scrap, scrap[:, ::-1]], 1)
    block = np.concatenate([block, block[::-1]], 0)
    times = (height // block.shape[0] + 1, width // block.shape[1] + 1, 1)
    picture = np.tile(block, times)[:height, :width]
    return _clip(picture + 0.03 * rng.uniform(0, 1) * make_noise(rng, height, width, 2)[..., None])


def _make_landscape(rng: np.random.Generator, height: int, width: int, unit: float) -> FloatImage:
    """Return a cloth that looks like a printed terrain: its colour, with strokes like ears, tufts or ripples."""
    base = np.array(TILE_COLOURS[rng.integers(len(TILE_COLOURS))], np.float32)
    base = base * rng.uniform(0.75, 1.2) * np.exp(rng.normal(0, 0.06, 3)).astype(np.float32)
    shade = 1 + rng.uniform(0.02, 0.15) * make_fractal_noise(rng, height, width, unit * rng.uniform(0.1, 1.5))
    picture = _clip(base * shade[..., None])
    length, angle, bend = unit * rng.uniform(0.02, 0.25), rng.uniform(0, 3.1), rng.choice([0.1, 0.6, 3.0])
    inks = [base * rng.uniform(0.4, 1.6) for _ in range(3)]
    count = int(min(1500, rng.uniform(0.5, 20) * height * width / unit**2))
    middles = rng.uniform(0, 1, (count, 2)) * (width, height)
    turns = angle + rng.normal(0, bend, count)
    ends = np.stack([np.cos(turns), np.sin(turns)], 1) * length * rng.uniform(0.5, 1.3, (count, 1))
    lines = np.round(np.stack([middles - ends / 2, middles + ends / 2], 1)).astype(np.int32)
    for k, ink in enumerate(inks):
        cv2.polylines(
            picture, list(lines[k::3]), False, ink.clip(0, 1).tolist(), max(1, round(0.02 * unit)), cv2.LINE_AA
        )
    return picture


SurfaceMaker = Callable[[np.random.Generator, int, int, float], FloatImage]

SURFACE_MAKERS: tuple[SurfaceMaker, ...] = (
    _make_plain_top,
    _make_specks,
    _make_wood,
    _make_cloth,
    _make_checks,
    _make_grid,
    _make_flowers,
    _make_landscape,
    _make_landscape,
)


def make_table_top(
    rng: np.random.Generator, height: int, width: int, unit: float, *, scraps: Sequence[npt.NDArray[np.uint8]] = ()
) -> FloatImage:
    """Return a random table top (height, width, 3), RGB 0 to 1; `unit` is a square's side in pixels.

    Some tops are made from `scraps`, photographed surfaces.
    """

    def make_surface() -> FloatImage:
        return SURFACE_MAKERS[rng.integers(len(SURFACE_MAKERS))](rng, height, width, unit)

    if scraps and rng.random() < 0.3:
        picture = _mirror_scrap(rng, height, width, scraps[int(rng.integers(len(scraps)))], unit)
    else:
        picture = make_surface()
    if rng.random() < 0.2:  # a second surface: the table's edge, a mat, a sheet of paper
        other = make_surface()
        mask = _make_half_plane(rng, height, width) if rng.random() < 0.6 else _make_sheet(rng, height, width)
        picture = np.where(mask[..., None], other, picture).astype(np.float32)
    return np.clip(picture, 0, 1).astype(np.float32)


def _make_half_plane(rng: np.random.Generator, height: int, width: int) -> npt.NDArray[np.bool_]:
    angle = rng.uniform(0, 2 * np.pi)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    along = (x - width / 2) * np.cos(angle) + (y - height / 2) * np.sin(angle)
    return np.asarray(along > rng.uniform(0.1, 0.45) * max(height, width))


def _make_sheet(rng: np.random.Generator, height: int, width: int) -> npt.NDArray[np.bool_]:
    mask = np.zeros((height, width), np.uint8)
    size = rng.uniform(0.1, 0.8, 2) * (width, height)
    box = cv2.boxPoints(
        ((rng.uniform(0, width), rng.uniform(0, height)), (float(size[0]), float(size[1])), rng.uniform(0, 90))
    )
    cv2.fillConvexPoly(mask, box.astype(np.int32), 1)
    return mask.astype(bool)
