"""Evaluating, with a reader that answers from notation: what is right, what is silent, and the files around it."""

import csv
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from kdvision.errors import KdvisionError, NoKingdomFound
from kdvision.evaluate.corruptions import SEVERITIES, WAYS, spoil
from kdvision.evaluate.evaluate import Labelled, compare, labelled, run
from kdvision.game.board import Board
from kdvision.pipeline import KingdomReading
from kdvision.vision.image.photo import Photo
from tests.kingdoms import SMALL, doubt, png, seen, table_photo

OTHER = "l l1 / # w"


def truth(*boards: str, corners: Sequence[float] | None = None) -> Labelled:
    """The truth of a photo with these kingdoms, each at the x given as corners."""
    squares = [np.array([[x, 0.0], [x + 9, 0], [x + 9, 9], [x, 9]]) for x in corners or ()]
    outlines = tuple(squares) or (None,) * len(boards)
    parsed = tuple(Board.parse(board) for board in boards)
    return Labelled(Path("room/photo.jpg"), parsed, tuple(5 for _ in boards), outlines)


def test_the_same_board_is_exact() -> None:
    row = compare(truth(SMALL), [seen(SMALL)])
    assert row.exact and row.shape and row.points_exact and row.upright
    assert (row.found, row.squares, row.before, row.after, row.score_error) == (1, 8, 8, 8, 0)
    assert not row.silent and not row.review


def test_a_turned_board_is_exact_but_not_upright() -> None:
    row = compare(truth(SMALL), [seen(str(Board.parse(SMALL).turned(1)))])
    assert row.exact and row.points_exact and not row.upright


def test_a_mirrored_board_is_wrong() -> None:
    assert not compare(truth(SMALL), [seen(str(Board.parse(SMALL).mirrored()))]).exact


def test_one_wrong_square_without_a_warning_is_silent() -> None:
    wrong = SMALL.replace("f1", "f")
    row = compare(truth(SMALL), [seen(wrong)])
    assert row.shape and not row.exact and row.silent
    assert (row.after, row.score_error, row.points_exact) == (7, 2, False)
    warned = compare(truth(SMALL), [seen(wrong, doubts=[doubt("C2", "f", "f1")])])
    assert warned.review and not warned.exact and not warned.silent


def test_a_missing_tile_is_a_wrong_shape() -> None:
    row = compare(truth("w1 w w / # f f1"), [seen("w1 w w / # f .")])
    assert not row.shape and not row.exact and row.after == 5


def test_an_invented_tile_costs_a_square() -> None:
    assert compare(truth("w1 w . / # f f1"), [seen("w1 w w / # f f1")]).after == 4


def test_empty_rows_of_the_frame_do_not_count() -> None:
    assert compare(truth(SMALL), [seen(". . . . / . w1 w w / . # f f1 / . . l l")]).exact


def test_kingdoms_are_paired_by_their_places() -> None:
    reads = [seen(OTHER, left=400), seen(SMALL, left=40)]
    assert compare(truth(SMALL, OTHER, corners=[60, 420]), reads).exact
    assert not compare(truth(SMALL, OTHER, corners=[420, 60]), reads).exact
    assert compare(truth(SMALL, OTHER), reads).exact


def test_kingdoms_missed_and_invented() -> None:
    missed = compare(truth(SMALL, OTHER), [seen(SMALL)])
    assert (missed.kingdoms, missed.found, missed.invented) == (2, 1, 0)
    assert not missed.shape and not missed.exact and missed.silent and missed.score_error == 5
    invented = compare(truth(SMALL), [seen(SMALL), seen("g g2 / # s")])
    assert (invented.found, invented.invented, invented.exact, invented.silent) == (1, 1, False, True)


@pytest.fixture
def rooms(tmp_path: Path) -> Path:
    """Two rooms with a photo each, and a JSON that is no truth."""
    for room, board in (("attic", SMALL), ("cellar", OTHER)):
        (tmp_path / room).mkdir()
        (tmp_path / room / "1.png").write_bytes(png(table_photo().pixels))
        kingdom = {"board": board.split(" / "), "points": 5 if room == "attic" else 2}
        (tmp_path / room / "1.json").write_text(json.dumps({"photo": "1.png", "kingdoms": [kingdom]}))
    (tmp_path / "notes.json").write_text("{}")
    return tmp_path


def attic(photo: Photo) -> list[KingdomReading]:
    """Sees the attic's kingdom everywhere but in the cellar."""
    if "cellar" in photo.name:
        raise NoKingdomFound("nothing here", stage="finder")
    return [seen(SMALL)]


