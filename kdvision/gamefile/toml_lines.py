"""Where in a TOML text a value stands: the parser of the standard library does not tell."""

import re
from collections.abc import Sequence
from typing import Final

Path = tuple[str | int, ...]
"""The way to a value: keys of tables and places in arrays, from the top."""

_HEADER: Final = re.compile(r"\s*(\[\[?)\s*([A-Za-z0-9_.\" -]+?)\s*\]\]?\s*(?:#.*)?$")
_TOKEN: Final = re.compile(r"""#.*|"(?:\\.|[^"\\])*"|'[^']*'|[\[\]{},]|[^\s\[\]{},#"']+""")
_KEY: Final = re.compile(r"\s*[\"']?([A-Za-z0-9_-]+)[\"']?\s*=")


def line_of(text: str, path: Path) -> int:
    """The line (from 1) of the value at `path`, or of the nearest thing around it that has a line."""
    best, length, here = 1, 0, Path()
    counts: dict[Path, int] = {}
    lines = text.splitlines()
    for number, line in _outside_strings(lines):
        if header := _HEADER.match(line):
            here = _opened(header[2].split("."), header[1] == "[[", counts)
            found = here
        elif key := _KEY.match(line):
            found = (*here, key[1])
        else:
            continue
        common = min(len(found), len(path))
        if common > length and found[:common] == path[:common]:
            best, length = number, common
    return _inside(lines, best, path[length:])


def _outside_strings(lines: Sequence[str]) -> list[tuple[int, str]]:
    """The lines that do not begin within a string of several lines, with their numbers."""
    kept, within = [], ""
    for number, line in enumerate(lines, start=1):
        if not within:
            kept.append((number, line))
        for quotes in ('"""', "'''"):
            if within in ("", quotes) and line.count(quotes) % 2:
                within = "" if within else quotes
                break
    return kept


def _opened(names: Sequence[str], array: bool, counts: dict[Path, int]) -> Path:
    """The path of a table header; each `[[name]]` opens the next place of its array."""
    path = Path()
    for depth, name in enumerate(names, start=1):
        path = (*path, name.strip(' "'))
        if depth == len(names) and array:
            counts[path] = counts.get(path, -1) + 1
            for deeper in [other for other in counts if len(other) > len(path) and other[: len(path)] == path]:
                del counts[deeper]
        if path in counts:
            path = (*path, counts[path])
    return path


def _inside(lines: Sequence[str], start: int, rest: Path) -> int:
    """The line of an entry of an array that begins on line `start`, found by counting the commas outside brackets."""
    if not rest or not isinstance(rest[0], int):
        return start
    depth = place = 0
    for number, line in enumerate(lines[start - 1 :], start=start):
        for token in _TOKEN.findall(line if number > start else line.partition("=")[2]):
            if depth == 1 and place == rest[0] and token[0] not in ",]#":
                return number
            depth += (token in ("[", "{")) - (token in ("]", "}"))
            place += depth == 1 and token == ","
        if not depth:
            break
    return start
