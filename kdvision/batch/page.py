"""The report of a whole event as one self-contained HTML page.

It has the standings, what to review, and every kingdom with the rulebook clause of each line. Pictures are embedded, so
it opens from a disk and prints.
"""

import base64
import io
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Final

import numpy as np
from PIL import Image

from kdvision.batch.kingdoms import KingdomResult
from kdvision.batch.outcome import EventOutcome
from kdvision.batch.photos import make_name_key
from kdvision.batch.standings import RESCORED_NOTE
from kdvision.game.board import Square, Terrain
from kdvision.game.rules import load_clauses
from kdvision.report.result import ScoredKingdom
from kdvision.report.table import format_sizes
from kdvision.report.to_dict import kingdom_to_dict
from kdvision.text import capitalise, count_noun, replace_controls

TERRAIN_NAMES: Final = {terrain.value: str(terrain) for terrain in Terrain}

MIN_WIDE_ROWS: Final = 11
"""A ranking with this many rows takes the full width of the page."""

THUMBNAIL_PIXELS: Final = 288
"""Longer side: crowns are visible, and a page of four hundred kingdoms stays below ten megabytes."""

THUMBNAIL_MARGIN: Final = 0.06
"""Margin around a kingdom, as a share of its longer side."""


def render_page(outcome: EventOutcome, folder: Path) -> str:
    """Return the HTML of the page, with pictures from the result folder."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True,
        finalize=lambda value: replace_controls(value) if type(value) is str else value,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["capitalise"] = capitalise
    template = environment.from_string(files(__package__).joinpath("page.html.jinja").read_text(encoding="utf-8"))
    values = {"clauses": load_clauses(), "min_wide_rows": MIN_WIDE_ROWS, "make_name_key": make_name_key}
    return template.render(page=ReportPage(outcome, folder), **values)


class ReportPage:
    """What the template shows of an outcome."""

    def __init__(self, outcome: EventOutcome, folder: Path) -> None:
        self.outcome, self.folder, self.rankings = outcome, folder, outcome.standings.rankings
        self.standings = standings = outcome.standings
        self.kingdoms = tuple(map(self._score_by_game, standings.kingdoms))
        self.title = standings.event.name or "Kingdomino"
        self.rounds = sorted({kingdom.round for kingdom in self.kingdoms})
        self.tables = list(dict.fromkeys(kingdom.table for kingdom in self.kingdoms if kingdom.table))
        self.anchors = {kingdom.id: f"k{number}" for number, kingdom in enumerate(self.kingdoms, start=1)}
        self.player_anchors = {
            (kingdom.round, make_name_key(kingdom.label)): self.anchors[kingdom.id]
            for kingdom in standings.counted_kingdoms
        }
        self.reasons = defaultdict[tuple[str, int], list[str]](list)
        for item in outcome.review_items:
            if item.kingdom is not None:
                self.reasons[item.kingdom.id].append(item.why)
        used_clauses = {line["clause"] for kingdom in self.kingdoms for line in kingdom.data["lines"] if line["points"]}
        sorted_clauses = (clause for clause in load_clauses() if clause in used_clauses)
        self.footnotes = {clause: number for number, clause in enumerate(sorted_clauses, start=1)}
        """The number of each rulebook clause that earned points, in the order of the books."""

    def _score_by_game(self, kingdom: KingdomResult) -> KingdomResult:
        """Return the kingdom with the lines and the total that count in its game."""
        if kingdom.id not in self.standings.rescored_ids:
            return kingdom
        entry = ScoredKingdom(kingdom.kingdom, self.standings.get_rule_set(kingdom))
        new_data = {name: value for name, value in kingdom_to_dict(entry).items() if name in ("lines", "total")}
        return replace(kingdom, data={**kingdom.data, **new_data})

    @property
    def rules(self) -> str:
        """The rules in a sentence."""
        event = self.standings.event
        name = event.rules.choose_photo_rule_set(kingdom.board for kingdom in self.standings.counted_kingdoms).name
        return f"Scored by {name}{'; a Dynasty: the points of three rounds decide' if event.dynasty else ''}."

    @property
    def summary(self) -> str:
        """The numbers of kingdoms, tables, rounds, failures and review items."""
        failures, items = len(self.outcome.failures), len(self.outcome.decisive_items)
        tables, rounds = len(self.standings.games), len(self.standings.rounds)
        counts = [count_noun(len(self.standings.counted_kingdoms), "kingdom")]
        counts += [f"{tables} tables"] * (tables > 1) + [f"{rounds} rounds"] * (rounds > 1)
        counts += [f"{failures} failed"] * (failures > 0) + [f"{items} to review"] * (items > 0)
        return " · ".join(counts)

    def list_notes(self, kingdom: KingdomResult) -> list[str]:
        """Return sentences about a kingdom: why it is to be reviewed, and what was read."""
        notes = [*map(capitalise, self.reasons.get(kingdom.id, ()))]
        notes += [capitalise(RESCORED_NOTE)] * (kingdom.id in self.standings.rescored_ids)
        if kingdom.data_read is None:
            return [*notes, "Added by hand"]
        points_read = count_noun(kingdom.data_read["total"], "point")
        notes += [f"Read as {points_read}"] * kingdom.is_corrected
        return notes + [f"Read from its photo alone as {points_read}"] * kingdom.changed_by_table

    def list_cells(self, kingdom: KingdomResult) -> list[list[tuple[str, str, bool]]]:
        """Return the rows of the board: for each square its notation, its terrain's name and whether it is doubtful."""
        doubted_squares = {doubt["square"] for doubt in kingdom.data["doubts"]}
        return [
            [
                (word, TERRAIN_NAMES.get(word[0], "none"), Square(row, col).name in doubted_squares)
                for col, word in enumerate(words.split())
            ]
            for row, words in enumerate(kingdom.data["board"])
        ]

    def describe_sizes_without_points(self, kingdom: KingdomResult) -> str:
        """Return the sizes of the territories without points, such as "wheat 2+1, lake 1"."""
        lines = (line for line in kingdom.data["lines"] if line["terrain"] and not line["points"])
        return format_sizes((TERRAIN_NAMES[line["terrain"]], len(line["squares"])) for line in lines)

    def load_thumbnail(self, kingdom: KingdomResult) -> str | None:
        """Return a `data:` address with the small picture of a kingdom; None if the picture is missing or damaged."""
        photo = kingdom.photo
        if photo.picture is None or photo.reading.width is None:
            return None
        path, corners = self.folder / photo.picture, tuple(map(tuple, kingdom.data["corners"] or ()))
        try:
            return _make_thumbnail(path, path.stat().st_mtime_ns, corners, photo.reading.width)
        except OSError:
            return None


