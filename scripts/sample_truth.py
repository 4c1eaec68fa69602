"""The truth of a rendered photo in the form of the JSON files beside photos."""

from typing import Any

import cv2
import numpy as np

from kdvision.game.board import Square
from kdvision.game.kingdom import name_crossing
from kdvision.game.scoring import score
from kdvision.lab.arrays import Points
from kdvision.lab.render.renderer import Picture, RenderedKingdom
from kdvision.lab.train.examples import fit_board_homography


def describe_picture(picture: Picture) -> dict[str, Any]:
    """Return the truth of a picture as JSON: its kingdoms from left to right."""
    posed_kingdoms = sorted(
        ((kingdom, *find_pose(kingdom)) for kingdom in picture.kingdoms), key=lambda pose: pose[2][:, 0].mean()
    )
    return {"kingdoms": [_describe_kingdom(*pose) for pose in posed_kingdoms]}


def find_pose(kingdom: RenderedKingdom) -> tuple[int, Points]:
    """Return the quarter turns that make the columns run from left to right in the photo, and the turned corners.

    Corners (4, 2) in pixels are those of the whole frame: top left, top right, bottom right, bottom left.
    """
    matrix, board = fit_board_homography(kingdom), kingdom.board
    frame = np.array([[0, 0], [board.width, 0], [board.width, board.height], [0, board.height]], float)
    middle = frame.mean(0)
    points = np.stack([middle, middle + np.array((0.1, 0)), *frame])
    origin, right_point, *corners = cv2.perspectiveTransform(points[None], matrix)[0]
    x, y = right_point - origin
    quarter_turns = round(float(np.arctan2(y, x)) / (np.pi / 2)) % 4
    return quarter_turns, np.roll(np.array(corners), quarter_turns, axis=0)


def _describe_kingdom(kingdom: RenderedKingdom, quarter_turns: int, corners: Points) -> dict[str, Any]:
    board, (height, width) = kingdom.board.rotate(quarter_turns), (kingdom.board.height, kingdom.board.width)
    entry: dict[str, Any] = {
        "board": list(board.format_rows()),
        "points": score(board).total,
        "corners_tl_tr_br_bl_px": corners.round(1).tolist(),
    }
    if kingdom.pieces:
        pieces = {_turn_square(square, height, width, quarter_turns): kind for square, kind in kingdom.pieces.items()}
        entry["pieces"] = {square.name: pieces[square] for square in sorted(pieces)}
    if kingdom.gems:
        # Crossings form a board of their own, one row and one column smaller.
        crossings = sorted(_turn_square(gem, height - 1, width - 1, quarter_turns) for gem in kingdom.gems)
        entry["gems"] = [name_crossing(crossing) for crossing in crossings]
    return entry


def _turn_square(square: Square, height: int, width: int, quarter_turns: int) -> Square:
    """Return a square of a board after clockwise quarter turns of the board."""
    for turn in range(quarter_turns):
        square = square.rotate(width if turn % 2 else height)
    return square
