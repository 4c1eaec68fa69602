"""The starting tile: a mosaic of stones with a crown in the player's colour."""

import cv2
import numpy as np

from kdvision.lab.arrays import Floats, Rng
from kdvision.lab.render.drawn.canvas import Canvas
from kdvision.lab.render.drawn.shapes import Colour, choose, darken, lighten, make_oval, shift_points, vary

_STONES: tuple[Colour, ...] = ((150, 132, 102), (128, 112, 88), (172, 154, 122), (116, 104, 90))
_GROUT: Colour = (216, 204, 178)
_HALF_CROWN = [(0.5, 0.29), (0.625, 0.54), (0.835, 0.37), (0.785, 0.74), (0.5, 0.765)]
_CROWN = np.array([*_HALF_CROWN, *((1 - x, y) for x, y in _HALF_CROWN[-2:0:-1])])
_PEARLS = [make_oval((x, y), 0.042) for x, y in ((0.5, 0.27), (0.835, 0.35), (0.165, 0.35))]


def draw_castle(canvas: Canvas, colour: Colour, rng: Rng) -> None:
    """Cover a square with the starting tile of a colour."""
    canvas.wash([darken(_GROUT, 0.1), _GROUT, lighten(_GROUT, 0.2)], 0.3, rng)
    _lay_stones(canvas, 0.047, _STONES, rng)
    emblem = Canvas(canvas.left, canvas.right, canvas.unit)
    emblem.wash([lighten(colour, 0.62), lighten(colour, 0.75)], 0.3, rng)
    _lay_stones(emblem, 0.044, (colour, colour, lighten(colour, 0.18), darken(colour, 0.3)), rng)
    for outline in (_CROWN, *_PEARLS):
        canvas.shade(shift_points(outline, 0.008, 0.010), 0.25, blur=0.008)
        canvas.line(outline, lighten(_GROUT, 0.3), 0.026, closed=True)
    mask = np.zeros(canvas.pixels.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(_CROWN * canvas.unit).astype(np.int32)], 255)
    np.copyto(canvas.pixels, emblem.pixels, where=mask[..., None] > 0)
    for pearl in _PEARLS:
        canvas.shape(pearl, lighten(colour, 0.45), ink=lighten(_GROUT, 0.3), width=0.012)
    _draw_frame(canvas, colour, rng)


def _make_stones(gap: float, rng: Rng) -> list[tuple[Floats, Floats]]:
    """Return the middles and outlines of stones that fill the square: Voronoi cells, `gap` squares apart."""
    kept = np.empty((0, 2))
    for point in rng.uniform(-0.03, 1.03, (int(9 / gap**2), 2)):
        if ((kept - point) ** 2).sum(axis=1).min(initial=1.0) > gap * gap:
            kept = np.concatenate([kept, point[None]])
    plane = cv2.Subdiv2D((-1, -1, 3, 3))
    plane.insert(kept.tolist())
    facets, middles = plane.getVoronoiFacetList([])
    return [(np.array(middle, float), np.array(facet, float)) for facet, middle in zip(facets, middles, strict=True)]


def _lay_stones(canvas: Canvas, gap: float, colours: tuple[Colour, ...], rng: Rng) -> None:
    for middle, facet in _make_stones(gap, rng):
        tone, stone = vary(choose(rng, *colours), rng, 9), canvas.at(middle[0], middle[1])
        outline = facet - middle
        stone.shape(outline * 0.82, darken(tone, 0.35))
        stone.shape(shift_points(outline * 0.74, -0.002, -0.003), tone)
        stone.shape(shift_points(outline * 0.4, -0.004, -0.005), lighten(tone, 0.08))


def _draw_frame(canvas: Canvas, colour: Colour, rng: Rng) -> None:
    """Draw bricks in the player's colour along the rim, some missing."""
    for side in range(4):
        start = rng.uniform(0.0, 0.06)
        while start < 1.0:
            length = rng.uniform(0.06, 0.13)
            brick = np.array([(start, 0.0), (start + length, 0.0), (start + length, 0.042), (start, 0.042)])
            for _ in range(side):  # quarter turns
                brick = np.stack([1 - brick[:, 1], brick[:, 0]], 1)
            if rng.random() < 0.72:
                tone = vary(colour if rng.random() < 0.6 else darken(colour, 0.25), rng, 9)
                canvas.shape(brick, tone, ink=_GROUT, width=0.010)
            start += length
