"""Wooden pieces and printed boards: kings, knights and towers made by code, and pieces from 3-D model files.

Lengths are in squares, as in `raster`.
"""

import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from kdvision.lab.arrays import Bytes, Floats
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
BROWN = (112, 72, 40)
"""The colour of a fifth player. It is not among COLOURS, from which the scenes of committed measurements draw."""
_MODEL_WIDTHS_SQUARES = {"king": 0.4, "knight": 0.4, "tower": 0.35}

_OUTLINES: dict[str, list[list[float]]] = tomllib.loads(
    Path(__file__).with_name("wooden_pieces.toml").read_text("utf-8")
)
KING, KNIGHT = ([*_OUTLINES["man"], *_OUTLINES[name]] for name in ("king", "knight"))
TOWER = _OUTLINES["tower"]
"""Outlines cut from boards: see `board_mesh`."""


def make_rgb(colour: str | Colour) -> tuple[int, int, int]:
    """Return a colour given by its name in COLOURS or as numbers."""
    red, green, blue = {**COLOURS, "brown": BROWN}[colour] if isinstance(colour, str) else colour
    return red, green, blue


def king_mesh(colour: str | Colour) -> Mesh:
    """Return a wooden king, about 0.45 squares wide and half a square high."""
    return board_mesh(KING, colour, height=0.5, thickness=0.2)


def knight_mesh(colour: str | Colour = (150, 140, 130)) -> Mesh:
    """Return a wooden knight with a shield."""
    return board_mesh(KNIGHT, colour, height=0.42, thickness=0.16)


def tower_mesh(colour: str | Colour = (168, 160, 150)) -> Mesh:
    """Return a round wooden tower, about 0.35 squares wide, wider at the foot and the battlements."""
    profile = [(height, radius) for height, radius in _OUTLINES["round_tower"]]
    return revolve(profile, [make_rgb(colour)] * (len(profile) - 1), steps=16)


def board_mesh(outline: Iterable[Sequence[float]], colour: str | Colour, *, height: float, thickness: float) -> Mesh:
    """Return an outline cut from a wooden board and scaled by `height`.

    It consists of trapezia: height, left, right below; height, left, right above.
    """
    quads = []
    front, back = -thickness / 2, thickness / 2
    for z0, a0, b0, z1, a1, b1 in outline:
        quads += [
            ((a0, front, z0), (b0, front, z0), (b1, front, z1), (a1, front, z1)),
            ((b0, back, z0), (a0, back, z0), (a1, back, z1), (b1, back, z1)),
            ((a0, back, z0), (a0, front, z0), (a1, front, z1), (a1, back, z1)),
            ((b0, front, z0), (b0, back, z0), (b1, back, z1), (b1, front, z1)),
            ((a1, front, z1), (b1, front, z1), (b1, back, z1), (a1, back, z1)),
        ]
    mesh = make_mesh(quads, [make_rgb(colour)] * len(quads))
    return make_standing(mesh.triangles * (height, 1.0, height), mesh.colours)


def sheet_mesh(
    stands: NDArray[np.bool_], faces: Bytes, size: tuple[float, float, float], edge: Floats, *, with_bottom: bool = True
) -> Mesh:
    """Return a printed sheet along x, in cells, which can be sorted by distance when they are drawn.

    `stands` (rows, columns) says which cells there are, row 0 at the table; `faces` (2, rows, columns, 3) are the
    prints towards -y and +y; `size` is length, thickness and height; `edge` is the colour of the rim.
    """
    length, thickness, height = size
    rows, columns = stands.shape
    xs, zs = np.linspace(-length / 2, length / 2, columns + 1), np.linspace(0, height, rows + 1)
    neighbours, front, back = np.pad(stands, 1), -thickness / 2, thickness / 2
    if not with_bottom:
        neighbours[0] = True
    quads: list[object] = []
    colours: list[object] = []
    for row, column in np.argwhere(stands):
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


# --- 3-D models -------------------------------------------------------------------------------------------------------


def load_models(folder: str | Path) -> dict[str, tuple[Mesh, ...]]:
    """Return the pieces of a folder of models by name ("castle", "king", "knight", "tower"), each in all COLOURS."""
    home = Path(folder)
    with Image.open(home / "castlePinkTexture.png") as opened:
        palette = np.array(opened.convert("RGB"))
    castles = []
    for colour in COLOURS.values():
        palette[:, : palette.shape[1] // 4] = colour
        castles.append(load_obj(home / "castle.obj", palette, width=0.9))
    models: dict[str, tuple[Mesh, ...]] = {"castle": tuple(castles)}
    for name, width in _MODEL_WIDTHS_SQUARES.items():
        mesh = load_obj(home / f"{name}.obj", width=width, grain=0.005)
        models[name] = tuple(mesh.paint(colour) for colour in COLOURS.values())
    return models


def load_obj(path: str | Path, texture: Bytes | None = None, *, width: float, grain: float = 0.02) -> Mesh:
    """Return the mesh of a Wavefront OBJ file (y up there), scaled to a width in squares.

    Each face has the texture's colour at the mean of its texture coordinates; without a texture it is light grey.
    Corners are rounded to multiples of `grain` squares; faces that become too small are dropped.
    """
    points, uvs, faces, face_uvs = _read_obj(Path(path))
    triangles = points[faces][..., [0, 2, 1]] * (1.0, -1.0, 1.0)
    triangles *= width / np.ptp(triangles[..., 0])
    colours = np.full((len(faces), 3), 208, dtype=np.uint8)
    if texture is not None and len(uvs):
        u, v = uvs[face_uvs].mean(axis=1).T
        rows, columns = texture.shape[:2]
        column = np.clip((u % 1.0) * columns, 0, columns - 1).astype(int)
        row = np.clip((1.0 - v % 1.0) * rows, 0, rows - 1).astype(int)
        colours = np.asarray(texture[row, column])
    mesh = make_standing(triangles, colours)
    corners = np.round(mesh.triangles / grain) * grain
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    large = area > grain * grain / 4
    return Mesh(corners[large], mesh.colours[large])


def _read_obj(path: Path) -> tuple[Floats, Floats, NDArray[np.int64], NDArray[np.int64]]:
    """Return points (p, 3), texture coordinates (t, 2), and indices of both for each triangle (n, 3)."""
    points: list[list[float]] = []
    uvs: list[list[float]] = []
    faces: list[list[list[int]]] = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        kind, *fields = line.split() or [""]
        if kind == "v":
            points.append([float(field) for field in fields[:3]])
        elif kind == "vt":
            uvs.append([float(field) for field in fields[:2]])
        elif kind == "f":
            corners = [[int(part or 1) for part in (field + "/1").split("/")[:2]] for field in fields]
            faces += [[corners[0], corners[i], corners[i + 1]] for i in range(1, len(corners) - 1)]
    indices = np.array(faces, dtype=np.int64).reshape(-1, 3, 2) - 1
    return np.array(points), np.array(uvs).reshape(-1, 2), indices[..., 0], indices[..., 1]
