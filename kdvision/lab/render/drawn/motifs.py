"""Motifs of drawn tiles: trees, animals, stones, treasures and the crown, lit from the upper left.

Each is drawn about the origin of its canvas.
"""

import numpy as np

from kdvision.lab.arrays import Rng
from kdvision.lab.render.drawn.canvas import Canvas
from kdvision.lab.render.drawn.shapes import (
    INK,
    WHITE,
    Colour,
    darken,
    lighten,
    make_oval,
    make_stone,
    mix,
    shift_points,
    vary,
)

_GOLD: Colour = (250, 196, 40)
_BRONZE: Colour = (150, 96, 16)
_CROWN = np.array(
    [(-0.088, 0.068), (-0.104, -0.044), (-0.046, 0.006), (0.0, -0.074), (0.046, 0.006), (0.104, -0.044), (0.088, 0.068)]
)
_CROWN_TIPS = [(-0.104, -0.050), (0.0, -0.082), (0.104, -0.050)]
_CROWN_BAND = [(-0.088, 0.068), (-0.093, 0.034), (0.093, 0.034), (0.088, 0.068)]


def draw_crown(canvas: Canvas) -> None:
    """Draw a golden crown with a white rim, about a quarter of a square wide."""
    for width, colour in ((0.056, INK), (0.044, (255, 255, 252))):
        canvas.shape(_CROWN, colour, ink=colour, width=width)
        for tip in _CROWN_TIPS:
            canvas.spot(tip, 0.013 + width / 2, colour)
    canvas.shape(_CROWN, _GOLD)
    canvas.shape([*_CROWN[:4], (0.0, 0.068)], (255, 220, 104))
    canvas.line(_CROWN, _BRONZE, 0.010, closed=True)
    canvas.shape(_CROWN_BAND, (226, 150, 26), ink=_BRONZE, width=0.007)
    for x, gem in ((-0.054, (214, 46, 46)), (0.0, (60, 120, 214)), (0.054, (214, 46, 46))):
        canvas.spot((x, 0.051), 0.011, gem)
    for tip in _CROWN_TIPS:
        canvas.spot(tip, 0.016, (255, 222, 96), ink=_BRONZE, width=0.007)


def draw_tree(canvas: Canvas, rng: Rng) -> None:
    """Draw a broad-leaved tree about two units high."""
    canvas = canvas.at(0, -0.6)
    green = vary((44, 110, 48), rng, 11)
    canvas.shade(make_oval((0.45, 0.75), (1.0, 0.65)), 0.4, blur=0.2)
    canvas.line([(0, 0.7), (0, 1.35)], (84, 56, 34), 0.26)
    leaves = [(a, rng.uniform(0.55, 0.7)) for a in np.arange(0, 6.28, 0.9) + rng.uniform(0, 1)]
    for size, tone in ((0.5, darken(green, 0.85)), (0.42, darken(green, 0.3))):
        for a, r in leaves:
            canvas.spot((r * np.cos(a), r * np.sin(a)), size, tone)
    canvas.spot((0, 0), 0.72, darken(green, 0.2))
    for shift, share in ((0.12, 0.0), (0.26, 0.16), (0.38, 0.3)):
        colour = mix(green, (150, 190, 80), share)
        for _ in range(4):
            dx, dy = rng.normal(0, 0.24, 2)
            canvas.spot((dx - shift, dy - shift * 1.1), rng.uniform(0.16, 0.27) * (1.15 - shift), colour)


