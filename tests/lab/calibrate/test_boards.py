"""The calibration of boards: fitted probabilities agree with the observed frequencies."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest

from kdvision.lab.calibrate.boards import (
    OCCLUDED_SHARE,
    choose_review_threshold,
    compute_sample_weights,
    fit_calibration,
    fit_rule_terms,
    fit_temperature,
    fit_weights,
    list_outcomes,
    measure_guarantee,
)
from kdvision.lab.calibrate.scenes import BoardOutcome
from kdvision.vision.assess.calibration import UNFITTED_WARNING_WEIGHT, Calibration
from kdvision.vision.assess.warnings import WARNING_IDS


def make_outcomes(count: int, right_count: int, **warning_strengths: float) -> list[BoardOutcome]:
    """Return boards with a share of 0.95 and these warnings; the first `right_count` are right."""
    return [
        BoardOutcome((0.95, 0.05), n < right_count, always_review=False, warning_strengths=warning_strengths)
        for n in range(count)
    ]


def test_a_threshold_needs_enough_boards() -> None:
    """Without an error, 598 boards prove a risk of 1 in 200 with 95 %: 0.995 ** 598 < 0.05."""
    outcomes = [(0.995, True)] * 5 + [(0.55, False)]
    assert choose_review_threshold(outcomes, max_error=1 / 200) > 1
    assert choose_review_threshold([], max_error=1 / 200) > 1
    assert choose_review_threshold([(0.9, True)] * 597, max_error=1 / 200) > 1
    assert choose_review_threshold([(0.9, True)] * 598, max_error=1 / 200) == 0.9
    assert choose_review_threshold([(0.9, True)] * 700 + [(0.8, False)] * 9, max_error=1 / 200) == 0.9
    assert choose_review_threshold([(0.9, True)] * 700 + [(0.9, False)] * 9, max_error=1 / 200) > 1


def test_a_chosen_threshold_seldom_breaks_its_risk() -> None:
    """The risk above a threshold t is known here: boards of probability p are wrong with probability 1 - p."""
    rng = np.random.default_rng(0)
    failures = 0
    for _ in range(200):
        probability = rng.uniform(0.9, 1.0, 1000)
        outcomes = list(zip(probability.tolist(), (rng.random(1000) < probability).tolist(), strict=True))
        threshold = choose_review_threshold(outcomes, max_error=1 / 50)
        failures += threshold <= 1 and (1 - threshold) / 2 > 1 / 50  # the mean error between the threshold and 1
    assert failures <= 20


def test_the_guarantee_counts_unflagged_boards() -> None:
    guarantee = measure_guarantee([(0.99, True)] * 598 + [(0.5, False)] * 3, Calibration(review_threshold=0.9))
    assert (guarantee.measured, guarantee.right) == (601, 598)
    assert (guarantee.unflagged, guarantee.unflagged_wrong, guarantee.wrong_at_most) == (598, 0, 1 / 200)
    assert guarantee.upper == pytest.approx(1 - 0.05 ** (1 / 598), abs=1e-5)  # the rule of three: 0.005
    assert measure_guarantee([(0.9, True)] * 9, Calibration(review_threshold=1.1)).wrong_at_most is None
    guarantee = measure_guarantee([(0.9, False)] * 9, Calibration(review_threshold=0.5))
    assert (guarantee.upper, guarantee.wrong_at_most, guarantee.guarantee) == (1, None, "")


def test_the_upper_bound_fails_as_rarely_as_stated() -> None:
    """With a true error rate of 2 %, about one bound in twenty lies below it."""
    rng = np.random.default_rng(0)
    samples = [[(0.9, bool(is_right)) for is_right in rng.random(300) > 0.02] for _ in range(300)]
    bounds = [measure_guarantee(sample, Calibration(review_threshold=0.5)).upper for sample in samples]
    assert 0.01 < np.mean([bound is not None and bound < 0.02 for bound in bounds]) < 0.09


def test_boards_with_warnings_get_their_observed_frequency() -> None:
    """Nine in ten are right with one warning, half with two, few with the third. A fourth has no effect."""
    outcomes = [
        *make_outcomes(4000, 3790),
        *make_outcomes(1000, 855, castle=1.0),
        *make_outcomes(1000, 480, castle=1.0, few=1.0),
        *make_outcomes(1000, 20, illegal=1.0),
    ]
    calibration = fit_weights([*outcomes, *make_outcomes(1000, 950, rim=1.0)], [], Calibration())
    probabilities = [outcomes[n].compute_probability(calibration) for n in (0, 4000, 5000, 6000)]
    assert probabilities == pytest.approx([0.95, 0.855, 0.48, 0.02], abs=0.02)
    assert calibration.warning_weights["rim"] == pytest.approx(0.0, abs=0.2)
    assert Calibration().calibrate_warnings({"castle": 1.0, "hidden": 2.0}) == 0.5


def test_no_warning_raises_a_probability() -> None:
    outcomes, warned_outcomes = make_outcomes(2000, 1800), make_outcomes(1000, 1000, rim=1.0)
    calibration = fit_weights([*outcomes, *warned_outcomes], [], Calibration())
    probability = outcomes[0].compute_probability(calibration)
    assert warned_outcomes[0].compute_probability(calibration) == pytest.approx(probability, abs=0.001)
    assert calibration.warning_weights["rim"] <= 0.0


def test_a_warning_that_never_occurs_keeps_its_prior_weight() -> None:
    calibration = fit_weights(make_outcomes(2000, 1900), [], Calibration())
    assert calibration.warning_weights["unread"] == UNFITTED_WARNING_WEIGHT
    assert set(calibration.warning_weights) == {*WARNING_IDS, ""}


def test_a_stronger_warning_lowers_the_probability_further() -> None:
    rng = np.random.default_rng(0)
    strengths = rng.uniform(0, 5, 4000)
    is_right = rng.random(4000) < 0.98 / (1 + np.exp(strengths - 3.0))
    outcomes = [make_outcomes(1, int(ok), hidden=float(x))[0] for ok, x in zip(is_right, strengths, strict=True)]
    calibration = fit_weights(outcomes, [], Calibration())
    levels = np.array([0, 2, 3, 4, 5])
    probabilities = [make_outcomes(1, 1, hidden=float(x))[0].compute_probability(calibration) for x in levels]
    assert probabilities == pytest.approx(0.98 / (1 + np.exp(levels - 3.0)), abs=0.04)


def test_occluded_scenes_have_their_assumed_share() -> None:
    weights = compute_sample_weights(make_outcomes(90, 90), make_outcomes(5, 0))
    assert weights[90:].sum() / weights.sum() == pytest.approx(OCCLUDED_SHARE)
    assert compute_sample_weights(make_outcomes(90, 90), []).sum() == 90


def test_the_metadata_reproduce_the_fitted_calibration() -> None:
    outcomes = [*make_outcomes(6000, 5998), *make_outcomes(300, 150, ends=1.0)]
    calibration = fit_calibration(outcomes, make_outcomes(300, 100, covered=1.0), [])
    loaded_calibration = Calibration.from_metadata(json.loads(json.dumps({"calibration": asdict(calibration)})))
    assert asdict(loaded_calibration) == asdict(calibration) | {
        "board_weights": [*calibration.board_weights],
        "rule_offsets": [*calibration.rule_offsets],
    }
    assert calibration.warning_weights["ends"] < 0 and calibration.warning_weights["covered"] < 0


def test_wrong_fresh_boards_raise_the_review_threshold_and_change_no_weight() -> None:
    outcomes, occluded_outcomes = make_outcomes(6000, 5998), make_outcomes(300, 100, covered=1.0)
    calibration, cautious_calibration = (
        fit_calibration(outcomes, occluded_outcomes, make_outcomes(600, right_count)) for right_count in (600, 500)
    )
    assert cautious_calibration == replace(calibration, review_threshold=cautious_calibration.review_threshold)
    assert cautious_calibration.review_threshold > calibration.review_threshold


@pytest.mark.parametrize(("correction_cost", "side"), [(4.0, 64.0), (0.0, 16.0)])
def test_corrected_and_small_boards_get_their_observed_frequency(correction_cost: float, side: float) -> None:
    """All boards have a share of 0.95. Half of the hard boards and 95 % of the others are right."""
    usual_outcomes = [BoardOutcome((0.95, 0.05), n % 20 > 0, always_review=False) for n in range(1000)]
    hard_outcomes = [
        BoardOutcome((0.95, 0.05), n % 2 > 0, always_review=False, correction_cost=correction_cost, side_pixels=side)
        for n in range(400)
    ]
    calibration = fit_weights(
        [*usual_outcomes, *hard_outcomes], [], Calibration(fit_temperature([*usual_outcomes, *hard_outcomes]))
    )
    probabilities = [
        probability for probability, _ in list_outcomes([usual_outcomes[0], hard_outcomes[0]], calibration)
    ]
    assert probabilities == pytest.approx([0.95, 0.5], abs=0.03)
    assert Calibration().calibrate_board(0.9, correction_cost=correction_cost, side_pixels=side) == pytest.approx(0.9)


@pytest.mark.parametrize("truth", [0.7, 1.0, 1.6])
def test_the_true_temperature_is_found(truth: float) -> None:
    rng = np.random.default_rng(1)
    odds = rng.uniform(-1, 5, 3000)
    is_right = rng.random(3000) < 1 / (1 + np.exp(-odds / truth))
    shares = 1 / (1 + np.exp(-odds))
    outcomes = [BoardOutcome((float(p), 1 - float(p)), bool(ok), False) for p, ok in zip(shares, is_right, strict=True)]
    assert fit_temperature(outcomes) == pytest.approx(truth, rel=0.12)


def test_a_board_that_breaks_a_rule_is_likelier_misread() -> None:
    """Nine in ten misread boards break a rule, and one in ten of the others: a factor of nine either way."""
    misread_outcomes = [
        BoardOutcome((0.95, 0.05), is_right=False, always_review=False, breaks_rule=n % 10 > 0) for n in range(1000)
    ]
    other_outcomes = [BoardOutcome((0.95, 0.05), is_right=True, always_review=False)] * 1000
    terms = fit_rule_terms([*misread_outcomes, *other_outcomes])
    assert np.exp(terms) == pytest.approx([1 / 9, 9], rel=0.05)
    calibration = Calibration(rule_offsets=terms)
    probability_if_broken, probability_if_kept = (
        calibration.calibrate_board(0.5, correction_cost=0, side_pixels=64, breaks_rule=breaks_rule)
        for breaks_rule in (True, False)
    )
    assert (probability_if_broken, probability_if_kept) == pytest.approx((0.1, 0.9), abs=0.01)
