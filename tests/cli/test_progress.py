"""The progress of long runs: a bar in a terminal, a line now and then in a log."""

from contextlib import closing
from types import SimpleNamespace

import pytest

from kdvision.cli.output import ProgressDisplay


def test_a_log_has_a_line_now_and_then(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = [0.0]
    clock = SimpleNamespace(monotonic=lambda: seconds[0])  # servers of other tests need the clock of the process
    monkeypatch.setattr("kdvision.cli.output.time", clock)
    with closing(ProgressDisplay()) as display:
        for number in range(1, 61):
            seconds[0] = float(number)
            display.update(number, 60, failure_count=number // 20)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "kdvision: 15 of 60 photos, 0:00:45 left."
    assert lines[1:] == [
        "kdvision: 30 of 60 photos, 1 failed, 0:00:30 left.",
        "kdvision: 45 of 60 photos, 2 failed, 0:00:15 left.",
        "kdvision: 60 of 60 photos, 3 failed.",
    ]


def test_a_terminal_has_a_bar(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("TERM", "xterm"), ("TTY_COMPATIBLE", "1"), ("FORCE_COLOR", "1"), ("COLUMNS", "100")):
        monkeypatch.setenv(name, value)
    display = ProgressDisplay()
    display.update(1, 2)
    display.close()
    assert "1/2" in capsys.readouterr().err
    display.update(2, 2, failure_count=1)  # after other output the bar comes back
    display.close()
    err = capsys.readouterr().err
    assert "2/2" in err and "1 failed" in err
