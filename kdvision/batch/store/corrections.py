"""Corrections that people make, stored apart from what was read.

`corrections.jsonl` holds one object a line, in the order in which they were made: a square of a kingdom, or its whole
board. A correction belongs to the photo's content. It stays with a photo that is renamed, and does not apply to another
photo of the same name.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from kdvision.batch.rules import Rules, towns_problem
from kdvision.batch.store.folder import CORRECTIONS, Data, append_line, hold_lock, read_lines
from kdvision.errors import NotationError
from kdvision.game.board import Board, Cell, Square, parse_cell
from kdvision.report.build import build_board_result
from kdvision.report.to_dict import result_to_dict

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
        count = len(kingdoms)
        allowed = count + 1 if self.board else count
        if not 1 <= self.kingdom <= allowed:
            hint = f"give a number from 1 to {allowed}" if allowed else "give its whole board instead"
            raise NotationError(f"{self.photo} shows no kingdom {self.kingdom}", hint=hint)
        if not self.board:
            board, square = Board.parse(kingdoms[self.kingdom - 1]["board"]), Square.parse(self.square)
            if square.row >= board.height or square.col >= board.width:
                what = f"kingdom {self.kingdom} of {self.photo} has no square {self.square}"
                raise NotationError(
                    what, hint=f"its squares are A1 to {Square(board.height - 1, board.width - 1).name}"
                )

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

    @property
    def kingdoms(self) -> frozenset[int]:
        """The numbers of the corrected kingdoms."""
        return frozenset(one.kingdom for one in self.corrections)


NO_CORRECTIONS: Final = PhotoCorrections()


def combine_corrections(corrections: Iterable[Correction]) -> PhotoCorrections:
    """The corrections of one photo combined: the last one for a square or board counts."""
    fixed: dict[tuple[int, str], str] = {}
    boards: dict[int, Board] = {}
    kept: list[Correction] = []
    for one in corrections:
        if one.board:
            boards[one.kingdom] = Board.parse(one.board)
            fixed = {place: cell for place, cell in fixed.items() if place[0] != one.kingdom}
            kept = [other for other in kept if other.kingdom != one.kingdom]
        elif one.kingdom in boards:
            cells = {Square.parse(one.square): parse_cell(one.cell)}
            boards[one.kingdom] = boards[one.kingdom].with_cells(cells)
        else:
            fixed[one.kingdom, one.square] = one.cell
            kept = [other for other in kept if (other.kingdom, other.square) != (one.kingdom, one.square)]
        kept.append(one)
    fixed_squares = tuple(sorted((kingdom, square, cell) for (kingdom, square), cell in fixed.items()))
    return PhotoCorrections(fixed_squares, boards, tuple(kept))


class CorrectionFile:
    """The corrections in a result folder. Another process may add some at any time: `reload` reads them."""

    def __init__(self, out: Path) -> None:
        self.out, self.path = out, out / CORRECTIONS
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
            with hold_lock(self.out / LOCK, timeout_seconds=LOCK_TIMEOUT_SECONDS):
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
            with hold_lock(self.out / LOCK, timeout_seconds=LOCK_TIMEOUT_SECONDS):
                for one in corrections:
                    append_line(self.path, one.line())

    def of_photo(self, photo: str, content: str) -> PhotoCorrections:
        """The corrections of a photo, found by its content, or by its name if the content is not known."""
        return combine_corrections(one for one in self.corrections if _applies(one, photo, content))

    def without_photo(self, contents: Iterable[str]) -> list[Correction]:
        """The corrections of photos that are not among these contents."""
        known = set(contents)
        return [one for one in self.corrections if one.content and one.content not in known]


def file_version(path: Path) -> tuple[int, int] | None:
    """Size and modification time of a file, which change with it; None if the file cannot be accessed."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


def _applies(correction: Correction, photo: str, content: str) -> bool:
    if correction.content and content:
        return correction.content == content
    return correction.photo == photo


def apply_boards(kingdoms: Sequence[Data], boards: Mapping[int, Board], rules: Rules) -> dict[str, Any]:
    """The kingdoms of a photo with these boards by number, and their standing."""
    changed = list(kingdoms)
    for number, board in sorted(boards.items()):
        if number <= len(changed):
            changed[number - 1] = _replace_board(changed[number - 1], number, board, rules)
        else:
            changed.append(kingdom_of_board(board, number, rules))
    kingdoms_now = [
        rules.kingdom(Board.parse(kingdom["board"]), number) for number, kingdom in enumerate(changed, start=1)
    ]
    result = build_board_result(kingdoms_now, rules.rule_set(kingdom.board for kingdom in kingdoms_now))
    return {"kingdoms": changed, "standing": result_to_dict(result)["standing"]}


def change_squares(kingdoms: Sequence[Data], fixed_squares: FixedSquares) -> dict[int, Board]:
    """The boards on which squares are fixed, with these squares, by the numbers of their kingdoms."""
    boards: dict[int, Board] = {}
    for number, square, cell in fixed_squares:
        if number <= len(kingdoms):
            board = boards.setdefault(number, Board.parse(kingdoms[number - 1]["board"]))
            boards[number] = board.with_cells({Square.parse(square): parse_cell(cell)})
    return boards


def kingdom_of_board(board: Board, number: int, rules: Rules) -> Data:
    """The JSON object of a photo's kingdom with this number, from 1, whose board was typed."""
    result = build_board_result([rules.kingdom(board, number)], rules.rule_set([board]))
    problem = towns_problem(board)
    if problem is not None:  # the only one worth reporting: no domino of Kingdomino has towns
        result = replace(result, kingdoms=tuple(replace(one, problems=(problem,)) for one in result.kingdoms))
    kingdoms: list[Data] = result_to_dict(result)["kingdoms"]
    return kingdoms[0]


def _replace_board(kingdom: Data, number: int, board: Board, rules: Rules) -> Data:
    """The kingdom with another board, at the same place of the photo."""
    return {**kingdom_of_board(board, number, rules), "corners": kingdom["corners"], "place": kingdom["place"]}
