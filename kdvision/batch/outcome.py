"""The outcome of an event, and the files that a run writes: the records, CSV tables and the report."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from kdvision.batch.event import Event, Rules
from kdvision.batch.joint import TableVerdict, decide_tables
from kdvision.batch.kingdoms import KingdomResult, score_typed_board
from kdvision.batch.photos import Failure, make_photo_key
from kdvision.batch.reading.job import hash_inputs
from kdvision.batch.review import Impact, ReviewItem, check_boards, check_seating, check_unmatched
from kdvision.batch.standings import StandingRow, Standings, assign_seats
from kdvision.batch.store.folder import REPORT, RESULTS, TABLE_CACHE, Data, ResultFolder, encode_line
from kdvision.batch.store.record import CorrectionFile, PhotoCorrections, PhotoRecord
from kdvision.game.board import Board, Square, parse_cell
from kdvision.game.legality import Problem
from kdvision.report.doubt_effects import rank_if_known
from kdvision.report.to_dict import problem_to_dict, standing_to_dict
from kdvision.text import format_csv

YES_NO: Final = ("no", "yes")

NOT_READ_AGAIN: Final = Problem(
    (), "the photo was not read again with the corrected squares, so its other squares are as uncertain as before"
)

RESULT_COLUMNS: Final[Mapping[str, Callable[[KingdomResult], object]]] = {
    "photo": lambda kingdom: kingdom.photo.name,
    "kingdom": lambda kingdom: kingdom.number,
    "round": lambda kingdom: kingdom.round,
    "table": lambda kingdom: kingdom.table,
    "player": lambda kingdom: kingdom.player,
    "counts": lambda kingdom: YES_NO[kingdom.counts],
    "points": lambda kingdom: kingdom.data["points"],
    "total": lambda kingdom: kingdom.data["total"],
    "total_read": lambda kingdom: kingdom.data_read and kingdom.data_read["total"],
    "corrected": lambda kingdom: YES_NO[kingdom.is_corrected],
    "review": lambda kingdom: YES_NO[kingdom.needs_review],
    "probability": lambda kingdom: kingdom.data["probability"],
    "largest": lambda kingdom: kingdom.data["largest"],
    "crowns": lambda kingdom: kingdom.data["crowns"],
    "board": lambda kingdom: " / ".join(kingdom.data["board"]),
    "board_read": lambda kingdom: kingdom.data_read and " / ".join(kingdom.data_read["board"]),
    "picture": lambda kingdom: kingdom.photo.picture,
}
"""The columns of results.csv, each with the cell of a kingdom."""

REVIEW_COLUMNS: Final = ("changes", "photo", "kingdom", "round", "table", "player", "points", "why", "advice", "fix")


@dataclass(frozen=True)
class EventOutcome:
    """All that follows from the records, the event file and the corrections.

    `photos` are sorted and include those that are gone. `verdicts` are the joint decisions, stored for the next run.
    """

    photos: tuple[PhotoRecord, ...]
    standings: Standings
    review_items: tuple[ReviewItem, ...]
    failures: tuple[Failure, ...]
    verdicts: Mapping[str, tuple[TableVerdict, ...]]

    @property
    def decisive_items(self) -> list[ReviewItem]:
        """The review items that may change something, as far as is known."""
        return [item for item in self.review_items if item.impact > Impact.NOTHING]


def evaluate_event(
    event: Event,
    records: Iterable[PhotoRecord],
    corrections: CorrectionFile,
    failures: Iterable[Failure] = (),
    verdicts: Data | None = None,
) -> EventOutcome:
    """Apply corrections, assign seats, decide tables jointly, rank and list review items; return the outcome."""
    photos = []
    records = sorted(records, key=lambda record: make_photo_key(record.name))
    records = [replace(record, seat=event.find_seat(record.name)) for record in records]
    fixes_by_photo = corrections.find_for_photos(records)
    for record in records:
        rules = event.find_photo_rules(record.name)
        fixes = fixes_by_photo[record.name]
        data = _correct_photo(record, fixes, rules) if fixes.corrections else None
        photos.append(replace(record, rules=rules, corrections=fixes, corrected_data=data))
    standings = assign_seats(photos, event, corrections.find_unmatched(photos))
    for number, photo in enumerate(photos):
        if not photo.gone:
            count = standings.count_table_kingdoms(photo)
            earlier_count = photo.earlier_table_kingdoms if count < (photo.earlier_table_kingdoms or 0) else None
            photos[number] = replace(photo, table_kingdoms=count, earlier_table_kingdoms=earlier_count)
    items = [*check_seating(standings), *check_unmatched(standings, corrections)]
    standings, new_verdicts = decide_tables(standings, verdicts or {})
    items += check_boards(standings)
    all_failures, typed_failures = {*failures}, set[Failure]()
    for photo in standings.photos:
        if photo.reading.error is not None:
            failure = Failure(photo.name, photo.reading.error, photo.reading.hint or "")
            (all_failures if photo.error is not None else typed_failures).add(failure)
    return EventOutcome(
        tuple(photos),
        standings,
        review_items=tuple(sorted(items, key=lambda item: item.order)),
        failures=(*sorted(all_failures - typed_failures, key=lambda failure: (make_photo_key(failure.name), failure)),),
        verdicts=new_verdicts,
    )


def _correct_photo(record: PhotoRecord, fixes: PhotoCorrections, rules: Rules) -> Data | None:
    """Return the kingdoms and the standing of a photo after corrections; None if it has no kingdom.

    If the photo was not read again with the fixed squares (it may be gone), they are changed on the boards as read.
    """
    reading, boards = record.second_reading, dict(fixes.boards)
    if reading and reading.error is None and reading.key == hash_inputs(record.content, rules, fixes.fixed_squares):
        kingdoms = list(reading.kingdoms)
    else:
        kingdoms = list(record.reading.kingdoms)
        for number, square, cell in fixes.fixed_squares:
            if number <= len(kingdoms):
                board = boards.get(number) or Board.parse(kingdoms[number - 1]["board"])
                boards[number] = board.with_cells({Square.parse(square): parse_cell(cell)})
    for number, board in sorted(boards.items()):
        if number > len(kingdoms) + 1:
            continue  # until the board before it is typed, too
        same_kingdom = slice(number - 1, number)  # empty for one that the photo does not show
        place = {name: old_kingdom[name] for old_kingdom in kingdoms[same_kingdom] for name in ("corners", "place")}
        data = {**score_typed_board(board, number, rules), **place}
        if number not in fixes.boards and kingdoms[number - 1]["review"]:
            old_kingdom, names = kingdoms[number - 1], ("probability", "points_probability")
            probabilities = {name: old_kingdom[name] for name in names if name in old_kingdom}
            data |= {"review": True, **probabilities, "problems": [*data["problems"], problem_to_dict(NOT_READ_AGAIN)]}
        kingdoms[same_kingdom] = [data]
    if not kingdoms:
        return None
    corrected_kingdoms = [
        rules.build_kingdom(Board.parse(kingdom["board"]), number) for number, kingdom in enumerate(kingdoms, start=1)
    ]
    rule_set = rules.choose_photo_rule_set(kingdom.board for kingdom in corrected_kingdoms)
    standing = rank_if_known(corrected_kingdoms, rule_set)
    return {"kingdoms": kingdoms, "standing": standing and standing_to_dict(standing)}


def write_outcome(folder: ResultFolder, outcome: EventOutcome) -> None:
    """Write the records, the CSV tables and the report. The same photos give the same files."""
    from kdvision.batch.page import render_page

    originals = outcome.standings.original_by_copy
    lines = [
        photo.format_json_line(same_as=originals[photo.name].name if photo.name in originals else None)
        for photo in outcome.photos
    ]
    folder.write(RESULTS, b"".join(map(encode_line, lines)))
    contenders, results = outcome.standings.contenders, []
    for kingdom in outcome.standings.kingdoms:
        values = {name: cell(kingdom) for name, cell in RESULT_COLUMNS.items()}
        if kingdom.id in contenders:  # scored by the rules of its game
            values["total"] = contenders[kingdom.id].total
        results.append([*values.values()])
    rankings = [
        [ranking.level, ranking.round or None, ranking.table, *row]
        for ranking in outcome.standings.rankings
        for row in ranking.rows
    ]
    items: list[tuple[object, ...]] = []
    for item in outcome.review_items:
        subject = item.photo, item.number or None, item.round or None, item.table, item.player
        points = item.kingdom and item.kingdom.data["total"]
        items.append((item.changes, *subject, points, item.why, item.advice, " ".join(item.fixes)))
    folder.write("results.csv", format_csv(list(RESULT_COLUMNS), results))
    folder.write("standings.csv", format_csv(["standing", "round", "table", *StandingRow._fields], rankings))
    folder.write("review.csv", format_csv(REVIEW_COLUMNS, items))
    folder.write("errors.csv", format_csv(["file", "reason", "advice"], outcome.failures))
    folder.save_json(TABLE_CACHE, outcome.verdicts)
    folder.write(REPORT, render_page(outcome, folder.path))
    folder.remove_other_pictures(reading.picture for photo in outcome.photos for reading in photo.readings)
