"""Parses the arguments of commands: photos, text on stdin, boards and corrections."""

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from kdvision.cli.output import make_usage_error
from kdvision.errors import NotationError, PhotoError
from kdvision.game.board import Board, Cell, Square, parse_cell
from kdvision.text import advise_number

if TYPE_CHECKING:
    from kdvision.vision.image.photo import Photo

FIX_FORMAT: Final = "KINGDOM:SQUARE=CELL, as in 1:C3=w1"

MAX_STDIN_BYTES: Final = 1_000_000
"""How much of stdin is read; no board or game is that long."""


def load_networks() -> None:
    """Load the networks, so that a missing or damaged file is reported before a photo is opened; raise ModelError."""
    from kdvision.vision.find import Networks

    Networks.load()


def parse_path(text: str) -> Path:
    """Return a path. Raises a usage error for an empty text, which would mean the current folder."""
    if not text:
        raise typer.BadParameter("the name is empty")
    return Path(text)


def check_stdin_once(arguments: Sequence[str], name: str) -> None:
    """Raise a usage error if stdin, "-", is among the arguments twice: the first one takes all that it holds."""
    if arguments.count("-") > 1:
        raise make_usage_error("- stands there twice, and stdin holds only one: name the others as arguments", name)


def open_photo(photo: str) -> "Photo":
    """Return the photo at a path, or on stdin for "-", after loading the networks; raise ModelError or PhotoError."""
    from kdvision.vision.image.photo import Photo

    load_networks()
    if not photo:
        raise PhotoError("the name of the photo is empty", hint="name a file")
    if photo != "-":
        return Photo.open(photo)
    if sys.stdin is None or sys.stdin.isatty():
        raise PhotoError("there is no photo on stdin", hint="pipe one in: kdvision score - < photo.jpg")
    return Photo.open(sys.stdin.buffer, name="the photo on stdin")


def read_stdin_text() -> str:
    """Return all of stdin, decoded as UTF-8 whatever the terminal's encoding is; raise NotationError."""
    if sys.stdin is None:
        raise NotationError("there is no text on stdin", hint="pipe one in")
    try:
        return sys.stdin.buffer.read(MAX_STDIN_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotationError("the text on stdin is not UTF-8", hint="convert it to UTF-8") from error


def match_text(pattern: str, text: str, description: str, form: str) -> re.Match[str]:
    """Return the match of a text with a pattern; raise NotationError with the `description` and `form` of a match."""
    match = re.fullmatch(pattern, text.strip(), re.DOTALL | re.ASCII)
    if match is None:
        raise NotationError(f"{text!r} is not {description}", expected=form, hint=f"write {form}")
    return match


def parse_numbered(pattern: str, text: str, description: str, form: str) -> tuple[int, re.Match[str]]:
    """Return the kingdom (from 0) of a text such as 1:C3=w1, and the match of `pattern` with the rest.

    Without a number, the first kingdom is meant. The groups of the pattern have numbers from 2. Raises NotationError.
    """
    match = match_text(rf"(?:([1-9][0-9]?)\s*:)?{pattern}", text, description, form)
    return int(match[1] or 1) - 1, match


def parse_fix(text: str) -> tuple[int, Square, str]:
    """Return the kingdom (from 0), the square and its content in notation ("." for no tile); raise NotationError."""
    number, match = parse_numbered("([^:=]+)=(.+)", text, "a correction", FIX_FORMAT)
    word = match[3].strip()
    if word == "?":
        hint = "name what lies on the square, as in C3=w1"
        raise NotationError(f"{text!r} corrects nothing, because ? is an unknown square", hint=hint)
    return number, Square.parse(match[2]), "." if word == "." else str(Cell.parse(word))


def parse_fixes(texts: Sequence[str] | None) -> dict[tuple[int, Square], str]:
    """Return the corrections of `--fix` by kingdom (from 0) and square; raise NotationError."""
    fixes: dict[tuple[int, Square], str] = {}
    for number, square, cell in map(parse_fix, texts or ()):
        if fixes.setdefault((number, square), cell) != cell:
            hint = "leave one of them out"
            raise NotationError(f"{square.name} of kingdom {number + 1} is corrected twice", expected=hint, hint=hint)
    return fixes


def parse_board(text: str) -> Board:
    """Return the board of a notation, or on stdin for "-"; raise NotationError."""
    return Board.parse(read_stdin_text() if text == "-" else text)


def correct_boards(boards: Sequence[Board], fixes: Mapping[tuple[int, Square], str]) -> list[Board]:
    """Return the typed boards with their corrections; raise NotationError for a missing kingdom or square."""
    new_boards = list(boards)
    for (number, square), word in fixes.items():
        check_kingdom(number, len(new_boards))
        board = new_boards[number]
        if square.row >= board.height or square.col >= board.width:
            hint = f"its squares are A1 to {Square(board.height - 1, board.width - 1).name}"
            raise NotationError(f"the board has no square {square.name}", expected=hint, hint=hint)
        new_boards[number] = board.with_cells({square: parse_cell(word)})
    return new_boards


def check_kingdom(number: int, count: int) -> None:
    """Raise NotationError if there is no kingdom with this number, from 0."""
    if number >= count:
        raise NotationError(f"there is no kingdom {number + 1}", hint=advise_number(count))
