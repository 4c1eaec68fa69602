"""Plots show the counts of their tables, and equal tables give equal plots."""

import csv
import io
from pathlib import Path

import pytest

from kdvision.lab.card.plots import PLOTS, SERIES, _draw_panel, describe_source, write_plots
from tests.lab.card.sources import get_source

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure

STRESS, FACTORS = PLOTS
STRESS_CSV = (
    "seed,family,severity,pictures,outlined,exact,silent_errors\n"
    "0,light,1,4,3,2,1\n1,light,1,4,4,2,0\n0,light,2,4,1,0,0\n0,lens,1,4,4,4,0\n"
)
FACTORS_CSV = (
    "art,factor,setting,kingdoms,found,outlined,exact,silent_errors\n"
    "drawn,all at random,up to 45 degrees,9,9,9,9,0\n"
    'drawn,"view angle, degrees",0.0,6,6,5,4,0\ndrawn,"view angle, degrees",15.0,6,6,5,4,0\n'
    "drawn,table,oak,6,6,5,4,0\n"
)


def parse_csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_seeds_are_added_up_and_every_family_has_a_panel() -> None:
    panels = STRESS.build_panels(parse_csv(STRESS_CSV))
    assert list(panels) == ["light", "lens"]
    assert panels["light"] == {
        "1": {"outlined": 7, "exact": 4, "silent_errors": 1, "pictures": 8},
        "2": {"outlined": 1, "exact": 0, "silent_errors": 0, "pictures": 4},
    }


def test_settings_that_are_names_are_not_connected() -> None:
    _, angle, table = FACTORS.build_panels(parse_csv(FACTORS_CSV)).values()
    assert list(angle) == ["0", "15"] and list(table) == ["oak"]
    axes = Figure().subplots(1, 2)
    for panel, axis in zip((angle, table), axes, strict=True):
        _draw_panel(panel, "kingdoms", axis)
    assert [axis.lines[0].get_linestyle() for axis in axes] == ["-", "None"]


def test_series_differ_without_colours() -> None:
    assert len({style["marker"] for style in SERIES.values()}) == len(SERIES)


def test_equal_tables_give_equal_plots_that_name_their_source(tmp_path: Path) -> None:
    table, plot = tmp_path / "factors.csv", tmp_path / "factors.svg"
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    table.write_text(FACTORS_CSV)
    write_plots(tmp_path)
    svg = plot.read_text(encoding="utf-8")
    write_plots(tmp_path)
    assert plot.read_text(encoding="utf-8") == svg
    assert [path.name for path in tmp_path.glob("*.svg")] == ["factors.svg"]
    assert get_source(svg) == describe_source(table)
    assert "view angle, degrees" in svg and "silent error" in svg and "at random" not in svg
    table.write_text(FACTORS_CSV.replace("oak", "linen"))
    assert get_source(svg) != describe_source(table)


def test_a_foreign_plot_names_no_source() -> None:
    assert get_source("<svg/>") is None


def test_the_risk_coverage_curve_names_both_kinds_and_its_source(tmp_path: Path) -> None:
    table = tmp_path / "stress-coverage.csv"
    lines = [
        f"{kind},{coverage},4,1,{at_threshold}"
        for kind in ("ordinary", "adversarial")
        for coverage, at_threshold in (("0.5", "0"), ("1.0", "0"), ("0.7", "1"))
    ]
    table.write_text("\n".join(["kind,coverage,accepted,wrong,at_threshold", *lines]))
    write_plots(tmp_path)
    svg = table.with_suffix(".svg").read_text(encoding="utf-8")
    assert get_source(svg) == describe_source(table)
    assert "ordinary, not flagged" in svg and "adversarial" in svg
