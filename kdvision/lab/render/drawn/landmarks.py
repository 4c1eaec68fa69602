"""Buildings on the crowned squares of drawn tiles: mill, cabin, boathouse, farm, hut and mine.

Each builder draws on a canvas whose square reaches from (0, 0) to (1, 1), and stays below the crowns.
"""

from collections.abc import Callable

import numpy as np

from kdvision.game.board import Terrain
from kdvision.lab.arrays import Rng
from kdvision.lab.render.drawn import motifs
from kdvision.lab.render.drawn.canvas import Canvas, make_blob, make_oval, make_stone, shift_points
from kdvision.lab.render.drawn.colours import INK, WHITE, Colour, darken, lighten, mix, vary

_PLASTER: Colour = (240, 226, 196)


def _draw_mill(canvas: Canvas, _crowns: int, rng: Rng) -> None:
    canvas = canvas.move_origin(0.5, 0.9)
    canvas.shade_outline([(0, 0.02), (0.42, -0.03), (0.42, -0.12), (0.1, -0.1)], 0.3, blur=0.02)
    canvas.fill_oval((0, -0.005), (0.19, 0.04), (150, 146, 88))
    canvas.fill_outline([(-0.15, 0), (0.15, 0), (0.095, -0.40), (-0.095, -0.40)], _PLASTER, ink=INK)
    canvas.fill_outline([(0.04, 0), (0.15, 0), (0.095, -0.40), (0.03, -0.40)], darken(_PLASTER, 0.2))
    for share in (0.34, 0.67):
        half = 0.15 - 0.055 * share
        canvas.draw_line([(-half, -0.4 * share), (half, -0.4 * share)], (186, 84, 60), 0.020)
    motifs.draw_door(canvas.move_origin(-0.01, 0), 0.075, 0.11)
    motifs.draw_window(canvas.move_origin(-0.02, -0.2), 0.04)
    cap = np.concatenate([[(-0.115, 0.005)], make_oval((0, 0), 0.115)[14:], [(0.115, 0.005)]])
    red = vary((196, 62, 44), rng, 12)
    canvas.fill_outline(shift_points(cap, 0, -0.4), red, ink=INK)
    canvas.fill_outline(shift_points(cap * (0.5, 0.6), -0.03, -0.415), lighten(red, 0.2))
    canvas, reach, wood = canvas.move_origin(0, -0.43), 0.33, (110, 66, 40)
    for angle in rng.uniform(0.1, 1.45) + np.arange(4) * np.pi / 2:  # the sails
        along = np.array((np.cos(angle), np.sin(angle)))
        across = np.array((-along[1], along[0])) * 0.085
        inner, outer = along * reach * 0.25, along * reach
        sail = np.array([inner, outer, outer + across, inner + across])
        canvas.shade_outline(shift_points(sail, 0.02, 0.025), 0.25, blur=0.006)
        canvas.fill_outline(sail, (250, 244, 228), ink=wood, width=0.010)
        for share in np.linspace(0.2, 0.8, 4):
            rung = inner + (outer - inner) * share
            canvas.draw_line([rung, rung + across], wood, 0.007)
        canvas.draw_line([inner + across / 2, outer + across / 2], wood, 0.006)
        canvas.draw_line([along * 0, outer], (92, 54, 34), 0.020)
    canvas.fill_oval((0, 0), 0.025, (236, 190, 70), ink=INK)


