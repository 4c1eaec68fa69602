"""Motifs of drawn tiles, lit from the upper left: houses, trees, animals, stones, treasures and the crown.

Each is drawn about the origin of its canvas; trees and sheep are in units of their own size.
"""

import numpy as np

from kdvision.lab.arrays import Rng
from kdvision.lab.render.drawn.canvas import Canvas, Point, make_oval, make_stone, shift_points
from kdvision.lab.render.drawn.colours import INK, Colour, darken, lighten, mix, vary

_GOLD: Colour = (250, 196, 40)
_BRONZE: Colour = (150, 96, 16)
_BEAM: Colour = (122, 78, 46)
_FENCE: Colour = (150, 108, 66)
_CHIMNEY: Colour = (150, 128, 112)
_SMOKE: Colour = (236, 236, 232)
_CROWN = np.array(
    [(-0.088, 0.068), (-0.104, -0.044), (-0.046, 0.006), (0.0, -0.074), (0.046, 0.006), (0.104, -0.044), (0.088, 0.068)]
)
_CROWN_TIPS = [(-0.104, -0.050), (0.0, -0.082), (0.104, -0.050)]
_CROWN_BAND = [(-0.088, 0.068), (-0.093, 0.034), (0.093, 0.034), (0.088, 0.068)]


def draw_crown(canvas: Canvas) -> None:
    """Draw a golden crown with a white rim, about a quarter of a square wide."""
    for width, colour in ((0.056, INK), (0.044, (255, 255, 252))):
        canvas.fill_outline(_CROWN, colour, ink=colour, width=width)
        for tip in _CROWN_TIPS:
            canvas.fill_oval(tip, 0.013 + width / 2, colour)
    canvas.fill_outline(_CROWN, _GOLD)
    canvas.fill_outline([*_CROWN[:4], (0.0, 0.068)], (255, 220, 104))
    canvas.draw_line(_CROWN, _BRONZE, 0.010, is_closed=True)
    canvas.fill_outline(_CROWN_BAND, (226, 150, 26), ink=_BRONZE, width=0.007)
    for x, gem in ((-0.054, (214, 46, 46)), (0.0, (60, 120, 214)), (0.054, (214, 46, 46))):
        canvas.fill_oval((x, 0.051), 0.011, gem)
    for tip in _CROWN_TIPS:
        canvas.fill_oval(tip, 0.016, (255, 222, 96), ink=_BRONZE, width=0.007)


def draw_house(
    canvas: Canvas,
    size: tuple[float, float, float, float],
    *,
    wall: Colour,
    roof: Colour,
    rows: int = 5,
    beams: bool = False,
    has_shadow: bool = True,
) -> None:
    """Draw a gabled house, seen slightly from the right, whose front's lower left is at the origin.

    `size` is its width, its depth, its height to the eaves and the height of its roof.
    """
    wide, deep, tall, rise = size
    back = np.array((deep, -0.3 * deep))
    front = np.array([(0, 0), (wide, 0), (wide, -tall), (wide / 2, -tall - rise), (0, -tall)])
    side = np.array([front[1], front[1] + back, front[2] + back, front[2]])
    if has_shadow:
        canvas.shade_outline([side[0], side[1], side[1] + (0.10, 0.02), side[0] + (0.10, 0.02)], 0.45, blur=0.012)
    canvas.fill_outline(side, darken(wall, 0.28), ink=INK)
    canvas.fill_outline(front, wall, ink=INK)
    if beams:
        a, b, c, _, e = front
        middle = (a + b) / 2 + (e - a) * 0.95
        for path in ([e, c], [a, e], [b, c], [(a + e) / 2, middle], [(b + c) / 2, middle]):
            canvas.draw_line(path, _BEAM, 0.012)
        for share in (0.33, 0.67):
            foot = side[0] + (side[1] - side[0]) * share
            canvas.draw_line([foot, foot + side[3] - side[0]], _BEAM, 0.010)
    draw_door(canvas.move_origin(wide * 0.5, 0), wide * 0.26, tall * 0.72)
    window = (side[0] + side[1]) / 2 - (0, tall * 0.5)
    draw_window(canvas.move_origin(window[0], window[1]), 0.035, slant=-0.3)
    apex = front[3]
    left, right = (apex + (eaves - apex) * 1.22 for eaves in (front[4], front[2]))
    plane = np.array([apex, apex + back * 1.06, right + back * 1.06, right])
    canvas.fill_outline(plane, roof, ink=INK)
    along, drop, tile = plane[1] - plane[0], (right - apex) / rows, darken(roof, 0.35)
    for row in range(1, rows):
        start = apex + row * drop
        canvas.draw_line([start, start + along], tile, 0.006)
        for step in np.arange(0.08 + 0.06 * (row % 2), 1.0, 0.13):
            foot = start + along * step
            canvas.draw_line([foot, foot - drop], tile, 0.005)
    canvas.fill_outline([*plane[:2], *shift_points(plane[1::-1], 0, 0.018)], lighten(roof, 0.3))
    canvas.draw_line([left, apex, right], darken(roof, 0.55), 0.030)
    canvas.draw_line([left, apex, right], lighten(roof, 0.12), 0.016)


