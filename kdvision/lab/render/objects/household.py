"""Household objects on a table: cups, glasses, coins, dice, cards, pencils and boxes, made by code.

Lengths are in squares (about 4 cm); bases lie at z = 0, centred on the origin.
"""

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from kdvision.lab.arrays import Floats, Rng
from kdvision.lab.render.objects.surface import choose_colour
from kdvision.lab.render.raster import Mesh, make_mesh, revolve

_STEPS = 28  # faces around a round object
_DRINKS = np.array([[60, 34, 20], [150, 90, 30], [110, 10, 24], [196, 120, 20], [214, 214, 206]])
_METALS = np.array([[196, 160, 70], [178, 108, 70], [180, 180, 176], [150, 40, 40], [40, 60, 150]])


def _choose_paint(rng: Rng) -> Floats:
    return 255.0 * np.asarray(choose_colour(rng), np.float64)


def _make_cup(rng: Rng) -> Mesh:
    radius, height, wall = rng.uniform(0.7, 1.15), rng.uniform(0.8, 2.6), 0.08
    foot = radius * rng.uniform(0.65, 1.0)
    level = height * rng.uniform(0.35, 0.92)
    glaze = _choose_paint(rng)
    drink = _DRINKS[rng.integers(5)]
    inner_radius = foot + (radius - foot) * level / height - wall  # at the level of the drink
    profile = [(0.0, foot), (height, radius), (height, radius - wall), (level, inner_radius), (level, 0.0)]
    return revolve(profile, np.array([glaze, glaze * 1.05, glaze * 0.8, drink]).clip(0, 255), steps=_STEPS)


def _make_bottle(rng: Rng) -> Mesh:
    radius, height = rng.uniform(0.4, 0.9), rng.uniform(0.6, 2.5)
    body = _choose_paint(rng)
    profile = [(0.0, radius), (height, radius), (height + 0.1, radius * 0.8), (height + 0.1, 0.0)]
    return revolve(profile, np.array([body, body * 0.8, np.full(3, rng.uniform(60, 220))]), steps=_STEPS)


def _make_coin(rng: Rng) -> Mesh:
    radius = rng.uniform(0.2, 0.34)
    metal = _METALS[rng.integers(5)]
    inner_metal = metal * rng.uniform(0.8, 1.2)
    profile = [(0.0, radius), (0.05, radius), (0.05, radius * 0.72), (0.05, 0.0)]
    return revolve(profile, np.array([metal * 0.7, metal, inner_metal]).clip(0, 255), steps=_STEPS)


def _make_plate(rng: Rng) -> Mesh:
    radius = rng.uniform(1.4, 3.0)
    glaze = _choose_paint(rng)
    profile = [(0.0, radius * 0.6), (0.4, radius), (0.36, radius * 0.95), (0.1, radius * 0.62), (0.1, 0.0)]
    return revolve(profile, np.array([glaze * 0.8, glaze, glaze * 0.92, glaze]), steps=_STEPS)


def _make_block(size: tuple[float, float, float], top: Floats, side: Floats) -> Mesh:
    """Return a cuboid whose upper face shows a grid of colours (rows, columns, 3)."""
    x, y, z = size[0] / 2, size[1] / 2, size[2]
    foot = [(-x, -y), (x, -y), (x, y), (-x, y), (-x, -y)]
    quads = [[(*a, 0.0), (*b, 0.0), (*b, z), (*a, z)] for a, b in pairwise(foot)]
    rows, columns = top.shape[:2]
    for y0, y1 in pairwise(np.linspace(-y, y, rows + 1)):
        quads += [
            [(x0, y0, z), (x1, y0, z), (x1, y1, z), (x0, y1, z)] for x0, x1 in pairwise(np.linspace(-x, x, columns + 1))
        ]
    return make_mesh(quads, np.clip([side] * 4 + [*top.reshape(-1, 3)], 0, 255))


def _make_print(rng: Rng, rows: int, columns: int) -> Floats:
    """Return a printed face, (rows, columns, 3): blocks and stripes of several inks."""
    face = np.full((rows, columns, 3), _choose_paint(rng))
    for _ in range(int(rng.integers(1, 6))):
        top, left = int(rng.integers(rows)), int(rng.integers(columns))
        ink = _choose_paint(rng)
        bottom, right = top + int(rng.integers(1, rows + 1)), left + int(rng.integers(1, columns + 1))
        face[top:bottom, left:right] = ink
    return np.asarray(face + rng.normal(0, 6, (rows, columns, 1)))


def _make_box(rng: Rng) -> Mesh:
    size = (rng.uniform(1.7, 6), rng.uniform(3, 6), rng.uniform(0.1, 1.6))
    return _make_block(size, _make_print(rng, 9, 9), _choose_paint(rng))


def _make_card(rng: Rng) -> Mesh:
    """Return a card or a slip of paper, mostly plain, often as large as a square or a domino."""
    width, length = rng.choice([0.8, 1.0, 1.0, 1.3, 2.0], 2) * rng.uniform(0.9, 1.1, 2)
    blank_face = np.full((1, 1, 3), _choose_paint(rng))
    top = blank_face if rng.random() < 0.7 else _make_print(rng, 5, 5)
    return _make_block((width, length, rng.uniform(0.01, 0.06)), top, blank_face[0, 0] * 0.8)


def _make_pencil(rng: Rng) -> Mesh:
    width = rng.uniform(0.12, 0.3)
    ink = _choose_paint(rng)
    shades = np.stack([ink * gain for gain in (0.8, 1.1, 0.95)])[:, None]
    return _make_block((rng.uniform(2, 5), width, width), shades, ink * 0.6)


def _make_die(rng: Rng) -> Mesh:
    side = rng.uniform(0.25, 0.45)
    return _make_block((side, side, side), np.full((1, 1, 3), _choose_paint(rng)), _choose_paint(rng))


_OBJECTS: dict[str, tuple[Callable[[Rng], Mesh], float]] = {
    "cup": (_make_cup, 1.3),  # or a glass, with a drink
    "bottle": (_make_bottle, 1.0),  # the lower half of one, a candle or a can
    "coin": (_make_coin, 0.4),
    "plate": (_make_plate, 3.1),  # or a bowl
    "box": (_make_box, 4.2),  # or a lid, a book, a phone
    "card": (_make_card, 1.4),
    "pencil": (_make_pencil, 2.6),  # or a spoon's handle, a cable's end
    "die": (_make_die, 0.4),
}
MAKERS = {kind: make for kind, (make, _) in _OBJECTS.items()}
MAX_REACH_SQUARES = {kind: reach for kind, (_, reach) in _OBJECTS.items()}
"""Largest distance of an object's edge from its middle."""
