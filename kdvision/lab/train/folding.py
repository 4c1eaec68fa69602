"""The first steps of an exported network in fewer nodes: the same numbers, without passing over the pixels five times.

Bytes to what the network was trained on, `(pixels / 255 - 0.45) / 0.27`, is one node, for whole numbers with a scale
and a zero point are what `DequantizeLinear` is about; and pixels taken in fours before a convolution of 3 x 3 are a
convolution of 6 x 6 that takes every other pixel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper, numpy_helper

NORMALISING: Final = ("Transpose", "Cast", "Div", "Sub", "Div")
IN_FOURS: Final = ("Reshape", "Transpose", "Reshape")
GIVEN: Final = ("Constant", "Identity")
"""What names constants: weights that are equal are kept once, under several names."""
SCALED: Final = "pixels_scaled"


def folded(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return the model with its first nodes folded; raises ValueError where they are others than are known here.

    What it says differs by rounding alone: the zero point is a whole number, and the first biases make up for that,
    but for the outermost pixels.
    """
    graph = model.graph
    nodes = [node for node in graph.node if node.op_type not in GIVEN]
    first = nodes[: len(NORMALISING)]
    if tuple(node.op_type for node in first) != NORMALISING:
        raise ValueError(f"the network begins with {[node.op_type for node in first]}, not with {NORMALISING}")
    rest = nodes[len(NORMALISING) :]
    fours = tuple(node.op_type for node in rest[: len(IN_FOURS)]) == IN_FOURS
    rest = rest[len(IN_FOURS) :] if fours else rest
    conv = rest[0]
    byte, mean, spread = (float(_value(graph, node.input[1])) for node in first[2:])
    scale, zero = 1 / (byte * spread), round(byte * mean)
    weight, bias = (_value(graph, name) for name in conv.input[1:3])
    bias = bias + (zero - byte * mean) * scale * weight.sum((1, 2, 3))
    if fours:
        weight = _of_single_pixels(weight)
    made = {
        "pixels_scale": np.float32(scale),
        "pixels_zero": np.uint8(zero),
        "first_weight": weight.astype(np.float32),
        "first_bias": bias.astype(np.float32),
    }
    start = helper.make_node(
        "DequantizeLinear", [first[0].output[0], "pixels_scale", "pixels_zero"], [SCALED], name="/scaled"
    )
    again = helper.make_node("Conv", [SCALED, "first_weight", "first_bias"], conv.output, name=conv.name)
    settings = {"kernel_shape": [6, 6], "pads": [2] * 4, "strides": [2, 2]} if fours else _settings(conv)
    again.attribute.extend(helper.make_attribute(name, value) for name, value in settings.items())
    return _with(model, [first[0], start, again, *rest[1:]], made)


def rounded_once(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return a folded model in whole numbers whose bytes go into the first convolution as they are.

    A quantiser does not know that the pixels were whole numbers before, and would round them again.
    """
    result = onnx.ModelProto()
    result.CopyFrom(model)
    graph = result.graph
    for node in [n for n in graph.node if n.op_type == "QuantizeLinear" and n.input[0] == SCALED]:
        back = next(n for n in graph.node if n.op_type == "DequantizeLinear" and n.input[0] == node.output[0])
        for other in graph.node:
            other.input[:] = [SCALED if name == back.output[0] else name for name in other.input]
        graph.node.remove(node)
        graph.node.remove(back)
    return result


def _of_single_pixels(weight: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The weights (o, 3 x 4, 3, 3) over pixels in fours as weights (o, 3, 6, 6) over single ones."""
    out, channels, rows, cols = weight.shape
    apart = weight.reshape(out, channels // 4, 2, 2, rows, cols)  # down, right, then the kernel's row and column
    return apart.transpose(0, 1, 4, 2, 5, 3).reshape(out, channels // 4, 2 * rows, 2 * cols)


def in_fours(weight: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return weights (o, 3, 6, 6) over single pixels as weights (o, 12, 3, 3) over pixels in fours."""
    out, channels, rows, cols = weight.shape
    apart = weight.reshape(out, channels, rows // 2, 2, cols // 2, 2)
    return apart.transpose(0, 1, 3, 5, 2, 4).reshape(out, 4 * channels, rows // 2, cols // 2)


def _value(graph: onnx.GraphProto, name: str) -> npt.NDArray[np.float32]:
    """The constant of a name."""
    for tensor in graph.initializer:
        if tensor.name == name:
            return np.asarray(numpy_helper.to_array(tensor))
    for node in graph.node:
        if node.op_type in GIVEN and node.output[0] == name:
            constant = node.op_type == "Constant"
            return np.asarray(numpy_helper.to_array(node.attribute[0].t)) if constant else _value(graph, node.input[0])
    raise ValueError(f"{name} is no constant of the network")


def _settings(node: onnx.NodeProto) -> dict[str, list[int]]:
    return {one.name: list(one.ints) for one in node.attribute if one.ints}


def _with(
    model: onnx.ModelProto, nodes: Sequence[onnx.NodeProto], made: dict[str, np.generic | npt.NDArray[np.float32]]
) -> onnx.ModelProto:
    """The model with these nodes in the place of its own, its constants before them; constants of no use are gone."""
    used = {name for node in nodes for name in node.input}
    constants = [n for n in model.graph.node if n.op_type in GIVEN and n.output[0] in used]
    used |= {name for node in constants for name in node.input}
    kept = [tensor for tensor in model.graph.initializer if tensor.name in used]
    result = onnx.ModelProto()
    result.CopyFrom(model)
    del result.graph.node[:], result.graph.initializer[:]
    result.graph.node.extend([*constants, *nodes])
    result.graph.initializer.extend(kept)
    result.graph.initializer.extend(numpy_helper.from_array(np.asarray(value), name) for name, value in made.items())
    onnx.checker.check_model(result)
    return result
