"""Other programs beside this one, on the same boards: docs/peers.md tells how to have them read these.

    kdvision evaluate DIR --csv ours.csv
    python -m kdvision.lab.experiments.peers ours.csv theirs.csv

A program's table has the columns `photo` and `board` (in our notation), a line for each kingdom it read; a photo
without an answer has a line with no board. All programs are judged on the photos that each of the tables names, by the
same matching: kingdoms by what agrees best, in any of the four turns.
"""

import argparse
import csv
import io
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from kdvision.errors import KdvisionError, NotationError
from kdvision.evaluate.match import Kingdom, matched
from kdvision.evaluate.summary import aligned, rows_of
from kdvision.game.board import Board
from kdvision.game.scoring import score

COLUMNS: Final = ("photo", "board")
BETWEEN: Final = " | "
"""What stands between the kingdoms of a photo in an evaluation."""

Answers = Mapping[str, Sequence[Board]]


@dataclass(frozen=True)
class Line:
    """What one program made of the photos: of so many boards and squares how many are right, and how many scores."""

    name: str
    boards: int = 0
    squares: int = 0
    squares_right: int = 0
    boards_right: int = 0
    points_right: int = 0

    def cells(self) -> tuple[str, ...]:
        """The line for a table."""
        return (
            self.name,
            str(self.boards),
            f"{100 * self.squares_right / max(self.squares, 1):.1f} %",
            f"{100 * self.boards_right / max(self.boards, 1):.1f} %",
            f"{100 * self.points_right / max(self.boards, 1):.1f} %",
        )


HEAD: Final = ("program", "boards", "squares right", "boards all right", "score exact")


def judged(name: str, truths: Answers, answers: Answers) -> Line:
    """The line of a program over the photos of the truth; those it says nothing of count as not read."""
    line = Line(name)
    for photo, boards in truths.items():
        kingdoms = [Kingdom(board, board, np.zeros(2)) for board in answers.get(photo, ())]
        pairs = matched(boards, [None] * len(boards), kingdoms)
        points = [
            pair is not None and score(kingdoms[pair.read].board).total == score(board).total
            for board, pair in zip(boards, pairs, strict=True)
        ]
        line = Line(
            name,
            line.boards + len(boards),
            line.squares + sum(map(len, boards)),
            line.squares_right + sum(pair.after for pair in pairs if pair),
            line.boards_right + sum(pair.exact for pair in pairs if pair),
            line.points_right + sum(points),
        )
    return line


def ours(text: str) -> tuple[dict[str, list[Board]], dict[str, list[Board]]]:
    """The truth of an evaluation's photos, and what we read in them; raises KdvisionError where it is none."""
    try:
        rows = rows_of(text)
    except ValueError as error:
        raise KdvisionError(f"this is no evaluation: {error}", hint="write one with kdvision evaluate --csv") from error
    return {row.photo: _boards(row.true) for row in rows}, {row.photo: _boards(row.read) for row in rows}


def theirs(text: str, name: str) -> dict[str, list[Board]]:
    """What another program read; raises NotationError for another table, or a board that is none."""
    table = csv.DictReader(io.StringIO(text))
    if not set(COLUMNS) <= set(table.fieldnames or ()):
        raise NotationError(f"{name} has no columns photo and board", hint="see docs/peers.md for how to write it")
    found: dict[str, list[Board]] = {}
    for number, row in enumerate(table, start=2):
        found.setdefault(row["photo"], [])
        try:
            found[row["photo"]] += _boards(row["board"] or "")
        except NotationError as error:
            raise NotationError(f"line {number} of {name}: {error}", hint=error.hint) from error
    return found


def _boards(text: str) -> list[Board]:
    return [Board.parse(part).trimmed() for part in text.split(BETWEEN.strip()) if part.strip()]


def compared(evaluation: str, others: Mapping[str, str]) -> list[Line]:
    """The lines of all programs, ours first, over the photos that every table names; raises KdvisionError."""
    truths, read = ours(evaluation)
    tables = {name: theirs(text, name) for name, text in others.items()}
    shared = {photo: boards for photo, boards in truths.items() if all(photo in table for table in tables.values())}
    if not shared:
        raise KdvisionError("no photo is in all of the tables", hint="photos go by their file names, 01.jpg")
    return [judged(name, shared, table) for name, table in ({"kdvision": read} | tables).items()]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the programs one below the other; an error of a table is its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("evaluation", type=Path, help="what kdvision evaluate --csv wrote")
    parser.add_argument("others", type=Path, nargs="*", help="other programs' tables, called by their file names")
    given = parser.parse_args(arguments)
    try:
        others = {path.stem: path.read_text(encoding="utf-8-sig") for path in given.others}
        lines = compared(given.evaluation.read_text(encoding="utf-8"), others)
    except OSError as error:
        print(f"{error.filename} cannot be read: {error.strerror}", file=sys.stderr)
        return 1
    except KdvisionError as error:
        print(f"{error}. {error.hint}", file=sys.stderr)
        return error.exit_code
    print(aligned([HEAD, *(line.cells() for line in lines)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