def _draw_cabin(canvas: Canvas, _crowns: int, rng: Rng) -> None:
    canvas.fill_outline(make_blob((0.52, 0.72), (0.40, 0.22), rng, wobble=0.08), (136, 140, 70))
    canvas.fill_outline(make_blob((0.52, 0.74), (0.33, 0.15), rng, wobble=0.1), (176, 160, 100))
    for x, y, height in ((0.2, 0.6, 0.3), (0.84, 0.55, 0.32), (0.1, 0.78, 0.27)):
        motifs.draw_fir(canvas.move_origin(x, y, height), rng)
    size, roof = (0.26, 0.30, 0.17, 0.19), vary((112, 72, 46), rng, 8)
    motifs.draw_house(canvas.move_origin(0.28, 0.80), size, wall=(164, 116, 72), roof=roof, rows=4)
    for y in (0.76, 0.72, 0.68):
        for left, right in ((0.28, 0.36), (0.46, 0.54)):
            canvas.draw_line([(left, y), (right, y)], (118, 78, 46), 0.007)
        canvas.draw_line([(0.54, y), (0.84, y - 0.09)], (96, 62, 38), 0.007)
    motifs.draw_chimney(canvas.move_origin(0.62, 0.47))
    motifs.draw_smoke(canvas.move_origin(0.66, 0.35), rng)
    for log in ((0.68, 0.88), (0.73, 0.88), (0.78, 0.88), (0.705, 0.838), (0.755, 0.838), (0.73, 0.796)):
        canvas.fill_oval(log, 0.026, (206, 160, 102), ink=(92, 60, 38))
        canvas.fill_oval(log, 0.010, (176, 128, 78))
    motifs.draw_tree(canvas.move_origin(0.14, 0.93, 0.09), rng)


def _draw_boathouse(canvas: Canvas, _crowns: int, rng: Rng) -> None:
    canvas.shade_outline([(0.2, 0.80), (0.80, 0.80), (0.92, 0.90), (0.3, 0.93)], 0.4, blur=0.02)
    for x, y in ((0.22, 0.84), (0.36, 0.88), (0.52, 0.88), (0.66, 0.83), (0.80, 0.79), (0.90, 0.78)):
        canvas.draw_line([(x, y - 0.1), (x, y)], (88, 56, 36), 0.022)
        canvas.draw_line([(x - 0.03, y + 0.006), (x + 0.03, y + 0.006)], (170, 214, 244), 0.007)
    deck = np.array([(0.16, 0.80), (0.56, 0.80), (0.94, 0.70), (0.94, 0.66), (0.56, 0.64), (0.2, 0.72)])
    canvas.fill_outline(shift_points(deck, 0, 0.02), (112, 66, 38), ink=INK)
    canvas.fill_outline(deck, (190, 110, 62), ink=INK)
    for share in np.linspace(0.05, 0.95, 12):
        x, y = 0.16 + 0.78 * share, 0.80 - max(0.0, share - 0.5) * 0.2
        canvas.draw_line([(x, y), (x + 0.02, y - 0.06)], (146, 80, 46), 0.006)
    size, straw = (0.25, 0.29, 0.16, 0.20), vary((224, 184, 70), rng, 8)
    motifs.draw_house(
        canvas.move_origin(0.26, 0.75), size, wall=_PLASTER, roof=straw, rows=3, beams=True, has_shadow=False
    )
    motifs.draw_boat(canvas.move_origin(0.56, 0.93), rng)


def _draw_farm(canvas: Canvas, crowns: int, rng: Rng) -> None:
    """Draw a farmhouse with a red roof; with two crowns a barn beside it and a full fold."""
    canvas.fill_outline(make_blob((0.52, 0.80), (0.40, 0.13), rng, wobble=0.1), (190, 200, 100))
    if crowns > 1:
        motifs.draw_house(
            canvas.move_origin(0.50, 0.63), (0.20, 0.22, 0.12, 0.15), wall=(206, 168, 122), roof=(170, 58, 40), rows=4
        )
    x, size = (0.11, (0.27, 0.26, 0.17, 0.20)) if crowns > 1 else (0.27, (0.28, 0.32, 0.17, 0.21))
    motifs.draw_house(canvas.move_origin(x, 0.80), size, wall=_PLASTER, roof=vary((206, 66, 46), rng, 10), beams=True)
    if crowns > 1:
        motifs.draw_chimney(canvas.move_origin(0.42, 0.47))
        flock = [(0.72, 0.79), (0.82, 0.86), (0.66, 0.89), (0.88, 0.75), (0.53, 0.91), (0.14, 0.92)]
        motifs.draw_fence(canvas, (0.56, 0.98), (0.95, 0.94), 8)
    else:
        motifs.draw_chimney(canvas.move_origin(0.66, 0.46))
        motifs.draw_smoke(canvas.move_origin(0.69, 0.34), rng)
        flock = [(0.76, 0.88), (0.2, 0.9)]
        motifs.draw_fence(canvas, (0.32, 0.95), (0.66, 0.95), 7)
    for x, y in flock:
        motifs.draw_sheep(canvas.move_origin(x + rng.normal(0, 0.012), y + rng.normal(0, 0.008), 0.034), rng)


