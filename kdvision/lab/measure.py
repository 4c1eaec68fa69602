"""What a trained cell network gets wrong on examples held out, and how far its probabilities must be cooled."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional as F

from kdvision.lab.examples import TILE_KINDS, CellExamples
from kdvision.lab.net import CellNet


def cell_logits(net: CellNet, crops: npt.NDArray[np.uint8]) -> Tensor:
    """Return the network's logits for crops (n, 64, 64, 3), in pieces that fit in memory."""
    with torch.inference_mode():
        parts = [
            net(torch.from_numpy(crops[k : k + 256].transpose(0, 3, 1, 2).copy()).float() / 255)
            for k in range(0, len(crops), 256)
        ]
    return torch.cat(parts)


def temperature(loss: Callable[[Tensor], Tensor], logits: Tensor) -> float:
    """Return the number by which logits must be divided for the least loss on examples held out (Guo et al., 2017)."""
    grid = np.exp(np.linspace(np.log(0.4), np.log(4), 70))
    return float(grid[int(np.argmin([float(loss(logits / t)) for t in grid]))])


def measure_cells(
    net: CellNet, rendered: CellExamples, real: CellExamples
) -> tuple[dict[str, float], dict[str, float]]:
    """Return temperatures fitted on held-out examples, and the error rates there."""
    both = CellExamples.join([rendered, real])
    logits, kinds = cell_logits(net, both.crops), len(TILE_KINDS)
    kind, tile, partner = (torch.from_numpy(x) for x in (both.kind, both.tile, both.partner))
    known = partner >= 0
    fitted = {
        "kind": temperature(lambda x: F.cross_entropy(x, kind, ignore_index=-1), logits[:, :kinds]),
        "presence": temperature(lambda x: F.binary_cross_entropy_with_logits(x, tile.float()), logits[:, kinds]),
        "partner": temperature(lambda x: F.cross_entropy(x, partner[known]), logits[known, kinds + 2 :]),
    }
    wrong = (logits[:, :kinds].argmax(1) != kind)[tile > 0].double()
    real_part = torch.arange(len(both)) >= len(rendered)
    rates = {
        "kind_error_rendered": float(wrong[~real_part[tile > 0]].mean()),
        "kind_error_real_crops": float(wrong[real_part[tile > 0]].mean()),
        "presence_error": float(((logits[:, kinds] > 0) != (tile > 0)).double().mean()),
        "partner_error": float((logits[known, kinds + 2 :].argmax(1) != partner[known]).double().mean()),
    }
    return fitted, rates
