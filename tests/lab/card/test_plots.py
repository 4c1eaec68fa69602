"""Plots show the counts of their tables, and are the same for the same table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kdvision.evaluate import summary as tally
from kdvision.lab.card.plots import LOOKS, drawn_from, of_dials, of_stress, pictures, sheet, source_of
from kdvision.lab.experiments import dial_rows
from kdvision.lab.experiments.dials import tasks
from kdvision.lab.experiments.judged import Verdict
from tests.lab.card.test_card import ROW, WRONG

pytest.importorskip("matplotlib")

DIALLED = [
    dial_rows.Row(task, "drawn", "abc", Verdict(4, 3, 2, 1, 1), 1.0)
    for task in tasks(["angle", "table"], scenes=2, free=0)
]
HARD = [replace(row, way=way, severity=s) for way in ("glare", "dark") for s in (1, 2, 3) for row in (ROW, WRONG)]


def test_every_dial_has_a_panel_with_its_counts() -> None:
    angle, table = of_dials(DIALLED)
    assert angle.settings == ["0", "15", "30", "45", "60"] and angle.joined and not table.joined
    assert dict(angle.series) == {
        "kingdoms found": [(6, 8)] * 5,
        "exactly outlined": [(4, 8)] * 5,
        "board exact": [(2, 8)] * 5,
        "wrong, no warning": [(2, 8)] * 5,
    }


def test_every_way_has_a_panel_by_severity() -> None:
    glare, dark = of_stress(HARD)
    assert (glare.title, dark.title) == ("glare", "dark")
    assert dict(glare.series) == {
        "exactly outlined": [(2, 2)] * 3,
        "board exact": [(1, 2)] * 3,
        "wrong, no warning": [(1, 2)] * 3,
    }


def test_figures_can_be_told_apart_without_colours() -> None:
    assert len({look.marker for look in LOOKS.values()}) == len(LOOKS)


def test_the_same_table_gives_the_same_picture_and_names_it(tmp_path: Path) -> None:
    path = tmp_path / "dials-drawn.csv"
    path.write_text(dial_rows.as_csv(DIALLED))
    (tmp_path / "stress-seed1.csv").write_text(tally.as_csv(HARD))
    (tmp_path / "photos-seed1.csv").write_text(tally.as_csv([ROW]))
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    once, again = dict(pictures(tmp_path)), dict(pictures(tmp_path))
    assert once == again
    assert [each.name for each in once] == ["dials-drawn.svg", "stress-seed1.svg"]
    text = once[path.with_suffix(".svg")].decode()
    assert drawn_from(text) == source_of(path)
    assert "view angle, degrees" in text and "gingham" in text and "wrong, no warning" in text
    path.write_text(dial_rows.as_csv(DIALLED[:-1]))
    assert drawn_from(text) != source_of(path)


def test_a_png_can_be_had_for_a_quick_look() -> None:
    assert sheet("t", of_stress(HARD), columns=4, source="", suffix="png").startswith(b"\x89PNG")


def test_others_pictures_name_no_table() -> None:
    assert drawn_from("<svg/>") is None
