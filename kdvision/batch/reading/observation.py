"""What the networks observed of a kingdom, packed into JSON values for a later joint decision."""

import base64
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kdvision.batch.store.folder import Data

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kdvision.pipeline import KingdomReading
    from kdvision.vision.assess.calibration import Calibration
    from kdvision.vision.classify.probabilities import Reading as Probabilities

MIN_LOG_PROBABILITY: Final = -20.0
"""Smaller log-probabilities are stored as this. They decide nothing."""


class Observation(NamedTuple):
    """What the networks observed of one kingdom, as far as a joint decision needs it.

    `border_log_odds` are the log-odds that neighbours (right, down) are one domino, `side` is the side of a square in
    pixels, and `p_whole` the probability that no part of the kingdom was missed.
    """

    probabilities: "Probabilities"
    border_log_odds: "tuple[NDArray[np.float64], NDArray[np.float64]]"
    calibration: "Calibration"
    side: float
    p_whole: float = 1.0


def pack_observation(reading: "KingdomReading") -> dict[str, Any] | None:
    """The observation of a kingdom as JSON values; None if there is none (a typed board)."""
    if reading.observation is None:
        return None
    probabilities, (right, down) = reading.observation.reading, reading.observation.border_log_odds
    calibration = reading.calibration
    arrays = {"log_probs": probabilities.log_probs.clip(MIN_LOG_PROBABILITY), "right": right, "down": down}
    return {
        "rows": probabilities.rows,
        "cols": probabilities.cols,
        "kinds": " ".join(probabilities.kinds),
        "temperature": round(calibration.temperature, 4),
        "sure": round(calibration.review_threshold, 4),
        "belief": [round(weight, 4) for weight in (*calibration.board_weights, *calibration.rule_offsets)],
        "side": round(reading.grid.side, 1),
        "whole": round(calibration.calibrate_completeness(reading.warning_strengths), 4),
        **{name: base64.b64encode(array.astype("<f2").tobytes()).decode() for name, array in arrays.items()},
    }


def unpack_observation(packed: Data) -> Observation:
    """The observation that was packed; raises ValueError for invalid values."""
    import numpy as np

    from kdvision.vision.assess.calibration import Calibration
    from kdvision.vision.classify.probabilities import Reading as Probabilities

    rows, cols, kinds = int(packed["rows"]), int(packed["cols"]), tuple(packed["kinds"].split())
    log_probs, right, down = (
        np.frombuffer(base64.b64decode(packed[name]), "<f2").astype(np.float64)
        for name in ("log_probs", "right", "down")
    )
    values = log_probs.reshape(rows, cols, len(kinds))
    values = values - np.logaddexp.reduce(values, axis=2, keepdims=True)  # normalise after rounding
    likelihood, cost, undersampling, constant, broken, kept = map(float, packed["belief"])
    weights, offsets = (likelihood, cost, undersampling, constant), (broken, kept)
    return Observation(
        Probabilities(values, kinds),
        (right.reshape(rows, cols - 1), down.reshape(rows - 1, cols)),
        Calibration(float(packed["temperature"]), float(packed["sure"]), weights, offsets),
        float(packed["side"]),
        float(packed.get("whole", 1.0)),  # missing in results of earlier versions
    )
