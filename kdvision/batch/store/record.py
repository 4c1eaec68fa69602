"""The stored record of one photo, a line of `results.jsonl`; and corrections that people make, `corrections.jsonl`.

Corrections are stored apart from what was read, in the order in which they were made: a square of a kingdom, or its
whole board. A correction belongs to the photo's content. It stays with a photo that is renamed, and does not apply to
another photo of the same name.
"""

import hashlib
import itertools
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from math import dist
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from kdvision.batch.event import Rules
from kdvision.batch.photos import Seat, make_name_key
from kdvision.batch.store.folder import CORRECTIONS, RESULTS, Data, append_line, get_file_version, hold_lock, read_lines
from kdvision.errors import NotationError
from kdvision.game.board import Board, Square, parse_cell
from kdvision.text import advise_number

LOCK: Final = ".corrections.lock"
EMPTY_CONTENT: Final = hashlib.sha256(b"").hexdigest()

StoredFixes: TypeAlias = tuple[tuple[int, str, str], ...]
"""Squares that a person has fixed: the kingdom, from 1, the square and its cell, as texts."""


@dataclass(frozen=True)
class Correction:
    """A correction of one kingdom (from 1) of a photo: a square and its cell, or else the whole board.

    `corners` are those of the board on which the square was named, in pixels of the photo; empty if none are known.
    `error` says why the photo could not be read then, and `players` are those that it had then, if the board was typed
    for one of them.
    """

    photo: str
    content: str
    kingdom: int
    square: str = ""
    cell: str = ""
    board: str = ""
    corners: tuple[tuple[float, float], ...] = ()
    error: str = ""
    players: tuple[str, ...] = ()

    @classmethod
    def parse(cls, data: Data) -> "Correction":
        """Return the correction in a line; raise TypeError or ValueError if the line is not a valid correction."""
        kingdom = data.get("kingdom", "")
        if not isinstance(kingdom, int) or kingdom < 1:
            raise NotationError(f"{kingdom!r} is not a kingdom's number", expected="a number from 1")
        texts = {name: data[name] for name in cls.__dataclass_fields__ if isinstance(data.get(name), str)}
        corners = tuple((float(x), float(y)) for x, y in data.get("corners", ()))
        players = tuple(map(str, data.get("players", ())))
        correction = cls(**{"photo": "", "content": "", **texts}, kingdom=kingdom, corners=corners, players=players)
        if correction.board:
            Board.parse(correction.board)
        else:
            Square.parse(correction.square)
            parse_cell(correction.cell)
        return correction

    @property
    def belongs_to_name(self) -> bool:
        """True if its photo could not be read: then it also counts for a later photo of that name."""
        return bool(self.error) or not self.content

    def attach(self, photo: "PhotoRecord", typed_numbers: Collection[int] = ()) -> "Correction":
        """Return the correction with what is known of photo and board; raise NotationError if it fits no kingdom.

        `typed_numbers` are the kingdoms of the photo whose boards are given together with this one.
        """
        count = len(photo.kingdoms)
        next_number = next(number for number in itertools.count(count + 1) if number not in typed_numbers)
        max_number = max(next_number, len(photo.seat.players)) if self.board else count
        if not 1 <= self.kingdom <= max_number:
            hint = advise_number(max_number) if max_number else "give its whole board instead"
            raise NotationError(f"{self.photo} shows no kingdom {self.kingdom}", hint=hint)
        correction = replace(self, content=photo.content, error=photo.reading.error or "")
        if photo.reading.error is not None and self.kingdom <= len(photo.seat.players):
            correction = replace(correction, players=photo.seat.players)
        if self.board:
            return correction
        kingdoms = photo.kingdoms if self.kingdom in photo.corrections.boards else photo.reading.kingdoms
        if self.kingdom > len(kingdoms):
            message = f"only the second reading of {self.photo} shows kingdom {self.kingdom}"
            raise NotationError(message, hint="give its whole board instead")
        data = kingdoms[self.kingdom - 1]
        board, square = Board.parse(data["board"]), Square.parse(self.square)
        if square.row >= board.height or square.col >= board.width:
            message = f"kingdom {self.kingdom} of {self.photo} has no square {self.square}"
            last_square = Square(board.height - 1, board.width - 1)
            hint = f"its squares are A1 to {last_square.name}; for others, give its whole board"
            raise NotationError(message, hint=hint)
        if data["corners"] and data["corners"][0] != photo.kingdoms[self.kingdom - 1]["corners"][0]:
            message = f"a correction added a first row or column to kingdom {self.kingdom} of {self.photo}"
            raise NotationError(f"{message}, so its squares have new names", hint="give its whole board instead")
        return replace(correction, corners=tuple(map(tuple, data["corners"] or ())))

    @property
    def player(self) -> str:
        """The player for whom the board was typed, "" if it was not typed for a player."""
        return "".join(self.players[self.kingdom - 1 : self.kingdom])

    def find_number(self, players: Sequence[str]) -> int:
        """Return the number of its kingdom now that the photo has these players; 0 if it is not one of theirs.

        A board that was typed for a player belongs to that player. A new player in the same place has a new name only.
        """
        keys, old_keys = [*map(make_name_key, players)], {*map(make_name_key, self.players)}
        if (key := make_name_key(self.player)) in keys:
            return keys.index(key) + 1
        return self.kingdom if old_keys.isdisjoint(keys[self.kingdom - 1 : self.kingdom]) else 0

    def is_outdated(self, kingdoms: Sequence[Data]) -> bool:
        """Return whether its square has another name now that the photo shows these kingdoms.

        It has if a corner of the board has moved by more than half a square. A grid may shift and keep its size.
        """
        if not self.corners:
            return False
        if self.kingdom > len(kingdoms):
            return True
        kingdom = kingdoms[self.kingdom - 1]
        square_pixels = dist(*kingdom["corners"][:2]) / len(kingdom["board"][0].split())
        return max(map(dist, self.corners, kingdom["corners"])) > square_pixels / 2

    def __str__(self) -> str:
        return f"{self.kingdom}={self.board}" if self.board else f"{self.kingdom}:{self.square}={self.cell}"


