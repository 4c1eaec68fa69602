"""What the networks saw of one kingdom, small enough to be kept beside what was decided from it.

A photo is decided by itself, when it is read. Its table can only be decided once all of its photos are there.
"""

import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kdvision.pipeline import KingdomReading
    from kdvision.vision.assess.calibration import Calibration
    from kdvision.vision.classify.probabilities import Reading

Seen: TypeAlias = Mapping[str, Any]

LEAST: Final = -20.0
"""No logarithm of a probability is kept that is smaller: nothing is decided by it."""


class View(NamedTuple):
    """One kingdom's reading, the log-odds that neighbours are one domino (right, down), and how far to trust them.

    `side` is that of its squares, in pixels, and `whole` how probable it is that nothing of it was missed: 1 in results
    of versions that did not ask.
    """

    reading: "Reading"
    border_log_odds: "tuple[NDArray[np.float64], NDArray[np.float64]]"
    calibration: "Calibration"
    side: float
    whole: float = 1.0


def packed(read: "KingdomReading") -> dict[str, Any] | None:
    """What was seen as plain values, None where nobody looked (a test, a typed board)."""
    if read.observation is None:
        return None
    reading, (right, down) = read.observation.reading, read.observation.border_log_odds
    return {
        "rows": reading.rows,
        "cols": reading.cols,
        "kinds": " ".join(reading.kinds),
        "temperature": round(read.calibration.temperature, 4),
        "sure": round(read.calibration.sure, 4),
        "belief": [round(weight, 4) for weight in (*read.calibration.belief, *read.calibration.rule)],
        "side": round(read.grid.side, 1),
        "whole": round(read.calibration.of_whole(read.warning_strengths), 4),
        "log_probs": _text(reading.log_probs.clip(LEAST)),
        "right": _text(right),
        "down": _text(down),
    }


def unpacked(seen: Seen) -> View:
    """The reading and the bonds that were kept; raises ValueError for what is none."""
    import numpy as np

    from kdvision.vision.assess.calibration import Calibration
    from kdvision.vision.classify.probabilities import Reading

    rows, cols, kinds = int(seen["rows"]), int(seen["cols"]), tuple(seen["kinds"].split())
    values = _numbers(seen["log_probs"]).reshape(rows, cols, len(kinds))
    values = values - np.logaddexp.reduce(values, axis=2, keepdims=True)  # they were rounded
    border_log_odds = _numbers(seen["right"]).reshape(rows, cols - 1), _numbers(seen["down"]).reshape(rows - 1, cols)
    likely, strained, small, constant, broken, kept = map(float, seen["belief"])
    belief = (likely, strained, small, constant)
    calibration = Calibration(float(seen["temperature"]), float(seen["sure"]), belief, (broken, kept))
    return View(
        Reading(values, kinds), border_log_odds, calibration, float(seen["side"]), float(seen.get("whole", 1.0))
    )


def _text(numbers: "NDArray[np.float64]") -> str:
    return base64.b64encode(numbers.astype("<f2").tobytes()).decode()


def _numbers(text: str) -> "NDArray[np.float64]":
    import numpy as np

    return np.frombuffer(base64.b64decode(text), "<f2").astype(np.float64)
