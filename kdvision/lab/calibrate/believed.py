"""How far the probabilities of whole boards can be believed, as tables and a picture for the model card.

A reliability diagram sets what was said beside what was true; a risk-coverage curve stands beside it (`coverage.py`).
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from kdvision.files import write_atomically
from kdvision.lab.calibrate.coverage import PRECISE, Believed, accepted, columns, coverage
from kdvision.lab.card.plots import STYLE

Floats = npt.NDArray[np.float64]
Judged = tuple[str, float, bool, bool]
"""Where a board's tiles come from, its probability, whether it was right, and whether something is odd about it."""

CUT: Final = "of kingdoms that the picture cuts"
STREWN: Final = "of tables with things about"
"""Boards that are counted by themselves, wherever their tiles come from."""

EDGES: Final = (0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 1.0)
SHARES: Final = (0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)


def reliability(boards: Believed) -> list[tuple[float, float, int, float, float]]:
    """Return for each range of probabilities that holds boards: from, to, how many, their mean, and the share right."""
    chance, right = columns(boards)
    place = np.clip(np.searchsorted(EDGES, chance, side="right") - 1, 0, len(EDGES) - 2)
    return [
        (EDGES[k], EDGES[k + 1], int(here.sum()), float(chance[here].mean()), float(right[here].mean()))
        for k in range(len(EDGES) - 1)
        if (here := place == k).any()
    ]


def calibration_error(boards: Believed) -> float:
    """Return the mean distance between what is said and what is true, over those ranges (Guo et al., 2017)."""
    parts = reliability(boards)
    return sum(count * abs(said - true) for _, _, count, said, true in parts) / len(boards)


def write_by_art(path: Path, boards: Sequence[Judged], *, sure: float) -> None:
    """Write what is flagged and what could be accepted, for each source of the tiles' pictures and for all.

    A board is flagged where something is odd or its probability is under `sure`. What could be accepted is told twice:
    with odd boards never accepted, and by probability alone, which is lower for odd ones. Boards of kingdoms that the
    picture cuts, or that have things on them, are not among all.
    """
    lines, arts, apart = [], {art for art, *_ in boards}, {CUT, STREWN}
    for art in (*sorted(arts - apart), "all", *sorted(arts & apart)):
        here = arts - apart if art == "all" else {art}
        some = [(chance, right, odd) for name, chance, right, odd in boards if name in here]
        passed = [right for chance, right, odd in some if not odd and chance >= sure]
        plain = accepted([(chance, right) for chance, right, odd in some if not odd], of=len(some))
        every = accepted([(chance, right) for chance, right, _ in some], of=len(some))
        share = sum(right for _, right, _ in some) / len(some)
        counted = f"{len(some)},{share:.3f},{1 - len(passed) / len(some):.3f},{passed.count(False)} of {len(passed)}"
        lines.append(f"{art},{counted},{plain:.3f},{every:.3f}")
    head = "tiles from,boards,right,flagged,unflagged wrong,accepted at 99.5% right,accepted by probability alone"
    _table(path, head, lines)


def write(folder: Path, boards: Believed, *, odd: int, sure: float) -> None:
    """Write calibration-reliability.csv, calibration-coverage.csv, calibration.svg; `odd` boards are never believed."""
    lines = [f"{low:g} to {high:g},{n},{said:.4f},{true:.4f}" for low, high, n, said, true in reliability(boards)]
    _table(folder / "calibration-reliability.csv", "probability,boards,said on average,right", lines)
    accepted, wrong, chance = coverage(boards, of=len(boards) + odd)
    places = [int(np.searchsorted(accepted, share * accepted[-1] - 1e-9)) for share in SHARES]
    believed = int((chance >= sure).sum())
    rows = [(p, "") for p in places] + ([(believed - 1, "shipped")] if believed else [])
    if (precise := np.flatnonzero(wrong <= 1 - PRECISE)).size:
        rows.append((int(precise[-1]), f"{PRECISE:.1%} right"))
    lines = [
        f"{accepted[p]:.3f},{chance[p]:.4f},{round(wrong[p] * (p + 1))} of {p + 1},{mark}" for p, mark in sorted(rows)
    ]
    _table(folder / "calibration-coverage.csv", "share of boards accepted,probability from,wrong,threshold", lines)
    write_atomically(folder / "calibration.svg", _picture(boards, odd=odd, sure=sure))


def _table(path: Path, head: str, lines: Sequence[str]) -> None:
    write_atomically(path, "\n".join([head, *lines, ""]).encode())


def _picture(boards: Believed, *, odd: int, sure: float) -> bytes:
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.6), layout="constrained")
        left, right = figure.subplots(1, 2)
        parts = reliability(boards)
        left.plot([0, 1], [0, 1], color="#bbbbbb", linewidth=1)
        left.plot([p[3] for p in parts], [p[4] for p in parts], color="#0072B2", marker="o")
        left.set(xlabel="probability said", ylabel="share of boards right", xlim=(0, 1), ylim=(0, 1.02))
        left.set_title(f"Reliability, {len(boards)} boards (error {calibration_error(boards):.3f})", loc="left")
        accepted, wrong, chance = coverage(boards, of=len(boards) + odd)
        right.plot(accepted, wrong, color="#D55E00")
        right.axhline(1 - PRECISE, color="#bbbbbb", linewidth=1)
        if (chance >= sure).any():
            at = int((chance >= sure).sum()) - 1
            right.plot(accepted[at], wrong[at], color="#D55E00", marker="o")
            right.annotate(
                f"shipped: {accepted[at]:.0%} accepted",
                (float(accepted[at]), float(wrong[at])),
                (-120, 18),
                textcoords="offset points",
            )
        right.set(xlabel="share of boards accepted", ylabel="share of these wrong", xlim=(0, 1), ylim=(-0.002, 0.15))
        right.set_title("Risk and coverage", loc="left")
        out = io.BytesIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": "kdvision.lab.calibrate.believed"})
    return out.getvalue()
