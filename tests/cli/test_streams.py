"""Standard streams: stdout has only results, and errors while printing are handled."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT

NOISE = """
import os
from kdvision.cli.streams import separate_streams
separate_streams()
os.write(1, b"noise of a library\\n")
print("result ×")
"""


def test_only_results_reach_stdout() -> None:
    run = subprocess.run([sys.executable, "-X", "utf8", "-c", NOISE], capture_output=True, check=True)
    assert run.stdout.decode().split() == ["result", "×"]
    assert "noise of a library" in run.stderr.decode()


FULL = Path("/dev/full")
"""A disk without room, as Linux has it."""

needs_full = pytest.mark.skipif(not FULL.exists(), reason="only Linux has a device that is always full")


def run_program(*args: str, redirect: str) -> subprocess.CompletedProcess[str]:
    """The program as a shell starts it, with its streams led elsewhere."""
    line = shlex.join([sys.executable, "-m", "kdvision", *args])
    return subprocess.run(f"{line} {redirect}", shell=True, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")


@needs_full
@pytest.mark.parametrize("args", [["type", "w1 #"], ["--help"]])
def test_results_that_cannot_be_printed_are_one_line_and_code_1(args: list[str]) -> None:
    ran = run_program(*args, redirect="> /dev/full")
    assert (ran.returncode, ran.stderr.count("\n")) == (1, 1)
    assert ran.stderr.startswith("kdvision: the results cannot be printed: No space left on device. Free some space")


@needs_full
def test_results_that_cannot_be_printed_are_reported_on_a_terminal() -> None:
    terminal, stderr = os.openpty()
    with FULL.open("wb") as full:
        code = subprocess.run([sys.executable, "-m", "kdvision", "type", "w1 #"], cwd=ROOT, stdout=full, stderr=stderr)
    os.close(stderr)
    message = os.read(terminal, 10_000).decode()
    os.close(terminal)
    assert (code.returncode, message.count("\n")) == (1, 1)
    assert message.startswith("kdvision: the results cannot be printed")


@needs_full
def test_messages_that_cannot_be_printed_change_no_exit_code() -> None:
    assert run_program("type", "no board", redirect="2> /dev/full").returncode == 5
    ran = run_program("type", "w1 #", "--strict", "--json", redirect="2> /dev/full")
    assert (ran.returncode, ran.stdout.count("\n")) == (6, 1)


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell closes streams")
@pytest.mark.parametrize(("closed", "code"), [(">&-", 0), ("<&- >&- 2>&-", 0)])
def test_closed_streams_are_accepted(closed: str, code: int) -> None:
    ran = run_program("type", "w1 #", redirect=closed)
    assert (ran.returncode, ran.stderr) == (code, "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows reports a closed pipe as another error")
@pytest.mark.parametrize(("args", "code"), [(["rules"], 0), (["type", "w1 #", "--strict"], 6)])
def test_a_reader_that_stops_early_is_accepted(args: list[str], code: int) -> None:
    command = [sys.executable, "-m", "kdvision", *args]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None and program.stderr is not None
        program.stdout.close()
        messages = program.stderr.read()
    assert (program.returncode, "pipe" in messages.lower(), "Traceback" in messages) == (code, False, False)
