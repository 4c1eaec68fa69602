"""Checked values of a TOML text that a person wrote: a game file or an event file."""

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

from kdvision.errors import NotationError
from kdvision.game.board import EXPECTED_SQUARE, Board, Square
from kdvision.game.kingdom import UNKNOWN

EXPECTED_TOML: Final = 'lines such as coins = 3 or player = "Ann", texts in quotes'
MAX_FILE_CHARS: Final = 1_000_000
MAX_SHOWN_CHARS: Final = 40
"""Length of a wrong value in an error message."""

HEADER: Final = re.compile(r"\s*(\[\[?)\s*([\w-]+(?:\s*\.\s*[\w-]+)*)\s*\]")
KEY: Final = re.compile(r"\s*([\w-]+)\s*=")
POSITION: Final = re.compile(r"(.*?) \(at line (\d+), column (\d+)\)", re.DOTALL)
"""A message of the TOML parser with its position."""

T = TypeVar("T")

NodePath = tuple[str | int, ...]
"""Keys, and indices of lists from 0, from the top of a text to a value."""


def read_text(path: Path, *, description: str) -> str:
    """Return the text of a file; raise NotationError, in which the file is called `description` ("a game file")."""
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(MAX_FILE_CHARS + 1)  # a device such as /dev/zero has no size and no end
    except OSError as error:
        raise NotationError(f"{path} cannot be read: {error.strerror}", hint=f"name {description}") from error
    except UnicodeDecodeError as error:
        raise NotationError(f"{path} is not a text in UTF-8", hint=f"write {description} in UTF-8") from error
    if len(text) > MAX_FILE_CHARS:
        raise NotationError(f"{path} is too large for {description}", expected="a TOML text")
    return text


def parse_toml(text: str, *, name: str) -> "Node":
    """Return the root of a TOML text; raise NotationError with the line. Errors call the text `name`."""
    text = text.removeprefix("\ufeff")
    try:
        return Node(tomllib.loads(text), name, source=text)
    except (ValueError, RecursionError) as error:  # a number of thousands of digits is a plain ValueError
        reason = str(error).removesuffix(" (at end of document)")
        position = POSITION.fullmatch(reason)
        line = int(position[2]) if position else text.count("\n") + 1
        problem = f"{position[1]} at column {position[3]}" if position else reason
        message = f"{name}, line {line}: no TOML ({problem}); expected {EXPECTED_TOML}"
        raise NotationError(message, row=line, expected=EXPECTED_TOML) from error


def find_line(text: str, path: NodePath) -> int:
    """Return the line, from 1, of the value at a path, or of the nearest value above it; 0 if none of them has one.

    The parser of the standard library does not keep it.
    """
    table: NodePath = ()
    counts = Counter[NodePath]()  # of tables under one header in double brackets
    lines: dict[NodePath, int] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if header := HEADER.match(line):
            table = ()
            names = re.split(r"\s*\.\s*", header[2])
            for level, name in enumerate(names, start=1):
                table = (*table, name)
                counts[table] += header[1] == "[[" and level == len(names)
                table = (*table, counts[table] - 1) if counts[table] else table
            lines.setdefault(table, number)
        elif key := KEY.match(line):
            lines.setdefault((*table, key[1]), number)
    # A path to several tables has the line of the first one.
    places = [(*path, 0), *(path[:length] for length in range(len(path), 0, -1))]
    return next((lines[place] for place in places if place in lines), 0)


