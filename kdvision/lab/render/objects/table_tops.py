"""Random table tops for training, all made from noise; none imitates a real table.

Plain ones: cloth, wood, grids, surfaces in the colour of a tile. Patterned ones: rugs and printed cloths, meadows and
gravel, stones and leaves; parts of them resemble tiles in size, colour or detail.
"""

from collections.abc import Sequence

import cv2
import numpy as np

from kdvision.lab.arrays import AnyFloats, Bytes, Rng
from kdvision.lab.render.objects.surface import (
    TILE_COLOURS,
    Surface,
    TableTop,
    choose_colour,
    sample_log_uniform,
    shade_colour,
)


def _make_plain_top(surface: Surface) -> AnyFloats:
    rng = surface.rng
    grain = surface.make_fractal_noise(rng.uniform(0.3, 6)) * rng.uniform(0.0, 0.06)
    return np.clip(shade_colour(choose_colour(rng), 1 + grain), 0, 1)


def _make_specks(surface: Surface) -> AnyFloats:
    rng, picture = surface.rng, _make_plain_top(surface)
    for _ in range(rng.integers(1, 4)):
        spots = surface.make_noise(rng.uniform(0.03, 0.4)) > rng.uniform(0.8, 2.2)
        picture[spots] = choose_colour(rng) * 0.6 + picture[spots] * 0.4
    return picture


def _make_wood(surface: Surface) -> AnyFloats:
    rng, unit = surface.rng, surface.unit
    grain = surface.make_fractal_noise(rng.uniform(0.1, 0.5), stretch=rng.uniform(6, 30))
    colour = choose_colour(rng)
    picture = colour.astype(np.float32) + shade_colour(
        colour * rng.uniform(0.05, 0.3) * rng.uniform(0.6, 1.2, 3), grain
    )
    if rng.random() < 0.6:
        y, pitch = np.arange(surface.height), unit * rng.uniform(1.2, 5)
        board = (y / pitch).astype(int)
        picture *= rng.uniform(0.8, 1.2, board.max() + 1).astype(np.float32)[board][:, None, None]
        picture[y % pitch < max(1.0, unit * 0.03)] *= rng.uniform(0.3, 0.8)
    return picture


def _make_cloth(surface: Surface) -> AnyFloats:
    rng, picture = surface.rng, _make_plain_top(surface)
    pitch = surface.unit * rng.uniform(0.04, 0.15)
    y, x = (np.sin(2 * np.pi * axis / pitch) for axis in surface.pixels)
    folds = surface.make_fractal_noise(rng.uniform(3, 10), stretch=rng.uniform(1, 3))
    return shade_colour(picture, 1 + rng.uniform(0.02, 0.12) * x * y + rng.uniform(0, 0.2) * folds)


def _choose_pitch(rng: Rng) -> float:
    """Return a distance of lines or checks in squares; often it is that of squares on a board."""
    return rng.uniform(0.94, 1.1) if rng.random() < 0.25 else sample_log_uniform(rng, 0.25, 3.0)


def _make_checks(surface: Surface) -> AnyFloats:
    rng, pitch = surface.rng, surface.unit * _choose_pitch(surface.rng)
    y, x = surface.pixels
    across, down = (x / pitch + rng.random()).astype(int) % 2, (y / pitch + rng.random()).astype(int) % 2
    pattern = (across ^ down, across, (across + down) / 2)[rng.integers(3)]
    first, second = choose_colour(rng), choose_colour(rng)
    colours = first + shade_colour((second - first) * rng.uniform(0.3, 1), pattern)
    return np.broadcast_to(colours, (*surface.shape, 3))


def _make_grid(surface: Surface) -> AnyFloats:
    """Return grid lines as on cutting mats, tiled floors or graph paper."""
    rng, unit, picture = surface.rng, surface.unit, _make_plain_top(surface)
    pitch, line = unit * _choose_pitch(rng), max(1.0, unit * rng.uniform(0.01, 0.08))
    ink = choose_colour(rng)
    if rng.random() < 0.5:
        ink = np.full(3, rng.uniform(0.7, 1))
    for view in (picture, picture.transpose(1, 0, 2)):
        lines = (np.arange(len(view)) + rng.uniform(0, pitch)) % pitch < line
        view[lines] = view[lines] * 0.25 + ink * 0.75
    for _ in range(rng.integers(0, 12)):
        centre = (int(rng.uniform(0, surface.width)), int(rng.uniform(0, surface.height)))
        marks = np.zeros(surface.shape, np.uint8)
        cv2.circle(marks, centre, int(unit * rng.uniform(0.1, 0.8)), 255, max(1, int(line)), cv2.LINE_AA)
        cv2.putText(marks, str(rng.integers(100)), centre, cv2.FONT_HERSHEY_SIMPLEX, unit / 60, 255, max(1, int(line)))
        picture[marks > 127] = ink
    return picture


