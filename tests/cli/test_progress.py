"""The progress of long runs: a bar in a terminal, a line now and then in a log."""

import io
from contextlib import closing
from types import SimpleNamespace

import pytest
from rich.console import Console

from kdvision.cli.output import ProgressDisplay


def test_a_log_has_a_line_now_and_then(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    clock = SimpleNamespace(monotonic=lambda: now[0])  # not the clock of the process: servers of other tests need that
    monkeypatch.setattr("kdvision.cli.output.time", clock)
    with closing(ProgressDisplay(Console(file=io.StringIO()))) as display:
        for number in range(1, 61):
            now[0] = float(number)
            display.update(number, 60, failure_count=number // 20)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "kdvision: 15 of 60 photos, 0:00:45 left."
    assert lines[1:] == [
        "kdvision: 30 of 60 photos, 1 failed, 0:00:30 left.",
        "kdvision: 45 of 60 photos, 2 failed, 0:00:15 left.",
        "kdvision: 60 of 60 photos, 3 failed.",
    ]


def test_a_terminal_has_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    out = io.StringIO()
    display = ProgressDisplay(Console(file=out, force_terminal=True, width=100))
    display.update(1, 2)
    display.close()
    assert "1/2" in out.getvalue()
    display.update(2, 2, failure_count=1)  # after other output the bar comes back
    display.close()
    assert "2/2" in out.getvalue() and "1 failed" in out.getvalue()
