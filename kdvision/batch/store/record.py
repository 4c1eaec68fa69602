"""The stored record of one photo: what was read, and what counts. Each record is a line of `results.jsonl`."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from kdvision.batch.photos import Seat
from kdvision.batch.rules import Rules
from kdvision.batch.store.corrections import NO_CORRECTIONS, PhotoCorrections
from kdvision.batch.store.folder import RESULTS, Data, read_lines
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


@dataclass(frozen=True)
class PhotoResult:
    """One photo with its seat and its corrections.

    `counted` are the kingdoms and the standing after corrections, None if there are none. `rules` are those for this
    photo.
    """

    record: PhotoRecord
    seat: Seat
    corrections: PhotoCorrections = NO_CORRECTIONS
    counted: Data | None = None
    rules: Rules = field(default_factory=Rules)

    @property
    def name(self) -> str:
        """The photo's name below the folder."""
        return self.record.photo

    @property
    def kingdoms(self) -> Sequence[Data]:
        """The kingdoms that count, as JSON objects."""
        kingdoms: Sequence[Data] = self.record.reading.kingdoms if self.counted is None else self.counted["kingdoms"]
        return kingdoms

    @property
    def error(self) -> str | None:
        """Why there are no kingdoms; None if people have typed some."""
        return self.record.reading.error if self.counted is None else None

    @property
    def last_reading(self) -> Reading:
        """The last reading, which has the picture and the observations."""
        return self.record.again if self.counted and self.record.again else self.record.reading

    @property
    def picture(self) -> str | None:
        """The name of the picture with the score drawn in."""
        return self.last_reading.picture or self.record.reading.picture

    def line(self, same_as: str | None = None) -> dict[str, Any]:
        """The line of this photo: the object of `score`, then the fields that docs/events.md lists."""
        record = self.record
        return {
            **record.reading.score,
            "photo": record.photo,
            "content": record.content,
            "key": record.reading.key,
            "picture": record.reading.picture,
            "round": self.seat.round,
            "table": self.seat.table,
            "players": self.seat.players,
            "same_as": same_as,
            "gone": record.gone,
            "corrections": [str(one) for one in self.corrections.corrections],
            "again": None if record.again is None else record.again.line(),
            "counted": self.counted,
            "seen": record.reading.seen,
        }


def load_records(out: Path) -> tuple[dict[str, PhotoRecord], int]:
    """The records of this version in a result folder, by photo, and the number of damaged lines."""
    lines, damaged = read_lines(out / RESULTS)
    return {one.photo: one for one in map(PhotoRecord.parse, lines) if one is not None}, damaged
