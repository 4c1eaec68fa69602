"""Table tops full of shapes and colours: rugs and printed cloths, meadows and gravel, stones and leaves.

Parts of them resemble tiles in size, colour or detail. All of them are random; none imitates a real table.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.lab.render.objects.table_tops import (
    TILE_COLOURS,
    FloatImage,
    choose_colour,
    make_fractal_noise,
    make_noise,
)

Rng = np.random.Generator
Inks = npt.NDArray[np.float32]
"""Colours (n, 3), RGB, 0 to 1."""


def make_patterned_top(rng: Rng, height: int, width: int, unit: float) -> FloatImage:
    """Return a random table top (height, width, 3), RGB 0 to 1; `unit` is a square's side in pixels."""
    make = (_make_rug, _make_blend, _make_stones)[rng.choice(3, p=[0.45, 0.35, 0.2])]
    return np.asarray(np.clip(make(rng, height, width, unit), 0, 1), np.float32)


def _choose_inks(rng: Rng, count: int) -> Inks:
    """Return random colours, or natural ones close to those of the printed terrains."""
    if rng.random() < 0.5:
        return np.array([choose_colour(rng) for _ in range(count)], np.float32)
    near = np.array(TILE_COLOURS)[rng.integers(len(TILE_COLOURS), size=count)]
    return np.asarray(
        np.clip(near * rng.uniform(0.5, 1.3, (count, 1)) + rng.normal(0, 0.06, (count, 3)), 0, 1), np.float32
    )


