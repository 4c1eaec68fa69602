"""Table tops full of shapes and colours: rugs and printed cloths, meadows and gravel, stones and leaves.

Parts of them resemble tiles in size, colour or detail. All of them are random; none imitates a real table.
"""

import cv2
import numpy as np

from kdvision.lab.arrays import AnyFloats, Rng
from kdvision.lab.render.objects.surface import TILE_COLOURS, Surface, choose_colour, log_uniform, shade


def make_patterned_top(surface: Surface) -> AnyFloats:
    """Return a random table top (height, width, 3)."""
    return (_make_rug, _make_blend, _make_stones)[surface.rng.choice(3, p=[0.45, 0.35, 0.2])](surface)


def _choose_inks(rng: Rng, count: int) -> AnyFloats:
    """Return random colours (count, 3), or natural ones close to those of the printed terrains."""
    if rng.random() < 0.5:
        return np.array([choose_colour(rng) for _ in range(count)])
    near = np.array(TILE_COLOURS)[rng.integers(len(TILE_COLOURS), size=count)]
    return np.clip(near * rng.uniform(0.5, 1.3, (count, 1)) + rng.normal(0, 0.06, (count, 3)), 0, 1)


def _make_relief(surface: Surface, most: float) -> AnyFloats:
    """Return the light (height, width) that fine threads and slow changes leave on a surface."""
    rng = surface.rng
    fine = surface.make_noise(rng.uniform(0.02, 0.12), stretch=float(rng.choice([1, 1, 3, 8])))
    slow = surface.make_fractal_noise(rng.uniform(1, 5))
    return np.asarray(1 + rng.uniform(0, most) * fine + rng.uniform(0, 0.1) * slow)


