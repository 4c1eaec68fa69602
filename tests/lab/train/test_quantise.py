"""Quantised networks give nearly the same output, keep their metadata, and replace floats only where little is lost."""

from pathlib import Path

import numpy as np
import onnx
import pytest
import torch

from kdvision.lab.run import Run
from kdvision.lab.train import quantise as quantising
from kdvision.lab.train.export import export_cells, export_detector
from kdvision.lab.train.networks import CellNet, DetectorNet
from kdvision.lab.train.quantise import (
    METADATA_KEY,
    RecordingModel,
    is_loss_acceptable,
    list_unquantised_nodes,
    quantise,
    quantise_networks,
)
from kdvision.vision.networks.onnx import Model
from tests.paths import MODELS


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(0)
    temperatures = {"kind": 1.0, "presence": 1.0, "partner": 1.0}
    path = tmp_path_factory.mktemp("models") / "cells.onnx"
    export_cells(CellNet(18, 5, width=8).eval(), path, temperatures=temperatures, held_out={}, settings={"seed": 3})
    return path


def make_crops(count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (count, 64, 64, 3), dtype=np.uint8)


def test_eight_bits_give_nearly_the_same_output(cells: Path, tmp_path: Path) -> None:
    quantise(cells, tmp_path / "cells.onnx", [make_crops(8, 1), make_crops(8, 2)])
    floats, integers = Model(cells), Model(tmp_path / "cells.onnx")
    pictures = make_crops(6, 3)
    expected, output = floats.run(pictures), integers.run(pictures)
    assert 0 < np.abs(output - expected).max() < 0.1 * np.ptp(expected)
    assert integers.metadata == floats.metadata
    assert "QuantizeLinear" in {node.op_type for node in onnx.load(tmp_path / "cells.onnx").graph.node}


def test_a_quantised_detector_takes_any_size_and_keeps_its_ends_in_floats(tmp_path: Path) -> None:
    path = tmp_path / "detector.onnx"
    export_detector(DetectorNet(width=8).eval(), path, settings={})
    model = RecordingModel(path)
    rng = np.random.default_rng(0)
    for size in ((64, 96), (96, 32)):
        model.run(rng.integers(0, 256, (1, *size, 3), dtype=np.uint8))
    quantise(path, tmp_path / "int8.onnx", model.inputs)
    assert Model(tmp_path / "int8.onnx").run(np.zeros((1, 128, 160, 3), np.uint8)).shape == (1, 8, 16, 20)
    unquantised_nodes = list_unquantised_nodes(onnx.load(path))
    assert {"/net/stem/stem.0/stem.0.0/Conv", "/net/head/head.1/Conv"} <= set(unquantised_nodes)
    assert not any("eighth" in name or "merge" in name for name in unquantised_nodes)


@pytest.mark.parametrize(
    ("before", "after", "is_acceptable"),
    [(200, 196, True), (200, 195, False), (200, 203, True), (20, 19, True), (0, 0, True)],
)
def test_one_kingdom_in_fifty_may_be_lost(before: int, after: int, is_acceptable: bool) -> None:
    assert is_loss_acceptable(before, after) == is_acceptable


@pytest.mark.parametrize("loss", [1, 5])
def test_only_a_network_in_floats_is_quantised_and_replaced_if_little_is_lost(
    cells: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loss: int
) -> None:
    models = tmp_path / "models"
    models.mkdir()
    monkeypatch.setenv("KDVISION_MODELS", str(models))
    detector_bytes = (MODELS / "detector.onnx").read_bytes()
    (models / "detector.onnx").write_bytes(detector_bytes)
    (models / "cells.onnx").write_bytes(cells.read_bytes())
    monkeypatch.setattr(quantising, "collect_inputs", lambda _: {"cells": [make_crops(8, 1)]})
    counts = iter([100, 100 - loss])
    monkeypatch.setattr(quantising, "count_right_kingdoms", lambda *_: next(counts))
    quantise_networks(Run(tmp_path, models, tmp_path, workers=1))
    assert (models / "detector.onnx").read_bytes() == detector_bytes
    metadata = Model(models / "cells.onnx").metadata
    if loss == 1:
        assert metadata[METADATA_KEY]["right"] == {"floats": 100, "whole numbers": 99}
    else:
        assert METADATA_KEY not in metadata


def test_a_network_that_the_folder_lacks_is_not_quantised_elsewhere(
    cells: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = cells.read_bytes()
    monkeypatch.setattr(quantising, "find_model", lambda _: cells)
    monkeypatch.setattr(quantising, "collect_inputs", lambda _: {"detector": [make_crops(8, 1)]})
    monkeypatch.setattr(quantising, "count_right_kingdoms", lambda *_: 100)
    quantise_networks(Run(tmp_path, tmp_path / "models", tmp_path, workers=1))
    assert cells.read_bytes() == before
    assert "nothing to quantise" in capsys.readouterr().out
