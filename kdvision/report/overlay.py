"""The photo with its score drawn on it: grid, territories, cells, pieces and points.

Sizes are relative to the squares in the photo, so pictures of any resolution look alike.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from kdvision.game.board import Terrain
from kdvision.game.kingdom import Territory
from kdvision.report.result import Result, ScoredKingdom
from kdvision.vision.classify.pieces import DetectedGem, DetectedPiece
from kdvision.vision.detect.grid import Grid
from kdvision.vision.image.photo import Photo

Pixels: TypeAlias = NDArray[np.uint8]
Points: TypeAlias = NDArray[np.float64]
Colour: TypeAlias = tuple[int, int, int]

DARK: Final[Colour] = (24, 24, 28)
LIGHT: Final[Colour] = (255, 255, 255)
AMBER: Final[Colour] = (255, 170, 0)

MIN_FONT_PIXELS: Final = 9.0
"""Smallest font size, however small the squares are."""

FRACTION_BITS: Final = 4
"""Fractional bits of the coordinates given to OpenCV, so that slightly slanted lines are smooth."""

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
TINT_OPACITY: Final = 0.3
"""Opacity of a territory's colour over the photo; the crowns below stay visible."""


def draw_overlay(photo: Photo, result: Result) -> Pixels:
    """A copy of the photo's pixels (height, width, 3), uint8 RGB, with every kingdom of the result drawn in."""
    canvas = np.array(photo.pixels)
    for scored in result.kingdoms:
        if scored.reading is not None:
            _draw_territories(canvas, scored, scored.reading.grid)
    image = Image.fromarray(canvas)
    pen = ImageDraw.Draw(image)
    for number, scored in enumerate(result.kingdoms, start=1):
        if scored.reading is not None:
            _draw_labels(pen, scored, scored.reading.grid, number if len(result.kingdoms) > 1 else None)
    return np.array(image)


def _draw_territories(canvas: Pixels, scored: ScoredKingdom, grid: Grid) -> None:
    """Tint the territories, then draw the grid, the territories' borders and the frames of doubtful squares."""
    side = grid.side
    tinted = canvas.copy()
    for territory in scored.kingdom.territories:
        quads = [to_fixed_point(grid.quad(square)) for square in territory.squares]
        cv2.fillPoly(tinted, quads, COLOURS[territory.terrain], cv2.LINE_AA, FRACTION_BITS)
    cv2.addWeighted(tinted, TINT_OPACITY, canvas, 1 - TINT_OPACITY, 0, dst=canvas)
    draw_lines(canvas, map(grid.quad, scored.board), LIGHT, side * 0.012, closed=True)
    for territory in scored.kingdom.territories:
        border = list(_list_border_lines(territory, grid))
        draw_lines(canvas, border, DARK, side * 0.065)
        draw_lines(canvas, border, COLOURS[territory.terrain], side * 0.035)
    doubtful = [shrink_quad(grid.quad(doubt.square), 0.9) for doubt in scored.doubts]
    draw_lines(canvas, doubtful, AMBER, side * 0.05, closed=True)


def _draw_labels(pen: ImageDraw.ImageDraw, scored: ScoredKingdom, grid: Grid, number: int | None) -> None:
    """Write what each square shows, the pieces, the points of each territory, and the total above the kingdom."""
    side = grid.side
    doubtful = {doubt.square for doubt in scored.doubts}
    for square in sorted(doubtful.union(scored.board)):
        cell, is_doubtful = scored.board.get(square), square in doubtful
        if is_doubtful or (cell is not None and cell.terrain is not Terrain.CASTLE):
            _draw_cell_label(pen, grid.quad(square), f"{cell or ''}{'?' if is_doubtful else ''}", side, is_doubtful)
    _draw_pieces(pen, scored, grid)
    for line in scored.card.lines:
        if line.territory is not None and line.points:
            # The font has no ×.
            words = f"{len(line.territory.squares)} x {line.territory.crowns} = {line.points}"
            draw_label(pen, _find_label_point(line.territory, grid), words, side * 0.21, LIGHT, DARK)
    total = f"{scored.total} point{'s' * (scored.total != '1')}" + (" ?" if scored.review else "")
    top = grid.corners[:, 1].min() - side * 0.35
    name = scored.player_name or ("" if number is None else f"kingdom {number}")
    words = f"{name}: {total}" if name else total
    draw_label(pen, np.array([grid.corners[:, 0].mean(), top]), words, side * 0.42, LIGHT, DARK)


