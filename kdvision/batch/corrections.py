"""What people said about photos, kept apart from what was read in them.

`corrections.jsonl` holds one object a line, in the order in which they were said: a square of a kingdom, or the whole
board of one. They belong to the photo's content, so they stay with a photo that is renamed, and do not stick to another
photo that takes its name.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from kdvision.batch.job import FixedSquares
from kdvision.batch.journal import Journal
from kdvision.batch.lock import locked
from kdvision.errors import NotationError
from kdvision.game.board import Board, Cell, Square, parse_cell

FILE: Final = "corrections.jsonl"
LOCK: Final = ".corrections.lock"
MOST_KINGDOMS: Final = 20


@dataclass(frozen=True)
class Correction:
    """A word of a person on a kingdom (from 1) of a photo: what a square shows, or else its whole board."""

    photo: str
    content: str
    kingdom: int
    square: str = ""
    cell: str = ""
    board: str = ""

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Correction":
        """The correction of a line; raises NotationError for what is none."""
        known = {name: data.get(name, "") for name in cls.__dataclass_fields__}
        kingdom = known.pop("kingdom")
        if not isinstance(kingdom, int) or not 1 <= kingdom <= MOST_KINGDOMS:
            raise NotationError(f"{kingdom!r} is no number of a kingdom", expected="a number from 1")
        texts = {name: value if isinstance(value, str) else "" for name, value in known.items()}
        made = cls(kingdom=kingdom, **texts)
        if made.board:
            Board.parse(made.board)
        else:
            Square.parse(made.square)
            if made.cell != ".":
                Cell.parse(made.cell)
        return made

    def data(self) -> dict[str, Any]:
        """The correction as it is written: what it does not say is left out."""
        return {name: value for name, value in asdict(self).items() if value != ""}

    def __str__(self) -> str:
        return f"{self.kingdom}={self.board}" if self.board else f"{self.kingdom}:{self.square}={self.cell}"


@dataclass(frozen=True)
class Fixes:
    """All that people said about one photo: squares that the reading has to keep to, and boards that replace it."""

    fixed_squares: FixedSquares = ()
    boards: Mapping[int, Board] = field(default_factory=dict)
    said: tuple[Correction, ...] = ()

    @property
    def named(self) -> frozenset[int]:
        """The numbers of the kingdoms of which something was said."""
        return frozenset(one.kingdom for one in self.said)


NOTHING: Final = Fixes()


def fixes_of(said: Iterable[Correction]) -> Fixes:
    """What the corrections of one photo, in their order, come to: the last word on a square or board counts."""
    fixed_squares: dict[tuple[int, str], str] = {}
    boards: dict[int, Board] = {}
    kept: list[Correction] = []
    for one in said:
        if one.board:
            boards[one.kingdom] = Board.parse(one.board)
            fixed_squares = {place: cell for place, cell in fixed_squares.items() if place[0] != one.kingdom}
            kept = [other for other in kept if other.kingdom != one.kingdom]
        elif one.kingdom in boards:
            square = Square.parse(one.square)
            boards[one.kingdom] = boards[one.kingdom].replaced({square: parse_cell(one.cell)})
        else:
            fixed_squares[one.kingdom, one.square] = one.cell
            kept = [other for other in kept if (other.kingdom, other.square) != (one.kingdom, one.square)]
        kept.append(one)
    ordered = tuple(sorted((kingdom, square, cell) for (kingdom, square), cell in fixed_squares.items()))
    return Fixes(ordered, boards, tuple(kept))


class Book:
    """The corrections in a folder, as they are now. Another process may add to them at any time."""

    def __init__(self, out: Path) -> None:
        self.out, self.path = out, out / FILE
        self.stamp: tuple[int, int] | None = None
        self.said: tuple[Correction, ...] = ()
        self.unclear: tuple[str, ...] = ()

    def refreshed(self) -> bool:
        """Read them anew if the file has changed; True if it has."""
        stamp = _stamp(self.path)
        if stamp == self.stamp:
            return False
        if stamp is None:
            self.stamp, self.said, self.unclear = None, (), ()
            return True
        with locked(self.out / LOCK, patient=True):
            journal = Journal(self.path)
            lines = journal.lines
            journal.close()
        said, unclear = [], [f"{journal.damaged} of its lines are no JSON"] * bool(journal.damaged)
        for number, line in enumerate(lines, start=1):
            try:
                said.append(Correction.of(line))
            except NotationError as error:
                unclear.append(f"entry {number}: {error}")
        self.stamp, self.said, self.unclear = stamp, tuple(said), tuple(unclear)
        return True

    def add(self, corrections: Sequence[Correction]) -> None:
        """Write corrections behind the others; each is on disk when this returns."""
        if not corrections:
            return
        with locked(self.out / LOCK, patient=True):
            journal = Journal(self.path)
            try:
                for one in corrections:
                    journal.append(one.data())
            finally:
                journal.close()

    def of(self, photo: str, content: str | None) -> Fixes:
        """What was said about a photo; one whose file cannot be read is known by its name alone."""
        said = [one for one in self.said if (one.content == content if one.content and content else one.photo == photo)]
        return fixes_of(said) if said else NOTHING

    def strangers(self, contents: Iterable[str]) -> list[Correction]:
        """The corrections of photos that are not among these."""
        known = set(contents)
        return [one for one in self.said if one.content and one.content not in known]


def _stamp(path: Path) -> tuple[int, int] | None:
    """What changes with a file; None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


def check(kingdoms: Sequence[Mapping[str, Any]], one: Correction) -> None:
    """Raise NotationError where a correction does not fit the kingdoms read in its photo."""
    if one.kingdom < 1:
        raise NotationError(f"{one.photo} shows no kingdom {one.kingdom}", hint="kingdoms are numbered from 1")
    if one.board:
        if one.kingdom > len(kingdoms) + 1:
            hint = f"give a number from 1 to {len(kingdoms) + 1}"
            raise NotationError(f"{one.photo} shows {len(kingdoms)} kingdoms, not {one.kingdom}", hint=hint)
        return
    if one.kingdom > len(kingdoms):
        hint = f"kingdoms are numbered from 1 to {len(kingdoms)}" if kingdoms else "give its whole board instead"
        raise NotationError(f"{one.photo} shows no kingdom {one.kingdom}", hint=hint)
    board, square = Board.parse(kingdoms[one.kingdom - 1]["board"]), Square.parse(one.square)
    if square.row >= board.height or square.col >= board.width:
        hint = f"its squares are A1 to {Square(board.height - 1, board.width - 1).name}"
        raise NotationError(f"kingdom {one.kingdom} of {one.photo} has no square {one.square}", hint=hint)
