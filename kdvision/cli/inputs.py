"""Parses the arguments of commands: photos, text on stdin, corrections, outlines and players."""

import re
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, NamedTuple

from kdvision.errors import NotationError, PhotoError

if TYPE_CHECKING:
    from kdvision.game.board import Square
    from kdvision.game.players import Players
    from kdvision.vision.detect.outline import KingdomOutline
    from kdvision.vision.image.photo import Photo

FIX_PATTERN: Final = re.compile(r"(?:(?P<kingdom>[1-9][0-9]?):)?(?P<square>[^:=]+)=(?P<cell>.+)")
FIX_FORMAT: Final = "KINGDOM:SQUARE=CELL, as in 1:C3=w1"

MAX_STDIN_BYTES: Final = 1_000_000
"""Text on stdin is cut off here; no board or game is as long."""


class Fix(NamedTuple):
    """A correction of one square: the kingdom (from 0), the square, and its content in notation ("." for no tile)."""

    kingdom: int
    square: "Square"
    cell: str


def parse_fixes(texts: Iterable[str]) -> list[Fix]:
    """The corrections of `--fix`; without a number the first kingdom is meant. Raises NotationError."""
    from kdvision.game.board import Cell, Square

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


def parse_outlines(texts: Iterable[str]) -> "list[KingdomOutline]":
    """The outlines of `--corners`; raises NotationError."""
    if not (given := list(texts)):
        return []
    from kdvision.vision.detect.outline import KingdomOutline

    return [KingdomOutline.parse(text) for text in given]


def parse_players(text: str | None) -> "Players":
    """The players of `--players`; raises NotationError."""
    from kdvision.game.players import NO_PLAYERS, Players

    return NO_PLAYERS if text is None else Players.parse(text)


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
