"""Inside kdvision.vision imports go one way: image, networks, detect, classify, decide, assess, multiview."""

from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.repo.test_imports import list_imports

STAGES = (
    "geometry",
    "image",
    "networks",
    "detect",
    "classify",
    "decide",
    "assess",
    "result",
    "multiview",
    "find",
)


def list_backward_imports(root: Path) -> list[str]:
    """One line for each import of a later stage by an earlier one."""
    found = []
    for item in list_imports(root):
        importer, imported = item.place.split("/"), item.module.split(".")
        if (
            item.package == "vision"
            and imported[:2] == ["kdvision", "vision"]
            and len(imported) > 2
            and len(importer) > 1
        ):
            stage = importer[1].split(".")[0]
            if stage in STAGES and STAGES.index(imported[2]) > STAGES.index(stage):
                found.append(f"{item.place} imports {item.module}")
    return found


def test_no_stage_imports_a_later_one() -> None:
    assert {path.stem for path in (ROOT / "kdvision" / "vision").iterdir() if path.suffix in ("", ".py")} - {
        "__init__",
        "__pycache__",
    } == set(STAGES)
    assert list_backward_imports(ROOT) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("vision/detect/grid.py", "from kdvision.vision.classify.observe import observe"),
        ("vision/decide/decide.py", "from kdvision.vision.assess.kingdom import is_kingdom"),
        ("vision/image/photo.py", "from kdvision.vision.networks.onnx import Model"),
    ],
)
def test_a_backward_import_is_reported(path: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / "kdvision" / path
    file.parent.mkdir(parents=True)
    file.write_text(text)
    assert len(list_backward_imports(tmp_path)) == 1