def _make_flowers(surface: Surface) -> AnyFloats:
    """Return a printed cloth: blobs and leaves in several colours, some as large as a square."""
    rng, unit, picture = surface.rng, surface.unit, _make_plain_top(surface)
    inks = [choose_colour(rng).tolist() for _ in range(4)]
    for _ in range(int(rng.integers(20, 160))):
        centre = (int(rng.uniform(0, surface.width)), int(rng.uniform(0, surface.height)))
        axes = (int(unit * rng.uniform(0.05, 0.7)) + 1, int(unit * rng.uniform(0.05, 0.4)) + 1)
        ink = inks[rng.integers(4)]
        cv2.ellipse(picture, centre, axes, rng.uniform(0, 360), 0, 360, ink, -1, cv2.LINE_AA)
    return picture


def _make_landscape(surface: Surface) -> AnyFloats:
    """Return a cloth that looks like a printed terrain: its colour, with strokes like ears, tufts or ripples."""
    rng, unit, size = surface.rng, surface.unit, (surface.width, surface.height)
    base = np.array(TILE_COLOURS[rng.integers(len(TILE_COLOURS))])
    base = base * rng.uniform(0.75, 1.2) * np.exp(rng.normal(0, 0.06, 3))
    light = 1 + rng.uniform(0.02, 0.15) * surface.make_fractal_noise(rng.uniform(0.1, 1.5))
    picture = np.clip(shade_colour(base, light), 0, 1)
    length, angle, bend = unit * rng.uniform(0.02, 0.25), rng.uniform(0, 3.1), rng.choice([0.1, 0.6, 3.0])
    inks = [(base * rng.uniform(0.4, 1.6)).clip(0, 1).tolist() for _ in range(3)]
    count = int(min(1500, rng.uniform(0.5, 20) * surface.height * surface.width / unit**2))
    middles = rng.uniform(0, 1, (count, 2)) * size
    turns = angle + rng.normal(0, bend, count)
    ends = np.stack([np.cos(turns), np.sin(turns)], 1) * length * rng.uniform(0.5, 1.3, (count, 1))
    lines = np.round(np.stack([middles - ends / 2, middles + ends / 2], 1)).astype(np.int32)
    for k, ink in enumerate(inks):
        cv2.polylines(picture, list(lines[k::3]), False, ink, max(1, round(0.02 * unit)), cv2.LINE_AA)
    return picture


SURFACE_MAKERS: tuple[TableTop, ...] = (
    *(_make_plain_top, _make_specks, _make_wood, _make_cloth, _make_checks, _make_grid, _make_flowers),
    *(_make_landscape, _make_landscape),
)


def make_table_top(surface: Surface, *, scraps: Sequence[Bytes] = ()) -> AnyFloats:
    """Return a random table top (height, width, 3); some are made from `scraps`, photographed surfaces."""
    rng = surface.rng

    def make() -> AnyFloats:
        return SURFACE_MAKERS[rng.integers(len(SURFACE_MAKERS))](surface)

    is_photo = scraps and rng.random() < 0.3
    picture = _mirror_scrap(surface, scraps[int(rng.integers(len(scraps)))]) if is_photo else make()
    if rng.random() >= 0.2:
        return picture
    second_picture = make()  # a second surface: the table's edge, a mat, a sheet of paper
    if rng.random() < 0.6:
        angle = rng.uniform(0, 2 * np.pi)
        y, x = surface.pixels
        along = (x - surface.width / 2) * np.cos(angle) + (y - surface.height / 2) * np.sin(angle)
        mask = along > rng.uniform(0.1, 0.45) * max(surface.shape)
    else:
        size = rng.uniform(0.1, 0.8, 2) * (surface.width, surface.height)
        centre = (rng.uniform(0, surface.width), rng.uniform(0, surface.height))
        box = cv2.boxPoints((centre, size.tolist(), rng.uniform(0, 90)))
        mask = cv2.fillConvexPoly(np.zeros(surface.shape, np.uint8), box.astype(np.int32), 1) > 0
    return np.where(mask[..., None], second_picture, picture)


def _mirror_scrap(surface: Surface, patch: Bytes) -> AnyFloats:
    """Return a photographed surface, mirrored until it fills the table."""
    side = int(surface.unit * surface.rng.uniform(1.5, 8)) + 8
    scrap = cv2.resize(patch, (side, side), interpolation=cv2.INTER_CUBIC) / np.float32(255)
    padding = [(0, max(0, length - side)) for length in surface.shape]
    picture = np.pad(scrap, [*padding, (0, 0)], mode="symmetric")[: surface.height, : surface.width]
    return np.asarray(picture + 0.03 * surface.rng.uniform(0, 1) * surface.make_noise(2 / surface.unit)[..., None])


def make_patterned_top(surface: Surface) -> AnyFloats:
    return (_make_rug, _make_blend, _make_stones)[surface.rng.choice(3, p=[0.45, 0.35, 0.2])](surface)