@dataclass(frozen=True)
class PhotoCorrections:
    """The corrections of one photo: squares that the reading must keep, and boards that replace it.

    `outdated_corrections` are those of squares that have other names by now, because the board was read elsewhere; and
    those of boards that were typed for somebody who is no player of the photo any more.
    """

    fixed_squares: StoredFixes = ()
    boards: Mapping[int, Board] = field(default_factory=dict)
    corrections: tuple[Correction, ...] = ()
    outdated_corrections: tuple[Correction, ...] = ()


class CorrectionFile:
    """The corrections in a result folder. Another process may add some at any time: `reload` reads these, too."""

    def __init__(self, out: Path) -> None:
        self.path, self.lock = out / CORRECTIONS, out / LOCK
        self.corrections: tuple[Correction, ...] = ()
        self.errors: tuple[str, ...] = ()
        self._version: tuple[int, int] | None = None
        self.reload()

    def reload(self) -> bool:
        """Read the file if it has changed; return whether it has."""
        version = get_file_version(self.path)
        if version == self._version:
            return False
        corrections, errors = list[Correction](), list[str]()
        lines, damaged_count = read_lines(self.path)
        errors += [f"{damaged_count} of its lines are not JSON"] * bool(damaged_count)
        for number, line in enumerate(lines, start=1):
            try:
                corrections.append(Correction.parse(line))
            except (TypeError, ValueError) as error:
                errors.append(f"entry {number}: {error}")
        self._version, self.corrections, self.errors = version, tuple(corrections), tuple(errors)
        return True

    def add(self, corrections: Sequence[Correction]) -> None:
        """Append corrections. Each is flushed to disk when this returns."""
        if corrections:
            with hold_lock(self.lock, wait=True):
                for correction in corrections:
                    append_line(self.path, {name: value for name, value in asdict(correction).items() if value})

    def find_for_photos(self, photos: Collection["PhotoRecord"]) -> dict[str, PhotoCorrections]:
        """Return the corrections of each photo, by its name. Photos with the same picture share theirs."""
        corrections: dict[str, list[Correction]] = defaultdict(list)
        for correction, names in self._match_photos(photos):
            for name in names:
                corrections[name].append(correction)
        return {photo.name: _combine_corrections(photo, corrections[photo.name]) for photo in photos}

    def find_unmatched(self, photos: Collection["PhotoRecord"]) -> list[Correction]:
        """Return the corrections that are about none of these photos."""
        return [correction for correction, names in self._match_photos(photos) if not names]

    def _match_photos(self, photos: Collection["PhotoRecord"]) -> Iterator[tuple[Correction, set[str]]]:
        """Yield each correction with the names of its photos, found by content, or by name if that is not known.

        Photos that cannot be read may be equal, as empty files are, and show different kingdoms. So a correction of one
        belongs to another name only if the file was clearly renamed: no photo has the old name, exactly one has the
        content, which is not empty, and no board was typed for that one before.
        """
        contents: dict[str, set[str]] = defaultdict(set)
        names_by_content: dict[str, set[str]] = defaultdict(set)
        for photo in photos:
            contents[photo.picture_hash] |= {photo.content} - {""}
        for photo in photos:
            for content in contents[photo.picture_hash]:
                names_by_content[content].add(photo.name)
        photo_of = {photo.name: photo for photo in photos}
        unread_contents = {photo.content for photo in photos if photo.reading.error is not None}
        last_boards = {(entry.photo, entry.kingdom): entry for entry in self.corrections if entry.board}
        typed_kingdoms = set[tuple[str, int]]()
        for correction in self.corrections:
            # Once the board of a photo that could be read was given, an earlier one counts for no later photo.
            last_board = last_boards.get((correction.photo, correction.kingdom), correction)
            names = names_by_content.get(correction.content, set())
            has_typed_board = any((name, correction.kingdom) in typed_kingdoms for name in names)
            was_renamed = correction.photo not in photo_of and len(names) == 1 and not has_typed_board
            if correction.content in unread_contents and (not was_renamed or correction.content == EMPTY_CONTENT):
                names = names & {correction.photo}
            belongs_to_name = correction.belongs_to_name and last_board.belongs_to_name
            if correction.photo in photo_of and (belongs_to_name or not photo_of[correction.photo].content):
                names = names | {correction.photo}
            if correction.board:
                typed_kingdoms.add((correction.photo, correction.kingdom))
            yield correction, names


