"""Symbols of terrains and crowns, drawn upright on a picture in the size of a square.

A symbol is a list of shapes about its centre: polygons to fill and lines to draw, in units of half the symbol's size.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from kdvision.game.board import Terrain
from kdvision.vision.geometry import Floats
from kdvision.vision.image.srgb import Pixels

Colour: TypeAlias = tuple[int, int, int]

DARK: Final[Colour] = (24, 24, 28)
LIGHT: Final[Colour] = (255, 255, 255)
GOLD: Final[Colour] = (255, 205, 40)

COLOURS: Final[dict[Terrain, Colour]] = {
    Terrain.WHEAT: (255, 208, 40),
    Terrain.FOREST: (16, 122, 56),
    Terrain.LAKE: (38, 118, 230),
    Terrain.GRASS: (150, 220, 70),
    Terrain.SWAMP: (176, 140, 100),
    Terrain.MINE: (96, 70, 110),
    Terrain.TOWN: (214, 84, 66),
    Terrain.CASTLE: (235, 235, 235),
}

FRACTION_BITS: Final = 4
"""Fractional bits of the coordinates given to OpenCV, so that slightly slanted lines are smooth."""

CROWN_STEP: Final = 1.15
"""Distance between the centres of two crowns, as a multiple of a crown's width."""


class _Shape(NamedTuple):
    """Points of a polygon, or of a line if it has a `width`, in units of half the symbol's size."""

    points: Sequence[tuple[float, float]]
    width: float = 0.0


def _make_leaf(x: float, y: float, lean: float) -> _Shape:
    return _Shape([(x, y + 0.22), (x + lean - 0.12, y), (x + 1.6 * lean, y - 0.26), (x + lean + 0.14, y)])


_WAVE: Final = [(-0.72, 0.08), (-0.48, -0.08), (-0.24, -0.08), (0.0, 0.08), (0.24, 0.08), (0.48, -0.08), (0.72, -0.08)]

SYMBOLS: Final[dict[Terrain, tuple[_Shape, ...]]] = {
    Terrain.WHEAT: (
        _Shape([(0.0, 0.8), (0.0, -0.4)], 0.13),
        _Shape([(0.0, -0.86), (0.16, -0.58), (0.0, -0.32), (-0.16, -0.58)]),
        *(_make_leaf(side * 0.12, y, side * 0.2) for y in (-0.16, 0.18, 0.52) for side in (-1, 1)),
    ),
    Terrain.FOREST: (
        _Shape([(0.0, -0.86), (0.46, -0.2), (-0.46, -0.2)]),
        _Shape([(0.0, -0.5), (0.62, 0.44), (-0.62, 0.44)]),
        _Shape([(-0.13, 0.4), (0.13, 0.4), (0.13, 0.82), (-0.13, 0.82)]),
    ),
    Terrain.LAKE: tuple(_Shape([(x, y + shift) for x, y in _WAVE], 0.13) for shift in (-0.42, 0.0, 0.42)),
    Terrain.GRASS: (
        _Shape([(-0.12, 0.66), (-0.44, -0.1), (-0.72, -0.36), (-0.5, 0.3), (-0.34, 0.66)]),
        _Shape([(-0.18, 0.66), (-0.14, -0.2), (0.04, -0.8), (0.14, -0.2), (0.18, 0.66)]),
        _Shape([(0.12, 0.66), (0.44, -0.1), (0.72, -0.36), (0.5, 0.3), (0.34, 0.66)]),
    ),
    Terrain.SWAMP: (
        _Shape([(-0.28, 0.74), (-0.28, -0.5)], 0.1),
        _Shape([(0.28, 0.74), (0.28, -0.2)], 0.1),
        _Shape([(-0.28, -0.56), (-0.28, -0.12)], 0.28),
        _Shape([(0.28, -0.26), (0.28, 0.18)], 0.28),
        _Shape([(-0.72, 0.7), (0.72, 0.7)], 0.13),
    ),
    Terrain.MINE: (
        _Shape([(-0.5, 0.72), (0.32, -0.36)], 0.17),
        _Shape([(-0.46, -0.66), (0.1, -0.66), (0.52, -0.34), (0.74, 0.22), (0.34, -0.12), (-0.02, -0.4)]),
    ),
    Terrain.TOWN: (
        _Shape([(0.0, -0.78), (0.8, -0.06), (-0.8, -0.06)]),
        _Shape(
            [
                *((-0.54, -0.1), (0.54, -0.1), (0.54, 0.7), (0.16, 0.7)),
                *((0.16, 0.22), (-0.16, 0.22), (-0.16, 0.7), (-0.54, 0.7)),
            ]
        ),
    ),
    Terrain.CASTLE: (
        _Shape(
            [
                *((-0.6, 0.7), (-0.6, -0.62), (-0.32, -0.62), (-0.32, -0.34), (-0.14, -0.34), (-0.14, -0.62)),
                *((0.14, -0.62), (0.14, -0.34), (0.32, -0.34), (0.32, -0.62), (0.6, -0.62), (0.6, 0.7)),
                *((0.18, 0.7), (0.18, 0.24), (-0.18, 0.24), (-0.18, 0.7)),
            ]
        ),
    ),
}
"""The symbol of each terrain, and a tower for the castle."""

