"""What is held of each photo: the reading, what people said, and what counts. One line of `results.jsonl` each."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from kdvision.batch.corrections import NOTHING, Fixes
from kdvision.batch.event import Rules
from kdvision.batch.foreign import foreign
from kdvision.batch.job import FixedSquares
from kdvision.batch.journal import Journal, Span
from kdvision.batch.naming import Seat
from kdvision.batch.observations import Seen
from kdvision.errors import KdvisionError
from kdvision.game.board import Board, Square, parse_cell
from kdvision.report.build import build_board_result
from kdvision.report.to_dict import result_to_dict

Data: TypeAlias = Mapping[str, Any]

SCORED: Final = ("photo", "width", "height", "kingdoms", "standing", "error", "hint")
"""The names of the object that `kdvision score --json` prints; a line begins with them."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Values that lie in a line of the journal; `again` where they are those of the second reading."""

    journal: Journal
    span: Span
    again: bool = False

    def __call__(self) -> Data:
        """The values."""
        line = self.journal.line(self.span)
        return (line["again"] or {}) if self.again else line


@dataclass(frozen=True, slots=True)
class Said:
    """Values that lie nowhere yet: as the text that they will be."""

    text: str

    def __call__(self) -> Data:
        """The values."""
        found: Data = json.loads(self.text)
        return found


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of a photo's bytes: the object of `score`, its `photo` null, and the picture drawn of it.

    `key` is that of the job, "" for a failure that was not the photo's own; `error` is that of the object. The object,
    and what was `seen` of each kingdom, is where `source` finds it: on disk, as soon as it is there, so that a night of
    many photos takes no more memory than one of few.
    """

    key: str
    error: str | None
    source: Callable[[], Data]
    picture: str | None = None

    @classmethod
    def made(cls, key: str, data: Data, picture: str | None = None, seen: Sequence[Seen | None] = ()) -> "Reading":
        """The reading of these values."""
        kept = {**{name: data.get(name) for name in SCORED}, "key": key, "seen": list(seen)}
        return cls(key, data.get("error"), Said(json.dumps(kept, ensure_ascii=False)), picture)

    @property
    def data(self) -> Data:
        """The object of `score`, its `photo` null, and `seen`; raises KdvisionError where the file is another one."""
        found = self.source()
        if (found.get("key") or "") != self.key:
            raise KdvisionError("the results were changed while they were in use", hint="run again")
        return {**{name: found.get(name) for name in SCORED}, "photo": None, "seen": found.get("seen") or []}

    def line(self) -> dict[str, Any]:
        """The reading as a part of a line."""
        shown = {name: value for name, value in self.data.items() if name != "photo"}
        return {"key": self.key, "picture": self.picture, **shown}

    @classmethod
    def of(cls, line: Data, source: Callable[[], Data] | None = None) -> "Reading":
        """The reading in a line, or in a part of one; `source` is where that lies, if it is to stay there."""
        key, picture = line.get("key") or "", line["picture"]
        if source is None:
            return cls.made(key, line, picture, line.get("seen") or ())
        return cls(key, line.get("error"), source, picture)


@dataclass(frozen=True, slots=True)
class Held:
    """One photo: its name, the hash of its content ("" where its file cannot be read), and what was read in it.

    `again` is the reading that keeps to the squares which people have named, where there is one; `gone` is true for a
    photo that is no longer in the folder.
    """

    photo: str
    content: str
    reading: Reading
    again: Reading | None = None
    gone: bool = False

    def line(
        self,
        *,
        seat: Seat | None = None,
        fixes: Fixes = NOTHING,
        counted: Data | None = None,
        same_as: str | None = None,
    ) -> dict[str, Any]:
        """The line of this photo: the object of `score`, then all else that is known of it."""
        seat = seat or Seat()
        reading = self.reading.line()
        return {
            **{name: self.photo if name == "photo" else reading[name] for name in SCORED},
            "content": self.content,
            "key": reading["key"],
            "picture": reading["picture"],
            "round": seat.round,
            "table": seat.table,
            "players": list(seat.players),
            "same_as": same_as,
            "gone": self.gone,
            "corrections": [str(one) for one in fixes.said],
            "again": None if self.again is None else self.again.line(),
            "counted": None if counted is None else dict(counted),
            "seen": reading["seen"],
        }

    @classmethod
    def of(cls, line: Data, journal: Journal | None = None, span: Span | None = None) -> "Held":
        """What a line holds; its values stay where it lies in a journal, if that is told."""
        again = line.get("again")
        kept = None if journal is None or span is None else Kept(journal, span)
        return cls(
            photo=line["photo"],
            content=line["content"],
            reading=Reading.of(line, kept),
            again=None if again is None else Reading.of(again, kept and replace(kept, again=True)),
            gone=bool(line.get("gone")),
        )

    def kept(self, journal: Journal, span: Span) -> "Held":
        """The same, its values in the line that lies there."""
        kept = Kept(journal, span)
        again = None if self.again is None else replace(self.again, source=replace(kept, again=True))
        return replace(self, reading=replace(self.reading, source=kept), again=again)


def counted(held: Held, fixes: Fixes, key: str, rules: Rules) -> Data | None:
    """The kingdoms and the standing that count after corrections; None where there are none.

    `key` is that of the reading which keeps to the named squares. Without such a reading (the photo may be gone) the
    squares are changed on the boards as they were read.
    """
    if not fixes.said:
        return None
    if held.again is not None and held.again.key == key and held.again.error is None:
        kingdoms = list(held.again.data["kingdoms"])
    else:
        kingdoms = _patched(held.reading.data["kingdoms"] or [], fixes.fixed_squares, rules)
    for number, board in sorted(fixes.boards.items()):
        named = typed(board, rules)
        if number <= len(kingdoms):
            kingdoms[number - 1] = {**named, **_place(kingdoms[number - 1])}
        else:
            kingdoms.append(named)
    boards = [Board.parse(kingdom["board"]) for kingdom in kingdoms]
    return {
        "kingdoms": kingdoms,
        "standing": result_to_dict(build_board_result(boards, rules.rule_set(boards)))["standing"],
    }


def _patched(kingdoms: Sequence[Data], fixed_squares: FixedSquares, rules: Rules) -> list[Data]:
    """The kingdoms with the named squares changed and nothing else decided anew."""
    made = []
    for number, kingdom in enumerate(kingdoms, start=1):
        changes = {Square.parse(square): parse_cell(cell) for k, square, cell in fixed_squares if k == number}
        made.append({**typed(_replaced(kingdom, changes), rules), **_place(kingdom)} if changes else kingdom)
    return made


def _replaced(kingdom: Data, changes: Mapping[Square, Any]) -> Board:
    return Board.parse(kingdom["board"]).replaced(changes)


def typed(board: Board, rules: Rules) -> Data:
    """A board that was not read off a photo, as one of the object's kingdoms."""
    result = build_board_result([board], rules.rule_set([board]))
    if (other := foreign(board)) is not None:  # towns say it all: no domino of Kingdomino's box has any
        kingdoms = [replace(one, problems=(other,)) for one in result.kingdoms]
        result = replace(result, kingdoms=tuple(kingdoms))
    found: list[Data] = result_to_dict(result)["kingdoms"]
    return found[0]


def _place(kingdom: Data) -> Data:
    """Where a kingdom lies in its photo, which corrections do not change."""
    return {"corners": kingdom["corners"], "place": kingdom["place"]}


def unreadable(photo: str, error: KdvisionError) -> Held:
    """What is held of a photo whose file could not be read: its content may be fine."""
    from kdvision.report.result import Result

    return Held(photo, "", Reading.made("", result_to_dict(Result(None, error=error))))
