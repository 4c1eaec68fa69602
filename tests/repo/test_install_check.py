"""The parts of scripts/install_check.py, without installing anything.

CI runs the check itself (`make install-check`), which downloads packages and takes minutes.
"""

import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from kdvision.vision.networks.onnx import MODEL_NAMES
from scripts import install_check
from scripts.install_check import SAMPLE, Verdict, check_wheel, find_faults, find_interpreter, measure_megabytes

TRUTH = json.loads(SAMPLE.with_suffix(".json").read_text(encoding="utf-8"))
BOARDS = [kingdom["board"] for kingdom in TRUTH["kingdoms"]]
PROBE_RESULT = {"boards": BOARDS, "models": True, "heavy": []}
THIS_VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"


def write_wheel(path: Path, *names: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "")
    return path


def test_a_correct_installation_has_no_faults() -> None:
    assert find_faults(TRUTH, PROBE_RESULT, 600.0) == []


@pytest.mark.parametrize(
    ("printed", "probed", "megabytes", "words"),
    [
        ({"kingdoms": []}, {}, 1, "not the truth"),
        ({}, {"boards": [["w1 #"]]}, 1, "not the truth"),
        ({"kingdoms": [{"board": BOARDS[0], "points": 0}]}, {}, 1, "scores the sample wrong"),
        ({}, {"models": False}, 1, "models in the wheel"),
        ({}, {"heavy": ["torch"]}, 1, "torch is installed, too"),
        ({}, {}, 651, "651 MB, more than 650"),
    ],
)
def test_every_fault_is_named(printed: dict[str, Any], probed: dict[str, Any], megabytes: float, words: str) -> None:
    faults = find_faults({**TRUTH, **printed}, {**PROBE_RESULT, **probed}, megabytes)
    assert any(words in fault for fault in faults)


def test_the_wheel_has_the_models_and_neither_scripts_nor_training_code(tmp_path: Path) -> None:
    models = [f"kdvision/models/{name}.onnx" for name in MODEL_NAMES]
    info = "kdvision-0.1.0.dist-info/METADATA"
    assert check_wheel(write_wheel(tmp_path / "good.whl", "kdvision/__init__.py", info, *models)) == []
    (fault,) = check_wheel(write_wheel(tmp_path / "bad.whl", "kdvision/__init__.py", info, *models[:-1]))
    assert fault == f"{models[-1]} is missing from the wheel"
    (fault,) = check_wheel(write_wheel(tmp_path / "odd.whl", "cli.py", info, *models))
    assert fault == "cli.py lies outside the package"
    (fault,) = check_wheel(write_wheel(tmp_path / "lab.whl", "kdvision/lab/__init__.py", info, *models))
    assert fault == "the training code is in the wheel"


def test_the_size_leaves_pip_out(tmp_path: Path) -> None:
    for name, count in (("kdvision/a/b", 2_000_000), ("six.py", 1_000_000), ("pip/x", 9_000_000)):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(count))
    assert measure_megabytes(tmp_path) == 3.0


def test_only_working_interpreters_are_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert find_interpreter(THIS_VERSION) == sys.executable
    for name in ("PYENV_ROOT", "PATH"):
        monkeypatch.setenv(name, str(tmp_path))
    assert find_interpreter("3.99") is None


def test_an_unreachable_index_is_reported(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name, value in (("PIP_NO_INDEX", "1"), ("PIP_FIND_LINKS", ""), ("PIP_CONFIG_FILE", "/dev/null")):
        monkeypatch.setenv(name, value)
    assert install_check.main(["--if-reachable"]) == 0
    assert "the package index cannot be reached" in capsys.readouterr().out


def test_the_exit_code_follows_the_verdicts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run_with(*verdicts: Verdict) -> int:
        monkeypatch.setattr(install_check, "check_versions", lambda: list(verdicts))
        return install_check.main([])

    assert run_with(Verdict("wheel"), Verdict("3.11", 400.0)) == 0
    assert run_with(Verdict("wheel")) == 1
    assert run_with(Verdict("wheel"), Verdict("3.11", 400.0), Verdict("3.12", faults=("no",))) == 1
    assert "FAULT Python 3.12: no" in capsys.readouterr().out
