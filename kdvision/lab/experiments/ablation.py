"""What each part of the program adds: the random scenes of the factors, read with one part left out at a time.

Parts that were removed from the program keep the row with which they were measured last (`ablation_removed.csv`).
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import numpy as np

from kdvision.game.deck import KINGDOMINO, Deck, Domino, kinds
from kdvision.lab.experiments.experiment import SCENES_PER_SEED, Experiment, Row, read_picture
from kdvision.lab.experiments.factors import DRAWN, draw_factors, render_scene
from kdvision.lab.experiments.judge import VERDICT_COUNTS, judge
from kdvision.vision import find
from kdvision.vision.classify import observe
from kdvision.vision.classify.context import ContextClassifier
from kdvision.vision.decide.decide import decide
from kdvision.vision.decide.decision import Decision
from kdvision.vision.detect import components, grid, refine
from kdvision.vision.networks.cells import CellClassifier

SCENES: Final = 80
SOURCE: Final = "this run"
REMOVED: Final = Path(__file__).with_name("ablation_removed.csv")
_CELLS: Final = sorted(kinds(KINGDOMINO), key=str)
ANY_PAIR: Final[Deck] = tuple(
    Domino(number, *pair)
    for number, pair in enumerate(
        (one, two) for index, one in enumerate(_CELLS) for two in _CELLS[index:] for _ in range(100)
    )
)
"""A box that has every pair of squares more often than a table has room for."""


def _without_context() -> AbstractContextManager[object]:
    return patch.object(ContextClassifier, "classify", lambda _, __, observations: list(observations))


def _without_rotation() -> AbstractContextManager[object]:
    return patch.object(CellClassifier, "_is_certain", lambda _, logits: np.ones(len(logits), bool))


def _without_metadata(*names: str) -> AbstractContextManager[object]:
    """Hide some of the fitted weights that stand in the cell network's file."""
    metadata = find.Networks.load().classifier.model.metadata
    return patch.dict(metadata, {name: value for name, value in metadata.items() if name not in names}, clear=True)


def _without_borders() -> AbstractContextManager[object]:
    def neutral(_: object, shape: tuple[int, int]) -> tuple[Any, Any]:
        rows, cols = shape
        return np.zeros((rows, cols - 1)), np.zeros((rows - 1, cols))

    return patch.object(observe, "compute_border_log_odds", neutral)


def _without_splitting() -> AbstractContextManager[object]:
    stack = ExitStack()
    for module in (components, refine):
        stack.enter_context(patch.object(module, "split_component", lambda _, members: [members]))
    return stack


@contextmanager
def _without_partition() -> Iterator[None]:
    with (
        patch.object(find, "split_by_castles", lambda _: []),
        patch.object(find, "remove_foreign_tiles", lambda lattices: [one.observation for one in lattices]),
    ):
        yield


def _without_warping() -> AbstractContextManager[object]:
    smooth = grid._smooth_residuals

    def flat(*arguments: Any) -> tuple[Any, Any]:
        shift, evidence = smooth(*arguments)
        return np.zeros_like(shift), evidence

    return patch.object(grid, "_smooth_residuals", flat)


def _without_box() -> AbstractContextManager[object]:
    def decide_freely(readings: Sequence[Any], _: Deck, **options: Any) -> list[Decision]:
        return decide(readings, ANY_PAIR, **options)

    return patch.object(find, "decide", decide_freely)


PARTS: Final[Mapping[str, Callable[[], AbstractContextManager[object]]]] = {
    "nothing": nullcontext,
    "context network": _without_context,
    "test-time rotation": _without_rotation,
    "background colour": lambda: _without_metadata("tile_weights"),
    "detector evidence and background colour": lambda: _without_metadata("tile_weights", "tile_weights_without_colour"),
    "border evidence": _without_borders,
    "component splitting": _without_splitting,
    "partition of close kingdoms": _without_partition,
    "grid warping": _without_warping,
    "the box: any two squares make a domino": _without_box,
}
"""Each part and the context in which the program runs without it."""


def _list_scenes(_: Path, seed: int) -> Iterator[Row]:
    first = seed * SCENES_PER_SEED
    for number in range(first, first + SCENES):
        yield {"scene": number}


def _measure(data: Path, case: Row) -> list[Row]:
    number = int(case["scene"])
    picture = render_scene(draw_factors(number), number, DRAWN, data)
    rows = []
    for part, leave_out in PARTS.items():
        with leave_out():
            rows.append(
                {"left_out": part, "kept": "yes", "source": SOURCE, **judge(picture, read_picture(picture.photo)).row}
            )
    return rows


def load_removed() -> list[Row]:
    """Return the rows of the parts that were removed, each with where it was measured."""
    with REMOVED.open(encoding="utf-8", newline="") as file:
        return [dict(row) for row in csv.DictReader(file)]


EXPERIMENT: Final = Experiment(
    name="ablation",
    question="What does each part of the program add?",
    cases=_list_scenes,
    measure=_measure,
    groups=("left_out", "kept", "source"),
    counts=VERDICT_COUNTS,
    append=load_removed,
    quick_cases=2,
)
