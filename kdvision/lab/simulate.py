"""How much the deck mends, measured without any picture: played kingdoms, read with noise of a known strength.

Each square's evidence is its true kind plus Gaussian noise over the kinds, so its probabilities are exactly calibrated
and errors are independent. Real errors are not: this shows what `decide` can do at most, and that it is fast enough.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from kdvision.game.board import Board, Square
from kdvision.game.deck import KINGDOMINO
from kdvision.lab.drafts import play
from kdvision.vision.reading import KINDS, NOTHING, Reading
from kdvision.vision.reconstruct import Decision, decide


@dataclass(frozen=True)
class Scene:
    """What is on the table: kingdoms of one game, of which some are in the photo; `ring` adds table around each."""

    name: str
    players: int
    side: int
    kingdoms: int
    accuracy: float
    ring: int = 0


SCENES: Final = (
    *(Scene(f"one 5x5, {100 * a:g} %", 4, 5, 1, a) for a in (0.95, 0.98, 0.99)),
    Scene("one 7x7, 95 %", 2, 7, 1, 0.95),
    Scene("two of a game, 95 %", 2, 5, 2, 0.95),
    Scene("three of a game, 95 %", 3, 5, 3, 0.95),
    Scene("four of a game, 95 %", 4, 5, 4, 0.95),
    Scene("two 7x7, 95 %", 2, 7, 2, 0.95),
    Scene("one 5x5 and table around, 95 %", 4, 5, 1, 0.95, ring=1),
    Scene("four of a game and table around, 95 %", 4, 5, 4, 0.95, ring=1),
)


@dataclass(frozen=True)
class Outcome:
    """One simulated photo: the true boards, what each square says alone, what was decided, and the processor time."""

    truths: tuple[Board, ...]
    raw: tuple[Board, ...]
    decisions: tuple[Decision, ...]
    seconds: float


def simulate(scene: Scene, rng: np.random.Generator) -> Outcome:
    """One simulated photo of the scene."""
    kingdoms = play(rng, players=scene.players, side=scene.side)[: scene.kingdoms]
    truths = tuple(framed(kingdom.board, scene.side, scene.ring) for kingdom in kingdoms)
    readings = [noisy(board, rng, accuracy=scene.accuracy) for board in truths]
    start = time.process_time()
    decisions = tuple(decide(readings, KINGDOMINO, side=scene.side))
    seconds = time.process_time() - start
    return Outcome(truths, tuple(reading.best for reading in readings), decisions, seconds)


def framed(board: Board, side: int, ring: int) -> Board:
    """The board in a frame of side x side, with so many rows and columns of bare table around it."""
    shifted = {Square(square.row + ring, square.col + ring): cell for square, cell in board.items()}
    return Board(shifted, height=side + 2 * ring, width=side + 2 * ring)


def noisy(board: Board, rng: np.random.Generator, *, accuracy: float, kinds: tuple[str, ...] = KINDS) -> Reading:
    """A reading of the board whose squares, taken alone, are right with this probability (and know it)."""
    spread = _spread(accuracy, len(kinds))
    seen = rng.normal(0.0, spread, (board.height, board.width, len(kinds)))
    for row, col in np.ndindex(board.height, board.width):
        cell = board.get(Square(row, col))
        seen[row, col, kinds.index(str(cell) if cell else NOTHING)] += 1
    scores = seen / spread**2
    return Reading.of_probabilities(np.exp(scores - scores.max(axis=2, keepdims=True)), kinds)


@cache
def _spread(accuracy: float, kinds: int) -> float:
    """The noise at which the true kind has the highest score with this probability, by bisection over fixed draws."""
    draws = np.random.default_rng(0).normal(size=(40_000, kinds))
    lead = draws[:, 1:].max(axis=1) - draws[:, 0]
    return float(1 / np.quantile(lead, accuracy))


def table(scenes: Sequence[Scene] = SCENES, *, photos: int = 200, seed: int = 0) -> Iterator[str]:
    """Lines of a table: boards right before and after, how sure `decide` was of them, and the time."""
    yield f"{'scene':40}{'raw':>7}{'decided':>9}{'said':>7}{'gap':>7}{'at 99.5%':>10}{'median ms':>11}{'worst':>7}"
    for scene in scenes:
        rng = np.random.default_rng(seed)
        outcomes = [simulate(scene, rng) for _ in range(photos)]
        yield _line(scene, outcomes)


def _line(scene: Scene, outcomes: Sequence[Outcome]) -> str:
    raw = [one == two for o in outcomes for one, two in zip(o.raw, o.truths, strict=True)]
    right = np.array([d.board == truth for o in outcomes for d, truth in zip(o.decisions, o.truths, strict=True)])
    said = np.array([d.probability for o in outcomes for d in o.decisions])
    times = 1000 * np.array([outcome.seconds for outcome in outcomes])
    shares = f"{100 * np.mean(raw):7.1f}{100 * right.mean():9.1f}{100 * said.mean():7.1f}"
    return (
        f"{scene.name:40}{shares}{100 * calibration_gap(said, right):7.1f}{100 * accepted(said, right):10.1f}"
        f"{np.median(times):11.0f}{times.max():7.0f}"
    )


def calibration_gap(said: np.ndarray, right: np.ndarray, *, bins: int = 10) -> float:
    """The expected calibration error: mean distance of what was said from what came true, over bins of equal size."""
    order = np.argsort(said, kind="stable")
    parts = [part for part in np.array_split(order, bins) if len(part)]
    return float(sum(abs(said[part].mean() - right[part].mean()) * len(part) for part in parts) / len(said))


def accepted(said: np.ndarray, right: np.ndarray, *, precision: float = 0.995) -> float:
    """The largest share of boards, surest first, of which at least `precision` are right."""
    hits = right[np.argsort(-said, kind="stable")]
    good = np.flatnonzero(np.cumsum(hits) >= precision * np.arange(1, len(hits) + 1))
    return float((good[-1] + 1) / len(hits)) if len(good) else 0.0


if __name__ == "__main__":
    for line in table():
        print(line, flush=True)
