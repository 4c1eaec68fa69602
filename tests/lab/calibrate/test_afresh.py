"""What was calibrated is looked at on scenes of its own, with the models as they are shipped."""

import csv
from pathlib import Path

import pytest

from kdvision.lab.calibrate import afresh, calibrate, rehearsal
from kdvision.lab.calibrate.heads import HEADS
from tests.paths import SHARED

DATA = SHARED / "data"


@pytest.mark.skipif(not (DATA / "tiles").is_dir(), reason="the tile crops that scenes are made of are not here")
def test_other_scenes_go_through_the_whole_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was seen is kept, so that the second run only judges it: with the same tables in the end."""
    work, results = tmp_path / "work", tmp_path / "results"
    results.mkdir()
    given = ["afresh", "--data", str(DATA), "--work", str(work), "--results", str(results)]
    monkeypatch.setattr("sys.argv", [*given, "--scenes", "3", "--workers", "1"])
    afresh.main()
    made = {path.name: path.read_bytes() for path in results.iterdir()}
    *_, whole = csv.DictReader(made["calibration-other-scenes.csv"].decode().splitlines())
    assert whole["tiles from"] == "all" and int(whole["boards"]) >= 3
    told = csv.DictReader(made["calibration-other-scenes-heads.csv"].decode().splitlines())
    assert [line["probability of"] for line in told] == list(HEADS)
    kept = {path.name: path.stat().st_mtime_ns for path in work.iterdir()}
    assert sorted(kept) == [f"{afresh.FIRST + n}.pickle" for n in range(3)]
    afresh.main()
    assert {path.name: path.stat().st_mtime_ns for path in work.iterdir()} == kept
    assert {path.name: path.read_bytes() for path in results.iterdir()} == made


def test_no_scene_is_one_of_the_calibration() -> None:
    most = 100_000
    first = [times * rehearsal.STREAM for times in (1, 2, 3)]
    assert calibrate.STREAM == rehearsal.STREAM
    assert all(abs(afresh.FIRST - start) > most for start in first)
