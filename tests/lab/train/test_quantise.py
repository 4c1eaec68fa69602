"""Networks in whole numbers: nearly the same answers, the same words of themselves, kept only where they hold."""

from pathlib import Path

import numpy as np
import onnx
import pytest
import torch

from kdvision.files import write_atomically
from kdvision.lab.train.export import export_cells, export_finder
from kdvision.lab.train.net import CellNet, FinderNet
from kdvision.lab.train.quantise import NAMES, NOTED, Count, Folders, Recorded, first_and_last, keep, quantised, trained
from kdvision.vision.networks.onnx import Model
from tests.paths import MODELS

SHIPPED = MODELS


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(0)
    about = {"kind": 1.0, "presence": 1.0, "partner": 1.0}
    path = tmp_path_factory.mktemp("models") / "cells.onnx"
    return export_cells(CellNet(18, 5, width=8).eval(), path, temperatures=about, rates={}, settings={"seed": 3})


def crops(count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (count, 64, 64, 3), dtype=np.uint8)


def test_whole_numbers_say_nearly_the_same(cells: Path, tmp_path: Path) -> None:
    quantised(cells, tmp_path / "cells.onnx", [crops(8, 1), crops(8, 2)])
    floats, whole = Model(cells), Model(tmp_path / "cells.onnx")
    pictures = crops(6, 3)
    expected, found = floats.run(pictures), whole.run(pictures)
    assert 0 < np.abs(found - expected).max() < 0.1 * np.ptp(expected)
    assert whole.about == floats.about
    assert "QuantizeLinear" in {node.op_type for node in onnx.load(tmp_path / "cells.onnx").graph.node}


def test_pictures_of_any_size_still_fit(tmp_path: Path) -> None:
    path = export_finder(FinderNet(width=8).eval(), tmp_path / "finder.onnx", settings={})
    model = Recorded(path)
    rng = np.random.default_rng(0)
    for size in ((64, 96), (96, 32)):
        model.run(rng.integers(0, 256, (1, *size, 3), dtype=np.uint8))
    quantised(path, tmp_path / "whole.onnx", model.shown)
    assert Model(tmp_path / "whole.onnx").run(np.zeros((1, 128, 160, 3), np.uint8)).shape == (1, 8, 16, 20)
    kept = first_and_last(onnx.load(path))
    assert {"/net/stem/stem.0/stem.0.0/Conv", "/net/head/head.1/Conv"} <= set(kept)
    assert not any("eighth" in name or "merge" in name for name in kept)


@pytest.mark.parametrize(
    ("count", "kept", "right"),
    [
        (Count(200, 200, 200, 196), NAMES, 196),
        (Count(200, 195, 199, 195), ("cells",), 199),
        (Count(200, 199, 195, 195), ("finder",), 199),
        (Count(200, 190, 190, 190), (), 200),
        (Count(0, 0, 0, 0), NAMES, 0),
    ],
)
def test_only_what_loses_next_to_nothing_is_kept(count: Count, kept: tuple[str, ...], right: int) -> None:
    assert (count.kept, count.right) == (kept, right)


def test_of_two_only_the_one_trained_anew_is_put_in_whole_numbers(
    cells: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "models"
    home.mkdir()
    monkeypatch.setenv("KDVISION_MODELS", str(home))
    write_atomically(home / "cells.onnx", cells.read_bytes())
    write_atomically(home / "finder.onnx", (SHIPPED / "finder.onnx").read_bytes())
    finder = (home / "finder.onnx").read_bytes()
    folders = Folders(tmp_path / "floats", tmp_path / "whole")
    assert trained(folders) == ["cells"]
    assert {(folder / "finder.onnx").read_bytes() for folder in (folders.floats, folders.whole)} == {finder}
    quantised(folders.floats / "cells.onnx", folders.whole / "cells.onnx", [crops(8, 1)])
    keep(folders, ["cells"], Count(100, 100, 99, 99), 80)
    assert (home / "finder.onnx").read_bytes() == finder
    assert Model(home / "cells.onnx").about[NOTED]["right"] == {"floats": 100, "whole numbers": 99}
    assert trained(folders) == []
