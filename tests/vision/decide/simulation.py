"""Readings of played kingdoms with noise of a known strength, to test decisions without pictures.

The log-probabilities of a square are its true kind plus Gaussian noise over the kinds. They are exactly calibrated,
and the errors of squares are independent of each other.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from kdvision.game.board import Board, Square
from kdvision.game.deck import KINGDOMINO
from kdvision.lab.games.play import play
from kdvision.vision.classify.probabilities import KINDS, NOTHING, ClassProbabilities
from kdvision.vision.decide.decide import decide
from kdvision.vision.decide.decision import Decision


@dataclass(frozen=True)
class Scene:
    """Kingdoms of one game, some of which are in the photo.

    `margin` is the number of empty rows and columns around each. `accuracy` is the share of squares that are right
    before the decision.
    """

    name: str
    players: int
    side: int
    kingdoms: int
    accuracy: float
    margin: int = 0


SCENES: Final = (Scene("one 5x5, 95 %", 4, 5, 1, 0.95),)


@dataclass(frozen=True)
class Outcome:
    """One simulated photo: true boards, the likeliest kind of each square by itself, and the decisions."""

    truths: tuple[Board, ...]
    raw_boards: tuple[Board, ...]
    decisions: tuple[Decision, ...]


def simulate(scene: Scene, rng: np.random.Generator) -> Outcome:
    """Return one simulated photo of the scene."""
    kingdoms = play(rng, players=scene.players, side=scene.side)[: scene.kingdoms]
    truths = tuple(add_frame(kingdom.board, scene.side, scene.margin) for kingdom in kingdoms)
    readings = [make_noisy_reading(board, rng, accuracy=scene.accuracy) for board in truths]
    decisions = tuple(decide(readings, KINGDOMINO, side=scene.side))
    return Outcome(truths, tuple(reading.best for reading in readings), decisions)


def add_frame(board: Board, side: int, margin: int) -> Board:
    """Return the board in a frame of side x side squares with `margin` empty rows and columns around it."""
    cells = {Square(square.row + margin, square.col + margin): cell for square, cell in board.items()}
    return Board(cells, height=side + 2 * margin, width=side + 2 * margin)


def make_noisy_reading(
    board: Board, rng: np.random.Generator, *, accuracy: float, kinds: tuple[str, ...] = KINDS
) -> ClassProbabilities:
    """Return a reading of the board in which `accuracy` is the probability that a square's likeliest kind is right."""
    spread = _compute_spread(accuracy, len(kinds))
    scores = rng.normal(0.0, spread, (board.height, board.width, len(kinds)))
    for row, col in np.ndindex(board.height, board.width):
        cell = board.get(Square(row, col))
        scores[row, col, kinds.index(str(cell) if cell else NOTHING)] += 1
    scores /= spread**2
    return ClassProbabilities.of_probabilities(np.exp(scores - scores.max(axis=2, keepdims=True)), kinds)


@cache
def _compute_spread(accuracy: float, kinds: int) -> float:
    """Return the noise at which the true kind has the highest score with this probability, from fixed draws."""
    draws = np.random.default_rng(0).normal(size=(40_000, kinds))
    margins = draws[:, 1:].max(axis=1) - draws[:, 0]
    return float(1 / np.quantile(margins, accuracy))
