"""The terrains of drawn tiles, without buildings.

Each painter covers a whole canvas; plants and other motifs stay outside the circles to avoid.
"""

from collections.abc import Callable

import numpy as np

from kdvision.game.board import Terrain
from kdvision.lab.arrays import Rng
from kdvision.lab.render.drawn.buildings import paint_town
from kdvision.lab.render.drawn.canvas import Canvas, Circles, make_blob, make_oval, shift_points
from kdvision.lab.render.drawn.colours import INK, Colour, choose, darken, lighten, mix, vary
from kdvision.lab.render.drawn.motifs import draw_boat, draw_boulder, draw_fir, draw_gold, draw_sheep, draw_tree


def _paint_wheat(canvas: Canvas, rng: Rng, avoid: Circles) -> None:
    canvas.paint_patches([(232, 176, 30), (245, 196, 40), (252, 212, 66)], 0.5, rng)
    middle, slope = rng.uniform(-1.6, 1.6), rng.uniform(0.5, 0.9)
    xs = np.linspace(canvas.left - 0.1, canvas.right + 0.1, 24)
    for number, height in enumerate(np.arange(-0.9, 2.0, 0.085)):
        row = height + slope * 0.16 * np.sin(1.5 * xs + middle)
        if number % 2:
            line = np.stack([xs, row], 1)
            canvas.shade_outline([*line, *shift_points(line, 0, 0.085)[::-1]], 0.035)
        columns = np.arange(canvas.left, canvas.right, 0.06)
        for x, y in zip(columns.tolist(), np.interp(columns, xs, row).tolist(), strict=True):
            ear = canvas.move_origin(x + rng.normal(0, 0.014), y + rng.normal(0, 0.012))
            lean, length = rng.normal(0.010, 0.006), rng.uniform(0.03, 0.05)
            colour = vary((255, 224, 112) if rng.random() < 0.5 else (216, 158, 24), rng, 6)
            top = (lean, -length)
            ear.draw_line([(0, 0), top], colour, 0.006)
            if rng.random() < 0.4:
                ear.draw_line([(lean - 0.012, -length - 0.008), top], colour, 0.006)
                ear.draw_line([(lean + 0.014, -length - 0.008), top], colour, 0.006)
    clearings = [(x, y, radius + 0.1) for x, y, radius in avoid]
    for spot in canvas.scatter(rng, 0.34, avoid=clearings, tries=int(rng.integers(3, 7)), margin=0.18):
        (_draw_haystack if rng.random() < 0.3 else _draw_poppies)(spot, rng)


def _draw_haystack(canvas: Canvas, rng: Rng) -> None:
    straw = vary((222, 158, 52), rng, 6)
    canvas.shade_outline(make_oval((0.05, 0.06), (0.12, 0.035)), 0.35, blur=0.014)
    canvas.draw_line([(0, -0.06), (0.005, -0.13)], (120, 78, 40), 0.010)
    dome = [(-0.09, 0.065), (-0.088, 0.01), (-0.06, -0.05), (0.0, -0.095), (0.06, -0.05), (0.088, 0.01), (0.09, 0.065)]
    canvas.fill_outline(dome, straw, ink=darken(straw, 0.55), width=0.008)
    canvas.fill_outline([*dome[3:], (0.035, 0.065)], darken(straw, 0.15))
    for _ in range(26):
        u, v = rng.uniform(-0.075, 0.075), rng.uniform(-0.05, 0.05)
        if abs(u) * 1.1 < 0.095 + (min(v, 0.0)) * 0.9:
            tone = lighten(straw, 0.4) if u < 0 else darken(straw, 0.3)
            canvas.draw_line([(u, v - 0.012), (u * 1.12, v + 0.012)], tone, 0.006)


def _draw_poppies(canvas: Canvas, rng: Rng) -> None:
    for _ in range(int(rng.integers(1, 4))):
        poppy = canvas.move_origin(rng.normal(0, 0.03), rng.normal(0, 0.02))
        poppy.draw_line([(0, 0), (0.004, 0.03)], (120, 130, 40), 0.006)
        poppy.fill_oval((0, 0), 0.013, (206, 52, 34))
        poppy.fill_oval((0, 0), 0.004, INK)


def _paint_forest(canvas: Canvas, rng: Rng, avoid: Circles) -> None:
    canvas.paint_patches([(62, 78, 30), (82, 102, 40), (104, 122, 48)], 0.25, rng)
    firs = rng.uniform(0.1, 0.6)
    for spot in canvas.scatter(rng, 0.148, avoid=avoid, tries=700, overhang=0.05):
        if rng.random() < firs:
            draw_fir(spot.move_origin(0, 0.1, rng.uniform(0.20, 0.27)), rng)
        else:
            draw_tree(spot.move_origin(0, 0.05, rng.uniform(0.085, 0.115)), rng)


