"""Pages are short and name files, functions and objects that exist."""

import ast
import importlib
import re
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from kdvision.batch.event import parse_event
from kdvision.gamefile.model import parse_game
from scripts.measure_code import count_words
from tests.paths import ROOT

DESIGN = ROOT / "docs" / "design.md"
PAGES = [ROOT / "CONTRIBUTING.md", DESIGN]
VISION = ROOT / "kdvision" / "vision"
PATH = re.compile(r"`((?:[\w.-]+/)*(?:[\w-]+/|[\w-]+\.(?:py|md|csv|toml|onnx)))(?:::?([\w.]+))?`")
"""A file or folder in backticks, relative to the repository or to kdvision/vision, and a name in it."""
MAX_WORDS = {"docs/design.md": 1800, "docs/reliability.md": 1500, "docs/peers.md": 450, "samples/README.md": 250}
API_NAMES = re.findall(
    r"^::: ([\w.]+)", "\n".join(page.read_text("utf-8") for page in ROOT.glob("docs/api/*.md")), re.M
)


@cache
def list_names(path: Path) -> frozenset[str]:
    """Return the functions, classes, constants and methods ("Class.method") that a Python file defines."""
    names = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        names |= name_targets(node)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{name}" for inner in node.body for name in name_targets(inner)}
    return frozenset(names)


def name_targets(node: ast.stmt) -> set[str]:
    """Return the names that a statement defines."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return {target.id for target in targets if isinstance(target, ast.Name)}


def list_missing(text: str) -> list[str]:
    """Return the files, folders and names that a page mentions and that do not exist."""
    missing_names = []
    for file, name in PATH.findall(text):
        path = next((base / file for base in (ROOT, VISION) if (base / file).exists()), None)
        if path is None or (name and name not in list_names(path)):
            missing_names.append(f"{file}:{name}" if name else file)
    return missing_names


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_and_functions_that_a_page_names_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert PATH.search(text)
    assert list_missing(text) == []


def test_a_missing_name_is_reported() -> None:
    text = "`kdvision/pipeline.py:read`, `kdvision/pipeline.py:write`, `kdvision/gone.py`, `kdvision/game/`"
    assert list_missing(text) == ["kdvision/pipeline.py:write", "kdvision/gone.py"]


def test_the_walk_in_the_design_page_names_each_file_of_vision_once() -> None:
    section = DESIGN.read_text(encoding="utf-8").split("## From photo to score")[1].split("\n## ")[0]
    named_files = [VISION / file for file, _ in PATH.findall(section) if (VISION / file).is_file()]
    named_files += [ROOT / file for file, _ in PATH.findall(section) if VISION in (ROOT / file).parents]
    files = {path for path in VISION.rglob("*.py") if path.name != "__init__.py"}
    assert (sorted(files - set(named_files)), sorted(set(named_files) - files)) == ([], [])
    assert [path for path in named_files if named_files.count(path) > 1] == []


@pytest.mark.parametrize("page, max_words", MAX_WORDS.items(), ids=lambda value: str(value))
def test_pages_stay_short(page: str, max_words: int) -> None:
    assert len((ROOT / page).read_text(encoding="utf-8").split()) <= max_words


def test_prose_has_at_most_12000_words() -> None:
    assert count_words(ROOT) <= 12_000


def test_the_design_page_gives_each_dependency_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    requirements = [
        *project["dependencies"],
        *(name for extra in project["optional-dependencies"].values() for name in extra),
    ]
    names = {re.split(r"[^\w-]", requirement)[0] for requirement in requirements} - {project["name"]}
    explained_names = set(re.findall(r"\*\*([\w-]+)\*\*", DESIGN.read_text(encoding="utf-8")))
    assert names - explained_names == set()


@pytest.mark.parametrize(("page", "parse"), [("events.md", parse_event), ("rules.md", parse_game)])
def test_the_file_that_a_page_shows_is_valid(page: str, parse: Callable[[str], object]) -> None:
    (text,) = re.findall(r"^```toml\n((?s:.*?))^```$", (ROOT / "docs" / page).read_text("utf-8"), re.MULTILINE)
    parse(text)


@pytest.mark.parametrize("name", API_NAMES)
def test_objects_of_the_api_reference_exist(name: str) -> None:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError:
        module, _, attribute = name.rpartition(".")
        assert hasattr(importlib.import_module(module), attribute)
