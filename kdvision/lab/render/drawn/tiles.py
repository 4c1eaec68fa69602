"""Drawn tiles: every picture of the box made from a seed, without any file."""

from collections.abc import Callable

import cv2
import numpy as np

from kdvision.game.board import Cell, Terrain
from kdvision.game.deck import KINGDOMINO, ROYAL_WEDDING
from kdvision.game.rules.age_of_giants import DOMINOES
from kdvision.lab.arrays import Bytes, Floats, Rng
from kdvision.lab.render.drawn.buildings import draw_building, draw_unbuilt
from kdvision.lab.render.drawn.canvas import Canvas, make_oval, make_stone, shift_points
from kdvision.lab.render.drawn.colours import Colour, choose, darken, lighten, vary
from kdvision.lab.render.drawn.landmarks import BUILDERS
from kdvision.lab.render.drawn.landscapes import PAINTERS
from kdvision.lab.render.drawn.motifs import draw_crown
from kdvision.lab.render.objects.meshes import RGB

SIDE_PX = 256  # of a square
_SUPERSAMPLING = 2  # pictures are drawn larger by this factor, for smooth edges
_OVERLAP_SQUARES = 0.06  # how far each half is drawn beyond the middle, for the wavy border
_CROWN_STEP_SQUARES = 0.29  # between crowns side by side
_POST: Colour = (150, 104, 62)
_BORDER_COLOURS: dict[Terrain, Colour] = {
    Terrain.WHEAT: (172, 112, 40),
    Terrain.FOREST: (84, 74, 40),
    Terrain.LAKE: (214, 190, 130),
    Terrain.GRASS: (150, 128, 62),
    Terrain.SWAMP: (120, 94, 66),
    Terrain.MINE: (84, 78, 76),
    Terrain.TOWN: (150, 140, 132),
}
_STONES: tuple[Colour, ...] = ((150, 132, 102), (128, 112, 88), (172, 154, 122), (116, 104, 90))
_GROUT: Colour = (216, 204, 178)
_HALF_CROWN = [(0.5, 0.29), (0.625, 0.54), (0.835, 0.37), (0.785, 0.74), (0.5, 0.765)]
_CROWN = np.array([*_HALF_CROWN, *((1 - x, y) for x, y in _HALF_CROWN[-2:0:-1])])
_PEARLS = [make_oval((x, y), 0.042) for x, y in ((0.5, 0.27), (0.835, 0.35), (0.165, 0.35))]
_CELLS = {str(domino.number): (domino.left, domino.right) for domino in (*ROYAL_WEDDING, *KINGDOMINO, *DOMINOES)}


class DrawnArt:
    """A box of drawn tiles; another seed places trees, sheep and stones differently.

    The same seed gives the same pictures in any order of calls. A square is `side` pixels wide; half the side takes
    half the time.
    """

    def __init__(self, seed: int = 0, *, side: int = SIDE_PX) -> None:
        self.seed, self.side = seed, side
        self._pictures: dict[str, Bytes] = {}

    def draw_tile(self, kind: str, name: int | str) -> Bytes:
        """Return the picture (RGB, read-only) of a tile, drawn once.

        "domino" (7 and "K7" are the same, "Q12" is Queendomino's) and "back" are (side, 2 side, 3); "castle" (by
        colour), "town", "building" and "unbuilt" are (side, side, 3), another one for each number.
        """
        name = str(name).removeprefix("K")
        if (key := f"{kind} {name}") not in self._pictures:
            width = 2 if kind in ("domino", "back") else 1
            canvas = Canvas(0, width, self.side * _SUPERSAMPLING)
            _PAINTERS[kind](canvas, np.random.default_rng([self.seed, *key.encode()]), name)
            picture = cv2.resize(canvas.pixels, (width * self.side, self.side), interpolation=cv2.INTER_AREA)
            picture.flags.writeable = False
            self._pictures[key] = np.asarray(picture, np.uint8)
        return self._pictures[key]


