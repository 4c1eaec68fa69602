"""Files from strangers give a picture or an error with a hint, within the limits of time and memory."""

from collections.abc import Iterable
from multiprocessing import get_context
from pathlib import Path

import pytest

from kdvision import pipeline
from kdvision.vision.image.limits import MAX_SCANS, count_scans
from kdvision.vision.image.photo import Photo
from tests.conftest import Run
from tests.paths import SAMPLES
from tests.robustness import hostile_files
from tests.robustness.bombs import make_bombs, make_passes
from tests.robustness.hostile_files import (
    HostileFile,
    Outcome,
    attempt,
    make_animations,
    make_changed_headers,
    make_good_files,
    make_largest_files,
    make_misnamed_files,
    make_odd_colours,
    make_picture,
    make_truncated_files,
    save,
)
from tests.robustness.scale import IS_LONG

SIZE = (320, 240) if IS_LONG else (160, 120)


def attempt_all(files: Iterable[HostileFile]) -> tuple[int, list[Outcome]]:
    """Return how many files were opened, and the harmful outcomes; slow files are opened in long runs only."""
    outcomes = [attempt(file) for file in files if IS_LONG or not file.is_slow]
    return len(outcomes), [outcome for outcome in outcomes if outcome.is_harmful]


@pytest.fixture(scope="module")
def good_files() -> dict[str, bytes]:
    return make_good_files(SIZE)


def test_good_files_of_every_format_are_read(good_files: dict[str, bytes]) -> None:
    outcomes = [attempt(HostileFile(kind, data)) for kind, data in good_files.items()]
    assert len(outcomes) >= 8
    assert all("mean" in outcome.result for outcome in outcomes), outcomes


def test_truncated_files(good_files: dict[str, bytes]) -> None:
    for kind in ("JPEG", "progressive", "WEBP", "HEIF"):
        outcomes = [attempt(file) for file in make_truncated_files(kind, good_files[kind], 256 if IS_LONG else 1024)]
        assert [outcome for outcome in outcomes if outcome.is_harmful] == []
        assert [outcome.name for outcome in outcomes if "mean" in outcome.result] == []


def test_other_files_named_as_photos(good_files: dict[str, bytes]) -> None:
    count, harmful_outcomes = attempt_all(make_misnamed_files(good_files))
    assert (count > 60, harmful_outcomes) == (True, [])


def test_odd_colours_and_profiles() -> None:
    count, harmful_outcomes = attempt_all(make_odd_colours(make_picture(SIZE)))
    assert (count > 60, harmful_outcomes) == (True, [])


def test_animations_show_their_first_frame() -> None:
    outcomes = [attempt(file) for file in make_animations(SIZE)]
    size = f"{SIZE[0]} x {SIZE[1]}"
    assert [outcome for outcome in outcomes if outcome.is_harmful or size not in outcome.result] == []


def test_bombs(good_files: dict[str, bytes]) -> None:
    count, harmful_outcomes = attempt_all(make_bombs(good_files["JPEG"]))
    assert (count > 60, harmful_outcomes) == (True, [])


def test_changed_headers(good_files: dict[str, bytes]) -> None:
    count, harmful_outcomes = attempt_all(make_changed_headers(good_files))
    assert (count > 20, harmful_outcomes) == (True, [])


def test_a_tiny_file_with_millions_of_pixels() -> None:
    files = [file for file in make_largest_files() if IS_LONG or file.name == "largest.lossless.webp"]
    for file in files:
        with get_context("spawn").Pool(1) as pool:  # a process of its own: the memory of other tests does not count
            outcome = pool.apply(attempt, (file._replace(content=file.data),))
        assert not outcome.is_harmful, outcome
        assert "mean" in outcome.result
    assert len(next(file.data for file in files if file.name.endswith("lossless.webp"))) < 1000


def test_a_picture_that_can_be_opened_is_read(good_files: dict[str, bytes]) -> None:
    def read(file: HostileFile) -> str:
        return f"{len(pipeline.read(Photo.open(file.data, name=file.name)))} kingdoms"

    outcome = attempt(HostileFile("noise", good_files["JPEG"]), action=read)
    assert not outcome.is_harmful
    assert outcome.result.startswith("NoKingdomFound: noise shows no kingdom")


def test_scans_of_a_jpeg_are_counted(good_files: dict[str, bytes]) -> None:
    assert count_scans(good_files["JPEG"]) == 1
    assert 2 < count_scans(good_files["progressive"]) < 20
    assert count_scans(good_files["JPEG"] + good_files["progressive"]) == 1  # a second picture behind the first
    assert count_scans(make_passes(800, 800, 500)) == MAX_SCANS + 1


@pytest.mark.parametrize("name", ["zip.jpg", "svg.jpg", "heic-header.jpg", "PNG-on-JPEG.jpg"])
def test_an_invalid_photo_is_an_error_in_one_line(
    name: str, good_files: dict[str, bytes], run: Run, tmp_path: Path
) -> None:
    photo = tmp_path / "photo.jpg"
    photo.write_bytes(next(file.data for file in make_misnamed_files(good_files) if file.name == name))
    result = run("score", photo)
    assert (result.code, result.out, result.err.count("\n")) == (3, "", 1)
    assert result.err.startswith("kdvision: ")


def test_harm_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """An escaped exception, too much time and too much memory count as harm."""
    file = HostileFile("photo", save(make_picture(SIZE), "PNG"))
    assert not attempt(file).is_harmful
    for limit in ("MAX_SECONDS", "MAX_MEGABYTES"):
        with monkeypatch.context() as patch:
            patch.setattr(hostile_files, limit, -1.0)
            assert attempt(file).is_harmful
    outcome = attempt(file, action=lambda _: str(1 / 0))
    assert outcome.is_harmful and "ZeroDivisionError escaped" in outcome.result


def test_too_little_memory_is_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("kdvision.pipeline.read", fail)
    result = run("score", SAMPLES / "demo.jpg")
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    assert "not enough memory" in result.err
