"""CONTRIBUTING and the API reference name files, functions and objects that exist."""

import ast
import importlib
import re
from functools import cache
from pathlib import Path

import pytest

from tests.paths import ROOT

PAGES = [ROOT / "CONTRIBUTING.md"]
PATH = re.compile(
    r"`((?:kdvision|tests|models|docs|samples|scripts|benchmarks|examples)(?:/[\w.-]+)*/?)(?:::?([\w.]+))?`"
)
DOCUMENTED = re.findall(
    r"^::: ([\w.]+)", "\n".join(page.read_text("utf-8") for page in ROOT.glob("docs/api/*.md")), re.M
)


@cache
def list_names(path: Path) -> frozenset[str]:
    """Functions, classes, constants and methods ("Class.method") that a Python file defines."""
    names = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        names |= name_targets(node)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{name}" for inner in node.body for name in name_targets(inner)}
    return frozenset(names)


def name_targets(node: ast.stmt) -> set[str]:
    """The names that a statement defines."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return {target.id for target in targets if isinstance(target, ast.Name)}


def list_missing(text: str) -> list[str]:
    """The files, folders and names that a page mentions and that do not exist."""
    missing = []
    for file, name in PATH.findall(text):
        path = ROOT / file
        if not path.exists() or (name and name not in list_names(path)):
            missing.append(f"{file}:{name}" if name else file)
    return missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_and_functions_that_a_page_names_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert PATH.search(text)
    assert list_missing(text) == []


def test_a_missing_name_is_reported() -> None:
    text = "`kdvision/pipeline.py:read`, `kdvision/pipeline.py:write`, `kdvision/gone.py`, `kdvision/game/`"
    assert list_missing(text) == ["kdvision/pipeline.py:write", "kdvision/gone.py"]


@pytest.mark.parametrize("name", DOCUMENTED)
def test_objects_of_the_api_reference_exist(name: str) -> None:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError:
        module, _, attribute = name.rpartition(".")
        assert hasattr(importlib.import_module(module), attribute)
