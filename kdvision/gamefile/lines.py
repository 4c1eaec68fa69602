"""The line of a TOML text on which a value stands; the parser of the standard library does not keep it."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

Path = tuple[str | int, ...]
"""Keys, and indices of lists from 0, from the top of a text to a value."""

HEADER: Final = re.compile(r"\s*(\[\[?)\s*([\w-]+(?:\s*\.\s*[\w-]+)*)\s*\]")
KEY: Final = re.compile(r"\s*([\w-]+)\s*=")


def find_line(text: str, path: Path) -> int:
    """Return the line, from 1, of the value at a path, or of the nearest value above it; 0 if none of them has one."""
    places = ((number, place) for number, place in _list_places(text) if path[: len(place)] == place)
    return max(places, key=lambda entry: len(entry[1]), default=(0, ()))[0]


def _list_places(text: str) -> Iterator[tuple[int, Path]]:
    """Yield each line that starts a table or a value, with its path."""
    table: Path = ()
    tables = Counter[Path]()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := HEADER.match(line):
            table = ()
            *outer, last = re.split(r"\s*\.\s*", header[2])
            for name in outer:
                table = (*table, name)
                table = (*table, tables[table] - 1) if table in tables else table
            table = (*table, last)
            if header[1] == "[[":
                tables[table] += 1
                table = (*table, tables[table] - 1)
            yield number, table
        elif key := KEY.match(line):
            yield number, (*table, key[1])
