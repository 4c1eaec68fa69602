"""Checked values of a TOML text that a person wrote: a game file or an event file."""

import re
import tomllib
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

from kdvision.errors import NotationError
from kdvision.game.board import EXPECTED_SQUARE, Board, Square
from kdvision.game.pieces import UNKNOWN
from kdvision.gamefile.lines import Path as NodePath
from kdvision.gamefile.lines import find_line

EXPECTED_TOML: Final = 'lines such as coins = 3 or player = "Ann", texts in quotes'
MAX_FILE_BYTES: Final = 1_000_000
MAX_SHOWN_CHARS: Final = 40
"""Length of a wrong value in an error message."""


def read_text(path: Path, *, what: str) -> str:
    """Return the text of a file; raise NotationError, in which the file is called `what` ("a game file")."""
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise NotationError(f"{path} is too large for {what}", expected="a TOML text")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise NotationError(f"{path} cannot be read: {error.strerror}", hint=f"name {what}") from error
    except UnicodeDecodeError as error:
        raise NotationError(f"{path} is not a text in UTF-8", hint=f"write {what} in UTF-8") from error


def parse_toml(text: str, *, name: str) -> "Node":
    """Return the root of a TOML text; raise NotationError with the line. Errors call the text `name`."""
    text = text.removeprefix("\ufeff")
    try:
        return Node(tomllib.loads(text), name, source=text)
    except (ValueError, RecursionError) as error:  # a number of thousands of digits is a plain ValueError
        raise _make_toml_error(text, name, str(error)) from error


def _make_toml_error(text: str, name: str, message: str) -> NotationError:
    """Return the error for a text that is not TOML. The parser's message ends with the position."""
    position = re.fullmatch(r"(.*?) \(at line (\d+), column (\d+)\)", message, re.DOTALL)
    line = int(position[2]) if position else text.count("\n") + 1
    what = f"{position[1]} at column {position[3]}" if position else message.removesuffix(" (at end of document)")
    text = f"{name}, line {line}: no TOML ({what}); expected {EXPECTED_TOML}"
    return NotationError(text, row=line, expected=EXPECTED_TOML)


