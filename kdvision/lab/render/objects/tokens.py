"""The men of Queendomino and the gems of The Lost Treasures: what lies or stands on a kingdom's squares and crossings.

Knights and towers are wooden, near black and light grey, the Queen is a printed board; all of them stand, or have been
laid or knocked over. Gems are flat printed tokens; no picture of one is at hand, so theirs vary widely.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kdvision.lab.render.drawn.buildings import draw_queen
from kdvision.lab.render.drawn.canvas import INK, Canvas, Colour, Floats, darker, lighter, oval, varied
from kdvision.lab.render.drawn.crowns import draw_crown
from kdvision.lab.render.objects import meshes
from kdvision.lab.render.objects.castles import COLOURS
from kdvision.lab.render.raster import Mesh, of_quads, standing

Rng = np.random.Generator
Bytes = NDArray[np.uint8]

LYING: Final = {"knight": 0.5, "tower": 0.35, "queen": 0.5}
"""How often a man lies on his side."""


def natural(kind: str, colour: str) -> bool:
    """Return whether a piece is one that is made here: knights and towers only where no player's colour is told."""
    return kind in ("queen", "gem") or (kind in LYING and colour not in COLOURS)


def knight_mesh(rng: Rng) -> Mesh:
    """Return a knight with his shield, mostly near black, standing or lying."""
    size = (rng.uniform(0.4, 1.0), rng.uniform(0.32, 0.62))
    board = meshes.board_mesh(meshes.KNIGHT, (0, 0, 0), height=size[1], thickness=rng.uniform(0.12, 0.2))
    narrow = standing(board.triangles * (size[0], 1.0, 1.0), board.colours)
    return dressed("knight", narrow, rng)


def tower_mesh(rng: Rng) -> Mesh:
    """Return a tower, cut from a board or turned, mostly light grey, standing or lying."""
    if rng.random() < 0.65:
        height, thickness = rng.uniform(0.5, 0.75), rng.uniform(0.16, 0.3)
        return dressed("tower", meshes.board_mesh(meshes.TOWER, (0, 0, 0), height=height, thickness=thickness), rng)
    return dressed("tower", meshes.tower_mesh(), rng)


def dressed(kind: str, mesh: Mesh, rng: Rng) -> Mesh:
    """Return a knight or a tower in a colour that wood of its kind has, laid down at random."""
    painted = mesh.painted(_wood(kind, rng))
    return painted.laid() if rng.random() < LYING[kind] else painted


def _wood(kind: str, rng: Rng) -> Colour:
    usual = {"knight": rng.uniform(14, 60), "tower": rng.uniform(135, 205)}[kind]
    shade = rng.choice([usual, rng.uniform(60, 135)], p=[0.85, 0.15])
    if rng.random() < 0.08:
        return list(COLOURS.values())[rng.integers(len(COLOURS))]
    red, green, blue = np.clip(shade + rng.normal(0, 4, 3), 0, 255).astype(int).tolist()
    return red, green, blue


def queen_mesh(rng: Rng, picture: Bytes | None = None) -> Mesh:
    """Return the Queen as a printed board, standing or lying; `picture` (h, w, 4) RGBA, a drawn one by default."""
    printed = draw_queen(rng) if picture is None else picture
    height, thickness = rng.uniform(0.9, 1.15), rng.uniform(0.06, 0.2)
    edge = np.clip(rng.uniform(70, 170) + rng.normal(0, 6, 3), 0, 255)
    sheet = sheet_mesh(printed, height=height, thickness=thickness, edge=edge, rows=30)
    return flat(sheet) if rng.random() < LYING["queen"] else sheet


