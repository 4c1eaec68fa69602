"""What else stands on a table of players: cups, glasses, coins, dice, cards, pencils and boxes, made from code.

Lengths are in squares (about 4 cm); bases lie at z = 0, centred on the origin.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from kdvision.lab.render.objects.table_tops import choose_colour
from kdvision.lab.render.raster import Floats, Mesh, of_quads, standing

Rng = np.random.Generator
Profile = list[tuple[float, float]]  # height, radius
Quad = list[tuple[float, ...]]

STEPS = 28  # faces around a round thing


def _turned(profile: Profile, colours: Floats) -> Mesh:
    """A body of revolution, its outline from the foot outwards and up; a colour (0 to 255) for each pair of points."""
    angles = np.linspace(0, 2 * np.pi, STEPS + 1)
    ring = np.stack([np.cos(angles), np.sin(angles)], 1)
    quads: list[Quad] = []
    for (low, wide), (high, narrow) in pairwise(profile):
        for a, b in pairwise(ring):
            quads.append([(*a * wide, low), (*b * wide, low), (*b * narrow, high), (*a * narrow, high)])
    return of_quads(quads, np.repeat(colours, STEPS, axis=0))


def _paint(rng: Rng) -> Floats:
    return np.asarray(255.0 * choose_colour(rng), np.float64)


def cup(rng: Rng) -> Mesh:
    """A cup or a glass with something to drink in it."""
    radius, height, wall = rng.uniform(0.7, 1.15), rng.uniform(0.8, 2.6), 0.08
    foot = radius * rng.uniform(0.65, 1.0)
    level = height * rng.uniform(0.35, 0.92)
    glaze = _paint(rng)
    drink = np.array([[60, 34, 20], [150, 90, 30], [110, 10, 24], [196, 120, 20], [214, 214, 206]])[rng.integers(5)]
    inner = foot + (radius - foot) * level / height - wall  # as wide as the cup is at that level
    profile = [(0.0, foot), (height, radius), (height, radius - wall), (level, inner), (level, 0.0)]
    return _turned(profile, np.array([glaze, glaze * 1.05, glaze * 0.8, drink]).clip(0, 255))


def bottle(rng: Rng) -> Mesh:
    """A bottle's lower half, a candle or a can."""
    radius, height = rng.uniform(0.4, 0.9), rng.uniform(0.6, 2.5)
    body = _paint(rng)
    profile = [(0.0, radius), (height, radius), (height + 0.1, radius * 0.8), (height + 0.1, 0.0)]
    return _turned(profile, np.array([body, body * 0.8, np.full(3, rng.uniform(60, 220))]))


def coin(rng: Rng) -> Mesh:
    """A coin or a token."""
    radius = rng.uniform(0.2, 0.34)
    metal = np.array([[196, 160, 70], [178, 108, 70], [180, 180, 176], [150, 40, 40], [40, 60, 150]])[rng.integers(5)]
    inside = metal * rng.uniform(0.8, 1.2)
    profile = [(0.0, radius), (0.05, radius), (0.05, radius * 0.72), (0.05, 0.0)]
    return _turned(profile, np.array([metal * 0.7, metal, inside]).clip(0, 255))


def plate(rng: Rng) -> Mesh:
    """A plate or a bowl."""
    radius = rng.uniform(1.4, 3.0)
    glaze = _paint(rng)
    profile = [(0.0, radius * 0.6), (0.4, radius), (0.36, radius * 0.95), (0.1, radius * 0.62), (0.1, 0.0)]
    return _turned(profile, np.array([glaze * 0.8, glaze, glaze * 0.92, glaze]))


def _block(size: tuple[float, float, float], top: Floats, side: Floats) -> Mesh:
    """A cuboid whose upper face shows a grid of colours (rows, columns, 3)."""
    x, y, z = size[0] / 2, size[1] / 2, size[2]
    foot = [(-x, -y), (x, -y), (x, y), (-x, y)]
    quads: list[Quad] = [
        [(*a, 0.0), (*b, 0.0), (*b, z), (*a, z)] for a, b in zip(foot, foot[1:] + foot[:1], strict=True)
    ]
    colours = [side] * 4
    rows, columns = top.shape[:2]
    xs, ys = np.linspace(-x, x, columns + 1), np.linspace(-y, y, rows + 1)
    for row in range(rows):
        for column in range(columns):
            (x0, x1), (y0, y1) = xs[column : column + 2], ys[row : row + 2]
            quads.append([(x0, y0, z), (x1, y0, z), (x1, y1, z), (x0, y1, z)])
            colours.append(top[row, column])
    return of_quads(quads, np.clip(colours, 0, 255))


def _printed(rng: Rng, rows: int, columns: int) -> Floats:
    """A printed face, (rows, columns, 3): a ground with blocks and stripes of other inks."""
    face = np.full((rows, columns, 3), _paint(rng))
    for _ in range(int(rng.integers(1, 6))):
        top, left = int(rng.integers(rows)), int(rng.integers(columns))
        face[top : top + int(rng.integers(1, rows + 1)), left : left + int(rng.integers(1, columns + 1))] = _paint(rng)
    return np.asarray(face + rng.normal(0, 6, (rows, columns, 1)))


def box(rng: Rng) -> Mesh:
    """A game's box, its lid, a book or a phone lying on the table."""
    size = (rng.uniform(1.7, 6), rng.uniform(3, 6), rng.uniform(0.1, 1.6))
    return _block(size, _printed(rng, 9, 9), _paint(rng))


def card(rng: Rng) -> Mesh:
    """A plain card or a slip of paper, often as large as a square or a domino."""
    width, length = rng.choice([0.8, 1.0, 1.0, 1.3, 2.0], 2) * rng.uniform(0.9, 1.1, 2)
    plain = np.full((1, 1, 3), _paint(rng))
    top = plain if rng.random() < 0.7 else _printed(rng, 5, 5)
    return _block((width, length, rng.uniform(0.01, 0.06)), top, plain[0, 0] * 0.8)


def pencil(rng: Rng) -> Mesh:
    """A pencil, a spoon's handle or a cable's end."""
    width = rng.uniform(0.12, 0.3)
    ink = _paint(rng)
    shades = np.stack([ink * gain for gain in (0.8, 1.1, 0.95)])[:, None]
    return _block((rng.uniform(2, 5), width, width), shades, ink * 0.6)


def die(rng: Rng) -> Mesh:
    """A die or a wooden cube."""
    side = rng.uniform(0.25, 0.45)
    return _block((side, side, side), np.full((1, 1, 3), _paint(rng)), _paint(rng))


MAKERS: dict[str, Callable[[Rng], Mesh]] = {
    "cup": cup,
    "bottle": bottle,
    "coin": coin,
    "plate": plate,
    "box": box,
    "card": card,
    "pencil": pencil,
    "die": die,
}
REACH = {"cup": 1.3, "bottle": 1.0, "coin": 0.4, "plate": 3.1, "box": 4.2, "card": 1.4, "pencil": 2.6, "die": 0.4}
"""How far a thing may reach from its middle, in squares."""


def clutter_mesh(kind: str, rng: Rng) -> Mesh:
    """Return one thing of a kind in `MAKERS`."""
    made = MAKERS[kind](rng)
    return standing(made.triangles, made.colours)
