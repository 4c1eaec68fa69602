"""Reliability and coverage follow their definitions."""

from pathlib import Path

import pytest

from kdvision.lab.calibrate.boards import list_outcomes, write_reliability
from kdvision.lab.calibrate.scenes import BoardOutcome
from kdvision.vision.assess.calibration import Calibration

THRESHOLD = Calibration(review_threshold=0.9)
OUTCOMES = [(0.995, True)] * 3 + [(0.96, True)] * 2 + [(0.55, True), (0.55, False)]


def make_outcome(
    probability: float, is_right: bool, *, always_review: bool = False, is_truncated: bool = False
) -> BoardOutcome:
    return BoardOutcome((probability, 1 - probability), is_right, always_review, is_truncated=is_truncated)


def test_tables_are_written(tmp_path: Path) -> None:
    """Boards that are always reviewed count in the total, and truncated kingdoms do not."""
    boards = [make_outcome(probability, is_right) for probability, is_right in OUTCOMES]
    boards += [make_outcome(0.99, True, always_review=True)] * 3 + [make_outcome(0.99, False, is_truncated=True)]
    write_reliability(tmp_path, boards, THRESHOLD)
    table = (tmp_path / "calibration-coverage.csv").read_text(encoding="utf-8").splitlines()
    assert "0.500,0.9600,5,0,review threshold" in table and table[-1] == "0.700,0.5500,7,1,"
    first, *_, last = (tmp_path / "calibration-reliability.csv").read_text(encoding="utf-8").splitlines()
    assert first == "mean_probability,accuracy" and last == "0.9950,1.0000"


def test_truncated_kingdoms_are_left_out() -> None:
    outcome, truncated_outcome = make_outcome(0.98, True), make_outcome(0.98, False, is_truncated=True)
    assert list_outcomes([outcome, truncated_outcome], Calibration()) == [pytest.approx((0.98, True))]
