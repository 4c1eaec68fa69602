"""Quantisation of the detector and the cell classifier to eight bits: a quarter of the file size, and faster with VNNI.

The ranges of the activations come from rendered scenes that pass through the runtime. The kingdoms that come out right
on other scenes are counted with each network in floats and in integers; a network that loses more than one kingdom in
fifty keeps its floats. First and last layers always do: 256 steps are too few for faint light and for exact positions.
So does the second layer of the cell classifier, which loses most.
Weights keep seven bits, because processors without VNNI add pairs of products in 16 bits (ONNX Runtime, "Quantize ONNX
models"): this way every processor computes the same sums.
"""

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Final

import numpy as np
import onnx
from onnxruntime.quantization import QuantFormat, QuantType, quantize_static

from kdvision.lab.arrays import Bytes, Floats32
from kdvision.lab.calibrate.scenes import judge_boards, observe_picture, render_scene
from kdvision.lab.model_file import write_model
from kdvision.lab.run import Run
from kdvision.vision.assess.calibration import Calibration
from kdvision.vision.find import Networks
from kdvision.vision.networks.cells import CellClassifier
from kdvision.vision.networks.detector import SquareDetector
from kdvision.vision.networks.onnx import Model, find_model, load_model

NAMES: Final = ("detector", "cells")
OPERATORS: Final = ("Conv", "Add", "Resize", "Concat", "Relu", "MaxPool", "Gemm", "MatMul")
METADATA_KEY: Final = "quantisation"
"""Metadata of a quantised model: on how many scenes it was compared, and the kingdoms right before and after."""
RANGE_SEED, RANGE_SCENES = 7_000_000, 16
TEST_SEED, TEST_SCENES = 8_000_000, 80
MAX_LOST_SHARE: Final = 0.02
"""Largest share of the kingdoms that a quantised network may lose."""


class RecordingModel(Model):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.inputs: list[Bytes] = []

    def run(self, pictures: Bytes) -> Floats32:
        self.inputs.append(np.ascontiguousarray(pictures))
        return super().run(pictures)


def quantise_networks(run: Run) -> None:
    """Quantise each network that is still in floats, and keep the result if it loses next to nothing."""
    for name in NAMES:
        path = run.models / f"{name}.onnx"
        if not path.is_file():
            print(f"{name} is not in {run.models}, so there is nothing to quantise", flush=True)
            continue
        if METADATA_KEY in Model(path).metadata:
            print(f"{name} is quantised already", flush=True)
            continue
        quantised_path = run.work / f"{name}-int8.onnx"
        quantise(path, quantised_path, collect_inputs(run.data)[name])
        float_count, integer_count = (count_right_kingdoms(run, {name: model}) for model in (path, quantised_path))
        is_kept = is_loss_acceptable(float_count, integer_count)
        counts = f"{float_count} kingdoms right in floats, {integer_count} in integers"
        print(f"{name}: {counts}, {'kept' if is_kept else 'rejected'}")
        if is_kept:
            comparison = {"scenes": TEST_SCENES, "right": {"floats": float_count, "whole numbers": integer_count}}
            write_model(path, onnx.load(quantised_path), {**Model(path).metadata, METADATA_KEY: comparison})


def is_loss_acceptable(float_count: int, integer_count: int) -> bool:
    """Return whether the loss of kingdoms is within MAX_LOST_SHARE; one kingdom may always be lost."""
    return float_count - integer_count <= max(1, round(MAX_LOST_SHARE * float_count))


def collect_inputs(data: Path) -> dict[str, list[Bytes]]:
    """Return the inputs that both networks get on rendered scenes."""
    models = {name: RecordingModel(find_model(name)) for name in NAMES}
    for seed in range(RANGE_SEED, RANGE_SEED + RANGE_SCENES):
        observe_picture(render_scene(data, seed), join_networks(models["detector"], models["cells"]))
    return {name: model.inputs for name, model in models.items()}


def join_networks(detector: Model, cells: Model) -> Networks:
    """Return these networks without a context network."""
    return Networks(SquareDetector(detector), CellClassifier(cells), None, Calibration.from_metadata(cells.metadata))


def count_right_kingdoms(run: Run, networks: Mapping[str, Path]) -> int:
    """Return how many kingdoms of the test scenes are right, with some networks replaced."""
    count = partial(count_right_in_scene, data=run.data, networks=networks)
    return sum(run.map(count, range(TEST_SEED, TEST_SEED + TEST_SCENES)))


def count_right_in_scene(seed: int, *, data: Path, networks: Mapping[str, Path]) -> int:
    """Return how many kingdoms of one scene are right, with some networks replaced."""
    detector, cells = (Model(networks[name]) if name in networks else load_model(name) for name in NAMES)
    scene = observe_picture(render_scene(data, seed), join_networks(detector, cells))
    return sum(board.is_right for board in judge_boards(scene))


def quantise(path: Path, target: Path, inputs: Sequence[Bytes]) -> None:
    """Write the model at `path` in eight bits, with the ranges that its activations span on these inputs."""
    logging.getLogger().setLevel(logging.ERROR)  # the quantiser recommends a step that the exporter has done
    samples = iter([{"pixels": pictures} for pictures in inputs])
    quantize_static(
        path,
        target,
        SimpleNamespace(get_next=lambda: next(samples, None)),
        quant_format=QuantFormat.QDQ,
        op_types_to_quantize=list(OPERATORS),
        nodes_to_exclude=list_unquantised_nodes(onnx.load(path)),
        per_channel=True,
        reduce_range=True,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
    )
    write_model(target, onnx.load(target), Model(path).metadata)


def list_unquantised_nodes(model: onnx.ModelProto) -> list[str]:
    return [node.name for node in model.graph.node if {"stem", "body.0", "head"} & set(node.name.split("/"))]
