"""The photo with its score drawn on it: territories, terrain symbols and crowns, uncertain squares, pieces and points.

Symbols have the size of the squares; labels are sized by the picture, so that they can be read at any resolution. Only
the pixels that change are touched.
"""

from functools import lru_cache
from typing import Final
from unicodedata import combining, normalize

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from kdvision.report.pieces import list_pieces
from kdvision.report.result import Result, ScoredKingdom
from kdvision.report.symbols import COLOURS, DARK, LIGHT, Colour, draw_crowns, draw_lines, draw_terrain
from kdvision.text import count_noun
from kdvision.vision.detect.grid import Grid
from kdvision.vision.geometry import Floats, compute_side_lengths
from kdvision.vision.image.photo import Photo
from kdvision.vision.image.srgb import Pixels

AMBER: Final[Colour] = (255, 170, 0)

MAX_OVERLAY_SIDE: Final = 1600
"""Longer side of a picture in pixels. Larger photos are scaled down: most time goes into encoding."""

MIN_FONT_PIXELS: Final = 9.0
"""Smallest font size, however small the picture is."""


def draw_overlay(photo: Photo, result: Result, pixels: Pixels | None = None) -> Pixels:
    """Return a picture (height, width, 3), uint8 RGB, of the photo with every kingdom of the result drawn in.

    `pixels` is the photo in the size of the picture; by default its longer side has at most MAX_OVERLAY_SIDE pixels.
    """
    if pixels is None:
        pixels = photo.resize(min(MAX_OVERLAY_SIDE, max(photo.width, photo.height)))
    canvas = np.array(pixels)
    factors = np.array([canvas.shape[1] / photo.width, canvas.shape[0] / photo.height])
    for number, entry in enumerate(result.kingdoms, start=1):
        if entry.reading is not None:
            grid = Grid((entry.reading.grid.quads + 0.5) * factors - 0.5)  # pixel centres have integer coordinates
            sides = compute_side_lengths(grid.quads).min(axis=-1)  # symbols of this size fit into their cells
            _draw_territories(canvas, entry, grid)
            _draw_squares(canvas, entry, grid, sides)
            _draw_points(canvas, entry, grid, sides)
            default_name = f"kingdom {number}" if len(result.kingdoms) > 1 else ""
            player_name = entry.player_name if _has_glyphs(entry.player_name) else ""
            _draw_total(canvas, entry, grid, player_name or default_name)
            label_offset = np.array([0.0, 0.36 * grid.side_pixels])
            centres = [grid.centres[piece.square] - label_offset for piece in entry.reading.pieces]
            centres += [grid.quads[gem.square][2] for gem in entry.reading.gems]
            for piece, centre in zip(list_pieces(entry.reading), centres, strict=True):
                colours = (DARK, AMBER) if piece.is_uncertain else (LIGHT, DARK)
                draw_label(canvas, centre, f"{piece.kind}{'?' * piece.is_uncertain}", grid.side_pixels * 0.15, *colours)
    return canvas


def _draw_territories(canvas: Pixels, entry: ScoredKingdom, grid: Grid) -> None:
    """Draw the grid, then the outer sides of the territories in their colours, each moved a little inwards."""
    draw_lines(canvas, [grid.quads[square] for square in entry.board], LIGHT, grid.side_pixels * 0.012, is_closed=True)
    for territory in entry.kingdom.territories:
        border: list[Floats] = []
        for square in territory.squares:
            quad = shrink_quad(grid.quads[square], 0.92)
            # Neighbours above, right, below, left lie beyond the sides TL-TR, TR-BR, BR-BL, BL-TL.
            outer_sides = [
                i for i, neighbour in enumerate(square.list_neighbours()) if neighbour not in territory.squares
            ]
            border += [quad[[i, (i + 1) % 4]] for i in outer_sides]
        draw_lines(canvas, border, DARK, grid.side_pixels * 0.085)
        draw_lines(canvas, border, COLOURS[territory.terrain], grid.side_pixels * 0.055)


