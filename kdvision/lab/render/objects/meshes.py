"""Pieces of wood and cardboard: kings, knights, towers and castles made by code, and pieces from 3-D model files.

Lengths are in squares, as in `raster`.
"""

import tomllib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from kdvision.lab.arrays import Bytes, Floats, Rng
from kdvision.lab.render.raster import Colour, Mesh, make_mesh, make_standing, revolve

COLOURS: dict[str, tuple[int, int, int]] = {
    "blue": (38, 98, 190),
    "green": (30, 132, 62),
    "pink": (222, 96, 150),
    "yellow": (240, 200, 32),
    "orange": (236, 124, 28),
    "purple": (112, 56, 142),
    "white": (232, 230, 222),
    "red": (188, 40, 36),
}
"""The colours of wooden pieces and castles."""
RGB = {**COLOURS, "brown": (112, 72, 40)}
"""Also the colour of a fifth player. It is not among COLOURS, from which the scenes of committed measurements draw."""
_CARDBOARD = (150, 148, 144)
_CELL_SQUARES = 0.06  # side of a cell of the printed walls
_MODEL_WIDTHS_SQUARES = {"king": 0.4, "knight": 0.4, "tower": 0.35}

_PIECES_FILE = Path(__file__).with_name("wooden_pieces.toml")
_OUTLINES: dict[str, list[list[float]]] = tomllib.loads(_PIECES_FILE.read_text("utf-8"))


def make_wooden_mesh(kind: str, colour: str) -> Mesh:
    """Return a king, a knight with a shield or a round tower of wood, about 0.4 squares wide and half a square high."""
    if kind == "tower":
        profile = [(height, radius) for height, radius in _OUTLINES["round_tower"]]
        return revolve(profile, [RGB[colour]] * (len(profile) - 1), steps=16)
    height, thickness = {"king": (0.5, 0.2), "knight": (0.42, 0.16)}[kind]
    return make_board_mesh(kind, colour, height=height, thickness=thickness)


def make_board_mesh(kind: str, colour: str, *, height: float, thickness: float) -> Mesh:
    """Return a king, a knight or a tower cut from a wooden board.

    Its outline consists of trapezia: height, left, right below; height, left, right above.
    """
    quads = []
    front, back = -thickness / 2, thickness / 2
    for z0, a0, b0, z1, a1, b1 in [*(_OUTLINES["man"] if kind != "tower" else ()), *_OUTLINES[kind]]:
        quads += [
            ((a0, front, z0), (b0, front, z0), (b1, front, z1), (a1, front, z1)),
            ((b0, back, z0), (a0, back, z0), (a1, back, z1), (b1, back, z1)),
            ((a0, back, z0), (a0, front, z0), (a1, front, z1), (a1, back, z1)),
            ((b0, front, z0), (b0, back, z0), (b1, back, z1), (b1, front, z1)),
            ((a1, front, z1), (b1, front, z1), (b1, back, z1), (a1, back, z1)),
        ]
    mesh = make_mesh(quads, [RGB[colour]] * len(quads))
    return make_standing(mesh.triangles * (height, 1.0, height), mesh.colours)


