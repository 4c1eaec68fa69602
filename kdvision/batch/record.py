"""The stored record of one photo: what was read, and what counts. Each record is a line of `results.jsonl`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kdvision.batch.corrections import NO_CORRECTIONS, PhotoCorrections
from kdvision.batch.naming import Seat
from kdvision.batch.storage import RESULTS, Data, read_lines
from kdvision.errors import KdvisionError
from kdvision.report.result import Result
from kdvision.report.to_dict import result_to_dict

SCORE_FIELDS: Final = ("photo", "width", "height", "kingdoms", "standing", "error", "hint")
"""The fields of `kdvision score --json` with which a record begins."""

RECORD_FIELDS: Final = frozenset({"photo", "content", "key", "picture", "kingdoms", "error"})
"""The fields without which a line is not a record of this version."""


@dataclass(frozen=True)
class Reading:
    """The result of reading a photo once.

    `score` is the object of `kdvision score --json`, its `photo` null. `key` is the result key of the job, "" for a
    failure that is not the photo's own. `picture` is the name of the picture with the score drawn in. `seen` are packed
    observations, one for each kingdom.
    """

    score: Data
    key: str = ""
    picture: str | None = None
    seen: Sequence[Data | None] = ()

    @classmethod
    def parse(cls, line: Data) -> "Reading":
        """The reading in a line, or in its field `again`."""
        score = {name: line.get(name) for name in SCORE_FIELDS} | {"photo": None}
        return cls(score, line.get("key") or "", line.get("picture"), line.get("seen") or ())

    @property
    def error(self) -> str | None:
        """Why the photo could not be read."""
        error: str | None = self.score["error"]
        return error

    @property
    def kingdoms(self) -> list[Data]:
        """The kingdoms, as JSON objects."""
        return self.score["kingdoms"] or []

    def line(self) -> dict[str, Any]:
        """The reading as part of a line."""
        score = {name: value for name, value in self.score.items() if name != "photo"}
        return {"key": self.key, "picture": self.picture, **score, "seen": self.seen}


@dataclass(frozen=True)
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
    def parse(cls, line: Data) -> "PhotoRecord | None":
        """The record in a line; None if the line is not a record of this version."""
        if not line.keys() >= RECORD_FIELDS:
            return None
        again = line.get("again")
        second = None if again is None else Reading.parse(again)
        return cls(line["photo"], line["content"], Reading.parse(line), second, bool(line.get("gone")))

    @classmethod
    def of_unreadable(cls, photo: str, error: KdvisionError) -> "PhotoRecord":
        """The record of a photo whose file cannot be read."""
        return cls(photo, "", Reading.parse(result_to_dict(Result(None, error=error))))

    @property
    def readings(self) -> list[Reading]:
        """The one or two readings."""
        return [self.reading] if self.again is None else [self.reading, self.again]

    def line(
        self,
        *,
        seat: Seat,
        corrections: PhotoCorrections = NO_CORRECTIONS,
        counted: Data | None = None,
        same_as: str | None = None,
    ) -> dict[str, Any]:
        """The line of this photo: the object of `score`, then the fields that docs/events.md lists."""
        return {
            **self.reading.score,
            "photo": self.photo,
            "content": self.content,
            "key": self.reading.key,
            "picture": self.reading.picture,
            "round": seat.round,
            "table": seat.table,
            "players": seat.players,
            "same_as": same_as,
            "gone": self.gone,
            "corrections": [str(one) for one in corrections.corrections],
            "again": None if self.again is None else self.again.line(),
            "counted": counted,
            "seen": self.reading.seen,
        }


def load_records(out: Path) -> tuple[dict[str, PhotoRecord], int]:
    """The records of this version in a result folder, by photo, and the number of damaged lines."""
    lines, damaged = read_lines(out / RESULTS)
    return {one.photo: one for one in map(PhotoRecord.parse, lines) if one is not None}, damaged
