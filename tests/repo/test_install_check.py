"""The install check, without installing anything: what it looks at, and that it sees what is wrong.

The check itself is `make install-check`, which CI runs: it fetches packages and takes minutes.
"""

import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from scripts import install_check
from scripts.install_check import SAMPLE, Verdict, faults, interpreter, size, travelling

TRUTH = json.loads(SAMPLE.with_suffix(".json").read_text(encoding="utf-8"))
BOARDS = [kingdom["board"] for kingdom in TRUTH["kingdoms"]]
TOLD = {"boards": BOARDS, "models": True, "heavy": []}
HERE = f"{sys.version_info.major}.{sys.version_info.minor}"


def wheel(path: Path, *names: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "")
    return path


def test_what_is_right_has_no_faults() -> None:
    assert faults(TRUTH, TOLD, 400.0, most=450.0) == []


@pytest.mark.parametrize(
    ("printed", "told", "megabytes", "words"),
    [
        ({"kingdoms": []}, {}, 1, "not the truth"),
        ({}, {"boards": [["w1 #"]]}, 1, "not the truth"),
        ({"kingdoms": [{"board": BOARDS[0], "points": 0}]}, {}, 1, "scores the sample wrong"),
        ({}, {"models": False}, 1, "models that travel"),
        ({}, {"heavy": ["torch"]}, 1, "torch came along"),
        ({}, {}, 451, "451 MB, more than 450"),
    ],
)
def test_what_is_wrong_is_named(printed: dict[str, Any], told: dict[str, Any], megabytes: float, words: str) -> None:
    found = faults({**TRUTH, **printed}, {**TOLD, **told}, megabytes, most=450.0)
    assert any(words in fault for fault in found)


def test_models_travel_in_the_wheel(tmp_path: Path) -> None:
    models = [f"kdvision/models/{name}" for name in install_check.MODELS]
    info = "kdvision-0.1.0.dist-info/METADATA"
    assert travelling(wheel(tmp_path / "good.whl", "kdvision/__init__.py", info, *models)) == []
    (without,) = travelling(wheel(tmp_path / "bad.whl", "kdvision/__init__.py", info, *models[:-1]))
    assert without == f"{install_check.MODELS[-1]} does not travel in the wheel"
    (beside,) = travelling(wheel(tmp_path / "odd.whl", "cli.py", info, *models))
    assert beside == "cli.py would lie beside the package"


def test_the_size_is_that_of_what_was_installed(tmp_path: Path) -> None:
    for name, count in (("kdvision/a/b", 2_000_000), ("six.py", 1_000_000), ("pip/x", 9_000_000)):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(count))
    assert size(tmp_path) == 3.0


def test_pythons_are_those_that_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert interpreter(HERE) == sys.executable
    for name in ("PYENV_ROOT", "PATH"):
        monkeypatch.setenv(name, str(tmp_path))
    assert interpreter("3.99") is None


def test_without_an_index_it_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name, value in (("PIP_NO_INDEX", "1"), ("PIP_FIND_LINKS", ""), ("PIP_CONFIG_FILE", "/dev/null")):
        monkeypatch.setenv(name, value)
    assert install_check.main(["--if-reachable"]) == 0
    assert "the package index cannot be reached" in capsys.readouterr().out


def test_verdicts_decide(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def ends(*verdicts: Verdict) -> int:
        monkeypatch.setattr(install_check, "check", lambda *_, **__: list(verdicts))
        return install_check.main([])

    assert ends(Verdict("wheel"), Verdict("3.11", 400.0)) == 0
    assert ends(Verdict("wheel")) == 1
    assert ends(Verdict("wheel"), Verdict("3.11", 400.0), Verdict("3.12", wrong=("no",))) == 1
    assert "WRONG Python 3.12: no" in capsys.readouterr().out
