"""Evaluation with a reader that returns boards from notation: metrics, files and corruptions."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from kdvision.errors import KdvisionError, NoKingdomFound
from kdvision.evaluate.corruptions import CORRUPTIONS, SEVERITIES, corrupt
from kdvision.evaluate.corruptions.pixels import CellLayout
from kdvision.evaluate.evaluate import compare_with_label, evaluate, match_kingdoms, measure_cells
from kdvision.evaluate.labels import LabelledPhoto, list_labelled_photos
from kdvision.evaluate.summary import PhotoResult, format_csv, summarise
from kdvision.game.board import Board
from kdvision.pipeline import KingdomReading
from kdvision.vision.image.photo import Photo
from tests.kingdoms import SMALL, make_doubt, make_reading, png, table_photo

OTHER_BOARD = "l l1 / # w"


def make_truth(*boards: str) -> LabelledPhoto:
    """Return the truth of a photo with these kingdoms."""
    return LabelledPhoto(Path("room/photo.jpg"), tuple(map(Board.parse, boards)), (5,) * len(boards))


def test_the_same_board_is_exact() -> None:
    row = compare_with_label(make_truth(SMALL), [make_reading(SMALL)])
    assert row.exact and row.shape and row.points_exact and row.upright
    assert (row.found, row.squares, row.before, row.after, row.score_error) == (1, 8, 8, 8, 0)
    assert not row.silent and not row.review


def test_a_rotated_board_is_exact_but_not_upright() -> None:
    row = compare_with_label(make_truth(SMALL), [make_reading(str(Board.parse(SMALL).rotate(1)))])
    assert row.exact and row.points_exact and not row.upright


def test_a_rotated_board_is_the_same_kingdom() -> None:
    (match,) = match_kingdoms([Board.parse(OTHER_BOARD)], [make_reading(str(Board.parse(OTHER_BOARD).rotate(1)))])
    assert match is not None and match.is_exact and match.quarter_turns == 3


def test_without_kingdoms_on_one_side_nothing_matches() -> None:
    assert match_kingdoms([], [make_reading(SMALL)]) == []
    assert match_kingdoms([Board.parse(SMALL)], []) == [None]


def test_a_mirrored_board_is_wrong() -> None:
    assert not compare_with_label(make_truth(SMALL), [make_reading(str(Board.parse(SMALL).mirror()))]).exact


def test_one_wrong_square_without_a_warning_is_a_silent_error() -> None:
    misread_board = SMALL.replace("f1", "f")
    row = compare_with_label(make_truth(SMALL), [make_reading(misread_board)])
    assert row.shape and not row.exact and row.silent
    assert (row.after, row.score_error, row.points_exact) == (7, 2, False)
    flagged_row = compare_with_label(
        make_truth(SMALL), [make_reading(misread_board, doubts=[make_doubt("C2", "f", "f1")])]
    )
    assert flagged_row.review and not flagged_row.exact and not flagged_row.silent


def test_a_missing_tile_is_a_wrong_shape() -> None:
    row = compare_with_label(make_truth("w1 w w / # f f1"), [make_reading("w1 w w / # f .")])
    assert not row.shape and not row.exact and row.after == 5


def test_an_invented_tile_costs_a_square() -> None:
    assert compare_with_label(make_truth("w1 w . / # f f1"), [make_reading("w1 w w / # f f1")]).after == 4


def test_empty_rows_of_the_frame_do_not_count() -> None:
    assert compare_with_label(make_truth(SMALL), [make_reading(". . . . / . w1 w w / . # f f1 / . . l l")]).exact


def test_kingdoms_are_matched_by_agreement() -> None:
    assert compare_with_label(make_truth(SMALL, OTHER_BOARD), [make_reading(OTHER_BOARD), make_reading(SMALL)]).exact


def test_kingdoms_missed_and_invented() -> None:
    row = compare_with_label(make_truth(SMALL, OTHER_BOARD), [make_reading(SMALL)])
    assert (row.kingdoms, row.found, row.invented) == (2, 1, 0)
    assert not row.shape and not row.exact and row.silent and row.score_error == 5
    row = compare_with_label(make_truth(SMALL), [make_reading(SMALL), make_reading("g g2 / # s")])
    assert (row.found, row.invented, row.exact, row.silent) == (1, 1, False, True)


@pytest.fixture
def rooms(tmp_path: Path) -> Path:
    """Two rooms with a photo each, and a JSON file that is not a label."""
    for room, board in (("attic", SMALL), ("cellar", OTHER_BOARD)):
        (tmp_path / room).mkdir()
        (tmp_path / room / "1.png").write_bytes(png(table_photo(240, 180).pixels))
        kingdom = {"board": board.split(" / "), "points": 5 if room == "attic" else 2}
        (tmp_path / room / "1.json").write_text(json.dumps({"photo": "1.png", "kingdoms": [kingdom]}))
    (tmp_path / "notes.json").write_text("{}")
    return tmp_path


def read_attic(photo: Photo) -> list[KingdomReading]:
    """Return the attic's kingdom for every photo outside the cellar."""
    if "cellar" in photo.name:
        raise NoKingdomFound("nothing here")
    return [make_reading(SMALL)]