def _draw_hut(canvas: Canvas, crowns: int, rng: Rng) -> None:
    """Draw a crooked hut on stilts; with two crowns a cauldron steams beside it."""
    pool = make_blob((0, 0), (0.42, 0.12), rng, wobble=0.12)
    canvas.fill_outline(shift_points(pool, 0.5, 0.84), (150, 138, 100))
    canvas.fill_outline(shift_points(pool * 0.92, 0.5, 0.84), (88, 86, 62))
    for x, y in ((0.30, 0.88), (0.42, 0.92), (0.56, 0.92), (0.70, 0.87)):
        canvas.draw_line([(x, y), (x + (0.5 - x) * 0.2, y - 0.16)], (66, 46, 34), 0.026)
        canvas.draw_line([(x - 0.03, y), (x + 0.03, y)], (150, 146, 110), 0.007)
    floor = [(0.24, 0.76), (0.56, 0.79), (0.80, 0.71), (0.50, 0.68)]
    canvas.fill_outline(shift_points(floor, 0, 0.025), (70, 48, 34), ink=INK)
    canvas.fill_outline(floor, (124, 86, 58), ink=INK)
    canvas.fill_outline([(0.56, 0.77), (0.74, 0.71), (0.69, 0.53), (0.53, 0.56)], (92, 68, 52), ink=INK)
    front = np.array([(0.30, 0.75), (0.56, 0.77), (0.53, 0.56), (0.34, 0.55)])
    canvas.fill_outline(front, (132, 102, 76), ink=INK)
    for foot, top in np.linspace(front[[0, 3]], front[[1, 2]], 5)[1:-1]:
        canvas.draw_line([foot, top], (92, 66, 48), 0.007)
    motifs.draw_door(canvas.move_origin(0.40, 0.757), 0.085, 0.13)
    canvas.fill_oval((0.63, 0.64), 0.032, (250, 222, 96), ink=INK)
    moss: Colour = (112, 116, 62) if crowns == 1 else (96, 84, 116)
    ridge = [(0.55, 0.27), (0.66, 0.42), (0.79, 0.55), (0.57, 0.62)]
    canvas.fill_outline([(0.25, 0.59), (0.38, 0.44), (0.46, 0.29), *ridge, (0.41, 0.60)], moss, ink=INK)
    canvas.fill_outline(ridge, darken(moss, 0.3))
    for x, y in ((0.37, 0.53), (0.46, 0.47), (0.45, 0.38), (0.54, 0.55), (0.62, 0.48), (0.57, 0.38)):
        canvas.draw_line([(x - 0.03, y - 0.01), (x, y + 0.012), (x + 0.03, y - 0.008)], darken(moss, 0.5), 0.007)
    if crowns > 1:
        canvas = canvas.move_origin(0.19, 0.80)
        canvas.fill_outline([(-0.09, 0.09), (0, 0.06), (0.09, 0.09), (0, 0.12)], (232, 120, 36), ink=(140, 50, 20))
        canvas.fill_oval((0, 0), (0.095, 0.085), (50, 48, 52), ink=INK)
        canvas.fill_oval((0, -0.055), (0.09, 0.03), (116, 206, 84), ink=INK)
        for step in range(6):
            x, y = 0.035 * np.sin(step * 1.3) + 0.006 * step, -0.09 - 0.055 * step
            canvas.fill_oval((x, y), 0.045 - 0.003 * step, (126, 170, 104))
            canvas.fill_oval((x - 0.006, y - 0.006), 0.037 - 0.003 * step, mix((196, 232, 170), WHITE, 0.1 * step))
        for dx, dy in rng.normal(0, 0.03, (4, 2)):
            canvas.fill_oval((dx, dy * 0.3 - 0.055), 0.008, (214, 250, 180))