def _log_uniform(rng: Rng, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def _make_relief(rng: Rng, height: int, width: int, unit: float, most: float) -> FloatImage:
    """Return the factor (height, width, 1) by which fine threads and slow changes vary the light on a surface."""
    fine = make_noise(rng, height, width, unit * rng.uniform(0.02, 0.12), stretch=float(rng.choice([1, 1, 3, 8])))
    slow = make_fractal_noise(rng, height, width, unit * rng.uniform(1, 5))
    return np.asarray(1 + rng.uniform(0, most) * fine + rng.uniform(0, 0.1) * slow, np.float32)[..., None]


def _make_rug(rng: Rng, height: int, width: int, unit: float) -> FloatImage:
    """Return one or two motifs repeated in rows, every other row shifted, as on rugs, floors and printed cloths."""
    inks = _choose_inks(rng, int(rng.integers(3, 7)))
    pitch = unit * (rng.uniform(0.9, 1.15) if rng.random() < 0.3 else _log_uniform(rng, 0.4, 3.5))
    down, right = (max(8, int(pitch * rng.choice([1.0, rng.uniform(0.6, 1.6)]))) for _ in range(2))
    motifs = np.stack([_make_motif(rng, inks, down, right) for _ in range(2 if rng.random() < 0.4 else 1)])
    y, x = np.mgrid[0:height, 0:width]
    row = y // down
    x = x + int(right * rng.choice([0.0, 0.5, rng.uniform(0, 1)])) * (row % 2)
    turns = (row + x // right) % len(motifs)
    cloth = motifs[turns, y % down, x % right]
    for _ in range(int(rng.integers(0, 3))):  # stripes between the rows
        every, broad = int(rng.integers(1, 4)) * down, max(1, int(down * rng.uniform(0.05, 0.3)))
        cloth[(np.arange(height) + int(rng.integers(every))) % every < broad] = inks[rng.integers(len(inks))]
    return np.asarray(cloth * _make_relief(rng, height, width, unit, 0.15), np.float32)


def _make_motif(rng: Rng, inks: Inks, height: int, width: int) -> FloatImage:
    """Return nested and overlapping shapes (height, width, 3), mostly symmetric."""
    side = 96
    motif = np.empty((side, side, 3), np.float32)
    motif[:] = inks[0]
    for size in sorted(rng.uniform(0.1, 0.75, int(rng.integers(2, 8))), reverse=True):
        middle = (0.5, 0.5) if rng.random() < 0.6 else rng.uniform(0, 1, 2)
        _draw_shape(motif, rng, inks[rng.integers(len(inks))], np.array(middle) * side, size * side)
    if rng.random() < 0.7:
        quarter = motif[: side // 2, : side // 2]
        if rng.random() < 0.5:
            quarter = np.where((np.tri(side // 2) > 0)[..., None], quarter, quarter.transpose(1, 0, 2))
        half = np.concatenate([quarter, quarter[:, ::-1]], axis=1)
        motif = np.concatenate([half, half[::-1]], axis=0)
    return np.asarray(cv2.resize(motif, (width, height), interpolation=cv2.INTER_AREA), np.float32)


def _draw_shape(canvas: FloatImage, rng: Rng, ink: Inks, middle: npt.NDArray[np.float64], size: float) -> None:
    """Draw one shape: with 3 to 8 corners, a star, a disc, a ring or a bar, filled or as an outline."""
    paint, thickness = [float(c) for c in ink], -1 if rng.random() < 0.7 else max(1, int(size * rng.uniform(0.05, 0.3)))
    kind = rng.random()
    centre = (int(middle[0]), int(middle[1]))
    if kind < 0.25:
        axes = (int(size * rng.uniform(0.3, 1)) + 1, int(size * rng.uniform(0.3, 1)) + 1)
        cv2.ellipse(
            canvas, centre, axes, float(rng.choice([0, 45, rng.uniform(0, 180)])), 0, 360, paint, thickness, cv2.LINE_AA
        )
        return
    if kind < 0.35:
        across = size * rng.uniform(0.05, 0.3)
        corners = np.array([[-2 * size, -across], [2 * size, -across], [2 * size, across], [-2 * size, across]])
        turn = float(rng.choice([0, np.pi / 4, np.pi / 2, -np.pi / 4]))
    else:
        points = int(rng.choice([3, 4, 4, 4, 6, 8]))
        steps = points * (2 if rng.random() < 0.25 else 1)  # a star has an inner corner between any two
        angle = np.arange(steps) * 2 * np.pi / steps
        reach = np.where(np.arange(steps) % 2 * (steps > points), rng.uniform(0.3, 0.7), 1.0) * size
        corners = reach[:, None] * np.stack([np.cos(angle), np.sin(angle)], 1)
        turn = float(rng.choice([0, np.pi / points, rng.uniform(0, 2 * np.pi)]))
    cos, sin = np.cos(turn), np.sin(turn)
    outline = (corners @ np.array([[cos, sin], [-sin, cos]]) + middle).round().astype(np.int32)
    if thickness < 0:
        cv2.fillPoly(canvas, [outline], paint, cv2.LINE_AA)
    else:
        cv2.polylines(canvas, [outline], True, paint, thickness, cv2.LINE_AA)


def _make_blend(rng: Rng, height: int, width: int, unit: float) -> FloatImage:
    """Return a few colours that blend or lie in spots, as in grass, leaves, gravel, fur or marble."""
    inks = _choose_inks(rng, int(rng.integers(2, 6)))
    stretch = float(rng.choice([1.0, rng.uniform(2, 10)]))
    field = make_fractal_noise(rng, height, width, unit * _log_uniform(rng, 0.08, 2.0), stretch=stretch)
    if rng.random() < 0.5:
        field = (
            field
            + rng.uniform(0.3, 1)
            * make_fractal_noise(rng, width, height, unit * _log_uniform(rng, 0.05, 0.6), stretch=stretch).T
        )
    level = np.clip(0.5 + 0.28 * field / max(float(field.std()), 1e-6), 0, 1) * (len(inks) - 1)
    if rng.random() < 0.4:
        ground = inks[np.round(level).astype(int)]
    else:
        below = np.minimum(level.astype(int), len(inks) - 2)
        share = (level - below)[..., None]
        ground = inks[below] * (1 - share) + inks[below + 1] * share
    return np.asarray(ground * _make_relief(rng, height, width, unit, 0.35), np.float32)


def _make_stones(rng: Rng, height: int, width: int, unit: float) -> FloatImage:
    """Return patches of similar size, with or without joints, as in pebbles, paving or leaves on a lawn."""
    inks, pitch = _choose_inks(rng, int(rng.integers(2, 7))), max(4.0, unit * _log_uniform(rng, 0.15, 1.6))
    rows, columns = (int(length / pitch) + 2 for length in (height, width))
    loose = rng.uniform(0.1, 0.5)
    spots = np.indices((rows, columns)).reshape(2, -1).T + rng.uniform(-loose, loose, (rows * columns, 2))
    spots = np.unique(np.clip(spots * pitch, 0, (height - 1, width - 1)).astype(int), axis=0)
    seeds = np.full((height, width), 255, np.uint8)
    seeds[spots[:, 0], spots[:, 1]] = 0
    away, owner = cv2.distanceTransformWithLabels(seeds, cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL)
    tones = inks[rng.integers(len(inks), size=owner.max() + 1)] * rng.uniform(0.7, 1.2, (owner.max() + 1, 1))
    ground = tones[owner] * (1 - rng.uniform(0, 0.5) * np.clip(away / pitch, 0, 1))[..., None]
    if rng.random() < 0.7:
        edge = (np.diff(owner, axis=0, append=owner[-1:]) != 0) | (np.diff(owner, axis=1, append=owner[:, -1:]) != 0)
        broad = max(1, int(pitch * rng.uniform(0.02, 0.2)))
        joint = cv2.dilate(edge.astype(np.uint8), np.ones((broad, broad), np.uint8)) > 0
        ground[joint] = choose_colour(rng)
    return np.asarray(ground * _make_relief(rng, height, width, unit, 0.2), np.float32)
