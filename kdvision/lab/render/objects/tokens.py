"""The pieces of Queendomino and the gems of The Lost Treasures, which stand or lie on squares and crossings.

Knights and towers are wooden, near black and light grey; the Queen is a printed board. All of them stand or lie. Gems
are flat printed tokens; there is no picture of a real one, so they vary widely.
"""

from collections.abc import Callable
from typing import Final

import cv2
import numpy as np

from kdvision.lab.arrays import Bytes, Floats, Rng
from kdvision.lab.render.drawn.canvas import Canvas, make_oval, shift_points
from kdvision.lab.render.drawn.colours import INK, Colour, choose, darken, lighten, mix, vary
from kdvision.lab.render.drawn.motifs import draw_crown
from kdvision.lab.render.objects import meshes
from kdvision.lab.render.raster import Mesh, make_standing

_LYING_SHARE: Final = {"knight": 0.5, "tower": 0.35, "queen": 0.5}


def has_own_colour(kind: str, colour: str) -> bool:
    """Return whether a piece does not come in players' colours; knights and towers do if `colour` is a player's."""
    return kind in ("queen", "gem") or (kind in _LYING_SHARE and colour not in meshes.COLOURS)


def _make_knight_mesh(rng: Rng) -> Mesh:
    size = (rng.uniform(0.4, 1.0), rng.uniform(0.32, 0.62))
    board = meshes.make_board_mesh("knight", "white", height=size[1], thickness=rng.uniform(0.12, 0.2))
    return make_wooden("knight", make_standing(board.triangles * (size[0], 1.0, 1.0), board.colours), rng)


def _make_tower_mesh(rng: Rng) -> Mesh:
    if rng.random() >= 0.65:
        return make_wooden("tower", meshes.make_wooden_mesh("tower", "white"), rng)
    height, thickness = rng.uniform(0.5, 0.75), rng.uniform(0.16, 0.3)
    board = meshes.make_board_mesh("tower", "white", height=height, thickness=thickness)
    return make_wooden("tower", board, rng)


def make_wooden(kind: str, mesh: Mesh, rng: Rng) -> Mesh:
    """Return a knight, mostly near black, or a tower, mostly light grey, standing or lying."""
    usual_shade = {"knight": rng.uniform(14, 60), "tower": rng.uniform(135, 205)}[kind]
    shade = rng.choice([usual_shade, rng.uniform(60, 135)], p=[0.85, 0.15])
    if rng.random() < 0.08:
        colour = list(meshes.COLOURS.values())[rng.integers(len(meshes.COLOURS))]
    else:
        colour = np.clip(shade + rng.normal(0, 4, 3), 0, 255).astype(int).tolist()
    figure = mesh.paint(colour)
    return figure.topple() if rng.random() < _LYING_SHARE[kind] else figure


def make_queen_mesh(rng: Rng, picture: Bytes | None = None) -> Mesh:
    """Return the Queen as a printed board, standing or lying; `picture` (h, w, 4) RGBA, a drawn one by default."""
    picture = draw_queen(rng) if picture is None else picture
    height, thickness = rng.uniform(0.9, 1.15), rng.uniform(0.06, 0.2)
    edge = np.clip(rng.uniform(70, 170) + rng.normal(0, 6, 3), 0, 255)
    board = _make_printed_board(picture, height=height, thickness=thickness, edge=edge, rows=30)
    return board.topple(front_up=True) if rng.random() < _LYING_SHARE["queen"] else board


def _make_printed_board(picture: Bytes, *, height: float, thickness: float, edge: Floats, rows: int) -> Mesh:
    """Return a standing board of `rows` rows of cells with a picture (h, w, 4) RGBA on both faces."""
    columns = max(1, round(rows * picture.shape[1] / picture.shape[0]))
    cells = np.asarray(cv2.resize(picture, (columns, rows), interpolation=cv2.INTER_AREA), np.uint8)[::-1]
    size = (columns * height / rows, thickness, height)
    return meshes.make_sheet_mesh(cells[..., 3] > 127, np.stack([cells[..., :3]] * 2), size, edge)