_CROWN: Final = [(-0.8, 0.66), (-1.0, -0.46), (-0.46, 0.02), (0.0, -0.72), (0.46, 0.02), (1.0, -0.46), (0.8, 0.66)]
_CROWN_RIM: Final = [(-1.0, 0.92), (-1.3, -0.9), (-0.52, -0.3), (0.0, -1.16), (0.52, -0.3), (1.3, -0.9), (1.0, 0.92)]
_DARK_ON: Final = (Terrain.WHEAT, Terrain.GRASS, Terrain.CASTLE)
"""Terrains whose colour is so light that their symbol is dark."""


def draw_terrain(canvas: Pixels, centre: Floats, size: float, terrain: Terrain, rim: Colour = LIGHT) -> None:
    """Draw the symbol of a terrain on a disc of its colour, `size` pixels wide, with a rim."""
    for share, colour in ((1.0, rim), (0.86, COLOURS[terrain])):
        radius = round(share * size / 2 * (1 << FRACTION_BITS))
        cv2.circle(canvas, _to_fixed_point(centre).tolist(), radius, colour, -1, cv2.LINE_AA, FRACTION_BITS)
    ink, scale = DARK if terrain in _DARK_ON else LIGHT, size * 0.36
    for shape in SYMBOLS[terrain]:
        points = np.asarray(shape.points) * scale + centre
        if shape.width:
            draw_lines(canvas, [points], ink, shape.width * scale)
        else:
            cv2.fillPoly(canvas, [_to_fixed_point(points)], ink, cv2.LINE_AA, FRACTION_BITS)


def draw_crowns(canvas: Pixels, centre: Floats, size: float, count: int) -> None:
    """Draw crowns side by side, each `size` pixels wide, about a point."""
    shifts = (np.arange(count) - (count - 1) / 2) * CROWN_STEP * size
    for outline, colour in ((_CROWN_RIM, DARK), (_CROWN, GOLD)):
        crowns = [_to_fixed_point(np.asarray(outline) * (size / 2) + centre + (shift, 0)) for shift in shifts]
        cv2.fillPoly(canvas, crowns, colour, cv2.LINE_AA, FRACTION_BITS)


def draw_lines(
    canvas: Pixels, lines: Iterable[Floats], colour: Colour, width: float, *, is_closed: bool = False
) -> None:
    """Draw lines through points, at least one pixel wide."""
    fixed_lines = [*map(_to_fixed_point, lines)]
    cv2.polylines(canvas, fixed_lines, is_closed, colour, max(1, round(width)), cv2.LINE_AA, FRACTION_BITS)


def _to_fixed_point(points: Floats) -> NDArray[np.int32]:
    """Return the points as integers with FRACTION_BITS fractional bits, as OpenCV takes them."""
    return np.rint(points * (1 << FRACTION_BITS)).astype(np.int32)
