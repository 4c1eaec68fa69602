"""What each part of the program adds: the random scenes of the factors, read with one part left out at a time.

Parts that were removed from the program keep the row of their last measurement (`ablation_removed.csv`).
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import numpy as np

from kdvision.game.deck import KINGDOMINO, Deck, Domino, count_kinds
from kdvision.lab.experiments.experiment import Experiment, Row, number_scenes, read_csv, read_picture
from kdvision.lab.experiments.factors import DRAWN, draw_factors, render_scene
from kdvision.lab.experiments.judge import VERDICT_COUNTS, judge
from kdvision.vision import find
from kdvision.vision.classify import observe
from kdvision.vision.classify.context import ContextClassifier
from kdvision.vision.decide.decide import decide
from kdvision.vision.detect import hypothesis, refine
from kdvision.vision.networks.cells import CellClassifier

SCENES: Final = 80
SOURCE: Final = "this run"
REMOVED: Final = Path(__file__).with_name("ablation_removed.csv")
_CELLS: Final = sorted(count_kinds(KINGDOMINO), key=str)
ANY_PAIR: Final[Deck] = tuple(
    Domino(number, *pair)
    for number, pair in enumerate(
        (first, second) for index, first in enumerate(_CELLS) for second in _CELLS[index:] for _ in range(100)
    )
)
"""A box that has every pair of squares more often than a table has room for."""


Part = Callable[[], AbstractContextManager[object]]
"""Makes a context in which the program runs without a part."""


def _replace_functions(*targets: object, **functions: Any) -> Part:
    """Return a part that is left out by replacing functions of modules or classes by others."""

    def leave_out() -> ExitStack:
        stack = ExitStack()
        for target in targets:
            stack.enter_context(patch.multiple(target, **functions))
        return stack

    return leave_out


def _hide_metadata(*names: str) -> Part:
    """Return a part that is left out by hiding fitted weights in the cell network's file."""

    def leave_out() -> AbstractContextManager[object]:
        metadata = find.Networks.load().classifier.model.metadata
        return patch.dict(metadata, {name: value for name, value in metadata.items() if name not in names}, clear=True)

    return leave_out


PARTS: Final[Mapping[str, Part]] = {
    "nothing": nullcontext,
    "context network": _replace_functions(ContextClassifier, classify=lambda _, __, observations: list(observations)),
    "test-time rotation": _replace_functions(CellClassifier, _is_certain=lambda _, logits: np.ones(len(logits), bool)),
    "background colour": _hide_metadata("tile_weights"),
    "detector evidence and background colour": _hide_metadata("tile_weights", "tile_weights_without_colour"),
    "border evidence": _replace_functions(
        observe, compute_border_log_odds=lambda _, shape: (np.zeros(shape)[:, 1:], np.zeros(shape)[1:])
    ),
    "component splitting": _replace_functions(hypothesis, refine, split_component=lambda component: [component]),
    "partition of close kingdoms": _replace_functions(
        find,
        split_by_castles=lambda _: [],
        remove_foreign_tiles=lambda lattices: [lattice.observation for lattice in lattices],
    ),
    "the box: any two squares make a domino": _replace_functions(
        find, decide=lambda readings, _, **options: decide(readings, ANY_PAIR, **options)
    ),
}
"""Each part and the context in which the program runs without it."""


def _list_scenes(_: Path, seed: int) -> list[Row]:
    return [{"scene": number} for number in number_scenes(seed, SCENES)]


def _measure_scene(data: Path, case: Row) -> list[Row]:
    number, rows = int(case["scene"]), list[Row]()
    picture = render_scene(draw_factors(number), number, DRAWN, data)
    for part, leave_out in PARTS.items():
        with leave_out():
            verdict = judge(picture, read_picture(picture.photo))
        rows.append({"left_out": part, "kept": "yes", "source": SOURCE, **verdict})
    return rows


def load_removed() -> list[Row]:
    """Return the rows of the parts that were removed, each with where it was measured."""
    return [dict(row) for row in read_csv(REMOVED)]


EXPERIMENT: Final = Experiment(
    name="ablation",
    question="What does each part of the program add?",
    cases=_list_scenes,
    measure=_measure_scene,
    groups=("left_out", "kept", "source"),
    counts=VERDICT_COUNTS,
    append=load_removed,
    quick_cases=2,
)
