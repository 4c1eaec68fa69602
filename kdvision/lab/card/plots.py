"""Plots of the results: success against the severity of each corruption, and against each factor of rendered scenes.

Equal tables give equal files under one version of matplotlib. Each plot names its table and the table's digest, so that
a test finds plots of earlier results (`get_source`).
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scipy.stats import binomtest

from kdvision.files import write_atomically
from kdvision.lab.experiments.experiment import add_up

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Counts = Sequence[tuple[int, int]]
"""Hits and total at each setting."""
Line = Mapping[str, str]

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


SERIES: Final[dict[str, dict[str, Any]]] = {
    "found": {"label": "kingdoms found", "color": "#56B4E9", "marker": "o"},
    "outlined": {"label": "outline right", "color": "#0072B2", "marker": "s"},
    "exact": {"label": "board exact", "color": "#009E73", "marker": "^"},
    "silent_errors": {"label": "silent error", "color": "#D55E00", "marker": "X", "linestyle": "--"},
}
"""The columns that are plotted: colours of Okabe and Ito, and markers for readers without colour."""


@dataclass(frozen=True)
class Panel:
    """One small diagram; `connected` says that the settings are steps of one quantity."""

    title: str
    settings: Sequence[str]
    series: Mapping[str, Counts]
    connected: bool = True


@dataclass(frozen=True)
class Plot:
    """One figure: the table it shows, and by which columns the table's rows become panels and settings."""

    table: str
    title: str
    total: str
    panel: str
    setting: str
    columns: int

    def build_panels(self, lines: Sequence[Line]) -> list[Panel]:
        """Return a panel for each value of the panel column, from the rows of the table."""
        names = [name for name in SERIES if name in lines[0]]
        panels = []
        for title in dict.fromkeys(line[self.panel] for line in lines):
            mine = [line for line in lines if line[self.panel] == title]
            sums = {
                str(setting): total for (setting,), total in add_up(mine, (self.setting,), (*names, self.total)).items()
            }
            series = {name: [(total[name], total[self.total]) for total in sums.values()] for name in names}
            numbers = all(re.fullmatch(r"[\d.]+", setting) for setting in sums)
            panels.append(Panel(title, [setting.removesuffix(".0") for setting in sums], series, connected=numbers))
        return panels


PLOTS: Final = (
    Plot("stress", "Photos under corruptions, by severity", "pictures", "family", "severity", 3),
    Plot("factors", "Rendered scenes with one factor changed at a time", "kingdoms", "factor", "setting", 3),
)


COVERAGE_COLORS: Final = {"ordinary": "#0072B2", "adversarial": "#D55E00"}


def write_plots(results: Path) -> None:
    """Draw results/NAME.svg for each plot whose table is in the folder, and results/stress-coverage.svg."""
    coverage = results / "stress-coverage.csv"
    if coverage.is_file():
        lines = list(csv.DictReader(io.StringIO(coverage.read_text(encoding="utf-8"))))
        write_atomically(coverage.with_suffix(".svg"), draw_coverage(lines, source=describe_source(coverage)))
    for plot in PLOTS:
        path = results / f"{plot.table}.csv"
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            lines = [line for line in csv.DictReader(io.StringIO(text)) if line.get("factor") != "all at random"]
            content = draw_figure(plot, plot.build_panels(lines), source=describe_source(path))
            write_atomically(path.with_suffix(".svg"), content)


def draw_figure(plot: Plot, panels: Sequence[Panel], *, source: str) -> bytes:
    """Return the SVG of a figure; `source` is written into its metadata."""
    rows = -(-len(panels) // plot.columns)

    def draw(figure: Figure) -> None:
        places = figure.subplots(rows, plot.columns, squeeze=False).flat
        for panel, axes in zip(panels, places, strict=False):
            _draw_panel(panel, axes)
        for axes in places[len(panels) :]:
            axes.set_axis_off()
        figure.suptitle(plot.title, x=0.01, ha="left", fontsize=12, fontweight="bold")
        handles, names = places[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False)

    return draw_svg((3.5 * plot.columns, 2.75 * rows + 0.8), draw, Creator="kdvision", Source=source)


def draw_coverage(lines: Sequence[Line], *, source: str) -> bytes:
    """Return the SVG of risk against coverage, with a dot where the program asks for a review.

    A risk-coverage curve is the standard picture of a selective classifier (El-Yaniv and Wiener, 2010).
    """

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for kind, color in COVERAGE_COLORS.items():
            points = [line for line in lines if line["kind"] == kind]
            shares = [(float(one["coverage"]), int(one["wrong"]) / max(1, int(one["accepted"]))) for one in points]
            curve = [share for share, one in zip(shares, points, strict=True) if one["at_threshold"] == "0"]
            axes.plot(*zip(*curve, strict=True), color=color, label=kind)
            axes.plot(*shares[-1], color=color, marker="o", linestyle="none", label=f"{kind}, not flagged")
        axes.set(xlabel="coverage: share of pictures answered", ylabel="risk: share of these wrong")
        axes.set_xlim(0, 1)
        axes.set_ylim(bottom=0)
        axes.legend(frameon=False)

    return draw_svg((5, 3.4), draw, Creator="kdvision", Source=source)


def draw_svg(size: tuple[float, float], draw: Callable[[Figure], None], **metadata: str) -> bytes:
    """Return the SVG of a figure of a size in inches, with metadata."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        out = io.BytesIO()
        figure.savefig(out, format="svg", metadata={"Date": None, **metadata})
    return out.getvalue()


def _draw_panel(panel: Panel, axes: Axes) -> None:
    """Draw shares in per cent with 95 % intervals; the series are shifted a little so that they do not overlap."""
    for index, (name, counts) in enumerate(panel.series.items()):
        shift = 0.12 * (index - (len(panel.series) - 1) / 2)
        shares = [100 * hits / max(1, total) for hits, total in counts]
        limits = [
            binomtest(hits, total).proportion_ci(method="wilson") if total else (0.0, 1.0) for hits, total in counts
        ]
        below = [max(0.0, share - 100 * low) for share, (low, _) in zip(shares, limits, strict=True)]
        above = [max(0.0, 100 * high - share) for share, (_, high) in zip(shares, limits, strict=True)]
        style = {"markersize": 5, "linewidth": 1.5, "elinewidth": 1, "clip_on": False, **SERIES[name]}
        if not panel.connected:
            style["linestyle"] = "none"
        axes.errorbar([step + shift for step in range(len(counts))], shares, [below, above], **style)
    axes.set_title(panel.title, loc="left")
    slanted: dict[str, Any] = {} if panel.connected else {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
    axes.set_xticks(range(len(panel.settings)), panel.settings, **slanted)
    axes.set_xlim(-0.5, len(panel.settings) - 0.5)
    axes.set_ylim(0, 100)
    axes.set_yticks(range(0, 101, 25), [f"{share} %" for share in range(0, 101, 25)])
    axes.grid(axis="y", color="#dddddd", linewidth=0.8)
    axes.set_axisbelow(True)


def describe_source(table: Path) -> str:
    """Return the name and the digest of a table."""
    return f"{table.name} {hashlib.sha256(table.read_bytes()).hexdigest()[:16]}"


def get_source(svg: str) -> str | None:
    """Return the source that an SVG names; None for a plot that names none."""
    found = re.search(r"<dc:source>\s*([^<]*?)\s*</dc:source>", svg)
    return found[1] if found else None
