"""Parses and checks the corrections of `kdvision review`."""

import re
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from kdvision.cli.inputs import FIX_FORMAT, parse_fixes
from kdvision.errors import NotationError

if TYPE_CHECKING:
    from kdvision.batch.corrections import Correction
    from kdvision.batch.journal import Data
    from kdvision.batch.record import PhotoRecord

FIX_PATTERN: Final = re.compile(r"(?P<photo>.+?):(?P<fix>(?:\d+:)?[A-Za-z]\d{1,2}=\S+)")
FORMAT: Final = f"PHOTO:{FIX_FORMAT.replace('1:C3=w1', 'ann.jpg:1:C3=w1')}"
BOARD_PATTERN: Final = re.compile(r"(?P<photo>.+?):(?P<kingdom>\d{1,2})=(?P<board>.+)", re.DOTALL)
BOARD_FORMAT: Final = "PHOTO:KINGDOM=BOARD, as in ann.jpg:1=w w1 / l #"


def parse_fix(text: str) -> "Correction":
    """The correction of `--fix PHOTO:K:SQUARE=CELL`; raises NotationError."""
    match = FIX_PATTERN.fullmatch(text.strip())
    if match is None:
        raise NotationError(f"{text!r} is not a correction", expected=FORMAT, hint=f"write {FORMAT}")
    number, square, cell = parse_fixes([match["fix"]])[0]
    return make_correction(match["photo"], number + 1, square.name, cell)


def parse_board(text: str) -> "Correction":
    """The correction of `--board PHOTO:K=BOARD`; raises NotationError."""
    match = BOARD_PATTERN.fullmatch(text.strip())
    if match is None:
        raise NotationError(
            f"{text!r} is not the board of a photo", expected=BOARD_FORMAT, hint=f"write {BOARD_FORMAT}"
        )
    return make_correction(match["photo"], int(match["kingdom"]), board=match["board"])


def make_correction(photo: str, kingdom: int, square: str = "", cell: str = "", *, board: str = "") -> "Correction":
    """A correction of a square or of a whole board; raises NotationError for a board that is none."""
    from kdvision.batch.corrections import Correction
    from kdvision.game.board import Board

    text = str(Board.parse(board)) if board else ""
    return Correction(photo=photo, content="", kingdom=kingdom, square=square, cell=cell, board=text)


def check_correction(correction: "Correction", records: "Mapping[str, PhotoRecord]") -> "Correction":
    """The correction with its photo's content hash; raises NotationError if it fits no kingdom of the results."""
    record = records.get(correction.photo)
    if record is None:
        close = get_close_matches(correction.photo, records, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]}?" if close else "use a name from results.csv"
        raise NotationError(f"there is no photo {correction.photo} in the results", hint=hint)
    kingdoms: list[Data] = list(record.reading.data["kingdoms"])
    correction.check(kingdoms)
    return replace(correction, content=record.content)
