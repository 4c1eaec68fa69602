"""Who may import whom, read off the import statements (docs/design.md, "Walls")."""

import ast
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.paths import ROOT

PACKAGE = "kdvision"

WALLS = {
    "errors": set(),
    "game": {"errors"},
    "vision": {"errors", "game"},
    "pipeline": {"errors", "game", "vision"},
    "report": {"errors", "game", "pipeline", "vision"},
    "files": {"errors"},
    "batch": {"errors", "files", "game", "pipeline", "report", "vision"},
    "web": {"errors", "files", "game", "pipeline", "report", "vision"},
    "commands": {"batch", "errors", "files", "game", "pipeline", "report", "vision", "web"},
    "lab": {"batch", "errors", "files", "game", "pipeline", "report", "vision"},
    "__init__": {"errors", "game", "pipeline", "vision"},
    "__main__": {"commands"},
}
"""Each room and the rooms it may import; every room may import itself."""

WORKSHOP_ONLY = {"torch", "onnx", "scipy", "skimage"}


class Import(NamedTuple):
    """One import of a module: the file's room and place, what is imported, and whether a function does it lazily."""

    room: str
    place: str
    module: str
    lazy: bool

    @property
    def target(self) -> str | None:
        """The room that is imported, None where it is not ours; the package itself is no room."""
        parts = self.module.split(".")
        return parts[1] if parts[0] == PACKAGE and len(parts) > 1 else None


def imports_of(root: Path) -> Iterator[Import]:
    """Yield every import statement of the package under `root`, wherever it stands."""
    for path in sorted((root / PACKAGE).rglob("*.py")):
        parts = path.relative_to(root / PACKAGE).with_suffix("").parts
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node, inside in statements(tree.body):
            for module in modules_of(node):
                yield Import(parts[0], f"{'/'.join(parts)}.py:{node.lineno}", module, inside)


def statements(body: Iterable[ast.AST], *, inside: bool = False) -> Iterator[tuple[ast.stmt, bool]]:
    """Yield every statement, and whether it stands in a function; what lies in expressions imports nothing."""
    for node in body:
        if isinstance(node, ast.stmt):
            yield node, inside
        if isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
            within = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from statements(ast.iter_child_nodes(node), inside=within)


def modules_of(node: ast.AST) -> list[str]:
    """The modules that a statement imports; `from kdvision import pipeline` imports kdvision.pipeline."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are absolute"
        module = str(node.module)
        below = [f"{module}.{alias.name}" for alias in node.names if not alias.name.startswith("__")]
        return below if module == PACKAGE else [module]
    return []


def offences(root: Path) -> list[str]:
    """What breaks a wall, one line each."""
    found = []
    for item in imports_of(root):
        if item.target is not None and item.target != item.room and item.target not in WALLS.get(item.room, set()):
            lazily = item.room == "commands" and item.target == "lab" and item.lazy
            found += [] if lazily else [f"{item.place}: {item.room} imports {item.module}"]
        top = item.module.split(".")[0]
        if item.room == "game" and top != PACKAGE and top not in sys.stdlib_module_names:
            found.append(f"{item.place}: game is pure Python and imports {item.module}")
        if item.room != "lab" and top in WORKSHOP_ONLY:
            found.append(f"{item.place}: only lab may import {item.module}")
    return found


def test_the_walls_stand() -> None:
    assert len(list(imports_of(ROOT))) > 50
    assert offences(ROOT) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("game/board.py", "import numpy as np"),
        ("game/board.py", "from kdvision.vision.image.photo import Photo"),
        ("vision/finder.py", "from kdvision import pipeline"),
        ("vision/finder.py", "def find():\n    import torch"),
        ("vision/finder.py", "from scipy.optimize import milp"),
        ("report/table.py", "from kdvision.cli import main"),
        ("commands/__init__.py", "from kdvision.lab import evaluate"),
        ("lab/train.py", "from kdvision.web.server import app"),
        ("web/server.py", "def page():\n    from kdvision.lab import art"),
        ("shelf.py", "import kdvision.game"),
    ],
)
def test_a_broken_wall_is_seen(path: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / PACKAGE / path
    file.parent.mkdir(parents=True)
    file.write_text(text)
    assert len(offences(tmp_path)) == 1


def test_the_workshop_may_be_reached_lazily(tmp_path: Path) -> None:
    file = tmp_path / PACKAGE / "commands" / "__init__.py"
    file.parent.mkdir(parents=True)
    file.write_text("def evaluate():\n    from kdvision.lab import evaluate\n")
    assert offences(tmp_path) == []


def test_the_front_door_is_four_lines() -> None:
    assert len((ROOT / "cli.py").read_text(encoding="utf-8").splitlines()) == 4
