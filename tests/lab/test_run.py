"""Results that an earlier run saved are used again only if the program and its data are the same."""

import shutil
from pathlib import Path

import pytest

from kdvision.lab import run
from kdvision.lab.calibrate.scenes import digest_observer
from kdvision.lab.experiments import experiment


@pytest.mark.parametrize(
    "name",
    [
        "game/deck.py",
        "vision/find.py",
        "vision/classify/player_colour.json",
        "evaluate/corruptions/scene.py",
        "lab/calibrate/scenes.py",
        "lab/render/objects/wooden_pieces.toml",
        "lab/train/crop_folder.py",
        "lab/train/examples.py",
    ],
)
def test_other_code_and_other_data_make_another_digest(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ignored = shutil.ignore_patterns("web", "__pycache__")
    package = Path(shutil.copytree(run.PACKAGE, tmp_path / "kdvision", ignore=ignored))
    monkeypatch.setattr(run, "PACKAGE", package)
    digest_program = experiment._program_digest.__wrapped__
    before = digest_program(), digest_observer()
    (package / "lab" / "notes.md").touch()
    assert (digest_program(), digest_observer()) == before
    (package / name).write_text((package / name).read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert all(new != old for new, old in zip((digest_program(), digest_observer()), before, strict=True))
