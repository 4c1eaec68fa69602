"""Our own drawn tiles: every picture of the box made from a seed, with no file behind it."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from kdvision.game.board import Cell, Terrain
from kdvision.game.deck import KINGDOMINO, ROYAL_WEDDING, Deck
from kdvision.lab.render.drawn.buildings import draw_building
from kdvision.lab.render.drawn.canvas import (
    Canvas,
    Colour,
    Floats,
    darken,
    lighten,
    make_oval,
    make_stone,
    shift_points,
    vary,
)
from kdvision.lab.render.drawn.crowns import draw_crown
from kdvision.lab.render.drawn.landmarks import BUILDERS
from kdvision.lab.render.drawn.landscapes import PAINTERS
from kdvision.lab.render.drawn.mosaic import draw_castle
from kdvision.lab.render.drawn.planks import draw_back
from kdvision.lab.render.objects.meshes import COLOURS

Picture = NDArray[np.uint8]
Rng = np.random.Generator

SIDE = 256  # pixels of a square's side
_FINE = 2  # drawn so many times larger, for smooth edges
_OVERLAP = 0.06  # squares that each half reaches beyond the middle, for the wandering border
_POST: Colour = (150, 104, 62)
_CROWN_STEP = 0.29  # squares between crowns side by side

_BORDER_EARTH: dict[Terrain, Colour] = {
    Terrain.WHEAT: (172, 112, 40),
    Terrain.FOREST: (84, 74, 40),
    Terrain.LAKE: (214, 190, 130),
    Terrain.GRASS: (150, 128, 62),
    Terrain.SWAMP: (120, 94, 66),
    Terrain.MINE: (84, 78, 76),
    Terrain.TOWN: (150, 140, 132),
}


class DrawnArt:
    """A box of tiles drawn in our own hand; another seed strews trees, sheep and stones differently.

    The same seed gives the same pictures in whatever order they are asked for. Pictures are kept once drawn. A square
    is `side` pixels wide; half the side takes half the time.
    """

    def __init__(self, seed: int = 0, deck: Deck = KINGDOMINO, *, side: int = SIDE) -> None:
        self.seed = seed
        self.side = side
        self._cells = {domino.number: (domino.left, domino.right) for domino in (*ROYAL_WEDDING, *deck)}
        self._seen: dict[tuple[str, int | str], Picture] = {}

    def domino(self, number: int | str) -> Picture:
        """The face of a domino, (side, 2 side, 3) RGB, crowns towards the top edge; "K7" is 7, "Q12" Queendomino's."""
        if isinstance(number, str) and number.startswith("K"):
            number = int(number[1:])
        return self._draw_once("domino", number, lambda rng: draw_domino(*self._cells[number], rng, self.side))

    def castle(self, colour: str) -> Picture:
        """The starting tile of a colour, (side, side, 3) RGB."""
        return self._draw_once("castle", colour, lambda rng: _draw_castle(COLOURS[colour], rng, self.side))

    def back(self, number: int) -> Picture:
        """The back of a domino with its number, (side, 2 side, 3) RGB."""
        return self._draw_once("back", number, lambda rng: _draw_back(str(number), rng, self.side))

    def town(self, number: int) -> Picture:
        """An empty town, (side, side, 3) RGB."""
        return self._draw_once("town", number, lambda rng: _draw_town(rng, self.side))

    def building(self, number: int) -> Picture:
        """A finished building, (side, side, 3) RGB: as many different ones as there are numbers."""
        return self._draw_once("building", number, lambda rng: _draw_building(rng, self.side, done=True))

    def back_of_building(self, number: int) -> Picture:
        """A building's grey side, (side, side, 3) RGB."""
        return self._draw_once("unbuilt", number, lambda rng: _draw_building(rng, self.side, done=False))

    def _draw_once(self, kind: str, name: int | str, draw: Callable[[Rng], Picture]) -> Picture:
        if (kind, name) not in self._seen:
            text = f"{kind} {name}".encode()
            picture = draw(np.random.default_rng([self.seed, *text]))
            picture.flags.writeable = False
            self._seen[kind, name] = picture
        return self._seen[kind, name]


def draw_domino(left: Cell, right: Cell, rng: Rng, side: int = SIDE) -> Picture:
    """The face of a domino, (side, 2 side, 3)."""
    whole = Canvas(0, 2, side * _FINE)
    if left.terrain is right.terrain:
        PAINTERS[left.terrain](whole, rng, _find_clearings(left, 0) + _find_clearings(right, 1))
        _draw_row(whole, left.terrain, rng)
    else:
        _draw_two_terrains(whole, left, right, rng)
    for x, cell in enumerate((left, right)):
        if cell.crowns:
            BUILDERS[cell.terrain](_move_origin(whole, x + rng.normal(0, 0.012)), cell.crowns, rng)
            _draw_crowns(whole, x, cell.crowns)
    return _shrink(whole)


def _draw_castle(colour: Colour, rng: Rng, side: int) -> Picture:
    canvas = Canvas(0, 1, side * _FINE)
    draw_castle(canvas, colour, rng)
    return _shrink(canvas)


def _draw_back(text: str, rng: Rng, side: int) -> Picture:
    canvas = Canvas(0, 2, side * _FINE)
    draw_back(canvas, text, rng)
    return _shrink(canvas)