def test_an_evaluation_has_a_result_for_each_photo_a_line_for_each_room_and_a_csv(rooms: Path, tmp_path: Path) -> None:
    progress: list[tuple[int, int]] = []
    results = evaluate(
        rooms, csv=tmp_path / "rows.csv", reader=read_attic, progress=lambda *counts: progress.append(counts)
    )
    assert [result.room for result in results] == ["attic", "cellar"] and progress == [(1, 2), (2, 2)]
    assert results[0].exact and not results[1].exact
    assert results[1].error == "NoKingdomFound: nothing here" and not results[1].silent
    lines = summarise(results).splitlines()
    assert [line.split()[0] for line in lines] == ["room", "attic", "cellar", "all"]
    assert "1 of 2" in lines[-1]
    with (tmp_path / "rows.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["photo"], row["exact"], row["true"]) for row in rows] == [
        ("1.png", "1", SMALL),
        ("1.png", "0", OTHER_BOARD),
    ]


def test_points_missing_from_a_label_are_scored(rooms: Path) -> None:
    """The byte order mark is what Windows may write first."""
    text = json.dumps({"kingdoms": [{"board": SMALL.split(" / ")}]})
    (rooms / "attic" / "1.json").write_text(text, encoding="utf-8-sig")
    assert next(list_labelled_photos(rooms)).points == (5,)


def test_a_folder_with_the_name_of_a_label_is_no_label(rooms: Path) -> None:
    labels = len(list(list_labelled_photos(rooms)))
    photo = next(list_labelled_photos(rooms)).path
    photo.with_name("folder.jpg").write_bytes(photo.read_bytes())
    photo.with_name("folder.json").mkdir()
    assert len(list(list_labelled_photos(rooms))) == labels


@pytest.mark.parametrize("kingdom", [{"board": [["w", "w"], ["#", "l"]]}, {"board": ["w #"], "points": []}])
def test_a_malformed_label_is_named(kingdom: dict[str, list[object]], rooms: Path) -> None:
    (rooms / "attic" / "1.json").write_text(json.dumps({"kingdoms": [kingdom]}))
    with pytest.raises(KdvisionError, match=r"1\.json is not a label of a photo"):
        list(list_labelled_photos(rooms))


