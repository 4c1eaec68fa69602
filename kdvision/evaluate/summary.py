"""Rows of an evaluation, and the tables they add up to."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from math import sqrt
from typing import Final, cast


@dataclass(frozen=True)
class Row:
    """One photo: `squares` true squares with a tile, of which `before` deciding and `after` so many were right.

    Squares that were invented are subtracted. `silent`: something is wrong and nothing was said. `way` and `severity`
    say how the photo was spoiled.
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


def as_csv(rows: Iterable[Row]) -> str:
    """The rows as a table for other programs, yes and no as 1 and 0."""
    out = io.StringIO()
    writer = csv.DictWriter(out, [field.name for field in fields(Row)], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _plain(value) for name, value in asdict(row).items()})
    return out.getvalue()


def _plain(value: object) -> object:
    if isinstance(value, bool):
        return int(value)
    return f"{value:.4g}" if isinstance(value, float) else value


def rows_of(text: str) -> list[Row]:
    """The rows that `as_csv` wrote; raises ValueError where the columns are others."""
    table = csv.DictReader(io.StringIO(text))
    names = [field.name for field in fields(Row)]
    if table.fieldnames is None or list(table.fieldnames) != names:
        raise ValueError(f"an evaluation has the columns {', '.join(names)}, not {table.fieldnames}")
    readers: dict[str, Callable[[str], object]] = {
        field.name: _yes if field.type is bool else cast("Callable[[str], object]", field.type) for field in fields(Row)
    }
    return [Row(**{name: readers[name](value) for name, value in row.items()}) for row in table]  # type: ignore[arg-type]


def _yes(word: str) -> bool:
    return word == "1"


Column = tuple[str, Callable[[Sequence[Row]], str]]

COLUMNS: Final[tuple[Column, ...]] = (
    ("photos", lambda rows: str(len(rows))),
    ("kingdoms found", lambda rows: f"{_sum(rows, 'found')} of {_sum(rows, 'kingdoms')}"),
    ("invented", lambda rows: str(_sum(rows, "invented"))),
    ("shape right", lambda rows: str(_sum(rows, "shape"))),
    ("squares before", lambda rows: _share(_sum(rows, "before"), _sum(rows, "squares"))),
    ("after", lambda rows: _share(_sum(rows, "after"), _sum(rows, "squares"))),
    ("exact", lambda rows: str(_sum(rows, "exact"))),
    ("points exact", lambda rows: str(_sum(rows, "points_exact"))),
    ("flagged", lambda rows: str(_sum(rows, "review"))),
    ("needlessly", lambda rows: str(sum(row.review and row.exact for row in rows))),
    ("wrong, no warning", lambda rows: str(_sum(rows, "silent"))),
    ("not upright", lambda rows: str(sum(not row.upright for row in rows))),
    ("median s", lambda rows: f"{sorted(row.seconds for row in rows)[len(rows) // 2]:.2f}"),
)


def by_room(rows: Sequence[Row]) -> str:
    """A line for each room and one for all."""
    rooms = dict.fromkeys(row.room for row in rows)
    parts = [(room, [row for row in rows if row.room == room]) for room in rooms]
    return _table("room", [*parts, ("all", list(rows))], COLUMNS)


def by_way(rows: Sequence[Row]) -> str:
    """A line for each way and severity of spoiling, and one for all."""
    hard = dict.fromkeys((row.way, row.severity) for row in rows)
    parts = [(f"{way} {s}", [row for row in rows if (row.way, row.severity) == (way, s)]) for way, s in hard]
    return _table("photos made hard", [*parts, ("all", list(rows))], COLUMNS)


def _table(title: str, parts: Sequence[tuple[str, Sequence[Row]]], columns: Sequence[Column]) -> str:
    head = (title, *(name for name, _ in columns))
    return aligned([head, *((name, *(of(rows) for _, of in columns)) for name, rows in parts)])


def aligned(lines: Sequence[Sequence[str]]) -> str:
    """Lines of words in columns two blanks apart: the first column to the left, the others to the right."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join(
        "  ".join(word.ljust(width) if not place else word.rjust(width) for place, (word, width) in enumerate(cells))
        for cells in (list(zip(line, widths, strict=True)) for line in lines)
    )


def interval(hits: int, of: int, *, z: float = 1.96) -> tuple[float, float]:
    """The 95 % confidence interval of a share (Wilson 1927); all that can be where nothing was counted."""
    if not of:
        return 0.0, 1.0
    share, spread = hits / of, z * z / of
    middle = (share + spread / 2) / (1 + spread)
    reach = z / (1 + spread) * sqrt(share * (1 - share) / of + spread / (4 * of))
    return max(0.0, middle - reach), min(1.0, middle + reach)


def _sum(rows: Sequence[Row], name: str) -> int:
    return sum(int(getattr(row, name)) for row in rows)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"