def test_a_run_has_a_row_a_photo_a_line_a_room_and_its_csv(rooms: Path, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    report = run(rooms, csv=tmp_path / "rows.csv", reader=attic, progress=lambda *so_far: told.append(so_far))
    assert [row.room for row in report.rows] == ["attic", "cellar"] and told == [(1, 2), (2, 2)]
    assert report.rows[0].exact and not report.rows[1].exact
    assert report.rows[1].error == "NoKingdomFound: nothing here" and not report.rows[1].silent
    lines = str(report).splitlines()
    assert [line.split()[0] for line in lines] == ["room", "attic", "cellar", "all"]
    assert "1 of 2" in lines[-1]
    with (tmp_path / "rows.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["photo"], row["exact"], row["true"]) for row in rows] == [("1.png", "1", SMALL), ("1.png", "0", OTHER)]


def test_points_are_scored_where_the_truth_has_none(rooms: Path) -> None:
    (rooms / "attic" / "1.json").write_text(json.dumps({"kingdoms": [{"board": SMALL.split(" / ")}]}))
    assert next(labelled(rooms)).points == (5,)


def test_a_folder_without_truth_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(KdvisionError, match="no labelled photos") as caught:
        run(tmp_path, reader=attic)
    assert "JSON" in caught.value.hint


def test_stress_reads_each_photo_in_every_hard_way(rooms: Path) -> None:
    report = run(rooms / "attic", stress=True, reader=attic)
    assert {(row.way, row.severity) for row in report.rows} == {(way, s) for way in WAYS for s in SEVERITIES}
    assert len(report.rows) == 24 and all(row.exact for row in report.rows)
    assert str(report).splitlines()[1].startswith("fewer pixels 1")


def test_each_seed_spoils_anew(rooms: Path) -> None:
    """The photos are read 24 times for each seed, after once as they are; one seed always spoils alike."""

    def shown(*seeds: int) -> list[bytes]:
        seen_so_far: list[bytes] = []

        def reader(photo: Photo) -> list[KingdomReading]:
            seen_so_far.append(photo.pixels.tobytes())
            return attic(photo)

        run(rooms / "attic", stress=True, reader=reader, seeds=seeds)
        return seen_so_far[-24 * len(seeds) * len(list(labelled(rooms / "attic"))) :]

    first, both = shown(1), shown(1, 2)
    half = len(first)
    assert len(both) == 2 * half and both[:half] == first
    assert sum(one != other for one, other in zip(both[:half], both[half:], strict=True)) >= half // 3


def test_rows_and_their_order_are_the_same_by_several_processes(rooms: Path) -> None:
    (rooms / "attic" / "2.png").write_bytes(b"no picture")
    (rooms / "attic" / "2.json").write_text(json.dumps({"kingdoms": [{"board": ["w #"]}]}))
    alone, together = (run(rooms, stress=True, reader=attic, workers=workers).rows for workers in (1, 2))
    assert len(alone) == 3 * 24
    assert [replace(row, seconds=0.0) for row in alone] == [replace(row, seconds=0.0) for row in together]
    assert all(bool(row.error) == (row.photo == "2.png" or row.room == "cellar") for row in alone)


@pytest.fixture(scope="module")
def chart() -> NDArray[np.uint8]:
    """A picture with something to lose: noise in squares of 40 pixels, dark to light."""
    rng = np.random.default_rng(0)
    return np.kron(rng.integers(30, 220, (9, 12, 3)), np.ones((40, 40, 1))).astype(np.uint8)


@pytest.mark.parametrize("way", WAYS)
def test_spoiling_is_seeded_and_grows(chart: NDArray[np.uint8], way: str) -> None:
    spoiled = [spoil(chart, way, severity, square=60, name="a", seed=1) for severity in SEVERITIES]
    again = spoil(chart, way, 2, square=60, name="a", seed=1)
    assert np.array_equal(spoiled[1], again) and again.dtype == np.uint8 and again.flags.c_contiguous
    assert not np.array_equal(chart, spoiled[0])
    if all(picture.shape == chart.shape for picture in spoiled) and way != "glare":
        lost = [np.abs(picture.astype(float) - chart).mean() for picture in spoiled]
        assert lost == sorted(lost)


def test_squares_get_as_few_pixels_as_said(chart: NDArray[np.uint8]) -> None:
    widths = [spoil(chart, "fewer pixels", s, square=52).shape[1] for s in SEVERITIES]
    assert widths == [240, round(480 * 18 / 52), 120 if 360 * 13 / 52 >= 72 else widths[2]]
    assert spoil(chart, "fewer pixels", 1, square=20).shape == chart.shape
