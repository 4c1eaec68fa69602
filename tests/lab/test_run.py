"""A run uses the results of an earlier run only if the program and its data are the same."""

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
    ignored_files = shutil.ignore_patterns("web", "__pycache__")
    package = Path(shutil.copytree(run.PACKAGE, tmp_path / "kdvision", ignore=ignored_files))
    monkeypatch.setattr(run, "PACKAGE", package)
    digest_program = experiment.compute_program_digest
    before = digest_program(), digest_observer()
    (package / "lab" / "notes.md").touch()
    assert (digest_program(), digest_observer()) == before
    (package / name).write_text((package / name).read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert all(new != old for new, old in zip((digest_program(), digest_observer()), before, strict=True))


def test_what_was_kept_of_other_data_is_not_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parser, label = run.make_parser("lab", None, work="work"), tmp_path / "data" / "photo.json"

    def find_work(data: Path) -> Path:
        return Path(run.parse_options(parser, ["--data", str(data)]).work)

    label.parent.mkdir()
    label.write_text("w #", encoding="utf-8")
    before = find_work(label.parent)
    label.with_suffix(".part").touch()
    label.with_suffix(".part").unlink()
    moved_folder = label.parent.rename(tmp_path / "moved")
    assert find_work(moved_folder) == before
    (moved_folder / label.name).write_text("w1 #", encoding="utf-8")
    assert find_work(moved_folder) != before
    with pytest.raises(SystemExit):
        find_work(label.parent)
    assert f"there is no data folder {label.parent}: name it with --data" in capsys.readouterr().err
