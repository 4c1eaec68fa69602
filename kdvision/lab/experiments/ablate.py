"""What each part brings, measured by leaving it out: `python -m kdvision.lab.experiments.ablate --results models/results`.

Every picture is read once, with all variants of looking at it; what was seen is kept (`--work`), so that deciding can
be tried again without reading. Rendered scenes come from seeds that neither training nor calibration uses.
"""

from __future__ import annotations

import argparse
import copy
import csv
import hashlib
import io
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from kdvision.errors import KdvisionError
from kdvision.evaluate.evaluate import Labelled, labelled
from kdvision.evaluate.match import Kingdom, Pair, matched
from kdvision.files import write_atomically
from kdvision.game.board import Board, Cell
from kdvision.game.deck import KINGDOMINO, Deck, Domino, kinds
from kdvision.lab.calibrate.scenes import load_networks, render_scene
from kdvision.vision.classify.observation import GridObservation, split_kingdoms
from kdvision.vision.classify.observe import find_kingdoms, observe
from kdvision.vision.decide.decide import decide
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.cells import CellClassifier

STREAM: Final = 9_000_000
WHOLE, ONCE, CELLS_ALONE, COLOURLESS, BY_THEMSELVES = "whole", "once", "cells alone", "colourless", "by themselves"
RENDERED: Final = "rendered"


@dataclass(frozen=True)
class Case:
    """One picture: the kingdoms in it as each variant of looking sees them, and the true boards."""

    name: str
    observations: Mapping[str, tuple[GridObservation, ...]]
    truth: tuple[Board, ...]


def seen(name: str, photo: Photo, truth: Sequence[Board]) -> Case:
    """The case of a photo, by the models at hand."""
    finder, reader, context = load_networks()
    try:
        kingdoms, _ = split_kingdoms(find_kingdoms(photo, finder, reader))
    except KdvisionError:
        kingdoms = []
    grids = [observation.grid for observation in kingdoms]
    looks = {
        WHOLE: kingdoms,
        ONCE: [observe(photo, reader, grid, turns=1) for grid in grids],
        CELLS_ALONE: [observe(photo, _without(reader, "outline", "tabletop"), grid) for grid in grids],
        COLOURLESS: [observe(photo, _without(reader, "tabletop"), grid) for grid in grids],
    }
    read = {how: tuple(context.read(photo, observations)) for how, observations in looks.items()}
    return Case(name, {**read, BY_THEMSELVES: tuple(kingdoms)}, tuple(truth))


def _without(reader: CellClassifier, *names: str) -> CellClassifier:
    """The reader, its model without some of what that says of itself."""
    other = copy.copy(reader)
    other.model = copy.copy(reader.model)
    other.model.about = {key: value for key, value in reader.model.about.items() if key not in names}
    return other


def rendered(seed: int, *, data: Path, work: Path | None = None) -> Case:
    """The case of one rendered scene; kingdoms that the picture's edge cuts are no part of its truth."""

    def make() -> Case:
        picture, _ = render_scene(data, seed)
        whole = [kingdom.board.trimmed() for kingdom in picture.kingdoms if len(kingdom.squares) == len(kingdom.board)]
        return seen(f"{RENDERED}-{seed}", Photo.open(picture.photo), whole)

    return _kept(f"{RENDERED}-{seed}", work, make)


def photographed(photo: Labelled, *, work: Path | None = None) -> Case:
    """The case of a labelled photo."""
    where = hashlib.sha256(str(photo.path.resolve()).encode()).hexdigest()[:12]
    return _kept(f"photo-{where}", work, lambda: seen(photo.path.name, Photo.open(photo.path), photo.boards))


def _kept(name: str, work: Path | None, make: Callable[[], Case]) -> Case:
    path = work / f"{name}.pickle" if work else None
    if path is not None and path.is_file():
        return pickle.loads(path.read_bytes())  # type: ignore[no-any-return]
    case = make()
    if path is not None:
        write_atomically(path, pickle.dumps(case))
    return case


def _plenty(pairs: Iterable[tuple[Cell, Cell]]) -> Deck:
    """A box with more dominoes of each of these pairs than any table has room for."""
    return tuple(Domino(number, *pair) for number, pair in enumerate(pair for pair in pairs for _ in range(100)))


CELLS: Final = sorted(kinds(KINGDOMINO), key=str)
ANY_NUMBER: Final = _plenty({domino.face: (domino.left, domino.right) for domino in KINGDOMINO}.values())
ANY_PAIR: Final = _plenty((one, two) for number, one in enumerate(CELLS) for two in CELLS[number:])


def together(case: Case, *, looks: str = WHOLE, deck: Deck = KINGDOMINO, border_log_odds: bool = True) -> list[Board]:
    """The boards decided with everything but what is left out."""
    observations = case.observations[looks]
    decisions = decide(
        [observation.reading.of_deck(deck) for observation in observations],
        deck,
        border_log_odds=[observation.border_log_odds if border_log_odds else None for observation in observations],
    )
    return [decision.board.trimmed() for decision in decisions]


