"""Houses and their parts, seen from the front and slightly from the right."""

from __future__ import annotations

import numpy as np

from kdvision.lab.render.drawn.canvas import Canvas
from kdvision.lab.render.drawn.colours import INK, Colour, darken, lighten, mix
from kdvision.lab.render.drawn.shapes import Floats, Point, Rng, make_oval, shift_points


def draw_house(
    canvas: Canvas,
    corner: Point,
    size: tuple[float, float, float, float],
    *,
    wall: Colour,
    roof: Colour,
    rows: int = 5,
    beams: bool = False,
    grounded: bool = True,
) -> None:
    """Draw a gabled house whose front's lower left is at the corner.

    `size` is its width, its depth, its height to the eaves and the height of its roof.
    """
    x, y = corner
    wide, deep, tall, rise = size
    back = np.array((deep, -0.3 * deep))
    front = np.array([(x, y), (x + wide, y), (x + wide, y - tall), (x + wide / 2, y - tall - rise), (x, y - tall)])
    if grounded:
        foot = np.array([front[1], front[1] + back])
        canvas.shade([np.concatenate([foot, shift_points(foot[::-1], 0.10, 0.02)])], 0.45, blur=0.012)
    side = np.array([front[1], front[1] + back, front[2] + back, front[2]])
    canvas.shape(side, darken(wall, 0.28), ink=INK)
    canvas.shape(front, wall, ink=INK)
    if beams:
        _draw_beams(canvas, front, side)
    draw_door(canvas, (x + wide * 0.5, y), wide * 0.26, tall * 0.72)
    window = side[0] + (side[1] - side[0]) * 0.5 + (0, -tall * 0.5)
    canvas.shape(make_pane(window, 0.035, slant=-0.3), (86, 74, 66), ink=INK, width=0.006)
    apex = front[3]
    eaves = front[2] + (front[2] - apex) * 0.22
    plane = np.array([apex, apex + back * 1.06, eaves + back * 1.06, eaves])
    canvas.shape(plane, roof, ink=INK)
    _draw_shingles(canvas, plane, darken(roof, 0.35), rows)
    canvas.shape([plane[0], plane[1], plane[1] + (0, 0.018), plane[0] + (0, 0.018)], lighten(roof, 0.3))
    left = front[4] + (front[4] - apex) * 0.22
    canvas.line([left, apex, eaves], darken(roof, 0.55), 0.030)
    canvas.line([left, apex, eaves], lighten(roof, 0.12), 0.016)


def make_pane(middle: Floats, side: float, *, slant: float = 0.0) -> Floats:
    """Return the outline of a square window; on a receding wall it slants."""
    h = side / 2
    corners = [(-h, -h - slant * h), (h, -h + slant * h), (h, h + slant * h), (-h, h - slant * h)]
    return shift_points(corners, middle[0], middle[1])


def _draw_beams(canvas: Canvas, front: Floats, side: Floats) -> None:
    timber = (122, 78, 46)
    a, b, c, _, e = front
    middle = (a + b) / 2
    for path in (
        [e, c],
        [a, e],
        [b, c],
        [(a + e) / 2, middle + (e - a) * 0.95],
        [(b + c) / 2, middle + (e - a) * 0.95],
    ):
        canvas.line(path, timber, 0.012)
    for share in (0.33, 0.67):
        foot = side[0] + (side[1] - side[0]) * share
        canvas.line([foot, foot + side[3] - side[0]], timber, 0.010)


def draw_door(canvas: Canvas, foot: Point, wide: float, tall: float) -> None:
    """Draw an arched door."""
    x, y = foot
    arch = make_oval((x, y - tall + wide / 2), wide / 2)
    canvas.shape([(x - wide / 2, y), *arch[14:].tolist(), (x + wide / 2, y)], (104, 66, 42), ink=INK, width=0.006)
    canvas.spot((x + wide * 0.22, y - tall * 0.4), 0.006, (236, 200, 90))


def _draw_shingles(canvas: Canvas, plane: Floats, colour: Colour, rows: int) -> None:
    ridge_a, ridge_b, eaves_b, eaves_a = plane
    for row in range(1, rows):
        share = row / rows
        a, b = ridge_a + (eaves_a - ridge_a) * share, ridge_b + (eaves_b - ridge_b) * share
        canvas.line([a, b], colour, 0.006)
        drop = (eaves_a - ridge_a) / rows
        for step in np.arange(0.08 + 0.06 * (row % 2), 1.0, 0.13):
            foot = a + (b - a) * step
            canvas.line([foot, foot - drop], colour, 0.005)


def draw_smoke(canvas: Canvas, at: Point, rng: Rng, colour: Colour = (236, 236, 232)) -> None:
    """Draw puffs of smoke that drift away from a chimney."""
    for step in range(4):
        spot = (at[0] + 0.026 * step + rng.normal(0, 0.004), at[1] - 0.030 * step)
        canvas.spot(spot, 0.015 + 0.005 * step, mix(colour, INK, 0.25))
        canvas.spot((spot[0] - 0.003, spot[1] - 0.003), 0.012 + 0.005 * step, colour)


def draw_chimney(canvas: Canvas, at: Point, colour: Colour = (150, 128, 112)) -> None:
    """Draw a chimney whose foot is hidden in the roof."""
    x, y = at
    canvas.shape([(x, y), (x + 0.045, y), (x + 0.045, y - 0.08), (x, y - 0.08)], colour, ink=INK)
    canvas.shape(
        [(x - 0.008, y - 0.075), (x + 0.053, y - 0.075), (x + 0.053, y - 0.1), (x - 0.008, y - 0.1)],
        lighten(colour),
        ink=INK,
    )


def draw_fence(canvas: Canvas, start: Point, end: Point, posts: int) -> None:
    """Draw a wooden fence from one point to another."""
    a, b = np.array(start), np.array(end)
    for lift in (0.018, 0.036):
        canvas.line([a - (0, lift), b - (0, lift)], (150, 108, 66), 0.009)
    for share in np.linspace(0, 1, posts):
        foot = a + (b - a) * share
        canvas.line([foot, foot - (0, 0.05)], darken((150, 108, 66), 0.3), 0.013)
