"""Export of trained networks to ONNX files that describe themselves."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper
from torch import Tensor, nn

from kdvision.lab.model_file import write_model
from kdvision.lab.train import networks
from kdvision.lab.train.examples import PIECES, TILE_KINDS
from kdvision.vision.classify.probabilities import NOTHING
from kdvision.vision.networks.cells import CROP_PIXELS
from kdvision.vision.networks.onnx import MODEL_FORMAT, Model

SOURCES = (
    "rendered scenes with photographed domino art; 5,655 square crops of about 226 photographed kingdoms; "
    "towns, buildings and pieces cut from 8 photos of Queendomino"
)


class FromBytes(nn.Module):
    """A network that takes RGB bytes (n, H, W, 3)."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net = net

    def forward(self, pixels: Tensor) -> Tensor:
        result: Tensor = self.net(pixels.permute(0, 3, 1, 2).float())
        return result


def export_detector(net: networks.DetectorNet, path: Path, **metadata: Any) -> None:
    """Write the detector with metadata; raises AssertionError if ONNX and torch disagree."""
    metadata = {"name": "detector", "input": "RGB bytes (n, H, W, 3), H and W multiples of 32", **metadata}
    axes = {"pixels": {0: "n", 1: "height", 2: "width"}}
    _export(FromBytes(net), path, {"pixels": _make_pixels(64, 96)}, axes, metadata)


def export_cells(net: networks.CellNet, path: Path, **metadata: Any) -> None:
    """Write the cell classifier with its kinds and metadata; raises as above."""
    size = f"RGB bytes (n, {CROP_PIXELS}, {CROP_PIXELS}, 3)"
    metadata = {"name": "cells", "input": size, "kinds": [*TILE_KINDS, NOTHING], "pieces": PIECES, **metadata}
    _export(FromBytes(net), path, {"pixels": _make_pixels(CROP_PIXELS, CROP_PIXELS)}, {"pixels": {0: "n"}}, metadata)


def export_context(
    net: networks.ContextNet, path: Path, *, kinds: Sequence[str], temperature: float, **metadata: Any
) -> None:
    """Write the context network with its temperature and metadata; raises as above."""
    size = f"log-probabilities (n, {len(kinds)}) and colours (n, {networks.COLOUR_FEATURES}) of the tiles of a photo"
    metadata = {"name": "context", "input": size, "kinds": kinds, **metadata}
    metadata["temperatures"] = {"kind_in_context": temperature}
    rng = np.random.default_rng(0)
    log_probs = torch.log_softmax(torch.from_numpy(rng.normal(0, 4, (7, len(kinds))).astype(np.float32)), -1)
    colours = torch.from_numpy(rng.uniform(0, 255, (7, networks.COLOUR_FEATURES)).astype(np.float32))
    inputs = {"log_probs": log_probs, "colours": colours}
    _export(
        networks.ContextForPhoto(net, temperature, kinds), path, inputs, {name: {0: "n"} for name in inputs}, metadata
    )


def _make_pixels(height: int, width: int) -> Tensor:
    return torch.from_numpy(np.random.default_rng(0).integers(0, 256, (2, height, width, 3), dtype=np.uint8))


def _export(
    module: nn.Module,
    path: Path,
    inputs: Mapping[str, Tensor],
    axes: Mapping[str, Mapping[int, str]],
    metadata: Mapping[str, Any],
) -> None:
    """Write the module with its metadata; `inputs` are an example, `axes` the dimensions of any size."""
    draft = path.with_suffix(".part")
    module.eval()
    with warnings.catch_warnings():
        # the older of torch's two exporters; the newer one needs another package
        warnings.simplefilter("ignore", DeprecationWarning)
        torch.onnx.export(
            module,
            tuple(inputs.values()),
            draft,
            input_names=list(inputs),
            output_names=["output"],
            dynamic_axes={**axes, "output": {0: "n"}},
            opset_version=17,
            dynamo=False,
        )
    model = onnx.load(draft)
    if "pixels" in inputs:
        dequantise_pixels(model)
    write_model(draft, model, {"format": MODEL_FORMAT, "sources": SOURCES, **metadata})
    with torch.inference_mode():
        expected = module(*inputs.values()).numpy()
    output = Model(draft).run_inputs(**{name: value.numpy() for name, value in inputs.items()})
    np.testing.assert_allclose(output, expected, rtol=1e-3, atol=1e-3)
    draft.replace(path)


def dequantise_pixels(model: onnx.ModelProto) -> None:
    """Replace the first nodes, which normalise pixels in floats, by one that the runtime fuses with the convolution."""
    graph = model.graph
    operations = [node for node in graph.node if node.op_type not in ("Constant", "Identity")]
    transpose, cast, subtract, divide = operations[:4]
    names = [node.op_type for node in operations[:4]]
    if names != ["Transpose", "Cast", "Sub", "Div"]:
        raise ValueError(f"the network begins with {names}")
    graph.initializer.extend(
        [
            numpy_helper.from_array(np.array(1 / networks.PIXEL_DEVIATION, np.float32), "pixels_scale"),
            numpy_helper.from_array(np.array(networks.PIXEL_MEAN, np.uint8), "pixels_zero"),
        ]
    )
    inputs = [transpose.output[0], "pixels_scale", "pixels_zero"]
    graph.node.insert(list(graph.node).index(cast), helper.make_node("DequantizeLinear", inputs, divide.output))
    for node in (cast, subtract, divide):
        graph.node.remove(node)
