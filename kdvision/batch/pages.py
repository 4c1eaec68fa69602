"""The content of the report page: standings, review items, every kingdom, and failures."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final
from urllib.parse import quote

from kdvision.batch.folder import Failure
from kdvision.batch.naming import name_key
from kdvision.batch.review import ReviewItem, select_with_impact
from kdvision.batch.seating import KingdomResult
from kdvision.batch.standings import EventStandings, Level, Ranking
from kdvision.batch.storage import ResultFolder
from kdvision.report.page import Page, PageKingdom, PageRanking, PageReviewItem, PageRow, make_thumbnail

MIN_WIDE_ROWS: Final = 11
"""A ranking with this many rows takes the full width of the page."""


def make_page(
    folder: ResultFolder,
    standings: EventStandings,
    rankings: Sequence[Ranking],
    items: Sequence[ReviewItem],
    failures: Sequence[Failure],
) -> Page:
    """The content of the page, with pictures from the result folder."""
    kingdoms, counting = standings.seating.kingdoms, standings.seating.counting
    anchors = {one.id: f"k{number}" for number, one in enumerate(kingdoms, start=1)}
    player_anchors = {(one.round, name_key(one.label)): anchors[one.id] for one in counting}
    items_by_kingdom = {item.kingdom.id: item for item in items if item.kingdom is not None}
    shown = select_with_impact(items)
    return Page(
        title=standings.event.name or "Kingdomino",
        rules=_describe_rules(standings),
        summary=_summarise(standings, len(shown), len(failures)),
        rankings=tuple(_page_ranking(ranking, player_anchors) for ranking in rankings),
        review_items=tuple(_page_item(item, anchors) for item in shown),
        others=len(items) - len(shown),
        kingdoms=tuple(_page_kingdom(folder, one, anchors[one.id], items_by_kingdom.get(one.id)) for one in kingdoms),
        failures=tuple((failure.name, failure.reason, failure.advice) for failure in failures),
    )


def _describe_rules(standings: EventStandings) -> str:
    rules = standings.event.rules.rule_set(one.board for one in standings.seating.counting)
    dynasty = "; a Dynasty: the points of three rounds decide" if standings.event.dynasty else ""
    return f"Scored by {rules.name}{dynasty}."


def _summarise(standings: EventStandings, items: int, failures: int) -> str:
    kingdoms, tables, rounds = len(standings.seating.counting), len(standings.games), len(standings.rounds)
    parts = [f"{kingdoms} kingdom{'s' * (kingdoms != 1)}"]
    parts += [f"{tables} tables"] * (tables > 1) + [f"{rounds} rounds"] * (rounds > 1)
    parts += [f"{failures} failed"] * (failures > 0) + [f"{items} to review"] * (items > 0)
    return " · ".join(parts)


def _page_ranking(ranking: Ranking, anchors: Mapping[tuple[int, str], str]) -> PageRanking:
    rows = tuple(
        PageRow(
            *(row.place, row.player, row.points, row.by_round, row.why, row.note),
            anchor=anchors.get((ranking.round, name_key(row.player))),
        )
        for row in ranking.rows
    )
    is_wide = ranking.level in (Level.TOTAL, Level.TEAM) or len(rows) >= MIN_WIDE_ROWS
    return PageRanking(ranking.title, ranking.verdict, rows, is_wide, ranking.round, ranking.table)


def _page_item(item: ReviewItem, anchors: Mapping[tuple[str, int], str]) -> PageReviewItem:
    spot = item.spot
    parts = (spot.photo, f"round {spot.round}" if spot.round else "", f"table {spot.table}" if spot.table else "")
    where = ", ".join(part for part in parts if part)
    anchor = anchors.get((spot.photo, spot.kingdom or 1))
    return PageReviewItem(item.changes, where, spot.player, item.why, item.advice, item.impact, anchor)


def _page_kingdom(folder: ResultFolder, kingdom: KingdomResult, anchor: str, item: ReviewItem | None) -> PageKingdom:
    read = kingdom.data_read
    notes = [item.why[:1].upper() + item.why[1:]] if item is not None else []
    if kingdom.is_corrected:
        notes.append("Added by hand" if read is None else f"Read as {read['total']} points")
    if kingdom.changed_by_table and read is not None:
        notes.append(f"By its photo alone {read['total']} points")
    return PageKingdom(
        anchor=anchor,
        player=kingdom.label,
        photo=kingdom.photo,
        number=kingdom.number,
        round=kingdom.round,
        table=kingdom.table,
        data=kingdom.data,
        read=read,
        counts=kingdom.counts,
        corrected=kingdom.is_corrected,
        review=item is not None,
        notes=tuple(notes),
        thumb=_make_thumb(folder, kingdom),
        picture=None if kingdom.picture is None else quote(kingdom.picture),
    )


def _make_thumb(folder: ResultFolder, kingdom: KingdomResult) -> str | None:
    """The small picture of a kingdom, None if it cannot be made."""
    if kingdom.picture is None or kingdom.width is None:
        return None
    path = folder.path / kingdom.picture
    corners = tuple(tuple(corner) for corner in kingdom.data["corners"] or ())
    try:
        return _load_thumb(path, path.stat().st_mtime_ns, corners, kingdom.width)
    except OSError:  # the report is complete without a picture that is missing or damaged
        return None


@lru_cache(maxsize=4096)
def _load_thumb(path: Path, _modified: int, corners: tuple[tuple[float, ...], ...], width: int) -> str:
    """The small picture. Cached, because `--watch` writes the report again and again."""
    return make_thumbnail(path.read_bytes(), corners, width)
