"""Reliability diagram and risk-coverage curve of board probabilities, as tables and a figure for the model card.

A reliability diagram compares the stated probability with the observed frequency (Guo et al., 2017). A risk-coverage
curve accepts boards in order of probability and counts the wrong ones (Geifman and El-Yaniv, 2017).
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from kdvision.files import write_atomically
from kdvision.lab.calibrate.boards import Outcomes
from kdvision.lab.calibrate.scenes import BoardOutcome
from kdvision.vision.assess.calibration import Calibration

Floats = npt.NDArray[np.float64]
JudgedBoard = tuple[str, float, bool, bool]
"""The group of a board, its probability, whether it is right, and whether it is always reviewed."""

TRUNCATED: Final = "of kingdoms that the picture cuts"
OCCLUDED: Final = "of tables with things about"
"""Groups that are listed separately, whatever the source of their tiles' pictures."""
PRECISION: Final = 0.995
"""Coverage is reported at this share of right boards, whatever the review threshold."""
BIN_EDGES: Final = (0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 1.0)
COVERAGE_STEPS: Final = (0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)


def split_columns(outcomes: Outcomes) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the probabilities (n,) and whether each board is right (n,)."""
    return np.array([p for p, _ in outcomes], float), np.array([right for _, right in outcomes], bool)


def compute_reliability(outcomes: Outcomes) -> list[tuple[float, float, int, float, float]]:
    """Return for each bin that is not empty: lower and upper edge, count, mean probability, share right."""
    probability, right = split_columns(outcomes)
    bins = np.clip(np.searchsorted(BIN_EDGES, probability, side="right") - 1, 0, len(BIN_EDGES) - 2)
    return [
        (BIN_EDGES[k], BIN_EDGES[k + 1], int(here.sum()), float(probability[here].mean()), float(right[here].mean()))
        for k in range(len(BIN_EDGES) - 1)
        if (here := bins == k).any()
    ]


def compute_calibration_error(outcomes: Outcomes) -> float:
    """Return the expected calibration error over these bins."""
    bins = compute_reliability(outcomes)
    return sum(count * abs(mean - share) for _, _, count, mean, share in bins) / len(outcomes)


def compute_coverage(outcomes: Outcomes, *, total: int) -> tuple[Floats, Floats, Floats]:
    """Return, as boards are accepted in order of probability: share of `total` accepted, share wrong, probability.

    `total` includes the boards that are never accepted.
    """
    probability, right = split_columns(outcomes)
    order = np.argsort(-probability, kind="stable")
    count = np.arange(1, len(order) + 1)
    return count / total, np.cumsum(~right[order]) / count, probability[order]


def compute_max_coverage(outcomes: Outcomes, *, total: int) -> float:
    """Return the largest share of `total` boards that can be accepted with PRECISION of them right."""
    if not outcomes:
        return 0.0
    accepted, wrong, _ = compute_coverage(outcomes, total=total)
    return float(accepted[wrong <= 1 - PRECISION].max(initial=0.0))


def judge_outcomes(
    outcomes: Iterable[BoardOutcome], calibration: Calibration, *, group: str | None = None
) -> list[JudgedBoard]:
    """Return each board with its group: `group`, or the source of its tiles, or TRUNCATED, where none can be right."""
    return [
        (
            group or (TRUNCATED if board.truncated else board.art),
            board.compute_probability(calibration),
            board.right,
            board.always_review,
        )
        for board in outcomes
    ]


def write_coverage_by_group(path: Path, boards: Sequence[JudgedBoard], *, threshold: float) -> None:
    """Write accuracy, flags and coverage of each group and of all groups but TRUNCATED and OCCLUDED.

    Coverage stands there twice: with boards that are always reviewed never accepted, and by probability alone.
    """
    groups, separate = {group for group, *_ in boards}, {TRUNCATED, OCCLUDED}
    lines = []
    for group in (*sorted(groups - separate), "all", *sorted(groups & separate)):
        members = groups - separate if group == "all" else {group}
        rows = [(p, right, always) for name, p, right, always in boards if name in members]
        unflagged = [right for p, right, always in rows if not always and p >= threshold]
        shares = (
            sum(right for _, right, _ in rows) / len(rows),
            1 - len(unflagged) / len(rows),
            compute_max_coverage([(p, right) for p, right, always in rows if not always], total=len(rows)),
            compute_max_coverage([(p, right) for p, right, _ in rows], total=len(rows)),
        )
        right, flagged, coverage, by_probability = (f"{share:.3f}" for share in shares)
        errors = f"{unflagged.count(False)} of {len(unflagged)}"
        lines.append(f"{group},{len(rows)},{right},{flagged},{errors},{coverage},{by_probability}")
    head = "tiles from,boards,right,flagged,unflagged wrong,accepted at 99.5% right,accepted by probability alone"
    _write_table(path, head, lines)


def write_reliability(folder: Path, outcomes: Outcomes, *, always_reviewed: int, threshold: float) -> None:
    """Write calibration-reliability.csv, calibration-coverage.csv and calibration.svg.

    `always_reviewed` boards are never accepted and count in the total.
    """
    lines = [f"{low:g} to {high:g},{n},{p:.4f},{share:.4f}" for low, high, n, p, share in compute_reliability(outcomes)]
    _write_table(folder / "calibration-reliability.csv", "probability,boards,said on average,right", lines)
    accepted, wrong, probability = compute_coverage(outcomes, total=len(outcomes) + always_reviewed)
    rows = [(int(np.searchsorted(accepted, step * accepted[-1] - 1e-9)), "") for step in COVERAGE_STEPS]
    if unflagged := int((probability >= threshold).sum()):
        rows.append((unflagged - 1, "shipped"))
    if (precise := np.flatnonzero(wrong <= 1 - PRECISION)).size:
        rows.append((int(precise[-1]), f"{PRECISION:.1%} right"))
    lines = [
        f"{accepted[n]:.3f},{probability[n]:.4f},{round(wrong[n] * (n + 1))} of {n + 1},{mark}"
        for n, mark in sorted(rows)
    ]
    _write_table(
        folder / "calibration-coverage.csv", "share of boards accepted,probability from,wrong,threshold", lines
    )
    figure = _draw_figure(outcomes, (accepted, wrong), unflagged)
    write_atomically(folder / "calibration.svg", figure)


def _write_table(path: Path, head: str, lines: Sequence[str]) -> None:
    write_atomically(path, "\n".join([head, *lines, ""]).encode())


def _draw_figure(outcomes: Outcomes, curve: tuple[Floats, Floats], unflagged: int) -> bytes:
    """Return the reliability diagram and the risk-coverage curve as SVG."""
    import matplotlib
    from matplotlib.figure import Figure

    from kdvision.lab.card.plots import STYLE

    accepted, wrong = curve
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.6), layout="constrained")
        left, right = figure.subplots(1, 2)
        bins = compute_reliability(outcomes)
        left.plot([0, 1], [0, 1], color="#bbbbbb", linewidth=1)
        left.plot([mean for *_, mean, _ in bins], [share for *_, share in bins], color="#0072B2", marker="o")
        left.set(xlabel="stated probability", ylabel="share of boards right", xlim=(0, 1), ylim=(0, 1.02))
        error = compute_calibration_error(outcomes)
        left.set_title(f"Reliability, {len(outcomes)} boards (calibration error {error:.3f})", loc="left")
        right.plot(accepted, wrong, color="#D55E00")
        right.axhline(1 - PRECISION, color="#bbbbbb", linewidth=1)
        if unflagged:
            point = float(accepted[unflagged - 1]), float(wrong[unflagged - 1])
            right.plot(*point, color="#D55E00", marker="o")
            label = f"review threshold: {point[0]:.0%} accepted"
            right.annotate(label, point, (-150, 18), textcoords="offset points")
        right.set(xlabel="share of boards accepted", ylabel="share of these wrong", xlim=(0, 1), ylim=(-0.002, 0.15))
        right.set_title("Risk and coverage", loc="left")
        out = io.BytesIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": "kdvision.lab.calibrate"})
    return out.getvalue()