def _draw_back(canvas: Canvas, rng: Rng, text: str) -> None:
    """Draw four planks and a number on a canvas two squares wide."""
    canvas.paint_patches([(88, 48, 26), (112, 64, 34), (136, 82, 44)], 0.5, rng)
    for plank in range(4):
        top = plank / 4
        canvas.shade_outline([(0, top), (2, top), (2, top + 0.25), (0, top + 0.25)], float(rng.uniform(-0.06, 0.22)))
        for _ in range(26):
            x, y = rng.uniform(-0.2, 2), top + rng.uniform(0.02, 0.23)
            xs = np.linspace(0, rng.uniform(0.2, 0.7), 12)
            grain = np.stack([x + xs, y + 0.006 * np.sin(xs * 9 + rng.uniform(0, 6))], 1)
            canvas.draw_line(grain, vary((92, 50, 26), rng, 12), 0.005)
        canvas.draw_line([(0, top), (2, top)], (44, 24, 14), 0.014)
        for x in (0.05, 1.95):
            canvas.fill_oval((x, top + 0.125), 0.014, (70, 62, 56), ink=(36, 26, 20))
    face, scale, thickness = cv2.FONT_HERSHEY_COMPLEX, canvas.unit / 60, round(canvas.unit / 26)
    (width, height), _ = cv2.getTextSize(text, face, scale, thickness)
    corner = (canvas.unit - width // 2, (canvas.unit + height) // 2)
    for outline, colour in ((round(canvas.unit / 22), (34, 20, 12)), (0, (240, 226, 196))):
        cv2.putText(canvas.pixels, text, corner, face, scale, colour, thickness + outline, cv2.LINE_AA)


def _draw_domino(canvas: Canvas, rng: Rng, number: str) -> None:
    left, right = _CELLS[number]
    if left.terrain is right.terrain:
        PAINTERS[left.terrain](canvas, rng, _find_clearings(left, 0) + _find_clearings(right, 1))
        _draw_row(canvas, left.terrain, rng)
    else:
        _draw_two_terrains(canvas, left, right, rng)
    for x, cell in enumerate((left, right)):
        if cell.crowns:
            BUILDERS[cell.terrain](canvas.move_origin(x + rng.normal(0, 0.012), 0), cell.crowns, rng)
            for middle in _place_crowns(x, cell.crowns):
                draw_crown(canvas.move_origin(middle, 0.135))


def _find_clearings(cell: Cell, x: float) -> list[tuple[float, float, float]]:
    """Return the circles that stay empty, below the crowns and the building."""
    if not cell.crowns:
        return []
    return [(x + 0.52, 0.66, 0.40), *[(u, 0.12, 0.21) for u in _place_crowns(x, cell.crowns)]]


def _place_crowns(x: float, crowns: int) -> list[float]:
    """Return the x of the crowns' middles, from the domino's outer corner inwards."""
    offsets = [0.17 + _CROWN_STEP_SQUARES * number for number in range(crowns)]
    return [x + (1 - u if x else u) for u in offsets]


def _draw_two_terrains(canvas: Canvas, left: Cell, right: Cell, rng: Rng) -> None:
    """Draw two terrains side by side, with a wavy border between them."""
    west = Canvas(0, 1 + _OVERLAP_SQUARES, canvas.unit)
    east = Canvas(1 - _OVERLAP_SQUARES, 2, canvas.unit)
    PAINTERS[left.terrain](west, rng, _find_clearings(left, 0))
    PAINTERS[right.terrain](east, rng, _find_clearings(right, 1))
    ys = np.linspace(-0.02, 1.02, 60)
    waves = [rng.uniform(0.3, 1) / k * np.sin(5.24 * k * ys + rng.uniform(0, 6.3)) for k in (1, 2, 4, 7, 11)]
    border = np.stack([1 + 0.017 * np.sum(waves, axis=0) + rng.normal(0, 0.0025, len(ys)), ys], axis=1)
    columns = (np.arange(canvas.pixels.shape[1]) + 0.5) / canvas.unit
    rows = (np.arange(canvas.unit) + 0.5) / canvas.unit
    is_west = columns < np.interp(rows, border[:, 1], border[:, 0])[:, None]
    reach = west.pixels.shape[1]
    canvas.pixels[:, -east.pixels.shape[1] :] = east.pixels
    np.copyto(canvas.pixels[:, :reach], west.pixels, where=is_west[:, :reach, None])
    _draw_border(canvas, border, _BORDER_COLOURS[left.terrain], _BORDER_COLOURS[right.terrain], rng)


def _draw_border(canvas: Canvas, border: Floats, west: Colour, east: Colour, rng: Rng) -> None:
    canvas.shade_outline([*shift_points(border, 0.03, 0), *shift_points(border[::-1], -0.03, 0)], 0.35, blur=0.012)
    for shift, colour in ((-0.010, west), (0.010, east)):
        canvas.draw_line(shift_points(border, shift, 0), colour, 0.022)
    canvas.draw_line(border, darken(west, 0.6), 0.009)
    for x, y in border[::4]:
        side = rng.choice((-1, 1))
        centre = (x + side * rng.uniform(0.008, 0.022), y + rng.normal(0, 0.006))
        pebble = make_stone(centre, rng.uniform(0.006, 0.012), rng, corners=6)
        canvas.fill_outline(pebble, lighten(west if side < 0 else east, 0.2), ink=darken(west, 0.5), width=0.004)


def _draw_row(canvas: Canvas, terrain: Terrain, rng: Rng) -> None:
    """Draw a row of stones, or of posts in water, between equal halves; in a forest there is none."""
    if terrain is Terrain.FOREST:
        return
    for y in np.linspace(0.05, 0.93, 8) + rng.normal(0, 0.012, 8):
        spot = canvas.move_origin(1 + rng.normal(0, 0.006), y)
        if terrain in (Terrain.LAKE, Terrain.SWAMP):
            spot.draw_line([(-0.02, 0.02), (0.02, 0.02)], (150, 196, 226), 0.006)
            spot.draw_line([(0, 0.02), (0.004, -0.025)], darken(_POST, 0.6), 0.024)
            spot.draw_line([(0, 0.018), (0.004, -0.025)], _POST, 0.014)
        else:
            spot.shade_outline(make_oval((0.008, 0.010), 0.02), 0.3, blur=0.006)
            grey = vary((206, 194, 170), rng, 9)
            stone = make_stone((0, 0), rng.uniform(0.018, 0.025), rng, corners=7)
            spot.fill_outline(stone, grey, ink=darken(grey, 0.4), width=0.006)


def _draw_castle(canvas: Canvas, rng: Rng, name: str) -> None:
    """Cover a square with a starting tile: a mosaic of stones with a crown in the player's colour."""
    colour = RGB[name]
    canvas.paint_patches([darken(_GROUT, 0.1), _GROUT, lighten(_GROUT, 0.2)], 0.3, rng)
    _lay_stones(canvas, 0.047, _STONES, rng)
    emblem = Canvas(canvas.left, canvas.right, canvas.unit)
    emblem.paint_patches([lighten(colour, 0.62), lighten(colour, 0.75)], 0.3, rng)
    _lay_stones(emblem, 0.044, (colour, colour, lighten(colour, 0.18), darken(colour, 0.3)), rng)
    for outline in (_CROWN, *_PEARLS):
        canvas.shade_outline(shift_points(outline, 0.008, 0.010), 0.25, blur=0.008)
        canvas.draw_line(outline, lighten(_GROUT, 0.3), 0.026, is_closed=True)
    mask = np.zeros(canvas.pixels.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(_CROWN * canvas.unit).astype(np.int32)], 255)
    np.copyto(canvas.pixels, emblem.pixels, where=mask[..., None] > 0)
    for pearl in _PEARLS:
        canvas.fill_outline(pearl, lighten(colour, 0.45), ink=lighten(_GROUT, 0.3), width=0.012)
    _draw_frame(canvas, colour, rng)


