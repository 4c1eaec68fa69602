"""Files from strangers: a picture or a clear error, soon and in little room. The whole corpus: kdvision.lab.robustness.hostile."""

from collections.abc import Iterable
from multiprocessing import get_context
from pathlib import Path

import pytest

from benchmarks.bench_photos import SAMPLES
from kdvision.lab.robustness import hostile
from kdvision.lab.robustness.hostile import File, attempt, corpus
from kdvision.vision.image.limits import MAX_SCANS, count_scans
from tests.conftest import Run

SIZE = (160, 120)


def harm(files: Iterable[File]) -> tuple[int, list[str]]:
    """How many files were tried, and what did harm."""
    outcomes = [attempt(file) for file in files if not file.heavy]
    return len(outcomes), [str(outcome) for outcome in outcomes if outcome.harm]


@pytest.fixture(scope="module")
def good() -> dict[str, bytes]:
    return hostile.good_files(SIZE)


def test_good_files_of_every_kind_are_read(good: dict[str, bytes]) -> None:
    outcomes = [attempt(File(kind, data)) for kind, data in good.items()]
    assert len(outcomes) >= 8
    assert all("mean" in outcome.what for outcome in outcomes), outcomes


def test_cut_at_every_kilobyte(good: dict[str, bytes]) -> None:
    for kind in ("JPEG", "progressive", "WEBP", "HEIF"):
        outcomes = [attempt(file) for file in hostile.cut(kind, good[kind], 1024)]
        assert [str(outcome) for outcome in outcomes if outcome.harm] == []
        read = [outcome.name for outcome in outcomes if "mean" in outcome.what]
        assert read == [], f"{read} of {kind} were read though their ends are missing"


def test_the_bytes_of_a_file_turned_over(good: dict[str, bytes]) -> None:
    for kind, data in good.items():
        assert harm(hostile.flipped(kind, data, 25)) == (25, [])


def test_what_is_no_picture_but_called_one(good: dict[str, bytes]) -> None:
    count, harmful = harm(hostile.misnamed(good))
    assert (count > 60, harmful) == (True, [])


def test_odd_colours_and_profiles() -> None:
    count, harmful = harm(hostile.colours(hostile.scene(SIZE)))
    assert (count > 60, harmful) == (True, [])


def test_films_show_their_first_frame() -> None:
    outcomes = [attempt(file) for file in hostile.animated(SIZE)]
    assert [str(outcome) for outcome in outcomes if outcome.harm or "160 x 120" not in outcome.what] == []


def test_bombs(good: dict[str, bytes]) -> None:
    count, harmful = harm(hostile.bombs(good["JPEG"]))
    assert (count > 60, harmful) == (True, [])


def test_headers_that_say_something_else(good: dict[str, bytes]) -> None:
    count, harmful = harm(hostile.changed(good))
    assert (count > 20, harmful) == (True, [])


def test_a_file_of_some_bytes_with_millions_of_pixels() -> None:
    (webp,) = (file for file in hostile.largest() if file.name == "largest.lossless.webp")
    assert len(webp.data) < 1000
    with get_context("spawn").Pool(1) as pool:  # whose memory holds no other test's
        outcome = pool.apply(attempt, (webp,))
    assert not outcome.harm, outcome
    assert "6324 x 6324" in outcome.what


def test_what_can_be_opened_is_read_too(good: dict[str, bytes]) -> None:
    outcome = attempt(File("noise", good["JPEG"]), what_of=hostile.read)
    assert not outcome.harm
    assert outcome.what.startswith("NoKingdomFound: noise shows no kingdom")


def test_passes_over_a_jpeg_are_counted(good: dict[str, bytes]) -> None:
    assert count_scans(good["JPEG"]) == 1
    assert 2 < count_scans(good["progressive"]) < 20
    assert count_scans(good["JPEG"] + good["progressive"]) == 1  # what follows the picture is another
    assert count_scans(hostile.passes(800, 800, 500)) == MAX_SCANS + 1


def test_the_corpus_names_every_file_once(tmp_path: Path) -> None:
    names = [file.name for file in corpus(step=16_384, flips=2, size=SIZE)]
    assert len(names) > 300
    assert len(set(names)) == len(names)


def test_the_ordeal_is_a_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert hostile.main(["--only", "svg", "--size", "160", "120", "--all"]) == 0
    assert "laughs.svg.jpg" in capsys.readouterr().out
    assert hostile.main(["--only", "zip.jpg", "--size", "160", "120", "--out", str(tmp_path)]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tail-of-zip.jpg", "zip.jpg"]


@pytest.mark.parametrize("name", ["zip.jpg", "svg.jpg", "heic-only-a-name.jpg", "PNG-on-JPEG.jpg"])
def test_the_program_says_so_in_one_line(name: str, good: dict[str, bytes], run: Run, tmp_path: Path) -> None:
    photo = tmp_path / "photo.jpg"
    photo.write_bytes(next(file.data for file in hostile.misnamed(good) if file.name == name))
    ran = run("score", photo)
    assert (ran.code, ran.out, ran.err.count("\n")) == (3, "", 1)
    assert ran.err.startswith("kdvision: ")


def test_harm_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ordeal itself can fail: an escaped exception, an error without advice, too long, too much."""
    file = File("photo", hostile.saved(hostile.scene(SIZE), "PNG"))
    assert not attempt(file).harm
    for limit in ("SECONDS", "MEGABYTES"):
        with monkeypatch.context() as patch:
            patch.setattr(hostile, limit, 0.0)
            assert attempt(file).harm
    monkeypatch.setattr("kdvision.vision.image.photo.read_header", lambda *_: 1 / 0)
    assert "ZeroDivisionError escaped" in attempt(file).what
    assert attempt(file).harm


def test_too_little_memory_is_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("kdvision.pipeline.read", read)
    ran = run("score", SAMPLES / "demo.jpg")
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert "not enough memory" in ran.err
