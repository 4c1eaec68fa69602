"""Reliability and coverage follow their definitions."""

from pathlib import Path

import pytest

from kdvision.lab.calibrate import reliability
from kdvision.lab.calibrate.boards import list_outcomes
from kdvision.lab.calibrate.scenes import OCCLUDED, BoardOutcome
from kdvision.vision.assess.calibration import Calibration

THRESHOLD = Calibration(review_threshold=0.9)
OUTCOMES = [(0.995, True)] * 3 + [(0.96, True)] * 2 + [(0.55, True), (0.55, False)]


def make_outcome(
    probability: float, right: bool, *, always_review: bool = False, art: str = "scans", truncated: bool = False
) -> BoardOutcome:
    return BoardOutcome((probability, 1 - probability), right, always_review, art=art, truncated=truncated)


def test_the_calibration_error_is_the_mean_distance_over_bins_of_equal_counts() -> None:
    """Each of these seven boards has a bin of its own."""
    expected = (3 * 0.005 + 2 * 0.04 + 0.45 + 0.55) / 7
    assert reliability.compute_calibration_error(OUTCOMES) == pytest.approx(expected)
    many = [(0.8, n % 10 < 6) for n in range(2000)]
    assert reliability.compute_calibration_error(many) == pytest.approx(0.2)


def test_boards_that_are_always_reviewed_count_in_the_total() -> None:
    accepted, wrong, probability = reliability.compute_coverage(OUTCOMES, total=10)
    assert accepted[-1] == pytest.approx(0.7) and wrong[-1] == pytest.approx(1 / 7)
    assert wrong[4] == 0 and probability[4] == 0.96
    assert reliability.compute_max_coverage(OUTCOMES, total=10) == pytest.approx(0.6)


def test_tables_are_written(tmp_path: Path) -> None:
    boards = [make_outcome(probability, right) for probability, right in OUTCOMES]
    boards += [make_outcome(0.99, True, always_review=True)] * 3 + [make_outcome(0.99, False, truncated=True)]
    reliability.write_reliability(tmp_path, boards, THRESHOLD)
    table = (tmp_path / "calibration-coverage.csv").read_text(encoding="utf-8").splitlines()
    assert "0.500,0.9600,5,0,review threshold" in table
    first, *_, last = (tmp_path / "calibration-reliability.csv").read_text(encoding="utf-8").splitlines()
    assert first == "mean_probability,accuracy" and last == "0.9950,1.0000"


def test_each_source_of_tiles_has_its_row() -> None:
    """Of 300 boards of scans one is wrong and thirty are always reviewed; half of the drawn ones are wrong."""
    scans = [make_outcome(0.99, n > 0, always_review=n < 30) for n in range(300)]
    drawn = [make_outcome(0.89, n % 2 > 0, art="drawn") for n in range(10)]
    head, *lines = reliability.format_groups(scans + drawn, THRESHOLD).splitlines()
    assert head.split(",")[:4] == ["group", "boards", "accuracy", "flagged"]
    assert lines == [
        "drawn,10,0.500,1.000,0,0,0.000,0.000",
        "scans,300,0.997,0.100,0,270,0.900,1.000",
        "all,310,0.981,0.129,0,270,0.877,0.968",
    ]


def test_truncated_kingdoms_and_occluded_scenes_have_separate_rows() -> None:
    whole, truncated = make_outcome(0.98, True), make_outcome(0.98, False, truncated=True)
    assert list_outcomes([whole, truncated], Calibration()) == [pytest.approx((0.98, True))]
    occluded = [make_outcome(0.98, not cut, art=OCCLUDED, truncated=cut) for cut in (False, True)]
    _, *lines = reliability.format_groups([whole, truncated, *occluded], THRESHOLD).splitlines()
    assert [line.split(",")[:3] for line in lines] == [
        ["scans", "1", "1.000"],
        ["all", "1", "1.000"],
        [OCCLUDED, "2", "0.500"],
        [reliability.TRUNCATED, "1", "0.000"],
    ]