def sheet_mesh(picture: Bytes, *, height: float, thickness: float, edge: NDArray[np.floating], rows: int) -> Mesh:
    """Return a printed board that stands on its lower edge, from a picture (h, w, 4) RGBA that is clear beside it.

    Both faces show the picture, in cells, `rows` of them one above the other.
    """
    columns = max(1, round(rows * picture.shape[1] / picture.shape[0]))
    cells = np.asarray(cv2.resize(picture, (columns, rows), interpolation=cv2.INTER_AREA))[::-1]
    there = np.pad(cells[..., 3] > 127, 1)
    step, y = height / rows, thickness / 2
    quads, colours = [], []
    for row, column in np.argwhere(there[1:-1, 1:-1]):
        x0, z0 = (column - columns / 2) * step, row * step
        x1, z1 = x0 + step, z0 + step
        quads += [((x0, -y, z0), (x1, -y, z0), (x1, -y, z1), (x0, -y, z1))]
        quads += [((x1, y, z0), (x0, y, z0), (x0, y, z1), (x1, y, z1))]
        colours += [cells[row, column, :3]] * 2
        sides = {
            (0, 1): ((x0, -y, z0), (x0, y, z0), (x1, y, z0), (x1, -y, z0)),
            (2, 1): ((x0, -y, z1), (x1, -y, z1), (x1, y, z1), (x0, y, z1)),
            (1, 0): ((x0, y, z0), (x0, -y, z0), (x0, -y, z1), (x0, y, z1)),
            (1, 2): ((x1, -y, z0), (x1, y, z0), (x1, y, z1), (x1, -y, z1)),
        }
        bare = [quad for (down, right), quad in sides.items() if not there[row + down, column + right]]
        quads += bare
        colours += [edge] * len(bare)
    return of_quads(quads, colours)


def flat(sheet: Mesh) -> Mesh:
    """Return a standing board laid on its back, its front up."""
    return standing(sheet.triangles[..., [0, 2, 1]] * (1.0, 1.0, -1.0), sheet.colours)


# --- gems -------------------------------------------------------------------------------------------------------------

_GEMS: tuple[Colour, ...] = (
    (200, 34, 44),
    (34, 150, 70),
    (40, 96, 200),
    (140, 60, 170),
    (240, 190, 40),
    (240, 130, 40),
    (60, 200, 210),
    (232, 120, 170),
    (236, 236, 240),
    (60, 56, 66),
)
_GROUNDS: tuple[Colour, ...] = (
    (236, 226, 204),
    (206, 168, 96),
    (120, 78, 46),
    (70, 62, 70),
    (160, 156, 150),
    (244, 242, 236),
    (36, 60, 110),
)


def gem_mesh(rng: Rng) -> Mesh:
    """Return a gem token lying flat, 0.34 to 0.56 squares across."""
    height = rng.uniform(0.34, 0.56)
    picture = draw_gem(rng)
    edge = np.asarray(picture[48, 48, :3] * 0.7 if rng.random() < 0.4 else np.full(3, rng.uniform(30, 220)), np.float64)
    return flat(sheet_mesh(picture, height=height, thickness=rng.uniform(0.02, 0.09), edge=edge, rows=24))


def draw_gem(rng: Rng) -> Bytes:
    """Return a token's printed face, (96, 96, 4) RGBA: a gem amid four quarters with crowns, a skull or nothing."""
    canvas, shape = Canvas(0, 1, 96), Canvas(0, 1, 96)
    outline = _outline(rng)
    shape.shape(outline, (255, 255, 255))
    gem = varied(_GEMS[int(rng.integers(len(_GEMS)))], rng, 14)
    ground = gem if rng.random() < 0.5 else varied(_GROUNDS[int(rng.integers(len(_GROUNDS)))], rng, 12)
    _quarters(canvas, outline, ground, rng)
    slant = float(rng.choice((0.0, np.pi / 4)))  # of the quarters' middles
    reach = rng.uniform(0.25, 0.32)
    motifs = rng.choice(["crown", "skull", ""], 4, p=_odds(rng))
    for quarter, motif in enumerate(motifs):
        angle = slant + quarter * np.pi / 2
        x, y = 0.5 + reach * float(np.cos(angle)), 0.5 + reach * float(np.sin(angle))
        if motif == "crown":
            draw_crown(canvas, x, y)
        elif motif == "skull":
            _skull(canvas, x, y)
    if rng.random() < 0.8:
        _stone(canvas, gem, rng)
    return np.dstack([canvas.pixels, shape.pixels[..., 0]])


