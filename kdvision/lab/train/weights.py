"""The weights of a network in its file, back in torch: a further course of training starts from what was shipped."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import numpy_helper
from torch import nn

from kdvision.lab.train.folding import in_fours

Floats = npt.NDArray[np.float32]
Net = TypeVar("Net", bound=nn.Module)

FIRST = "first"
MEAN, SPREAD = 0.45, 0.27
"""What the networks take from their input and divide it by, before their first convolution."""


def loaded(net: Net, path: Path) -> Net:
    """Return the net, in place, with the weights in a file; its batch norms must have been merged (`train.merged`).

    A file in whole numbers tells its weights to one part in 64 of the largest of their kind. Raises ValueError where
    file and net do not fit.
    """
    model = onnx.load(path)
    told = _told(model)
    scale, zero = (float(told[name]) for name in ("pixels_scale", "pixels_zero"))
    net_first = next(name for name, part in net.named_modules() if isinstance(part, nn.Conv2d))
    shape = net.get_parameter(f"{net_first}.weight").shape
    weight, bias = told[f"{FIRST}_weight"], told[f"{FIRST}_bias"]
    # folding rounded the zero point and let the biases make up for it
    bias = bias - (zero - MEAN / (scale * SPREAD)) * scale * weight.sum((1, 2, 3))
    told |= {f"{net_first}.weight": weight if weight.shape == shape else in_fours(weight), f"{net_first}.bias": bias}
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            values = told.get(name, told.get(f"net.{name}"))
            if values is None or values.shape != parameter.shape:
                raise ValueError(f"{path} has no weights {name} of the shape {tuple(parameter.shape)}")
            parameter.copy_(torch.from_numpy(np.array(values, np.float32)))
    return net


def _told(model: onnx.ModelProto) -> dict[str, Floats]:
    """Every constant of a network by its name, those in whole numbers as what they stand for."""
    raw = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    told = {name: np.asarray(values) for name, values in raw.items()}
    for name, values in raw.items():
        if not name.endswith("_quantized"):
            continue
        plain = name.removesuffix("_quantized")
        scale = raw.get(f"{plain}_scale", raw.get(f"{name}_scale"))
        if scale is not None:
            spread = np.reshape(scale, (-1, *[1] * (values.ndim - 1)))
            told[plain] = np.asarray(values * spread, np.float32)
    for node in model.graph.node:
        if node.op_type == "Identity" and node.input[0] in told:  # equal weights are kept once, under several names
            told[node.output[0]] = told[node.input[0]]
    return told