def _draw_town(rng: Rng, side: int) -> Picture:
    canvas = Canvas(0, 1, side * _FINE)
    PAINTERS[Terrain.TOWN](canvas, rng, ())
    return _shrink(canvas)


def _draw_building(rng: Rng, side: int, *, done: bool) -> Picture:
    canvas = Canvas(0, 1, side * _FINE)
    draw_building(canvas, rng, done=done)
    return _shrink(canvas)


def _shrink(canvas: Canvas) -> Picture:
    height, width = canvas.pixels.shape[:2]
    size = (width // _FINE, height // _FINE)
    return np.asarray(cv2.resize(canvas.pixels, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _move_origin(canvas: Canvas, x: float) -> Canvas:
    """The same pixels, with the square at x at the origin."""
    view = Canvas(canvas.left - x, canvas.right - x, canvas.unit)
    view.pixels = canvas.pixels
    return view


Circle = tuple[float, float, float]


def _find_clearings(cell: Cell, x: float) -> list[Circle]:
    """Where nothing may grow: under the crowns and the building."""
    if not cell.crowns:
        return []
    return [(x + 0.52, 0.66, 0.40), *[(u, 0.12, 0.21) for u in _place_crowns(x, cell.crowns)]]


def _place_crowns(x: float, crowns: int) -> list[float]:
    """The crowns' middles: from the domino's outer corner inwards."""
    outer = [0.17 + _CROWN_STEP * number for number in range(crowns)]
    return [x + (1 - u if x else u) for u in outer]


def _draw_two_terrains(whole: Canvas, left: Cell, right: Cell, rng: Rng) -> None:
    """Two lands side by side, with an earthy border wandering between them."""
    west = Canvas(0, 1 + _OVERLAP, whole.unit)
    east = Canvas(1 - _OVERLAP, 2, whole.unit)
    PAINTERS[left.terrain](west, rng, _find_clearings(left, 0))
    PAINTERS[right.terrain](east, rng, _find_clearings(right, 1))
    border = _make_border(rng)
    columns = (np.arange(whole.pixels.shape[1]) + 0.5) / whole.unit
    rows = (np.arange(whole.unit) + 0.5) / whole.unit
    is_west = columns < np.interp(rows, border[:, 1], border[:, 0])[:, None]
    reach = west.pixels.shape[1]
    start = whole.pixels.shape[1] - east.pixels.shape[1]
    whole.pixels[:, start:] = east.pixels
    np.copyto(whole.pixels[:, :reach], west.pixels, where=is_west[:, :reach, None])
    _draw_border(whole, border, _BORDER_EARTH[left.terrain], _BORDER_EARTH[right.terrain], rng)


def _make_border(rng: Rng) -> Floats:
    ys = np.linspace(-0.02, 1.02, 60)
    wave = sum(
        rng.uniform(0.3, 1) / k * np.sin(2 * np.pi * k * ys / 1.2 + rng.uniform(0, 6.3)) for k in (1, 2, 4, 7, 11)
    )
    return np.stack([1 + 0.017 * wave + rng.normal(0, 0.0025, len(ys)), ys], axis=1)


def _draw_border(canvas: Canvas, border: Floats, west: Colour, east: Colour, rng: Rng) -> None:
    canvas.shade(
        [np.concatenate([shift_points(border, 0.03, 0), shift_points(border[::-1], -0.03, 0)])], 0.35, blur=0.012
    )
    for shift, colour in ((-0.010, west), (0.010, east)):
        canvas.line(shift_points(border, shift, 0), colour, 0.022)
    canvas.line(border, darken(west, 0.6), 0.009)
    for x, y in border[::4]:
        side = rng.choice((-1, 1))
        pebble = make_stone(
            (x + side * rng.uniform(0.008, 0.022), y + rng.normal(0, 0.006)), rng.uniform(0.006, 0.012), rng, corners=6
        )
        canvas.shape(pebble, lighten(west if side < 0 else east, 0.2), ink=darken(west, 0.5), width=0.004)


def _draw_row(canvas: Canvas, terrain: Terrain, rng: Rng) -> None:
    """Stones, or posts in the water, in a row between like halves; a forest grows together."""
    if terrain is Terrain.FOREST:
        return
    for y in np.linspace(0.05, 0.93, 8) + rng.normal(0, 0.012, 8):
        x = 1 + rng.normal(0, 0.006)
        if terrain in (Terrain.LAKE, Terrain.SWAMP):
            canvas.line([(x - 0.02, y + 0.02), (x + 0.02, y + 0.02)], (150, 196, 226), 0.006)
            canvas.line([(x, y + 0.02), (x + 0.004, y - 0.025)], darken(_POST, 0.6), 0.024)
            canvas.line([(x, y + 0.018), (x + 0.004, y - 0.025)], _POST, 0.014)
        else:
            canvas.shade([make_oval((x + 0.008, y + 0.010), 0.02)], 0.3, blur=0.006)
            grey = vary((206, 194, 170), rng, 9)
            canvas.shape(
                make_stone((x, y), rng.uniform(0.018, 0.025), rng, corners=7), grey, ink=darken(grey, 0.4), width=0.006
            )


def _draw_crowns(canvas: Canvas, x: float, crowns: int) -> None:
    for middle in _place_crowns(x, crowns):
        draw_crown(canvas, middle, 0.135)