def _paint_lake(canvas: Canvas, rng: Rng, avoid: Circles) -> None:
    canvas.paint_patches([(24, 92, 176), (34, 116, 202), (58, 146, 222)], 0.6, rng)
    for spot in canvas.scatter(rng, 0.11, tries=260):
        half = rng.uniform(0.025, 0.05)
        xs = np.linspace(-half, half, 9)
        ys = 0.006 * np.cos(xs / half * 2 * np.pi)
        crest = (170, 216, 246) if rng.random() < 0.6 else (14, 66, 140)
        spot.draw_line(np.stack([xs, ys], 1), mix((40, 120, 206), crest, rng.uniform(0.3, 0.75)), 0.007)
    spots = canvas.scatter(rng, 0.26, avoid=avoid, tries=int(rng.integers(3, 9)), margin=0.2)
    for number, spot in enumerate(spots):
        fourth = draw_boat if number == 1 else _draw_fish
        (_draw_lilies, _draw_lilies, _draw_fish, fourth)[int(rng.integers(4))](spot, rng)


def _draw_lilies(canvas: Canvas, rng: Rng) -> None:
    for dx, dy in rng.normal(0, 0.03, (int(rng.integers(2, 4)), 2)):
        leaf = canvas.move_origin(dx, dy * 0.6)
        start, size = rng.uniform(0, 6.3), rng.uniform(0.018, 0.028)
        angle = np.linspace(start, start + 5.5, 20)
        pad = np.stack([size * np.cos(angle), size * 0.7 * np.sin(angle)], 1)
        leaf.shade_outline(shift_points(pad, 0.006, 0.006), 0.35, blur=0.004)
        leaf.fill_outline([(0, 0), *pad], vary((86, 160, 70), rng, 8), ink=(40, 96, 50), width=0.004)
    if rng.random() < 0.5:
        for x, y in make_oval((0, 0), (0.009, 0.007), steps=5):
            canvas.fill_oval((x, y), 0.007, (250, 200, 220))
        canvas.fill_oval((0, 0), 0.005, (250, 220, 90))


def _draw_fish(canvas: Canvas, rng: Rng) -> None:
    turn = rng.uniform(-0.5, 0.5) + (np.pi if rng.random() < 0.5 else 0)
    spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    canvas.shade_outline(make_oval((0, 0), (0.036, 0.014), turn=turn), 0.4, blur=0.003)
    canvas.shade_outline(np.array([(-0.036, 0.0), (-0.055, -0.016), (-0.055, 0.016)]) @ spin, 0.4, blur=0.003)


def _paint_grass(canvas: Canvas, rng: Rng, avoid: Circles) -> None:
    canvas.paint_patches([(118, 184, 48), (140, 204, 58), (166, 220, 78)], 0.45, rng)
    for spot in canvas.scatter(rng, 0.075, tries=500):
        colour = vary((92, 158, 40) if rng.random() < 0.6 else (186, 230, 104), rng, 8)
        for lean in (-0.014, 0.0, 0.013):
            spot.draw_line([(0, 0), (lean, -rng.uniform(0.016, 0.028))], colour, 0.006)
    for spot in canvas.scatter(rng, 0.16, avoid=avoid, tries=int(rng.integers(8, 18)), margin=0.04):
        colour = choose(rng, (255, 255, 250), (252, 226, 80), (240, 150, 190))
        for x, y in rng.normal(0, 0.025, (int(rng.integers(2, 6)), 2)):
            spot.fill_oval((x, y), 0.0085, colour)
            spot.fill_oval((x, y), 0.0035, (226, 150, 40))
    for spot in canvas.scatter(rng, 0.2, avoid=avoid, tries=int(rng.integers(3, 9)), margin=0.1):
        draw_sheep(spot.move_origin(0, 0, 0.036), rng)


def _paint_swamp(canvas: Canvas, rng: Rng, avoid: Circles) -> None:
    canvas.paint_patches([(150, 124, 90), (176, 150, 112), (198, 174, 134)], 0.4, rng)
    for spot in canvas.scatter(rng, 0.34, tries=40):
        size = (rng.uniform(0.12, 0.22), rng.uniform(0.05, 0.09))
        outline = make_blob((0, 0), size, rng, wobble=0.28)
        colour = vary((112, 98, 72), rng, 7)
        spot.fill_outline(outline, mix(colour, (206, 186, 150), 0.55))
        spot.fill_outline(outline * 0.93, colour)
        spot.fill_outline(outline * (0.72, 0.6), mix(colour, (84, 88, 66), 0.6))
        for _ in range(3):
            x, y = rng.normal(0, size[0] * 0.3), rng.normal(0, size[1] * 0.35)
            spot.draw_line([(x - 0.025, y), (x + 0.025, y)], lighten(colour, 0.3), 0.006)
    for spot in canvas.scatter(rng, 0.23, avoid=avoid, tries=50, margin=0.06):
        (_draw_reeds, _draw_reeds, _draw_driftwood, _draw_bubbles)[int(rng.integers(4))](spot, rng)