def _make_rug(surface: Surface) -> AnyFloats:
    """Return one or two motifs repeated in rows, every other row shifted, as on rugs, floors and printed cloths."""
    rng = surface.rng
    inks = _choose_inks(rng, int(rng.integers(3, 7)))
    pitch = surface.unit * (rng.uniform(0.9, 1.15) if rng.random() < 0.3 else log_uniform(rng, 0.4, 3.5))
    down, right = (max(8, int(pitch * rng.choice([1.0, rng.uniform(0.6, 1.6)]))) for _ in range(2))
    motifs = np.stack([_make_motif(rng, inks, down, right) for _ in range(2 if rng.random() < 0.4 else 1)])
    y, x = np.mgrid[: surface.height, : surface.width]
    row = y // down
    x = x + int(right * rng.choice([0.0, 0.5, rng.uniform(0, 1)])) * (row % 2)
    cloth = motifs[(row + x // right) % len(motifs), y % down, x % right]
    for _ in range(int(rng.integers(0, 3))):  # stripes between the rows
        every, broad = int(rng.integers(1, 4)) * down, max(1, int(down * rng.uniform(0.05, 0.3)))
        stripe = (np.arange(surface.height) + int(rng.integers(every))) % every < broad
        cloth[stripe] = inks[rng.integers(len(inks))]
    return shade(cloth, _make_relief(surface, 0.15))


def _make_motif(rng: Rng, inks: AnyFloats, height: int, width: int) -> AnyFloats:
    """Return nested and overlapping shapes (height, width, 3), mostly symmetric."""
    side = 96
    motif = np.full((side, side, 3), inks[0], np.float32)
    for size in sorted(rng.uniform(0.1, 0.75, int(rng.integers(2, 8))), reverse=True):
        middle = (0.5, 0.5) if rng.random() < 0.6 else rng.uniform(0, 1, 2)
        _draw_shape(motif, rng, inks[rng.integers(len(inks))].tolist(), np.array(middle) * side, size * side)
    if rng.random() < 0.7:
        quarter = motif[: side // 2, : side // 2]
        if rng.random() < 0.5:
            quarter = np.where((np.tri(side // 2) > 0)[..., None], quarter, quarter.transpose(1, 0, 2))
        motif = np.pad(quarter, ((0, side // 2), (0, side // 2), (0, 0)), mode="symmetric")
    return np.asarray(cv2.resize(motif, (width, height), interpolation=cv2.INTER_AREA))


def _draw_shape(canvas: AnyFloats, rng: Rng, ink: list[float], middle: AnyFloats, size: float) -> None:
    """Draw one shape: with 3 to 8 corners, a star, an ellipse, a ring or a bar, filled or as an outline."""
    thickness = -1 if rng.random() < 0.7 else max(1, int(size * rng.uniform(0.05, 0.3)))
    kind = rng.random()
    if kind < 0.25:
        axes = (int(size * rng.uniform(0.3, 1)) + 1, int(size * rng.uniform(0.3, 1)) + 1)
        turn = float(rng.choice([0, 45, rng.uniform(0, 180)]))
        cv2.ellipse(canvas, middle.astype(int).tolist(), axes, turn, 0, 360, ink, thickness, cv2.LINE_AA)
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
        cv2.fillPoly(canvas, [outline], ink, cv2.LINE_AA)
    else:
        cv2.polylines(canvas, [outline], True, ink, thickness, cv2.LINE_AA)


def _make_blend(surface: Surface) -> AnyFloats:
    """Return a few colours that blend or lie in spots, as in grass, leaves, gravel, fur or marble."""
    rng = surface.rng
    inks = _choose_inks(rng, int(rng.integers(2, 6)))
    stretch = float(rng.choice([1.0, rng.uniform(2, 10)]))
    field = surface.make_fractal_noise(log_uniform(rng, 0.08, 2.0), stretch=stretch)
    if rng.random() < 0.5:
        share, size = rng.uniform(0.3, 1), log_uniform(rng, 0.05, 0.6)
        field = field + share * surface.make_fractal_noise(size, stretch=stretch, upright=True)
    level = np.clip(0.5 + 0.28 * field / max(float(field.std()), 1e-6), 0, 1) * (len(inks) - 1)
    if rng.random() < 0.4:
        ground = inks[np.round(level).astype(int)]
    else:
        ground = np.stack([np.interp(level, range(len(inks)), channel) for channel in inks.T], axis=-1)
    return shade(ground, _make_relief(surface, 0.35))


def _make_stones(surface: Surface) -> AnyFloats:
    """Return patches of similar size, with or without joints, as in pebbles, paving or leaves on a lawn."""
    rng = surface.rng
    inks, pitch = _choose_inks(rng, int(rng.integers(2, 7))), max(4.0, surface.unit * log_uniform(rng, 0.15, 1.6))
    rows, columns = (int(length / pitch) + 2 for length in surface.shape)
    loose = rng.uniform(0.1, 0.5)
    spots = np.indices((rows, columns)).reshape(2, -1).T + rng.uniform(-loose, loose, (rows * columns, 2))
    row, column = np.clip(spots * pitch, 0, np.subtract(surface.shape, 1)).astype(int).T
    seeds = np.full(surface.shape, 255, np.uint8)
    seeds[row, column] = 0
    away, owner = cv2.distanceTransformWithLabels(seeds, cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL)
    tones = inks[rng.integers(len(inks), size=owner.max() + 1)] * rng.uniform(0.7, 1.2, (owner.max() + 1, 1))
    ground = shade(tones[owner], 1 - rng.uniform(0, 0.5) * np.clip(away / pitch, 0, 1))
    if rng.random() < 0.7:
        edge = (np.diff(owner, axis=0, append=owner[-1:]) != 0) | (np.diff(owner, axis=1, append=owner[:, -1:]) != 0)
        broad = max(1, int(pitch * rng.uniform(0.02, 0.2)))
        ground[cv2.dilate(edge.astype(np.uint8), np.ones((broad, broad), np.uint8)) > 0] = choose_colour(rng)
    return shade(ground, _make_relief(surface, 0.2))
