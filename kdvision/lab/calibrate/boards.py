"""Calibration of whole boards: temperature, board and warning weights, review threshold, guarantee and tables."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import binom, binomtest
from sklearn.calibration import calibration_curve

from kdvision.files import write_atomically
from kdvision.lab.arrays import Floats
from kdvision.lab.calibrate.scenes import BoardOutcome
from kdvision.text import format_csv
from kdvision.vision.assess.calibration import CONSTANT, UNFITTED_WARNING_WEIGHT, Calibration, compute_undersampling
from kdvision.vision.assess.warnings import WARNING_IDS
from kdvision.vision.classify.probabilities import compute_log_odds

Outcomes = Sequence[tuple[float, bool]]
"""The probability of each board, and whether it is right."""

TEMPERATURES: Final = np.exp(np.linspace(np.log(0.5), np.log(8), 60))
MAX_UNFLAGGED_ERROR: Final = 1 / 200
"""Largest expected share of wrong boards among those that are not flagged."""
OCCLUDED_SHARE: Final = 0.1
"""Assumed share of real tables on which hands and things lie about."""
RULE_BREAK_SHARE: Final = 0.1
"""Assumed share of real kingdoms that break a rule of play. No rendered kingdom does."""
CONFIDENCE_LEVEL: Final = 0.95
MIN_COVERAGE: Final = 0.5
"""Share of the boards that the highest tested threshold answers."""
INITIAL_COMPLETENESS_LOG_ODDS: Final = 4.0
"""Start of the constant among the warning weights."""
WARNING_PENALTY: Final = 0.5
"""Penalty on the squared distance of the warning weights from their prior, in boards."""
BOARD_PENALTY: Final = 0.05
"""Penalty on the squared distance of the board weights from their defaults, in boards."""
MIN_PROBABILITY: Final = 1e-9
BINS: Final = 20
"""Bins of the reliability diagram."""
COVERAGE_STEPS: Final = (0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)


def has_no_warning(outcome: BoardOutcome) -> bool:
    """Return whether the kingdom is whole and has no warning but a possible occlusion."""
    warnings = (name for name, strength in outcome.warning_strengths.items() if strength)
    return not outcome.always_review and not outcome.is_truncated and all(name == "hidden" for name in warnings)


def fit_temperature(outcomes: Iterable[BoardOutcome]) -> float:
    """Return the temperature with the least log loss on boards without warnings (Guo et al., 2017)."""
    boards = [outcome for outcome in outcomes if has_no_warning(outcome)]

    def compute_loss(temperature: float) -> float:
        shares = ((board.compute_share(temperature), board.is_right) for board in boards)
        return -float(sum(np.log(max(p if is_right else 1 - p, 1e-4)) for p, is_right in shares))

    return float(TEMPERATURES[int(np.argmin([compute_loss(t) for t in TEMPERATURES]))])


def fit_rule_terms(outcomes: Iterable[BoardOutcome]) -> tuple[float, float]:
    """Return the terms added to the log-odds of boards that break a rule of play, and of all others (Bayes' rule).

    Right boards break a rule as often as RULE_BREAK_SHARE says, wrong boards as often as they did here.
    """
    rule_breaks = [board.breaks_rule for board in outcomes if has_no_warning(board) and not board.is_right]
    share = (sum(rule_breaks) + 1) / (len(rule_breaks) + 2)
    return float(np.log(RULE_BREAK_SHARE / share)), float(np.log((1 - RULE_BREAK_SHARE) / (1 - share)))


def compute_sample_weights(plain_boards: Sequence[BoardOutcome], occluded_boards: Sequence[BoardOutcome]) -> Floats:
    """Return the weight of each board, such that OCCLUDED_SHARE of the total falls on scenes with occluders."""
    weight = OCCLUDED_SHARE / (1 - OCCLUDED_SHARE) * len(plain_boards) / max(len(occluded_boards), 1)
    return np.concatenate([np.ones(len(plain_boards)), np.full(len(occluded_boards), weight)])


def fit_weights(
    plain_boards: Sequence[BoardOutcome], occluded_boards: Sequence[BoardOutcome], calibration: Calibration
) -> Calibration:
    """Return the calibration with `board_weights` and `warning_weights`.

    P(board right) = P(squares right) x P(nothing missed, hidden or cut off). Both factors are logistic regressions, so
    they are fitted jointly. A warning weight is at most 0: no warning makes a board more probable. A prior keeps the
    weights of rare warnings near UNFITTED_WARNING_WEIGHT.
    """
    boards, sample_weight = [*plain_boards, *occluded_boards], compute_sample_weights(plain_boards, occluded_boards)
    names = sorted(WARNING_IDS)
    share = compute_log_odds([board.compute_share(calibration.temperature) for board in boards])
    other_features = np.array(
        [(board.correction_cost, compute_undersampling(board.side_pixels), 1.0) for board in boards], float
    )
    squares = np.column_stack([share, other_features])
    warnings = np.array([[1.0, *(board.warning_strengths.get(name, 0.0) for name in names)] for board in boards])
    offset = np.array([calibration.rule_offsets[0 if board.breaks_rule else 1] for board in boards])
    is_right = np.array([board.is_right for board in boards], bool)
    split = len(Calibration.board_weights)
    prior = [0.0 if name == "hidden" else UNFITTED_WARNING_WEIGHT for name in names]
    start = np.array([*Calibration.board_weights, INITIAL_COMPLETENESS_LOG_ODDS, *prior])
    penalty = np.array([*[BOARD_PENALTY] * split, 0.0, *[WARNING_PENALTY] * len(names)])

    def compute_loss(weights: Floats) -> tuple[float, Floats]:
        squares_right, completeness = expit(squares @ weights[:split] + offset), expit(warnings @ weights[split:])
        p = np.clip(squares_right * completeness, MIN_PROBABILITY, 1 - MIN_PROBABILITY)
        slope = np.where(is_right, -1.0, p / (1 - p)) * sample_weight
        gradient = np.concatenate(
            [squares.T @ (slope * (1 - squares_right)), warnings.T @ (slope * (1 - completeness))]
        )
        log_loss = -sample_weight @ np.log(np.where(is_right, p, 1 - p))
        return float(log_loss + penalty @ (weights - start) ** 2), gradient + 2 * penalty * (weights - start)

    bounds = [*[(None, None)] * (split + 1), *[(None, 0.0)] * len(names)]
    solution = minimize(compute_loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x.tolist()
    share_weight, cost_weight, size_weight, constant, *fitted_warning_weights = (
        round(weight, 4) for weight in solution
    )
    warning_weights = dict(zip((CONSTANT, *names), fitted_warning_weights, strict=True))
    return replace(
        calibration, board_weights=(share_weight, cost_weight, size_weight, constant), warning_weights=warning_weights
    )


def rank_boards(outcomes: Outcomes) -> tuple[Floats, Floats]:
    """Return the probabilities in descending order, and how many boards up to each are wrong."""
    probability, is_right = np.array(outcomes, float).reshape(-1, 2).T
    order = np.argsort(-probability, kind="stable")
    return probability[order], np.cumsum(1 - is_right[order])


def choose_review_threshold(outcomes: Outcomes, *, max_error: float) -> float:
    """Return the least probability above which at most a share of `max_error` boards is wrong, with CONFIDENCE_LEVEL.

    Thresholds are tested downwards from the one that answers MIN_COVERAGE of the boards, and the last one before the
    first failure is returned (Learn then Test with fixed-sequence testing, Angelopoulos et al., 2021). The p-value of a
    threshold is the binomial probability of so few errors at the risk `max_error`. If the first test fails, as with too
    few boards, the result is above 1.
    """
    probability, errors = rank_boards(outcomes)
    count = np.arange(1, len(errors) + 1)
    passes = binom.cdf(errors, count, max_error) <= 1 - CONFIDENCE_LEVEL
    is_last_of_equals = np.append(probability[1:] < probability[:-1], True)[: len(errors)]
    candidates = np.flatnonzero(is_last_of_equals & (count >= MIN_COVERAGE * len(errors)))
    safe_candidates = candidates[np.logical_and.accumulate(passes[candidates])]
    return float(probability[safe_candidates[-1]]) if len(safe_candidates) else 1.1


def measure_guarantee(outcomes: Outcomes, calibration: Calibration) -> Calibration:
    """Return the calibration with counts of boards on which no weight was fitted; see `Calibration`.

    `upper` bounds the share of wrong boards (Clopper and Pearson, 1934). Nothing is promised if more boards are wrong
    than MAX_UNFLAGGED_ERROR allows.
    """
    verdicts = [is_right for probability, is_right in outcomes if probability >= calibration.review_threshold]
    errors = len(verdicts) - sum(verdicts)
    interval = (
        binomtest(errors, len(verdicts), alternative="less").proportion_ci(CONFIDENCE_LEVEL) if verdicts else None
    )
    return replace(
        calibration,
        measured=len(outcomes),
        right=sum(is_right for _, is_right in outcomes),
        unflagged=len(verdicts),
        unflagged_wrong=errors,
        wrong_at_most=MAX_UNFLAGGED_ERROR if verdicts and errors <= MAX_UNFLAGGED_ERROR * len(verdicts) else None,
        upper=round(float(interval.high), 5) if interval else None,
        confidence=CONFIDENCE_LEVEL,
    )


def list_outcomes(outcomes: Iterable[BoardOutcome], calibration: Calibration) -> list[tuple[float, bool]]:
    """Return (probability, correctness) of each whole kingdom's board that no warning alone sends to review."""
    return [
        (b.compute_probability(calibration), b.is_right) for b in outcomes if not b.always_review and not b.is_truncated
    ]


def fit_calibration(
    plain_boards: Sequence[BoardOutcome], occluded_boards: Sequence[BoardOutcome], fresh_boards: Sequence[BoardOutcome]
) -> Calibration:
    """Return the calibration: weights fitted on plain and occluded boards, review threshold tested on all three."""
    calibration = fit_weights(
        plain_boards,
        occluded_boards,
        Calibration(fit_temperature(plain_boards), rule_offsets=fit_rule_terms(plain_boards)),
    )
    threshold_boards = [*plain_boards, *fresh_boards]
    threshold_boards += occluded_boards[: round(OCCLUDED_SHARE / (1 - OCCLUDED_SHARE) * len(threshold_boards))]
    outcomes = [
        (board.compute_probability(calibration), board.is_right)
        for board in threshold_boards
        if not board.always_review
    ]
    threshold = choose_review_threshold(outcomes, max_error=MAX_UNFLAGGED_ERROR)
    return replace(calibration, review_threshold=threshold)


def write_reliability(folder: Path, boards: Sequence[BoardOutcome], calibration: Calibration) -> None:
    """Write the reliability diagram and the risk-coverage curve of whole kingdoms as tables, calibration-*.csv.

    The diagram compares the stated probability with the observed accuracy (Guo et al., 2017). The curve accepts boards
    in order of probability and counts the wrong ones (Geifman and El-Yaniv, 2017). Boards that are always reviewed
    count in its total alone.
    """
    outcomes = list_outcomes(boards, calibration)
    probability, is_right = np.array(outcomes, float).T
    accuracy, mean = calibration_curve(is_right, probability, n_bins=BINS, strategy="quantile")
    bins = ((f"{p:.4f}", f"{share:.4f}") for p, share in zip(mean, accuracy, strict=True))
    table = format_csv(("mean_probability", "accuracy"), bins)
    write_atomically(folder / "calibration-reliability.csv", table.encode())
    least_probability, errors = rank_boards(outcomes)
    total = sum(not board.is_truncated for board in boards)
    unflagged_count = int((least_probability >= calibration.review_threshold).sum())
    counts = {int(np.ceil(step * len(outcomes))): "" for step in COVERAGE_STEPS}
    counts |= {unflagged_count: "review threshold"} if unflagged_count else {}
    rows = (
        (f"{n / total:.3f}", f"{least_probability[n - 1]:.4f}", n, int(errors[n - 1]), note)
        for n, note in sorted(counts.items())
    )
    table = format_csv(("coverage", "least_probability", "accepted", "wrong", "note"), rows)
    write_atomically(folder / "calibration-coverage.csv", table.encode())
