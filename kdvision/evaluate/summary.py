"""The result of each photo, its CSV, and the tables that results add up to.

A photo is *exact* if every board is right and nothing is invented. The program may flag a photo for review. In terms of
selective classification: a *silent error* is wrong and not flagged, a *false alarm* is exact and flagged, and the
*coverage* is the share of photos that are not flagged.
"""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from math import sqrt
from typing import Final, cast

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
    return text.format_csv(columns, (map(_format_value, asdict(result).values()) for result in results))


def _format_value(value: object) -> object:
    if isinstance(value, bool):
        return int(value)
    return f"{value:.4g}" if isinstance(value, float) else value


def parse_csv(content: str) -> list[PhotoResult]:
    """Return the results that `format_csv` wrote; raises ValueError for other columns."""
    table = csv.DictReader(io.StringIO(content))
    names = [field.name for field in fields(PhotoResult)]
    if table.fieldnames is None or list(table.fieldnames) != names:
        raise ValueError(f"an evaluation has the columns {', '.join(names)}, not {table.fieldnames}")
    parsers: dict[str, Callable[[str], object]] = {
        field.name: _parse_bool if field.type is bool else cast("Callable[[str], object]", field.type)
        for field in fields(PhotoResult)
    }
    return [PhotoResult(**{name: parsers[name](value) for name, value in row.items()}) for row in table]  # type: ignore[arg-type]


def _parse_bool(word: str) -> bool:
    return word == "1"


Results = Sequence[PhotoResult]
Column = tuple[str, Callable[[Results], str]]

COLUMNS: Final[tuple[Column, ...]] = (
    ("photos", lambda results: str(len(results))),
    ("kingdoms found", lambda results: f"{_sum(results, 'found')} of {_sum(results, 'kingdoms')}"),
    ("invented", lambda results: str(_sum(results, "invented"))),
    ("shape right", lambda results: str(_sum(results, "shape"))),
    ("squares before", lambda results: format_share(_sum(results, "before"), _sum(results, "squares"))),
    ("after", lambda results: format_share(_sum(results, "after"), _sum(results, "squares"))),
    ("exact", lambda results: str(_sum(results, "exact"))),
    ("points exact", lambda results: str(_sum(results, "points_exact"))),
    ("flagged", lambda results: str(_sum(results, "review"))),
    ("silent errors", lambda results: str(_sum(results, "silent"))),
    ("false alarms", lambda results: str(_sum(results, "false_alarm"))),
    ("coverage", lambda results: format_share(len(results) - _sum(results, "review"), len(results))),
    ("not upright", lambda results: str(len(results) - _sum(results, "upright"))),
    ("median s", lambda results: f"{sorted(result.seconds for result in results)[len(results) // 2]:.2f}"),
)


def summarise_by_room(results: Results) -> str:
    """Return a table with a line for each room and one for all."""
    rooms = dict.fromkeys(result.room for result in results)
    groups = [(room, [result for result in results if result.room == room]) for room in rooms]
    return _summarise("room", [*groups, ("all", results)])


def summarise_by_corruption(results: Results) -> str:
    """Return a table with a line for each corruption and severity, for each family, and for all.

    Adversarial families, whose pictures a person cannot always read either, are not part of "ordinary".
    """
    keys = dict.fromkeys((result.way, result.severity) for result in results)
    groups = [
        (f"{way} {severity}", [result for result in results if (result.way, result.severity) == (way, severity)])
        for way, severity in keys
    ]
    families = dict.fromkeys(CORRUPTIONS[way].family for way, _ in keys)
    groups += [
        (f"family: {family}", [result for result in results if CORRUPTIONS[result.way].family == family])
        for family in families
    ]
    ordinary = [result for result in results if not CORRUPTIONS[result.way].adversarial]
    return _summarise("corruption", [*groups, ("ordinary", ordinary), ("all", results)])


def _summarise(title: str, groups: Sequence[tuple[str, Results]]) -> str:
    head = (title, *(name for name, _ in COLUMNS))
    return format_table([head, *((name, *(column(group) for _, column in COLUMNS)) for name, group in groups)])


def format_table(lines: Sequence[Sequence[str]]) -> str:
    """Return lines of cells as columns two blanks apart: the first column left-aligned, the others right-aligned."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )


def wilson_interval(hits: int, total: int, *, z: float = 1.96) -> tuple[float, float]:
    """Return the 95 % confidence interval of a share (Wilson 1927); (0, 1) where nothing was counted."""
    if not total:
        return 0.0, 1.0
    share, spread = hits / total, z * z / total
    middle = (share + spread / 2) / (1 + spread)
    reach = z / (1 + spread) * sqrt(share * (1 - share) / total + spread / (4 * total))
    return max(0.0, middle - reach), min(1.0, middle + reach)


def format_share(part: int, total: int) -> str:
    """Return a share in per cent with one decimal; "-" where nothing was counted."""
    return f"{100 * part / total:.1f} %" if total else "-"


def _sum(results: Results, name: str) -> int:
    return sum(int(getattr(result, name)) for result in results)
