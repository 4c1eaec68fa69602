"""Parses the arguments of commands: photos, text on stdin, outlines and corrections."""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, NamedTuple

from kdvision.errors import NotationError, PhotoError
from kdvision.game.board import Board, Cell, Square

if TYPE_CHECKING:
    from kdvision.batch.store.corrections import Correction
    from kdvision.batch.store.record import PhotoRecord
    from kdvision.vision.detect.outline import KingdomOutline
    from kdvision.vision.image.photo import Photo

FIX_PATTERN: Final = re.compile(r"(?:(?P<kingdom>[1-9][0-9]?):)?(?P<square>[^:=]+)=(?P<cell>.+)")
FIX_FORMAT: Final = "KINGDOM:SQUARE=CELL, as in 1:C3=w1"
PHOTO_FIX_PATTERN: Final = re.compile(r"(?P<photo>.+?):(?P<fix>(?:\d+:)?[A-Za-z]\d{1,2}=\S+)")
PHOTO_FIX_FORMAT: Final = f"PHOTO:{FIX_FORMAT.replace('1:C3=w1', 'ann.jpg:1:C3=w1')}"
BOARD_PATTERN: Final = re.compile(r"(?P<photo>.+?):(?P<kingdom>\d{1,2})=(?P<board>.+)", re.DOTALL)
BOARD_FORMAT: Final = "PHOTO:KINGDOM=BOARD, as in ann.jpg:1=w w1 / l #"

MAX_STDIN_BYTES: Final = 1_000_000
"""Text on stdin is cut off here; no board or game is as long."""


def parse_outlines(texts: Iterable[str]) -> "list[KingdomOutline]":
    """The outlines of `--corners`; raises NotationError."""
    if not (given := list(texts)):
        return []
    from kdvision.vision.detect.outline import KingdomOutline

    return [KingdomOutline.parse(text) for text in given]


def load_networks() -> None:
    """Load the networks, so that a missing or damaged file is reported before a photo is opened; raises ModelError."""
    from kdvision.vision.find import Networks

    Networks.load()


def open_photo(photo: str) -> "Photo":
    """The photo at a path, or on stdin for "-"; raises PhotoError."""
    from kdvision.vision.image.photo import Photo

    if photo != "-":
        return Photo.open(photo)
    if sys.stdin is None or sys.stdin.isatty():
        raise PhotoError("there is no photo on stdin", hint="pipe one in: kdvision score - < photo.jpg")
    return Photo.open(sys.stdin.buffer, name="the photo on stdin")


def read_stdin_text() -> str:
    """All of stdin, decoded as UTF-8 whatever the terminal's encoding is; raises NotationError."""
    if sys.stdin is None:
        raise NotationError("there is no text on stdin", hint="pipe one in")
    try:
        return sys.stdin.buffer.read(MAX_STDIN_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotationError("the text on stdin is not UTF-8", hint="convert it to UTF-8") from error


class Fix(NamedTuple):
    """A correction of one square: the kingdom (from 0), the square, and its content in notation ("." for no tile)."""

    kingdom: int
    square: Square
    cell: str


def parse_fixes(texts: Iterable[str]) -> list[Fix]:
    """The corrections of `--fix`; without a number the first kingdom is meant. Raises NotationError."""
    fixes = []
    for text in texts:
        match = FIX_PATTERN.fullmatch(text.strip())
        if match is None:
            raise NotationError(f"{text!r} is not a correction", expected=FIX_FORMAT, hint=f"write {FIX_FORMAT}")
        word = match["cell"].strip()
        if word == "?":
            hint = "name the content of the square, or leave it out"
            raise NotationError(f"{text!r} does not say what is on the square", expected=FIX_FORMAT, hint=hint)
        cell = "." if word == "." else str(Cell.parse(word))
        fixes.append(Fix(int(match["kingdom"] or 1) - 1, Square.parse(match["square"]), cell))
    return fixes


def parse_board(text: str) -> Board:
    """The board of a notation, or on stdin for "-"; raises NotationError."""
    return Board.parse(read_stdin_text() if text == "-" else text)


def correct_boards(boards: Sequence[Board], fixes: Iterable[Fix]) -> list[Board]:
    """The typed boards with their corrections; raises NotationError for a kingdom or square that is not there."""
    from kdvision.report.build import correct_board

    corrected = list(boards)
    for number, square, cell in fixes:
        if number >= len(corrected):
            raise NotationError(f"there is no kingdom {number + 1}", hint=f"give a number from 1 to {len(corrected)}")
        corrected[number] = correct_board(corrected[number], square, cell)
    return corrected


def parse_photo_fix(text: str) -> "Correction":
    """The correction of `--fix PHOTO:K:SQUARE=CELL`; raises NotationError."""
    match = PHOTO_FIX_PATTERN.fullmatch(text.strip())
    if match is None:
        raise NotationError(
            f"{text!r} is not a correction", expected=PHOTO_FIX_FORMAT, hint=f"write {PHOTO_FIX_FORMAT}"
        )
    number, square, cell = parse_fixes([match["fix"]])[0]
    return make_correction(match["photo"], number + 1, square.name, cell)


def parse_photo_board(text: str) -> "Correction":
    """The correction of `--board PHOTO:K=BOARD`; raises NotationError."""
    match = BOARD_PATTERN.fullmatch(text.strip())
    if match is None:
        raise NotationError(
            f"{text!r} is not the board of a photo", expected=BOARD_FORMAT, hint=f"write {BOARD_FORMAT}"
        )
    return make_correction(match["photo"], int(match["kingdom"]), board=match["board"])


def make_correction(photo: str, kingdom: int, square: str = "", cell: str = "", *, board: str = "") -> "Correction":
    """A correction of a square or of a whole board; raises NotationError for a board that is none."""
    from kdvision.batch.store.corrections import Correction

    text = str(Board.parse(board)) if board else ""
    return Correction(photo=photo, content="", kingdom=kingdom, square=square, cell=cell, board=text)


def check_correction(correction: "Correction", records: "Mapping[str, PhotoRecord]") -> "Correction":
    """The correction with its photo's content hash; raises NotationError if it fits no kingdom of the results."""
    record = records.get(correction.photo)
    if record is None:
        close = get_close_matches(correction.photo, records, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]}?" if close else "use a name from results.csv"
        raise NotationError(f"there is no photo {correction.photo} in the results", hint=hint)
    correction.check(record.reading.kingdoms)
    return replace(correction, content=record.content)
