"""The outcome of an event, and the files that a run writes: the records, CSV tables and the report."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, TypeAlias

from kdvision.batch.event import Event
from kdvision.batch.impact import list_board_items
from kdvision.batch.joint import TableCache, decide_tables
from kdvision.batch.kingdoms import KingdomResult, assign_seats
from kdvision.batch.photos import Failure, photo_key
from kdvision.batch.reading.job import result_key
from kdvision.batch.review import Impact, ReviewItem, find_unmatched, list_seating_items
from kdvision.batch.rules import Rules
from kdvision.batch.standings import EventStandings, Ranking
from kdvision.batch.store.corrections import CorrectionFile, PhotoCorrections, apply_boards, change_squares
from kdvision.batch.store.folder import REPORT, RESULTS, Data, ResultFolder, encode_line
from kdvision.batch.store.record import PhotoRecord, PhotoResult
from kdvision.text import format_csv

Columns: TypeAlias = Mapping[str, Callable[[Any], object]]
"""The columns of a CSV table: each name with the function that gives the cell of a row."""


def _yes(value: bool) -> str:
    return "yes" if value else "no"


RESULT_COLUMNS: Final[Columns] = {
    "photo": lambda one: one.photo.name,
    "kingdom": lambda one: one.number,
    "round": lambda one: one.round,
    "table": lambda one: one.table,
    "player": lambda one: one.player,
    "counts": lambda one: _yes(one.counts),
    "points": lambda one: one.data["points"],
    "total": lambda one: one.data["total"],
    "total_read": lambda one: one.data_read and one.data_read["total"],
    "corrected": lambda one: _yes(one.is_corrected),
    "review": lambda one: _yes(one.data["review"]),
    "probability": lambda one: one.data["probability"],
    "largest": lambda one: one.data["largest"],
    "crowns": lambda one: one.data["crowns"],
    "board": lambda one: " / ".join(one.data["board"]),
    "board_read": lambda one: one.data_read and " / ".join(one.data_read["board"]),
    "picture": lambda one: one.photo.picture,
}
"""A row for each `KingdomResult`."""

STANDING_COLUMNS: Final[Columns] = {
    "standing": lambda pair: pair[0].level.value,
    "round": lambda pair: pair[0].round or None,
    "table": lambda pair: pair[0].table or None,
    "place": lambda pair: pair[1].place,
    "player": lambda pair: pair[1].player,
    "points": lambda pair: pair[1].points,
    "by_round": lambda pair: " + ".join("-" if points is None else str(points) for points in pair[1].by_round),
    "largest": lambda pair: pair[1].largest,
    "crowns": lambda pair: pair[1].crowns,
    "why": lambda pair: pair[1].why,
    "note": lambda pair: pair[1].note,
}
"""A row for each `Ranking` and `StandingRow` in it."""

REVIEW_COLUMNS: Final[Columns] = {
    "changes": lambda item: item.changes,
    "photo": lambda item: item.spot.photo,
    "kingdom": lambda item: item.spot.kingdom or None,
    "round": lambda item: item.spot.round or None,
    "table": lambda item: item.spot.table,
    "player": lambda item: item.spot.player,
    "points": lambda item: item.points,
    "why": lambda item: item.why,
    "advice": lambda item: item.advice,
    "fix": lambda item: " ".join(item.fixes),
}
"""A row for each `ReviewItem`."""

ERROR_COLUMNS: Final[Columns] = {
    "file": lambda failure: failure.name,
    "reason": lambda failure: failure.reason,
    "advice": lambda failure: failure.advice,
}
"""A row for each `Failure`."""


@dataclass(frozen=True)
class EventOutcome:
    """All that follows from the records, the event file and the corrections. `photos` are sorted, with those gone."""

    photos: tuple[PhotoResult, ...]
    standings: EventStandings
    review_items: tuple[ReviewItem, ...]
    failures: tuple[Failure, ...]

    @property
    def photo_count(self) -> int:
        """How many photos are in the folder."""
        return sum(not one.record.gone for one in self.photos)

    @property
    def kingdoms(self) -> tuple[KingdomResult, ...]:
        """All kingdoms, also those that do not count."""
        return self.standings.seating.kingdoms

    @property
    def decisive_items(self) -> list[ReviewItem]:
        """The review items that may change something, as far as is known."""
        return [item for item in self.review_items if item.impact > Impact.NOTHING]

    @cached_property
    def rankings(self) -> list[Ranking]:
        """All rankings, the widest first."""
        return self.standings.rankings()

    def lines(self) -> Iterator[dict[str, Any]]:
        """Yield the line of each photo."""
        copies = self.standings.seating.copies
        for one in self.photos:
            yield one.line(same_as=copies[one.name].name if one.name in copies else None)


def evaluate_event(
    event: Event,
    records: Iterable[PhotoRecord],
    corrections: CorrectionFile,
    failures: Iterable[Failure] = (),
    cache: TableCache | None = None,
) -> EventOutcome:
    """The outcome of an event: apply corrections, assign seats, decide tables jointly, rank, and list review items."""
    ordered = sorted(records, key=lambda one: photo_key(one.photo))
    photos = tuple(_apply_corrections(one, event, corrections.of_photo(one.photo, one.content)) for one in ordered)
    present = [one for one in photos if not one.record.gone]
    seating = assign_seats(present, event)
    items = [*list_seating_items(seating, event), *find_unmatched(event, photos, corrections)]
    kingdoms = decide_tables(EventStandings(seating, event), cache or TableCache())
    standings = EventStandings(replace(seating, kingdoms=kingdoms), event)
    unread = [
        Failure(one.name, one.error, one.record.reading.score["hint"] or "") for one in present if one.error is not None
    ]
    return EventOutcome(
        photos,
        standings,
        review_items=tuple(sorted([*items, *list_board_items(standings)], key=lambda item: item.order)),
        failures=tuple(sorted({*unread, *failures}, key=lambda failure: photo_key(failure.name))),
    )


def write_outcome(folder: ResultFolder, outcome: EventOutcome) -> None:
    """Write the records, the CSV tables and the report. The same photos give the same files."""
    from kdvision.batch.page import render_page

    folder.write(RESULTS, b"".join(map(encode_line, outcome.lines())))
    tables: tuple[tuple[str, Columns, Iterable[object]], ...] = (
        ("results.csv", RESULT_COLUMNS, outcome.kingdoms),
        ("standings.csv", STANDING_COLUMNS, [(one, row) for one in outcome.rankings for row in one.rows]),
        ("review.csv", REVIEW_COLUMNS, outcome.review_items),
        ("errors.csv", ERROR_COLUMNS, outcome.failures),
    )
    for name, columns, rows in tables:
        folder.write(name, format_csv(list(columns), ([cell(row) for cell in columns.values()] for row in rows)))
    folder.write(REPORT, render_page(outcome, folder.path))
    folder.remove_other_pictures(reading.picture for one in outcome.photos for reading in one.record.readings)


def _apply_corrections(record: PhotoRecord, event: Event, own: PhotoCorrections) -> PhotoResult:
    rules = event.photo_rules(record.photo)
    counted = _count_corrected(record, own, rules) if own.corrections else None
    return PhotoResult(record, event.seat(record.photo), own, counted, rules)


def _count_corrected(record: PhotoRecord, own: PhotoCorrections, rules: Rules) -> Data:
    """The kingdoms and the standing of a photo after corrections.

    If the photo was not read again with the fixed squares (it may be gone), they are changed on the boards as read.
    """
    again, key = record.again, result_key(record.content, rules, own.fixed_squares)
    boards = dict(own.boards)
    if again is not None and again.key == key and again.error is None:
        kingdoms = again.kingdoms
    else:
        kingdoms = record.reading.kingdoms
        boards = change_squares(kingdoms, own.fixed_squares) | boards
    return apply_boards(kingdoms, boards, rules)
