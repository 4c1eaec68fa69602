"""The result of each photo, its CSV, and the tables that results add up to.

A photo is *exact* if every board is right and nothing is invented. The program may flag a photo for review. In terms of
selective classification: a *silent error* is wrong and not flagged, a *false alarm* is exact and flagged, and the
*coverage* is the share of photos that are not flagged.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from kdvision import text
from kdvision.evaluate.corruptions import CORRUPTIONS


@dataclass(frozen=True)
class PhotoResult:
    """One photo; the fields are the columns of the CSV.

    Of `squares` true squares with a tile, `before` were right before the decision and `after` after it; invented
    squares are subtracted. `way` is the name of the corruption. `review` says that the photo was flagged.
    """

    photo: str
    room: str
    kingdoms: int
    found: int
    invented: int
    shape: bool
    squares: int
    before: int
    after: int
    exact: bool
    boards_exact: int
    points_exact: bool
    score_error: int
    review: bool
    silent: bool
    upright: bool
    probability: float
    seconds: float
    true: str
    read: str
    error: str = ""
    way: str = ""
    severity: int = 0

    @property
    def false_alarm(self) -> bool:
        """Whether the photo was flagged although it was exact."""
        return self.review and self.exact


def format_csv(results: Iterable[PhotoResult]) -> str:
    """Return the results as CSV, booleans as 1 and 0."""
    columns = [field.name for field in fields(PhotoResult)]
    formats: dict[type, Callable[[Any], object]] = {bool: int, float: "{:.4g}".format}
    values = ([formats.get(type(value), str)(value) for value in asdict(result).values()] for result in results)
    return text.format_csv(columns, values)


Results = Sequence[PhotoResult]

COLUMNS: Final[dict[str, Callable[[Results], str]]] = {
    "photos": lambda results: str(len(results)),
    "kingdoms found": lambda results: f"{_sum_counts(results, 'found')} of {_sum_counts(results, 'kingdoms')}",
    "invented": lambda results: str(_sum_counts(results, "invented")),
    "shape right": lambda results: str(_sum_counts(results, "shape")),
    "squares before": lambda results: _format_share(_sum_counts(results, "before"), _sum_counts(results, "squares")),
    "after": lambda results: _format_share(_sum_counts(results, "after"), _sum_counts(results, "squares")),
    "exact": lambda results: str(_sum_counts(results, "exact")),
    "points exact": lambda results: str(_sum_counts(results, "points_exact")),
    "flagged": lambda results: str(_sum_counts(results, "review")),
    "silent errors": lambda results: str(_sum_counts(results, "silent")),
    "false alarms": lambda results: str(_sum_counts(results, "false_alarm")),
    "coverage": lambda results: _format_share(len(results) - _sum_counts(results, "review"), len(results)),
    "not upright": lambda results: str(len(results) - _sum_counts(results, "upright")),
    "median s": lambda results: f"{sorted(result.seconds for result in results)[len(results) // 2]:.2f}",
}


def summarise(results: Results) -> str:
    """Return a table with a line for each room; of corrupted photos, for each corruption and severity and each family.

    Adversarial families, whose pictures a person cannot always read either, are not part of "ordinary".
    """
    title, groups = "room", _group(results, lambda result: text.replace_controls(result.room))
    if any(result.way for result in results):
        title, groups = "corruption", _group(results, lambda result: f"{result.way} {result.severity}")
        groups += _group(results, lambda result: f"family: {CORRUPTIONS[result.way].family}")
        groups.append(("ordinary", [result for result in results if not CORRUPTIONS[result.way].adversarial]))
    groups.append(("all", results))
    lines = [(title, *COLUMNS), *((name, *(column(group) for column in COLUMNS.values())) for name, group in groups)]
    return "\n".join(text.align_columns(lines, gap="  "))


def _group(results: Results, key: Callable[[PhotoResult], str]) -> list[tuple[str, Results]]:
    groups: dict[str, list[PhotoResult]] = {}
    for result in results:
        groups.setdefault(key(result), []).append(result)
    return [*groups.items()]


def _format_share(part: int, total: int) -> str:
    return f"{100 * part / total:.1f} %" if total else "-"


def _sum_counts(results: Results, name: str) -> int:
    return sum(int(getattr(result, name)) for result in results)
