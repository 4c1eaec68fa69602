"""The truth of a rendered photo, as it is written beside photos: boards as they lie in the picture, and where."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from kdvision.game.board import Board
from kdvision.game.scoring import score
from kdvision.lab.laying import Points
from kdvision.lab.synth import Picture, SeenKingdom


def upright(kingdom: SeenKingdom) -> tuple[Board, Points]:
    """Return the board turned so that its columns run rightwards in the photo, and its corners (4, 2) in pixels.

    Corners are those of the whole frame, holes and all: top left, top right, bottom right, bottom left.
    """
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
    return board.turned(quarters), np.roll(np.array(corners), quarters, axis=0)


def truth(picture: Picture) -> dict[str, Any]:
    """Return what a JSON file beside the photo says: its kingdoms from left to right."""
    found = sorted((upright(kingdom) for kingdom in picture.kingdoms), key=lambda pair: pair[1][:, 0].mean())
    return {
        "kingdoms": [
            {
                "board": list(board.rows()),
                "points": score(board).total,
                "corners_tl_tr_br_bl_px": corners.round(1).tolist(),
            }
            for board, corners in found
        ]
    }