def _lay_stones(canvas: Canvas, gap: float, colours: tuple[Colour, ...], rng: Rng) -> None:
    """Fill the square with stones: Voronoi cells whose middles lie `gap` squares apart."""
    plane = cv2.Subdiv2D((-1, -1, 3, 3))
    points = rng.uniform(-0.03, 1.03, (int(9 / gap**2), 2))
    while len(points):
        plane.insert(points[:1].tolist())
        points = points[((points - points[0]) ** 2).sum(axis=1) > gap * gap]
    for facet, middle in zip(*plane.getVoronoiFacetList([]), strict=True):
        tone, stone = vary(choose(rng, *colours), rng, 9), canvas.move_origin(float(middle[0]), float(middle[1]))
        outline = np.array(facet, float) - np.array(middle, float)
        stone.fill_outline(outline * 0.82, darken(tone, 0.35))
        stone.fill_outline(shift_points(outline * 0.74, -0.002, -0.003), tone)
        stone.fill_outline(shift_points(outline * 0.4, -0.004, -0.005), lighten(tone, 0.08))


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
                canvas.fill_outline(brick, tone, ink=_GROUT, width=0.010)
            start += length


_PAINTERS: dict[str, Callable[[Canvas, Rng, str], None]] = {
    "domino": _draw_domino,
    "back": _draw_back,
    "castle": _draw_castle,
    "town": lambda canvas, rng, _: PAINTERS[Terrain.TOWN](canvas, rng, ()),
    "building": lambda canvas, rng, _: draw_building(canvas, rng),
    "unbuilt": lambda canvas, rng, _: draw_unbuilt(canvas, rng),
}