@lru_cache(maxsize=4096)  # `--watch` writes the report again and again
def _make_thumbnail(path: Path, _version: int, corners: Sequence[Sequence[float]], photo_width: int) -> str:
    """Return a `data:` address with the part of a JPEG that shows a kingdom, or with all of it without corners.

    `corners` are pixels (x, y) of the original photo, which is `photo_width` pixels wide; the JPEG may be smaller.
    """
    with Image.open(path) as image:
        width, height = image.size
        left, top, right, bottom = 0.0, 0.0, float(width), float(height)
        if corners:
            xs, ys = np.array(corners).T * (width / photo_width)
            margin = THUMBNAIL_MARGIN * max(np.ptp(xs), np.ptp(ys))
            left, top = max(0.0, xs.min() - margin), max(0.0, ys.min() - 2 * margin)  # the total is drawn above it
            right = max(min(right, xs.max() + margin), left + 1)
            bottom = max(min(bottom, ys.max() + margin), top + 1)
        # Decode the JPEG at the smallest scale that is large enough.
        scale = THUMBNAIL_PIXELS / max(right - left, bottom - top)
        image.draft("RGB", (round(width * scale), round(height * scale)))
        scale = image.width / width
        thumbnail = image.crop((round(left * scale), round(top * scale), round(right * scale), round(bottom * scale)))
    thumbnail.thumbnail((THUMBNAIL_PIXELS, THUMBNAIL_PIXELS), Image.Resampling.BOX)
    out = io.BytesIO()
    thumbnail.convert("RGB").save(out, "WEBP", quality=55, method=1)  # method 6 takes three times as long
    return f"data:image/webp;base64,{base64.b64encode(out.getvalue()).decode()}"
