"""docs/reliability.md: the test of each promise exists, and its limits are those of the program."""

import ast
import importlib
import re
from functools import cache
from pathlib import Path

import pytest

from tests.paths import ROOT

PAGE = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
PROMISES = re.findall(r"^- .*(?:\n  .*)*", PAGE, re.MULTILINE)
LIMITS = re.findall(r"^\| [^|]+ \| ([\d.]+) \| `([\w.]+)\.(\w+)` \|$", PAGE, re.MULTILINE)
COMMANDS = re.findall(r"[`$] ?python -m ([\w.]+)", PAGE)
TARGETS = re.findall(r"`make ([\w-]+)`", PAGE)


@cache
def list_tests(path: Path) -> frozenset[str]:
    """Return the names of the tests in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def list_missing(text: str) -> list[str]:
    """Return the tests that a text names and that do not exist."""
    missing_tests = []
    for file, name in TEST.findall(text):
        path = ROOT / file
        if not path.is_file() or name not in list_tests(path):
            missing_tests.append(f"{file}::{name}")
    return missing_tests


def test_every_named_test_exists() -> None:
    assert list_missing(PAGE) == []


def test_there_are_promises() -> None:
    assert len(PROMISES) > 45


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise[2:50])
def test_every_promise_names_a_test(promise: str) -> None:
    assert TEST.search(promise)


def test_limits_are_those_of_the_program() -> None:
    assert len(LIMITS) > 10
    for number, module, name in LIMITS:
        assert getattr(importlib.import_module(module), name) == float(number), name


def test_every_named_command_exists() -> None:
    assert len(COMMANDS) >= 2 and len(TARGETS) >= 3
    for command in COMMANDS:
        assert importlib.util.find_spec(command), command
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in TARGETS:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_a_missing_test_is_reported() -> None:
    assert list_missing("`tests/repo/test_reliability.py::test_nothing` `tests/repo/test_gone.py::test_a`") == [
        "tests/repo/test_reliability.py::test_nothing",
        "tests/repo/test_gone.py::test_a",
    ]
    assert list_missing("`tests/repo/test_reliability.py::test_a_missing_test_is_reported`") == []
