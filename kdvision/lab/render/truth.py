"""The truth of a rendered photo, as it is written beside photos: boards as they lie in the picture, and where."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from kdvision.game.board import Board, Square
from kdvision.game.open_facts import name_crossing
from kdvision.game.scoring import score
from kdvision.lab.games.layout import Points
from kdvision.lab.render.renderer import Picture, RenderedKingdom


def upright(kingdom: RenderedKingdom) -> tuple[Board, Points]:
    """Return the board turned so that its columns run rightwards in the photo, and its corners (4, 2) in pixels.

    Corners are those of the whole frame, holes and all: top left, top right, bottom right, bottom left.
    """
    quarters, corners = _lies(kingdom)
    return kingdom.board.rotate(quarters), corners


def _lies(kingdom: RenderedKingdom) -> tuple[int, Points]:
    """The quarters that bring the board upright, and the corners then."""
    spots = np.array([(square.col + 0.5, square.row + 0.5) for square in kingdom.squares])
    pixels = np.array([seen.corners.mean(0) for seen in kingdom.squares.values()])
    matrix, _ = cv2.findHomography(spots, pixels)
    board = kingdom.board
    frame = np.array([[0, 0], [board.width, 0], [board.width, board.height], [0, board.height]], float)
    middle = frame.mean(0)
    here, right, *corners = cv2.perspectiveTransform(
        np.stack([middle, middle + np.array((0.1, 0)), *frame])[None], matrix
    )[0]
    x, y = right - here
    quarters = round(float(np.arctan2(y, x)) / (np.pi / 2)) % 4
    return quarters, np.roll(np.array(corners), quarters, axis=0)


def _turned(square: Square, board: Board, quarters: int) -> Square:
    """A square of a board, in the board turned clockwise."""
    for turn in range(quarters):
        square = square.rotate(board.width if turn % 2 else board.height)
    return square


def truth(picture: Picture) -> dict[str, Any]:
    """Return what a JSON file beside the photo says: its kingdoms from left to right."""
    found = sorted(((kingdom, *_lies(kingdom)) for kingdom in picture.kingdoms), key=lambda one: one[2][:, 0].mean())
    return {"kingdoms": [_told(*one) for one in found]}


def _told(kingdom: RenderedKingdom, quarters: int, corners: Points) -> dict[str, Any]:
    board = kingdom.board.rotate(quarters)
    told = {
        "board": list(board.rows()),
        "points": score(board).total,
        "corners_tl_tr_br_bl_px": corners.round(1).tolist(),
    }
    if kingdom.pieces:
        there = {_turned(square, kingdom.board, quarters): kind for square, kind in kingdom.pieces.items()}
        told["pieces"] = {square.name: there[square] for square in sorted(there)}
    if kingdom.gems:
        # between the upper left of four squares and the one aslant of it lies a crossing, whichever way they lie
        ends = [(gem, Square(gem.row + 1, gem.col + 1)) for gem in kingdom.gems]
        both = [[_turned(end, kingdom.board, quarters) for end in pair] for pair in ends]
        corner = [Square(min(s.row for s in pair), min(s.col for s in pair)) for pair in both]
        told["gems"] = [name_crossing(square) for square in sorted(corner)]
    return told
