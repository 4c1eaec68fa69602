"""What stands on squares and lies on crossings: pieces and gems, from what each square shows to what a kingdom has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from kdvision.game.board import Board, Square
from kdvision.game.open_facts import name_crossing
from kdvision.game.pieces import UNKNOWN, Gem

Floats = npt.NDArray[np.float64]

GEM: Final = "gem"

LIKELIER: Final = 0.5
"""The probability from which a piece is taken to be there."""
DOUBTFUL: Final = (0.2, 0.8)
"""Between these probabilities a person should look."""
NEVER: Final = -12.0
"""The log-odds of a gem where no tile is."""


@dataclass(frozen=True, slots=True)
class DetectedPiece:
    """Something that stands on a square of a kingdom's board, and how probable that is.

    `probability` is that of this kind, the likeliest one, and `anything` that of any piece at all, no less.
    """

    kind: str
    square: Square
    probability: float
    anything: float = 0.0

    @property
    def squares(self) -> tuple[Square, ...]:
        """The square it stands on."""
        return (self.square,)

    @property
    def where(self) -> str:
        """Where it stands, in words: "on C3"."""
        return f"on {self.square.name}"

    @property
    def there(self) -> bool:
        """Whether some piece is likelier there than none."""
        return max(self.anything, self.probability) >= LIKELIER

    @property
    def doubtful(self) -> bool:
        """Whether a person should look: something may be there or not, or be of another kind."""
        return DOUBTFUL[0] <= max(self.anything, self.probability) and self.probability <= DOUBTFUL[1]


@dataclass(frozen=True, slots=True)
class DetectedGem:
    """A gem where four squares meet, `corner` the upper left of them, and how probable that is."""

    corner: Square
    probability: float

    @property
    def kind(self) -> str:
        """The same as of pieces: "gem"."""
        return GEM

    @property
    def squares(self) -> tuple[Square, ...]:
        """The four squares it touches, clockwise from the upper left."""
        return Gem(UNKNOWN, self.corner).squares

    @property
    def where(self) -> str:
        """Where it lies, in words: "between B2 C3"."""
        return f"between {name_crossing(self.corner)}"

    @property
    def there(self) -> bool:
        """Whether it is likelier there than not."""
        return self.probability >= LIKELIER

    @property
    def doubtful(self) -> bool:
        """Whether a person should look: it may be there or not."""
        return DOUBTFUL[0] <= self.probability <= DOUBTFUL[1]


def join_gem_evidence(corners: Floats, tiles: npt.NDArray[np.bool_]) -> Floats:
    """Return log-odds (rows + 1, cols + 1) of a gem on each crossing of a grid.

    `corners` (rows, cols, 4) are those that each square sees on its corners, clockwise from the top left. Of the up to
    four squares around a crossing only `tiles` (rows, cols) speak; their mean counts, for they see the same token.
    """
    rows, cols = tiles.shape
    total, voices = np.zeros((rows + 1, cols + 1)), np.zeros((rows + 1, cols + 1))
    for corner, (down, right) in enumerate([(0, 0), (0, 1), (1, 1), (1, 0)]):
        here = np.s_[down : down + rows, right : right + cols]
        total[here] += np.where(tiles, corners[..., corner], 0.0)
        voices[here] += tiles
    return np.where(voices > 0, total / np.maximum(voices, 1), NEVER)


def find_pieces(pieces: Floats | None, names: Sequence[str], start: Square, board: Board) -> tuple[DetectedPiece, ...]:
    """Return each piece that stands on a board or may, from the top left.

    `pieces` (rows, cols, names) are log-probabilities on a grid on which the board's A1 lies at `start`; the first name
    is nothing. A square has its likeliest piece; on bare table no network learned to see one.
    """
    if pieces is None:
        return ()
    found = []
    for square in board:
        chances = np.exp(pieces[start.row + square.row, start.col + square.col, 1:])
        kind, anything = int(chances.argmax()), float(chances.sum())
        if anything >= DOUBTFUL[0]:
            found.append(DetectedPiece(names[kind + 1], square, float(chances[kind]), anything))
    return tuple(found)


def find_gems(gems: Floats | None, start: Square, board: Board) -> tuple[DetectedGem, ...]:
    """Return each gem that lies on a crossing of a board or may, from the top left.

    `gems` (rows + 1, cols + 1) are log-odds on the crossings of a grid on which the board's A1 lies at `start`.
    """
    if gems is None:
        return ()
    inner = gems[start.row + 1 : start.row + board.height, start.col + 1 : start.col + board.width]
    chances = 1 / (1 + np.exp(-inner))
    return tuple(
        DetectedGem(Square(row, col), float(chance))
        for (row, col), chance in np.ndenumerate(chances)
        if chance >= DOUBTFUL[0]
    )