def _draw_reeds(canvas: Canvas, rng: Rng) -> None:
    for _ in range(int(rng.integers(4, 8))):
        reed = canvas.move_origin(rng.normal(0, 0.025), rng.normal(0, 0.008))
        x, y = rng.normal(0, 0.014), -rng.uniform(0.06, 0.11)
        reed.draw_line([(0, 0), (x, y)], vary((104, 110, 52), rng, 8), 0.007)
        if rng.random() < 0.6:
            reed.draw_line([(x, y), (x * 1.3, y - 0.03)], (88, 52, 30), 0.015)


def _draw_driftwood(canvas: Canvas, rng: Rng) -> None:
    tilt = rng.uniform(-0.35, 0.35)
    end = (0.13, -0.13 * tilt)
    bark: Colour = (92, 66, 46)
    canvas.shade_outline(make_oval((0.065, 0.018), (0.08, 0.018)), 0.4, blur=0.008)
    canvas.draw_line([(0, 0), end], darken(bark, 0.6), 0.036)
    canvas.draw_line([(0, 0), end], bark, 0.026)
    canvas.draw_line([(0.07, -0.07 * tilt), (0.10, -0.06)], bark, 0.014)
    canvas.fill_oval(end, (0.009, 0.014), lighten(bark, 0.45))


def _draw_bubbles(canvas: Canvas, rng: Rng) -> None:
    for x, y in rng.normal(0, 0.03, (int(rng.integers(3, 7)), 2)):
        size = rng.uniform(0.007, 0.015)
        canvas.fill_oval((x, y), size, (142, 152, 88), ink=(92, 96, 56), width=0.004)
        canvas.fill_oval((x - size * 0.3, y - size * 0.3), size * 0.3, (220, 226, 180))


def _paint_mine(canvas: Canvas, rng: Rng, avoid: Circles) -> None:
    canvas.paint_patches([(36, 33, 36), (50, 46, 49), (66, 61, 62)], 0.35, rng)
    for _ in range(int(7 * (canvas.right - canvas.left))):
        crack = canvas.move_origin(rng.uniform(canvas.left, canvas.right), rng.uniform(0, 1))
        turns = rng.uniform(0, 6.3) + np.cumsum(rng.normal(0, 0.45, 7))
        path = np.cumsum(np.stack([np.cos(turns), np.sin(turns)], 1) * 0.035, axis=0)
        crack.draw_line(path, (26, 23, 26), 0.008)
        crack.draw_line(path + 0.005, (84, 78, 78), 0.004)
    for spot in canvas.scatter(rng, 0.17, avoid=avoid, tries=24, margin=0.05):
        draw_boulder(spot, rng.uniform(0.02, 0.06), rng)
        if rng.random() < 0.4:
            draw_gold(spot.move_origin(0.06, 0.02), rng)
    for left in np.arange(np.floor(canvas.left), canvas.right):
        x, y = left + rng.uniform(0.42, 0.58), rng.uniform(0.45, 0.62)
        if left + 1 > canvas.left + 0.2 and not any(abs(x - u) < r for u, _, r in avoid):
            _draw_crag(canvas.move_origin(x, y), rng.uniform(0.22, 0.28), rng)


def _draw_crag(canvas: Canvas, size: float, rng: Rng) -> None:
    canvas.shade_outline(make_oval((size * 0.25, size * 0.55), (size * 1.15, size * 0.5)), 0.6, blur=0.03)
    for row, (lift, count, wide) in enumerate(((0.75, 2, 0.25), (0.45, 3, 0.45), (0.1, 4, 0.7), (-0.3, 4, 0.85))):
        for u in np.linspace(-1, 1, count) + rng.normal(0, 0.08, count):
            spot = canvas.move_origin(u * wide * size, (rng.normal(0, 0.03) - lift) * size)
            draw_boulder(spot, size * rng.uniform(0.32, 0.4) * (0.9 + 0.06 * row), rng)


PAINTERS: dict[Terrain, Callable[[Canvas, Rng, Circles], None]] = {
    Terrain.WHEAT: _paint_wheat,
    Terrain.FOREST: _paint_forest,
    Terrain.LAKE: _paint_lake,
    Terrain.GRASS: _paint_grass,
    Terrain.SWAMP: _paint_swamp,
    Terrain.MINE: _paint_mine,
    Terrain.TOWN: paint_town,
}
