"""What was read beside the truth of a rendered photo, square by square, by where each lies in the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from kdvision.game.board import Cell
from kdvision.lab.render.renderer import Picture, RenderedKingdom

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading

Floats = npt.NDArray[np.float64]

NEAR = 0.5
"""A square read is a true one where their middles lie nearer than so many sides."""
HALF = 0.5
"""A kingdom is found where so many of its squares are."""


@dataclass(frozen=True)
class Verdict:
    """How many kingdoms of a photo were found, exactly outlined, exact, and wrong without a word; and the squares.

    A kingdom that was missed is silent where no other kingdom of the photo is marked and no error was raised.
    `invented` kingdoms lie where none is. Of the kingdoms found: squares `missed`, `extra` (read where there is none)
    and `misread`; and how many kingdoms are `sure`, not marked, be they right or wrong.
    """

    kingdoms: int
    found: int = 0
    outlined: int = 0
    exact: int = 0
    silent: int = 0
    invented: int = 0
    squares: int = 0
    missed: int = 0
    extra: int = 0
    misread: int = 0
    sure: int = 0


@dataclass(frozen=True)
class _Tiles:
    """The tiles of one kingdom: middles (n, 2), what each shows, and a square's side in pixels."""

    middles: Floats
    cells: tuple[Cell, ...]
    side: float


@dataclass(frozen=True)
class _Pair:
    hits: int
    right: int
    missed: int
    extra: int

    @property
    def outlined(self) -> bool:
        return not self.missed and not self.extra

    @property
    def exact(self) -> bool:
        return self.outlined and self.right == self.hits


def judge(picture: Picture, reads: Sequence[KingdomReading], *, error: bool = False) -> Verdict:
    """Return the verdict on the kingdoms read; `error` says that the photo was refused aloud."""
    truths = [_true(k) for k in picture.kingdoms]
    pairs, found = _met(truths, reads)
    met = [pairs[t][r] for t, r in found.items()]
    told = error or any(read.review for read in reads)
    wrong = sum(not pairs[t][r].exact and not reads[r].review for t, r in found.items())
    return Verdict(
        kingdoms=len(truths),
        found=len(found),
        outlined=sum(pair.outlined for pair in met),
        exact=sum(pair.exact for pair in met),
        silent=wrong + (0 if told else len(truths) - len(found)),
        invented=len(reads) - len(found),
        squares=sum(len(truths[t].cells) for t in found),
        missed=sum(pair.missed for pair in met),
        extra=sum(pair.extra for pair in met),
        misread=sum(pair.hits - pair.right for pair in met),
        sure=sum(not reads[r].review for r in found.values()),
    )


def believed(picture: Picture, reads: Sequence[KingdomReading]) -> list[tuple[float, bool]]:
    """Return how probable each kingdom read was called, and whether it is exact; what lies nowhere is not."""
    pairs, found = _met([_true(k) for k in picture.kingdoms], reads)
    exact = {r for t, r in found.items() if pairs[t][r].exact}
    return [(read.probability, r in exact) for r, read in enumerate(reads)]


def _met(truths: Sequence[_Tiles], reads: Sequence[KingdomReading]) -> tuple[list[list[_Pair]], dict[int, int]]:
    """Return each true kingdom beside each that was read, and by which one each is found."""
    pairs = [[_pair(truth, _read(read)) for read in reads] for truth in truths]
    hits = np.array([[pair.hits for pair in row] for row in pairs]).reshape(len(truths), len(reads))
    found = {
        int(t): int(r)
        for t, r in zip(*linear_sum_assignment(-hits), strict=True)
        if hits[t, r] >= HALF * len(truths[t].cells)
    }
    return pairs, found


def _true(kingdom: RenderedKingdom) -> _Tiles:
    quads = np.array([seen.corners for seen in kingdom.squares.values()])
    side = float(np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1).mean())
    return _Tiles(quads.mean(1), tuple(kingdom.board[square] for square in kingdom.squares), side)


def _read(read: KingdomReading) -> _Tiles:
    middles = np.array([read.grid.quad(square).mean(0) for square in read.board]).reshape(-1, 2)
    return _Tiles(middles, tuple(read.board.values()), 0.0)


def _pair(truth: _Tiles, read: _Tiles) -> _Pair:
    if not len(read.cells):
        return _Pair(0, 0, len(truth.cells), 0)
    away = np.linalg.norm(truth.middles[:, None] - read.middles[None], axis=2)
    pairs = zip(*linear_sum_assignment(np.minimum(away, truth.side)), strict=True)
    near = [(t, r) for t, r in pairs if away[t, r] < NEAR * truth.side]
    right = sum(truth.cells[t] == read.cells[r] for t, r in near)
    return _Pair(len(near), right, len(truth.cells) - len(near), len(read.cells) - len(near))
