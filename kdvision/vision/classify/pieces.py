"""Pieces on squares and gems on crossings, from the heads of the cell network to lists for a kingdom."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit, softmax

from kdvision.game.board import Board, Square
from kdvision.game.kingdom import GEM, UNKNOWN, Gem, name_crossing
from kdvision.vision.classify.observation import P_PRESENT
from kdvision.vision.classify.probabilities import IMPOSSIBLE_LOG_PROBABILITY
from kdvision.vision.geometry import Floats, Mask


class DetectedPiece(NamedTuple):
    """A piece of its most probable kind on a square, or a gem where the square meets the three right of and below it.

    `any_probability` is that of a piece of any kind.
    """

    kind: str
    square: Square
    probability: float
    any_probability: float

    @property
    def is_present(self) -> bool:
        """True if something is more probable than nothing."""
        return self.any_probability >= P_PRESENT

    @property
    def is_uncertain(self) -> bool:
        """True if a person should check whether something is there, or of which kind."""
        min_any_probability, max_probability = 0.2, 0.8
        return self.any_probability >= min_any_probability and self.probability <= max_probability

    @property
    def squares(self) -> tuple[Square, ...]:
        """The square it stands on; of a gem the four that it touches, clockwise from the upper left."""
        return Gem(UNKNOWN, self.square).squares if self.kind == GEM else (self.square,)

    @property
    def location(self) -> str:
        """Where it lies, in words: "on C3", "between B2 C3"."""
        return f"between {name_crossing(self.square)}" if self.kind == GEM else f"on {self.square.name}"


def join_gem_evidence(corners: Floats, is_tile: Mask) -> Floats:
    """Return the log-odds (rows + 1, cols + 1) of a gem on each crossing of a grid.

    `corners` (rows, cols, 4) are the log-odds on each cell's corners, clockwise from the top left. The mean over the
    up to four tiles around a crossing counts, because they see the same token.
    """
    rows, cols = is_tile.shape
    total, count = np.zeros((rows + 1, cols + 1)), np.zeros((rows + 1, cols + 1))
    for corner, (down, right) in enumerate([(0, 0), (0, 1), (1, 1), (1, 0)]):
        crossings = np.s_[down : down + rows, right : right + cols]
        total[crossings] += np.where(is_tile, corners[..., corner], 0.0)
        count[crossings] += is_tile
    return np.where(count > 0, total / np.maximum(count, 1), IMPOSSIBLE_LOG_PROBABILITY)


def find_pieces(
    pieces: Floats, names: Sequence[str], start: Square, board: Board, *, is_rare: bool = False
) -> tuple[DetectedPiece, ...]:
    """Return each piece that is or may be on a board, from the top left, at most one a square.

    `pieces` (rows, cols, names) are log-probabilities on a grid with the board's A1 at `start`; the first name is none.
    Where pieces are rare, as in plain Kingdomino, whose box has none, a piece needs 99.9 % to be reported.
    """
    rare_log_odds = -7.0
    prior = np.array([0.0, *[rare_log_odds * is_rare] * (len(names) - 1)])
    probabilities = softmax(pieces + prior, axis=-1)
    detected_pieces = []
    for square in board:
        probability = probabilities[start.row + square.row, start.col + square.col, 1:]
        kind, total = int(probability.argmax()), float(probability.sum())
        detected_pieces.append(DetectedPiece(names[kind + 1], square, float(probability[kind]), total))
    return tuple(piece for piece in detected_pieces if piece.is_present or piece.is_uncertain)


def find_gems(gems: Floats, start: Square, board: Board) -> tuple[DetectedPiece, ...]:
    """Return each gem that is or may be on a crossing of a board, from the top left.

    `gems` (rows + 1, cols + 1) are log-odds on the crossings of a grid with the board's A1 at `start`.
    """
    inner_gems = gems[start.row + 1 : start.row + board.height, start.col + 1 : start.col + board.width]
    detected_gems = (
        DetectedPiece(GEM, Square(*corner), float(probability), float(probability))
        for corner, probability in np.ndenumerate(expit(inner_gems))
    )
    return tuple(gem for gem in detected_gems if gem.is_present or gem.is_uncertain)
