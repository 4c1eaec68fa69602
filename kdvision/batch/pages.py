"""What the report page shows of an event, put together from its kingdoms and standings."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final
from urllib.parse import quote

from kdvision.batch.folder import Failure
from kdvision.batch.naming import key_of
from kdvision.batch.result_folder import Place
from kdvision.batch.review import Look, decisive
from kdvision.batch.seating import Entry
from kdvision.batch.standings import Boardroom, Level, Ranking, Row
from kdvision.report.page import Page, PageKingdom, PageLook, PageRanking, PageRow
from kdvision.report.thumbnail import make_thumbnail

LONG: Final = 10
"""Standings of more rows than that have the page's width for themselves."""


def page_of(
    place: Place, room: Boardroom, rankings: Sequence[Ranking], looks: Sequence[Look], failures: Sequence[Failure]
) -> Page:
    """All that the page shows; pictures come from the folder of results."""
    entries = room.seated.entries
    anchors = {(entry.photo, entry.number): f"k{number}" for number, entry in enumerate(entries, start=1)}
    by_seat = {(entry.round, key_of(entry.label)): anchors[entry.photo, entry.number] for entry in room.seated.counting}
    looked = {(look.spot.photo, look.spot.kingdom): look for look in looks if look.entry is not None}
    return Page(
        title=room.event.name or "Kingdomino",
        rules=_rules(room),
        summary=_summary(room, looks, failures),
        rankings=tuple(_ranking(ranking, by_seat) for ranking in rankings),
        looks=tuple(_look(look, anchors) for look in decisive(looks)),
        others=len(looks) - len(decisive(looks)),
        kingdoms=tuple(
            _kingdom(place, entry, anchors[entry.photo, entry.number], looked.get((entry.photo, entry.number)))
            for entry in entries
        ),
        failures=tuple((failure.name, failure.reason, failure.advice) for failure in failures),
    )


def _rules(room: Boardroom) -> str:
    rules = room.rules.rule_set(entry.board for entry in room.seated.counting)
    dynasty = "a Dynasty: the points of three rounds decide" if room.event.dynasty else ""
    return "; ".join(part for part in (f"Scored by {rules.name}", dynasty) if part) + "."


def _summary(room: Boardroom, looks: Sequence[Look], failures: Sequence[Failure]) -> str:
    count = len(room.seated.counting)
    words = [f"{count} kingdom{'s' * (count != 1)}"]
    if len(room.games) > 1:
        words.append(f"{len(room.games)} tables")
    if len(room.rounds) > 1:
        words.append(f"{len(room.rounds)} rounds")
    if failures:
        words.append(f"{len(failures)} failed")
    if few := decisive(looks):
        words.append(f"{len(few)} to look at")
    return " · ".join(words)


def _ranking(ranking: Ranking, anchors: Mapping[tuple[int, str], str]) -> PageRanking:
    wide = ranking.level in (Level.TOTAL, Level.TEAM) or len(ranking.rows) > LONG
    rows = tuple(_row(row, anchors.get((ranking.round, key_of(row.player)))) for row in ranking.rows)
    return PageRanking(ranking.title, ranking.verdict, rows, wide, ranking.round, ranking.table)


def _row(row: Row, anchor: str | None) -> PageRow:
    return PageRow(row.place, row.player, row.points, row.by_round, row.why, row.note, anchor)


def _look(look: Look, anchors: Mapping[tuple[str, int], str]) -> PageLook:
    spot = look.spot
    parts = (spot.photo, f"round {spot.round}" if spot.round else "", f"table {spot.table}" if spot.table else "")
    where = ", ".join(part for part in parts if part)
    anchor = anchors.get((spot.photo, spot.kingdom or 1))
    return PageLook(look.changes, where, spot.player, look.why, look.advice, look.weight, anchor)


def _kingdom(place: Place, entry: Entry, anchor: str, look: Look | None) -> PageKingdom:
    data = entry.data
    notes = [look.why[:1].upper() + look.why[1:]] if look is not None else []
    if entry.corrected:
        notes.append("Added by hand" if entry.read is None else f"Read as {entry.read['total']} points")
    if entry.settled and entry.read is not None:
        notes.append(f"By its photo alone {entry.read['total']} points")
    return PageKingdom(
        anchor=anchor,
        player=entry.label,
        photo=entry.photo,
        number=entry.number,
        round=entry.round,
        table=entry.table,
        data=data,
        read=entry.read,
        counts=entry.counts,
        corrected=entry.corrected,
        look=look is not None,
        notes=tuple(notes),
        thumb=_thumb(place, entry),
        picture=None if entry.picture is None else quote(entry.picture),
    )


def _thumb(place: Place, entry: Entry) -> str | None:
    """The small picture of a kingdom, None where it cannot be made."""
    if entry.picture is None or entry.width is None:
        return None
    path = place.path / entry.picture
    corners = tuple(tuple(corner) for corner in entry.data["corners"] or ())
    try:
        return _cut(path, path.stat().st_mtime_ns, corners, entry.width)
    except OSError:  # a picture that is gone or damaged is no reason to be without a report
        return None


@lru_cache(maxsize=4096)
def _cut(path: Path, _changed: int, corners: tuple[tuple[float, ...], ...], width: int) -> str:
    """Remembered, because a folder that is watched is reported on again and again."""
    return make_thumbnail(path.read_bytes(), corners, width)
