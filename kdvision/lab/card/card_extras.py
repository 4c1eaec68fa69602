"""Sections of the model card that are there only where their results are: what each shows, and of which files.

In `models/results/`: `SET-seedN.csv` with photos made hard, `dials-ART.csv`, `without-KINDS.csv` (an evaluation with
a finder whose training left out tables of those kinds), `invented.csv`, `pieces.csv`, `calibration*`, `ablation*`, and
`NAME.svg` for each table that is drawn (`kdvision.lab.card.plots`).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from kdvision.evaluate.summary import Row, interval, rows_of
from kdvision.lab.experiments import dial_rows

MOST_LINES: Final = 60
"""Longer tables are for programs, not for the card."""

Lines = list[dict[str, str]]


@dataclass(frozen=True)
class Extras:
    """Results beside the evaluations: by art, by the kinds of table left out, by name; and which pictures there are."""

    dials: Mapping[str, Sequence[dial_rows.Row]] = field(default_factory=dict)
    without: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    tables: Mapping[str, Lines] = field(default_factory=dict)
    pictures: Sequence[str] = ()

    @classmethod
    def of(cls, results: Path) -> Extras:
        """What lies in the folder of results; raises ValueError for a table of other columns than it should have."""
        text = {path.stem: path.read_text(encoding="utf-8") for path in sorted(results.glob("*.csv"))}
        return cls(
            dials={name: dial_rows.rows_of(words) for name, words in _named(text, "dials-")},
            without={name.replace("-", ", "): rows_of(words) for name, words in _named(text, "without-")},
            tables={
                name: list(csv.DictReader(io.StringIO(words)))
                for name, words in text.items()
                if name.startswith(tuple(TITLES))
            },
            pictures=sorted(path.name for path in results.glob("*.svg")),
        )


def _named(text: Mapping[str, str], start: str) -> Iterator[tuple[str, str]]:
    return ((name.removeprefix(start), words) for name, words in text.items() if name.startswith(start))


def markdown(head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown; None is an empty place."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join('' if word is None else str(word) for word in line)} |" for line in lines)


def stress(sets: Mapping[str, Sequence[Row]], pictures: Sequence[str], seed: int | None) -> Iterator[str]:
    """A table for each set of photos made hard: every way and severity, then all."""
    hard = {name: rows for name, rows in sets.items() if any(row.way for row in rows)}
    if hard:
        yield (
            "## On photos made hard\n\nEvery photo in eight ways at three severities (`kdvision evaluate --stress`): "
            "pictures of which the shape is right, every board exact, something wrong without a warning. Where "
            "the glare lies, and so on, is drawn by a seed: 0, and for what is called again 1, 2 and 3."
        )
    for name, rows in hard.items():
        ways = dict.fromkeys(row.way for row in rows)
        lines = [(way, *_cells([row for row in rows if row.way == way])) for way in ways]
        yield f"### {name}\n\n{markdown(HARD, [*lines, ('all', *_cells(rows))])}"
        yield _share_of(rows)
        yield from _picture(f"{name}-seed{seed}", pictures, "success against severity")


HARD: Final = (
    "made hard by",
    "pictures",
    *(f"{figure} {s}" for figure in ("shape", "exact", "silent") for s in (1, 2, 3)),
)


def _cells(rows: Sequence[Row]) -> Iterator[str]:
    yield str(len(rows))
    for name in ("shape", "exact", "silent"):
        for severity in (1, 2, 3):
            part = [row for row in rows if row.severity == severity]
            yield f"{sum(getattr(row, name) for row in part)} of {len(part)}"


def _share_of(rows: Sequence[Row]) -> str:
    shape, exact, silent = (sum(getattr(row, name) for row in rows) for name in ("shape", "exact", "silent"))
    low, high = interval(shape, len(rows))
    cells = dict.fromkeys((row.way, row.severity) for row in rows)
    shares = [_mean([row.shape for row in rows if (row.way, row.severity) == cell]) for cell in cells]
    return (
        f"Of all {len(rows)} pictures the shape is right on {100 * shape / len(rows):.1f} % "
        f"({100 * low:.1f} to {100 * high:.1f}), on {100 * min(shares):.0f} % in the worst cell; "
        f"exact {exact}, wrong without a warning {silent}."
    )


def _mean(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags)


def dials(extras: Extras) -> Iterator[str]:
    """The headlines, the tables of all dials, and their plot, for each art."""
    if extras.dials:
        yield DIALS_HEAD
    for art, rows in extras.dials.items():
        yield f"### Real dominoes ({art}), which were trained on" if art != "drawn" else DRAWN
        for title, parts in dial_rows.tables(rows):
            lines = [(name, *dial_rows.words_of(found)) for name, found in parts]
            yield markdown((title, *dial_rows.COLUMNS), lines)
        yield from _picture(f"dials-{art}", extras.pictures, "success against every dial")


DRAWN: Final = "### Drawn dominoes, of boxes not trained on"
DIALS_HEAD: Final = """\
## On rendered scenes, dial by dial

