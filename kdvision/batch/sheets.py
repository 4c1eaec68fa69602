"""The tables that spreadsheets open: results, standings, what to look at, what failed."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Final

from kdvision.batch.folder import Failure
from kdvision.batch.review import Look
from kdvision.batch.seating import Entry
from kdvision.batch.standings import Ranking

RESULTS: Final = (
    "photo",
    "kingdom",
    "round",
    "table",
    "player",
    "counts",
    "points",
    "total",
    "total_read",
    "corrected",
    "review",
    "probability",
    "largest",
    "crowns",
    "board",
    "board_read",
    "picture",
)
STANDINGS: Final = (
    "standing",
    "round",
    "table",
    "place",
    "player",
    "points",
    "by_round",
    "largest",
    "crowns",
    "why",
    "note",
)
REVIEW: Final = (
    "changes",
    "photo",
    "kingdom",
    "round",
    "table",
    "player",
    "points",
    "why",
    "advice",
    "fix",
)
ERRORS: Final = ("file", "reason", "advice")


def results(entries: Iterable[Entry]) -> str:
    """A row for each kingdom of each photo: what counts, and what was read."""
    return _sheet(RESULTS, map(_result, entries))


def standings(rankings: Iterable[Ranking]) -> str:
    """A row for each player in each standing."""
    rows = (
        (
            ranking.level.value,
            ranking.round or None,
            ranking.table or None,
            row.place,
            row.player,
            row.points,
            " + ".join("-" if points is None else str(points) for points in row.by_round),
            row.largest,
            row.crowns,
            row.why,
            row.note,
        )
        for ranking in rankings
        for row in ranking.rows
    )
    return _sheet(STANDINGS, rows)


def review(looks: Iterable[Look]) -> str:
    """A row for each thing to look at, most decisive first."""
    rows = (
        (
            look.changes,
            look.spot.photo,
            look.spot.kingdom or None,
            look.spot.round or None,
            look.spot.table,
            look.spot.player,
            look.points,
            look.why,
            look.advice,
            " ".join(look.fixes),
        )
        for look in looks
    )
    return _sheet(REVIEW, rows)


def errors(failures: Iterable[Failure]) -> str:
    """A row for each file that could not be read."""
    return _sheet(ERRORS, failures)


def _result(entry: Entry) -> Sequence[object]:
    data, read = entry.data, entry.read
    return (
        entry.photo,
        entry.number,
        entry.round,
        entry.table,
        entry.player,
        _yes(entry.counts),
        data["points"],
        data["total"],
        None if read is None else read["total"],
        _yes(entry.corrected),
        _yes(data["review"]),
        data["probability"],
        data["largest"],
        data["crowns"],
        " / ".join(data["board"]),
        None if read is None else " / ".join(read["board"]),
        entry.picture,
    )


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


def _sheet(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()
