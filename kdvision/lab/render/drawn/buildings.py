"""Drawn Queendomino: empty towns, finished buildings and the Queen."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from kdvision.lab.render.drawn.canvas import Canvas
from kdvision.lab.render.drawn.colours import INK, Colour, darken, lighten, vary
from kdvision.lab.render.drawn.crowns import draw_crown
from kdvision.lab.render.drawn.houses import draw_chimney, draw_door, draw_house, draw_smoke
from kdvision.lab.render.drawn.shapes import Circles, Point, Rng, make_oval, make_stone, scatter, shift_points

_EARTH: Colour = (206, 74, 52)
_GREY: Colour = (176, 168, 162)
_TIMBER: Colour = (74, 44, 32)
_PLASTER: Colour = (236, 220, 190)


def paint_town(canvas: Canvas, rng: Rng, avoid: Circles) -> None:
    """Paint a building site on red earth: frames of timber, blocks of stone, tools."""
    _paint_ground(canvas, vary(_EARTH, rng, 12), rng)
    for x in np.arange(np.floor(canvas.left), canvas.right):
        if x + 0.7 < canvas.right and x + 0.3 > canvas.left:
            for u in (0.1, 0.9):
                for v in (0.12, 0.9):
                    _draw_peg(canvas, (x + u, v))
            _draw_site(canvas, (x + rng.uniform(0.42, 0.58), rng.uniform(0.55, 0.7)), rng)
    for spot in scatter(rng, canvas.left, canvas.right, 0.2, avoid=avoid, tries=int(rng.integers(2, 9)), margin=0.15):
        _draw_block(canvas, spot, rng.uniform(0.03, 0.06), rng)


def _paint_ground(canvas: Canvas, earth: Colour, rng: Rng) -> None:
    canvas.wash([darken(earth, 0.06), earth, lighten(earth, 0.08)], 0.4, rng)
    for x, y in scatter(rng, canvas.left, canvas.right, 0.035, tries=int(rng.integers(60, 260))):
        tone = darken(earth, 0.16) if rng.random() < 0.6 else lighten(earth, rng.uniform(0.1, 0.3))
        canvas.spot((x, y), (rng.uniform(0.006, 0.014), rng.uniform(0.003, 0.007)), tone)


def _draw_peg(canvas: Canvas, at: Point) -> None:
    """Draw a peg with a rope."""
    x, y = at
    canvas.line([(x, y), (x + 0.008, y - 0.045)], darken(_TIMBER, 0.2), 0.012)
    canvas.line([(x - 0.03, y + 0.004), (x + 0.035, y - 0.03)], darken(_EARTH, 0.5), 0.005)


def _draw_block(canvas: Canvas, at: Point, size: float, rng: Rng) -> None:
    grey = vary((198, 190, 178), rng, 12)
    canvas.shade([make_oval((at[0] + size * 0.3, at[1] + size * 0.6), (size, size * 0.5))], 0.35, blur=0.01)
    canvas.shape(make_stone(at, (size, size * 0.75), rng, corners=6), grey, ink=INK, width=0.006)
    canvas.shape(make_stone((at[0] - size * 0.15, at[1] - size * 0.2), (size * 0.55, size * 0.35), rng), lighten(grey))


def _draw_site(canvas: Canvas, at: Point, rng: Rng) -> None:
    """Draw a scaffold, with or without a part of a wall, seen slightly from above."""
    x, y = at
    wide, deep, tall = rng.uniform(0.22, 0.4), rng.uniform(0.08, 0.16), rng.uniform(0.12, 0.26)
    left, right, back = x - wide / 2, x + wide / 2, (deep * rng.choice((-1, 1)), -deep * 0.8)
    canvas.shade([make_oval((x + 0.04, y), (wide * 0.65, deep * 0.8))], 0.3, blur=0.02)
    timber = vary(_TIMBER, rng, 10)
    feet = [(left, y), (right, y), (right + back[0], y + back[1]), (left + back[0], y + back[1])]
    if rng.random() < 0.6:
        wall = tall * rng.uniform(0.3, 0.8)
        plaster = vary((226, 214, 190), rng, 10)
        canvas.shape([feet[0], feet[1], (right, y - wall * 0.7), (left, y - wall)], plaster, ink=INK)
        canvas.shape([feet[0], feet[3], shift_points([feet[3]], 0, -wall)[0], (left, y - wall)], darken(plaster, 0.25))
    for foot in feet[::-1]:
        canvas.line([foot, (foot[0], foot[1] - tall * rng.uniform(0.85, 1.3))], timber, 0.014)
    for lift in rng.uniform(0.3, 1.0, 3):
        level = shift_points(feet, 0, -tall * float(lift))
        canvas.line(level[: int(rng.integers(2, 5))], timber, 0.011)
    canvas.line([feet[0], (right, y - tall)], timber, 0.009)
    for _ in range(int(rng.integers(1, 4))):
        u, v = x + rng.uniform(-0.3, 0.3), y + rng.uniform(0.06, 0.16)
        canvas.line([(u, v), (u + rng.uniform(0.05, 0.12), v - rng.uniform(-0.03, 0.03))], timber, 0.014)


# --- finished buildings -----------------------------------------------------------------------------------------------


def _draw_cottage(canvas: Canvas, rng: Rng) -> None:
    wide, roof = rng.uniform(0.24, 0.32), vary((150, 62, 44), rng, 16)
    size = (wide, rng.uniform(0.2, 0.3), rng.uniform(0.16, 0.2), rng.uniform(0.14, 0.22))
    draw_house(canvas, (rng.uniform(0.2, 0.3), 0.72), size, wall=vary(_PLASTER, rng, 8), roof=roof, beams=True)
    if rng.random() < 0.6:
        draw_chimney(canvas, (0.58, 0.42))
        draw_smoke(canvas, (0.62, 0.3), rng)


def _draw_castle(canvas: Canvas, rng: Rng) -> None:
    grey = vary((212, 204, 190), rng, 14)
    canvas.shade([make_oval((0.55, 0.72), (0.34, 0.07))], 0.35, blur=0.02)
    for x, wide, tall in (
        (0.32, 0.16, rng.uniform(0.3, 0.44)),
        (0.66, 0.14, rng.uniform(0.2, 0.4)),
        (0.49, 0.26, 0.26),
    ):
        _draw_keep(canvas, (x, 0.72), wide, tall, grey, red=rng.random() < 0.5)
    draw_door(canvas, (0.49, 0.72), 0.09, 0.13)


def _draw_keep(canvas: Canvas, foot: Point, wide: float, tall: float, grey: Colour, *, red: bool) -> None:
    x, y = foot
    left, right, top = x - wide / 2, x + wide / 2, y - tall
    canvas.shape([(left, y), (right, y), (right, top), (left, top)], grey, ink=INK)
    canvas.shape([(x + wide * 0.15, y), (right, y), (right, top), (x + wide * 0.15, top)], darken(grey, 0.2))
    for u in np.linspace(left, right - wide * 0.2, 3):
        corners = [(u, top), (u + wide * 0.2, top), (u + wide * 0.2, top - 0.04), (u, top - 0.04)]
        canvas.shape(corners, grey, ink=INK, width=0.006)
    if red:
        canvas.shape([(left - 0.02, top), (right + 0.02, top), (x, top - wide)], (176, 70, 48), ink=INK)
    canvas.shape(shift_points([(0, 0), (0.03, 0), (0.03, 0.05), (0, 0.05)], x - 0.015, top + tall * 0.3), (70, 58, 52))


def _draw_watermill(canvas: Canvas, rng: Rng) -> None:
    _draw_cottage(canvas, rng)
    hub, reach, wood = (rng.uniform(0.4, 0.55), 0.58), rng.uniform(0.15, 0.2), (134, 86, 44)
    for angle in np.arange(0, np.pi, np.pi / 4) + rng.uniform(0, 1):
        along = np.array((np.cos(angle), np.sin(angle))) * reach
        canvas.line([hub - along, hub + along], darken(wood, 0.2), 0.016)
    for share in (1.0, 0.85):
        rim = make_oval(hub, reach * share)
        canvas.line(np.concatenate([rim, rim[:1]]), INK if share == 1.0 else wood, 0.03)
    canvas.spot(hub, 0.03, lighten(wood), ink=INK)


def _draw_barrels(canvas: Canvas, rng: Rng) -> None:
    wood = vary((146, 88, 50), rng, 12)
    for x, y, size in ((0.36, 0.62, 0.17), (0.62, 0.68, rng.uniform(0.08, 0.13)), (0.74, 0.72, 0.07)):
        canvas.shade([make_oval((x + 0.05, y + size), (size, size * 0.3))], 0.3, blur=0.015)
        canvas.shape(make_oval((x, y), (size, size * 1.2)), wood, ink=INK)
        for lift in (-0.6, 0.0, 0.6):
            half = size * float(np.sqrt(1 - (lift * 0.75) ** 2)) * 0.98
            canvas.line([(x - half, y + lift * size), (x + half, y + lift * size)], darken(wood, 0.55), 0.016)
        canvas.spot((x, y - size * 1.0), (size * 0.55, size * 0.2), lighten(wood, 0.2), ink=INK)


def _draw_range(canvas: Canvas, rng: Rng) -> None:
    """Draw fenced ground with targets and people."""
    posts = make_oval((0.5, 0.52), (0.36, 0.24), steps=26)
    for x, y in posts[posts[:, 1] < rng.uniform(0.45, 0.7)]:
        canvas.line([(x, y), (x, y - 0.1)], vary(_TIMBER, rng, 12), 0.018)
    for _ in range(int(rng.integers(3, 8))):
        x, y = rng.uniform(0.28, 0.72), rng.uniform(0.4, 0.7)
        for size, tone in ((0.045, (240, 236, 226)), (0.03, (200, 60, 50)), (0.014, (240, 236, 226))):
            canvas.spot((x, y), size, tone, ink=INK if size > 0.04 else None)
    for _ in range(int(rng.integers(1, 5))):
        _draw_man(canvas, (rng.uniform(0.15, 0.75), rng.uniform(0.6, 0.75)), rng)


def _draw_tower(canvas: Canvas, rng: Rng) -> None:
    plaster = vary(_PLASTER, rng, 10)
    canvas.shade([make_oval((0.56, 0.74), (0.22, 0.05))], 0.35, blur=0.02)
    shaft = [(0.42, 0.74), (0.6, 0.74), (0.56, 0.34), (0.46, 0.34)]
    canvas.shape(shaft, plaster, ink=INK)
    canvas.shape([(0.52, 0.74), (0.6, 0.74), (0.56, 0.34), (0.51, 0.34)], darken(plaster, 0.2))
    roof = [(84, 116, 74), (64, 66, 88), (170, 64, 46)][int(rng.integers(3))]
    canvas.shape([(0.38, 0.36), (0.64, 0.36), (0.51, rng.uniform(0.1, 0.2))], roof, ink=INK)
    draw_door(canvas, (0.5, 0.74), 0.07, 0.12)


def _draw_man(canvas: Canvas, foot: Point, rng: Rng) -> None:
    x, y = foot
    coat: Colour = [(70, 104, 190), (110, 84, 160), (196, 60, 50)][int(rng.integers(3))]
    canvas.shape([(x - 0.025, y), (x + 0.025, y), (x + 0.012, y - 0.07), (x - 0.012, y - 0.07)], coat, ink=INK)
    canvas.spot((x, y - 0.085), 0.017, (240, 206, 176), ink=INK, width=0.005)


_BUILDERS: tuple[Callable[[Canvas, Rng], None], ...] = (
    _draw_cottage,
    _draw_castle,
    _draw_watermill,
    _draw_barrels,
    _draw_range,
    _draw_tower,
)


def draw_building(canvas: Canvas, rng: Rng, *, done: bool) -> None:
    """Cover a canvas one square wide with a building: on red ground if it is done, else small and on grey."""
    if not done:
        small = Canvas(0, 1, canvas.unit)
        _paint_ground(small, vary(_GREY, rng, 10), rng)
        canvas.pixels[:] = small.pixels
        drawn = _draw_on_grey(rng, canvas.unit, small.pixels)
        half = canvas.unit // 2
        inner = cv2.resize(drawn, (half, half), interpolation=cv2.INTER_AREA)
        start = canvas.unit // 4
        canvas.pixels[start : start + half, start : start + half] = inner
        for number in range(int(rng.integers(0, 4))):
            canvas.spot((0.1 + 0.09 * number, 0.1), (0.03, 0.05), (70, 66, 66))
    else:
        _paint_ground(canvas, vary(_EARTH, rng, 12), rng)
        _BUILDERS[int(rng.integers(len(_BUILDERS)))](canvas, rng)
        for _ in range(int(rng.integers(0, 3))):
            _draw_man(canvas, (rng.uniform(0.12, 0.88), rng.uniform(0.72, 0.88)), rng)
        if rng.random() < 0.45:
            _draw_flag(canvas, (rng.uniform(0.3, 0.6), 0.2), rng)
    _draw_value(canvas, rng)


def _draw_on_grey(rng: Rng, unit: int, ground: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a building on a copy of the ground."""
    canvas = Canvas(0, 1, unit)
    canvas.pixels[:] = ground
    _BUILDERS[int(rng.integers(len(_BUILDERS)))](canvas, rng)
    return canvas.pixels