def draw_window(canvas: Canvas, side: float, *, slant: float = 0.0) -> None:
    h = side / 2
    pane = [(-h, -h - slant * h), (h, -h + slant * h), (h, h + slant * h), (-h, h - slant * h)]
    canvas.fill_outline(pane, (86, 74, 66), ink=INK, width=0.006)


def draw_door(canvas: Canvas, wide: float, tall: float) -> None:
    """Draw an arched door that stands on the origin."""
    arch = make_oval((0, wide / 2 - tall), wide / 2)
    canvas.fill_outline([(-wide / 2, 0), *arch[14:], (wide / 2, 0)], (104, 66, 42), ink=INK, width=0.006)
    canvas.fill_oval((wide * 0.22, -tall * 0.4), 0.006, (236, 200, 90))


def draw_smoke(canvas: Canvas, rng: Rng) -> None:
    """Draw puffs of smoke that drift away from a chimney at the origin."""
    for step in range(4):
        x, y = 0.026 * step + rng.normal(0, 0.004), -0.030 * step
        canvas.fill_oval((x, y), 0.015 + 0.005 * step, mix(_SMOKE, INK, 0.25))
        canvas.fill_oval((x - 0.003, y - 0.003), 0.012 + 0.005 * step, _SMOKE)


def draw_chimney(canvas: Canvas) -> None:
    """Draw a chimney whose foot, at the origin, is hidden in the roof."""
    canvas.fill_box(0, -0.08, 0.045, 0, _CHIMNEY, INK)
    canvas.fill_box(-0.008, -0.1, 0.053, -0.075, lighten(_CHIMNEY), INK)


def draw_fence(canvas: Canvas, start: Point, end: Point, posts: int) -> None:
    a, b = np.array(start), np.array(end)
    for lift in (0.018, 0.036):
        canvas.draw_line([a - (0, lift), b - (0, lift)], _FENCE, 0.009)
    for foot in np.linspace(a, b, posts):
        canvas.draw_line([foot, foot - (0, 0.05)], darken(_FENCE), 0.013)


def draw_tree(canvas: Canvas, rng: Rng) -> None:
    """Draw a broad-leaved tree about two units high."""
    canvas = canvas.move_origin(0, -0.6)
    green = vary((44, 110, 48), rng, 11)
    canvas.shade_outline(make_oval((0.45, 0.75), (1.0, 0.65)), 0.4, blur=0.2)
    canvas.draw_line([(0, 0.7), (0, 1.35)], (84, 56, 34), 0.26)
    leaves = [(a, rng.uniform(0.55, 0.7)) for a in np.arange(0, 6.28, 0.9) + rng.uniform(0, 1)]
    for size, tone in ((0.5, darken(green, 0.85)), (0.42, darken(green, 0.3))):
        for a, r in leaves:
            canvas.fill_oval((r * np.cos(a), r * np.sin(a)), size, tone)
    canvas.fill_oval((0, 0), 0.72, darken(green, 0.2))
    for shift, share in ((0.12, 0.0), (0.26, 0.16), (0.38, 0.3)):
        colour = mix(green, (150, 190, 80), share)
        for _ in range(4):
            dx, dy = rng.normal(0, 0.24, 2)
            canvas.fill_oval((dx - shift, dy - shift * 1.1), rng.uniform(0.16, 0.27) * (1.15 - shift), colour)