def draw_fir(canvas: Canvas, rng: Rng) -> None:
    """Draw a fir tree one unit high."""
    green = vary((28, 92, 62), rng, 9)
    canvas.shade(make_oval((0.18, -0.06), (0.4, 0.14)), 0.4, blur=0.06)
    canvas.line([(0, 0), (0, -0.2)], (78, 52, 34), 0.09)
    for tier in range(4):
        low, wide, top = -0.12 - 0.2 * tier, 0.36 * (1 - 0.2 * tier), -min(1.0, 0.5 + 0.2 * tier)
        hem = [(wide * u, low + (0.02 if i % 2 else -0.03)) for i, u in enumerate(np.linspace(1, -1, 9))]
        canvas.shape([(0, top), *hem], green, ink=darken(green, 0.75), width=0.025)
        canvas.shape([(0, top), *hem[4:]], mix(green, (130, 178, 90), 0.35))


def draw_sheep(canvas: Canvas, rng: Rng) -> None:
    """Draw a grazing sheep about two units long."""
    way = 1 if rng.random() < 0.5 else -1
    wool = vary((246, 244, 236), rng, 4)
    canvas.shade(make_oval((0.28, 0.8), (1.25, 0.4)), 0.35, blur=0.22)
    for leg in (-0.5, -0.2, 0.25, 0.5):
        canvas.line([(leg, 0.3), (leg, 1)], INK, 0.22)
    puffs = [(-0.7, 0.0), (-0.35, -0.4), (0.15, -0.48), (0.6, -0.15), (0.55, 0.25), (0.0, 0.3), (-0.45, 0.3), (0, 0)]
    for size, tone in ((0.5, (150, 148, 140)), (0.42, wool)):
        for puff in puffs:
            canvas.spot(puff, size, tone)
    canvas.spot((way * 1.15, 0.05), (0.36, 0.46), (64, 54, 50), turn=way * 0.4)


def draw_boulder(canvas: Canvas, size: float, rng: Rng, colour: Colour = (168, 150, 122)) -> None:
    """Draw a rock lit from the upper left."""
    tone = vary(colour, rng, 9)
    outline = make_stone((0, 0), (size, size * 0.85), rng)
    canvas.shade(shift_points(outline, size * 0.3, size * 0.35), 0.5, blur=0.012)
    canvas.shape(outline, darken(tone, 0.42), ink=(44, 36, 32), width=0.008)
    canvas.shape(shift_points(outline * 0.8, -size * 0.1, -size * 0.12), tone)
    canvas.shape(shift_points(outline * (0.45, 0.4), -size * 0.22, -size * 0.3), lighten(tone, 0.25))


def draw_crag(canvas: Canvas, size: float, rng: Rng) -> None:
    """Draw a crag: boulders piled up."""
    canvas.shade(make_oval((size * 0.25, size * 0.55), (size * 1.15, size * 0.5)), 0.6, blur=0.03)
    for row, (lift, count, wide) in enumerate(((0.75, 2, 0.25), (0.45, 3, 0.45), (0.1, 4, 0.7), (-0.3, 4, 0.85))):
        for u in np.linspace(-1, 1, count) + rng.normal(0, 0.08, count):
            spot = canvas.at(u * wide * size, (rng.normal(0, 0.03) - lift) * size)
            draw_boulder(spot, size * rng.uniform(0.32, 0.4) * (0.9 + 0.06 * row), rng)


def draw_gold(canvas: Canvas, rng: Rng) -> None:
    """Draw a few nuggets."""
    for dx, dy in rng.normal(0, 0.016, (3, 2)):
        nugget = make_stone((dx, dy), rng.uniform(0.010, 0.016), rng, corners=6)
        canvas.shape(nugget, (250, 204, 50), ink=(120, 80, 20), width=0.005)


def draw_boat(canvas: Canvas, rng: Rng) -> None:
    """Draw a rowing boat with an oar."""
    hull = [(-0.12, -0.03), (0.12, -0.03), (0.075, 0.025), (-0.075, 0.025)]
    canvas.shade(shift_points(hull, 0.015, 0.03), 0.4, blur=0.008)
    canvas.shape(hull, vary((170, 78, 48), rng, 10), ink=INK)
    canvas.spot((0, -0.03), (0.115, 0.018), (96, 58, 38), ink=INK, width=0.006)
    canvas.line([(-0.03, -0.045), (0.13, 0.01)], (222, 190, 130), 0.010)


