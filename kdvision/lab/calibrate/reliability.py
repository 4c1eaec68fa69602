"""Reliability diagram and risk-coverage curve of board probabilities, as tables.

A reliability diagram compares the stated probability with the observed accuracy (Guo et al., 2017). A risk-coverage
curve accepts boards in order of probability and counts the wrong ones (Geifman and El-Yaniv, 2017).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from sklearn.calibration import calibration_curve

from kdvision.files import write_atomically
from kdvision.lab.calibrate.boards import list_outcomes, rank_boards
from kdvision.lab.calibrate.scenes import BoardOutcome
from kdvision.text import format_csv
from kdvision.vision.assess.calibration import Calibration

BINS: Final = 20
COVERAGE_STEPS: Final = (0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)


def write_reliability(folder: Path, boards: Sequence[BoardOutcome], calibration: Calibration) -> None:
    """Write calibration-reliability.csv and calibration-coverage.csv of whole kingdoms.

    Boards that are always reviewed count in the total alone.
    """
    outcomes = list_outcomes(boards, calibration)
    probability, right = np.array(outcomes, float).T
    accuracy, mean = calibration_curve(right, probability, n_bins=BINS, strategy="quantile")
    bins = ((f"{p:.4f}", f"{share:.4f}") for p, share in zip(mean, accuracy, strict=True))
    table = format_csv(("mean_probability", "accuracy"), bins)
    write_atomically(folder / "calibration-reliability.csv", table.encode())
    least_probability, errors = rank_boards(outcomes)
    total = sum(not board.truncated for board in boards)
    unflagged = int((least_probability >= calibration.review_threshold).sum())
    counts = {int(np.ceil(step * len(outcomes))): "" for step in COVERAGE_STEPS}
    counts |= {unflagged: "review threshold"} if unflagged else {}
    rows = (
        (f"{n / total:.3f}", f"{least_probability[n - 1]:.4f}", n, int(errors[n - 1]), note)
        for n, note in sorted(counts.items())
    )
    table = format_csv(("coverage", "least_probability", "accepted", "wrong", "note"), rows)
    write_atomically(folder / "calibration-coverage.csv", table.encode())