class Node:
    """A value of the file and its path. The methods return the checked value of a key, or raise NotationError.

    `name` is the file's name, `path` leads to the value, and `source` is the text of the file, if there is one.
    """

    def __init__(self, value: Any, name: str, path: NodePath = (), source: str = "") -> None:
        self.value, self.name, self.path, self.source = value, name, path, source

    def at(self, *path: str | int) -> "Node":
        """Return the node at a path of keys and indices below this one. Its value is None if it does not exist."""
        node = self
        for step in path:
            value = node.value
            if isinstance(step, str):
                inner = value.get(step) if isinstance(value, dict) else None
            else:
                inner = value[step] if isinstance(value, list) and 0 <= step < len(value) else None
            node = node._derive(inner, step)
        return node

    def _derive(self, value: Any, *steps: str | int) -> "Node":
        return Node(value, self.name, (*self.path, *steps), self.source)

    @property
    def place(self) -> str:
        """Where the value stands, as in "match.toml, line 12, kingdom 2, coins"; a text of one line has no lines."""
        line = find_line(self.source, self.path) if "\n" in self.source.strip() else 0
        words = [self.name, *([f"line {line}"] if line else [])]
        for step in self.path:
            words = [*words, step] if isinstance(step, str) else [*words[:-1], f"{words[-1]} {step + 1}"]
        return ", ".join(words)

    def fail(self, what: str, expected: str, *, hint: str = "") -> NoReturn:
        """Raise the error for this value: where it is, what is there and what was expected."""
        text = what if "expected" in what else f"{what}; expected {expected}"
        raise NotationError(f"{self.place}: {text}", expected=expected, hint=hint)

    def __contains__(self, key: str) -> bool:
        return key in self.value

    def check_keys(self, keys: Collection[str], *, of: str = "a game file") -> None:
        """Fail at the first key that is not one of these."""
        for key in self.value:
            if key not in keys:
                self.at(key).fail(f"{key} is no part of {of}", f"one of {', '.join(keys)}")

    def text(self, key: str, *, default: str = "") -> str:
        """Return a text of one line, without blanks around it."""
        value = self.value.get(key, default)
        if isinstance(value, str) and (key not in self or value.strip()) and "\n" not in value:
            return value.strip()
        return self._fail_value(key, value, "some text in quotes, on one line")

    def is_unknown(self, key: str) -> bool:
        """Return whether "?" is the value."""
        return bool(self.value.get(key) == UNKNOWN)

    def has_unknown(self, key: str) -> bool:
        """Return whether "?" is the value or one of the entries of a list."""
        value = self.value.get(key)
        return self.is_unknown(key) or (isinstance(value, list) and UNKNOWN in value)

    def number(self, key: str, *, default: int = 0, most: int = 1000) -> int:
        """Return a whole number from 0 to `most`."""
        value = self.value.get(key, default)
        if type(value) is int and 0 <= value <= most:
            return value
        return self._fail_value(key, value, f"a whole number from 0 to {most}")

    def one_of(self, key: str, allowed: Sequence[int]) -> int | None:
        """Return one of the allowed numbers, None if the key is missing."""
        value = self.value.get(key)
        if value is None or (type(value) is int and value in allowed):
            return value
        return self._fail_value(key, value, " or ".join(map(str, allowed)))

    def flag(self, key: str) -> bool:
        """Return true or false, false if the key is missing."""
        value = self.value.get(key, False)
        return value if isinstance(value, bool) else self._fail_value(key, value, "true or false")

    def texts(self, key: str) -> list[str]:
        """Return a list of texts, without blanks around them."""
        return [node.value for node in self.text_nodes(key)]

    def choice(self, key: str, allowed: Collection[str], *, default: str) -> str:
        """Return one of the allowed words."""
        value = self.value.get(key, default)
        if isinstance(value, str) and value in allowed:
            return value
        return self._fail_value(key, value, _join_choices(allowed))

    def choices(self, key: str, allowed: Collection[str]) -> list[str]:
        """Return a list of allowed words."""
        for index, value in enumerate(values := self.texts(key)):
            if value not in allowed:
                self.at(key, index).fail(f"{key} has {_format_value(value)}", _join_choices(allowed))
        return values

    def tables(self, key: str, *, may_be_unknown: bool = False, may_be_text: bool = False) -> list["Node"]:
        """Return a list of tables, and of texts if they are allowed; without "?" if it is allowed."""
        header = ".".join((*(step for step in self.path if isinstance(step, str)), key))
        if isinstance(self.value.get(key), dict):
            self.at(key).fail(f"{key} is a single table", f"two pairs of brackets: [[{header}]]")
        nodes = self._entries(key, may_be_unknown=may_be_unknown)
        for node in nodes:
            if not isinstance(node.value, (dict, str) if may_be_text else dict):
                node.fail(f"{key} has {_format_value(node.value)}", f"[[{header}]], or tables in braces")
        return nodes

    def text_nodes(self, key: str, *, may_be_unknown: bool = False) -> list["Node"]:
        """Return the nodes of a list of texts, without "?" if it is allowed."""
        nodes = self._entries(key, may_be_unknown=may_be_unknown)
        return [node._derive(_check_text(node, key)) for node in nodes]

    def square(self, key: str) -> Square:
        """Return a square by its name."""
        return self.at(key).parse_square(self.text(key))

    def squares(self, key: str, *, may_be_unknown: bool = False) -> list[Square]:
        """Return a list of squares by their names, without "?" if it is allowed."""
        return [node.parse_square(node.value) for node in self.text_nodes(key, may_be_unknown=may_be_unknown)]

    def parse_square(self, name: str) -> Square:
        """Return the square of a name that stands here."""
        try:
            return Square.parse(name)
        except NotationError:
            self.fail(f"{name!r} is no square", EXPECTED_SQUARE)

    def board(self, key: str) -> Board:
        """Return a board, given in notation as one text or as a list of rows."""
        value, node = self.value.get(key), self.at(key)
        if not isinstance(value, str) and not (isinstance(value, list) and all(isinstance(row, str) for row in value)):
            what = f"{key} is {_format_value(value)}" if key in self else f"{key} is missing"
            node.fail(what, 'a board, as "w w1 / l #"')
        try:
            return Board.parse(value)
        except NotationError as error:
            node.fail(str(error), error.expected, hint="" if error.expected in error.hint else error.hint)

    def _entries(self, key: str, *, may_be_unknown: bool) -> list["Node"]:
        if may_be_unknown and self.is_unknown(key):
            return []
        entries = [self.at(key, index) for index in range(len(self._list(key)))]
        return [entry for entry in entries if not (may_be_unknown and entry.value == UNKNOWN)]

    def _list(self, key: str) -> list[Any]:
        value = self.value.get(key, [])
        return value if isinstance(value, list) else self._fail_value(key, value, "a list in [ ]")

    def _fail_value(self, key: str, value: object, expected: str) -> NoReturn:
        self.at(key).fail(f"{key} is {_format_value(value)}", expected)


def _check_text(node: Node, key: str) -> str:
    if not isinstance(node.value, str) or not node.value.strip():
        node.fail(f"{key} has {_format_value(node.value)}", "texts in quotes")
    return node.value.strip()


def _format_value(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[: MAX_SHOWN_CHARS - 3]}..."


def _join_choices(words: Iterable[str]) -> str:
    return f"one of {', '.join(words)}"
