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
    process = subprocess.run([sys.executable, "-X", "utf8", "-c", NOISE], capture_output=True, check=True)
    assert process.stdout.decode().split() == ["result", "×"]
    assert "noise of a library" in process.stderr.decode()


FULL_DEVICE = Path("/dev/full")
"""A device of Linux that is always full."""

needs_full_device = pytest.mark.skipif(not FULL_DEVICE.exists(), reason="only Linux has a device that is always full")


def run_program(*args: str, redirect: str) -> subprocess.CompletedProcess[str]:
    """Run the program in a shell with redirected streams."""

    command = shlex.join([sys.executable, "-m", "kdvision", *args])
    return subprocess.run(
        f"{command} {redirect}", shell=True, cwd=ROOT, capture_output=True, text=True, encoding="utf-8"
    )


@needs_full_device
@pytest.mark.parametrize("args", [["type", "w1 #"], ["--help"]])
def test_results_that_cannot_be_printed_are_one_line_and_code_1(args: list[str]) -> None:
    process = run_program(*args, redirect="> /dev/full")
    assert (process.returncode, process.stderr.count("\n")) == (1, 1)
    assert process.stderr.startswith(
        "kdvision: the results cannot be printed: No space left on device. Free some space"
    )


@needs_full_device
def test_results_that_cannot_be_printed_are_reported_on_a_terminal() -> None:
    terminal, stderr = os.openpty()
    with FULL_DEVICE.open("wb") as device:
        process = subprocess.run(
            [sys.executable, "-m", "kdvision", "type", "w1 #"], cwd=ROOT, stdout=device, stderr=stderr
        )
    os.close(stderr)
    message = os.read(terminal, 10_000).decode()
    os.close(terminal)
    assert (process.returncode, message.count("\n")) == (1, 1)
    assert message.startswith("kdvision: the results cannot be printed")


@needs_full_device
def test_messages_that_cannot_be_printed_change_no_exit_code() -> None:
    assert run_program("type", "no board", redirect="2> /dev/full").returncode == 5
    process = run_program("type", "w1 #", "--strict", "--json", redirect="2> /dev/full")
    assert (process.returncode, process.stdout.count("\n")) == (6, 1)


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell closes streams")
@pytest.mark.parametrize(("redirect", "code"), [(">&-", 0), ("<&- >&- 2>&-", 0)])
def test_closed_streams_are_accepted(redirect: str, code: int) -> None:
    process = run_program("type", "w1 #", redirect=redirect)
    assert (process.returncode, process.stderr) == (code, "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows reports a closed pipe as another error")
@pytest.mark.parametrize(("args", "code"), [(["rules"], 0), (["type", "w1 #", "--strict"], 6)])
def test_a_reader_that_stops_early_is_accepted(args: list[str], code: int) -> None:
    command = [sys.executable, "-m", "kdvision", *args]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None and program.stderr is not None
        program.stdout.close()
        messages = program.stderr.read()
    assert (program.returncode, "pipe" in messages.lower(), "Traceback" in messages) == (code, False, False)