def _draw_pieces(pen: ImageDraw.ImageDraw, scored: ScoredKingdom, grid: Grid) -> None:
    """Write the kind of each piece at the bottom of its square, and of each gem on its crossing."""
    if scored.reading is None:
        return
    for piece in scored.reading.pieces:
        centre = grid.quad(piece.square).mean(axis=0)
        _draw_piece_label(pen, centre + np.array([0.0, 0.3 * grid.side]), piece, grid.side)
    for gem in scored.reading.gems:
        _draw_piece_label(pen, grid.quad(gem.corner)[2], gem, grid.side)


def _draw_piece_label(
    pen: ImageDraw.ImageDraw, centre: Points, piece: DetectedPiece | DetectedGem, side: float
) -> None:
    words = f"{piece.kind}{'?' if piece.is_uncertain else ''}"
    colours = (DARK, AMBER) if piece.is_uncertain else (LIGHT, DARK)
    draw_label(pen, centre, words, side * 0.15, *colours)


def _list_border_lines(territory: Territory, grid: Grid) -> Iterable[Points]:
    """The outer sides of the territory's squares, each moved a little inwards."""
    inside = set(territory.squares)
    for square in territory.squares:
        # Neighbours above, right, below, left lie beyond the sides TL-TR, TR-BR, BR-BL, BL-TL.
        outer = [i for i, neighbour in enumerate(square.neighbours()) if neighbour not in inside]
        quad = shrink_quad(grid.quad(square), 0.93)
        yield from (quad[[i, (i + 1) % 4]] for i in outer)


def _find_label_point(territory: Territory, grid: Grid) -> Points:
    """The centre of the territory's square that is nearest to the middle of all its squares."""
    centres = np.array([grid.quad(square).mean(axis=0) for square in territory.squares])
    distances = np.linalg.norm(centres - centres.mean(axis=0), axis=1)
    nearest: Points = centres[int(distances.argmin())]
    return nearest


def _draw_cell_label(pen: ImageDraw.ImageDraw, quad: Points, words: str, side: float, is_doubtful: bool) -> None:
    """Write a square's notation in its upper left corner as seen in the photo."""
    corner = quad[int(quad.sum(axis=1).argmin())]
    centre = corner + 0.24 * (quad.mean(axis=0) - corner) * 2**0.5
    draw_label(pen, centre, words, side * 0.17, *((DARK, AMBER) if is_doubtful else (LIGHT, DARK)))


def shrink_quad(quad: Points, factor: float) -> Points:
    """The corners (4, 2) moved towards their centre: `factor` 1 keeps them, 0 puts them all into the centre."""
    centre = quad.mean(axis=0)
    return np.asarray(centre + factor * (quad - centre))


def to_fixed_point(points: Points) -> NDArray[np.int32]:
    """Points as integers with FRACTION_BITS fractional bits, as OpenCV takes them."""
    return np.rint(np.asarray(points, dtype=np.float64) * (1 << FRACTION_BITS)).astype(np.int32)


def draw_line(canvas: Pixels, points: Points, colour: Colour, width: float, *, closed: bool = False) -> None:
    """Draw a line through the points, at least one pixel wide."""
    draw_lines(canvas, [points], colour, width, closed=closed)


def draw_lines(canvas: Pixels, lines: Iterable[Points], colour: Colour, width: float, *, closed: bool = False) -> None:
    """Draw several lines, at least one pixel wide."""
    fixed = [to_fixed_point(points) for points in lines]
    cv2.polylines(canvas, fixed, closed, colour, max(1, round(width)), cv2.LINE_AA, FRACTION_BITS)


def draw_label(
    pen: ImageDraw.ImageDraw, centre: Points, text: str, size: float, colour: Colour, background: Colour
) -> None:
    """Write text on a rounded rectangle around a point, moved inside the picture if necessary."""
    size = max(size, MIN_FONT_PIXELS)
    font = _load_font(round(size))
    left, top, right, bottom = _measure_text(text, round(size))
    half = np.array([right - left, bottom - top]) / 2 + size * np.array([0.35, 0.28])
    limit = np.array(pen.im.size) - half - 1
    x, y = np.maximum(np.minimum(centre, limit), half)
    pen.rounded_rectangle((x - half[0], y - half[1], x + half[0], y + half[1]), radius=size * 0.35, fill=background)
    pen.text((x - (left + right) / 2, y - (top + bottom) / 2), text, font=font, fill=colour)


@lru_cache(maxsize=512)
def _measure_text(text: str, size: int) -> tuple[float, float, float, float]:
    """The box of text drawn at (0, 0): left, top, right, bottom. Cached, as most photos have the same texts."""
    return _load_font(size).getbbox(text, anchor="la")


@lru_cache(maxsize=32)
def _load_font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own scalable font, which is the same on every machine. The cache is small: a batch needs every size."""
    return ImageFont.load_default(size)
