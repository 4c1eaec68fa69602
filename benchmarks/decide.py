"""The decision for boards, on readings of played kingdoms: clear, with spoiled squares, and noisy."""

from collections.abc import Iterator
from itertools import product
from typing import Final

import numpy as np

from benchmarks.measurement import Measurement, time_call
from benchmarks.photos import use_one_core
from kdvision.game.board import Board
from kdvision.game.deck import KINGDOMINO
from kdvision.lab.games.play import play
from kdvision.vision.classify.probabilities import KINDS, ClassProbabilities
from kdvision.vision.decide.decide import decide
from tests.kingdoms import override_squares
from tests.vision.decide.simulation import add_frame, make_noisy_reading

MAX_MEDIAN_MS: Final = 60.0
MAX_WORST_MS: Final = 300.0
PHOTOS: Final = 20
"""Simulated photos of each case."""
TABLES: Final = {"four 5x5": (4, 5), "two 7x7": (2, 7)}
"""Players and side of the kingdoms on a photo."""
SQUARES: Final = {"clear": 0, "4 squares spoiled": 4, "98 % right": 0.98, "95 % right": 0.95, "90 % right": 0.9}
"""How well squares are read: a number of spoiled squares, or the share of right ones."""


def measure_decision() -> Iterator[Measurement]:
    """Yield median and worst time over the photos of each case."""
    use_one_core()
    for (table, (players, side)), margin, (squares, quality) in product(TABLES.items(), (0, 1), SQUARES.items()):
        rng, times = np.random.default_rng(0), []
        for _ in range(PHOTOS + 1):
            boards = [add_frame(kingdom.board, side, margin) for kingdom in play(rng, players=players, side=side)]
            readings = [_make_reading(board, quality, rng) for board in boards]
            times.append(time_call(lambda readings=readings: decide(readings, KINGDOMINO)))  # type: ignore[misc]
        name = f"{table}{' and table around' * margin}, {squares}"
        yield Measurement(f"{name}: median", float(np.median(times[1:])), limit=MAX_MEDIAN_MS)
        yield Measurement(f"{name}: worst", max(times[1:]), limit=MAX_WORST_MS)


def _make_reading(board: Board, quality: float, rng: np.random.Generator) -> ClassProbabilities:
    if isinstance(quality, float):
        return make_noisy_reading(board, rng, accuracy=quality)
    names = [square.name for square in board]
    spoiled_names = rng.choice(names, size=min(quality, len(names)), replace=False).tolist()
    cells = {square.name: str(cell) for square, cell in board.items()}
    other_kinds = rng.choice(KINDS, size=len(spoiled_names)).tolist()
    shares = {name: {other: 0.48} | {cells[name]: 0.48} for name, other in zip(spoiled_names, other_kinds, strict=True)}
    return override_squares(ClassProbabilities.of(board, confidence=0.995), shares)