def _choose_inks(rng: Rng, count: int) -> AnyFloats:
    """Return random colours (count, 3), or natural ones close to those of the printed terrains."""
    if rng.random() < 0.5:
        return np.array([choose_colour(rng) for _ in range(count)])
    terrain_inks = np.array(TILE_COLOURS)[rng.integers(len(TILE_COLOURS), size=count)]
    return np.clip(terrain_inks * rng.uniform(0.5, 1.3, (count, 1)) + rng.normal(0, 0.06, (count, 3)), 0, 1)


def _make_relief(surface: Surface, max_strength: float) -> AnyFloats:
    """Return the light (height, width) that fine threads and slow changes leave on a surface."""
    rng = surface.rng
    threads = surface.make_noise(rng.uniform(0.02, 0.12), stretch=float(rng.choice([1, 1, 3, 8])))
    changes = surface.make_fractal_noise(rng.uniform(1, 5))
    return np.asarray(1 + rng.uniform(0, max_strength) * threads + rng.uniform(0, 0.1) * changes)


def _make_rug(surface: Surface) -> AnyFloats:
    """Return one or two motifs repeated in rows, every other row shifted, as on rugs, floors and printed cloths."""
    rng = surface.rng
    inks = _choose_inks(rng, int(rng.integers(3, 7)))
    pitch = surface.unit * (rng.uniform(0.9, 1.15) if rng.random() < 0.3 else sample_log_uniform(rng, 0.4, 3.5))
    down, right = (max(8, int(pitch * rng.choice([1.0, rng.uniform(0.6, 1.6)]))) for _ in range(2))
    motifs = np.stack([_make_motif(rng, inks, down, right) for _ in range(2 if rng.random() < 0.4 else 1)])
    y, x = np.mgrid[: surface.height, : surface.width]
    row = y // down
    x = x + int(right * rng.choice([0.0, 0.5, rng.uniform(0, 1)])) * (row % 2)
    cloth = motifs[(row + x // right) % len(motifs), y % down, x % right]
    for _ in range(int(rng.integers(0, 3))):  # stripes between the rows
        period, breadth = int(rng.integers(1, 4)) * down, max(1, int(down * rng.uniform(0.05, 0.3)))
        stripe = (np.arange(surface.height) + int(rng.integers(period))) % period < breadth
        cloth[stripe] = inks[rng.integers(len(inks))]
    return shade_colour(cloth, _make_relief(surface, 0.15))


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
    field = surface.make_fractal_noise(sample_log_uniform(rng, 0.08, 2.0), stretch=stretch)
    if rng.random() < 0.5:
        share, size = rng.uniform(0.3, 1), sample_log_uniform(rng, 0.05, 0.6)
        field = field + share * surface.turn().make_fractal_noise(size, stretch=stretch).T
    level = np.clip(0.5 + 0.28 * field / max(float(field.std()), 1e-6), 0, 1) * (len(inks) - 1)
    if rng.random() < 0.4:
        ground = inks[np.round(level).astype(int)]
    else:
        ground = np.stack([np.interp(level, range(len(inks)), channel) for channel in inks.T], axis=-1)
    return shade_colour(ground, _make_relief(surface, 0.35))


def _make_stones(surface: Surface) -> AnyFloats:
    """Return patches of similar size, with or without joints, as in pebbles, paving or leaves on a lawn."""
    rng = surface.rng
    inks, pitch = (
        _choose_inks(rng, int(rng.integers(2, 7))),
        max(4.0, surface.unit * sample_log_uniform(rng, 0.15, 1.6)),
    )
    rows, columns = (int(length / pitch) + 2 for length in surface.shape)
    max_shift = rng.uniform(0.1, 0.5)
    spots = np.indices((rows, columns)).reshape(2, -1).T + rng.uniform(-max_shift, max_shift, (rows * columns, 2))
    row, column = np.clip(spots * pitch, 0, np.subtract(surface.shape, 1)).astype(int).T
    seeds = np.full(surface.shape, 255, np.uint8)
    seeds[row, column] = 0
    distance, owner = cv2.distanceTransformWithLabels(seeds, cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL)
    tones = inks[rng.integers(len(inks), size=owner.max() + 1)] * rng.uniform(0.7, 1.2, (owner.max() + 1, 1))
    ground = shade_colour(tones[owner], 1 - rng.uniform(0, 0.5) * np.clip(distance / pitch, 0, 1))
    if rng.random() < 0.7:
        edge = (np.diff(owner, axis=0, append=owner[-1:]) != 0) | (np.diff(owner, axis=1, append=owner[:, -1:]) != 0)
        breadth = max(1, int(pitch * rng.uniform(0.02, 0.2)))
        ground[cv2.dilate(edge.astype(np.uint8), np.ones((breadth, breadth), np.uint8)) > 0] = choose_colour(rng)
    return shade_colour(ground, _make_relief(surface, 0.2))
