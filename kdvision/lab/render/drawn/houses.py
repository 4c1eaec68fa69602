"""Houses and their parts, seen from the front and slightly from the right."""

import numpy as np

from kdvision.lab.arrays import Floats, Rng
from kdvision.lab.render.drawn.canvas import Canvas
from kdvision.lab.render.drawn.shapes import INK, Colour, Point, darken, lighten, make_oval, mix

_TIMBER: Colour = (122, 78, 46)
_FENCE: Colour = (150, 108, 66)


def draw_house(
    canvas: Canvas,
    size: tuple[float, float, float, float],
    *,
    wall: Colour,
    roof: Colour,
    rows: int = 5,
    beams: bool = False,
    grounded: bool = True,
) -> None:
    """Draw a gabled house whose front's lower left is at the origin.

    `size` is its width, its depth, its height to the eaves and the height of its roof.
    """
    wide, deep, tall, rise = size
    back = np.array((deep, -0.3 * deep))
    front = np.array([(0, 0), (wide, 0), (wide, -tall), (wide / 2, -tall - rise), (0, -tall)])
    side = np.array([front[1], front[1] + back, front[2] + back, front[2]])
    if grounded:
        canvas.shade([side[0], side[1], side[1] + (0.10, 0.02), side[0] + (0.10, 0.02)], 0.45, blur=0.012)
    canvas.shape(side, darken(wall, 0.28), ink=INK)
    canvas.shape(front, wall, ink=INK)
    if beams:
        _draw_beams(canvas, front, side)
    draw_door(canvas.at(wide * 0.5, 0), wide * 0.26, tall * 0.72)
    window = (side[0] + side[1]) / 2 - (0, tall * 0.5)
    draw_window(canvas.at(window[0], window[1]), 0.035, slant=-0.3)
    apex = front[3]
    left, right = (apex + (eaves - apex) * 1.22 for eaves in (front[4], front[2]))
    plane = np.array([apex, apex + back * 1.06, right + back * 1.06, right])
    canvas.shape(plane, roof, ink=INK)
    _draw_shingles(canvas, plane, darken(roof, 0.35), rows)
    canvas.shape([plane[0], plane[1], plane[1] + (0, 0.018), plane[0] + (0, 0.018)], lighten(roof, 0.3))
    canvas.line([left, apex, right], darken(roof, 0.55), 0.030)
    canvas.line([left, apex, right], lighten(roof, 0.12), 0.016)


def draw_window(canvas: Canvas, side: float, *, slant: float = 0.0) -> None:
    """Draw a square window about the origin; on a receding wall it slants."""
    h = side / 2
    pane = [(-h, -h - slant * h), (h, -h + slant * h), (h, h + slant * h), (-h, h - slant * h)]
    canvas.shape(pane, (86, 74, 66), ink=INK, width=0.006)


def _draw_beams(canvas: Canvas, front: Floats, side: Floats) -> None:
    a, b, c, _, e = front
    middle = (a + b) / 2 + (e - a) * 0.95
    for path in ([e, c], [a, e], [b, c], [(a + e) / 2, middle], [(b + c) / 2, middle]):
        canvas.line(path, _TIMBER, 0.012)
    for share in (0.33, 0.67):
        foot = side[0] + (side[1] - side[0]) * share
        canvas.line([foot, foot + side[3] - side[0]], _TIMBER, 0.010)


def draw_door(canvas: Canvas, wide: float, tall: float) -> None:
    """Draw an arched door that stands on the origin."""
    arch = make_oval((0, wide / 2 - tall), wide / 2)
    canvas.shape([(-wide / 2, 0), *arch[14:], (wide / 2, 0)], (104, 66, 42), ink=INK, width=0.006)
    canvas.spot((wide * 0.22, -tall * 0.4), 0.006, (236, 200, 90))


def _draw_shingles(canvas: Canvas, plane: Floats, colour: Colour, rows: int) -> None:
    ridge, far = plane[0], plane[1] - plane[0]
    drop = (plane[3] - ridge) / rows
    for row in range(1, rows):
        start = ridge + row * drop
        canvas.line([start, start + far], colour, 0.006)
        for step in np.arange(0.08 + 0.06 * (row % 2), 1.0, 0.13):
            foot = start + far * step
            canvas.line([foot, foot - drop], colour, 0.005)


def draw_smoke(canvas: Canvas, rng: Rng, colour: Colour = (236, 236, 232)) -> None:
    """Draw puffs of smoke that drift away from a chimney at the origin."""
    for step in range(4):
        x, y = 0.026 * step + rng.normal(0, 0.004), -0.030 * step
        canvas.spot((x, y), 0.015 + 0.005 * step, mix(colour, INK, 0.25))
        canvas.spot((x - 0.003, y - 0.003), 0.012 + 0.005 * step, colour)


def draw_chimney(canvas: Canvas, colour: Colour = (150, 128, 112)) -> None:
    """Draw a chimney whose foot, at the origin, is hidden in the roof."""
    canvas.box(0, -0.08, 0.045, 0, colour, INK)
    canvas.box(-0.008, -0.1, 0.053, -0.075, lighten(colour), INK)


def draw_fence(canvas: Canvas, start: Point, end: Point, posts: int) -> None:
    """Draw a wooden fence from one point to another."""
    a, b = np.array(start), np.array(end)
    for lift in (0.018, 0.036):
        canvas.line([a - (0, lift), b - (0, lift)], _FENCE, 0.009)
    for foot in np.linspace(a, b, posts):
        canvas.line([foot, foot - (0, 0.05)], darken(_FENCE), 0.013)
