"""How far each kind of probability can be believed: `python -m kdvision.lab.calibrate.heads --work DIR --results models/results`.

DIR is where `kdvision.lab.calibrate.calibrate --work DIR` keeps what is seen on rendered tables. For squares' kinds, for whether
there is a tile, for the halves of dominoes, for boards and for points: the mean of what was said, the share that was
right, and the calibration error (Guo et al., 2017, over parts of equal size). Boards and points are those of all that
was read, kingdoms among them that the picture cuts, of which no board can be right.
"""

from __future__ import annotations

import argparse
import csv
import io
import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from kdvision.files import write_atomically
from kdvision.game.board import Board, Cell, Square
from kdvision.game.deck import KINGDOMINO
from kdvision.game.scoring import score
from kdvision.lab.calibrate.rehearsal import Seen, is_of
from kdvision.vision.assess.calibration import Calibration
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.probabilities import NOTHING
from kdvision.vision.decide import game_set as boxes
from kdvision.vision.decide.decide import decide
from kdvision.vision.networks.cells import CellClassifier
from kdvision.vision.networks.onnx import load_model
from kdvision.vision.result import KingdomReading, build_reading

HEADS: Final = ("kind of a tile", "tile or none", "square, before deciding", "square, decided", "board", "points")
SHIFTS: Final = 3


@dataclass
class Said:
    """What was said of many things of one kind, and whether it was right."""

    chance: list[float] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)

    def add(self, chance: npt.ArrayLike, right: npt.ArrayLike) -> None:
        """Take down some more."""
        self.chance += np.ravel(np.asarray(chance, float)).tolist()
        self.right += np.ravel(np.asarray(right, bool)).tolist()

    @property
    def row(self) -> tuple[str, str, str, str]:
        """How many, the mean said, the share right, the calibration error."""
        chance, right = np.array(self.chance), np.array(self.right)
        if not len(chance):
            return "0", "", "", ""
        return (
            str(len(chance)),
            f"{chance.mean():.4f}",
            f"{right.mean():.4f}",
            f"{calibration_gap(chance, right, bins=20):.4f}",
        )


def calibration_gap(chance: npt.NDArray[np.float64], right: npt.NDArray[np.bool_], *, bins: int) -> float:
    """Return the expected calibration error: the mean distance of probability and accuracy over bins of equal size."""
    order = np.argsort(chance, kind="stable")
    parts = [part for part in np.array_split(order, bins) if len(part)]
    return float(sum(abs(chance[part].mean() - right[part].mean()) * len(part) for part in parts) / len(chance))


def heads(scenes: Iterable[Seen], calibration: Calibration) -> dict[str, Said]:
    """What was said in these scenes, kind by kind of probability."""
    said = {name: Said() for name in HEADS}
    for seen in scenes:
        observations = [
            replace(observation, reading=observation.reading.of_deck(KINGDOMINO)) for observation in seen.observations
        ]
        readings, border_log_odds = (
            [observation.reading for observation in observations],
            [observation.border_log_odds for observation in observations],
        )
        decisions = decide(readings, KINGDOMINO, border_log_odds=border_log_odds, temperature=calibration.temperature)
        everything = zip(observations, decisions, seen.around, seen.truth, seen.cut, strict=True)
        for observation, decision, around, truth, cut in everything:
            read = build_reading(observation, decision, "", around, calibration, boxes.GAME_KINGDOMINO)
            right = truth is not None and not cut and is_of(read.board, truth)
            said["board"].add(read.probability, right)
            said["points"].add(_of_points(read), truth is not None and score(read.board).points == score(truth).points)
            if truth is None or cut:
                continue
            there = placed(truth, observation)
            _squares(observation, there, said)
            doubts = {doubt.square: doubt.probability for doubt in decision.doubts}
            places = [Square(*at) for at in np.ndindex(observation.reading.rows, observation.reading.cols)]
            said["square, decided"].add(
                [doubts.get(place, 1.0) for place in places],
                [decision.board.get(place) == there.get(place) for place in places],
            )
    return said


def _of_points(read: KingdomReading) -> float:
    """What is said of the points of the territories: the sum over all boards that have as many."""
    points = score(read.board).points
    return read.probability + sum(chance for board, chance in read.runners_up if score(board).points == points)


def placed(truth: Board, observation: GridObservation) -> Board:
    """The true board as it lies on a sight's grid: turned and moved to where it agrees best with what is seen."""
    read, rows, cols = observation.reading.best, observation.reading.rows, observation.reading.cols

    def at(turns: int, down: int, right: int) -> dict[Square, Cell]:
        return {Square(s.row + down, s.col + right): cell for s, cell in truth.turned(turns).items()}

    ways = [
        at(turns, down, right) for turns in range(4) for down in range(-SHIFTS, rows) for right in range(-SHIFTS, cols)
    ]
    best = max(ways, key=lambda cells: sum(read.get(square) == cell for square, cell in cells.items()))
    return Board({s: c for s, c in best.items() if 0 <= s.row < rows and 0 <= s.col < cols}, height=rows, width=cols)


def _squares(observation: GridObservation, truth: Board, said: dict[str, Said]) -> None:
    """What the networks said of every place of a grid."""
    likely, kinds = np.exp(observation.reading.log_probs), observation.reading.kinds
    nothing, shape = kinds.index(NOTHING), likely.shape[:2]
    label = np.full(shape, nothing)
    for square, cell in truth.items():
        label[square] = kinds.index(str(cell))
    tile, there = 1 - likely[..., nothing], label != nothing
    said["tile or none"].add(np.maximum(tile, 1 - tile), (tile > 0.5) == there)
    said["square, before deciding"].add(likely.max(axis=2), likely.argmax(axis=2) == label)
    kind = np.delete(likely, nothing, axis=2) / np.maximum(tile, 1e-12)[..., None]
    of = np.delete(np.arange(len(kinds)), nothing)[kind.argmax(axis=2)]
    said["kind of a tile"].add(kind.max(axis=2)[there], (of == label)[there])


def table(said: dict[str, Said]) -> str:
    """A line for each kind of probability, as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("probability of", "how many", "said on average", "right", "calibration error"))
    writer.writerows((name, *one.row) for name, one in said.items())
    return out.getvalue()


def kept(work: Path) -> Iterator[Seen]:
    """What was seen on each scene that was kept."""
    for path in sorted(work.glob("*.pickle")):
        found = pickle.loads(path.read_bytes())
        if isinstance(found, Seen):
            yield found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="where calibration keeps what is seen")
    parser.add_argument("--results", type=Path, help="write calibration-heads.csv into this folder")
    given = parser.parse_args()
    calibration = Calibration(**CellClassifier(load_model("cells", 1)).model.about.get("boards", {}))
    text = table(heads(kept(given.work), calibration))
    print(text)
    if given.results:
        write_atomically(given.results / "calibration-heads.csv", text.encode())


if __name__ == "__main__":
    main()
