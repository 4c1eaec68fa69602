"""Trained networks to ONNX files that describe themselves, checked against torch before they are kept."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import Tensor, nn

from kdvision.lab.examples import PIECES, TILE_KINDS
from kdvision.lab.net import CellNet, FinderNet
from kdvision.vision.cells import CROP
from kdvision.vision.models import FORMAT, Model
from kdvision.vision.reading import NOTHING

SOURCES = (
    "rendered scenes with photographed domino art; 5,655 square crops of about 226 photographed kingdoms; "
    "towns, buildings and pieces cut from 8 photos of Queendomino"
)


class FromPixels(nn.Module):
    """A network behind its normalisation: takes RGB bytes (n, H, W, 3)."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net = net

    def forward(self, pixels: Tensor) -> Tensor:
        result: Tensor = self.net(pixels.permute(0, 3, 1, 2).float() / 255)
        return result


def _export(net: nn.Module, path: Path, *, size: tuple[int, int], about: Mapping[str, Any], any_size: bool) -> Path:
    whole = FromPixels(net).eval()
    sample = torch.from_numpy(np.random.default_rng(0).integers(0, 256, (2, *size, 3), dtype=np.uint8))
    axes = {"pixels": {0: "n", 1: "height", 2: "width"} if any_size else {0: "n"}, "output": {0: "n"}}
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".part")
    with warnings.catch_warnings():
        # the older of torch's two exporters: the newer one wants another package to do the same
        warnings.simplefilter("ignore", DeprecationWarning)
        torch.onnx.export(
            whole,
            (sample,),
            draft,
            input_names=["pixels"],
            output_names=["output"],
            dynamic_axes=axes,
            opset_version=17,
            dynamo=False,
        )
    model = onnx.load(draft)
    for key, value in {"format": FORMAT, **about}.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, json.dumps(value)
    onnx.save(model, draft)
    with torch.inference_mode():
        expected = whole(sample).numpy()
    np.testing.assert_allclose(Model(draft).run(sample.numpy()), expected, rtol=1e-3, atol=1e-3)
    draft.replace(path)
    return path


def export_finder(net: FinderNet, path: Path, *, settings: Mapping[str, Any]) -> Path:
    """Write the finder; raises AssertionError where ONNX and torch disagree."""
    about = {
        "name": "finder",
        "input": "RGB bytes (n, H, W, 3), H and W multiples of 32",
        "sources": SOURCES,
        "settings": dict(settings),
    }
    return _export(net, path, size=(64, 96), about=about, any_size=True)


def export_cells(
    net: CellNet,
    path: Path,
    *,
    temperatures: Mapping[str, float],
    rates: Mapping[str, float],
    settings: Mapping[str, Any],
) -> Path:
    """Write the cell network with its kinds, temperatures and held-out error rates; raises AssertionError as above."""
    about = {
        "name": "cells",
        "input": f"RGB bytes (n, {CROP}, {CROP}, 3)",
        "kinds": [*TILE_KINDS, NOTHING],
        "pieces": list(PIECES),
        "temperatures": dict(temperatures),
        "held_out": dict(rates),
        "sources": SOURCES,
        "settings": dict(settings),
    }
    return _export(net, path, size=(CROP, CROP), about=about, any_size=False)
