"""The stored record of one photo: what was read, and what counts. Each record is a line of `results.jsonl`."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from kdvision.batch.photos import Seat
from kdvision.batch.rules import Rules
from kdvision.batch.store.corrections import PhotoCorrections
from kdvision.batch.store.folder import RESULTS, Data, read_lines

SCORE_FIELDS: Final = ("photo", "width", "height", "kingdoms", "standing", "error", "hint")
"""The fields of `kdvision score --json` with which a record begins."""

RECORD_FIELDS: Final = frozenset({"photo", "content", "key", "picture", "kingdoms", "error"})
"""The fields without which a line is not a record of this version."""


class Reading(NamedTuple):
    """The result of reading a photo once.

    `key` is the result key of the job, "" for a failure that is not the photo's own. `picture` is the name of the
    picture with the score drawn in. `seen` are packed observations, one for each kingdom. The other fields are those of
    `kdvision score --json`.
    """

    key: str
    picture: str | None
    width: int | None
    height: int | None
    kingdoms: list[Data]
    standing: Data | None
    error: str | None
    hint: str | None
    seen: Sequence[Data | None]

    @classmethod
    def parse(cls, line: Data) -> "Reading":
        """The reading in a line, or in its field `again`."""
        values: dict[str, Any] = {name: line.get(name) for name in cls._fields}
        values |= {"key": values["key"] or "", "kingdoms": values["kingdoms"] or [], "seen": values["seen"] or ()}
        return cls(**values)


@dataclass(frozen=True)
class PhotoRecord:
    """One photo: its name, the hash of its content ("" if its file cannot be read), and its reading.

    `again` is the reading with the squares that people have fixed, if there is one. `gone` is true if the photo is no
    longer in the folder. The other fields follow from the event file and the corrections: `rules` are those for this
    photo; `counted` are the kingdoms and the standing after corrections, None if there are none.
    """

    name: str
    content: str
    reading: Reading
    again: Reading | None = None
    gone: bool = False
    seat: Seat = field(default_factory=Seat)
    rules: Rules = field(default_factory=Rules)
    corrections: PhotoCorrections = field(default_factory=PhotoCorrections)
    counted: Data | None = None

    @property
    def readings(self) -> list[Reading]:
        """The one or two readings."""
        return [self.reading] if self.again is None else [self.reading, self.again]

    @property
    def kingdoms(self) -> Sequence[Data]:
        """The kingdoms that count, as JSON objects."""
        return self.reading.kingdoms if self.counted is None else self.counted["kingdoms"]

    @property
    def error(self) -> str | None:
        """Why there are no kingdoms; None if people have typed some."""
        return self.reading.error if self.counted is None else None

    @property
    def last_reading(self) -> Reading:
        """The last reading that counts, which has the picture and the observations."""
        return self.again if self.counted and self.again else self.reading

    @property
    def picture(self) -> str | None:
        """The name of the picture with the score drawn in."""
        return self.last_reading.picture or self.reading.picture

    def line(self, same_as: str | None = None) -> dict[str, Any]:
        """The line of this photo: the object of `score`, then the fields that docs/events.md lists."""
        reading = {"photo": self.name, **self.reading._asdict()}
        return {
            **{name: reading[name] for name in SCORE_FIELDS},
            "content": self.content,
            "key": self.reading.key,
            "picture": self.reading.picture,
            "round": self.seat.round,
            "table": self.seat.table,
            "players": self.seat.players,
            "same_as": same_as,
            "gone": self.gone,
            "corrections": [str(one) for one in self.corrections.corrections],
            "again": None if self.again is None else self.again._asdict(),
            "counted": self.counted,
            "seen": self.reading.seen,
        }


def load_records(out: Path) -> tuple[dict[str, PhotoRecord], int]:
    """The records of this version in a result folder, by photo, and the number of damaged lines."""
    lines, damaged = read_lines(out / RESULTS)
    records = {}
    for line in lines:
        if line.keys() >= RECORD_FIELDS:
            again = None if line.get("again") is None else Reading.parse(line["again"])
            name, gone = line["photo"], bool(line.get("gone"))
            records[name] = PhotoRecord(name, line["content"], Reading.parse(line), again, gone)
    return records, damaged
