"""Assigns the kingdoms that were read to the true kingdoms, and counts the squares on which they agree."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from kdvision.game.board import Board, Cell, Square

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading

MAX_SHIFT_SQUARES: Final = 2
"""Boards are compared at all shifts up to this one: a missed row must not make every square wrong."""


@dataclass(frozen=True)
class DecidedBoard:
    """One kingdom as it was read: its board, the likeliest kinds before the decision, and the centre of its grid."""

    board: Board
    raw: Board
    centre: NDArray[np.float64]

    @classmethod
    def from_reading(cls, reading: "KingdomReading") -> "DecidedBoard":
        """Return the board of a kingdom reading."""
        return cls(reading.board.trim(), reading.reading.best, reading.grid.corners.mean(axis=0))


@dataclass(frozen=True)
class Match:
    """A true kingdom and the kingdom at `index` among those that were read.

    `quarters` clockwise quarter turns bring the board that was read onto the truth; `shape` (same squares with a tile)
    and `exact` (same board) hold after them. `raw_agreement` and `agreement` count squares right before and after the
    decision.
    """

    index: int
    quarters: int
    raw_agreement: int
    agreement: int
    shape: bool
    exact: bool


def match_kingdoms(
    truths: Sequence[Board], corners: Sequence[NDArray[np.float64] | None], boards: Sequence[DecidedBoard]
) -> list[Match | None]:
    """Return the match of each true kingdom, None for a kingdom that was not found.

    Kingdoms are assigned by position where the corners of all true kingdoms are known, else by agreement.
    """
    if not boards or not truths:
        return [None] * len(truths)
    matches = [[_match(truth, board, index) for index, board in enumerate(boards)] for truth in truths]
    if len(truths) > 1 and all(c is not None for c in corners):
        true_centres = np.array([np.asarray(c).mean(axis=0) for c in corners])
        centres = np.array([board.centre for board in boards])
        cost = np.linalg.norm(true_centres[:, None] - centres[None], axis=2)
    else:
        cost = np.array([[-float(match.agreement) for match in row] for row in matches])
    found: list[Match | None] = [None] * len(truths)
    for truth, index in zip(*linear_sum_assignment(cost), strict=True):
        found[truth] = matches[truth][index] if matches[truth][index].agreement else None
    return found


def _match(truth: Board, decided: DecidedBoard, index: int) -> Match:
    """Return the match in the turn with the highest agreement; of equal turns, the smallest."""
    agreements = [count_agreement(truth, decided.board.rotate(quarters)) for quarters in range(4)]
    quarters = max(range(4), key=lambda turn: (agreements[turn], -turn))
    board = decided.board.rotate(quarters)
    raw = count_agreement(truth, decided.raw.rotate(quarters))
    shape = (board.height, board.width) == (truth.height, truth.width) and board.keys() == truth.keys()
    return Match(index, quarters, raw, agreements[quarters], shape, board == truth)


def count_agreement(truth: Board, board: Board) -> int:
    """Return the number of right squares minus the number of invented ones, at the shift where it is largest."""
    shifts = range(-MAX_SHIFT_SQUARES, MAX_SHIFT_SQUARES + 1)
    return max(_agreement_at(truth, board, down, right) for down in shifts for right in shifts)


def _agreement_at(truth: Mapping[Square, Cell], board: Mapping[Square, Cell], down: int, right: int) -> int:
    right_squares = invented = 0
    for (row, col), cell in board.items():
        true_cell = truth.get(Square(row + down, col + right))
        right_squares += true_cell == cell
        invented += true_cell is None
    return max(0, right_squares - invented)
