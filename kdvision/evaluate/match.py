"""Assigns the kingdoms that were read to the true kingdoms, and counts the squares on which they agree."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from kdvision.game.board import Board, Square

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading

MAX_SHIFT_SQUARES: Final = 2
"""Boards are compared at all shifts up to this one: a missed row must not make every square wrong."""


@dataclass(frozen=True)
class Match:
    """A true kingdom and the kingdom that was read, with its board in the smallest frame.

    `quarters` clockwise quarter turns bring the board that was read onto the truth; `shape` (same squares with a tile)
    and `exact` (same board) hold after them. `raw_agreement` and `agreement` count squares right before and after the
    decision.
    """

    board: Board
    quarters: int
    raw_agreement: int
    agreement: int
    shape: bool
    exact: bool


def match_kingdoms(
    truths: Sequence[Board], corners: Sequence[NDArray[np.float64] | None], readings: Sequence["KingdomReading"]
) -> list[Match | None]:
    """The match of each true kingdom, None for a kingdom that was not found.

    Kingdoms are assigned by position where the corners of all true kingdoms are known, else by agreement.
    """
    if not readings or not truths:
        return [None] * len(truths)
    matches = [[_match(truth, reading) for reading in readings] for truth in truths]
    known = [outline for outline in corners if outline is not None]
    if 1 < len(truths) == len(known):
        centres = np.array([outline.mean(axis=0) for outline in known])
        cost = cdist(centres, np.array([reading.grid.corners.mean(axis=0) for reading in readings]))
    else:
        cost = np.array([[-float(match.agreement) for match in row] for row in matches])
    found: list[Match | None] = [None] * len(truths)
    for truth, index in zip(*linear_sum_assignment(cost), strict=True):
        found[truth] = matches[truth][index] if matches[truth][index].agreement else None
    return found


def _match(truth: Board, reading: "KingdomReading") -> Match:
    """The match in the turn with the highest agreement; of equal turns, the smallest."""
    board = reading.board.trim()
    agreements = [_count_agreement(truth, board.rotate(quarters)) for quarters in range(4)]
    quarters = agreements.index(max(agreements))
    turned = board.rotate(quarters)
    raw = _count_agreement(truth, reading.reading.best.rotate(quarters))
    shape = (turned.height, turned.width) == (truth.height, truth.width) and turned.keys() == truth.keys()
    return Match(board, quarters, raw, agreements[quarters], shape, turned == truth)


def _count_agreement(truth: Board, board: Board) -> int:
    """The number of right squares minus the number of invented ones, at the shift where it is largest."""
    agreements = [0]
    for down, right in product(range(-MAX_SHIFT_SQUARES, MAX_SHIFT_SQUARES + 1), repeat=2):
        true_cells = [(cell, truth.get(Square(row + down, col + right))) for (row, col), cell in board.items()]
        agreements.append(sum((true == cell) - (true is None) for cell, true in true_cells))
    return max(agreements)
