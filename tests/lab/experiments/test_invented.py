"""Kingdoms invented: the pictures without any, and what is counted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kdvision import pipeline
from kdvision.errors import KdvisionError, ModelError
from kdvision.lab.experiments.invented import (
    HEAPS,
    SURFACES,
    Nothing,
    Row,
    as_csv,
    measure,
    read,
    rows_of,
    stage,
    summary,
)
from kdvision.lab.render.scene_factors import make_rng
from kdvision.pipeline import KingdomReading
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.onnx import model_path
from tests.kingdoms import SMALL, doubt, png, seen
from tests.lab.render.test_scene_factors import PLAIN


@pytest.fixture
def surface(tmp_path: Path) -> Nothing:
    """A photographed surface: grey noise."""
    path = tmp_path / "not_tile_1.png"
    path.write_bytes(png(np.random.default_rng(0).integers(90, 110, (96, 96, 3), np.uint8)))
    return Nothing(SURFACES, str(path))


def test_rows_come_back_from_their_table() -> None:
    rows = [Row("clutter", "3", "abc", 1, 0), Row(SURFACES, "a.jpg", "abc", 0, 0, "PhotoError: no, none")]
    assert rows_of(as_csv(rows)) == rows
    with pytest.raises(ValueError, match="columns"):
        rows_of("kind,picture\nclutter,1\n")


def test_tables_without_a_kingdom_hold_none_but_something() -> None:
    for number in range(3):
        for kind, heaps in HEAPS.items():
            scene = stage(number).scene(number, heaps=heaps)
            assert not scene.kingdoms and scene.tiles + scene.pieces
            assert bool(scene.loose) <= (kind == "loose dominoes")


def test_rendered_tables_are_the_same_every_time() -> None:
    small = replace(stage(1), pixels=16.0, fill=0.95)
    one, again = (small.picture(1, PLAIN, heaps=HEAPS["clutter"]) for _ in range(2))
    assert np.array_equal(one.photo, again.photo) and not one.kingdoms
    assert stage(1) == stage(1) != stage(2)
    assert make_rng(1, "nothing").random() != make_rng(1, "photo").random()


def test_a_surface_without_a_kingdom_is_read_as_none(surface: Nothing) -> None:
    try:
        model_path("finder")
    except ModelError as error:
        pytest.skip(f"no models: {error}")
    assert read(surface, models="abc") == Row(SURFACES, "not_tile_1.png", "abc", 0, 0)


def test_every_kingdom_read_there_is_invented(surface: Nothing, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [seen(SMALL), seen(SMALL, doubts=[doubt("A1", "w1", "w")])]
    monkeypatch.setattr(pipeline, "read", lambda photo: found)
    assert read(surface, models="abc") == Row(SURFACES, "not_tile_1.png", "abc", 2, 1)


def test_a_crash_is_a_row_too(surface: Nothing, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(photo: Photo) -> list[KingdomReading]:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(pipeline, "read", crash)
    assert read(surface, models="abc").error == "ZeroDivisionError: oh"


def test_missing_models_end_the_run(surface: Nothing, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(photo: Photo) -> list[KingdomReading]:
        raise ModelError("The model finder.onnx is missing")

    monkeypatch.setattr(pipeline, "read", missing)
    with pytest.raises(KdvisionError):
        read(surface, models="abc")


def test_what_is_known_is_not_read_again(surface: Nothing, tmp_path: Path) -> None:
    path = tmp_path / "invented.csv"
    known = Row(SURFACES, "not_tile_1.png", "abc", 7, 7)
    path.write_text(as_csv([known, Row("clutter", "0", "old", 1, 1)]))
    assert measure([surface], path, "abc") == [known]
    assert rows_of(path.read_text()) == [known]


def test_the_summary_has_a_line_a_kind() -> None:
    rows = [Row("clutter", "0", "abc", 0, 0), Row("clutter", "1", "abc", 2, 1), Row(SURFACES, "a", "abc", 0, 0, "X: y")]
    lines = [line.split() for line in summary(rows).splitlines()]
    assert lines[1] == ["clutter", "2", "1", "90.5", "1", "0"]
    assert lines[2] == [SURFACES, "1", "0", "79.3", "0", "1"]
