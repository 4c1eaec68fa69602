"""Motifs of drawn tiles: trees, animals, stones and treasures, lit from the upper left."""

from __future__ import annotations

import numpy as np

from kdvision.lab.render.drawn.canvas import Canvas
from kdvision.lab.render.drawn.colours import INK, Colour, darken, lighten, mix, vary
from kdvision.lab.render.drawn.shapes import Point, Rng, make_oval, make_stone, shift_points


def draw_tree(canvas: Canvas, at: Point, size: float, rng: Rng) -> None:
    """Draw a broad-leaved tree whose crown is centred a little above the point."""
    x, y = at[0], at[1] - size * 0.6
    green = vary((44, 110, 48), rng, 11)
    canvas.shade([make_oval((x + size * 0.45, y + size * 0.75), (size * 1.0, size * 0.65))], 0.4, blur=0.02)
    canvas.line([(x, y + size * 0.7), (x, y + size * 1.35)], (84, 56, 34), size * 0.26)
    leaves = [(a, rng.uniform(0.55, 0.7)) for a in np.arange(0, 6.28, 0.9) + rng.uniform(0, 1)]
    for a, r in leaves:
        canvas.spot((x + size * r * np.cos(a), y + size * r * np.sin(a)), size * 0.5, darken(green, 0.85))
    for a, r in leaves:
        canvas.spot((x + size * r * np.cos(a), y + size * r * np.sin(a)), size * 0.42, darken(green, 0.3))
    canvas.spot((x, y), size * 0.72, darken(green, 0.2))
    for shift, share in ((0.12, 0.0), (0.26, 0.16), (0.38, 0.3)):
        colour = mix(green, (150, 190, 80), share)
        for _ in range(4):
            dx, dy = rng.normal(0, size * 0.24, 2)
            spot = (x - size * shift + dx, y - size * shift * 1.1 + dy)
            canvas.spot(spot, size * rng.uniform(0.16, 0.27) * (1.15 - shift), colour)


def draw_fir(canvas: Canvas, foot: Point, height: float, rng: Rng) -> None:
    """Draw a fir tree that stands on the point."""
    x, y = foot
    green = vary((28, 92, 62), rng, 9)
    half = height * 0.36
    canvas.shade([make_oval((x + half * 0.5, y - height * 0.06), (half * 1.1, height * 0.14))], 0.4, blur=0.015)
    canvas.line([(x, y), (x, y - height * 0.2)], (78, 52, 34), height * 0.09)
    for tier in range(4):
        low, wide = y - height * (0.12 + 0.2 * tier), half * (1 - 0.2 * tier)
        top = y - height * min(1.0, 0.5 + 0.2 * tier)
        hem = [(x + wide * u, low + height * (0.02 if i % 2 else -0.03)) for i, u in enumerate(np.linspace(1, -1, 9))]
        canvas.shape([(x, top), *hem], green, ink=darken(green, 0.75), width=0.006)
        canvas.shape([(x, top), *[(u, v - 0.003) for u, v in hem[4:]]], mix(green, (130, 178, 90), 0.35))


def draw_sheep(canvas: Canvas, at: Point, rng: Rng, size: float = 0.036) -> None:
    """Draw a sheep that grazes at the point."""
    x, y = at
    way = 1 if rng.random() < 0.5 else -1
    wool = vary((246, 244, 236), rng, 4)
    canvas.shade([make_oval((x + 0.01, y + size * 0.8), (size * 1.25, size * 0.4))], 0.35, blur=0.008)
    for leg in (-0.5, -0.2, 0.25, 0.5):
        canvas.line([(x + leg * size, y + size * 0.3), (x + leg * size, y + size)], INK, 0.008)
    puffs = [(-0.7, 0.0), (-0.35, -0.4), (0.15, -0.48), (0.6, -0.15), (0.55, 0.25), (0.0, 0.3), (-0.45, 0.3), (0, 0)]
    for dx, dy in puffs:
        canvas.spot((x + dx * size, y + dy * size), size * 0.5, (150, 148, 140))
    for dx, dy in puffs:
        canvas.spot((x + dx * size, y + dy * size), size * 0.42, wool)
    canvas.spot((x + way * size * 1.15, y + size * 0.05), (size * 0.36, size * 0.46), (64, 54, 50), turn=way * 0.4)


def draw_boulder(canvas: Canvas, at: Point, size: float, rng: Rng, colour: Colour = (168, 150, 122)) -> None:
    """Draw a rock lit from the upper left."""
    tone = vary(colour, rng, 9)
    shape = make_stone(at, (size, size * 0.85), rng)
    canvas.shade([shift_points(shape, size * 0.3, size * 0.35)], 0.5, blur=0.012)
    canvas.shape(shape, darken(tone, 0.42), ink=(44, 36, 32), width=0.008)
    middle = np.array(at)
    canvas.shape((shape - middle) * 0.8 + middle + (-size * 0.1, -size * 0.12), tone)
    canvas.shape((shape - middle) * (0.45, 0.4) + middle + (-size * 0.22, -size * 0.3), lighten(tone, 0.25))


def draw_crag(canvas: Canvas, at: Point, size: float, rng: Rng) -> None:
    """Draw a crag: boulders piled up around the point."""
    canvas.shade([make_oval((at[0] + size * 0.25, at[1] + size * 0.55), (size * 1.15, size * 0.5))], 0.6, blur=0.03)
    for row, (lift, count, wide) in enumerate(((0.75, 2, 0.25), (0.45, 3, 0.45), (0.1, 4, 0.7), (-0.3, 4, 0.85))):
        for u in np.linspace(-1, 1, count) + rng.normal(0, 0.08, count):
            spot = (at[0] + u * wide * size, at[1] - lift * size + rng.normal(0, 0.03) * size)
            draw_boulder(canvas, spot, size * rng.uniform(0.32, 0.4) * (0.9 + 0.06 * row), rng)


