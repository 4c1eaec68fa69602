"""Packages, and the stages of vision, import only what docs/design.md allows them."""

import ast
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.paths import ROOT

PACKAGE = "kdvision"

READING_PACKAGES = {"errors", "game", "vision"}
LAYERS = {
    "errors": set(),
    "files": {"errors"},
    "text": set(),
    "game": {"errors", "text"},
    "gamefile": {"errors", "game", "text"},
    "vision": {"errors", "game"},
    "pipeline": READING_PACKAGES,
    "report": {*READING_PACKAGES, "gamefile", "pipeline", "text"},
    "evaluate": {*READING_PACKAGES, "files", "pipeline", "text"},
    "batch": {*READING_PACKAGES, "files", "gamefile", "pipeline", "report", "text"},
    "web": {*READING_PACKAGES, "files", "gamefile", "pipeline", "report", "text"},
    "cli": {*READING_PACKAGES, "batch", "evaluate", "files", "gamefile", "pipeline", "report", "text", "web"},
    "lab": {*READING_PACKAGES, "batch", "evaluate", "files", "gamefile", "pipeline", "report", "text"},
    "__init__": {*READING_PACKAGES, "pipeline"},
    "__main__": {"cli"},
}
"""Each package and the packages it may import; every package may import itself."""

STAGES = ("image", "networks", "detect", "classify", "decide", "assess")
"""The stages of kdvision/vision in order; each may import those before it."""
STAGE_LAYERS = {
    "geometry": set(),
    **{stage: {"geometry", *STAGES[:number]} for number, stage in enumerate(STAGES)},
    "multiview": {"geometry", *STAGES[:4]},
    "result": {"geometry", *STAGES},
    "find": {"geometry", "result", *STAGES},
}
"""Each module and folder of kdvision/vision and those it may import; each may import itself."""

BATCH_LAYERS = {"store": {"event", "photos"}, "reading": {"event", "store"}}
"""The folders of kdvision/batch and what they may import there; each may import itself."""

TRAINING_LIBRARIES = {"torch", "onnx", "sklearn", "matplotlib"}


class Import(NamedTuple):
    """One import: the package and place of the importing file, and the imported module."""

    package: str
    place: str
    module: str

    @property
    def target(self) -> str | None:
        """The imported package of kdvision; None for other libraries."""
        parts = self.module.split(".")
        return parts[1] if parts[0] == PACKAGE and len(parts) > 1 else None


def list_imports(root: Path) -> Iterator[Import]:
    """Yield every import statement of the package under `root`, at any depth of any file."""
    for path in sorted((root / PACKAGE).rglob("*.py")):
        parts = path.relative_to(root / PACKAGE).with_suffix("").parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for module in list_modules(node):
                yield Import(parts[0], f"{'/'.join(parts)}.py:{getattr(node, 'lineno', 0)}", module)


def list_modules(node: ast.AST) -> Iterable[str]:
    """Return the modules that a node imports; `from kdvision import pipeline` imports kdvision.pipeline."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are absolute"
        module = str(node.module)
        modules = [f"{module}.{alias.name}" for alias in node.names if not alias.name.startswith("__")]
        return modules if module == PACKAGE else [module]
    return []


def list_violations(root: Path) -> list[str]:
    """Return one line for each import that breaks the layers."""
    violations = []
    for item in list_imports(root):
        if item.target is not None and item.target != item.package and item.target not in LAYERS[item.package]:
            violations.append(f"{item.place}: {item.package} imports {item.module}")
        if item.package == item.target == "vision":
            stage, imported_stage = item.place.split("/")[1].split(".")[0], item.module.split(".")[2]
            if imported_stage not in {stage, *STAGE_LAYERS[stage]}:
                violations.append(f"{item.place}: the stage {stage} imports {item.module}")
        if item.package == item.target == "batch":
            folder, imported_folder = item.place.split("/")[1], item.module.split(".")[2]
            if imported_folder not in {folder, *BATCH_LAYERS.get(folder, {imported_folder})}:
                violations.append(f"{item.place}: the folder {folder} imports {item.module}")
        top = item.module.split(".")[0]
        if item.package == "game" and top != PACKAGE and top not in sys.stdlib_module_names:
            violations.append(f"{item.place}: game is pure Python and imports {item.module}")
        if item.package != "lab" and top in TRAINING_LIBRARIES:
            violations.append(f"{item.place}: only lab may import {item.module}")
    return violations


def test_imports_follow_the_layers() -> None:
    assert len(list(list_imports(ROOT))) > 50
    assert list_violations(ROOT) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("game/board.py", "import numpy as np"),
        ("game/board.py", "from kdvision.vision.image.photo import Photo"),
        ("vision/find.py", "from kdvision import pipeline"),
        ("vision/detect/grid.py", "from kdvision.vision.decide.decide import decide"),
        ("vision/detect/grid.py", "from kdvision.vision.classify.observe import observe"),
        ("vision/decide/decide.py", "from kdvision.vision.assess.kingdom import is_kingdom"),
        ("vision/image/photo.py", "from kdvision.vision.networks.onnx import Model"),
        ("vision/networks/cells.py", "def read():\n    from kdvision.vision.find import find_kingdoms"),
        ("vision/find.py", "def find():\n    import torch"),
        ("report/table.py", "from kdvision.cli import main"),
        ("batch/store/record.py", "from kdvision.batch.reading.job import Job"),
        ("cli/__init__.py", "def train():\n    from kdvision.lab import train"),
        ("lab/train.py", "from kdvision.web.server import app"),
        ("web/server.py", "def page():\n    from kdvision.lab.render import scenes"),
    ],
)
def test_a_forbidden_import_is_reported(path: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / PACKAGE / path
    file.parent.mkdir(parents=True)
    file.write_text(text)
    assert len(list_violations(tmp_path)) == 1


def test_the_script_in_the_root_is_four_lines() -> None:
    assert len((ROOT / "cli.py").read_text(encoding="utf-8").splitlines()) == 4