def draw_queen(rng: Rng) -> Bytes:
    """Return a queen in a white dress with a red crown on grey wood, (256, 160, 4) RGBA, transparent beside it."""
    canvas, shape = Canvas(0, 0.625, 256), Canvas(0, 0.625, 256)
    x, wood = 0.3125, vary((110, 114, 124), rng, 10)
    outline = [(0.16, 0.995), (0.02, 0.97), (0.06, 0.7), (0.16, 0.45), (0.21, 0.3), (0.2, 0.08), (x, 0.005)]
    outline += [(2 * x - u, v) for u, v in outline[-2::-1]]
    shape.fill_outline(outline, (255, 255, 255))
    canvas.fill_outline(outline, wood)
    cape = vary((232, 150, 36), rng, 14)
    canvas.fill_outline([(0.08, 0.92), (0.22, 0.38), (2 * x - 0.22, 0.38), (2 * x - 0.08, 0.92)], cape)
    canvas.fill_outline([(0.14, 0.93), (0.24, 0.33), (2 * x - 0.24, 0.33), (2 * x - 0.14, 0.93)], (242, 238, 222))
    canvas.fill_outline([(0.22, 0.93), (0.28, 0.4), (2 * x - 0.28, 0.4), (2 * x - 0.22, 0.93)], (250, 250, 248))
    for u, v in rng.uniform((0.16, 0.45), (0.46, 0.9), (14, 2)):
        canvas.fill_oval((float(u), float(v)), (0.006, 0.014), (96, 96, 92))
    canvas.fill_oval((x, 0.24), (0.062, 0.075), (40, 32, 36))
    canvas.fill_oval((x, 0.245), (0.042, 0.055), (246, 216, 200))
    crown = [(-0.055, 0.06), (-0.07, -0.05), (0.0, -0.08), (0.07, -0.05), (0.055, 0.06)]
    canvas.fill_outline(shift_points(crown, x, 0.12), (206, 44, 36))
    canvas.draw_line([(x - 0.055, 0.178), (x + 0.055, 0.178)], (236, 176, 44), 0.03)
    canvas.draw_line([(x - 0.07, 0.07), (x, 0.045), (x + 0.07, 0.07)], (236, 176, 44), 0.014)
    canvas.draw_line([(x - 0.05, 0.36), (x + 0.06, 0.5)], mix((206, 44, 36), INK, 0.1), 0.026)
    return np.dstack([canvas.pixels, shape.pixels[..., 0]])


_GEM_COLOURS: tuple[Colour, ...] = (
    *((200, 34, 44), (34, 150, 70), (40, 96, 200), (140, 60, 170), (240, 190, 40)),
    *((240, 130, 40), (60, 200, 210), (232, 120, 170), (236, 236, 240), (60, 56, 66)),
)
_GROUND_COLOURS: tuple[Colour, ...] = (
    *((236, 226, 204), (206, 168, 96), (120, 78, 46), (70, 62, 70)),
    *((160, 156, 150), (244, 242, 236), (36, 60, 110)),
)
_BONE: Colour = (236, 232, 220)
_GEM_OUTLINES = ((0.49, 40, 0.0), (0.68, 4, 0.25), (0.5, 4, 0.0), (0.52, 8, 0.125), (1.0, 48, 0.0))
"""Radius, number of corners, and turn in units of pi; the last one becomes a superellipse."""


def make_gem_mesh(rng: Rng) -> Mesh:
    """Return a gem token lying flat, 0.34 to 0.56 squares across."""
    height = rng.uniform(0.34, 0.56)
    picture = draw_gem(rng)
    edge = np.asarray(picture[48, 48, :3] * 0.7 if rng.random() < 0.4 else np.full(3, rng.uniform(30, 220)), np.float64)
    thickness = rng.uniform(0.02, 0.09)
    board = _make_printed_board(picture, height=height, thickness=thickness, edge=edge, rows=24)
    return board.topple(front_up=True)


