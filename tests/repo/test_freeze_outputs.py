"""The outputs of two trees are compared in full, also after an interruption."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from kdvision.lab.calibrate import scenes
from scripts.freeze_outputs import compare_outputs, list_pictures, main


def test_an_interrupted_run_is_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def render_scene(_: Path, seed: int) -> SimpleNamespace:
        if seed % 10 == 2 and not (tmp_path / "again").exists():
            raise KeyboardInterrupt
        return SimpleNamespace(photo=np.zeros((8, 8, 3), np.uint8))

    monkeypatch.setattr(scenes, "render_scene", render_scene)
    with pytest.raises(KeyboardInterrupt):
        list(list_pictures(tmp_path / "work", tmp_path, 4))
    (tmp_path / "again").touch()
    pictures = list(list_pictures(tmp_path / "work", tmp_path, 4))
    assert [path.name for path in pictures if path.suffix == ".png"] == ["000.png", "001.png", "002.png", "003.png"]
    assert all(path.is_file() for path in pictures)


def test_samples_have_the_same_names_in_every_checkout(tmp_path: Path) -> None:
    assert Path("samples/demo.jpg") in list_pictures(tmp_path / "work", tmp_path / "data", 0)


def test_a_picture_that_one_side_lacks_differs() -> None:
    before, after = {"a": {"code": 0}, "b": {"code": 0}}, {"a": {"code": 0}, "c": {"code": 0}}
    assert compare_outputs(before, after) == "2 of 3 pictures differ\nb\nc"


def test_a_missing_file_to_compare_with_is_reported_before_any_picture_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "after.json"
    monkeypatch.setattr("sys.argv", ["freeze_outputs", str(target), "--compare", str(tmp_path / "before.json")])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert "before.json to compare with" in capsys.readouterr().err
    assert not target.exists()