def draw_fir(canvas: Canvas, rng: Rng) -> None:
    """Draw a fir tree one unit high."""
    green = vary((28, 92, 62), rng, 9)
    canvas.shade_outline(make_oval((0.18, -0.06), (0.4, 0.14)), 0.4, blur=0.06)
    canvas.draw_line([(0, 0), (0, -0.2)], (78, 52, 34), 0.09)
    for tier in range(4):
        low, wide, top = -0.12 - 0.2 * tier, 0.36 * (1 - 0.2 * tier), -min(1.0, 0.5 + 0.2 * tier)
        hem = [(wide * u, low + (0.02 if i % 2 else -0.03)) for i, u in enumerate(np.linspace(1, -1, 9))]
        canvas.fill_outline([(0, top), *hem], green, ink=darken(green, 0.75), width=0.025)
        canvas.fill_outline([(0, top), *hem[4:]], mix(green, (130, 178, 90), 0.35))


def draw_sheep(canvas: Canvas, rng: Rng) -> None:
    """Draw a grazing sheep about two units long."""
    way = 1 if rng.random() < 0.5 else -1
    wool = vary((246, 244, 236), rng, 4)
    canvas.shade_outline(make_oval((0.28, 0.8), (1.25, 0.4)), 0.35, blur=0.22)
    for leg in (-0.5, -0.2, 0.25, 0.5):
        canvas.draw_line([(leg, 0.3), (leg, 1)], INK, 0.22)
    puffs = [(-0.7, 0.0), (-0.35, -0.4), (0.15, -0.48), (0.6, -0.15), (0.55, 0.25), (0.0, 0.3), (-0.45, 0.3), (0, 0)]
    for size, tone in ((0.5, (150, 148, 140)), (0.42, wool)):
        for puff in puffs:
            canvas.fill_oval(puff, size, tone)
    canvas.fill_oval((way * 1.15, 0.05), (0.36, 0.46), (64, 54, 50), turn=way * 0.4)


def draw_boulder(canvas: Canvas, size: float, rng: Rng, colour: Colour = (168, 150, 122)) -> None:
    tone = vary(colour, rng, 9)
    outline = make_stone((0, 0), (size, size * 0.85), rng)
    canvas.shade_outline(shift_points(outline, size * 0.3, size * 0.35), 0.5, blur=0.012)
    canvas.fill_outline(outline, darken(tone, 0.42), ink=(44, 36, 32), width=0.008)
    canvas.fill_outline(shift_points(outline * 0.8, -size * 0.1, -size * 0.12), tone)
    canvas.fill_outline(shift_points(outline * (0.45, 0.4), -size * 0.22, -size * 0.3), lighten(tone, 0.25))


def draw_gold(canvas: Canvas, rng: Rng) -> None:
    for dx, dy in rng.normal(0, 0.016, (3, 2)):
        nugget = make_stone((dx, dy), rng.uniform(0.010, 0.016), rng, corners=6)
        canvas.fill_outline(nugget, (250, 204, 50), ink=(120, 80, 20), width=0.005)


def draw_boat(canvas: Canvas, rng: Rng) -> None:
    hull = [(-0.12, -0.03), (0.12, -0.03), (0.075, 0.025), (-0.075, 0.025)]
    canvas.shade_outline(shift_points(hull, 0.015, 0.03), 0.4, blur=0.008)
    canvas.fill_outline(hull, vary((170, 78, 48), rng, 10), ink=INK)
    canvas.fill_oval((0, -0.03), (0.115, 0.018), (96, 58, 38), ink=INK, width=0.006)
    canvas.draw_line([(-0.03, -0.045), (0.13, 0.01)], (222, 190, 130), 0.010)