def make_sheet_mesh(
    has_cell: NDArray[np.bool_],
    faces: Bytes,
    size: tuple[float, float, float],
    edge: Floats,
    *,
    with_bottom: bool = True,
) -> Mesh:
    """Return a printed sheet along x, in cells, which can be sorted by distance when they are drawn.

    `has_cell` (rows, columns) says which cells there are, row 0 at the table; `faces` (2, rows, columns, 3) are the
    prints towards -y and +y; `size` is length, thickness and height; `edge` is the colour of the rim.
    """
    length, thickness, height = size
    rows, columns = has_cell.shape
    xs, zs = np.linspace(-length / 2, length / 2, columns + 1), np.linspace(0, height, rows + 1)
    neighbours, front, back = np.pad(has_cell, 1), -thickness / 2, thickness / 2
    if not with_bottom:
        neighbours[0] = True
    quads: list[object] = []
    colours: list[object] = []
    for row, column in np.argwhere(has_cell):
        x0, x1, z0, z1 = xs[column], xs[column + 1], zs[row], zs[row + 1]
        quads.append(((x0, front, z0), (x1, front, z0), (x1, front, z1), (x0, front, z1)))
        quads.append(((x1, back, z0), (x0, back, z0), (x0, back, z1), (x1, back, z1)))
        sides = {
            (0, 1): ((x0, front, z0), (x0, back, z0), (x1, back, z0), (x1, front, z0)),
            (2, 1): ((x0, front, z1), (x1, front, z1), (x1, back, z1), (x0, back, z1)),
            (1, 0): ((x0, back, z0), (x0, front, z0), (x0, front, z1), (x0, back, z1)),
            (1, 2): ((x1, front, z0), (x1, back, z0), (x1, back, z1), (x1, front, z1)),
        }
        edges = [quad for (down, right), quad in sides.items() if not neighbours[row + down, column + right]]
        quads += edges
        colours += [faces[0, row, column], faces[1, row, column], *[edge] * len(edges)]
    return make_mesh(quads, colours)