def one_by_one(case: Case) -> list[Board]:
    """The boards decided each by itself."""
    alone = [
        decide([observation.reading.of_deck(KINGDOMINO)], KINGDOMINO, border_log_odds=[observation.border_log_odds])
        for observation in case.observations[WHOLE]
    ]
    return [decision.board.trimmed() for (decision,) in alone]


def by_squares(case: Case) -> list[Board]:
    """Each square as it looks by itself."""
    return [observation.reading.of_deck(KINGDOMINO).best.trimmed() for observation in case.observations[WHOLE]]


PARTS: Final[Mapping[str, Callable[[Case], list[Board]]]] = {
    "nothing": together,
    "how many of each domino the box has": partial(together, deck=ANY_NUMBER),
    "the deck: any two halves make a domino": partial(together, deck=ANY_PAIR),
    "the deck and the tiling: each square alone": by_squares,
    "border evidence": partial(together, border_log_odds=False),
    "joint kingdoms: each decided by itself": one_by_one,
    "test-time turning: one look at each square": partial(together, looks=ONCE),
    "context: each tile read without the others of the photo": partial(together, looks=BY_THEMSELVES),
    "fusion: the cell network alone says where tiles lie": partial(together, looks=CELLS_ALONE),
    "the table's colour: the networks alone say where tiles lie": partial(together, looks=COLOURLESS),
}


@dataclass
class Tally:
    """Squares and boards, how many there are and how many of them are right."""

    squares: int = 0
    squares_right: int = 0
    boards: int = 0
    boards_right: int = 0

    def add(self, truth: Sequence[Board], pairs: Sequence[Pair | None]) -> None:
        """Count one picture."""
        self.squares += sum(map(len, truth))
        self.squares_right += sum(pair.after for pair in pairs if pair)
        self.boards += len(truth)
        self.boards_right += sum(pair.exact for pair in pairs if pair)

    @property
    def words(self) -> tuple[str, str]:
        """The share of squares and the number of boards, for a table."""
        return f"{100 * self.squares_right / max(self.squares, 1):.2f} %", f"{self.boards_right} of {self.boards}"


def tallied(cases: Iterable[Case], boards_of: Callable[[Case], list[Board]]) -> Tally:
    """How many squares and boards are right if they are read in this way."""
    found = Tally()
    for case in cases:
        centres = [observation.grid.corners.mean(axis=0) for observation in case.observations[WHOLE]]
        kingdoms = [Kingdom(board, board, centre) for board, centre in zip(boards_of(case), centres, strict=True)]
        found.add(case.truth, matched(case.truth, [None] * len(case.truth), kingdoms))
    return found


def table(sets: Mapping[str, Sequence[Case]]) -> str:
    """The table of what is left out, as CSV: for each set of pictures squares right and boards exact."""
    rows = [["left out", *(f"{name}: {what}" for name in sets for what in ("squares right", "boards exact"))]]
    for part, boards_of in PARTS.items():
        rows.append([part, *(word for cases in sets.values() for word in tallied(cases, boards_of).words)])
    return _csv(rows)


def by_kingdoms(cases: Sequence[Case]) -> str:
    """Squares and boards before and after deciding, by how many kingdoms a picture shows, as CSV."""
    head = ["kingdoms", "pictures", "squares before", "squares after", "boards exact before", "boards exact after"]
    rows = [head]
    for count in sorted({len(case.truth) for case in cases if case.truth}):
        own = [case for case in cases if len(case.truth) == count]
        before, after = tallied(own, by_squares).words, tallied(own, together).words
        rows.append([str(count), str(len(own)), before[0], after[0], before[1], after[1]])
    return _csv(rows)


def _csv(rows: Iterable[Sequence[str]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def _cases(data: Path, scenes: int, work: Path | None, workers: int) -> Iterator[tuple[str, list[Case]]]:
    with get_context("spawn").Pool(workers) as pool:
        yield (
            RENDERED,
            list(pool.imap(partial(rendered, data=data, work=work), range(STREAM, STREAM + scenes), chunksize=2)),
        )
        for name in ("photos", "boards"):
            if (data / name).is_dir():
                yield name, list(pool.imap(partial(photographed, work=work), list(labelled(data / name)), chunksize=2))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=Path, default=Path("../shared/data"), help="crops for rendering, labelled photos"
    )
    parser.add_argument("--scenes", type=int, default=150, help="rendered scenes")
    parser.add_argument("--work", type=Path, help="keep what is seen here, by the models at hand, for the next time")
    parser.add_argument("--results", type=Path, help="write ablation.csv into this folder")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    if given.work:
        given.work.mkdir(parents=True, exist_ok=True)
    sets = dict(_cases(given.data, given.scenes, given.work, given.workers))
    made = {"ablation.csv": table(sets)}
    for name, text in made.items():
        print(f"{name}\n{text}")
        if given.results:
            write_atomically(given.results / name, text.encode())


if __name__ == "__main__":
    main()
