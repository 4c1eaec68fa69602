"""Drawn Queendomino: empty towns, and its buildings."""

import cv2
import numpy as np

from kdvision.lab.arrays import Rng
from kdvision.lab.render.drawn.canvas import Canvas, Circles, make_oval, make_stone, shift_points
from kdvision.lab.render.drawn.colours import INK, Colour, choose, darken, lighten, vary
from kdvision.lab.render.drawn.motifs import draw_chimney, draw_crown, draw_door, draw_house, draw_smoke

_EARTH: Colour = (206, 74, 52)
_GREY: Colour = (176, 168, 162)
_TIMBER: Colour = (74, 44, 32)
_PLASTER: Colour = (236, 220, 190)
_FLAGS: tuple[Colour, ...] = ((240, 196, 40), (80, 150, 226), (150, 200, 60), (90, 120, 50))
_SHIELD = [(-0.075, -0.09), (0.0, -0.075), (0.075, -0.09), (0.075, 0.02), (0.04, 0.075), (0.0, 0.095)]
_SHIELD += [(-0.04, 0.075), (-0.075, 0.02)]


def paint_town(canvas: Canvas, rng: Rng, avoid: Circles) -> None:
    """Paint a building site on red earth: frames of timber, blocks of stone, tools."""
    _paint_ground(canvas, vary(_EARTH, rng, 12), rng)
    for x in np.arange(np.floor(canvas.left), canvas.right):
        if x + 0.7 < canvas.right and x + 0.3 > canvas.left:
            for peg in (canvas.move_origin(x + u, v) for u in (0.1, 0.9) for v in (0.12, 0.9)):
                peg.draw_line([(0, 0), (0.008, -0.045)], darken(_TIMBER, 0.2), 0.012)
                peg.draw_line([(-0.03, 0.004), (0.035, -0.03)], darken(_EARTH, 0.5), 0.005)  # a rope
            _draw_site(canvas.move_origin(x + rng.uniform(0.42, 0.58), rng.uniform(0.55, 0.7)), rng)
    for spot in canvas.scatter(rng, 0.2, avoid=avoid, tries=int(rng.integers(2, 9)), margin=0.15):
        block, grey = spot.move_origin(0, 0, rng.uniform(0.03, 0.06)), vary((198, 190, 178), rng, 12)
        block.shade_outline(make_oval((0.3, 0.6), (1, 0.5)), 0.35, blur=0.22)
        block.fill_outline(make_stone((0, 0), (1, 0.75), rng, corners=6), grey, ink=INK, width=0.13)
        block.fill_outline(make_stone((-0.15, -0.2), (0.55, 0.35), rng), lighten(grey))


def _paint_ground(canvas: Canvas, earth: Colour, rng: Rng) -> None:
    canvas.paint_patches([darken(earth, 0.06), earth, lighten(earth, 0.08)], 0.4, rng)
    for spot in canvas.scatter(rng, 0.035, tries=int(rng.integers(60, 260))):
        tone = darken(earth, 0.16) if rng.random() < 0.6 else lighten(earth, rng.uniform(0.1, 0.3))
        spot.fill_oval((0, 0), (rng.uniform(0.006, 0.014), rng.uniform(0.003, 0.007)), tone)


def _draw_site(canvas: Canvas, rng: Rng) -> None:
    """Draw a scaffold, with or without a part of a wall, seen slightly from above."""
    wide, deep, tall = rng.uniform(0.22, 0.4), rng.uniform(0.08, 0.16), rng.uniform(0.12, 0.26)
    half, back = wide / 2, (deep * rng.choice((-1, 1)), -deep * 0.8)
    canvas.shade_outline(make_oval((0.04, 0), (wide * 0.65, deep * 0.8)), 0.3, blur=0.02)
    timber = vary(_TIMBER, rng, 10)
    feet = [(-half, 0.0), (half, 0.0), (half + back[0], back[1]), (back[0] - half, back[1])]
    if rng.random() < 0.6:
        wall = tall * rng.uniform(0.3, 0.8)
        plaster = vary((226, 214, 190), rng, 10)
        canvas.fill_outline([feet[0], feet[1], (half, -wall * 0.7), (-half, -wall)], plaster, ink=INK)
        canvas.fill_outline([feet[0], feet[3], (feet[3][0], feet[3][1] - wall), (-half, -wall)], darken(plaster, 0.25))
    for x, y in feet[::-1]:
        canvas.draw_line([(x, y), (x, y - tall * rng.uniform(0.85, 1.3))], timber, 0.014)
    for lift in rng.uniform(0.3, 1.0, 3):
        level = shift_points(feet, 0, -tall * float(lift))
        canvas.draw_line(level[: int(rng.integers(2, 5))], timber, 0.011)
    canvas.draw_line([feet[0], (half, -tall)], timber, 0.009)
    for _ in range(int(rng.integers(1, 4))):
        x, y = rng.uniform(-0.3, 0.3), rng.uniform(0.06, 0.16)
        canvas.draw_line([(x, y), (x + rng.uniform(0.05, 0.12), y - rng.uniform(-0.03, 0.03))], timber, 0.014)


