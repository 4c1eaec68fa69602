"""Trained networks to ONNX files that describe themselves, checked against torch before they are kept."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import Tensor, nn

from kdvision.lab.train.examples import PIECES, TILE_KINDS
from kdvision.lab.train.net import COLOURS, CellNet, ContextNet, FinderNet, OfOnePhoto
from kdvision.vision.classify.probabilities import NOTHING
from kdvision.vision.networks.cells import CROP
from kdvision.vision.networks.onnx import FORMAT, Model

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


def _export_pixels(
    net: nn.Module, path: Path, *, size: tuple[int, int], about: Mapping[str, Any], any_size: bool
) -> Path:
    sample = torch.from_numpy(np.random.default_rng(0).integers(0, 256, (2, *size, 3), dtype=np.uint8))
    axes = {0: "n", 1: "height", 2: "width"} if any_size else {0: "n"}
    return _export(FromPixels(net).eval(), path, {"pixels": sample}, {"pixels": axes}, about)


def _export(
    whole: nn.Module,
    path: Path,
    sample: Mapping[str, Tensor],
    axes: Mapping[str, Mapping[int, str]],
    about: Mapping[str, Any],
) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".part")
    with warnings.catch_warnings():
        # the older of torch's two exporters: the newer one wants another package to do the same
        warnings.simplefilter("ignore", DeprecationWarning)
        torch.onnx.export(
            whole,
            tuple(sample.values()),
            draft,
            input_names=list(sample),
            output_names=["output"],
            dynamic_axes={**axes, "output": {0: "n"}},
            opset_version=17,
            dynamo=False,
        )
    model = onnx.load(draft)
    for key, value in {"format": FORMAT, **about}.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, json.dumps(value)
    onnx.save(model, draft)
    with torch.inference_mode():
        expected = whole(*sample.values()).numpy()
    given = {name: value.numpy() for name, value in sample.items()}
    np.testing.assert_allclose(Model(draft).ask(**given), expected, rtol=1e-3, atol=1e-3)
    draft.replace(path)
    return path


def export_context(
    net: ContextNet,
    path: Path,
    *,
    kinds: Sequence[str],
    temperature: float,
    rates: Mapping[str, float],
    settings: Mapping[str, Any],
) -> Path:
    """Write the context network, with its temperature in it; raises AssertionError as above."""
    about = {
        "name": "context",
        "input": f"log-probabilities (n, {len(kinds)}) and colours (n, {COLOURS}) of the tiles of a photo",
        "kinds": list(kinds),
        "temperatures": {"kind_in_context": temperature},
        "held_out": dict(rates),
        "sources": SOURCES,
        "settings": dict(settings),
    }
    rng = np.random.default_rng(0)
    said = torch.log_softmax(torch.from_numpy(rng.normal(0, 4, (7, len(kinds))).astype(np.float32)), -1)
    sample = {"log_probs": said, "colours": torch.from_numpy(rng.uniform(0, 255, (7, COLOURS)).astype(np.float32))}
    return _export(OfOnePhoto(net, temperature, kinds).eval(), path, sample, {name: {0: "n"} for name in sample}, about)


def export_finder(net: FinderNet, path: Path, *, settings: Mapping[str, Any]) -> Path:
    """Write the finder; raises AssertionError where ONNX and torch disagree."""
    about = {
        "name": "finder",
        "input": "RGB bytes (n, H, W, 3), H and W multiples of 32",
        "sources": SOURCES,
        "settings": dict(settings),
    }
    return _export_pixels(net, path, size=(64, 96), about=about, any_size=True)


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
    return _export_pixels(net, path, size=(CROP, CROP), about=about, any_size=False)
