"""Cardboard castles, made from code: four walls slotted into each other around the starting tile."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kdvision.lab.render.raster import Bytes, Colour, Floats, Mesh, of_quads, standing

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


CARDBOARD = (150, 148, 144)


def castle_mesh(colour: str | Colour, rng: np.random.Generator | None = None) -> Mesh:
    """A castle of four printed cardboard walls slotted into each other, open in the middle, about a square wide.

    Two walls are high and two low; some castles are printed with a sky and roofs in the player's colour, some with grey
    stone and battlements.
    """
    rng = rng or np.random.default_rng(0)
    roof = rgb(colour)
    half = rng.uniform(0.26, 0.34), rng.uniform(0.24, 0.34)  # from the middle to each wall
    heights = rng.uniform(0.6, 1.05), rng.uniform(0.3, 0.5), rng.uniform(0.3, 0.6), rng.uniform(0.3, 0.6)
    stone = rng.random() < 0.35
    base = (rng.uniform(110, 160), rng.uniform(125, 170), rng.uniform(150, 190))
    walls = []
    for side, height in enumerate(heights):
        reach, away = half[side // 2], half[1 - side // 2]
        length = 2 * (reach + rng.uniform(0.08, 0.18))
        panel = _panel(length, height, roof, base, stone, rng)
        wall = _wall(*panel, length=length, height=height, thickness=rng.uniform(0.04, 0.065), rng=rng)
        walls.append(_put(wall, turn=side // 2 * np.pi / 2 + side % 2 * np.pi, away=-away))
    return standing(
        np.concatenate([wall.triangles for wall in walls]), np.concatenate([wall.colours for wall in walls])
    )


def rgb(colour: str | Colour) -> tuple[int, int, int]:
    """Red, green and blue of a player's colour, given by name or already as numbers."""
    red, green, blue = COLOURS[colour] if isinstance(colour, str) else colour
    return red, green, blue


def _put(mesh: Mesh, turn: float, away: float) -> Mesh:
    cos, sin = np.cos(turn), np.sin(turn)
    moved = mesh.triangles + np.array((0.0, away, 0.0))
    return Mesh(moved @ np.array([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]]), mesh.colours)


def _panel(
    length: float, height: float, roof: Colour, sky: Sequence[float], stone: bool, rng: np.random.Generator
) -> tuple[NDArray[np.bool_], Bytes, Bytes]:
    """A wall as a coarse picture: which bits of cardboard stand, and both printed faces; row 0 at the table."""
    rows, columns = max(4, round(height / 0.06)), max(8, round(length / 0.06))
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
    noisy = face + rng.normal(0, 10, (2, rows, columns, 1)) + rng.normal(0, 5, (2, rows, columns, 3))
    # Little light falls into the castle: its inner faces are darker towards the table.
    noisy[1] *= np.linspace(0.55, 0.9, rows)[:, None, None]
    outside, inside = np.clip(noisy, 0, 255).astype(np.uint8)
    return stands, outside, inside


def _print_tower(face: Floats, keep: Colour, roof: Colour, rng: np.random.Generator) -> None:
    rows, columns = face.shape[:2]
    middle, half = int(rng.integers(2, columns - 2)), int(rng.integers(1, 3))
    eaves = int(rng.integers(rows // 3, max(rows // 3 + 1, rows - 2)))
    face[:eaves, max(0, middle - half) : middle + half] = keep
    for row in range(eaves, min(rows, eaves + half + 2)):
        narrow = max(1, half + 1 - (row - eaves))
        face[row, max(0, middle - narrow) : middle + narrow] = roof


def _wall(
    stands: NDArray[np.bool_],
    outside: Bytes,
    inside: Bytes,
    *,
    length: float,
    height: float,
    thickness: float,
    rng: np.random.Generator,
) -> Mesh:
    """A sheet of cardboard along x, its outside towards -y, built bit by bit so that far bits are painted first."""
    rows, columns = stands.shape
    xs, zs = np.linspace(-length / 2, length / 2, columns + 1), np.linspace(0, height, rows + 1)
    front, back = -thickness / 2, thickness / 2
    padded = np.pad(stands, 1)
    quads, colours = [], []
    edge = np.clip(np.array(CARDBOARD) + rng.uniform(-35, 35), 0, 255)
    for row, column in np.argwhere(stands):
        x0, x1, z0, z1 = xs[column], xs[column + 1], zs[row], zs[row + 1]
        quads.append(((x0, front, z0), (x1, front, z0), (x1, front, z1), (x0, front, z1)))
        quads.append(((x1, back, z0), (x0, back, z0), (x0, back, z1), (x1, back, z1)))
        colours += [outside[row, column], inside[row, column]]
        if not padded[row + 2, column + 1]:
            quads.append(((x0, front, z1), (x1, front, z1), (x1, back, z1), (x0, back, z1)))
            colours.append(edge)
        if not padded[row + 1, column]:
            quads.append(((x0, back, z0), (x0, front, z0), (x0, front, z1), (x0, back, z1)))
            colours.append(edge)
        if not padded[row + 1, column + 2]:
            quads.append(((x1, front, z0), (x1, back, z0), (x1, back, z1), (x1, front, z1)))
            colours.append(edge)
    return of_quads(quads, colours)
