"""What the networks are trained to make small."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from kdvision.lab.train.examples import PIECES, TILE_KINDS
from kdvision.lab.train.net import CORNERS, PARTNERS


def finder_loss(output: Tensor, target: Tensor) -> Tensor:
    """Return the loss of votes (n, 8, h, w) against answers (n, 9, h, w)."""
    inside, weight = target[:, 0], target[:, 8]
    presence = F.binary_cross_entropy_with_logits(output[:, 0], inside, reduction="none")
    balance = torch.where(inside > 0, torch.clamp(weight, min=1.0), torch.ones_like(weight))
    error = F.smooth_l1_loss(output[:, 1:8], target[:, 1:8], reduction="none", beta=0.1)
    scale = error.new_tensor([1.0, 1.0, 2.0, 1.0, 1.0, 1.5, 1.5]).view(1, 7, 1, 1)
    votes = (error * scale).sum(1) * weight
    return (presence * balance).mean() * 4 + votes.sum() / weight.sum().clamp(min=1.0)


def cell_loss(
    output: Tensor, kind: Tensor, tile: Tensor, hidden: Tensor, partner: Tensor, piece: Tensor, gems: Tensor
) -> Tensor:
    """Return the loss of a batch's logits; heads without a label there (-1) add nothing."""
    kinds, pieces = len(TILE_KINDS), len(PIECES)
    half_of, lies, corners = output[:, kinds + 2 :].split([PARTNERS, pieces, CORNERS], dim=1)
    reading = F.cross_entropy(output[:, :kinds], kind, ignore_index=-1, label_smoothing=0.01)
    presence = F.binary_cross_entropy_with_logits(output[:, kinds], tile.float())
    cover = F.binary_cross_entropy_with_logits(output[:, kinds + 1], hidden.float())
    half = F.cross_entropy(half_of, partner, ignore_index=-1)
    on = F.cross_entropy(lies, piece, ignore_index=-1)
    known = gems >= 0
    gem = F.binary_cross_entropy_with_logits(corners[known], gems[known].float())
    # few squares carry a piece, and each tells points: what lies on them counts for more than the other small heads
    small = ((0.3, cover), (0.3, half), (0.7, on), (0.3, gem))
    return reading + presence + sum(weight * torch.nan_to_num(part) for weight, part in small)
