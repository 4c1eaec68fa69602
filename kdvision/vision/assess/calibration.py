"""Calibration: the probability that a whole board is right, from weights that are stored with the cell network."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from kdvision.vision.classify.probabilities import MIN_PROBABILITY, compute_log_odds
from kdvision.vision.geometry import Floats
from kdvision.vision.networks.cells import SQUARE_PIXELS

BoardWeights = tuple[float, float, float, float]

CONSTANT: Final = ""
"""Key of the constant among the weights of warnings."""
UNFITTED_WARNING_WEIGHT: Final = -3.0
"""Weight of a warning that no scene showed, and the prior of the fitted ones."""


def compute_undersampling(side_pixels: npt.ArrayLike) -> Floats:
    """Return log(40 / side) for squares of `side_pixels`: how much the cell network enlarges them; at least 0."""
    return np.asarray(np.maximum(0.0, np.log(SQUARE_PIXELS / np.asarray(side_pixels, np.float64))))


@dataclass(frozen=True)
class Calibration:
    """A calibrated model of the probability that a whole board is right.

    Two logistic regressions (Platt, 1999) are multiplied. `board_weights` (log-odds of the decision, correction cost,
    undersampling, constant) with `rule_offsets` (for boards that break a rule of play, and for others) give the
    probability that the squares are right. `warning_weights`, by warning id, give the probability that nothing was
    missed, hidden or misread in a way that the decision cannot see.

    A board below `review_threshold` is for review. Of `measured` rendered boards `right` are right; of the `unflagged`
    ones `unflagged_wrong` are wrong. At most `wrong_at_most` of the unflagged boards are expected to be wrong, less
    than `upper` with the given `confidence`. Both are None if no board is unflagged, `wrong_at_most` also if a larger
    share of them is wrong.
    """

    temperature: float = 1.0
    review_threshold: float = 0.9
    board_weights: BoardWeights = (1.0, 0.0, 0.0, 0.0)
    rule_offsets: tuple[float, float] = (0.0, 0.0)
    warning_weights: Mapping[str, float] = field(default_factory=dict)
    measured: int = 0
    right: int = 0
    unflagged: int = 0
    unflagged_wrong: int = 0
    wrong_at_most: float | None = None
    upper: float | None = None
    confidence: float = 0.95

    @classmethod
    def from_metadata(cls, metadata: Mapping[str, Any]) -> Self:
        """Return the calibration in the metadata of the cell network; the default if there is none."""
        return cls(**metadata.get("calibration", {}))

    def calibrate_board(
        self, probability: float, *, correction_cost: float, side_pixels: float, breaks_rule: bool = False
    ) -> float:
        """Return the probability that the squares are right, given the uncalibrated `probability` of the board.

        Boards with a correction cost, with small squares (`side_pixels`) or against a rule of play are wrong more
        often.
        """
        likelihood, cost, undersampling, constant = self.board_weights
        log_odds = likelihood * compute_log_odds(probability) + cost * correction_cost
        log_odds += undersampling * compute_undersampling(side_pixels) + constant
        log_odds += self.rule_offsets[0 if breaks_rule else 1]
        return float(expit(log_odds))

    def calibrate_warnings(self, strengths: Mapping[str, float]) -> float:
        """Return the probability that the board is complete, given the strengths of warnings by id.

        Without fitted weights, each warning but "hidden" halves it.
        """
        weights = self.warning_weights
        if not weights:
            return float(0.5 ** sum(name != "hidden" for name in strengths))
        evidence = sum(weights.get(name, UNFITTED_WARNING_WEIGHT) * strength for name, strength in strengths.items())
        return float(expit(weights[CONSTANT] + evidence))

    @property
    def guarantee(self) -> str:
        """One sentence on the expected error rate of unflagged boards; empty if measurements do not support one."""
        if self.wrong_at_most is None:
            return ""
        error_counts = f"of {self.unflagged} rendered ones, {self.unflagged_wrong} were wrong"
        share = f"1 in {1 / self.wrong_at_most:.0f}"
        return f"at most {share} boards without a flag is expected to be wrong; {error_counts}"


def clip_complement(probability: float) -> float:
    """Return 1 - probability, at least MIN_PROBABILITY."""
    return max(1 - probability, MIN_PROBABILITY)
