"""A library that prints past Python does not spoil what the program prints."""

import subprocess
import sys

NOISE = """
import os
from kdvision.commands.streams import results_alone
results_alone()
os.write(1, b"noise of a library\\n")
print("result ×")
"""


def test_results_alone_on_stdout() -> None:
    run = subprocess.run([sys.executable, "-X", "utf8", "-c", NOISE], capture_output=True, check=True)
    assert run.stdout.decode().split() == ["result", "×"]
    assert "noise of a library" in run.stderr.decode()
