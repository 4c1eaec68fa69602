"""Settings of a training run, as its command line gives them."""

import argparse
from dataclasses import dataclass

import pytest

from kdvision.lab.train.options import parsed


@dataclass(frozen=True)
class Settings:
    scenes: int = 40
    tuned_rate: float = 1e-3
    without: str = ""


def test_each_setting_is_an_option_with_its_default(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    monkeypatch.setattr("sys.argv", ["train", "--tuned-rate", "0.5", "--workers", "3", "--without", "wood"])
    settings, given = parsed(parser, Settings)
    assert settings == Settings(scenes=40, tuned_rate=0.5, without="wood")
    assert given["workers"] == 3


def test_another_option_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["train", "--scene", "many"])
    with pytest.raises(SystemExit):
        parsed(argparse.ArgumentParser(allow_abbrev=False), Settings)
    assert "--scene" in capsys.readouterr().err
