"""Reliability and risk-coverage are what their definitions say, on boards made for it."""

from pathlib import Path

import numpy as np
import pytest

from kdvision.lab.calibrate import believed
from kdvision.lab.calibrate.calibrate import (
    STREWN,
    believed_of,
    fit_belief,
    fit_rule,
    fit_temperature,
    fitted_of,
    judged_of,
    promised,
    sure_above,
    weights_of,
)
from kdvision.lab.calibrate.coverage import coverage
from kdvision.lab.calibrate.rehearsal import Rehearsed
from kdvision.vision.assess.calibration import Calibration

BOARDS = [(0.995, True)] * 3 + [(0.96, True)] * 2 + [(0.55, True), (0.55, False)]


def test_said_and_true_by_range() -> None:
    parts = believed.reliability(BOARDS)
    assert [(low, count) for low, _, count, _, _ in parts] == [(0.5, 2), (0.95, 2), (0.99, 3)]
    assert [true for *_, true in parts] == [0.5, 1.0, 1.0]
    assert believed.calibration_error(BOARDS) == pytest.approx((2 * 0.05 + 2 * 0.04 + 3 * 0.005) / 7)


def test_boards_that_are_odd_count_as_never_accepted() -> None:
    accepted, wrong, chance = coverage(BOARDS, of=10)
    assert accepted[-1] == pytest.approx(0.7) and wrong[-1] == pytest.approx(1 / 7)
    assert wrong[4] == 0 and chance[4] == 0.96


def test_few_boards_promise_nothing_and_many_do() -> None:
    assert sure_above(BOARDS, wrong=1 / 200) > 1
    assert sure_above([(0.9, True)] * 199, wrong=1 / 200) == 0.9
    assert sure_above([(0.9, True)] * 250 + [(0.8, False)] * 9, wrong=1 / 200) == 0.9
    assert sure_above([(0.9, True)] * 250 + [(0.9, False)] * 9, wrong=1 / 200) > 1


def test_tables_and_picture_are_written(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    believed.write(tmp_path, BOARDS, odd=3, sure=0.9)
    table = (tmp_path / "calibration-coverage.csv").read_text(encoding="utf-8").splitlines()
    assert "0.500,0.9600,0 of 5,shipped" in table
    assert (tmp_path / "calibration.svg").read_bytes().lstrip().startswith(b"<?xml")


def test_each_art_is_told_apart(tmp_path: Path) -> None:
    """Of 300 boards of scans one is wrong and thirty are odd; what is drawn is wrong too often to accept any of it."""
    scans = [("scans", 0.99, n > 0, n < 30) for n in range(300)]
    drawn = [("drawn", 0.9, n % 2 > 0, False) for n in range(10)]
    believed.write_by_art(tmp_path / "art.csv", scans + drawn, sure=0.95)
    head, *lines = (tmp_path / "art.csv").read_text(encoding="utf-8").splitlines()
    assert head.split(",")[:4] == ["tiles from", "boards", "right", "flagged"]
    assert lines[0] == "drawn,10,0.500,1.000,0 of 0,0.000,0.000"
    assert lines[1] == "scans,300,0.997,0.100,0 of 270,0.900,1.000"
    assert lines[2].startswith("all,310,0.981,0.129,0 of 270,0.877,0.968")


def test_boards_that_count_more_are_errors_that_count_more() -> None:
    rows = [(0.9, True)] * 250 + [(0.9, False)]
    assert sure_above(rows, wrong=1 / 100) == 0.9
    assert sure_above(rows, wrong=1 / 100, weights=np.array([1.0] * 250 + [9.0])) > 1
    assert sure_above(rows, wrong=1 / 100, weights=np.array([9.0] * 250 + [9.0])) == 0.9


def test_kingdoms_that_the_picture_cuts_and_strewn_tables_are_told_apart(tmp_path: Path) -> None:
    whole, cut = (Rehearsed((0.98, 0.02), not cut, odd=False, art="scans", cut=cut) for cut in (False, True))
    judged = judged_of([whole, cut], Calibration())
    assert [name for name, *_ in judged] == ["scans", believed.CUT]
    assert believed_of([whole, cut], Calibration()) == [pytest.approx((0.98, True))]
    believed.write_by_art(tmp_path / "art.csv", [*judged, (believed.STREWN, 0.5, True, False)], sure=0.9)
    _, *lines = (tmp_path / "art.csv").read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[:3] for line in lines] == [
        ["scans", "1", "1.000"],
        ["all", "1", "1.000"],
        [believed.CUT, "1", "0.000"],
        [believed.STREWN, "1", "1.000"],
    ]


def test_what_is_promised_stands_beside_what_was_counted() -> None:
    made = promised([(0.99, True)] * 598 + [(0.5, False)] * 3, 0.9, wrong=1 / 200)
    assert (made["unflagged"], made["unflagged_wrong"], made["wrong_at_most"]) == (598, 0, 1 / 200)
    assert made["upper"] == pytest.approx(1 - 0.05 ** (1 / 598), abs=1e-5)  # the rule of three: 0.005
    assert promised([(0.9, True)] * 9, 1.1, wrong=1 / 200)["wrong_at_most"] is None


def test_the_bound_is_wrong_as_seldom_as_it_says() -> None:
    """Of many calibrations with a true share of 2 %, about one in twenty bounds lies below it."""
    rng = np.random.default_rng(0)
    bounds = [
        promised([(0.9, bool(ok)) for ok in rng.random(300) > 0.02], 0.5, wrong=0.02)["upper"] for _ in range(300)
    ]
    assert 0.01 < np.mean([float(str(bound)) < 0.02 for bound in bounds]) < 0.09


