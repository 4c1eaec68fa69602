"""The training loop of all networks, losses, temperature scaling and error rates."""

import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from kdvision.lab.arrays import Bytes
from kdvision.lab.train.examples import GEMS, PIECE, PIECES, TILE_KINDS, CellExamples
from kdvision.lab.train.networks import CellNet
from kdvision.vision.networks.cells import locate_heads

REPORT_STEPS = 250
"""The loss is printed every so many steps."""


class Cycle(NamedTuple):
    """One cycle of training; `warm_up` is the share of steps with a rising rate, `max_norm` that of the gradient."""

    steps: int
    learning_rate: float
    weight_decay: float
    max_norm: float
    warm_up: float


def run_steps(
    net: nn.Module,
    batches: Iterable[tuple[Tensor, ...]],
    compute_loss: Callable[..., Tensor],
    cycle: Cycle,
    after_step: Callable[[], Any] = lambda: None,
) -> None:
    """Train the net in one cycle of AdamW, one step per batch."""
    steps, rate = cycle.steps, cycle.learning_rate
    optimiser = torch.optim.AdamW(net.parameters(), rate, weight_decay=cycle.weight_decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps, pct_start=cycle.warm_up)
    start_time, mean_loss = time.monotonic(), 0.0
    net.train()
    for step, batch in zip(range(1, steps + 1), batches, strict=False):
        loss = compute_loss(*batch)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), cycle.max_norm)
        optimiser.step()
        schedule.step()
        after_step()
        mean_loss += (float(loss.detach()) - mean_loss) * max(1 / REPORT_STEPS, 1 / step)
        if step % REPORT_STEPS == 0:
            print(f"step {step}/{steps}  loss {mean_loss:.4f}  {time.monotonic() - start_time:.0f} s", flush=True)


def compute_detector_loss(output: Tensor, target: Tensor) -> Tensor:
    """Return the loss of votes (n, 8, h, w) against targets (n, 9, h, w), whose last plane weighs the votes."""
    is_inside, weight = target[:, 0], target[:, 8]
    presence = F.binary_cross_entropy_with_logits(output[:, 0], is_inside, reduction="none")
    balance = torch.where(is_inside > 0, torch.clamp(weight, min=1.0), torch.ones_like(weight))
    error = F.smooth_l1_loss(output[:, 1:8], target[:, 1:8], reduction="none", beta=0.1)
    scale = error.new_tensor([1.0, 1.0, 2.0, 1.0, 1.0, 1.5, 1.5]).view(1, 7, 1, 1)
    votes = (error * scale).sum(1) * weight
    return (presence * balance).mean() * 4 + votes.sum() / weight.sum().clamp(min=1.0)


def split_heads(logits: Tensor) -> list[Tensor]:
    """Return the columns of each head of the cell classifier's logits."""
    return [logits[:, columns] for columns in locate_heads(len(TILE_KINDS), len(PIECES)).values()]


def compute_cell_loss(output: Tensor, labels: Tensor) -> Tensor:
    """Return the loss of a batch of logits for labels (n, 9); heads without a label (-1) add nothing."""
    on_kind, on_tile, on_hidden, on_partner, on_piece, on_gems = split_heads(output)
    kind, tile, hidden, partner, piece = labels[:, : PIECE + 1].unbind(1)
    gems = labels[:, GEMS]
    is_known = gems >= 0
    main_loss = F.cross_entropy(on_kind, kind, ignore_index=-1, label_smoothing=0.01)
    main_loss = main_loss + F.binary_cross_entropy_with_logits(on_tile[:, 0], tile.float())
    # few squares carry a piece, and each one scores points: its head weighs more than the other minor heads
    minor_losses = (
        (0.3, F.binary_cross_entropy_with_logits(on_hidden[:, 0], hidden.float())),
        (0.3, F.cross_entropy(on_partner, partner, ignore_index=-1)),
        (0.7, F.cross_entropy(on_piece, piece, ignore_index=-1)),
        (0.3, F.binary_cross_entropy_with_logits(on_gems[is_known], gems[is_known].float())),
    )
    return main_loss + sum(weight * torch.nan_to_num(loss) for weight, loss in minor_losses)


def compute_cell_logits(net: CellNet, crops: Bytes) -> Tensor:
    """Return the network's logits for crops (n, 64, 64, 3), computed in batches that fit in memory."""
    with torch.inference_mode():
        batches = torch.from_numpy(crops.transpose(0, 3, 1, 2)).split(256)
        return torch.cat([net(batch.contiguous().float()) for batch in batches])


def fit_temperature(loss: Callable[[Tensor], Tensor], logits: Tensor) -> float:
    """Return the divisor of the logits that minimises the loss on held-out examples (Guo et al., 2017)."""
    grid = np.exp(np.linspace(np.log(0.4), np.log(4), 70))
    return float(grid[int(np.argmin([float(loss(logits / t)) for t in grid]))])


def measure_cells(
    net: CellNet, plain_examples: CellExamples, piece_examples: CellExamples, real_examples: CellExamples
) -> tuple[dict[str, float], dict[str, float]]:
    """Return temperatures and error rates on held-out examples: plain tables, tables with pieces, real photos."""
    groups = [plain_examples, piece_examples, real_examples]
    examples = CellExamples.join(groups)
    on_kind, on_tile, _, on_partner, on_piece, on_gems = split_heads(compute_cell_logits(net, examples.crops))
    labels = torch.from_numpy(examples.labels)
    kind, tile, _, partner, piece = labels[:, : PIECE + 1].unbind(1)
    gems = labels[:, GEMS]
    is_known, on_gems, gems = partner >= 0, on_gems[gems >= 0], gems[gems >= 0]
    temperatures = {
        "kind": fit_temperature(lambda x: F.cross_entropy(x, kind, ignore_index=-1), on_kind),
        "presence": fit_temperature(lambda x: F.binary_cross_entropy_with_logits(x, tile.float()), on_tile[:, 0]),
        "partner": fit_temperature(lambda x: F.cross_entropy(x, partner[is_known]), on_partner[is_known]),
        "pieces": fit_temperature(lambda x: F.cross_entropy(x, piece, ignore_index=-1), on_piece),
        "gems": fit_temperature(lambda x: F.binary_cross_entropy_with_logits(x, gems.float()), on_gems),
    }
    group_of = torch.from_numpy(np.repeat(range(3), [len(group.labels) for group in groups]))
    has_wrong_kind = on_kind.argmax(1) != kind

    def compute_share(condition: Tensor, mask: Tensor) -> float:
        return float(condition[mask].double().mean())

    rates = {
        "kind_error_rendered": compute_share(has_wrong_kind, (tile > 0) & (group_of == 0)),
        "kind_error_with_pieces": compute_share(has_wrong_kind, (tile > 0) & (group_of == 1)),
        "kind_error_real_crops": compute_share(has_wrong_kind, (tile > 0) & (group_of == 2)),
        "presence_error": compute_share((on_tile[:, 0] > 0) != (tile > 0), group_of != 1),
        "partner_error": compute_share(on_partner.argmax(1) != partner, is_known & (group_of != 1)),
        "pieces_missed": compute_share(on_piece.argmax(1) != piece, piece > 0),
        "pieces_invented": compute_share(on_piece.argmax(1) > 0, (piece == 0) & (group_of != 1)),
        "gems_missed": compute_share(on_gems < 0, gems > 0),
        "gems_invented": compute_share(on_gems > 0, gems == 0),
    }
    return temperatures, rates
