"""Pictures of what was measured: `python -m kdvision.lab.card.plots` draws models/results/*.svg from the tables beside them.

`dials-ART.csv` gives success against every dial, an evaluation of photos made hard (`kdvision evaluate --stress --csv`)
success against severity. Equal tables give equal files under one version of matplotlib. Each picture names its table
and that table's digest, so that a picture left behind by new figures can be told (`drawn_from`).
"""

from __future__ import annotations

import argparse
import hashlib
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kdvision.evaluate import summary as tally
from kdvision.evaluate.summary import interval
from kdvision.files import write_atomically
from kdvision.lab.experiments import dial_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Count = tuple[int, int]
"""How many of how many."""


@dataclass(frozen=True)
class Look:
    """How a figure is drawn: colours of Okabe and Ito, which colour-blind people tell apart, and shapes besides."""

    colour: str
    marker: str
    line: str = "-"


LOOKS: Final[Mapping[str, Look]] = {
    "kingdoms found": Look("#56B4E9", "o"),
    "exactly outlined": Look("#0072B2", "s"),
    "board exact": Look("#009E73", "^"),
    "wrong, no warning": Look("#D55E00", "X", "--"),
}
STYLE: Final[dict[Any, Any]] = {
    "svg.hashsalt": "kdvision",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#888888",
    "axes.titlesize": 10,
}


@dataclass(frozen=True)
class Panel:
    """One small diagram: its title, what stands below, the settings from left to right, and each figure's counts."""

    title: str
    below: str
    settings: Sequence[str]
    series: Mapping[str, Sequence[Count]]
    joined: bool = True  # by lines, where settings are steps of one quantity

    def draw(self, axes: Axes) -> None:
        """Draw shares in per cent with their 95 % intervals; figures stand a little beside each other."""
        for place, (name, counts) in enumerate(self.series.items()):
            look = LOOKS[name]
            shift = 0.12 * (place - (len(self.series) - 1) / 2)
            spots = [step + shift for step in range(len(counts))]
            shares = [100 * hits / max(1, of) for hits, of in counts]
            limits = [interval(*count) for count in counts]
            # never below 0: a share of 0 or 1 lies on its interval's end but for rounding
            reach = [
                [max(0.0, s - 100 * low) for s, (low, _) in zip(shares, limits, strict=True)],
                [max(0.0, 100 * high - s) for s, (_, high) in zip(shares, limits, strict=True)],
            ]
            axes.errorbar(
                spots,
                shares,
                reach,
                label=name,
                color=look.colour,
                marker=look.marker,
                linestyle=look.line if self.joined else "none",
                markersize=5,
                linewidth=1.5,
                elinewidth=1,
                clip_on=False,
            )
        axes.set_title(self.title, loc="left")
        axes.set_xlabel(self.below)
        slanted = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if not self.joined else {}
        axes.set_xticks(range(len(self.settings)), self.settings, **slanted)  # type: ignore[arg-type]
        axes.set_xlim(-0.5, len(self.settings) - 0.5)
        axes.set_ylim(0, 100)
        axes.set_yticks(range(0, 101, 25), [f"{share} %" for share in range(0, 101, 25)])
        axes.grid(axis="y", color="#dddddd", linewidth=0.8)
        axes.set_axisbelow(True)


def sheet(title: str, panels: Sequence[Panel], *, columns: int, source: str, suffix: str = "svg") -> bytes:
    """The file of a picture with all panels under one title; `source` says from which table."""
    import matplotlib
    from matplotlib.figure import Figure

    rows = -(-len(panels) // columns)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(3.5 * columns, 2.75 * rows + 0.8), layout="constrained")
        places = figure.subplots(rows, columns, squeeze=False).flat
        for panel, axes in zip(panels, places, strict=False):
            panel.draw(axes)
        for axes in places[len(panels) :]:
            axes.set_axis_off()
        figure.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold")
        handles, names = places[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False)
        out = io.BytesIO()
        about = {"Date": None, "Creator": "kdvision.lab.card.plots", "Source": source} if suffix == "svg" else {}
        figure.savefig(out, format=suffix, metadata=about, dpi=90)
    return out.getvalue()


def of_dials(rows: Sequence[dial_rows.Row]) -> list[Panel]:
    """A panel for each dial that was turned."""
    panels = []
    for name, dial in dial_rows.DIALS.items():
        parts = dial_rows.by_setting(rows, name)
        if parts:
            series = {
                title: [(dial_rows.total(part, figure), dial_rows.total(part, "kingdoms")) for _, part in parts]
                for figure, title in zip((f for f in dial_rows.FIGURES if f != "sure"), LOOKS, strict=True)
            }
            settings = [setting for setting, _ in parts]
            numbers = all(not isinstance(setting, str) for setting in dial.settings)
            panels.append(Panel(dial.title, "", settings, series, joined=numbers))
    return panels


def of_stress(rows: Sequence[tally.Row]) -> list[Panel]:
    """A panel for each way in which photos were made hard."""
    figures = {"exactly outlined": "shape", "board exact": "exact", "wrong, no warning": "silent"}
    panels = []
    for way in dict.fromkeys(row.way for row in rows):
        mine = [row for row in rows if row.way == way]
        steps = sorted({row.severity for row in mine})
        parts = [[row for row in mine if row.severity == step] for step in steps]
        series = {
            title: [(sum(getattr(row, name) for row in part), len(part)) for part in parts]
            for title, name in figures.items()
        }
        panels.append(Panel(way, "severity", [str(step) for step in steps], series))
    return panels


def digest(table: str) -> str:
    """What tells one text of a table from another."""
    return hashlib.sha256(table.encode()).hexdigest()[:16]


def source_of(path: Path) -> str:
    """What a picture says of the table that it was drawn from."""
    return f"{path.name} {digest(path.read_text(encoding='utf-8'))}"


def drawn_from(picture: str) -> str | None:
    """The table, and its digest, that an SVG names as its source; None for a picture of others."""
    found = re.search(r"<dc:source>\s*([^<]*?)\s*</dc:source>", picture)
    return found[1] if found else None


def pictures(folder: Path, *, suffix: str = "svg") -> Iterator[tuple[Path, bytes]]:
    """Every picture that the tables in a folder give: its path, and its file."""
    for path in sorted(folder.glob("*.csv")):
        text = path.read_text(encoding="utf-8")
        if path.stem.startswith("dials-"):
            panels, columns = of_dials(dial_rows.rows_of(text)), 3
            title = (
                f"Rendered scenes in {path.stem.removeprefix('dials-')} art: kingdoms read, one dial turned at a time"
            )
        elif re.search(r"-seed\d+$", path.stem) and any(row.way for row in tally.rows_of(text)):
            panels, columns = of_stress(tally.rows_of(text)), 4
            title = "Photos made hard: photos read, by what was done to them"
        else:
            continue
        if panels:
            yield (
                path.with_suffix(f".{suffix}"),
                sheet(title, panels, columns=columns, source=source_of(path), suffix=suffix),
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=Path("models/results"), help="the folder of the tables")
    parser.add_argument("--png", action="store_true", help="draw PNG instead, for a quick look")
    given = parser.parse_args()
    for path, content in pictures(given.results, suffix="png" if given.png else "svg"):
        write_atomically(path, content)
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
