"""Which kingdom read is which true kingdom, and how far the two agree."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from kdvision.game.board import Board, Cell, Square

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading

    pass

_SHIFTS = 2


@dataclass(frozen=True)
class Kingdom:
    """What was read of one kingdom: the board, the likeliest kinds before anything was decided, the grid's centre."""

    board: Board
    raw: Board
    centre: NDArray[np.float64]

    @classmethod
    def of(cls, read: "KingdomReading") -> "Kingdom":
        """The kingdom as the pipeline read it."""
        return cls(read.board.trimmed(), read.reading.best, read.grid.corners.mean(axis=0))


@dataclass(frozen=True)
class Pair:
    """A true kingdom and the one read (its place in the list): squares right before and after deciding.

    `quarters` are the clockwise turns that bring what was read onto the truth; `shape` and `exact` hold after them.
    """

    read: int
    quarters: int
    before: int
    after: int
    shape: bool
    exact: bool


def matched(
    truths: Sequence[Board], corners: Sequence[NDArray[np.float64] | None], kingdoms: Sequence[Kingdom]
) -> list[Pair | None]:
    """For each true kingdom its pair, None where none was found.

    Kingdoms are told apart by where they lie if every true outline is known, otherwise by what agrees best.
    """
    pairs = [[_pair(truth, kingdom, number) for number, kingdom in enumerate(kingdoms)] for truth in truths]
    if not kingdoms or not truths:
        return [None] * len(truths)
    if len(truths) > 1 and all(c is not None for c in corners):
        places = np.array([np.asarray(c).mean(axis=0) for c in corners])
        centres = np.array([k.centre for k in kingdoms])
        cost = np.linalg.norm(places[:, None] - centres[None], axis=2)
    else:
        cost = np.array([[-float(pair.after) for pair in row] for row in pairs])
    found: list[Pair | None] = [None] * len(truths)
    for truth, kingdom in zip(*linear_sum_assignment(cost), strict=True):
        found[truth] = pairs[truth][kingdom] if pairs[truth][kingdom].after else None
    return found


def _pair(truth: Board, kingdom: Kingdom, number: int) -> Pair:
    """The pair in the turn that agrees best; upright where others are no better."""
    agreed = [agreement(truth, kingdom.board.turned(quarters)) for quarters in range(4)]
    quarters = max(range(4), key=lambda turn: (agreed[turn], -turn))
    board = kingdom.board.turned(quarters)
    before = agreement(truth, kingdom.raw.turned(quarters))
    shape = (board.height, board.width) == (truth.height, truth.width) and board.keys() == truth.keys()
    return Pair(number, quarters, before, agreed[quarters], shape, board == truth)


def agreement(truth: Board, board: Board) -> int:
    """How many true squares the board shows right, less the squares it invents, at the shift that is best for it."""
    shifts = range(-_SHIFTS, _SHIFTS + 1)
    return max(_agreement(truth, board, down, right) for down in shifts for right in shifts)


def _agreement(truth: Mapping[Square, Cell], board: Mapping[Square, Cell], down: int, right: int) -> int:
    hits = invented = 0
    for (row, col), cell in board.items():
        there = truth.get(Square(row + down, col + right))
        hits += there == cell
        invented += there is None
    return max(0, hits - invented)
