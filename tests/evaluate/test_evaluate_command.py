"""`kdvision evaluate` on the command line; the boards in the photos come from notation."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from kdvision import pipeline
from kdvision.errors import ModelError
from kdvision.evaluate.corruptions import CORRUPTIONS, SEVERITIES
from kdvision.pipeline import KingdomReading
from kdvision.vision.image.photo import Photo
from tests.conftest import Run
from tests.kingdoms import SMALL, make_doubt, make_reader, make_reading, png, table_photo

MISREAD_BOARD = SMALL.replace("f1", "f")

READINGS = len(CORRUPTIONS) * len(SEVERITIES)
"""Readings of each photo under stress."""


@pytest.fixture(autouse=True)
def readings(monkeypatch: pytest.MonkeyPatch) -> list[KingdomReading]:
    """The kingdoms read in every photo of a test; a photo whose first pixel is black has none."""
    kingdoms = [make_reading(SMALL)]
    monkeypatch.setattr(pipeline, "read", make_reader(kingdoms))
    return kingdoms


def write_photo(folder: Path, name: str, board: str | None = SMALL, *, grey: int = 90) -> Path:
    """Write a photo and its label into a room of the folder."""
    photo = folder / name
    photo.parent.mkdir(exist_ok=True)
    photo.write_bytes(png(table_photo(320, 240, grey).pixels))
    if board:
        photo.with_suffix(".json").write_text(json.dumps({"kingdoms": [{"board": board.split(" / ")}]}))
    return photo


def parse_figures(text: str, room: str) -> dict[str, str]:
    """Return the line of a room, by column: columns are two blanks apart."""
    lines = [[word for word in line.split("  ") if word] for line in text.splitlines()]
    header = [word.strip() for word in lines[0]]
    (cells,) = [line for line in lines if line[0].strip() == room]
    return dict(zip(header, map(str.strip, cells), strict=True))


def test_each_room_has_its_line(tmp_path: Path, run: Run) -> None:
    for name, board in (("desk/1.png", SMALL), ("desk/2.png", MISREAD_BOARD), ("floor/1.png", SMALL)):
        write_photo(tmp_path, name, board)
    result = run("evaluate", tmp_path)
    assert (result.code, result.err) == (0, "")
    assert {room: parse_figures(result.out, room)["exact"] for room in ("desk", "floor", "all")} == {
        "desk": "1",
        "floor": "1",
        "all": "2",
    }
    assert parse_figures(result.out, "desk")["silent errors"] == "1"


def test_a_flagged_photo_is_not_a_silent_error(tmp_path: Path, run: Run, readings: list[KingdomReading]) -> None:
    readings[:] = [make_reading(SMALL, doubts=[make_doubt("C2", "f1", "f")])]
    write_photo(tmp_path, "desk/1.png", MISREAD_BOARD)
    figures = parse_figures(run("evaluate", tmp_path).out, "all")
    assert (figures["exact"], figures["flagged"], figures["silent errors"]) == ("0", "1", "0")


def test_the_csv_has_a_row_for_each_photo(tmp_path: Path, run: Run) -> None:
    write_photo(tmp_path, "desk/1.png")
    write_photo(tmp_path, "desk/2.png", grey=0)
    write_photo(tmp_path, "desk/3.png", board=None)
    assert run("evaluate", tmp_path, "--csv", tmp_path / "rows.csv").code == 0
    with (tmp_path / "rows.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["photo"], row["exact"], row["silent"]) for row in rows] == [("1.png", "1", "0"), ("2.png", "0", "0")]
    assert (rows[0]["true"], rows[0]["read"]) == (SMALL, SMALL)
    assert "NoKingdomFound" in rows[1]["error"]


def test_stress_reads_every_photo_under_each_corruption(tmp_path: Path, run: Run) -> None:
    write_photo(tmp_path, "desk/1.png")
    result = run("evaluate", tmp_path, "--stress")
    assert result.code == 0
    counts = [parse_figures(result.out, line)["photos"] for line in ("all", "glare 3")]
    assert counts == [str(READINGS), "1"]
    assert result.err == ""


def test_each_seed_is_another_draw(tmp_path: Path, run: Run) -> None:
    write_photo(tmp_path, "desk/1.png")
    result = run("evaluate", tmp_path, "--stress", "--seed", 1, "--seed", 2, "--csv", tmp_path / "rows.csv")
    assert result.code == 0
    counts = [parse_figures(result.out, line)["photos"] for line in ("all", "glare 3")]
    assert counts == [str(2 * READINGS), "2"]
    rows = list(csv.DictReader((tmp_path / "rows.csv").read_text(encoding="utf-8").splitlines()))
    assert [(row["way"], row["severity"]) for row in rows[:READINGS]] == [
        (row["way"], row["severity"]) for row in rows[READINGS:]
    ]


def test_a_seed_without_stress_is_refused(tmp_path: Path, run: Run) -> None:
    write_photo(tmp_path, "desk/1.png")
    result = run("evaluate", tmp_path, "--seed", 1)
    assert result.code == 2 and "--stress" in result.err


def test_a_folder_without_labels_explains_their_format(tmp_path: Path, run: Run) -> None:
    write_photo(tmp_path, "desk/1.png", board=None)
    result = run("evaluate", tmp_path, "--csv", tmp_path / "rows.csv")
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    assert '"kingdoms"' in result.err
    assert not (tmp_path / "rows.csv").exists()


@pytest.mark.parametrize("text", ["{", '{"kingdoms": [{}]}', '{"kingdoms": [{"board": ["w q"]}]}', '{"kingdoms": 3}'])
def test_an_invalid_label_is_an_error_that_names_its_file(text: str, tmp_path: Path, run: Run) -> None:
    write_photo(tmp_path, "desk/1.png").with_suffix(".json").write_text(text)
    result = run("evaluate", tmp_path)
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    assert "1.json" in result.err


def test_a_path_that_is_not_a_folder_is_wrong_usage(tmp_path: Path, run: Run) -> None:
    assert run("evaluate", tmp_path / "nowhere").code == 2
    assert run("evaluate", write_photo(tmp_path, "desk/1.png")).code == 2


def test_missing_models_end_the_run(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every photo would fail alike: a table of zeros would be no measurement."""

    def read(photo: Photo) -> Sequence[KingdomReading]:
        raise ModelError("The model detector.onnx is missing")

    monkeypatch.setattr(pipeline, "read", read)
    write_photo(tmp_path, "desk/1.png")
    assert run("evaluate", tmp_path).code == 8


def test_a_csv_that_cannot_be_written_is_an_error(tmp_path: Path, run: Run) -> None:
    write_photo(tmp_path, "desk/1.png")
    result = run("evaluate", tmp_path, "--csv", tmp_path / "nowhere" / "rows.csv")
    assert result.code == 1
    assert f"{tmp_path / 'nowhere'} cannot be written to" in result.err


def test_help_counts_the_corruptions(run: Run) -> None:
    assert f"Corrupt every photo in {READINGS} ways" in " ".join(run("evaluate", "--help").out.split())
