"""Dominoes of two boxes on one table: `python -m kdvision.lab.experiments.mixed`. Are they read as they lie, and told?

Kingdoms of rendered scenes that no training saw are decided as they lie, each with one of another scene, which is
another game, and each with one of its dominoes shown twice. What the networks saw is that of the calibration.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import numpy as np

from kdvision.files import write_atomically
from kdvision.game.board import Board
from kdvision.game.deck import KINGDOMINO
from kdvision.lab.calibrate.scenes import FIRST_SEED, ObservedScene, is_same_board, judge_boards, observe_scene
from kdvision.vision.assess.calibration import Calibration
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.probabilities import Reading
from kdvision.vision.decide.decide import decide
from kdvision.vision.networks.onnx import load_model
from kdvision.vision.result import ALONE

Known = tuple[GridObservation, Board]
"""A kingdom that was seen, and its true board."""
Counts = tuple[int, int, int]
"""Kingdoms, those of them that are right, and those that are neither right nor marked."""

FIRST: Final = 2 * FIRST_SEED
FEWEST: Final = 4
"""Dominoes of a kingdom in which one is shown twice."""
WAYS: Final = ("one box", "kingdoms of two boxes", "one domino twice")


def known(data: Path, seed: int, kept: Path | None = None) -> list[Known]:
    """Return the kingdoms of a scene that were found and that the picture does not cut."""
    found = observe_scene(data, kept, seed)
    everything = zip(found.observations, found.boards, found.truncated, strict=True)
    return [(observation, truth) for observation, truth, cut in everything if truth is not None and not cut]


def counted(of: Sequence[Known], calibration: Calibration) -> Counts:
    """Return what comes of kingdoms decided together, as those of any photo are."""
    observations, truth = zip(*of, strict=True)
    boards = judge_boards(ObservedScene(observations, (ALONE,) * len(of), truth, (False,) * len(of)))
    silent = [
        not (board.right or board.always_review) and board.compute_probability(calibration) >= calibration.sure
        for board in boards
    ]
    return len(of), sum(board.right for board in boards), sum(silent)


def twice(one: Known, rng: np.random.Generator) -> Known | None:
    """Return the kingdom with a domino shown in another's place, too; None for a small one or one not read right."""
    observation, truth = one
    (decision,) = decide(
        [observation.reading.of_deck(KINGDOMINO)], KINGDOMINO, border_log_odds=[observation.border_log_odds]
    )
    if not is_same_board(decision.board.trimmed(), truth) or len(decision.dominoes) < FEWEST:
        return None
    over, again = (decision.dominoes[n].squares for n in rng.choice(len(decision.dominoes), 2, replace=False))
    likely, cells = observation.reading.log_probs.copy(), dict(decision.board.items())
    for place, shown in zip(over, again, strict=True):
        likely[place], cells[place] = observation.reading.log_probs[shown], decision.board[shown]
    reading = Reading(likely, observation.reading.kinds)
    return replace(observation, reading=reading), Board(cells).trimmed()


def measured(seed: int, *, data: Path, kept: Path | None = None) -> list[Counts]:
    """Return the counts of one scene in each of the WAYS; the other box's kingdom is one of the next scene."""
    calibration = Calibration(**load_model("cells", 1).about["boards"])
    here, there = (known(data, n, kept)[:1] for n in (seed, seed + 1))
    doubled = [made for one in here if (made := twice(one, np.random.default_rng(seed)))]
    tables = (known(data, seed, kept), here + there if here and there else [], doubled)
    return [counted(table, calibration) if table else (0, 0, 0) for table in tables]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--scenes", type=int, default=500)
    parser.add_argument("--work", type=Path, help="what calibration kept of the scenes; seen anew where there is none")
    parser.add_argument("--out", type=Path, default=Path("models/results"))
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    with get_context("spawn").Pool(given.workers) as pool:
        made = pool.map(
            partial(measured, data=given.data, kept=given.work), range(FIRST, FIRST + given.scenes), chunksize=4
        )
    totals = np.array(made).sum(axis=0).tolist()
    lines = ["on the table,kingdoms,right,wrong without a warning"]
    lines += [f"{way},{','.join(map(str, counts))}" for way, counts in zip(WAYS, totals, strict=True)]
    write_atomically(given.out / "mixed.csv", "\n".join([*lines, ""]).encode())
    print("\n".join(lines))


if __name__ == "__main__":
    main()
