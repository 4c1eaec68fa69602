"""Random table tops: cloth, wood, grids, plain and tile-coloured surfaces, all made from noise."""

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.lab.arrays import AnyFloats, Bytes, Rng
from kdvision.lab.render.objects.surface import TILE_COLOURS, Surface, TableTop, choose_colour, log_uniform, shade


def _make_plain_top(surface: Surface) -> AnyFloats:
    rng = surface.rng
    grain = surface.make_fractal_noise(rng.uniform(0.3, 6)) * rng.uniform(0.0, 0.06)
    return np.clip(shade(choose_colour(rng), 1 + grain), 0, 1).astype(np.float32)


def _make_specks(surface: Surface) -> AnyFloats:
    rng, picture = surface.rng, _make_plain_top(surface)
    for _ in range(rng.integers(1, 4)):
        spots = surface.make_noise(rng.uniform(0.03, 0.4)) > rng.uniform(0.8, 2.2)
        picture[spots] = choose_colour(rng) * 0.6 + picture[spots] * 0.4
    return picture


def _make_wood(surface: Surface) -> AnyFloats:
    rng, unit = surface.rng, surface.unit
    grain = surface.make_fractal_noise(rng.uniform(0.1, 0.5), stretch=rng.uniform(6, 30))
    picture = choose_colour(rng) * (1 + rng.uniform(0.05, 0.3) * shade(rng.uniform(0.6, 1.2, 3), grain))
    if rng.random() < 0.6:
        y, pitch = np.arange(surface.height), unit * rng.uniform(1.2, 5)
        board = (y / pitch).astype(int)
        picture *= rng.uniform(0.8, 1.2, board.max() + 1)[board][:, None, None]
        picture[y % pitch < max(1.0, unit * 0.03)] *= rng.uniform(0.3, 0.8)
    return picture


def _make_cloth(surface: Surface) -> AnyFloats:
    rng, picture = surface.rng, _make_plain_top(surface)
    pitch = surface.unit * rng.uniform(0.04, 0.15)
    y, x = (np.sin(2 * np.pi * axis / pitch) for axis in surface.pixels)
    folds = surface.make_fractal_noise(rng.uniform(3, 10), stretch=rng.uniform(1, 3))
    return shade(picture, 1 + rng.uniform(0.02, 0.12) * x * y + rng.uniform(0, 0.2) * folds)


def _choose_pitch(rng: Rng) -> float:
    """Return a distance of lines or checks in squares; often it is that of squares on a board."""
    return rng.uniform(0.94, 1.1) if rng.random() < 0.25 else log_uniform(rng, 0.25, 3.0)


def _make_checks(surface: Surface) -> AnyFloats:
    """Return checks, stripes or a tartan."""
    rng, pitch = surface.rng, surface.unit * _choose_pitch(surface.rng)
    y, x = surface.pixels
    across, down = (x / pitch + rng.random()).astype(int) % 2, (y / pitch + rng.random()).astype(int) % 2
    pattern = (across ^ down, across, (across + down) / 2)[rng.integers(3)]
    first, second = choose_colour(rng), choose_colour(rng)
    return first + shade(second - first, pattern) * rng.uniform(0.3, 1)


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
    picture = np.clip(shade(base, light), 0, 1).astype(np.float32)
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

    picture = (
        _mirror_scrap(surface, scraps[int(rng.integers(len(scraps)))]) if scraps and rng.random() < 0.3 else make()
    )
    if rng.random() < 0.2:  # a second surface: the table's edge, a mat, a sheet of paper
        other = make()
        mask = _make_half_plane(surface) if rng.random() < 0.6 else _make_sheet(surface)
        return np.where(mask[..., None], other, picture)
    return picture


def _mirror_scrap(surface: Surface, patch: Bytes) -> AnyFloats:
    """Return a photographed surface, mirrored until it fills the table."""
    side = int(surface.unit * surface.rng.uniform(1.5, 8)) + 8
    scrap = cv2.resize(patch, (side, side), interpolation=cv2.INTER_CUBIC) / 255
    rest = [(0, max(0, length - side)) for length in surface.shape]
    picture = np.pad(scrap, [*rest, (0, 0)], mode="symmetric")[: surface.height, : surface.width]
    return np.asarray(picture + 0.03 * surface.rng.uniform(0, 1) * surface.make_noise(2 / surface.unit)[..., None])


def _make_half_plane(surface: Surface) -> npt.NDArray[np.bool_]:
    angle = surface.rng.uniform(0, 2 * np.pi)
    y, x = surface.pixels
    along = (x - surface.width / 2) * np.cos(angle) + (y - surface.height / 2) * np.sin(angle)
    return np.asarray(along > surface.rng.uniform(0.1, 0.45) * max(surface.shape))


def _make_sheet(surface: Surface) -> npt.NDArray[np.bool_]:
    size = surface.rng.uniform(0.1, 0.8, 2) * (surface.width, surface.height)
    centre = (surface.rng.uniform(0, surface.width), surface.rng.uniform(0, surface.height))
    box = cv2.boxPoints((centre, size.tolist(), surface.rng.uniform(0, 90)))
    return np.asarray(cv2.fillConvexPoly(np.zeros(surface.shape, np.uint8), box.astype(np.int32), 1) > 0)