def draw_gem(rng: Rng) -> Bytes:
    """Return the printed face of a token, (96, 96, 4) RGBA: a gem and four quarters with crowns, a skull or nothing."""
    canvas, shape = Canvas(0, 1, 96), Canvas(0, 1, 96)
    kind = int(rng.integers(len(_GEM_OUTLINES)))
    radius, steps, turn = _GEM_OUTLINES[kind]
    outline = make_oval((0, 0), radius, steps=steps, turn=turn * np.pi)
    if kind == len(_GEM_OUTLINES) - 1:
        outline = 0.49 * np.sign(outline) * np.abs(outline) ** rng.uniform(0.4, 0.8)
    outline = outline + 0.5
    shape.fill_outline(outline, (255, 255, 255))
    gem = vary(choose(rng, *_GEM_COLOURS), rng, 14)
    ground = gem if rng.random() < 0.5 else vary(choose(rng, *_GROUND_COLOURS), rng, 12)
    _draw_quarters(canvas, outline, ground, rng)
    slant = float(rng.choice((0.0, np.pi / 4)))  # of the middles of the quarters
    reach = rng.uniform(0.25, 0.32)
    crowns = rng.uniform(0.1, 0.9)  # share of the quarters: some tokens are full, some nearly empty
    skulls = rng.uniform(0, 0.5) * (1 - crowns)
    motifs = rng.choice(["crown", "skull", ""], 4, p=(crowns, skulls, 1 - crowns - skulls))
    for quarter, motif in enumerate(motifs):
        angle = slant + quarter * np.pi / 2
        x, y = 0.5 + reach * float(np.cos(angle)), 0.5 + reach * float(np.sin(angle))
        if motif == "crown":
            draw_crown(canvas.move_origin(x, y))
        elif motif == "skull":
            canvas.fill_oval((x, y - 0.015), (0.085, 0.075), _BONE, ink=INK, width=0.02)
            jaw = [(x - 0.04, y + 0.03), (x + 0.04, y + 0.03), (x + 0.035, y + 0.1), (x - 0.035, y + 0.1)]
            canvas.fill_outline(jaw, _BONE, ink=INK)
            for side in (-1, 1):
                canvas.fill_oval((x + side * 0.034, y - 0.005), 0.024, INK)
    if rng.random() < 0.8:
        _draw_stone(canvas, gem, rng)
    return np.dstack([canvas.pixels, shape.pixels[..., 0]])


def _draw_quarters(canvas: Canvas, outline: Floats, ground: Colour, rng: Rng) -> None:
    """Draw the ground: four quarters in one colour or in two, often with a rim and lines between them."""
    canvas.paint_patches([darken(ground, 0.08), ground, lighten(ground, 0.1)], 0.4, rng)
    second_colour = (
        darken(ground, rng.uniform(0.1, 0.4)) if rng.random() < 0.5 else lighten(ground, rng.uniform(0.1, 0.5))
    )
    start, style = float(rng.choice((0.0, np.pi / 4))), int(rng.integers(3))
    for quarter in range(4):
        ends = make_oval((0.5, 0.5), 1.0, steps=4, turn=start + quarter * np.pi / 2)[:2]
        if style and quarter % 2:
            canvas.fill_outline([(0.5, 0.5), *ends], second_colour)
        if style == 2:
            canvas.draw_line([(0.5, 0.5), ends[0]], lighten(ground, 0.5), 0.02)
    if rng.random() < 0.6:
        rim = choose(rng, lighten(ground, 0.6), darken(ground, 0.6), (226, 180, 60))
        canvas.draw_line(outline, rim, float(rng.uniform(0.03, 0.12)), is_closed=True)


def _draw_stone(canvas: Canvas, colour: Colour, rng: Rng) -> None:
    corners, size = int(rng.integers(4, 9)), (rng.uniform(0.1, 0.22), rng.uniform(0.1, 0.22))
    outer = make_oval((0.5, 0.5), size, turn=rng.uniform(0, 1.6), steps=corners)
    canvas.fill_outline(outer, colour, ink=INK, width=0.02)
    inner = (outer - 0.5) * rng.uniform(0.4, 0.65) + 0.5
    for side in range(corners):
        facet = [outer[side - 1], outer[side], inner[side], inner[side - 1]]
        canvas.fill_outline(facet, lighten(colour, 0.3) if side % 2 else darken(colour, 0.25))
    canvas.fill_outline(inner, lighten(colour, rng.uniform(0.1, 0.5)))


MAKERS: Final[dict[str, Callable[[Rng], Mesh]]] = {
    "knight": _make_knight_mesh,
    "tower": _make_tower_mesh,
    "queen": make_queen_mesh,
    "gem": make_gem_mesh,
}
