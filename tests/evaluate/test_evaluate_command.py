"""`kdvision evaluate` as a person meets it; what the photos show is made from notation."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from kdvision import pipeline
from kdvision.errors import ModelError, NoKingdomFound
from kdvision.pipeline import KingdomReading
from kdvision.vision.image.photo import Photo
from tests.conftest import Run
from tests.kingdoms import SMALL, doubt, png, seen, table_photo

OTHER = SMALL.replace("f1", "f")


@pytest.fixture(autouse=True)
def eyes(monkeypatch: pytest.MonkeyPatch) -> list[KingdomReading]:
    """What every photo shows in this test; a photo whose first pixel is black shows no kingdom."""
    kingdoms = [seen(SMALL)]

    def read(photo: Photo, **asked: Any) -> Sequence[KingdomReading]:
        if not photo.pixels[0, 0].any():
            raise NoKingdomFound(f"{photo.name} shows no kingdom", stage="finder")
        return kingdoms

    monkeypatch.setattr(pipeline, "read", read)
    return kingdoms


def put(folder: Path, name: str, board: str | None = SMALL, *, grey: int = 90) -> Path:
    """Put a photo into a room of the folder, its truth beside it."""
    photo = folder / name
    photo.parent.mkdir(exist_ok=True)
    photo.write_bytes(png(table_photo(320, 240, grey).pixels))
    if board:
        photo.with_suffix(".json").write_text(json.dumps({"kingdoms": [{"board": board.split(" / ")}]}))
    return photo


def figures(text: str, room: str) -> dict[str, str]:
    """The line of a room, by column: columns are two blanks apart."""
    lines = [[word for word in line.split("  ") if word] for line in text.splitlines()]
    head = [word.strip() for word in lines[0]]
    (found,) = [line for line in lines if line[0].strip() == room]
    return dict(zip(head, map(str.strip, found), strict=True))


def test_rooms_are_told_apart(tmp_path: Path, run: Run) -> None:
    for name, board in (("desk/1.png", SMALL), ("desk/2.png", OTHER), ("floor/1.png", SMALL)):
        put(tmp_path, name, board)
    ran = run("evaluate", tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert {room: figures(ran.out, room)["exact"] for room in ("desk", "floor", "all")} == {
        "desk": "1",
        "floor": "1",
        "all": "2",
    }
    assert figures(ran.out, "desk")["wrong, no warning"] == "1"


def test_a_warning_is_no_silent_error(tmp_path: Path, run: Run, eyes: list[KingdomReading]) -> None:
    eyes[:] = [seen(SMALL, doubts=[doubt("C2", "f1", "f")])]
    put(tmp_path, "desk/1.png", OTHER)
    found = figures(run("evaluate", tmp_path).out, "all")
    assert (found["exact"], found["flagged"], found["wrong, no warning"]) == ("0", "1", "0")


def test_every_photo_is_a_row(tmp_path: Path, run: Run) -> None:
    put(tmp_path, "desk/1.png")
    put(tmp_path, "desk/2.png", grey=0)
    put(tmp_path, "desk/3.png", board=None)
    assert run("evaluate", tmp_path, "--csv", tmp_path / "rows.csv").code == 0
    with (tmp_path / "rows.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["photo"], row["exact"], row["silent"]) for row in rows] == [("1.png", "1", "0"), ("2.png", "0", "0")]
    assert (rows[0]["true"], rows[0]["read"]) == (SMALL, SMALL)
    assert "NoKingdomFound" in rows[1]["error"]


def test_stress_makes_every_photo_hard_in_24_ways(tmp_path: Path, run: Run) -> None:
    put(tmp_path, "desk/1.png")
    ran = run("evaluate", tmp_path, "--stress")
    assert ran.code == 0
    assert (figures(ran.out, "all")["photos"], figures(ran.out, "glare 3")["photos"]) == ("24", "1")
    assert ran.err == "24 of 24\n"


def test_each_seed_is_a_draw_of_its_own(tmp_path: Path, run: Run) -> None:
    put(tmp_path, "desk/1.png")
    ran = run("evaluate", tmp_path, "--stress", "--seed", 1, "--seed", 2, "--csv", tmp_path / "rows.csv")
    assert ran.code == 0
    assert (figures(ran.out, "all")["photos"], figures(ran.out, "glare 3")["photos"]) == ("48", "2")
    rows = list(csv.DictReader((tmp_path / "rows.csv").read_text(encoding="utf-8").splitlines()))
    assert [(row["way"], row["severity"]) for row in rows[:24]] == [(row["way"], row["severity"]) for row in rows[24:]]


def test_a_seed_without_stress_is_refused(tmp_path: Path, run: Run) -> None:
    put(tmp_path, "desk/1.png")
    ran = run("evaluate", tmp_path, "--seed", 1)
    assert ran.code == 2 and "--stress" in ran.err


def test_a_folder_without_truths_says_what_they_look_like(tmp_path: Path, run: Run) -> None:
    put(tmp_path, "desk/1.png", board=None)
    ran = run("evaluate", tmp_path, "--csv", tmp_path / "rows.csv")
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert '"kingdoms"' in ran.err
    assert not (tmp_path / "rows.csv").exists()


@pytest.mark.parametrize("text", ["{", '{"kingdoms": [{}]}', '{"kingdoms": [{"board": ["w q"]}]}', '{"kingdoms": 3}'])
def test_a_truth_that_is_none_names_its_file(text: str, tmp_path: Path, run: Run) -> None:
    put(tmp_path, "desk/1.png").with_suffix(".json").write_text(text)
    ran = run("evaluate", tmp_path)
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert "1.json" in ran.err


def test_no_folder_is_wrong_usage(tmp_path: Path, run: Run) -> None:
    assert run("evaluate", tmp_path / "nowhere").code == 2
    assert run("evaluate", put(tmp_path, "desk/1.png")).code == 2


def test_missing_models_end_the_run(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every photo would fail alike: a table of zeros would be no measurement."""

    def read(photo: Photo) -> Sequence[KingdomReading]:
        raise ModelError("The model finder.onnx is missing")

    monkeypatch.setattr(pipeline, "read", read)
    put(tmp_path, "desk/1.png")
    assert run("evaluate", tmp_path).code == 8


def test_a_csv_that_cannot_be_written_is_an_error(tmp_path: Path, run: Run) -> None:
    put(tmp_path, "desk/1.png")
    ran = run("evaluate", tmp_path, "--csv", tmp_path / "nowhere" / "rows.csv")
    assert ran.code == 1
    assert "rows.csv" in ran.err
