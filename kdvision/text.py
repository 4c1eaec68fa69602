"""Words for messages; and text from outside, such as the names of players, made safe for a terminal and for CSV."""

import csv
import io
import os
import re
import shlex
from collections.abc import Iterable, Sequence
from itertools import chain, count
from typing import Final

CONTROL_CHARACTER: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, line separators, what turns the direction of a line, and surrogates, which have no encoding."""

FORMULA_START: Final = re.compile(r"\s*[=+@-]|[\t\r]")
"""The start of a cell that a spreadsheet may run as a formula."""


def join_words(words: Sequence[str], conjunction: str = "and") -> str:
    """Return the words as one phrase, such as "Ann, Bo and Cy"; empty without any."""
    return f" {conjunction} ".join(text for text in (", ".join(words[:-1]), *words[-1:]) if text)


def capitalise(text: str) -> str:
    """Return the text with its first letter in upper case, unless it begins with the path of a file."""
    return text if {".", "/"} & {*text.partition(" ")[0]} else text[:1].upper() + text[1:]


def count_noun(number: int, noun: str) -> str:
    """Return the number with its noun, such as "1 point", "2 points" and "2 territories"."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"


def advise_number(largest: int) -> str:
    """Return the advice to give a number from 1 to the largest, or the only one."""
    return f"give a number from 1 to {largest}" if largest > 1 else "the only number is 1"


def number_repeated(names: Iterable[str]) -> list[str]:
    """Return the names; a name that is already taken, in any case, gets a number, such as "Ann 2"."""
    unique_names: list[str] = []
    for name in names:
        candidates = chain([name], (f"{name} {number}" for number in count(2)))
        taken_names = {taken_name.casefold() for taken_name in unique_names}
        unique_names.append(next(candidate for candidate in candidates if candidate.casefold() not in taken_names))
    return unique_names


def align_columns(rows: Sequence[Sequence[str]], *, gap: str) -> list[str]:
    """Return the rows of cells as lines with a gap between columns: the first column left-aligned, the others right."""
    first_width, *widths = (max(map(len, column)) for column in zip(*rows, strict=True))
    return [gap.join([first.ljust(first_width), *map(str.rjust, other_cells, widths)]) for first, *other_cells in rows]


def quote_path(path: object) -> str:
    """Return the path as one argument of a printed command, quoted if the shell would take it for something else."""
    text = str(path)
    if os.name != "nt" and re.search(r'["$`\\!]', text):  # double quotes leave their meaning to these
        return shlex.quote(text)
    return text if re.fullmatch(r"[\w@%+=:,./\\-]+", text) else f'"{text}"'


def replace_controls(text: str) -> str:
    """Return the text without control characters: a blank for white space such as a tab, `\ufffd` for all others."""
    return CONTROL_CHARACTER.sub(lambda match: " " if match[0].isspace() else "\ufffd", text)


def format_csv(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a CSV table with a header. No cell is a formula or has control characters.

    A text that a spreadsheet would take for a formula gets a leading apostrophe, as spreadsheets expect it. Numbers
    stay as they are.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_escape_cell(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return out.getvalue()


def _escape_cell(text: str) -> str:
    apostrophe = "'" if FORMULA_START.match(text) else ""
    return apostrophe + replace_controls(text)