def draw_gold(canvas: Canvas, at: Point, rng: Rng) -> None:
    """Draw a few nuggets."""
    for dx, dy in rng.normal(0, 0.016, (3, 2)):
        nugget = make_stone((at[0] + dx, at[1] + dy), rng.uniform(0.010, 0.016), rng, corners=6)
        canvas.shape(nugget, (250, 204, 50), ink=(120, 80, 20), width=0.005)


def draw_boat(canvas: Canvas, at: Point, rng: Rng) -> None:
    """Draw a rowing boat with an oar."""
    x, y = at
    hull = np.array([(-0.12, -0.03), (0.12, -0.03), (0.075, 0.025), (-0.075, 0.025)]) + at
    canvas.shade([shift_points(hull, 0.015, 0.03)], 0.4, blur=0.008)
    canvas.shape(hull, vary((170, 78, 48), rng, 10), ink=INK)
    canvas.shape(make_oval((x, y - 0.03), (0.115, 0.018)), (96, 58, 38), ink=INK, width=0.006)
    canvas.line([(x - 0.03, y - 0.045), (x + 0.13, y + 0.01)], (222, 190, 130), 0.010)


def draw_cauldron(canvas: Canvas, at: Point, rng: Rng) -> None:
    """Draw a steaming cauldron on a fire."""
    x, y = at
    canvas.shape(
        [(x - 0.09, y + 0.09), (x, y + 0.06), (x + 0.09, y + 0.09), (x, y + 0.12)], (232, 120, 36), ink=(140, 50, 20)
    )
    canvas.spot(at, (0.095, 0.085), (50, 48, 52), ink=INK)
    canvas.spot((x, y - 0.055), (0.09, 0.03), (116, 206, 84), ink=INK)
    for step in range(6):
        spot = (x + 0.035 * np.sin(step * 1.3) + 0.006 * step, y - 0.09 - 0.055 * step)
        canvas.spot(spot, 0.045 - 0.003 * step, (126, 170, 104))
        canvas.spot(
            (spot[0] - 0.006, spot[1] - 0.006), 0.037 - 0.003 * step, mix((196, 232, 170), (255, 255, 255), 0.1 * step)
        )
    for dx, dy in rng.normal(0, 0.03, (4, 2)):
        canvas.spot((x + dx, y - 0.055 + dy * 0.3), 0.008, (214, 250, 180))


def draw_cart(canvas: Canvas, at: Point, rng: Rng) -> None:
    """Draw a mine cart full of gold."""
    x, y = at
    for dx, dy in ((-0.05, 0), (0, -0.012), (0.05, 0), (-0.025, -0.03), (0.026, -0.032)):
        canvas.shape(
            make_stone((x + dx, y - 0.075 + dy), 0.027, rng, corners=6), (252, 208, 56), ink=(130, 86, 20), width=0.006
        )
    canvas.shape([(x - 0.085, y - 0.07), (x + 0.085, y - 0.07), (x + 0.06, y), (x - 0.06, y)], (124, 128, 138), ink=INK)
    canvas.shape([(x + 0.02, y - 0.07), (x + 0.085, y - 0.07), (x + 0.06, y), (x + 0.02, y)], (92, 96, 106))
    for dx in (-0.04, 0.04):
        canvas.spot((x + dx, y + 0.008), 0.022, (70, 64, 62), ink=INK)
        canvas.spot((x + dx, y + 0.008), 0.008, (160, 160, 164))


def draw_crystals(canvas: Canvas, at: Point, rng: Rng) -> None:
    """Draw three blue crystals."""
    x, y = at
    colour = vary((120, 210, 222), rng, 8)
    for lean, tall in ((-0.035, 0.07), (0.035, 0.065), (0.0, 0.1)):
        top = (x + lean * 1.3, y - tall)
        canvas.shape(
            [
                (x + lean - 0.018, y),
                (x + lean - 0.018, y - tall * 0.7),
                top,
                (x + lean + 0.018, y - tall * 0.7),
                (x + lean + 0.018, y),
            ],
            colour,
            ink=INK,
            width=0.006,
        )
        canvas.shape(
            [(x + lean, y), top, (x + lean + 0.018, y - tall * 0.7), (x + lean + 0.018, y)], darken(colour, 0.3)
        )


def draw_haystack(canvas: Canvas, at: Point, rng: Rng) -> None:
    """Draw a haystack with a pole."""
    x, y = at
    straw = vary((222, 158, 52), rng, 6)
    canvas.shade([make_oval((x + 0.05, y + 0.06), (0.12, 0.035))], 0.35, blur=0.014)
    canvas.line([(x, y - 0.06), (x + 0.005, y - 0.13)], (120, 78, 40), 0.010)
    dome = [(-0.09, 0.065), (-0.088, 0.01), (-0.06, -0.05), (0.0, -0.095), (0.06, -0.05), (0.088, 0.01), (0.09, 0.065)]
    canvas.shape(shift_points(dome, x, y), straw, ink=darken(straw, 0.55), width=0.008)
    canvas.shape(shift_points([(0.0, -0.095), *dome[4:], (0.035, 0.065)], x, y), darken(straw, 0.15))
    for _ in range(26):
        u, v = rng.uniform(-0.075, 0.075), rng.uniform(-0.05, 0.05)
        if abs(u) * 1.1 < 0.095 + (min(v, 0.0)) * 0.9:
            tone = lighten(straw, 0.4) if u < 0 else darken(straw, 0.3)
            canvas.line([(x + u, y + v - 0.012), (x + u * 1.12, y + v + 0.012)], tone, 0.006)
