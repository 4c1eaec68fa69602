"""Cardboard castles made by code: four walls slotted into each other around the starting tile."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kdvision.lab.arrays import Bytes, Floats, Rng
from kdvision.lab.render.objects.meshes import make_rgb, sheet_mesh
from kdvision.lab.render.raster import Colour, Mesh, make_standing

_CARDBOARD = (150, 148, 144)
_CELL_SQUARES = 0.06  # side of a cell of the printed walls


def castle_mesh(colour: str | Colour, rng: Rng | None = None) -> Mesh:
    """Return a castle of two high and two low printed walls, open in the middle, about a square wide.

    Some castles are printed with a sky and roofs in the player's colour, some with grey stone and battlements.
    """
    rng = rng or np.random.default_rng(0)
    roof = make_rgb(colour)
    half = rng.uniform(0.26, 0.34), rng.uniform(0.24, 0.34)  # from the middle to each wall
    heights = rng.uniform(0.6, 1.05), rng.uniform(0.3, 0.5), rng.uniform(0.3, 0.6), rng.uniform(0.3, 0.6)
    stone = rng.random() < 0.35
    sky = (rng.uniform(110, 160), rng.uniform(125, 170), rng.uniform(150, 190))
    walls = []
    for side, height in enumerate(heights):
        reach, away = half[side // 2], half[1 - side // 2]
        length = 2 * (reach + rng.uniform(0.08, 0.18))
        stands, faces = _print_wall(length, height, roof, sky, stone, rng)
        thickness = rng.uniform(0.04, 0.065)
        edge = np.clip(np.array(_CARDBOARD) + rng.uniform(-35, 35), 0, 255)
        wall = sheet_mesh(stands, faces, (length, thickness, height), edge, with_bottom=False)
        turn = side // 2 * np.pi / 2 + side % 2 * np.pi
        walls.append(wall.place((0.0, -away)).place((0.0, 0.0), turn))
    return make_standing(
        np.concatenate([wall.triangles for wall in walls]), np.concatenate([wall.colours for wall in walls])
    )


def _print_wall(
    length: float, height: float, roof: Colour, sky: Sequence[float], stone: bool, rng: Rng
) -> tuple[NDArray[np.bool_], Bytes]:
    """Return which cells of a wall there are (rows, columns), and both printed faces (2, rows, columns, 3).

    Row 0 is at the table; the outer face is the first.
    """
    rows, columns = max(4, round(height / _CELL_SQUARES)), max(8, round(length / _CELL_SQUARES))
    stands = np.ones((rows, columns), dtype=np.bool_)
    if stone or rng.random() < 0.3:
        merlon = int(rng.integers(1, 3))
        stands[-1, (np.arange(columns) // merlon) % 2 == 1] = False
    else:
        step = int(rng.integers(0, 3))
        stands[-2:, :step] = stands[-2:, columns - step :] = False
    face = np.empty((rows, columns, 3))
    face[:] = (140, 138, 134) if stone else sky
    keep = (186, 150, 62) if not stone else (118, 114, 110)
    for _ in range(int(rng.integers(2, 5))):
        _print_tower(face, keep, roof, rng)
    face[: max(2, rows // 3), 1:-1] = keep
    face[: max(1, rows // 5), columns // 2 - 1 : columns // 2 + 1] = (70, 48, 34)
    faces = face + rng.normal(0, 10, (2, rows, columns, 1)) + rng.normal(0, 5, (2, rows, columns, 3))
    faces[1] *= np.linspace(0.55, 0.9, rows)[:, None, None]  # little light falls on the lower inner walls
    return stands, np.clip(faces, 0, 255).astype(np.uint8)


def _print_tower(face: Floats, keep: Colour, roof: Colour, rng: Rng) -> None:
    rows, columns = face.shape[:2]
    middle, half = int(rng.integers(2, columns - 2)), int(rng.integers(1, 3))
    eaves = int(rng.integers(rows // 3, max(rows // 3 + 1, rows - 2)))
    face[:eaves, max(0, middle - half) : middle + half] = keep
    for row in range(eaves, min(rows, eaves + half + 2)):
        narrow = max(1, half + 1 - (row - eaves))
        face[row, max(0, middle - narrow) : middle + narrow] = roof