def such(count: int, right: int, **signs: float) -> list[Rehearsed]:
    """So many boards that seem right with 0.95 and of which these signs speak; so many of them are."""
    return [Rehearsed((0.95, 0.05), n < right, odd=False, warning_strengths=signs) for n in range(count)]


def test_boards_of_which_a_sign_speaks_are_believed_as_often_as_they_were_right() -> None:
    """Nine in ten are right with one sign, half with two, hardly one with the third; one speaks for boards in vain."""
    found = [*such(4000, 3790), *such(1000, 855, a=1.0), *such(1000, 480, a=1.0, b=1.0), *such(1000, 20, c=1.0)]
    calibration = fit_belief([*found, *such(1000, 950, d=1.0)], [], Calibration())
    said = [found[n].judged(calibration) for n in (0, 4000, 5000, 6000)]
    assert said == pytest.approx([0.95, 0.855, 0.48, 0.02], abs=0.02)
    assert calibration.whole["d"] == pytest.approx(0.0, abs=0.05)
    assert Calibration().of_whole({"a": 1.0}) == 1.0


def test_no_sign_speaks_for_a_board() -> None:
    calibration = fit_belief([*such(2000, 1800), *such(1000, 1000, d=1.0)], [], Calibration())
    assert calibration.whole["d"] == 0.0


def test_the_stronger_a_sign_the_more_it_says() -> None:
    rng = np.random.default_rng(0)
    strength = rng.uniform(0, 5, 4000)
    right = rng.random(4000) < 0.98 / (1 + np.exp(strength - 3.0))
    found = [such(1, int(ok), hidden=float(far))[0] for ok, far in zip(right, strength, strict=True)]
    calibration = fit_belief(found, [], Calibration())
    said = [such(1, 1, hidden=float(far))[0].judged(calibration) for far in (0, 2, 3, 4, 5)]
    assert said == pytest.approx(0.98 / (1 + np.exp(np.array([0, 2, 3, 4, 5]) - 3.0)), abs=0.04)


def test_strewn_tables_count_as_often_as_people_leave_things_about() -> None:
    weights = weights_of(such(90, 90), such(5, 0))
    assert weights[90:].sum() / weights.sum() == pytest.approx(STREWN)
    assert weights_of(such(90, 90), []).sum() == 90


def test_all_that_is_said_of_boards_is_fitted_together() -> None:
    """What is sure enough promises what it says, and stands in the model file as the program takes it from there."""
    about, calibration = fitted_of([*such(6000, 5998), *such(300, 150, ends=1.0)], such(300, 100, covered=1.0))
    made = Calibration(**about)  # type: ignore[arg-type]
    assert made.sure == calibration.sure and made.whole == calibration.whole
    assert about["unflagged"] == 6000 and about["unflagged_wrong"] == 2
    assert calibration.whole["ends"] < 0 and calibration.whole["covered"] < 0


@pytest.mark.parametrize(("strain", "side"), [(4.0, 64.0), (0.0, 16.0)])
def test_boards_that_the_deck_mended_or_that_are_small_are_believed_as_often_as_they_were_right(
    correction_cost: float, side: float
) -> None:
    """Squares and deck say 0.95 of all; half of these are right, and of the others all that say so much."""
    usual = [Rehearsed((0.95, 0.05), n % 20 > 0, odd=False) for n in range(1000)]
    hard = [
        Rehearsed((0.95, 0.05), n % 2 > 0, odd=False, correction_cost=correction_cost, side=side) for n in range(400)
    ]
    calibration = fit_belief([*usual, *hard], [], Calibration(fit_temperature([*usual, *hard])))
    said = [chance for chance, _ in believed_of([usual[0], hard[0]], calibration)]
    assert said == pytest.approx([0.95, 0.5], abs=0.03)
    assert Calibration().of_board(0.9, correction_cost=correction_cost, side=side) == pytest.approx(0.9)


@pytest.mark.parametrize("truth", [0.7, 1.0, 1.6])
def test_the_temperature_is_the_one_at_which_shares_are_as_often_right(truth: float) -> None:
    rng = np.random.default_rng(1)
    odds = rng.uniform(-1, 5, 3000)
    right = rng.random(3000) < 1 / (1 + np.exp(-odds / truth))
    shares = 1 / (1 + np.exp(-odds))
    found = [Rehearsed((float(p), 1 - float(p)), bool(ok), False) for p, ok in zip(shares, right, strict=True)]
    assert fit_temperature(found) == pytest.approx(truth, rel=0.12)


def test_a_board_against_the_rules_is_likelier_misread_than_laid_so() -> None:
    """Nine in ten misread boards break a rule, and one in ten of the others: that weighs nine to one."""
    wrong = [Rehearsed((0.95, 0.05), right=False, odd=False, broken=n % 10 > 0) for n in range(1000)]
    rule = fit_rule([*wrong, *[Rehearsed((0.95, 0.05), right=True, odd=False)] * 1000])
    assert np.exp(rule) == pytest.approx([1 / 9, 9], rel=0.05)
    calibration = Calibration(rule=rule)
    broken, kept = (calibration.of_board(0.5, correction_cost=0, side=64, broken=which) for which in (True, False))
    assert (broken, kept) == pytest.approx((0.1, 0.9), abs=0.01)
