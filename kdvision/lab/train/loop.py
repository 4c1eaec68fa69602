"""The training loop of all networks."""

import time
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn

REPORT_STEPS = 250
"""The loss is printed every so many steps."""


def run_steps(
    net: nn.Module,
    batches: Iterable[tuple[Tensor, ...]],
    compute_loss: Callable[..., Tensor],
    *,
    steps: int,
    learning_rate: float,
    weight_decay: float,
    max_norm: float,
    warm_up: float,
    after_step: Callable[[], Any] = lambda: None,
) -> None:
    """Train the net in one cycle of AdamW, one step per batch; `warm_up` is the share of steps with a rising rate."""
    optimiser = torch.optim.AdamW(net.parameters(), learning_rate, weight_decay=weight_decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, learning_rate, total_steps=steps, pct_start=warm_up)
    started, mean_loss = time.monotonic(), 0.0
    net.train()
    for step, batch in zip(range(1, steps + 1), batches, strict=False):
        loss = compute_loss(*batch)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), max_norm)
        optimiser.step()
        schedule.step()
        after_step()
        mean_loss += (float(loss.detach()) - mean_loss) * max(1 / REPORT_STEPS, 1 / step)
        if step % REPORT_STEPS == 0:
            print(f"step {step}/{steps}  loss {mean_loss:.4f}  {time.monotonic() - started:.0f} s", flush=True)
