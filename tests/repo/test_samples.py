"""The samples, read by the program as shipped: lower bounds for each stage, and the photo without a kingdom."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import kdvision
from kdvision.errors import NoKingdomFound
from kdvision.game.board import Board
from scripts import samples
from scripts.samples import make_readme
from tests.paths import ROOT

TRUTHS = {path.with_suffix(".jpg"): json.loads(path.read_text("utf-8")) for path in (ROOT / "samples").glob("*.json")}
PHOTOS = sorted((ROOT / "samples").glob("*.jpg"))
EMPTY_PHOTOS = [photo for photo in PHOTOS if not TRUTHS[photo]["kingdoms"]]

Json = dict[str, Any]


@pytest.fixture(scope="module")
def results() -> dict[Path, Json]:
    """The output of `kdvision score --json` for each sample; the photo without a kingdom makes the exit code 7."""
    command = [sys.executable, "-m", "kdvision", "score", "--json", *map(str, PHOTOS)]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    assert process.returncode == 7, process.stderr
    lines = [json.loads(line) for line in process.stdout.splitlines()]
    return dict(zip(PHOTOS, lines, strict=True))


@pytest.fixture(scope="module")
def pairs(results: dict[Path, Json]) -> list[tuple[Json, Json | None]]:
    """Each true kingdom with the kingdom that was read there; None if there is none."""
    return [
        (truth, match_kingdom(truth, results[photo]["kingdoms"]))
        for photo in PHOTOS
        for truth in TRUTHS[photo]["kingdoms"]
    ]


def read_corners(kingdom: Json) -> NDArray[np.float64]:
    return np.asarray(kingdom.get("corners_tl_tr_br_bl_px") or kingdom["corners"], dtype=np.float64)


def measure_side(truth: Json) -> float:
    """Return the side of a square in pixels, from the area of the outline."""
    (x, y), (u, v) = read_corners(truth).T, np.roll(read_corners(truth), -1, axis=0).T
    return float(np.sqrt(abs((x * v - u * y).sum()) / 2 / (len(truth["board"]) * len(truth["board"][0].split()))))


def match_kingdom(truth: Json, kingdoms: list[Json]) -> Json | None:
    """Return the kingdom whose centre lies within two squares of that of the true one."""
    centre, side = read_corners(truth).mean(0), measure_side(truth)
    distances = {np.linalg.norm(read_corners(kingdom).mean(0) - centre) / side: kingdom for kingdom in kingdoms}
    return distances[min(distances)] if distances and min(distances) < 2 else None


def count_right_squares(truth: Json, reading: Json | None) -> int:
    """Return the number of squares of the true board that were read correctly."""
    if reading is None or reading["board"] == []:
        return 0
    true_board, board = Board.parse(truth["board"]), Board.parse(reading["board"])
    return sum(board.get(square) == cell for square, cell in true_board.items())


def test_there_are_samples() -> None:
    assert len(PHOTOS) >= 7
    assert len(EMPTY_PHOTOS) == 1
    assert set(PHOTOS) == set(TRUTHS)
    sizes = {max(len(k["board"]), len(k["board"][0].split())) for t in TRUTHS.values() for k in t["kingdoms"]}
    assert {5, 7} <= sizes


def test_the_readme_lists_the_samples() -> None:
    assert (ROOT / "samples" / "README.md").read_text(encoding="utf-8") == make_readme()


def test_every_kingdom_is_found_and_no_other(results: dict[Path, Json], pairs: list[tuple[Json, Json | None]]) -> None:
    assert all(reading for _, reading in pairs)
    assert sum(len(result["kingdoms"]) for result in results.values()) == len(pairs)


def test_shapes_are_right_in_all_but_one(pairs: list[tuple[Json, Json | None]]) -> None:
    has_right_shape = [
        reading is not None and find_gaps(truth["board"]) == find_gaps(reading["board"]) for truth, reading in pairs
    ]
    assert sum(has_right_shape) >= len(pairs) - 1


def find_gaps(board: list[str]) -> list[list[bool]]:
    return [[word == "." for word in row.split()] for row in board]


def test_98_percent_of_squares_are_right(pairs: list[tuple[Json, Json | None]]) -> None:
    total = sum(len(Board.parse(truth["board"])) for truth, _ in pairs)
    assert sum(count_right_squares(truth, reading) for truth, reading in pairs) >= 0.98 * total


def test_boards_are_exact_and_upright_in_all_but_one(pairs: list[tuple[Json, Json | None]]) -> None:
    exact_kingdoms = [reading for truth, reading in pairs if reading and reading["board"] == truth["board"]]
    assert len(exact_kingdoms) >= len(pairs) - 1
    pairs_with_points = [
        (truth, reading) for truth, reading in pairs if reading in exact_kingdoms and reading["points"] is not None
    ]
    assert all(reading["points"] == truth["points"] for truth, reading in pairs_with_points)
    assert len(pairs_with_points) >= len(exact_kingdoms) - 2  # two samples have pieces whose kind only a person knows


def test_there_is_no_silent_error(pairs: list[tuple[Json, Json | None]]) -> None:
    assert not [
        reading for truth, reading in pairs if reading and reading["board"] != truth["board"] and not reading["review"]
    ]


def test_corners_of_exact_boards_are_right_within_a_quarter_of_a_square(
    pairs: list[tuple[Json, Json | None]],
) -> None:
    for truth, reading in pairs:
        if reading and reading["board"] == truth["board"]:
            distance = np.linalg.norm(read_corners(reading) - read_corners(truth), axis=1) / measure_side(truth)
            assert distance.max() < 0.25, truth["board"]


def test_the_demo_is_exact(results: dict[Path, Json]) -> None:
    demo = ROOT / "samples" / "demo.jpg"
    (kingdom,) = results[demo]["kingdoms"]
    assert kingdom["board"] == TRUTHS[demo]["kingdoms"][0]["board"]


@pytest.mark.parametrize("photo", EMPTY_PHOTOS, ids=lambda path: path.stem)
def test_a_photo_without_a_kingdom_is_reported(photo: Path, results: dict[Path, Json]) -> None:
    assert (results[photo]["kingdoms"], bool(results[photo]["hint"])) == ([], True)
    with pytest.raises(NoKingdomFound):
        kdvision.read(photo)


def test_an_unknown_sample_is_wrong_usage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["samples", "dmeo", "--folder", str(tmp_path)])
    with pytest.raises(SystemExit) as exit_info:
        samples.main()
    assert exit_info.value.code == 2
    assert "there is no sample dmeo" in capsys.readouterr().err
