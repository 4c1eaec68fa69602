"""How much the deck mends, measured without any picture: `python -m kdvision.lab.experiments.simulate`.

Played kingdoms are read with noise of a known strength.

Each square's evidence is its true kind plus Gaussian noise over the kinds, so its probabilities are exactly calibrated
and errors are independent. Real errors are not: this shows what `decide` can do at most, and that it is fast enough.
"""

import argparse
import csv
import io
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from kdvision.files import write_atomically
from kdvision.game.board import Board, Square
from kdvision.game.deck import KINGDOMINO
from kdvision.lab.games.drafts import play
from kdvision.vision.classify.probabilities import KINDS, NOTHING, Reading
from kdvision.vision.decide.decide import decide
from kdvision.vision.decide.decision import Decision


@dataclass(frozen=True)
class Scene:
    """What is on the table: kingdoms of one game, of which some are in the photo; `ring` adds table around each.

    `published` is what others found for such a scene, boards right before and after in percent, in the simulation that
    deciding with the deck was chosen by.
    """

    name: str
    players: int
    side: int
    kingdoms: int
    accuracy: float
    ring: int = 0
    published: str = ""


SCENES: Final = (
    Scene("one 5x5, 95 %", 4, 5, 1, 0.95, published="31 to 59"),
    Scene("one 5x5, 98 %", 4, 5, 1, 0.98, published="64 to 85"),
    Scene("one 5x5, 99 %", 4, 5, 1, 0.99, published="75 to 92"),
    Scene("one 7x7, 95 %", 2, 7, 1, 0.95, published="7 to 43"),
    Scene("two of a game, 95 %", 2, 5, 2, 0.95, published="28 to 66"),
    Scene("three of a game, 95 %", 3, 5, 3, 0.95, published="27 to 78"),
    Scene("four of a game, 95 %", 4, 5, 4, 0.95, published="26 to 90-97"),
    Scene("two 7x7, 95 %", 2, 7, 2, 0.95, published="9 to 95"),
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


HEAD: Final = (
    *("scene", "squares before", "squares after", "boards before", "boards after", "published"),
    *("said", "calibration error", "accepted at 99.5 %", "median ms", "worst ms"),
)


def rows(scenes: Sequence[Scene] = SCENES, *, photos: int = 200, seed: int = 0) -> Iterator[tuple[str, ...]]:
    """A row for each scene: squares and boards right before and after, how sure `decide` was, and its time."""
    for scene in scenes:
        rng = np.random.default_rng(seed)
        yield _row(scene, [simulate(scene, rng) for _ in range(photos)])


def _row(scene: Scene, outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    pairs = [(*each, o) for o in outcomes for each in zip(o.raw, o.decisions, o.truths, strict=True)]
    right = np.array([decision.board == truth for _, decision, truth, _ in pairs])
    said = np.array([decision.probability for _, decision, _, _ in pairs])
    times = 1000 * np.array([outcome.seconds for outcome in outcomes])
    shares = (
        np.mean([_share(raw, truth) for raw, _, truth, _ in pairs]),
        np.mean([_share(decision.board, truth) for _, decision, truth, _ in pairs]),
        np.mean([raw == truth for raw, _, truth, _ in pairs]),
        right.mean(),
    )
    sure = (said.mean(), calibration_gap(said, right), accepted(said, right))
    first, last = (tuple(f"{100 * share:.1f}" for share in part) for part in (shares, sure))
    return (scene.name, *first, scene.published, *last, f"{np.median(times):.0f}", f"{times.max():.0f}")


def _share(read: Board, truth: Board) -> float:
    """The share of places, table around the kingdom included, that are read right."""
    places = [Square(*at) for at in np.ndindex(truth.height, truth.width)]
    return sum(read.get(place) == truth.get(place) for place in places) / len(places)


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=int, default=200, help="simulated photos of each scene")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the table into this file too")
    given = parser.parse_args()
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEAD)
    for row in rows(photos=given.photos):
        print("  ".join(f"{name} {word}".strip() for name, word in zip(("", *HEAD[1:]), row, strict=True)), flush=True)
        writer.writerow(row)
    if given.csv:
        write_atomically(given.csv, out.getvalue().encode())


if __name__ == "__main__":
    main()
