"""The samples through the program as shipped, real networks and all: floors for every stage, and the one of nothing."""

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
from tests.paths import ROOT

TRUTHS = {path.with_suffix(".jpg"): json.loads(path.read_text("utf-8")) for path in (ROOT / "samples").glob("*.json")}
PHOTOS = sorted((ROOT / "samples").glob("*.jpg"))
EMPTY = [photo for photo in PHOTOS if not TRUTHS[photo]["kingdoms"]]

Found = dict[str, Any]


@pytest.fixture(scope="module")
def told() -> dict[Path, Found]:
    """What `kdvision score --json` says of every sample; the picture without a kingdom makes the exit code 7."""
    command = [sys.executable, "-m", "kdvision", "score", "--json", *map(str, PHOTOS)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 7, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return dict(zip(PHOTOS, lines, strict=True))


@pytest.fixture(scope="module")
def pairs(told: dict[Path, Found]) -> list[tuple[Found, Found | None]]:
    """Every true kingdom with the one that was read where it lies, None where nothing was."""
    return [(truth, there(truth, told[photo]["kingdoms"])) for photo in PHOTOS for truth in TRUTHS[photo]["kingdoms"]]


def corners(kingdom: Found) -> NDArray[np.float64]:
    return np.asarray(kingdom.get("corners_tl_tr_br_bl_px") or kingdom["corners"], dtype=np.float64)


def side(truth: Found) -> float:
    """The side of a square in pixels: the root of its share of the outline's area."""
    (x, y), (u, v) = corners(truth).T, np.roll(corners(truth), -1, axis=0).T
    return float(np.sqrt(abs((x * v - u * y).sum()) / 2 / (len(truth["board"]) * len(truth["board"][0].split()))))


def there(truth: Found, kingdoms: list[Found]) -> Found | None:
    """The kingdom whose middle lies within two squares of the true one's."""
    away = {np.linalg.norm(corners(k).mean(0) - corners(truth).mean(0)) / side(truth): k for k in kingdoms}
    return away[min(away)] if away and min(away) < 2 else None


def squares_right(truth: Found, read: Found | None) -> int:
    """How many squares of the true frame show what they do in truth."""
    if read is None or read["board"] == []:
        return 0
    wanted, board = Board.parse(truth["board"]), Board.parse(read["board"])
    return sum(board.get(square) == cell for square, cell in wanted.items())


def test_there_are_samples() -> None:
    assert len(PHOTOS) >= 7
    assert len(EMPTY) == 1
    assert set(PHOTOS) == set(TRUTHS)
    sizes = {max(len(k["board"]), len(k["board"][0].split())) for t in TRUTHS.values() for k in t["kingdoms"]}
    assert {5, 7} <= sizes


def test_every_kingdom_is_found_and_none_invented(
    told: dict[Path, Found], pairs: list[tuple[Found, Found | None]]
) -> None:
    assert all(read for _, read in pairs)
    assert sum(len(result["kingdoms"]) for result in told.values()) == len(pairs)


def test_shapes(pairs: list[tuple[Found, Found | None]]) -> None:
    """Tile or none, everywhere; one kingdom may differ."""
    right = [read is not None and holes(truth["board"]) == holes(read["board"]) for truth, read in pairs]
    assert sum(right) >= len(pairs) - 1


def holes(board: list[str]) -> list[list[bool]]:
    return [[word == "." for word in row.split()] for row in board]


def test_squares(pairs: list[tuple[Found, Found | None]]) -> None:
    total = sum(len(Board.parse(truth["board"])) for truth, _ in pairs)
    assert sum(squares_right(truth, read) for truth, read in pairs) >= 0.98 * total


def test_boards_and_points(pairs: list[tuple[Found, Found | None]]) -> None:
    """Boards as they lie in the photo, not only after some turn."""
    exact = [read for truth, read in pairs if read and read["board"] == truth["board"]]
    assert len(exact) >= len(pairs) - 1
    told = [(truth, read) for truth, read in pairs if read in exact and read["points"] is not None]
    assert all(read["points"] == truth["points"] for truth, read in told)
    assert len(told) >= len(exact) - 2  # there are two with pieces, of which a person has to tell more


def test_nothing_is_wrong_without_a_warning(pairs: list[tuple[Found, Found | None]]) -> None:
    assert not [read for truth, read in pairs if read and read["board"] != truth["board"] and not read["review"]]


def test_corners_lie_where_they_do_in_truth(pairs: list[tuple[Found, Found | None]]) -> None:
    """Within a quarter of a square, where the board is right."""
    for truth, read in pairs:
        if read and read["board"] == truth["board"]:
            away = np.linalg.norm(corners(read) - corners(truth), axis=1) / side(truth)
            assert away.max() < 0.25, truth["board"]


def test_the_demo_is_right(told: dict[Path, Found]) -> None:
    demo = ROOT / "samples" / "demo.jpg"
    (kingdom,) = told[demo]["kingdoms"]
    assert kingdom["board"] == TRUTHS[demo]["kingdoms"][0]["board"]


@pytest.mark.parametrize("photo", EMPTY, ids=lambda path: path.stem)
def test_a_picture_of_no_kingdom_says_so(photo: Path, told: dict[Path, Found]) -> None:
    assert (told[photo]["kingdoms"], bool(told[photo]["hint"])) == ([], True)
    with pytest.raises(NoKingdomFound):
        kdvision.read(photo)
