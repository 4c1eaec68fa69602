"""The starting tile: a mosaic of stones with a crown in the player's colour."""

from __future__ import annotations

import cv2
import numpy as np

from kdvision.lab.render.drawn.canvas import Canvas
from kdvision.lab.render.drawn.colours import Colour, darken, lighten, mix, vary
from kdvision.lab.render.drawn.shapes import Floats, Rng, make_oval, shift_points

_STONES: tuple[Colour, ...] = ((150, 132, 102), (128, 112, 88), (172, 154, 122), (116, 104, 90))
_GROUT: Colour = (216, 204, 178)
_HALF = [(0.0, -0.23), (0.125, 0.02), (0.335, -0.15), (0.285, 0.22), (0.0, 0.245)]


def draw_castle(canvas: Canvas, colour: Colour, rng: Rng) -> None:
    """Cover a square with the starting tile of a colour."""
    canvas.wash([darken(_GROUT, 0.1), _GROUT, lighten(_GROUT, 0.2)], 0.3, rng)
    _lay_stones(canvas, _make_stones(0.047, rng), _STONES, rng)
    emblem = Canvas(canvas.left, canvas.right, canvas.unit)
    emblem.wash([lighten(colour, 0.62), lighten(colour, 0.75)], 0.3, rng)
    _lay_stones(emblem, _make_stones(0.044, rng), (colour, colour, lighten(colour, 0.18), darken(colour, 0.3)), rng)
    outline, tips = _make_crown_outline()
    for points in (outline, *tips):
        canvas.shade([shift_points(points, 0.008, 0.010)], 0.25, blur=0.008)
        canvas.line(np.concatenate([points, points[:1]]), lighten(_GROUT, 0.3), 0.026)
    _inlay_emblem(canvas, emblem, outline)
    for tip in tips:
        canvas.shape(tip, lighten(colour, 0.45), ink=lighten(_GROUT, 0.3), width=0.012)
    _draw_frame(canvas, colour, rng)


def _make_crown_outline() -> tuple[Floats, list[Floats]]:
    """Return the outline of the crown, and the pearls on its points."""
    right = np.array(_HALF)
    body = np.concatenate([right, right[-2:0:-1] * (-1, 1)])
    pearls = [make_oval((u, v - 0.02), 0.042) for u, v in (_HALF[0], _HALF[2], (-_HALF[2][0], _HALF[2][1]))]
    return shift_points(body, 0.5, 0.52), [shift_points(pearl, 0.5, 0.52) for pearl in pearls]


def _inlay_emblem(canvas: Canvas, emblem: Canvas, outline: Floats) -> None:
    mask = np.zeros(canvas.pixels.shape[:2], dtype=np.uint8)
    cv2.fillPoly(mask, [np.round(outline * canvas.unit).astype(np.int32)], 255)
    np.copyto(canvas.pixels, emblem.pixels, where=mask[..., None] > 0)


def _make_stones(gap: float, rng: Rng) -> list[tuple[Floats, Floats]]:
    """Return the middles and outlines of stones that fill the square: Voronoi cells, `gap` squares apart."""
    kept = np.empty((0, 2))
    for point in rng.uniform(-0.03, 1.03, (int(9 / gap**2), 2)):
        if ((kept - point) ** 2).sum(axis=1).min(initial=1.0) > gap * gap:
            kept = np.concatenate([kept, point[None]])
    plane = cv2.Subdiv2D((-1, -1, 3, 3))
    for x, y in kept.tolist():
        plane.insert((x, y))
    facets, middles = plane.getVoronoiFacetList([])
    return [
        (np.asarray(middle, dtype=np.float64), np.asarray(facet, dtype=np.float64))
        for facet, middle in zip(facets, middles, strict=True)
    ]


def _lay_stones(canvas: Canvas, stones: list[tuple[Floats, Floats]], colours: tuple[Colour, ...], rng: Rng) -> None:
    for middle, facet in stones:
        tone = vary(colours[int(rng.integers(len(colours)))], rng, 9)
        around = facet - middle
        canvas.shape(shift_points(around * 0.82, *middle), darken(tone, 0.35))
        canvas.shape(shift_points(around * 0.74, middle[0] - 0.002, middle[1] - 0.003), tone)
        canvas.shape(shift_points(around * 0.4, middle[0] - 0.004, middle[1] - 0.005), mix(tone, (255, 255, 255), 0.08))


def _draw_frame(canvas: Canvas, colour: Colour, rng: Rng) -> None:
    """Draw bricks in the player's colour along the rim, some missing."""
    for side in range(4):
        start = rng.uniform(0.0, 0.06)
        while start < 1.0:
            length = rng.uniform(0.06, 0.13)
            along = np.array([(start, 0.0), (start + length, 0.0), (start + length, 0.042), (start, 0.042)])
            turned = (
                along,
                np.stack([1 - along[:, 1], along[:, 0]], 1),
                1 - along,
                np.stack([along[:, 1], 1 - along[:, 0]], 1),
            )
            if rng.random() < 0.72:
                tone = vary(colour if rng.random() < 0.6 else darken(colour, 0.25), rng, 9)
                canvas.shape(turned[side], tone, ink=_GROUT, width=0.010)
            start += length