def test_a_label_that_cannot_be_read_is_named(rooms: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", refuse)
    with pytest.raises(KdvisionError, match=r"is not a label of a photo: .*Permission denied"):
        list(list_labelled_photos(rooms))


@pytest.mark.parametrize("suffix", [".JPG", ".Jpg", ".tif", ".heif"])
def test_every_suffix_of_a_photo_is_accepted(suffix: str, tmp_path: Path) -> None:
    (tmp_path / f"IMG_1{suffix}").write_bytes(b"")
    (tmp_path / "IMG_1.json").write_text(json.dumps({"kingdoms": [{"board": SMALL}]}))
    assert len(list(list_labelled_photos(tmp_path))) == 1


def test_a_folder_without_labels_is_an_error_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(KdvisionError, match="no labelled photos") as error_info:
        evaluate(tmp_path, reader=read_attic)
    assert "JSON" in error_info.value.hint


READINGS = len(CORRUPTIONS) * len(SEVERITIES)


def test_stress_reads_each_photo_under_every_corruption(rooms: Path) -> None:
    results = evaluate(rooms / "attic", stress=True, reader=read_attic)
    assert {(result.way, result.severity) for result in results} == {
        (way, s) for way in CORRUPTIONS for s in SEVERITIES
    }
    assert len(results) == READINGS and all(result.exact for result in results)
    lines = summarise(results).splitlines()
    assert lines[1].startswith("fewer pixels 1")
    ordinary = sum(len(SEVERITIES) for corruption in CORRUPTIONS.values() if not corruption.adversarial)
    assert lines[-2].split()[:2] == ["ordinary", str(ordinary)] and lines[-1].split()[:2] == ["all", str(READINGS)]


def test_the_borders_of_the_squares_are_measured(rooms: Path) -> None:
    reading = make_reading(SMALL)
    (photo,) = list_labelled_photos(rooms / "attic")
    cells = measure_cells(photo, lambda _: [reading])
    (left, top), (right, bottom) = reading.grid.corners[0], reading.grid.corners[2]
    assert cells.row_borders == pytest.approx(np.linspace(top, bottom, 4))
    assert cells.column_borders == pytest.approx(np.linspace(left, right, 4))
    assert measure_cells(photo, lambda _: []).row_borders == ()


def test_each_seed_draws_other_corruptions(rooms: Path) -> None:
    """Photos are read unchanged, then under each corruption for each seed. A seed always gives the same pictures."""

    def read_pictures(*seeds: int) -> list[bytes]:
        pictures: list[bytes] = []

        def reader(photo: Photo) -> list[KingdomReading]:
            pictures.append(photo.pixels.tobytes())
            return read_attic(photo)

        evaluate(rooms / "attic", stress=True, reader=reader, seeds=seeds)
        return pictures[-READINGS * len(seeds) * len(list(list_labelled_photos(rooms / "attic"))) :]

    first_pictures, all_pictures = read_pictures(1), read_pictures(1, 2)
    count = len(first_pictures)
    assert len(all_pictures) == 2 * count and all_pictures[:count] == first_pictures
    pairs = zip(all_pictures[:count], all_pictures[count:], strict=True)
    assert sum(first != second for first, second in pairs) >= count // 3


def test_results_and_their_order_do_not_depend_on_the_number_of_processes(
    rooms: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    selection = {name: CORRUPTIONS[name] for name in ("further tilt", "dark", "glare", "crop")}
    monkeypatch.setattr("kdvision.evaluate.evaluate.CORRUPTIONS", selection)
    (rooms / "attic" / "2.png").write_bytes(b"no picture")
    (rooms / "attic" / "2.json").write_text(json.dumps({"kingdoms": [{"board": ["w #"]}]}))
    serial_results, parallel_results = (
        evaluate(rooms, stress=True, reader=read_attic, workers=workers) for workers in (1, 2)
    )
    assert len(serial_results) == 3 * len(selection) * len(SEVERITIES)
    assert [replace(result, seconds=0.0) for result in serial_results] == [
        replace(result, seconds=0.0) for result in parallel_results
    ]
    assert all(bool(result.error) == (result.photo == "2.png" or result.room == "cellar") for result in serial_results)


@pytest.fixture(scope="module")
def chart() -> NDArray[np.uint8]:
    """A picture that every corruption changes: noise in squares of 40 pixels, dark to light."""
    rng = np.random.default_rng(0)
    return np.kron(rng.integers(30, 220, (9, 12, 3)), np.ones((40, 40, 1))).astype(np.uint8)


RANDOMLY_PLACED_CORRUPTIONS = ("glare", "leaf shadows", "blind stripes", "hard shadow", "watermark", "screen")
"""Corruptions at random places: a severity may change less of the picture than the one below it."""


@pytest.mark.parametrize("way", CORRUPTIONS)
def test_corruptions_are_seeded_and_grow_with_severity(chart: NDArray[np.uint8], way: str) -> None:
    pictures = [corrupt(chart, way, severity, cells=CellLayout(60), name="a", seed=1) for severity in SEVERITIES]
    same_picture = corrupt(chart, way, 2, cells=CellLayout(60), name="a", seed=1)
    assert np.array_equal(pictures[1], same_picture)
    assert same_picture.dtype == np.uint8 and same_picture.flags.c_contiguous
    assert not np.array_equal(chart, pictures[0])
    is_randomly_placed = CORRUPTIONS[way].family == "covered" or way in RANDOMLY_PLACED_CORRUPTIONS
    if all(picture.shape == chart.shape for picture in pictures) and not is_randomly_placed:
        losses = [np.abs(picture.astype(float) - chart).mean() for picture in pictures]
        assert losses == sorted(losses)


@pytest.mark.parametrize("name", ["a", "b", "c", "d"])
def test_a_cropped_picture_is_not_turned(chart: NDArray[np.uint8], name: str) -> None:
    height, width, _ = corrupt(chart, "crop", 2, cells=CellLayout(60), name=name).shape
    assert (height == len(chart)) != (width == chart.shape[1])


@pytest.mark.parametrize("name", ["a", "b", "c", "d", "e", "f"])
def test_a_crop_between_tiles_ends_at_a_border(chart: NDArray[np.uint8], name: str) -> None:
    cells = CellLayout(40, row_borders=(40, 80, 121, 160, 200), column_borders=(81, 120, 160, 200, 240))
    height, width, _ = corrupt(chart, "crop between tiles", 2, cells=cells, name=name).shape
    ends = {(121, 480), (360 - 121, 480), (360, 160), (360, 480 - 160)}
    assert (height, width) in ends


def test_downscaling_gives_squares_the_stated_number_of_pixels(chart: NDArray[np.uint8]) -> None:
    widths = [corrupt(chart, "fewer pixels", s, cells=CellLayout(52)).shape[1] for s in SEVERITIES]
    assert widths == [240, round(480 * 18 / 52), 120 if 360 * 13 / 52 >= 72 else widths[2]]
    assert corrupt(chart, "fewer pixels", 1, cells=CellLayout(20)).shape == chart.shape


RESULT = PhotoResult(
    "1.jpg", "desk", 1, 1, 0, True, 9, 9, 9, True, 1, True, 0, False, False, True, 0.99, 0.5, SMALL, SMALL
)  # fmt: skip


def test_the_csv_has_all_figures() -> None:
    silent_error = replace(RESULT, exact=False, silent=True, error="PhotoError: no, not a photo", way="glare")
    (row,) = csv.DictReader(io.StringIO(format_csv([silent_error])))
    assert (row["photo"], row["exact"], row["silent"], row["upright"]) == ("1.jpg", "0", "1", "1")
    assert (row["squares"], row["probability"], row["true"]) == ("9", "0.99", SMALL)
    assert (row["error"], row["way"]) == ("PhotoError: no, not a photo", "glare")


def test_the_summary_counts_in_terms_of_selective_classification() -> None:
    false_alarm = replace(RESULT, review=True)
    silent_error = replace(RESULT, exact=False, silent=True)
    flagged_error = replace(RESULT, exact=False, review=True)
    table = summarise([RESULT, false_alarm, silent_error, flagged_error])
    header, _, total_line = (line.split("  ") for line in table.splitlines())
    figures = dict(
        zip(*([word.strip() for word in line if word.strip()] for line in (header, total_line)), strict=True)
    )
    assert {name: figures[name] for name in ("exact", "flagged", "silent errors", "false alarms", "coverage")} == {
        "exact": "2",
        "flagged": "2",
        "silent errors": "1",
        "false alarms": "1",
        "coverage": "50.0 %",
    }


def test_a_room_controls_no_terminal() -> None:
    line = summarise([replace(RESULT, room="de\x1b[31m\nsk")]).splitlines()[1]
    assert line.startswith("de\ufffd[31m sk")
