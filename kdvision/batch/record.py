"""The stored record of one photo: its reading, and what the networks observed.

Each record is a line of `results.jsonl`. The values of a reading stay on disk and are loaded when they are needed, so
the memory of a run hardly grows with its photos.
"""

import base64
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kdvision.batch.corrections import NO_CORRECTIONS, PhotoCorrections
from kdvision.batch.journal import Data, Journal, Span
from kdvision.batch.naming import Seat
from kdvision.errors import KdvisionError
from kdvision.report.result import Result
from kdvision.report.to_dict import result_to_dict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kdvision.pipeline import KingdomReading
    from kdvision.vision.assess.calibration import Calibration
    from kdvision.vision.classify.probabilities import Reading as Probabilities

SCORE_FIELDS: Final = ("photo", "width", "height", "kingdoms", "standing", "error", "hint")
"""The fields of `kdvision score --json` with which a record begins."""

RECORD_FIELDS: Final = frozenset({"photo", "content", "key", "picture", "kingdoms", "error"})
"""The fields without which a line is not a record of this version."""

MIN_LOG_PROBABILITY: Final = -20.0
"""Smaller log-probabilities are stored as this. They decide nothing."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of reading a photo once.

    `key` is the result key of its job, "" for a failure that is not the photo's own. `load` returns the stored values;
    `picture` is the name of the picture with the score drawn in.
    """

    key: str
    error: str | None
    load: Callable[[], Data]
    picture: str | None = None

    @classmethod
    def of(cls, values: Data, *, seen: Sequence[Data | None] = ()) -> "Reading":
        """The reading of an object of `score` that also has a `key` and a `picture`."""
        stored = {"seen": list(seen), **values}
        return cls(values.get("key") or "", values.get("error"), lambda: stored, values.get("picture"))

    @property
    def data(self) -> Data:
        """The object of `score`, its `photo` null, and `seen`; raises KdvisionError if the file was changed."""
        values = self.load()
        if (values.get("key") or "") != self.key:
            raise KdvisionError("the results were changed while they were in use", hint="run again")
        return {**{name: values.get(name) for name in SCORE_FIELDS}, "photo": None, "seen": values.get("seen") or []}

    def line(self) -> dict[str, Any]:
        """The reading as part of a line."""
        return {"key": self.key, "picture": self.picture, **{k: v for k, v in self.data.items() if k != "photo"}}


@dataclass(frozen=True, slots=True)
class PhotoRecord:
    """One photo: its name, the hash of its content ("" if its file cannot be read), and its reading.

    `again` is the reading with the squares that people have fixed, if there is one. `gone` is true if the photo is no
    longer in the folder.
    """

    photo: str
    content: str
    reading: Reading
    again: Reading | None = None
    gone: bool = False

    @classmethod
    def of_line(cls, line: Data) -> "PhotoRecord":
        """The record in a line."""
        again = line.get("again")
        second = None if again is None else Reading.of(again)
        return cls(line["photo"], line["content"], Reading.of(line), second, bool(line.get("gone")))

    @classmethod
    def of_unreadable(cls, photo: str, error: KdvisionError) -> "PhotoRecord":
        """The record of a photo whose file cannot be read."""
        return cls(photo, "", Reading.of(result_to_dict(Result(None, error=error))))

    def stored_at(self, journal: Journal, span: Span) -> "PhotoRecord":
        """The same record, its values on disk."""
        reading = replace(self.reading, load=partial(journal.line, span))
        again = self.again and replace(self.again, load=partial(_load_again, journal, span))
        return replace(self, reading=reading, again=again)

    def line(
        self,
        *,
        seat: Seat,
        corrections: PhotoCorrections = NO_CORRECTIONS,
        counted: Data | None = None,
        same_as: str | None = None,
    ) -> dict[str, Any]:
        """The line of this photo: the object of `score`, then the fields that docs/events.md lists."""
        reading = self.reading.line()
        return {
            **{name: self.photo if name == "photo" else reading[name] for name in SCORE_FIELDS},
            "content": self.content,
            "key": reading["key"],
            "picture": reading["picture"],
            "round": seat.round,
            "table": seat.table,
            "players": list(seat.players),
            "same_as": same_as,
            "gone": self.gone,
            "corrections": [str(one) for one in corrections.corrections],
            "again": None if self.again is None else self.again.line(),
            "counted": None if counted is None else dict(counted),
            "seen": reading["seen"],
        }


def is_record(line: Data) -> bool:
    """True if a line of `results.jsonl` is a record of this version."""
    return line.keys() >= RECORD_FIELDS


def load_records(journal: Journal) -> Iterator[PhotoRecord]:
    """Yield the records of this version. Their values stay on disk."""
    for span in journal.spans:
        line = journal.line(span)
        if is_record(line):
            yield PhotoRecord.of_line(line).stored_at(journal, span)


def index_readings(records: Iterable[PhotoRecord]) -> dict[str, Reading]:
    """The readings of the records by their keys. Failures caused by the machine have none."""
    readings = [reading for one in records for reading in (one.reading, one.again) if reading is not None]
    return {reading.key: reading for reading in readings if reading.key}


def _load_again(journal: Journal, span: Span) -> Data:
    return journal.line(span)["again"] or {}


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
    return {
        "rows": probabilities.rows,
        "cols": probabilities.cols,
        "kinds": " ".join(probabilities.kinds),
        "temperature": round(calibration.temperature, 4),
        "sure": round(calibration.review_threshold, 4),
        "belief": [round(weight, 4) for weight in (*calibration.board_weights, *calibration.rule_offsets)],
        "side": round(reading.grid.side, 1),
        "whole": round(calibration.calibrate_completeness(reading.warning_strengths), 4),
        "log_probs": _encode_array(probabilities.log_probs.clip(MIN_LOG_PROBABILITY)),
        "right": _encode_array(right),
        "down": _encode_array(down),
    }


def unpack_observation(packed: Data) -> Observation:
    """The observation that was packed; raises ValueError for invalid values."""
    import numpy as np

    from kdvision.vision.assess.calibration import Calibration
    from kdvision.vision.classify.probabilities import Reading as Probabilities

    rows, cols, kinds = int(packed["rows"]), int(packed["cols"]), tuple(packed["kinds"].split())
    values = _decode_array(packed["log_probs"]).reshape(rows, cols, len(kinds))
    values = values - np.logaddexp.reduce(values, axis=2, keepdims=True)  # normalise after rounding
    right, down = _decode_array(packed["right"]), _decode_array(packed["down"])
    *belief, broken, kept = map(float, packed["belief"])
    likely, strained, small, constant = belief
    return Observation(
        Probabilities(values, kinds),
        (right.reshape(rows, cols - 1), down.reshape(rows - 1, cols)),
        Calibration(
            float(packed["temperature"]), float(packed["sure"]), (likely, strained, small, constant), (broken, kept)
        ),
        float(packed["side"]),
        float(packed.get("whole", 1.0)),  # missing in results of earlier versions
    )


def _encode_array(values: "NDArray[np.float64]") -> str:
    return base64.b64encode(values.astype("<f2").tobytes()).decode()


def _decode_array(text: str) -> "NDArray[np.float64]":
    import numpy as np

    return np.frombuffer(base64.b64decode(text), "<f2").astype(np.float64)
