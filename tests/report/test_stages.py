"""The pictures of `kdvision look`: there is one for each stage, and it shows the result of the stage."""

import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from kdvision.report.overlay import AMBER, MAX_OVERLAY_SIDE
from kdvision.report.stages import GREEN, STAGES, draw_stage
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.probabilities import ClassProbabilities
from kdvision.vision.detect.hypothesis import LatticeHypothesis
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.detector import Detections
from tests.conftest import Run
from tests.kingdoms import SMALL, make_plain_observation, table_photo
from tests.paths import SAMPLES


def count_pixels(pixels: np.ndarray[tuple[int, ...], np.dtype[np.uint8]], colour: tuple[int, int, int]) -> int:
    """Return the number of pixels with about this colour; lines are smooth."""
    return int((np.abs(pixels.astype(int) - colour).max(axis=2) < 60).sum())


def make_hypothesis(left: float, side: float = 40.0) -> LatticeHypothesis:
    """Return a lattice of three squares in a row."""
    places = [(0, 0), (1, 0), (2, 0)]
    matrix = np.array([[side, 0, left], [0, side, 200], [0, 0, 1.0]])
    centre = np.array([[left + side * (c + 0.5), 200 + side / 2] for c, _ in places])
    half = np.tile([side / 2, 0], (3, 1))
    squares = Detections(centre, half, half[:, ::-1], np.ones(3))
    return LatticeHypothesis(np.array(places), squares, matrix, np.zeros((0, 2), int))


def make_observation() -> GridObservation:
    return make_plain_observation(ClassProbabilities.of(SMALL), left=40)


def test_squares_are_drawn_where_they_were_detected() -> None:
    photo = table_photo()
    picture = draw_stage("squares", [make_hypothesis(300).squares, make_hypothesis(100).squares], photo)
    assert picture is not None
    is_changed = (picture != photo.pixels).any(axis=2)
    assert is_changed[200:240, 300:420].mean() > 0.1
    assert not is_changed[260:].any()


def test_accepted_lattices_differ_from_rejected_ones() -> None:
    accepted_lattice, rejected_lattice = make_hypothesis(100), make_hypothesis(120, side=30)
    picture = draw_stage("lattices", [rejected_lattice, accepted_lattice], table_photo())
    assert picture is not None
    assert count_pixels(picture[234:244, 100:220], GREEN) > 100, "the lower edge of the larger one"
    assert count_pixels(picture[226:234, 122:208], AMBER) > 50, "that of the other"
    assert count_pixels(picture, AMBER) < count_pixels(picture, GREEN)


def test_cells_with_a_tile_differ_from_empty_ones() -> None:
    picture = draw_stage("cells", [make_observation()], table_photo())
    assert picture is not None
    tile_pixels, empty_pixels = picture[60:110, 90:140], picture[164:206, 44:86]
    assert count_pixels(tile_pixels, GREEN) > 50
    assert not count_pixels(empty_pixels, GREEN)


@pytest.mark.parametrize(("stage", "value"), [("squares", []), ("lattices", []), ("cells", [])])
def test_an_empty_stage_has_a_picture(stage: str, value: object) -> None:
    picture = draw_stage(stage, value, table_photo())
    assert picture is not None
    assert picture.shape == (480, 640, 3)


def test_pictures_of_large_photos_are_scaled_down() -> None:
    photo = Photo.open(np.zeros((3000, 4000, 3), np.uint8))
    picture = draw_stage("photo", photo, photo)
    assert picture is not None
    assert max(picture.shape) == MAX_OVERLAY_SIDE
    assert draw_stage("decide", [], photo) is None


def test_look_draws_every_stage(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "new" / "stages"
    result = run("look", SAMPLES / "demo.jpg", "-o", out)
    expected_names = [f"{number:02}-{stage}.jpg" for number, stage in enumerate(STAGES, start=1)]
    assert (result.code, result.err, sorted(path.name for path in out.iterdir())) == (0, "", expected_names)
    assert [Path(line).name for line in result.out.splitlines()] == expected_names
    for path in out.iterdir():
        with Image.open(path) as picture:
            assert max(picture.size) <= MAX_OVERLAY_SIDE


def test_look_ends_with_the_stage_that_found_nothing(run: Run, tmp_path: Path) -> None:
    result = run("look", SAMPLES / "no-kingdom.jpg", "-o", tmp_path)
    assert result.code == 4
    assert sorted(path.name for path in tmp_path.iterdir())[-1] == "04-cells.jpg"
    assert "no kingdom" in result.err


def test_look_removes_pictures_of_an_earlier_photo(run: Run, tmp_path: Path) -> None:
    assert run("look", SAMPLES / "demo.jpg", "-o", tmp_path).code == 0
    assert run("look", SAMPLES / "no-kingdom.jpg", "-o", tmp_path).code == 4
    assert sorted(path.name for path in tmp_path.iterdir())[-1] == "04-cells.jpg"


def test_no_stage_overwrites_its_photo(run: Run, tmp_path: Path) -> None:
    photo = tmp_path / "05-board.jpg"
    photo.write_bytes(before := (SAMPLES / "no-kingdom.jpg").read_bytes())
    result = run("look", photo, "-o", tmp_path)
    assert result.code == 2 and "would be overwritten" in result.err
    assert photo.read_bytes() == before and [*tmp_path.iterdir()] == [photo]


def test_look_with_an_outline_skips_the_search(run: Run, tmp_path: Path) -> None:
    result = run("look", SAMPLES / "demo.jpg", "-o", tmp_path, "--corners", "5x5: 20,20 300,20 300,300 20,300")
    names = [path.name for path in sorted(tmp_path.iterdir())]
    assert result.code in (0, 4)
    assert names[:2] == ["01-photo.jpg", "04-cells.jpg"]


@pytest.mark.parametrize("out", ["file/where", "file"])
def test_pictures_that_cannot_be_written_are_an_ordinary_error(out: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = run("look", SAMPLES / "demo.jpg", "-o", tmp_path / out)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("kdvision: the folder")
    assert result.err.endswith("Choose a folder that you may write to.\n")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_an_ordinary_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir(mode=0o500)
    result = run("look", SAMPLES / "demo.jpg", "-o", tmp_path / "out")
    assert (result.code, result.out) == (1, "")
    assert "Usage" not in result.err and "Permission denied" in result.err