def _draw_flag(canvas: Canvas, at: Point, rng: Rng) -> None:
    x, y = at
    cloth: Colour = [(240, 196, 40), (80, 150, 226), (150, 200, 60), (90, 120, 50)][int(rng.integers(4))]
    canvas.line([(x, y + 0.16), (x, y - 0.09)], _TIMBER, 0.014)
    canvas.shape(
        [(x, y - 0.09), (x + 0.2, y - 0.08), (x + 0.17, y), (x + 0.2, y + 0.06), (x, y + 0.06)], cloth, ink=INK
    )
    canvas.spot((x + 0.09, y - 0.015), (0.05, 0.028), (250, 248, 240), turn=float(rng.uniform(-1, 1)))


def _draw_value(canvas: Canvas, rng: Rng) -> None:
    """Draw the value of a building: a crown at the top, or a shield with a number at the foot, often with a sign."""
    if rng.random() < 0.25:
        draw_crown(canvas, 0.8, 0.16)
        return
    x, y = (float(rng.choice((0.62, 0.84))), 0.84)
    shield = [(-0.075, -0.09), (0.0, -0.075), (0.075, -0.09), (0.075, 0.02), (0.04, 0.075), (0.0, 0.095)]
    outline = shift_points([*shield, (-0.04, 0.075), (-0.075, 0.02)], x, y)
    canvas.shape(outline, (236, 242, 248), ink=(24, 22, 26), width=0.02)
    text, scale = str(rng.integers(1, 4)), canvas.unit / 300
    corner = (round((x - 0.032) * canvas.unit), round((y + 0.04) * canvas.unit))
    cv2.putText(
        canvas.pixels,
        text,
        corner,
        cv2.FONT_HERSHEY_COMPLEX,
        scale,
        (24, 22, 26),
        max(1, canvas.unit // 90),
        cv2.LINE_AA,
    )
    if x < 0.8:
        sign = vary([(244, 196, 40), (70, 150, 230), (150, 205, 50), (60, 56, 58)][int(rng.integers(4))], rng, 8)
        for one, other in (((-0.05, -0.05), (0.05, 0.05)), ((-0.05, 0.05), (0.05, -0.05))):
            canvas.line([(x + 0.18 + one[0], y + one[1]), (x + 0.18 + other[0], y + other[1])], sign, 0.05)
