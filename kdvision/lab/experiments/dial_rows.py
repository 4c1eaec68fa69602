"""The dials of the benchmark of rendered scenes, the rows it leaves, and the tables that they add up to."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final

from kdvision.evaluate.summary import aligned, interval
from kdvision.lab.calibrate.reliability import compute_max_coverage
from kdvision.lab.experiments.judged import Verdict
from kdvision.lab.render.objects.held_out_tops import HELD_OUT_TOPS
from kdvision.lab.render.scene_factors import SceneFactors

MIDDLE: Final = SceneFactors()
ANYTHING: Final = "anything"
"""What the rows are called of scenes with every dial turned at once."""


@dataclass(frozen=True)
class Dial:
    """One field of a stage, what it is called, its settings, and where the other dials stand."""

    field: str
    title: str
    settings: tuple[float, ...] | tuple[str, ...]
    middle: SceneFactors = MIDDLE

    def at(self, setting: float | str) -> SceneFactors:
        """Return the stage with this dial at a setting."""
        turned: dict[str, Any] = {self.field: setting}
        return replace(self.middle, **turned)


DIALS: Final[Mapping[str, Dial]] = {
    dial.field: dial
    for dial in (
        Dial("angle", "view angle, degrees", (0.0, 15.0, 30.0, 45.0, 60.0)),
        Dial("pixels", "pixels a square", (12.0, 16.0, 20.0, 24.0, 32.0, 48.0, 64.0, 96.0)),
        Dial("fill", "share of the picture", (0.95, 0.7, 0.5, 0.35, 0.25, 0.15, 0.1), replace(MIDDLE, kingdoms=1)),
        Dial("kingdoms", "kingdoms", (1, 2, 3, 4)),
        Dial("gap", "squares between kingdoms", (0.5, 0.75, 1.0, 1.5, 2.5)),
        Dial("crooked", "degrees askew", (0.0, 2.0, 4.0, 6.0, 8.0)),
        Dial("light", "uneven, tinted, dim light", (0.0, 0.25, 0.5, 0.75, 1.0)),
        Dial("glare", "glare", (0.0, 0.25, 0.5, 0.75, 1.0)),
        Dial("blur", "blur, in squares", (0.0, 0.02, 0.04, 0.06, 0.08, 0.1)),
        Dial("clutter", "heaps of clutter", (0, 1, 2, 4, 6)),
        Dial("castles", "share of castles that stand", (0.0, 0.5, 1.0)),
        Dial("table", "table", tuple(HELD_OUT_TOPS)),
    )
}
"""All dials by the field they turn."""


@dataclass(frozen=True)
class Task:
    """One scene to read: which dial, its setting as text, the scene's number, the stage."""

    dial: str
    setting: str
    number: int
    stage: SceneFactors


@dataclass(frozen=True)
class Row:
    """One scene read: with which art and models, its verdict, the seconds that reading took, and the error if any.

    `boards` are how probable each kingdom read was called, and whether it is exact.
    """

    task: Task
    art: str
    models: str
    verdict: Verdict
    seconds: float
    error: str = ""
    boards: tuple[tuple[float, bool], ...] = ()

    @property
    def key(self) -> Key:
        """Return what tells this row from others."""
        return key_of(self.task, self.art, self.models)


Key = tuple[str, str, int, str, str]


def key_of(task: Task, art: str, models: str) -> Key:
    """Return what tells the row of a task from others."""
    return task.dial, task.setting, task.number, art, models


_STAGE: Final = [field.name for field in fields(SceneFactors)]
_VERDICT: Final = [field.name for field in fields(Verdict)]
_KNOWN: Final = ["dial", "setting", "scene", "art", "models", *_STAGE, *(f"n_{n}" for n in _VERDICT), "seconds"]
HEAD: Final = [*_KNOWN, "error", "boards"]
"""The columns; those of a verdict begin with n_. Boards are probabilities, a + behind those that are exact."""


