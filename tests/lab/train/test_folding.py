"""Folded networks say what they said before, in fewer nodes."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch: make test-lab installs it")

import onnx
import torch

from kdvision.lab.train.export import export_cells, export_finder
from kdvision.lab.train.folding import folded
from kdvision.lab.train.net import CellNet, FinderNet
from kdvision.lab.train.quantise import quantised
from kdvision.vision.networks.onnx import Model


@pytest.fixture(scope="module")
def networks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("models")
    cells = export_cells(CellNet(18, 5, width=8).eval(), folder / "cells.onnx", temperatures={}, rates={}, settings={})
    return {"cells": cells, "finder": export_finder(FinderNet(width=8).eval(), folder / "finder.onnx", settings={})}


def saved(model: onnx.ModelProto, path: Path) -> Path:
    onnx.save(model, path)
    return path


@pytest.mark.parametrize("name", ["cells", "finder"])
def test_it_says_the_same_in_fewer_nodes(networks: dict[str, Path], tmp_path: Path, name: str) -> None:
    before = onnx.load(networks[name])
    after = folded(before)
    assert len(after.graph.node) < len(before.graph.node) - 5
    pictures = np.random.default_rng(1).integers(0, 256, (3, 64, 64, 3), dtype=np.uint8)
    old, new = (Model(path).run(pictures) for path in (networks[name], saved(after, tmp_path / "folded.onnx")))
    assert 0 < np.abs(new - old).max() < 0.01 * np.ptp(old)
    assert Model(tmp_path / "folded.onnx").about == Model(networks[name]).about


def test_pixels_that_are_out_of_order_are_told(networks: dict[str, Path], tmp_path: Path) -> None:
    """The weights of single pixels have to meet the pixels that they were learned on: a mirrored picture is another."""
    model = Model(saved(folded(onnx.load(networks["cells"])), tmp_path / "folded.onnx"))
    picture = np.random.default_rng(2).integers(0, 256, (1, 64, 64, 3), dtype=np.uint8)
    expected = Model(networks["cells"]).run(picture[:, :, ::-1].copy())
    assert np.abs(model.run(picture) - expected).max() > 0.05 * np.ptp(expected)


def test_bytes_go_into_the_first_convolution_as_they_are(networks: dict[str, Path], tmp_path: Path) -> None:
    path, whole = saved(folded(onnx.load(networks["cells"])), tmp_path / "folded.onnx"), tmp_path / "whole.onnx"
    shown = [np.random.default_rng(n).integers(0, 256, (8, 64, 64, 3), dtype=np.uint8) for n in range(2)]
    quantised(path, whole, shown)
    (first,) = (node for node in onnx.load(whole).graph.node if "pixels_scaled" in node.input)
    assert first.op_type == "Conv"
    expected = Model(path).run(shown[0])
    assert np.abs(Model(whole).run(shown[0]) - expected).max() < 0.1 * np.ptp(expected)


def test_another_network_is_refused(networks: dict[str, Path]) -> None:
    with pytest.raises(ValueError, match="begins with"):
        folded(folded(onnx.load(networks["finder"])))
