"""Corrections that people make, stored apart from what was read.

`corrections.jsonl` holds one object a line, in the order in which they were made: a square of a kingdom, or its whole
board. A correction belongs to the photo's content. It stays with a photo that is renamed, and does not apply to another
photo of the same name.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from kdvision.batch.store.folder import CORRECTIONS, Data, append_line, file_version, hold_lock, read_lines
from kdvision.errors import NotationError
from kdvision.game.board import Board, Cell, Square, parse_cell

LOCK_TIMEOUT_SECONDS: Final = 10.0
"""How long to wait for a lock that other processes hold only for moments."""

LOCK: Final = ".corrections.lock"
MAX_KINGDOMS: Final = 20

FixedSquares: TypeAlias = tuple[tuple[int, str, str], ...]
"""Squares that a person has fixed: the kingdom, from 1, the square and its cell, as texts."""


@dataclass(frozen=True)
class Correction:
    """A correction of one kingdom (from 1) of a photo: a square and its cell, or else the whole board."""

    photo: str
    content: str
    kingdom: int
    square: str = ""
    cell: str = ""
    board: str = ""

    @classmethod
    def parse(cls, data: Data) -> "Correction":
        """The correction in a line; raises NotationError if the line is not a valid correction."""
        values = {name: data.get(name, "") for name in cls.__dataclass_fields__}
        kingdom = values.pop("kingdom")
        if not isinstance(kingdom, int) or not 1 <= kingdom <= MAX_KINGDOMS:
            raise NotationError(f"{kingdom!r} is not a kingdom's number", expected="a number from 1")
        texts = {name: value if isinstance(value, str) else "" for name, value in values.items()}
        correction = cls(kingdom=kingdom, **texts)
        if correction.board:
            Board.parse(correction.board)
        else:
            Square.parse(correction.square)
            if correction.cell != ".":
                Cell.parse(correction.cell)
        return correction

    def check(self, kingdoms: Sequence[Data]) -> None:
        """Raise NotationError if the correction does not fit the kingdoms read in its photo."""
        allowed = len(kingdoms) + bool(self.board)
        if not 1 <= self.kingdom <= allowed:
            hint = f"give a number from 1 to {allowed}" if allowed else "give its whole board instead"
            raise NotationError(f"{self.photo} shows no kingdom {self.kingdom}", hint=hint)
        if not self.board:
            board, square = Board.parse(kingdoms[self.kingdom - 1]["board"]), Square.parse(self.square)
            if square.row >= board.height or square.col >= board.width:
                what = f"kingdom {self.kingdom} of {self.photo} has no square {self.square}"
                hint = f"its squares are A1 to {Square(board.height - 1, board.width - 1).name}"
                raise NotationError(what, hint=hint)

    def line(self) -> dict[str, Any]:
        """The correction as a line of the file, without empty values."""
        return {name: value for name, value in asdict(self).items() if value != ""}

    def __str__(self) -> str:
        return f"{self.kingdom}={self.board}" if self.board else f"{self.kingdom}:{self.square}={self.cell}"


@dataclass(frozen=True)
class PhotoCorrections:
    """The corrections of one photo: squares that the reading must keep, and boards that replace it."""

    fixed_squares: FixedSquares = ()
    boards: Mapping[int, Board] = field(default_factory=dict)
    corrections: tuple[Correction, ...] = ()


def combine_corrections(corrections: Iterable[Correction]) -> PhotoCorrections:
    """The corrections of one photo combined: the last one for a square or board counts."""
    kept: dict[tuple[int, str], Correction] = {}
    boards: dict[int, Board] = {}
    for one in corrections:
        if one.board:
            boards[one.kingdom] = Board.parse(one.board)
            kept = {place: other for place, other in kept.items() if place[0] != one.kingdom}
        elif one.kingdom in boards:
            boards[one.kingdom] = boards[one.kingdom].with_cells({Square.parse(one.square): parse_cell(one.cell)})
        kept.pop((one.kingdom, one.square), None)  # so that the new one comes last
        kept[one.kingdom, one.square] = one
    fixed = sorted((one.kingdom, one.square, one.cell) for one in kept.values() if one.kingdom not in boards)
    return PhotoCorrections(tuple(fixed), boards, tuple(kept.values()))


class CorrectionFile:
    """The corrections in a result folder. Another process may add some at any time: `reload` reads them."""

    def __init__(self, out: Path) -> None:
        self.path, self.lock = out / CORRECTIONS, out / LOCK
        self.corrections: tuple[Correction, ...] = ()
        self.errors: tuple[str, ...] = ()
        self._version: tuple[int, int] | None = None

    def reload(self) -> bool:
        """Read the file if it has changed; True if it has."""
        version = file_version(self.path)
        if version == self._version:
            return False
        corrections, errors = list[Correction](), list[str]()
        if version is not None:
            with hold_lock(self.lock, timeout_seconds=LOCK_TIMEOUT_SECONDS):
                lines, damaged = read_lines(self.path)
            errors += [f"{damaged} of its lines are not JSON"] * bool(damaged)
            for number, line in enumerate(lines, start=1):
                try:
                    corrections.append(Correction.parse(line))
                except NotationError as error:
                    errors.append(f"entry {number}: {error}")
        self._version, self.corrections, self.errors = version, tuple(corrections), tuple(errors)
        return True

    def add(self, corrections: Sequence[Correction]) -> None:
        """Append corrections. Each is flushed to disk when this returns."""
        if corrections:
            with hold_lock(self.lock, timeout_seconds=LOCK_TIMEOUT_SECONDS):
                for one in corrections:
                    append_line(self.path, one.line())

    def of_photo(self, photo: str, content: str) -> PhotoCorrections:
        """The corrections of a photo, found by its content, or by its name if the content is not known."""
        return combine_corrections(
            one
            for one in self.corrections
            if (one.content == content if one.content and content else one.photo == photo)
        )
