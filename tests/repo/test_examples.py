"""Every program in examples/ runs and prints what this table says."""

import runpy
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT

EXAMPLES = ROOT / "examples"
EXPECTED_OUTPUTS = {
    "score_a_photo.py": "total 34; the board is right with 99.",
    "your_own_rule.py": "Corner Castle = 3\ntotal 7",
    "correct_a_square.py": "changed: B5",
    "whole_game.py": "1. Bob: 8 points",
    "notation.py": "\nrow 2, column 2: 'x' is no square; write one of",
}


def test_every_example_is_run() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(EXPECTED_OUTPUTS)


@pytest.mark.parametrize("name", EXPECTED_OUTPUTS)
def test_an_example_runs_and_prints_its_result(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "argv", [name])
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    assert EXPECTED_OUTPUTS[name] in capsys.readouterr().out


@pytest.mark.parametrize("name", EXPECTED_OUTPUTS)
def test_an_example_has_ten_to_thirty_lines_of_code(name: str) -> None:
    lines = Path(EXAMPLES / name).read_text(encoding="utf-8").splitlines()
    assert 10 <= len([line for line in lines if line.strip()]) <= 30