def draw_building(canvas: Canvas, rng: Rng) -> None:
    """Cover a canvas one square wide with a finished building on red ground."""
    _paint_ground(canvas, vary(_EARTH, rng, 12), rng)
    _BUILDERS[int(rng.integers(len(_BUILDERS)))](canvas, rng)
    for _ in range(int(rng.integers(0, 3))):
        _draw_man(canvas.move_origin(rng.uniform(0.12, 0.88), rng.uniform(0.72, 0.88)), rng)
    if rng.random() < 0.45:
        flag, cloth = canvas.move_origin(rng.uniform(0.3, 0.6), 0.2), choose(rng, *_FLAGS)
        flag.draw_line([(0, 0.16), (0, -0.09)], _TIMBER, 0.014)
        flag.fill_outline([(0, -0.09), (0.2, -0.08), (0.17, 0), (0.2, 0.06), (0, 0.06)], cloth, ink=INK)
        flag.fill_oval((0.09, -0.015), (0.05, 0.028), (250, 248, 240), turn=float(rng.uniform(-1, 1)))
    _draw_value(canvas, rng)


def draw_unbuilt(canvas: Canvas, rng: Rng) -> None:
    """Cover a canvas one square wide with the side of a building that is not paid for: small and on grey."""
    _paint_ground(canvas, vary(_GREY, rng, 10), rng)
    full_canvas = Canvas(0, 1, canvas.unit)
    full_canvas.pixels[:] = canvas.pixels
    _BUILDERS[int(rng.integers(len(_BUILDERS)))](full_canvas, rng)
    half, start = canvas.unit // 2, canvas.unit // 4
    half_pixels = cv2.resize(full_canvas.pixels, (half, half), interpolation=cv2.INTER_AREA)
    canvas.pixels[start : start + half, start : start + half] = half_pixels
    for number in range(int(rng.integers(0, 4))):
        canvas.fill_oval((0.1 + 0.09 * number, 0.1), (0.03, 0.05), (70, 66, 66))
    _draw_value(canvas, rng)


def _draw_cottage(canvas: Canvas, rng: Rng) -> None:
    wide, roof = rng.uniform(0.24, 0.32), vary((150, 62, 44), rng, 16)
    size = (wide, rng.uniform(0.2, 0.3), rng.uniform(0.16, 0.2), rng.uniform(0.14, 0.22))
    draw_house(
        canvas.move_origin(rng.uniform(0.2, 0.3), 0.72), size, wall=vary(_PLASTER, rng, 8), roof=roof, beams=True
    )
    if rng.random() < 0.6:
        draw_chimney(canvas.move_origin(0.58, 0.42))
        draw_smoke(canvas.move_origin(0.62, 0.3), rng)


def _draw_castle(canvas: Canvas, rng: Rng) -> None:
    grey = vary((212, 204, 190), rng, 14)
    canvas.shade_outline(make_oval((0.55, 0.72), (0.34, 0.07)), 0.35, blur=0.02)
    sizes = ((0.32, 0.16, rng.uniform(0.3, 0.44)), (0.66, 0.14, rng.uniform(0.2, 0.4)), (0.49, 0.26, 0.26))
    for x, wide, tall in sizes:
        keep, half, top = canvas.move_origin(x, 0.72), wide / 2, -tall * 0.7
        keep.fill_box(-half, -tall, half, 0, grey, INK)
        keep.fill_outline([(wide * 0.15, 0), (half, 0), (half, -tall), (wide * 0.15, -tall)], darken(grey, 0.2))
        for merlon in np.linspace(-half, half - wide * 0.2, 3):
            keep.fill_box(merlon, -tall - 0.04, merlon + wide * 0.2, -tall, grey, INK)
        if rng.random() < 0.5:
            keep.fill_outline([(-half - 0.02, -tall), (half + 0.02, -tall), (0, -tall - wide)], (176, 70, 48), ink=INK)
        keep.fill_outline([(-0.015, top), (0.015, top), (0.015, top + 0.05), (-0.015, top + 0.05)], (70, 58, 52))
    draw_door(canvas.move_origin(0.49, 0.72), 0.09, 0.13)


def _draw_watermill(canvas: Canvas, rng: Rng) -> None:
    _draw_cottage(canvas, rng)
    wheel, reach, wood = canvas.move_origin(rng.uniform(0.4, 0.55), 0.58), rng.uniform(0.15, 0.2), (134, 86, 44)
    for angle in np.arange(0, np.pi, np.pi / 4) + rng.uniform(0, 1):
        along = np.array((np.cos(angle), np.sin(angle))) * reach
        wheel.draw_line([-along, along], darken(wood, 0.2), 0.016)
    wheel.draw_line(make_oval((0, 0), reach), INK, 0.03, is_closed=True)
    wheel.draw_line(make_oval((0, 0), reach * 0.85), wood, 0.03, is_closed=True)
    wheel.fill_oval((0, 0), 0.03, lighten(wood), ink=INK)