def _combine_corrections(photo: "PhotoRecord", photo_corrections: Iterable[Correction]) -> PhotoCorrections:
    """Return the corrections of a photo. Of several of a square or board, the last one counts."""
    corrections: dict[tuple[int, str], Correction] = {}
    boards: dict[int, Board] = {}
    outdated_corrections: list[Correction] = []
    for correction in photo_corrections:
        number = correction.find_number(photo.seat.players)
        if not number:
            outdated_corrections.append(correction)
            continue
        correction = replace(correction, kingdom=number, players=())
        if correction.board:
            boards[correction.kingdom] = Board.parse(correction.board)
            corrections = {place: entry for place, entry in corrections.items() if place[0] != correction.kingdom}
        elif correction.kingdom in boards:
            cells = {Square.parse(correction.square): parse_cell(correction.cell)}
            boards[correction.kingdom] = boards[correction.kingdom].with_cells(cells)
        elif correction.is_outdated(photo.reading.kingdoms):
            outdated_corrections.append(correction)
            continue
        # A person has looked at this kingdom again.
        outdated_corrections = [
            entry for entry in outdated_corrections if entry.player or entry.kingdom != correction.kingdom
        ]
        corrections.pop((correction.kingdom, correction.square), None)  # so that the new one comes last
        corrections[correction.kingdom, correction.square] = correction
    squares = [(number, square, entry.cell) for (number, square), entry in corrections.items() if number not in boards]
    squares.sort()
    return PhotoCorrections(tuple(squares), boards, tuple(corrections.values()), tuple(outdated_corrections))


# Records


class PhotoReading(NamedTuple):
    """The result of reading a photo once, under the names that it has in the file.

    `key` is the result key of the job, "" for a failure that is not the photo's own. `picture` is the name of the
    picture with the score drawn in. `seen` are the packed observations, one for each kingdom. The other fields are
    those of `kdvision score --json`.
    """

    width: int | None = None
    height: int | None = None
    kingdoms: Sequence[Data] = ()
    standing: Data | None = None
    error: str | None = None
    hint: str | None = None
    key: str = ""
    picture: str | None = None
    seen: Sequence[Data | None] = ()

    @classmethod
    def parse(cls, line: Data) -> "PhotoReading":
        """Return the reading in a line, or in its field `again`."""
        return cls(**{name: line[name] for name in cls._fields if line.get(name) is not None})


