"""What a trained cell network gets wrong on examples held out, and how far its probabilities must be cooled."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional as F

from kdvision.lab.train.examples import PIECES, TILE_KINDS, CellExamples
from kdvision.lab.train.net import CORNERS, PARTNERS, CellNet


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
    net: CellNet, rendered: CellExamples, beset: CellExamples, real: CellExamples
) -> tuple[dict[str, float], dict[str, float]]:
    """Return temperatures fitted on held-out examples, and the error rates there.

    Examples are of plain tables, of tables `beset` with pieces, and of real photos.
    """
    parts = [rendered, beset, real]
    every = CellExamples.join(parts)
    logits, kinds = cell_logits(net, every.crops), len(TILE_KINDS)
    kind, tile, partner, piece, gems = (
        torch.from_numpy(x) for x in (every.kind, every.tile, every.partner, every.piece, every.gems)
    )
    of_half, of_piece, of_gems = logits[:, kinds + 2 :].split([PARTNERS, len(PIECES), CORNERS], dim=1)
    known, marked = partner >= 0, gems >= 0
    fitted = {
        "kind": temperature(lambda x: F.cross_entropy(x, kind, ignore_index=-1), logits[:, :kinds]),
        "presence": temperature(lambda x: F.binary_cross_entropy_with_logits(x, tile.float()), logits[:, kinds]),
        "partner": temperature(lambda x: F.cross_entropy(x, partner[known]), of_half[known]),
        "pieces": temperature(lambda x: F.cross_entropy(x, piece, ignore_index=-1), of_piece),
        "gems": temperature(lambda x: F.binary_cross_entropy_with_logits(x, gems[marked].float()), of_gems[marked]),
    }
    sort = torch.from_numpy(np.repeat(range(3), [len(part) for part in parts]))
    wrong = logits[:, :kinds].argmax(1) != kind

    def share(of: Tensor, among: Tensor) -> float:
        return float(of[among].double().mean())

    rates = {
        "kind_error_rendered": share(wrong, (tile > 0) & (sort == 0)),
        "kind_error_with_pieces": share(wrong, (tile > 0) & (sort == 1)),
        "kind_error_real_crops": share(wrong, (tile > 0) & (sort == 2)),
        "presence_error": share((logits[:, kinds] > 0) != (tile > 0), sort != 1),
        "partner_error": share(of_half.argmax(1) != partner, known & (sort != 1)),
        "pieces_missed": share(of_piece.argmax(1) != piece, piece > 0),
        "pieces_invented": share(of_piece.argmax(1) > 0, (piece == 0) & (sort != 1)),
        "gems_missed": float((of_gems[gems > 0] < 0).double().mean()),
        "gems_invented": float((of_gems[gems == 0] > 0).double().mean()),
    }
    return fitted, rates
