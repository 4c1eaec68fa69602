"""The outcome of an event, and the files that a run writes: CSV tables, the report and the records."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from kdvision.batch.corrections import CorrectionFile, PhotoCorrections, apply_boards, apply_squares
from kdvision.batch.event import Event
from kdvision.batch.folder import Failure
from kdvision.batch.job import result_key
from kdvision.batch.joint import TableCache, decide_tables
from kdvision.batch.naming import photo_key
from kdvision.batch.notices import find_unmatched
from kdvision.batch.pages import make_page
from kdvision.batch.record import PhotoRecord
from kdvision.batch.review import ReviewItem, list_review_items
from kdvision.batch.rules import Rules
from kdvision.batch.seating import KingdomResult, PhotoResult, assign_seats, find_copies
from kdvision.batch.standings import EventStandings, Ranking, StandingRow
from kdvision.batch.storage import REPORT, Data, ResultFolder
from kdvision.report.page import render_page
from kdvision.text import format_csv

Columns: TypeAlias = Mapping[str, Callable[[Any], object]]
"""The columns of a CSV table: each name with the function that gives the cell of a row."""


def _yes(value: bool) -> str:
    return "yes" if value else "no"


RESULT_COLUMNS: Final[Columns] = {
    "photo": lambda one: one.photo,
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
    "picture": lambda one: one.picture,
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
    """All that follows from the records, the event file and the corrections.

    `records` are sorted; `corrections`, `counted` (kingdoms and standing after corrections) and `copies` are by photo.
    """

    event: Event
    records: tuple[PhotoRecord, ...]
    corrections: Mapping[str, PhotoCorrections]
    counted: Mapping[str, Data]
    copies: Mapping[str, str]
    photos: tuple[PhotoResult, ...]
    standings: EventStandings
    review_items: tuple[ReviewItem, ...]
    failures: tuple[Failure, ...]

    @property
    def kingdoms(self) -> tuple[KingdomResult, ...]:
        """All kingdoms, also those that do not count."""
        return self.standings.seating.kingdoms

    def lines(self) -> Iterator[dict[str, Any]]:
        """Yield the line of each photo."""
        for one in self.records:
            yield one.line(
                seat=self.event.seat(one.photo),
                corrections=self.corrections[one.photo],
                counted=self.counted.get(one.photo),
                same_as=self.copies.get(one.photo),
            )


@dataclass(frozen=True)
class RunSummary:
    """What a run came to: the numbers of photos and of kingdoms that count, failures, review items and rankings."""

    photos: int
    kingdoms: int
    failures: tuple[Failure, ...]
    review_items: tuple[ReviewItem, ...]
    rankings: tuple[Ranking, ...]


def evaluate_event(
    event: Event,
    records: Iterable[PhotoRecord],
    corrections: CorrectionFile,
    failures: Iterable[Failure] = (),
    cache: TableCache | None = None,
) -> EventOutcome:
    """The outcome of an event: apply corrections, assign seats, decide tables jointly, rank, and list review items."""
    ordered = tuple(sorted(records, key=lambda one: photo_key(one.photo)))
    of_photo = {one.photo: corrections.of_photo(one.photo, one.content) for one in ordered}
    counted = {
        one.photo: _apply_corrections(one, of_photo[one.photo], event.rules)
        for one in ordered
        if of_photo[one.photo].corrections
    }
    present = [one for one in ordered if not one.gone]
    readable = [one for one in present if one.photo in counted or one.reading.error is None]
    copies = find_copies((one.photo, one.content) for one in readable)
    photos = tuple(_photo_result(one, event, counted.get(one.photo), of_photo[one.photo]) for one in present)
    seating = assign_seats(photos, copies, event)
    seating = replace(seating, notices=(*seating.notices, *find_unmatched(event, ordered, corrections)))
    kingdoms = decide_tables(EventStandings(seating, event), cache or TableCache())
    standings = EventStandings(replace(seating, kingdoms=kingdoms), event)
    confirmed = {(photo, number): str(board) for photo, own in of_photo.items() for number, board in own.boards.items()}
    unread = [
        Failure(photo.photo, photo.error, one.reading.score["hint"] or "")
        for one, photo in zip(present, photos, strict=True)
        if photo.error is not None
    ]
    return EventOutcome(
        *(event, ordered, of_photo, counted, copies, photos, standings),
        review_items=tuple(list_review_items(standings, confirmed)),
        failures=tuple(sorted({*unread, *failures}, key=lambda failure: photo_key(failure.name))),
    )


def write_outputs(folder: ResultFolder, outcome: EventOutcome) -> RunSummary:
    """Write the CSV tables, the report and the pictures. The same photos give the same files."""
    rankings = tuple(outcome.standings.rankings())
    standing_rows: list[tuple[Ranking, StandingRow]] = [(ranking, row) for ranking in rankings for row in ranking.rows]
    tables: tuple[tuple[str, Columns, Iterable[object]], ...] = (
        ("results.csv", RESULT_COLUMNS, outcome.kingdoms),
        ("standings.csv", STANDING_COLUMNS, standing_rows),
        ("review.csv", REVIEW_COLUMNS, outcome.review_items),
        ("errors.csv", ERROR_COLUMNS, outcome.failures),
    )
    for name, columns, rows in tables:
        folder.write(name, format_csv(list(columns), ([cell(row) for cell in columns.values()] for row in rows)))
    content = make_page(folder, outcome.standings, rankings, outcome.review_items, outcome.failures)
    folder.write(REPORT, render_page(content))
    folder.remove_other_pictures(reading.picture for one in outcome.records for reading in one.readings)
    kingdoms = len(outcome.standings.seating.counting)
    return RunSummary(len(outcome.photos), kingdoms, outcome.failures, outcome.review_items, rankings)


def _photo_result(record: PhotoRecord, event: Event, counted: Data | None, own: PhotoCorrections) -> PhotoResult:
    shown = record.again if counted is not None and record.again is not None else record.reading
    return PhotoResult(
        photo=record.photo,
        seat=event.seat(record.photo),
        kingdoms=record.reading.kingdoms if counted is None else counted["kingdoms"],
        kingdoms_read=record.reading.kingdoms,
        error=record.reading.error if counted is None else None,
        picture=shown.picture or record.reading.picture,
        width=record.reading.score["width"],
        observations=shown.seen,
        corrected=own.kingdoms,
    )


def _apply_corrections(record: PhotoRecord, own: PhotoCorrections, rules: Rules) -> Data:
    """The kingdoms and the standing of a photo after corrections.

    If the photo was not read again with the fixed squares (it may be gone), they are changed on the boards as read.
    """
    again, key = record.again, result_key(record.content, rules, own.fixed_squares)
    if again is not None and again.key == key and again.error is None:
        kingdoms = again.kingdoms
    else:
        kingdoms = apply_squares(record.reading.kingdoms, own.fixed_squares, rules)
    return apply_boards(kingdoms, own.boards, rules)