def draw_cauldron(canvas: Canvas, rng: Rng) -> None:
    """Draw a steaming cauldron on a fire."""
    canvas.shape([(-0.09, 0.09), (0, 0.06), (0.09, 0.09), (0, 0.12)], (232, 120, 36), ink=(140, 50, 20))
    canvas.spot((0, 0), (0.095, 0.085), (50, 48, 52), ink=INK)
    canvas.spot((0, -0.055), (0.09, 0.03), (116, 206, 84), ink=INK)
    for step in range(6):
        x, y = 0.035 * np.sin(step * 1.3) + 0.006 * step, -0.09 - 0.055 * step
        canvas.spot((x, y), 0.045 - 0.003 * step, (126, 170, 104))
        canvas.spot((x - 0.006, y - 0.006), 0.037 - 0.003 * step, mix((196, 232, 170), WHITE, 0.1 * step))
    for dx, dy in rng.normal(0, 0.03, (4, 2)):
        canvas.spot((dx, dy * 0.3 - 0.055), 0.008, (214, 250, 180))


def draw_cart(canvas: Canvas, rng: Rng) -> None:
    """Draw a mine cart full of gold."""
    for x, y in ((-0.05, -0.075), (0, -0.087), (0.05, -0.075), (-0.025, -0.105), (0.026, -0.107)):
        canvas.shape(make_stone((x, y), 0.027, rng, corners=6), (252, 208, 56), ink=(130, 86, 20), width=0.006)
    canvas.shape([(-0.085, -0.07), (0.085, -0.07), (0.06, 0), (-0.06, 0)], (124, 128, 138), ink=INK)
    canvas.shape([(0.02, -0.07), (0.085, -0.07), (0.06, 0), (0.02, 0)], (92, 96, 106))
    for x in (-0.04, 0.04):
        canvas.spot((x, 0.008), 0.022, (70, 64, 62), ink=INK)
        canvas.spot((x, 0.008), 0.008, (160, 160, 164))


def draw_crystals(canvas: Canvas, rng: Rng) -> None:
    """Draw three blue crystals."""
    colour = vary((120, 210, 222), rng, 8)
    for x, tall in ((-0.035, 0.07), (0.035, 0.065), (0.0, 0.1)):
        top, left, right, shoulder = (x * 1.3, -tall), x - 0.018, x + 0.018, -tall * 0.7
        outline = [(left, 0), (left, shoulder), top, (right, shoulder), (right, 0)]
        canvas.shape(outline, colour, ink=INK, width=0.006)
        canvas.shape([(x, 0), *outline[2:]], darken(colour, 0.3))


def draw_haystack(canvas: Canvas, rng: Rng) -> None:
    """Draw a haystack with a pole."""
    straw = vary((222, 158, 52), rng, 6)
    canvas.shade(make_oval((0.05, 0.06), (0.12, 0.035)), 0.35, blur=0.014)
    canvas.line([(0, -0.06), (0.005, -0.13)], (120, 78, 40), 0.010)
    dome = [(-0.09, 0.065), (-0.088, 0.01), (-0.06, -0.05), (0.0, -0.095), (0.06, -0.05), (0.088, 0.01), (0.09, 0.065)]
    canvas.shape(dome, straw, ink=darken(straw, 0.55), width=0.008)
    canvas.shape([*dome[3:], (0.035, 0.065)], darken(straw, 0.15))
    for _ in range(26):
        u, v = rng.uniform(-0.075, 0.075), rng.uniform(-0.05, 0.05)
        if abs(u) * 1.1 < 0.095 + (min(v, 0.0)) * 0.9:
            tone = lighten(straw, 0.4) if u < 0 else darken(straw, 0.3)
            canvas.line([(u, v - 0.012), (u * 1.12, v + 0.012)], tone, 0.006)