def as_csv(rows: Iterable[Row]) -> str:
    """The rows as a table for other programs."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEAD)
    for row in rows:
        boards = " ".join(f"{chance:.5f}{'+' * exact}" for chance, exact in row.boards)
        told = [*asdict(row.verdict).values(), f"{row.seconds:.2f}", row.error, boards]
        writer.writerow([*row.key, *told_of(row.task.stage), *told])
    return out.getvalue()


def told_of(stage: SceneFactors) -> tuple[str, ...]:
    """A stage as a table tells it."""
    return tuple(f"{value:.6g}" if isinstance(value, float) else f"{value}" for value in asdict(stage).values())


def rows_of(text: str) -> list[Row]:
    """The rows that `as_csv` wrote; raises ValueError where the columns are others."""
    table = csv.DictReader(io.StringIO(text))
    if table.fieldnames is None or list(table.fieldnames) != HEAD:
        raise ValueError(f"a table of dials has the columns {', '.join(HEAD)}, not {table.fieldnames}")
    return [_row(words) for words in table]


def _row(words: Mapping[str, str]) -> Row:
    stage = SceneFactors(**{name: type(getattr(MIDDLE, name))(words[name]) for name in _STAGE})
    verdict = Verdict(**{name: int(words[f"n_{name}"]) for name in _VERDICT})
    task = Task(words["dial"], words["setting"], int(words["scene"]), stage)
    boards = tuple((float(one.removesuffix("+")), one.endswith("+")) for one in words["boards"].split())
    return Row(task, words["art"], words["models"], verdict, float(words["seconds"]), words["error"], boards)


FIGURES: Final[Mapping[str, str]] = {
    "found": "found",
    "outlined": "exactly outlined",
    "exact": "board exact",
    "sure": "given without a warning",
    "silent": "wrong, no warning",
}
"""The figures of a verdict that are shown, as shares of all kingdoms, and what they are called."""
ACCEPTED: Final = "could be given at 99.5 % right, %"
COLUMNS: Final = ("scenes", "kingdoms", *(f"{title}, %" for title in FIGURES.values()), ACCEPTED, "invented")


def total(rows: Iterable[Row], name: str) -> int:
    """The sum of one figure of the verdicts."""
    return sum(getattr(row.verdict, name) for row in rows)


def words_of(rows: Sequence[Row]) -> tuple[str, ...]:
    """One line of a table, by COLUMNS; the 95 % intervals take kingdoms of one photo for independent."""
    kingdoms = total(rows, "kingdoms")
    shares = (_share(total(rows, name), kingdoms) for name in FIGURES)
    surest = (
        f"{100 * compute_max_coverage([board for row in rows for board in row.boards], total=max(1, kingdoms)):.1f}"
    )
    return (str(len(rows)), str(kingdoms), *shares, surest, str(total(rows, "invented")))


def _share(part: int, whole: int) -> str:
    low, high = interval(part, whole)
    return f"{100 * part / max(1, whole):.1f} ({100 * low:.1f} to {100 * high:.1f})"


Parts = list[tuple[str, list[Row]]]


def headlines(rows: Iterable[Row]) -> Parts:
    """The scenes with every dial turned, by the angle they are seen at."""
    free = [row for row in rows if row.task.dial == ANYTHING]
    parts = [
        ("up to 45 degrees", [row for row in free if row.task.stage.angle <= 45]),
        ("45 to 60 degrees", [row for row in free if row.task.stage.angle > 45]),
        ("up to 60 degrees", free),
    ]
    return [(name, found) for name, found in parts if found]


def by_setting(rows: Iterable[Row], dial: str) -> Parts:
    """The rows of a dial by its settings."""
    mine = [row for row in rows if row.task.dial == dial]
    names = dict.fromkeys(row.task.setting for row in mine)
    return [(name.removesuffix(".0"), [row for row in mine if row.task.setting == name]) for name in names]


def tables(rows: Sequence[Row]) -> list[tuple[str, Parts]]:
    """All tables that rows add up to, by title: the headlines first."""
    found = [("every dial turned, seen from", headlines(rows))]
    found += [(dial.title, by_setting(rows, name)) for name, dial in DIALS.items()]
    return [(title, parts) for title, parts in found if parts]


def summary(rows: Sequence[Row]) -> str:
    """The tables as text."""
    return "\n\n".join(
        aligned([(title, *COLUMNS), *((name, *words_of(found)) for name, found in parts)])
        for title, parts in tables(rows)
    )
