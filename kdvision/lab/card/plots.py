"""Plots of the results: success against the severity of each corruption, and against each factor of rendered scenes.

Equal tables give equal files under one version of matplotlib. Each plot names its table and the table's digest, so that
a test finds plots of earlier results.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scipy.stats import binomtest

from kdvision.files import write_atomically
from kdvision.lab.experiments.experiment import add_up, read_csv

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Line = Mapping[str, str]
Panel = Mapping[str, Mapping[str, int]]
"""One small diagram: the sums of the plotted columns and the total, for each setting."""

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
class Plot:
    """One figure: the table it shows, and by which columns the table's rows become panels and settings."""

    table: str
    title: str
    total: str
    panel: str
    setting: str

    def build_panels(self, lines: Sequence[Line]) -> Mapping[str, Panel]:
        """Return a panel for each value of the panel column, from the rows of the table."""
        panels: dict[str, dict[str, dict[str, int]]] = defaultdict(dict)
        columns = [name for name in (*SERIES, self.total) if name in lines[0]]
        for (title, setting), sums in add_up(lines, (self.panel, self.setting), columns).items():
            panels[str(title)][str(setting).removesuffix(".0")] = sums
        return panels

    def draw(self, figure: Figure, lines: Sequence[Line]) -> None:
        """Draw the rows of the table, without scenes that vary in everything."""
        panels = self.build_panels([line for line in lines if line.get("factor") != "all at random"])
        rows = -(-len(panels) // PANEL_COLUMNS)
        figure.set_size_inches(3.5 * PANEL_COLUMNS, 2.75 * rows + 0.8)
        places = figure.subplots(rows, PANEL_COLUMNS, squeeze=False).flat
        for (title, panel), axes in zip(panels.items(), places, strict=False):
            axes.set_title(title, loc="left")
            _draw_panel(panel, self.total, axes)
        for axes in places[len(panels) :]:
            axes.set_axis_off()
        figure.suptitle(self.title, x=0.01, ha="left", fontsize=12, fontweight="bold")
        handles, names = places[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False)


PLOTS: Final = (
    Plot("stress", "Photos under corruptions, by severity", "pictures", "family", "severity"),
    Plot("factors", "Rendered scenes with one factor changed at a time", "kingdoms", "factor", "setting"),
)


PANEL_COLUMNS: Final = 3
COVERAGE_COLORS: Final = {"ordinary": "#0072B2", "adversarial": "#D55E00"}


def write_plots(results: Path) -> None:
    """Draw results/NAME.svg for each plot whose table is in the folder, and results/stress-coverage.svg."""
    for name, draw in {"stress-coverage": draw_coverage, **{plot.table: plot.draw for plot in PLOTS}}.items():
        path = results / f"{name}.csv"
        if path.is_file():
            write_atomically(path.with_suffix(".svg"), draw_svg(draw, path))


def draw_coverage(figure: Figure, lines: Sequence[Line]) -> None:
    """Draw risk against coverage, with a dot where the program asks for a review.

    A risk-coverage curve is the standard picture of a selective classifier (El-Yaniv and Wiener, 2010).
    """
    figure.set_size_inches(5, 3.4)
    axes = figure.subplots()
    for kind, color in COVERAGE_COLORS.items():
        points = [line for line in lines if line["kind"] == kind]
        shares = [(float(point["coverage"]), int(point["wrong"]) / max(1, int(point["accepted"]))) for point in points]
        curve = [share for share, point in zip(shares, points, strict=True) if point["at_threshold"] == "0"]
        axes.plot(*zip(*curve, strict=True), color=color, label=kind)
        axes.plot(*shares[-1], color=color, marker="o", linestyle="none", label=f"{kind}, not flagged")
    axes.set(xlabel="coverage: share of pictures answered", ylabel="risk: share of these wrong")
    axes.set_xlim(0, 1)
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False)


def draw_svg(draw: Callable[[Figure, Sequence[Line]], None], table: Path) -> bytes:
    """Return the SVG that a function draws of the rows of a table; its metadata name the table."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        figure = Figure(layout="constrained")
        draw(figure, read_csv(table))
        out = io.BytesIO()
        metadata = {"Date": None, "Creator": "kdvision", "Source": describe_source(table)}
        figure.savefig(out, format="svg", metadata=metadata)
    return out.getvalue()


def _draw_panel(panel: Panel, total: str, axes: Axes) -> None:
    """Draw shares of the total in per cent with 95 % intervals; the series are shifted so that they do not overlap.

    Settings that are numbers are steps of one quantity, so lines connect them.
    """
    are_connected = all(re.fullmatch(r"[\d.]+", setting) for setting in panel)
    names = [name for name in SERIES if all(name in sums for sums in panel.values())]
    for index, name in enumerate(names):
        counts = [(sums[name], sums[total]) for sums in panel.values()]
        shift = 0.12 * (index - (len(names) - 1) / 2)
        shares = [100 * hits / max(1, n) for hits, n in counts]
        limits = [binomtest(hits, n).proportion_ci(method="wilson") if n else (0.0, 1.0) for hits, n in counts]
        lower_errors = [max(0.0, share - 100 * low) for share, (low, _) in zip(shares, limits, strict=True)]
        upper_errors = [max(0.0, 100 * high - share) for share, (_, high) in zip(shares, limits, strict=True)]
        style = {"markersize": 5, "linewidth": 1.5, "elinewidth": 1, "clip_on": False, **SERIES[name]}
        if not are_connected:
            style["linestyle"] = "none"
        axes.errorbar([step + shift for step in range(len(counts))], shares, [lower_errors, upper_errors], **style)
    label_style: dict[str, Any] = {} if are_connected else {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
    axes.set_xticks(range(len(panel)), list(panel), **label_style)
    axes.set_xlim(-0.5, len(panel) - 0.5)
    axes.set_ylim(0, 100)
    axes.set_yticks(range(0, 101, 25), [f"{share} %" for share in range(0, 101, 25)])
    axes.grid(axis="y", color="#dddddd", linewidth=0.8)
    axes.set_axisbelow(True)


def describe_source(table: Path) -> str:
    """Return the name and the digest of a table."""
    return f"{table.name} {hashlib.sha256(table.read_bytes()).hexdigest()[:16]}"
