"""Reliability diagram and risk-coverage curve of board probabilities, as tables.

A reliability diagram compares the stated probability with the observed accuracy (Guo et al., 2017). A risk-coverage
curve accepts boards in order of probability and counts the wrong ones (Geifman and El-Yaniv, 2017).
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from sklearn.calibration import calibration_curve

from kdvision import text
from kdvision.files import write_atomically
from kdvision.lab.arrays import Floats
from kdvision.lab.calibrate.boards import Outcomes, list_outcomes
from kdvision.lab.calibrate.scenes import OCCLUDED, BoardOutcome
from kdvision.lab.experiments.experiment import Row, format_csv
from kdvision.vision.assess.calibration import Calibration

TRUNCATED: Final = "truncated kingdoms"
"""The group of boards that cannot be right, whatever the source of their tiles' pictures."""
PRECISION: Final = 0.995
"""Coverage is reported at this accuracy of the accepted boards, whatever the review threshold."""
BINS: Final = 20
COVERAGE_STEPS: Final = (0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)


def compute_calibration_error(outcomes: Outcomes | Floats) -> float:
    """Return the expected calibration error of (probability, right) rows, over bins of equal counts."""
    rows = np.array(outcomes, float)
    parts = np.array_split(rows[np.argsort(rows[:, 0], kind="stable")], BINS)
    return sum(abs(float(np.subtract(*part.mean(axis=0)))) * len(part) for part in parts if len(part)) / len(rows)


def compute_coverage(outcomes: Outcomes, *, total: int) -> tuple[Floats, Floats, Floats]:
    """Return, as boards are accepted in order of probability: share of `total` accepted, share wrong, probability.

    `total` includes the boards that are never accepted.
    """
    probability, right = np.array(outcomes, float).reshape(-1, 2).T
    order = np.argsort(-probability, kind="stable")
    count = np.arange(1, len(order) + 1)
    return count / total, np.cumsum(1 - right[order]) / count, probability[order]


def compute_max_coverage(outcomes: Outcomes, *, total: int) -> float:
    """Return the largest share of `total` boards that can be accepted with PRECISION of them right."""
    coverage, risk, _ = compute_coverage(outcomes, total=total)
    return float(coverage[risk <= 1 - PRECISION].max(initial=0.0))


def format_groups(boards: Iterable[BoardOutcome], calibration: Calibration) -> str:
    """Return accuracy, flags and coverage by the source of the tiles, and of all but TRUNCATED and OCCLUDED, as CSV.

    Coverage stands there twice: with boards that are always reviewed never accepted, and by probability alone.
    """
    by_group: dict[str, list[BoardOutcome]] = defaultdict(list)
    for board in boards:
        by_group[TRUNCATED if board.truncated and board.art != OCCLUDED else board.art].append(board)
    groups, separate = set(by_group), {TRUNCATED, OCCLUDED}
    rows: list[Row] = []
    for group in (*sorted(groups - separate), "all", *sorted(groups & separate)):
        members = sorted(groups - separate) if group == "all" else [group]
        subset = [board for name in members for board in by_group[name]]
        total, by_probability = max(1, len(subset)), [(b.compute_probability(calibration), b.right) for b in subset]
        confident = [one for one, board in zip(by_probability, subset, strict=True) if not board.always_review]
        unflagged = [right for p, right in confident if p >= calibration.review_threshold]
        rows.append(
            {
                "group": group,
                "boards": len(subset),
                "accuracy": f"{sum(board.right for board in subset) / total:.3f}",
                "flagged": f"{1 - len(unflagged) / total:.3f}",
                "silent_errors": unflagged.count(False),
                "unflagged": len(unflagged),
                "coverage_at_99.5%": f"{compute_max_coverage(confident, total=total):.3f}",
                "coverage_by_probability_alone": f"{compute_max_coverage(by_probability, total=total):.3f}",
            }
        )
    return format_csv(rows)


def write_reliability(folder: Path, boards: Sequence[BoardOutcome], calibration: Calibration) -> None:
    """Write calibration-reliability.csv and calibration-coverage.csv of whole kingdoms.

    Boards that are always reviewed count in the total alone.
    """
    outcomes = list_outcomes(boards, calibration)
    probability, right = np.array(outcomes, float).T
    accuracy, mean = calibration_curve(right, probability, n_bins=BINS, strategy="quantile")
    bins = ((f"{p:.4f}", f"{share:.4f}") for p, share in zip(mean, accuracy, strict=True))
    table = text.format_csv(("mean_probability", "accuracy"), bins)
    write_atomically(folder / "calibration-reliability.csv", table.encode())
    coverage, risk, least_probability = compute_coverage(outcomes, total=sum(not board.truncated for board in boards))
    unflagged = int((least_probability >= calibration.review_threshold).sum())
    counts = {int(np.ceil(step * len(outcomes))): "" for step in COVERAGE_STEPS}
    counts |= {unflagged: "review threshold"} if unflagged else {}
    rows = (
        (f"{coverage[n - 1]:.3f}", f"{least_probability[n - 1]:.4f}", n, round(risk[n - 1] * n), note)
        for n, note in sorted(counts.items())
    )
    table = text.format_csv(("coverage", "least_probability", "accepted", "wrong", "note"), rows)
    write_atomically(folder / "calibration-coverage.csv", table.encode())