Scenes that training never used: other tables (`kdvision.lab.render.objects.held_out_tops`) and, where it says so, other dominoes. One dial
is turned while the others stay in the middle, except where every dial is turned at once: there squares have 24 to 96
pixels, and one to four kingdoms lie on the table. A kingdom counts as found where at least half of its squares are, as
exactly outlined where every square with a tile is read as one and no other is. Shares are of all kingdoms, with 95 %
intervals (Wilson). Given without a warning are those that the program asks nobody about; at 99.5 % right it could give
so many, the most probable first, whatever it asks about. `python -m kdvision.lab.experiments.dials` measures it, with
`--scenes 3 --anything 300` for what stands here, and with `--art scans --dials anything --anything 150`."""


def without(extras: Extras, shipped: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    """By room, what a finder reads that saw no table of some kinds, beside the shipped one on the same photos."""
    if not extras.without:
        return
    known = {(row.room, row.photo): row for rows in shipped.values() for row in rows if not row.way}
    yield WITHOUT_HEAD
    lines = []
    for kinds, rows in extras.without.items():
        for room in dict.fromkeys(row.room for row in rows):
            mine = [row for row in rows if row.room == room]
            same = [known[row.room, row.photo] for row in mine if (row.room, row.photo) in known]
            lines.append((kinds, room, len(mine), *(f"{of(mine)} ({of(same)})" for of in _TRANSFER.values())))
    yield markdown(("left out", "room", "photos", *_TRANSFER), lines)


_TRANSFER: Final[Mapping[str, Callable[[Sequence[Row]], int]]] = {
    "kingdoms found": lambda rows: sum(row.found for row in rows),
    "shape right": lambda rows: sum(row.shape for row in rows),
    "exact": lambda rows: sum(row.exact for row in rows),
    "wrong, no warning": lambda rows: sum(row.silent for row in rows),
}
WITHOUT_HEAD: Final = """\
## In rooms of a kind not trained on

A finder trained on tables without some kinds (`kdvision.lab.train.train --without`), beside the shipped cell network; in
brackets the shipped finder on the same photos. What counts is the line of a room whose table is of a kind left out."""


def others(extras: Extras) -> Iterator[str]:
    """Calibration, ablations and what was invented where nothing lies: their pictures, and short tables as they are."""
    for start, title in TITLES.items():
        tables = [(name, lines) for name, lines in extras.tables.items() if name.startswith(start)]
        drawn = [name for name in extras.pictures if name.startswith(start)]
        if not tables and not drawn:
            continue
        yield title
        for name, lines in tables:
            if start in SUMMED:
                yield from SUMMED[start](lines)
            elif lines and len(lines) <= MOST_LINES:
                yield f"### {name.removeprefix(start).strip('-').replace('-', ' ') or start}".rstrip()
                yield markdown(list(lines[0]), [list(line.values()) for line in lines])
        for name in drawn:
            yield f"![{name.removesuffix('.svg').replace('-', ' ')}](results/{name})"


PIECES_HEAD: Final = """\
## Towns, pieces and gems

Rendered tables of Queendomino, a Royal Wedding and The Lost Treasures, with drawn art of boxes and on tables that no
training saw (`python -m kdvision.lab.experiments.pieces_found`): what lies there, what was found on its square or crossing, what
was read where none lies. Of kingdoms: those read exactly, and those wrong without a warning."""

COVERED_HEAD: Final = """\
## Where a thing lies on a kingdom

Scenes of the benchmark with every dial turned, and the same with a thing on a tile of one kingdom or near it
(`python -m kdvision.lab.experiments.covered`). Right is a board that has the tiles under the thing, too. With `--photos` the things
are drawn on the labelled photos and boards."""

RECOLOURED_HEAD: Final = """\
## On tables in the colour of tiles

The labelled photos with the table dyed in the colour of each terrain of the kingdom in turn
(`python -m kdvision.lab.experiments.recoloured`)."""

CALIBRATION_HEAD: Final = """\
## How far probabilities can be believed

Rendered tables that no training saw, through the whole program. "Other scenes" are dealt the same way, and calibration
was not fitted on them (`python -m kdvision.lab.calibrate.afresh`). "By probability alone" takes the surest boards first, also
those of which a person is asked however sure they are: where no rendered table shows how often a sign means something,
as where no castle is seen. Boards of kingdoms that the picture cuts, of which no reading is right, and of tables with
hands and things on the kingdoms are not among all; weights of signs and the threshold were fitted with them."""

TITLES: Final[Mapping[str, str]] = {
    "invented": "## Where no kingdom lies",
    "pieces": PIECES_HEAD,
    "calibration": CALIBRATION_HEAD,
    "ablation": "## What each part adds",
    "mixed": "## Where two boxes lie on one table",
    "covered": COVERED_HEAD,
    "recoloured": RECOLOURED_HEAD,
}


def _invented(lines: Lines) -> Iterator[str]:
    kinds = dict.fromkeys(line["kind"] for line in lines)
    parts = [(kind, [int(line["kingdoms"]) for line in lines if line["kind"] == kind]) for kind in kinds]
    rows = [(kind, len(counts), sum(counts)) for kind, counts in parts]
    yield markdown(("what lies there", "pictures", "kingdoms invented"), rows)


def _pieces(lines: Lines) -> Iterator[str]:
    rows = []
    for game, what in dict.fromkeys((line["game"], line["what"]) for line in lines):
        mine = [line for line in lines if (line["game"], line["what"]) == (game, what)]
        there, found, extra = (sum(int(line[name]) for line in mine) for name in ("there", "found", "extra"))
        if there + extra:
            precise = ("", "") if what == "kingdoms" else _precise(there, found, extra)
            rows.append((game, what, there, found, extra, *precise))
    yield markdown(("game", "what", "there", "found", "extra", "recall", "precision"), rows)


def _precise(there: int, found: int, extra: int) -> tuple[str, str]:
    """Recall and precision as shares; nothing where there is nothing to share."""
    parts = ((found, there), (found, found + extra))
    recall, precision = (f"{100 * part / whole:.1f} %" if whole else "" for part, whole in parts)
    return recall, precision


SUMMED: Final[Mapping[str, Callable[[Lines], Iterator[str]]]] = {"invented": _invented, "pieces": _pieces}


def _picture(name: str, pictures: Sequence[str], words: str) -> Iterator[str]:
    if f"{name}.svg" in pictures:
        yield f"![{name.replace('-', ' ')}: {words}](results/{name}.svg)"