class Node:
    """A value of the file and its path. The methods return the checked value of a key, or raise NotationError.

    `name` is the file's name, `path` leads to the value, and `source` is the text of the file, if there is one.
    """

    def __init__(self, value: Any, name: str, path: NodePath = (), source: str = "") -> None:
        self.value, self.name, self.path, self.source = value, name, path, source

    def get_node(self, *path: str | int) -> "Node":
        """Return the node at a path of keys and indices below this one. Its value is None if it does not exist."""
        value = self.value
        for step in path:
            try:
                value = value[step]
            except (LookupError, TypeError):
                value = None
        return Node(value, self.name, (*self.path, *path), self.source)

    def fail(self, message: str, expected: str, *, hint: str = "") -> NoReturn:
        """Raise the error for this value: where it is, what is there and what was expected.

        The place is as in "match.toml, line 12, kingdom 2, coins"; a text of one line has no lines.
        """
        line = find_line(self.source, self.path) if "\n" in self.source.strip() else 0
        words = [self.name, *([f"line {line}"] if line else [])]
        for step in self.path:
            words = [*words, step] if isinstance(step, str) else [*words[:-1], f"{words[-1]} {step + 1}"]
        text = message if "expected" in message else f"{message}; expected {expected}"
        raise NotationError(f"{', '.join(words)}: {text}", expected=expected, hint=hint)

    def __contains__(self, key: str) -> bool:
        return key in self.value

    def check_keys(self, keys: Collection[str], *, of: str = "a game file") -> None:
        """Fail at the first key that is not one of these."""
        for key in self.value:
            if key not in keys:
                self.get_node(key).fail(f"{key} is no part of {of}", f"one of {', '.join(keys)}")

    def split_unknown(self, keys: Collection[str]) -> tuple["Node", frozenset[str]]:
        """Return the node without the keys whose value is "?", and those of `keys` that have "?", also in a list."""
        values = {key: self.value.get(key) for key in keys}
        unknown_keys = {key for key, value in values.items() if value == UNKNOWN}
        partial_keys = {key for key, value in values.items() if isinstance(value, list) and UNKNOWN in value}
        known_values = {key: value for key, value in self.value.items() if key not in unknown_keys}
        return Node(known_values, self.name, self.path, self.source), frozenset(unknown_keys | partial_keys)

    def _take(self, key: str, default: T, is_right: Callable[[Any], bool], expected: str) -> T:
        value: T = self.value.get(key, default)
        if not is_right(value):
            self.get_node(key).fail(f"{key} is {_format_value(value)}", expected)
        return value

    def get_text(self, key: str, *, default: str = "") -> str:
        """Return a text of one line, without blanks around it."""

        def is_line(value: Any) -> bool:
            return isinstance(value, str) and (key not in self or bool(value.strip())) and "\n" not in value

        return self._take(key, default, is_line, "some text in quotes, on one line").strip()

    def get_number(self, key: str, *, default: int = 0, maximum: int = 1000) -> int:
        """Return a whole number from 0 to `maximum`."""
        expected = f"a whole number from 0 to {maximum}"
        return self._take(key, default, lambda value: type(value) is int and 0 <= value <= maximum, expected)

    def get_one_of(self, key: str, numbers: Sequence[int]) -> int | None:
        """Return one of the allowed numbers, None if the key is missing."""
        expected = " or ".join(map(str, numbers))
        default: int | None = None
        return self._take(
            key, default, lambda value: value is None or (type(value) is int and value in numbers), expected
        )

    def get_flag(self, key: str) -> bool:
        """Return true or false, false if the key is missing."""
        return self._take(key, False, lambda value: isinstance(value, bool), "true or false")

    def get_choice(self, key: str, words: Collection[str], *, default: str) -> str:
        """Return one of the allowed words."""
        return self._take(key, default, lambda value: isinstance(value, str) and value in words, _join_choices(words))

    def get_texts(self, key: str, words: Collection[str] = ()) -> list[str]:
        """Return a list of texts, without blanks around them; if words are given, one of these each."""
        nodes = self.list_text_nodes(key)
        for node in nodes:
            if words and node.value not in words:
                node.fail(f"{key} has {_format_value(node.value)}", _join_choices(words))
        return [node.value for node in nodes]

    def get_tables(self, key: str, *, may_be_unknown: bool = False, may_be_text: bool = False) -> list["Node"]:
        """Return a list of tables, and of texts if they are allowed; without "?" if it is allowed."""
        header = ".".join((*(step for step in self.path if isinstance(step, str)), key))
        if isinstance(self.value.get(key), dict):
            self.get_node(key).fail(f"{key} is a single table", f"two pairs of brackets: [[{header}]]")
        nodes = self._list_entries(key, may_be_unknown=may_be_unknown)
        for node in nodes:
            if not isinstance(node.value, (dict, str) if may_be_text else dict):
                node.fail(f"{key} has {_format_value(node.value)}", f"[[{header}]], or tables in braces")
        return nodes

    def list_text_nodes(self, key: str, *, may_be_unknown: bool = False) -> list["Node"]:
        """Return the nodes of a list of texts, without "?" if it is allowed."""
        nodes = self._list_entries(key, may_be_unknown=may_be_unknown)
        for node in nodes:
            if not isinstance(node.value, str) or not node.value.strip():
                node.fail(f"{key} has {_format_value(node.value)}", "texts in quotes")
            node.value = node.value.strip()
        return nodes

    def parse_square(self, name: str) -> Square:
        """Return the square of a name that stands here."""
        try:
            return Square.parse(name)
        except NotationError:
            self.fail(f"{name!r} is no square", EXPECTED_SQUARE)

    def get_board(self, key: str) -> Board:
        """Return a board, given in notation as one text or as a list of rows."""
        value, node = self.value.get(key), self.get_node(key)
        if not isinstance(value, str) and not (isinstance(value, list) and all(isinstance(row, str) for row in value)):
            message = f"{key} is {_format_value(value)}" if key in self else f"{key} is missing"
            node.fail(message, 'a board, as "w w1 / l #"')
        try:
            return Board.parse(value)
        except NotationError as error:
            node.fail(str(error), error.expected, hint="" if error.expected in error.hint else error.hint)

    def _list_entries(self, key: str, *, may_be_unknown: bool) -> list["Node"]:
        values = self._take(key, list[Any](), lambda value: isinstance(value, list), "a list in [ ]")
        entries = [self.get_node(key, index) for index in range(len(values))]
        return [entry for entry in entries if not (may_be_unknown and entry.value == UNKNOWN)]


def _format_value(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[: MAX_SHOWN_CHARS - 3]}..."


def _join_choices(words: Iterable[str]) -> str:
    return f"one of {', '.join(words)}"