def _draw_barrels(canvas: Canvas, rng: Rng) -> None:
    wood = vary((146, 88, 50), rng, 12)
    for x, y, size in ((0.36, 0.62, 0.17), (0.62, 0.68, rng.uniform(0.08, 0.13)), (0.74, 0.72, 0.07)):
        barrel = canvas.move_origin(x, y)
        barrel.shade_outline(make_oval((0.05, size), (size, size * 0.3)), 0.3, blur=0.015)
        barrel.fill_oval((0, 0), (size, size * 1.2), wood, ink=INK)
        for lift in (-0.6, 0.0, 0.6):
            half = size * float(np.sqrt(1 - (lift * 0.75) ** 2)) * 0.98
            barrel.draw_line([(-half, lift * size), (half, lift * size)], darken(wood, 0.55), 0.016)
        barrel.fill_oval((0, -size), (size * 0.55, size * 0.2), lighten(wood, 0.2), ink=INK)


def _draw_range(canvas: Canvas, rng: Rng) -> None:
    """Draw fenced ground with targets and people."""
    posts = make_oval((0.5, 0.52), (0.36, 0.24), steps=26)
    for x, y in posts[posts[:, 1] < rng.uniform(0.45, 0.7)]:
        canvas.draw_line([(x, y), (x, y - 0.1)], vary(_TIMBER, rng, 12), 0.018)
    for _ in range(int(rng.integers(3, 8))):
        x, y = rng.uniform(0.28, 0.72), rng.uniform(0.4, 0.7)
        canvas.fill_oval((x, y), 0.045, (240, 236, 226), ink=INK)
        canvas.fill_oval((x, y), 0.03, (200, 60, 50))
        canvas.fill_oval((x, y), 0.014, (240, 236, 226))
    for _ in range(int(rng.integers(1, 5))):
        _draw_man(canvas.move_origin(rng.uniform(0.15, 0.75), rng.uniform(0.6, 0.75)), rng)


def _draw_tower(canvas: Canvas, rng: Rng) -> None:
    plaster = vary(_PLASTER, rng, 10)
    canvas.shade_outline(make_oval((0.56, 0.74), (0.22, 0.05)), 0.35, blur=0.02)
    canvas.fill_outline([(0.42, 0.74), (0.6, 0.74), (0.56, 0.34), (0.46, 0.34)], plaster, ink=INK)
    canvas.fill_outline([(0.52, 0.74), (0.6, 0.74), (0.56, 0.34), (0.51, 0.34)], darken(plaster, 0.2))
    roof = choose(rng, (84, 116, 74), (64, 66, 88), (170, 64, 46))
    canvas.fill_outline([(0.38, 0.36), (0.64, 0.36), (0.51, rng.uniform(0.1, 0.2))], roof, ink=INK)
    draw_door(canvas.move_origin(0.5, 0.74), 0.07, 0.12)


_BUILDERS = (_draw_cottage, _draw_castle, _draw_watermill, _draw_barrels, _draw_range, _draw_tower)


def _draw_man(canvas: Canvas, rng: Rng) -> None:
    coat = choose(rng, (70, 104, 190), (110, 84, 160), (196, 60, 50))
    canvas.fill_outline([(-0.025, 0), (0.025, 0), (0.012, -0.07), (-0.012, -0.07)], coat, ink=INK)
    canvas.fill_oval((0, -0.085), 0.017, (240, 206, 176), ink=INK, width=0.005)


def _draw_value(canvas: Canvas, rng: Rng) -> None:
    """Draw the value of a building: a crown at the top, or a shield with a number at the foot, often with a sign."""
    if rng.random() < 0.25:
        draw_crown(canvas.move_origin(0.8, 0.16))
        return
    x, y = (float(rng.choice((0.62, 0.84))), 0.84)
    canvas.move_origin(x, y).fill_outline(_SHIELD, (236, 242, 248), ink=(24, 22, 26), width=0.02)
    text, corner = str(rng.integers(1, 4)), (round((x - 0.032) * canvas.unit), round((y + 0.04) * canvas.unit))
    font, scale, width = cv2.FONT_HERSHEY_COMPLEX, canvas.unit / 300, max(1, canvas.unit // 90)
    cv2.putText(canvas.pixels, text, corner, font, scale, (24, 22, 26), width, cv2.LINE_AA)
    if x < 0.8:
        sign = vary(choose(rng, (244, 196, 40), (70, 150, 230), (150, 205, 50), (60, 56, 58)), rng, 8)
        for slope in (1, -1):
            canvas.move_origin(x + 0.18, y).draw_line([(-0.05, -0.05 * slope), (0.05, 0.05 * slope)], sign, 0.05)
