"""docs/reliability.md names the test that holds each promise: all of them are there, and limits are the program's."""

import ast
import importlib
import re
from functools import cache
from pathlib import Path

import pytest

from tests.paths import ROOT

PAGE = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith(("| promise", "| limit"))]
LIMITS = re.findall(r"^\| [^|]+ \| ([\d.]+) \| `([\w.]+)\.(\w+)` \|$", PAGE, re.MULTILINE)
COMMANDS = re.findall(r"^\$? ?python -m (kdvision\.lab\.\w+)", PAGE, re.MULTILINE)


@cache
def names_in(path: Path) -> frozenset[str]:
    """The names of the tests in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def missing(text: str) -> list[str]:
    """The tests that a text names and that are nowhere."""
    found = []
    for file, name in TEST.findall(text):
        path = ROOT / file
        if not path.is_file() or name not in names_in(path):
            found.append(f"{file}::{name}")
    return found


def test_every_test_that_is_named_is_there() -> None:
    assert missing(PAGE) == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[2:50])
def test_every_promise_is_held_by_a_test(row: str) -> None:
    assert TEST.search(row) or any(f"`{module}.{name}`" in row for _, module, name in LIMITS)


def test_limits_are_those_of_the_program() -> None:
    assert len(LIMITS) > 10
    for number, module, name in LIMITS:
        assert getattr(importlib.import_module(module), name) == float(number), name


def test_every_command_whose_figures_stand_there_is_there() -> None:
    assert {"kdvision.lab.robustness.soak", "kdvision.lab.robustness.hostile", "kdvision.lab.robustness.steady"} <= set(
        COMMANDS
    )
    for command in COMMANDS:
        assert importlib.util.find_spec(command), command


def test_a_test_that_is_gone_is_seen() -> None:
    assert missing("`tests/test_reliability.py::test_nothing` `tests/test_gone.py::test_a`") == [
        "tests/test_reliability.py::test_nothing",
        "tests/test_gone.py::test_a",
    ]
    assert missing("`tests/test_reliability.py::test_a_test_that_is_gone_is_seen`") == []
