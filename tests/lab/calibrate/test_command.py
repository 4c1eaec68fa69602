"""The calibration command, on a few scenes and on a copy of the models."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from kdvision.lab.calibrate import __main__ as command
from kdvision.lab.calibrate.scenes import digest_observer
from kdvision.lab.model_file import update_metadata
from kdvision.vision.networks.onnx import Model, load_model
from tests.paths import MODELS, SHARED

DATA = SHARED / "data"


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield a folder with a copy of the networks, which the program uses."""
    folder = tmp_path / "models"
    folder.mkdir()
    for path in MODELS.glob("*.onnx"):
        shutil.copy(path, folder)
    monkeypatch.setenv("KDVISION_MODELS", str(folder))
    load_model.cache_clear()
    yield folder
    load_model.cache_clear()


@pytest.mark.skipif(not (DATA / "tiles").is_dir(), reason="needs the tile crops that scenes are made of")
def test_an_interrupted_calibration_continues_with_the_saved_observations(tmp_path: Path, models: Path) -> None:
    work = tmp_path / "work"
    run = command.CalibrationRun(DATA, models, work, workers=1, scenes=2, keep_weights=True)
    boards = run.judge_scenes("fresh", command.FRESH_SEED, 2)
    assert len(boards) >= 2
    modified_times = {path: path.stat().st_mtime_ns for path in work.rglob("*.pickle")}
    assert [path.name for path in modified_times] == ["0-2.pickle"]
    assert run.judge_scenes("fresh", command.FRESH_SEED, 2) == boards
    assert {path: path.stat().st_mtime_ns for path in work.rglob("*.pickle")} == modified_times


def test_a_folder_without_the_network_gets_no_calibration(
    tmp_path: Path, models: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The program would find the shipped network instead."""
    (models / "cells.onnx").unlink()
    monkeypatch.setattr(command, "fit", lambda _: pytest.fail("it is fitted"))
    folders = ["--data", str(tmp_path), "--models", str(models), "--work", str(tmp_path / "work")]
    monkeypatch.setattr("sys.argv", ["calibrate", *folders])
    with pytest.raises(SystemExit) as exit_info:
        command.main()
    assert exit_info.value.code == 2
    assert "copy one there" in capsys.readouterr().err


def test_the_metadata_are_replaced_and_the_digest_ignores_what_is_named(models: Path) -> None:
    before, metadata = digest_observer("calibration"), Model(models / "cells.onnx").metadata
    update_metadata(models / "cells.onnx", {"calibration": {"review_threshold": 0.5}})
    assert Model(models / "cells.onnx").metadata == {**metadata, "calibration": {"review_threshold": 0.5}}
    assert digest_observer("calibration") == before != digest_observer()
    update_metadata(models / "cells.onnx", {"tile_weights_without_colour": [1.0, 0.0, 0.0]})
    assert digest_observer("calibration") != before


def test_no_two_steps_share_a_scene() -> None:
    seeds = (command.TILE_SEED, command.BOARD_SEED, command.OCCLUSION_SEED, command.FRESH_SEED, command.OCCLUDED_SEED)
    assert min(abs(seed - other_seed) for seed in seeds for other_seed in seeds if seed is not other_seed) > 100_000