def make_castle_mesh(colour: str, rng: Rng) -> Mesh:
    """Return a castle of two high and two low printed walls, open in the middle, about a square wide.

    Some castles are printed with a sky and roofs in the player's colour, some with grey stone and battlements.
    """
    roof = RGB[colour]
    half = rng.uniform(0.26, 0.34), rng.uniform(0.24, 0.34)  # from the middle to each wall
    heights = rng.uniform(0.6, 1.05), rng.uniform(0.3, 0.5), rng.uniform(0.3, 0.6), rng.uniform(0.3, 0.6)
    is_stone = rng.random() < 0.35
    sky = (rng.uniform(110, 160), rng.uniform(125, 170), rng.uniform(150, 190))
    walls = []
    for side, height in enumerate(heights):
        reach, distance = half[side // 2], half[1 - side // 2]
        length = 2 * (reach + rng.uniform(0.08, 0.18))
        has_cell, faces = _print_wall(length, height, roof, sky, is_stone, rng)
        thickness = rng.uniform(0.04, 0.065)
        edge = np.clip(np.array(_CARDBOARD) + rng.uniform(-35, 35), 0, 255)
        wall = make_sheet_mesh(has_cell, faces, (length, thickness, height), edge, with_bottom=False)
        turn = side // 2 * np.pi / 2 + side % 2 * np.pi
        walls.append(wall.place((0.0, -distance)).place((0.0, 0.0), turn))
    triangles, colours = zip(*((wall.triangles, wall.colours) for wall in walls), strict=True)
    return make_standing(np.concatenate(triangles), np.concatenate(colours))


def _print_wall(
    length: float, height: float, roof: Colour, sky: Sequence[float], is_stone: bool, rng: Rng
) -> tuple[NDArray[np.bool_], Bytes]:
    """Return which cells (rows, columns) a wall has, row 0 at the table, and the outer and the inner print."""
    rows, columns = max(4, round(height / _CELL_SQUARES)), max(8, round(length / _CELL_SQUARES))
    has_cell = np.ones((rows, columns), dtype=np.bool_)
    if is_stone or rng.random() < 0.3:
        merlon = int(rng.integers(1, 3))
        has_cell[-1, (np.arange(columns) // merlon) % 2 == 1] = False
    else:
        step = int(rng.integers(0, 3))
        has_cell[-2:, :step] = has_cell[-2:, columns - step :] = False
    face = np.empty((rows, columns, 3))
    face[:] = (140, 138, 134) if is_stone else sky
    keep = (186, 150, 62) if not is_stone else (118, 114, 110)
    for _ in range(int(rng.integers(2, 5))):
        middle, half = int(rng.integers(2, columns - 2)), int(rng.integers(1, 3))  # of a tower
        eaves = int(rng.integers(rows // 3, max(rows // 3 + 1, rows - 2)))
        face[:eaves, max(0, middle - half) : middle + half] = keep
        for row in range(eaves, min(rows, eaves + half + 2)):
            half_width = max(1, half + 1 - (row - eaves))
            face[row, max(0, middle - half_width) : middle + half_width] = roof
    face[: max(2, rows // 3), 1:-1] = keep
    face[: max(1, rows // 5), columns // 2 - 1 : columns // 2 + 1] = (70, 48, 34)
    faces = face + rng.normal(0, 10, (2, rows, columns, 1)) + rng.normal(0, 5, (2, rows, columns, 3))
    faces[1] *= np.linspace(0.55, 0.9, rows)[:, None, None]  # little light falls on the lower inner walls
    return has_cell, np.clip(faces, 0, 255).astype(np.uint8)


def load_models(folder: Path) -> dict[str, tuple[Mesh, ...]]:
    """Return the pieces of a folder of models by name ("castle", "king", "knight", "tower"), each in all COLOURS."""
    with Image.open(folder / "castlePinkTexture.png") as texture_file:
        palette = np.array(texture_file.convert("RGB"))
    castles = []
    for colour in COLOURS.values():
        palette[:, : palette.shape[1] // 4] = colour
        castles.append(load_obj(folder / "castle.obj", palette, width=0.9))
    models = {"castle": tuple(castles)}
    for name, width in _MODEL_WIDTHS_SQUARES.items():
        mesh = load_obj(folder / f"{name}.obj", width=width, grain=0.005)
        models[name] = tuple(mesh.paint(colour) for colour in COLOURS.values())
    return models


def load_obj(path: Path, texture: Bytes | None = None, *, width: float, grain: float = 0.02) -> Mesh:
    """Return the mesh of a Wavefront OBJ file (y up there), scaled to a width in squares.

    Each face has the texture's colour at the mean of its texture coordinates; without a texture it is light grey.
    Corners are rounded to multiples of `grain` squares; faces that become too small are dropped.
    """
    corners, positions = _read_obj(path)
    triangles = corners[..., [0, 2, 1]] * (1.0, -1.0, 1.0)
    triangles *= width / np.ptp(triangles[..., 0])
    colours = np.full((len(triangles), 3), 208, dtype=np.uint8)
    if texture is not None:
        (u, v), (rows, columns) = positions.mean(axis=1).T, texture.shape[:2]
        column = np.clip((u % 1.0) * columns, 0, columns - 1).astype(int)
        row = np.clip((1.0 - v % 1.0) * rows, 0, rows - 1).astype(int)
        colours = np.asarray(texture[row, column])
    mesh = make_standing(triangles, colours)
    corners = np.round(mesh.triangles / grain) * grain
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    is_large = area > grain * grain / 4
    return Mesh(corners[is_large], mesh.colours[is_large])


def _read_obj(path: Path) -> tuple[Floats, Floats]:
    """Return the corners of triangles (n, 3, 3), and the positions of the corners in the texture (n, 3, 2)."""
    points, uvs, faces = list[list[float]](), list[list[float]](), list[list[list[int]]]()
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        kind, *fields = line.split() or [""]
        if kind == "v":
            points.append([float(field) for field in fields[:3]])
        elif kind == "vt":
            uvs.append([float(field) for field in fields[:2]])
        elif kind == "f":
            corners = [[int(index or 1) for index in (field + "/1").split("/")[:2]] for field in fields]
            faces += [[corners[0], corners[i], corners[i + 1]] for i in range(1, len(corners) - 1)]
    indices = np.array(faces) - 1
    return np.array(points)[indices[..., 0]], np.array(uvs or [[0.0, 0.0]])[indices[..., 1]]
