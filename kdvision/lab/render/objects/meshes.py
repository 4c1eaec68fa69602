"""The pieces that stand on the table: castles, kings, knights, towers and the queen, from models or from code.

Lengths are in squares, as in `raster`. Pieces made from code need no files; `load_obj` and `models` read 3-D models.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from kdvision.lab.render.objects.castles import COLOURS, castle_mesh, rgb
from kdvision.lab.render.raster import Bytes, Colour, Floats, Mesh, draw, of_quads, shadow_mask, standing

__all__ = [
    "COLOURS",
    "KNIGHT",
    "TOWER",
    "Mesh",
    "board_mesh",
    "castle_mesh",
    "draw",
    "king_mesh",
    "knight_mesh",
    "load_models",
    "load_obj",
    "queen_mesh",
    "shadow_mask",
    "tower_mesh",
]


def load_obj(path: str | Path, texture: str | Path | Bytes | None = None, *, width: float, grain: float = 0.02) -> Mesh:
    """The mesh of a Wavefront OBJ file (y up there), scaled to a width in squares.

    Each face takes the texture's colour at the middle of its texture coordinates; without a texture it is light grey.
    Corners are merged to a lattice of `grain` squares, which drops the faces too small to be seen.
    """
    points, uvs, faces, face_uvs = _read_obj(Path(path))
    triangles = points[faces][..., [0, 2, 1]] * (1.0, -1.0, 1.0)
    triangles *= width / np.ptp(triangles[..., 0])
    colours = np.full((len(faces), 3), 208, dtype=np.uint8)
    if texture is not None and len(uvs):
        colours = _sampled(_texture(texture), uvs[face_uvs].mean(axis=1))
    return _merged(standing(triangles, colours), grain)


def _read_obj(path: Path) -> tuple[Floats, Floats, NDArray[np.int64], NDArray[np.int64]]:
    """Points (p, 3), texture coordinates (t, 2), and indices of both for each triangle (n, 3)."""
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


def _texture(texture: str | Path | Bytes) -> Bytes:
    if isinstance(texture, np.ndarray):
        return texture
    with Image.open(texture) as opened:
        return np.asarray(opened.convert("RGB"))


def _sampled(texture: Bytes, uvs: Floats) -> Bytes:
    height, width = texture.shape[:2]
    columns = np.clip((uvs[:, 0] % 1.0) * width, 0, width - 1).astype(int)
    rows = np.clip((1.0 - uvs[:, 1] % 1.0) * height, 0, height - 1).astype(int)
    return np.asarray(texture[rows, columns])


def _merged(mesh: Mesh, grain: float) -> Mesh:
    snapped = np.round(mesh.triangles / grain) * grain
    area = np.linalg.norm(np.cross(snapped[:, 1] - snapped[:, 0], snapped[:, 2] - snapped[:, 0]), axis=1)
    kept = area > grain * grain / 4
    return Mesh(snapped[kept], mesh.colours[kept])


def load_models(folder: str | Path) -> dict[str, tuple[Mesh, ...]]:
    """The pieces found in a folder of models by name ("castle", "king", "knight", "tower"), each in several colours."""
    home = Path(folder)
    palette = _texture(home / "castlePinkTexture.png").copy()
    found: dict[str, tuple[Mesh, ...]] = {}
    castles = []
    for colour in COLOURS.values():
        palette[:, : palette.shape[1] // 4] = colour
        castles.append(load_obj(home / "castle.obj", palette, width=0.9))
    found["castle"] = tuple(castles)
    for name, width in (("king", 0.4), ("knight", 0.4), ("tower", 0.35)):
        mesh = load_obj(home / f"{name}.obj", width=width, grain=0.005)
        found[name] = tuple(mesh.painted(colour) for colour in COLOURS.values())
    return found


# --- pieces made from code --------------------------------------------------------------------------------------------

# Outlines of wooden pieces as trapezia: height, left, right below; height, left, right above. A king is a square high.
Strip = tuple[float, float, float, float, float, float]
_MAN: tuple[Strip, ...] = (
    (0.0, -0.40, -0.08, 0.3, -0.26, 0.0),
    (0.0, 0.08, 0.40, 0.3, 0.0, 0.26),
    (0.3, -0.26, 0.26, 0.42, -0.22, 0.22),
    (0.42, -0.46, 0.46, 0.54, -0.48, 0.48),
    (0.54, -0.48, 0.48, 0.64, -0.22, 0.22),
    (0.64, -0.14, 0.14, 0.70, -0.20, 0.20),
    (0.70, -0.20, 0.20, 0.82, -0.20, 0.20),
)
_KING: tuple[Strip, ...] = (
    *_MAN,
    (0.82, -0.24, -0.06, 1.0, -0.28, -0.20),
    (0.82, -0.10, 0.10, 1.0, -0.04, 0.04),
    (0.82, 0.06, 0.24, 1.0, 0.20, 0.28),
)
KNIGHT: tuple[Strip, ...] = (
    *_MAN,
    (0.82, -0.20, 0.20, 0.94, -0.10, 0.10),
    (0.10, 0.40, 0.58, 0.54, 0.36, 0.66),  # the shield
)
TOWER: tuple[Strip, ...] = (
    (0.0, -0.34, -0.11, 0.16, -0.34, -0.09),
    (0.0, 0.11, 0.34, 0.16, 0.09, 0.34),
    (0.16, -0.34, 0.34, 0.24, -0.24, 0.24),
    (0.24, -0.24, 0.24, 0.62, -0.21, 0.21),
    (0.62, -0.21, 0.21, 0.70, -0.32, 0.32),
    (0.70, -0.32, 0.32, 0.85, -0.32, 0.32),
    (0.85, -0.32, -0.16, 1.0, -0.32, -0.16),
    (0.85, -0.08, 0.08, 1.0, -0.08, 0.08),
    (0.85, 0.16, 0.32, 1.0, 0.16, 0.32),
)
_QUEEN: tuple[Strip, ...] = (
    (0.0, -0.46, 0.46, 0.12, -0.42, 0.42),
    (0.12, -0.42, 0.42, 0.42, -0.16, 0.16),
    *_MAN[3:],
    (0.82, -0.20, 0.20, 0.90, -0.26, 0.26),
    (0.90, -0.26, 0.26, 1.0, -0.12, 0.12),
)


def king_mesh(colour: str | Colour) -> Mesh:
    """A wooden king, about 0.45 squares wide and half a square high."""
    return board_mesh(_KING, colour, height=0.5, thickness=0.2)


def knight_mesh(colour: str | Colour = (150, 140, 130)) -> Mesh:
    """A wooden knight with a shield."""
    return board_mesh(KNIGHT, colour, height=0.42, thickness=0.16)


def queen_mesh(colour: str | Colour = (150, 60, 120)) -> Mesh:
    """The wooden queen in her long dress."""
    return board_mesh(_QUEEN, colour, height=0.6, thickness=0.24)


def tower_mesh(colour: str | Colour = (168, 160, 150)) -> Mesh:
    """A round wooden tower, about 0.35 squares wide, wider at the foot and the battlements."""
    profile = (
        (0.0, 0.175),
        (0.08, 0.175),
        (0.12, 0.135),
        (0.40, 0.125),
        (0.44, 0.165),
        (0.56, 0.165),
        (0.56, 0.11),
        (0.52, 0.10),
        (0.52, 0.0),
    )
    angles = np.linspace(0, 2 * np.pi, 17)
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    quads = []
    for (low, wide), (high, narrow) in pairwise(profile):
        for a, b in pairwise(ring):
            quads.append([(*a * wide, low), (*b * wide, low), (*b * narrow, high), (*a * narrow, high)])
    return of_quads(quads, [rgb(colour)] * len(quads))


def board_mesh(strips: Iterable[Strip], colour: str | Colour, *, height: float, thickness: float) -> Mesh:
    """An outline cut from a board of wood: its height, and how thick the board is, in squares."""
    quads = []
    front, back = -thickness / 2, thickness / 2
    for z0, a0, b0, z1, a1, b1 in strips:
        quads += [
            ((a0, front, z0), (b0, front, z0), (b1, front, z1), (a1, front, z1)),
            ((b0, back, z0), (a0, back, z0), (a1, back, z1), (b1, back, z1)),
            ((a0, back, z0), (a0, front, z0), (a1, front, z1), (a1, back, z1)),
            ((b0, front, z0), (b0, back, z0), (b1, back, z1), (b1, front, z1)),
            ((a1, front, z1), (b1, front, z1), (b1, back, z1), (a1, back, z1)),
        ]
    mesh = of_quads(quads, [rgb(colour)] * len(quads))
    return standing(mesh.triangles * (height, 1.0, height), mesh.colours)
