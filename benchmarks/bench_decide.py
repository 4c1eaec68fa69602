"""How long deciding takes, on readings made from played kingdoms: `python -m benchmarks.bench_decide`.

Clear readings, readings with squares spoiled, and noisy ones; alone on their grids or with bare table around them.
Processor time on one core, so that other work does not count. Exits with 1 where the median or the worst is too slow.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from kdvision.game.board import Board
from kdvision.game.deck import KINGDOMINO
from kdvision.lab.games.play import play
from kdvision.vision.classify.probabilities import KINDS, Reading
from kdvision.vision.decide.decide import decide
from tests.vision.decide.simulation import framed, noisy

MEDIAN: Final = 100.0
WORST: Final = 300.0
"""Milliseconds that deciding may take on one core."""


class Case(NamedTuple):
    """What is on the table, and how well it is read: `accuracy` is that of noisy squares, None for a clear reading in
    which `spoiled` squares look as much like something else."""

    name: str
    players: int
    side: int
    ring: int = 0
    accuracy: float | None = None
    spoiled: int = 0


CASES: Final = tuple(
    Case(f"{table}{around}, {reading}", players, side, ring, accuracy, spoiled)
    for table, players, side in (("four 5x5", 4, 5), ("two 7x7", 2, 7))
    for around, ring in (("", 0), (" and table around", 1))
    for reading, accuracy, spoiled in (
        ("clear", None, 0),
        ("4 squares spoiled in each", None, 4),
        ("98 %", 0.98, 0),
        ("95 %", 0.95, 0),
        ("90 %", 0.90, 0),
    )
)


def readings(case: Case, rng: np.random.Generator) -> list[Reading]:
    """One photo's readings."""
    boards = [
        framed(kingdom.board, case.side, case.ring) for kingdom in play(rng, players=case.players, side=case.side)
    ]
    if case.accuracy is not None:
        return [noisy(board, rng, accuracy=case.accuracy) for board in boards]
    return [_spoiled(board, case.spoiled, rng) for board in boards]


def _spoiled(board: Board, squares: int, rng: np.random.Generator) -> Reading:
    names = [square.name for square in board]
    chosen = rng.choice(names, size=min(squares, len(names)), replace=False).tolist()
    cells = {square.name: str(cell) for square, cell in board.items()}
    others = rng.choice(KINDS, size=len(chosen)).tolist()
    shares = {name: {other: 0.48} | {cells[name]: 0.48} for name, other in zip(chosen, others, strict=True)}
    return Reading.of(board, confidence=0.995, spoiled=shares)


def times(case: Case, photos: int, seed: int) -> list[float]:
    """Milliseconds for each of so many photos, sides and all left to `decide`."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(photos):
        seen = readings(case, rng)
        start = time.process_time()
        decide(seen, KINGDOMINO)
        found.append(1000 * (time.process_time() - start))
    return found


def rows(photos: int, *, seed: int = 0) -> Iterator[tuple[Case, float, float]]:
    """For each case the median and the worst time in milliseconds."""
    decide(readings(CASES[0], np.random.default_rng(seed)), KINGDOMINO)  # what only the first call pays
    for case in CASES:
        found = times(case, photos, seed)
        yield case, float(np.median(found)), max(found)


def main(arguments: Sequence[str]) -> int:
    """Print a line for each case; 1 where one is too slow."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=int, default=20, help="photos for each case")
    given, slow = parser.parse_args(arguments), 0
    print(f"{'deciding':44}{'median ms':>10}{'worst ms':>10}   at most {MEDIAN:g} and {WORST:g}")
    for case, median, worst in rows(given.photos):
        late = median > MEDIAN or worst > WORST
        slow += late
        print(f"{case.name:44}{median:10.0f}{worst:10.0f}{'   TOO SLOW' * late}", flush=True)
    return int(slow > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
