"""Compares kingdoms that were read with the truth of a rendered picture, square by square, by position."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from kdvision.game.board import Cell
from kdvision.lab.experiments.experiment import Reading, Row
from kdvision.lab.render.renderer import Picture, RenderedKingdom

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading

Floats = npt.NDArray[np.float64]

MAX_DISTANCE_SIDES: Final = 0.5
"""A square that was read is a true one if their centres are nearer than this."""
MIN_FOUND_SHARE: Final = 0.5
"""A kingdom is found if at least this share of its squares is."""

VERDICT_COUNTS: Final = (
    *("kingdoms", "found", "outlined", "exact", "silent_errors", "false_alarms", "unflagged", "invented", "errors"),
)


@dataclass(frozen=True)
class Verdict:
    """Counts of the kingdoms of one picture.

    Of the true kingdoms: `found`; `outlined`, with exactly the right squares; `exact`, with the right board;
    `silent_errors`, wrong or missed and not flagged; `false_alarms`, exact and flagged; `unflagged`, found and given
    without a warning. A missed kingdom is silent if no other kingdom of the picture is flagged and no error was raised.
    `invented` kingdoms lie where there is none. `errors` is 1 if the picture raised an unexpected error.
    """

    kingdoms: int
    found: int = 0
    outlined: int = 0
    exact: int = 0
    silent_errors: int = 0
    false_alarms: int = 0
    unflagged: int = 0
    invented: int = 0
    errors: int = 0

    @property
    def row(self) -> Row:
        """The counts by name."""
        return dict(asdict(self))


@dataclass(frozen=True)
class _Tiles:
    """The tiles of one kingdom: centres (n, 2), what each shows, and a square's side in pixels."""

    centres: Floats
    cells: tuple[Cell, ...]
    side: float


@dataclass(frozen=True)
class _Pair:
    """How many squares of a true kingdom and one that was read lie together, are right, missed and extra."""

    together: int
    right: int
    missed: int
    extra: int

    @property
    def outlined(self) -> bool:
        return not self.missed and not self.extra

    @property
    def exact(self) -> bool:
        return self.outlined and self.right == self.together


def judge(picture: Picture, reading: Reading) -> Verdict:
    """Return the verdict on the kingdoms read in a rendered picture."""
    truths, read = [_true_tiles(kingdom) for kingdom in picture.kingdoms], reading.kingdoms
    pairs = [[_pair(truth, _read_tiles(kingdom)) for kingdom in read] for truth in truths]
    together = np.array([[pair.together for pair in row] for row in pairs]).reshape(len(truths), len(read))
    found = [
        (pairs[truth][index], read[index].review)
        for truth, index in zip(*linear_sum_assignment(-together), strict=True)
        if together[truth, index] >= MIN_FOUND_SHARE * len(truths[truth].cells)
    ]
    flagged = reading.refused or any(kingdom.review for kingdom in read)
    wrong = sum(not pair.exact and not review for pair, review in found)
    return Verdict(
        kingdoms=len(truths),
        found=len(found),
        outlined=sum(pair.outlined for pair, _ in found),
        exact=sum(pair.exact for pair, _ in found),
        silent_errors=wrong + (0 if flagged else len(truths) - len(found)),
        false_alarms=sum(pair.exact and review for pair, review in found),
        unflagged=sum(not review for _, review in found),
        invented=len(read) - len(found),
        errors=int(bool(reading.error)),
    )


def _true_tiles(kingdom: RenderedKingdom) -> _Tiles:
    quads = np.array([seen.corners for seen in kingdom.squares.values()])
    side = float(np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1).mean())
    return _Tiles(quads.mean(1), tuple(kingdom.board[square] for square in kingdom.squares), side)


def _read_tiles(reading: KingdomReading) -> _Tiles:
    centres = np.array([reading.grid.quad(square).mean(0) for square in reading.board]).reshape(-1, 2)
    return _Tiles(centres, tuple(reading.board.values()), 0.0)


def _pair(truth: _Tiles, read: _Tiles) -> _Pair:
    if not len(read.cells):
        return _Pair(0, 0, len(truth.cells), 0)
    distance = np.linalg.norm(truth.centres[:, None] - read.centres[None], axis=2)
    assigned = zip(*linear_sum_assignment(np.minimum(distance, truth.side)), strict=True)
    near = [(t, r) for t, r in assigned if distance[t, r] < MAX_DISTANCE_SIDES * truth.side]
    right = sum(truth.cells[t] == read.cells[r] for t, r in near)
    return _Pair(len(near), right, len(truth.cells) - len(near), len(read.cells) - len(near))