def _odds(rng: Rng) -> tuple[float, float, float]:
    """How likely a quarter shows crowns, a skull, nothing: some tokens are crowded, some nearly bare."""
    crowns = rng.uniform(0.1, 0.9)
    skull = rng.uniform(0, 0.5) * (1 - crowns)
    return crowns, skull, 1 - crowns - skull


def _outline(rng: Rng) -> Floats:
    """The token's outline, (n, 2): round, square, a square on its corner, eight-sided, or with rounded corners."""
    kind = int(rng.integers(5))
    if kind == 0:
        return oval((0.5, 0.5), 0.49, steps=40)
    if kind in (1, 2):
        angle = np.arange(4) * np.pi / 2 + (np.pi / 4 if kind == 1 else 0.0)
        return 0.5 + (0.68 if kind == 1 else 0.5) * np.stack([np.cos(angle), np.sin(angle)], 1)
    if kind == 3:
        angle = np.arange(8) * np.pi / 4 + np.pi / 8
        return 0.5 + 0.52 * np.stack([np.cos(angle), np.sin(angle)], 1)
    angle, power = np.linspace(0, 2 * np.pi, 48, endpoint=False), rng.uniform(0.4, 0.8)
    both = np.stack([np.cos(angle), np.sin(angle)], 1)
    return np.asarray(0.5 + 0.49 * np.sign(both) * np.abs(both) ** power)


def _quarters(canvas: Canvas, outline: Floats, ground: Colour, rng: Rng) -> None:
    """The ground: one colour or two by turns in four quarters, often with a rim and lines between them."""
    canvas.wash([darker(ground, 0.08), ground, lighter(ground, 0.1)], 0.4, rng)
    other = darker(ground, rng.uniform(0.1, 0.4)) if rng.random() < 0.5 else lighter(ground, rng.uniform(0.1, 0.5))
    start, style = float(rng.choice((0.0, np.pi / 4))), int(rng.integers(3))
    for quarter in range(4):
        angle = start + (quarter + np.array((0.0, 1.0))) * np.pi / 2
        ends = 0.5 + np.stack([np.cos(angle), np.sin(angle)], 1)
        if style and quarter % 2:
            canvas.shape([(0.5, 0.5), *ends], other)
        if style == 2:
            canvas.line([(0.5, 0.5), ends[0]], lighter(ground, 0.5), 0.02)
    if rng.random() < 0.6:
        rim = [lighter(ground, 0.6), darker(ground, 0.6), (226, 180, 60)][int(rng.integers(3))]
        canvas.line(np.concatenate([outline, outline[:1]]), rim, float(rng.uniform(0.03, 0.12)))


def _stone(canvas: Canvas, colour: Colour, rng: Rng) -> None:
    """A cut gem in the middle."""
    corners, size = int(rng.integers(4, 9)), (rng.uniform(0.1, 0.22), rng.uniform(0.1, 0.22))
    outer = oval((0.5, 0.5), size, turn=rng.uniform(0, 1.6), steps=corners)
    canvas.shape(outer, colour, ink=INK, width=0.02)
    inner = (outer - 0.5) * rng.uniform(0.4, 0.65) + 0.5
    for side in range(corners):
        facet = [outer[side - 1], outer[side], inner[side], inner[side - 1]]
        canvas.shape(facet, lighter(colour, 0.3) if side % 2 else darker(colour, 0.25))
    canvas.shape(inner, lighter(colour, rng.uniform(0.1, 0.5)))


def _skull(canvas: Canvas, x: float, y: float) -> None:
    bone = (236, 232, 220)
    canvas.spot((x, y - 0.015), (0.085, 0.075), bone, ink=INK, width=0.02)
    canvas.shape(
        [(x - 0.04, y + 0.03), (x + 0.04, y + 0.03), (x + 0.035, y + 0.1), (x - 0.035, y + 0.1)], bone, ink=INK
    )
    for side in (-1, 1):
        canvas.spot((x + side * 0.034, y - 0.005), 0.024, INK)


MAKERS: dict[str, Callable[[Rng], Mesh]] = {
    "knight": knight_mesh,
    "tower": tower_mesh,
    "queen": queen_mesh,
    "gem": gem_mesh,
}