def _draw_squares(canvas: Pixels, entry: ScoredKingdom, grid: Grid, sides: Floats) -> None:
    """Draw terrain and crowns of each square, with a frame around those that are uncertain."""
    doubt_squares = {doubt.square for doubt in entry.doubts}
    for square in sorted(doubt_squares.union(entry.board)):
        side, cell = sides[square], entry.board.get(square)
        if square in doubt_squares:
            frame = shrink_quad(grid.quads[square], 0.86)
            draw_lines(canvas, [frame], DARK, side * 0.11, is_closed=True)
            draw_lines(canvas, [frame], AMBER, side * 0.07, is_closed=True)
        if cell is not None:
            centre = grid.centres[square] - np.array([0.0, 0.08 * side])
            draw_terrain(canvas, centre, side * 0.4, cell.terrain, AMBER if square in doubt_squares else LIGHT)
            draw_crowns(canvas, centre + np.array([0.0, 0.26 * side]), side * 0.22, cell.crowns)


def _draw_points(canvas: Pixels, entry: ScoredKingdom, grid: Grid, sides: Floats) -> None:
    """Write the points of each territory on its square that is nearest to its middle."""
    for line in entry.card.lines:
        if line.territory is not None and line.points:
            squares = line.territory.squares
            centres = np.array([grid.centres[square] for square in squares])
            square = squares[int(np.linalg.norm(centres - centres.mean(axis=0), axis=1).argmin())]
            size = sides[square] * 0.18
            # The font has no ×. Where it would be too small, the points alone leave the symbols visible.
            product = f"{len(squares)} x {line.territory.crowns} = " if size >= MIN_FONT_PIXELS else ""
            words = f"{product}{line.points}"
            centre = grid.centres[square] + np.array([0.0, 0.41 * sides[square]])
            draw_label(canvas, centre, words, size, LIGHT, DARK)


def _draw_total(canvas: Pixels, entry: ScoredKingdom, grid: Grid, name: str) -> None:
    """Write the total above the kingdom, after the player's name, as a sum if other lines add to the territories."""
    card = entry.card
    total = f"{entry.total} points" if entry.is_open else count_noun(card.total, "point")
    if not entry.is_open and card.total != card.points:
        total = f"{card.points} + {card.total - card.points} = {total}"
    words = f"{name}: {total}" if name else total
    longer_side = max(canvas.shape)
    size = min(max(grid.side_pixels * 0.4, longer_side / 70), longer_side / 30)
    top = np.array([grid.corners[:, 0].mean(), grid.corners[:, 1].min() - size])
    draw_label(canvas, top, f"{words} ?" if entry.review else words, size, LIGHT, DARK)


def shrink_quad(quad: Floats, factor: float) -> Floats:
    """Return the corners (4, 2) moved towards their centre: `factor` 1 keeps them, 0 puts them all into the centre."""
    centre = quad.mean(axis=0)
    return np.asarray(centre + factor * (quad - centre))


def draw_label(canvas: Pixels, centre: Floats, text: str, size: float, colour: Colour, background: Colour) -> None:
    """Write text without accents on a rounded rectangle around a point, moved inside the picture if necessary."""
    text = _remove_accents(text)
    size = max(size, MIN_FONT_PIXELS)
    font = _load_font(round(size))
    left, top, right, bottom = font.getbbox(text, anchor="la")
    half = np.array([right - left, bottom - top]) / 2 + size * np.array([0.35, 0.28])
    limit = np.array(canvas.shape[1::-1]) - half - 1
    x, y = np.rint(np.maximum(np.minimum(centre, limit), half)).astype(int)
    rows = slice(max(0, y - int(half[1]) - 1), y + int(half[1]) + 2)
    cols = slice(max(0, x - int(half[0]) - 1), x + int(half[0]) + 2)
    image = Image.fromarray(canvas[rows, cols])
    pen, middle = ImageDraw.Draw(image), np.array([x - cols.start, y - rows.start])
    pen.rounded_rectangle((*(middle - half), *(middle + half)), radius=size * 0.35, fill=background)
    anchor = middle - np.array([left + right, top + bottom]) // 2  # Pillow cuts text at fractions below zero
    pen.text(tuple(anchor), text, font=font, fill=colour)
    canvas[rows, cols] = np.asarray(image)


def _remove_accents(text: str) -> str:
    """Return the text without accents, because the font has no letters with accents."""
    return "".join(letter for letter in normalize("NFKD", text) if not combining(letter))


def _has_glyphs(text: str) -> bool:
    """Return whether the font has each letter of a text. It shows the same box for all letters that it lacks."""
    font = _load_font(round(MIN_FONT_PIXELS))
    box = bytes(font.getmask("\uffff"))
    return all(bytes(font.getmask(letter)) != box for letter in _remove_accents(text))


@lru_cache(maxsize=32)
def _load_font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return Pillow's own scalable font, the same on every machine. The cache is small: a batch needs every size."""
    return ImageFont.load_default(size)