def _draw_mine(canvas: Canvas, crowns: int, rng: Rng) -> None:
    """Draw a mountain with a timbered adit, rails and a cart of gold; richer with every crown."""
    canvas.shade_outline(make_oval((0.56, 0.80), (0.44, 0.14)), 0.6, blur=0.03)
    for lift, count, wide in ((0.40, 2, 0.07), (0.31, 3, 0.17), (0.20, 4, 0.26), (0.08, 5, 0.33), (-0.02, 5, 0.36)):
        for u in np.linspace(-1, 1, count) + rng.normal(0, 0.05, count):
            spot = canvas.move_origin(0.5 + u * wide, 0.72 - lift + rng.normal(0, 0.008))
            motifs.draw_boulder(spot, rng.uniform(0.095, 0.12), rng, (190, 168, 130))
    for x in (0.36, 0.68) if crowns > 2 else (0.5,):
        _draw_adit(canvas.move_origin(x, 0.82), 0.085 if crowns > 2 else 0.11)
    for number, x in enumerate((0.24, 0.52, 0.80) if crowns > 2 else (0.60, 0.26)[:crowns]):
        _draw_cart(canvas.move_origin(x, 0.90 + 0.02 * (number % 2)), rng)
    for x in rng.uniform(0.08, 0.92, 2 * crowns):
        motifs.draw_gold(canvas.move_origin(x, rng.uniform(0.9, 0.96)), rng)
    for x, y in ((0.16, 0.72), (0.86, 0.70), (0.30, 0.48), (0.70, 0.46))[: 2 * (crowns - 1)]:
        crystals, colour = canvas.move_origin(x, y), vary((120, 210, 222), rng, 8)
        for foot, tall in ((-0.035, 0.07), (0.035, 0.065), (0.0, 0.1)):
            top, left, right, shoulder = (foot * 1.3, -tall), foot - 0.018, foot + 0.018, -tall * 0.7
            outline = [(left, 0), (left, shoulder), top, (right, shoulder), (right, 0)]
            crystals.fill_outline(outline, colour, ink=INK, width=0.006)
            crystals.fill_outline([(foot, 0), *outline[2:]], darken(colour, 0.3))


def _draw_cart(canvas: Canvas, rng: Rng) -> None:
    for x, y in ((-0.05, -0.075), (0, -0.087), (0.05, -0.075), (-0.025, -0.105), (0.026, -0.107)):
        canvas.fill_outline(make_stone((x, y), 0.027, rng, corners=6), (252, 208, 56), ink=(130, 86, 20), width=0.006)
    canvas.fill_outline([(-0.085, -0.07), (0.085, -0.07), (0.06, 0), (-0.06, 0)], (124, 128, 138), ink=INK)
    canvas.fill_outline([(0.02, -0.07), (0.085, -0.07), (0.06, 0), (0.02, 0)], (92, 96, 106))
    for x in (-0.04, 0.04):
        canvas.fill_oval((x, 0.008), 0.022, (70, 64, 62), ink=INK)
        canvas.fill_oval((x, 0.008), 0.008, (160, 160, 164))


def _draw_adit(canvas: Canvas, half: float) -> None:
    timber: Colour = (176, 74, 46)
    inner = half * 0.85
    canvas.fill_outline([(-half, 0), (-inner, -0.21), (inner, -0.21), (half, 0)], (18, 14, 16))
    for share in (0.3, 0.55, 0.8):
        y, wide = 0.18 * share - 0.05, half * (0.55 + 0.35 * share)
        canvas.draw_line([(-wide, y), (wide, y)], (120, 78, 48), 0.018)
    for side in (-1, 1):
        canvas.draw_line([(side * half * 0.4, -0.05), (side * half * 0.7, 0.13)], (168, 168, 172), 0.012)
    for side in (-1, 1):
        for width, tone in ((0.046, INK), (0.032, timber)):
            canvas.draw_line([(side * half, 0.01), (side * inner, -0.22)], tone, width)
    for width, tone in ((0.056, INK), (0.042, lighten(timber, 0.1))):
        canvas.draw_line([(-half * 1.25, -0.215), (half * 1.25, -0.215)], tone, width)


BUILDERS: dict[Terrain, Callable[[Canvas, int, Rng], None]] = {
    Terrain.WHEAT: _draw_mill,
    Terrain.FOREST: _draw_cabin,
    Terrain.LAKE: _draw_boathouse,
    Terrain.GRASS: _draw_farm,
    Terrain.SWAMP: _draw_hut,
    Terrain.MINE: _draw_mine,
}
