"""The photo with its score drawn on it: lattice, territories, what was read, points.

Sizes follow the squares as they appear in the photo, so a picture of 600 pixels and one of 12 megapixels look alike.
"""

from collections.abc import Iterable
from typing import Final

import cv2
import numpy as np
from PIL import Image, ImageDraw

from kdvision.game.board import Terrain
from kdvision.game.kingdom import Territory
from kdvision.report.drawing import (
    AMBER,
    DARK,
    LIGHT,
    SHIFT,
    Colour,
    Pixels,
    Points,
    draw_label,
    draw_lines,
    shrink_quad,
    to_fixed_point,
)
from kdvision.report.result import Result, ScoredKingdom
from kdvision.vision.classify.pieces import DetectedGem, DetectedPiece
from kdvision.vision.detect.grid import Grid
from kdvision.vision.image.photo import Photo

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
TINT: Final = 0.3
"""How much of a territory's colour lies over the photo: crowns stay visible below."""


def draw_overlay(photo: Photo, result: Result) -> Pixels:
    """The photo's pixels (height, width, 3), uint8 RGB, with every kingdom of the result drawn in; the photo stays."""
    canvas = np.array(photo.pixels)
    for scored in result.kingdoms:
        if scored.reading is not None:
            _paint(canvas, scored, scored.reading.grid)
    image = Image.fromarray(canvas)
    pen = ImageDraw.Draw(image)
    for number, scored in enumerate(result.kingdoms, start=1):
        if scored.reading is not None:
            _write(pen, scored, scored.reading.grid, number if len(result.kingdoms) > 1 else None)
    return np.array(image)


def _paint(canvas: Pixels, scored: ScoredKingdom, grid: Grid) -> None:
    """Tint the territories, draw the lattice, then the territories' borders and the doubted squares."""
    side = grid.side
    tinted = canvas.copy()
    for territory in scored.kingdom.territories:
        quads = [to_fixed_point(grid.quad(square)) for square in territory.squares]
        cv2.fillPoly(tinted, quads, COLOURS[territory.terrain], cv2.LINE_AA, SHIFT)
    cv2.addWeighted(tinted, TINT, canvas, 1 - TINT, 0, dst=canvas)
    draw_lines(canvas, map(grid.quad, scored.board), LIGHT, side * 0.012, closed=True)
    for territory in scored.kingdom.territories:
        border = list(_border(territory, grid))
        draw_lines(canvas, border, DARK, side * 0.065)
        draw_lines(canvas, border, COLOURS[territory.terrain], side * 0.035)
    doubted = [shrink_quad(grid.quad(doubt.square), 0.9) for doubt in scored.doubts]
    draw_lines(canvas, doubted, AMBER, side * 0.05, closed=True)


def _write(pen: ImageDraw.ImageDraw, scored: ScoredKingdom, grid: Grid, number: int | None) -> None:
    """What was read on each square, the points of each territory, and the total above the kingdom."""
    side = grid.side
    doubted = {doubt.square for doubt in scored.doubts}
    for square in sorted(doubted.union(scored.board)):
        cell, unsure = scored.board.get(square), square in doubted
        if unsure or (cell is not None and cell.terrain is not Terrain.CASTLE):
            _letter(pen, grid.quad(square), f"{cell or ''}{'?' if unsure else ''}", side, unsure)
    _pieces(pen, scored, grid)
    for line in scored.card.lines:
        if line.territory is not None and line.points:
            # The font has no ×.
            words = f"{len(line.territory.squares)} x {line.territory.crowns} = {line.points}"
            draw_label(pen, _middle(line.territory, grid), words, side * 0.21, LIGHT, DARK)
    total = f"{scored.total} points" + (" ?" if scored.review else "")
    top = grid.corners[:, 1].min() - side * 0.35
    name = scored.player_name or ("" if number is None else f"kingdom {number}")
    words = f"{name}: {total}" if name else total
    draw_label(pen, np.array([grid.corners[:, 0].mean(), top]), words, side * 0.42, LIGHT, DARK)


def _pieces(pen: ImageDraw.ImageDraw, scored: ScoredKingdom, grid: Grid) -> None:
    """The name of each piece at the foot of its square, of each gem beside the crossing that it lies on."""
    if scored.reading is None:
        return
    for piece in scored.reading.pieces:
        quad = grid.quad(piece.square)
        _plate(pen, quad.mean(axis=0) + np.array([0.0, 0.3 * grid.side]), piece, grid.side)
    for gem in scored.reading.gems:
        _plate(pen, grid.quad(gem.corner)[2], gem, grid.side)


def _plate(pen: ImageDraw.ImageDraw, at: Points, seen: DetectedPiece | DetectedGem, side: float) -> None:
    words = f"{seen.kind}{'?' if seen.doubtful else ''}"
    draw_label(pen, at, words, side * 0.15, DARK if seen.doubtful else LIGHT, AMBER if seen.doubtful else DARK)


def _border(territory: Territory, grid: Grid) -> Iterable[Points]:
    """The sides of the territory's squares beyond which it ends, each moved a little inwards."""
    inside = set(territory.squares)
    for square in territory.squares:
        # Above, right, below, left: corners TL-TR, TR-BR, BR-BL, BL-TL.
        ends = [i for i, near in enumerate(square.neighbours()) if near not in inside]
        quad = shrink_quad(grid.quad(square), 0.93) if ends else None
        yield from (quad[[i, (i + 1) % 4]] for i in ends if quad is not None)


def _middle(territory: Territory, grid: Grid) -> Points:
    """The centre of that square of the territory which lies nearest to the middle of them all."""
    centres = np.array([grid.quad(square).mean(axis=0) for square in territory.squares])
    distances = np.linalg.norm(centres - centres.mean(axis=0), axis=1)
    nearest: Points = centres[int(distances.argmin())]
    return nearest


def _letter(pen: ImageDraw.ImageDraw, quad: Points, words: str, side: float, unsure: bool) -> None:
    """The notation of a square, in the corner of it that lies uppermost on the left."""
    corner = quad[int(quad.sum(axis=1).argmin())]
    place = corner + 0.24 * (quad.mean(axis=0) - corner) * 2**0.5
    draw_label(pen, place, words, side * 0.17, DARK if unsure else LIGHT, AMBER if unsure else DARK)