@dataclass(frozen=True)
class PhotoRecord:
    """One photo: its name, the hash of its content ("" if its file cannot be read), and its reading.

    `second_reading` is that with the squares that people have fixed, if there is one. `gone` is true if the photo is no
    longer in the folder. `table_kingdoms` is the number of kingdoms at its table when it was last there, None if that
    is not known; `earlier_table_kingdoms` is that with an earlier photo of its name if it was larger. The other fields
    follow from the event file and the corrections: `rules` are those for this photo; `corrected_data` are the kingdoms
    and the standing after corrections, None if there are none.
    """

    name: str
    content: str
    reading: PhotoReading
    second_reading: PhotoReading | None = None
    gone: bool = False
    table_kingdoms: int | None = None
    earlier_table_kingdoms: int | None = None
    seat: Seat = field(default_factory=Seat)
    rules: Rules = field(default_factory=Rules)
    corrections: PhotoCorrections = field(default_factory=PhotoCorrections)
    corrected_data: Data | None = None

    def replace_content(self, content: str, reading: PhotoReading) -> "PhotoRecord":
        """Return the record of another photo of this name."""
        count = self.earlier_table_kingdoms
        if count is None and len(reading.kingdoms) < len(self.kingdoms):
            count = self.table_kingdoms
        return PhotoRecord(self.name, content, reading, earlier_table_kingdoms=count)

    @cached_property
    def picture_hash(self) -> str:
        """The hash of what the networks saw, which is the same in another file of the picture; else of the content."""
        seen = self.reading.seen
        return hashlib.sha256(json.dumps(seen).encode()).hexdigest() if seen else self.content

    @property
    def readings(self) -> list[PhotoReading]:
        """The one or two readings."""
        return [self.reading, self.second_reading] if self.second_reading else [self.reading]

    @property
    def kingdoms(self) -> Sequence[Data]:
        """The kingdoms that count, as JSON objects."""
        return self.corrected_data["kingdoms"] if self.corrected_data else self.reading.kingdoms

    @property
    def error(self) -> str | None:
        """Why there are no kingdoms; None if people have typed those of all players."""
        is_complete = len(self.kingdoms) >= max(1, len(self.seat.players))
        return None if is_complete else self.reading.error

    @property
    def last_reading(self) -> PhotoReading:
        """The last reading that counts and has not failed, which has the picture and the observations."""
        second = self.second_reading
        return second if self.corrected_data and second is not None and second.error is None else self.reading

    @property
    def picture(self) -> str | None:
        """The name of the picture with the score drawn in."""
        return self.last_reading.picture

    def format_json_line(self, same_as: str | None = None) -> dict[str, Any]:
        """Return the line of this photo: the object of `score`, then the fields that docs/events.md lists."""
        return {
            "photo": self.name,
            **self.reading._asdict(),
            "content": self.content,
            "round": self.seat.round,
            "table": self.seat.table,
            "players": self.seat.players,
            "same_as": same_as,
            "gone": self.gone,
            "table_kingdoms": self.table_kingdoms,
            "earlier_table_kingdoms": self.earlier_table_kingdoms,
            "corrections": [str(correction) for correction in self.corrections.corrections],
            "again": self.second_reading and self.second_reading._asdict(),
            "counted": self.corrected_data,
        }


def load_records(out: Path) -> tuple[dict[str, PhotoRecord], int]:
    """Return the records in a result folder, by photo, and the number of damaged lines."""
    lines, damaged_count = read_lines(out / RESULTS)
    records = {}
    for line in lines:
        if {"photo", "content"} <= line.keys():
            second_reading = PhotoReading.parse(line["again"]) if line.get("again") else None
            records[line["photo"]] = PhotoRecord(
                line["photo"],
                line["content"],
                PhotoReading.parse(line),
                second_reading,
                gone=bool(line.get("gone")),
                table_kingdoms=line.get("table_kingdoms"),
                earlier_table_kingdoms=line.get("earlier_table_kingdoms"),
                corrected_data=line.get("counted"),
            )
    return records, damaged_count
