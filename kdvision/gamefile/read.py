"""Values of a game file, or of another TOML text that people write, each checked, with the line to complain about."""

import re
import tomllib
from collections.abc import Collection, Iterable, Sequence
from itertools import accumulate
from pathlib import Path as FilePath
from typing import Any, Final, NoReturn

from kdvision.errors import NotationError
from kdvision.game.board import EXPECTED_SQUARE, Board, Square
from kdvision.game.pieces import UNKNOWN
from kdvision.gamefile.toml_lines import Path, line_of

TOML: Final = 'lines such as coins = 3 or player = "Ann", texts in quotes'

LARGEST_FILE: Final = 1_000_000
"""Bytes; what people write by hand is smaller."""

_QUOTED: Final = re.compile(r"\"[^\"]*\"|'[^']*'")


def read_text(path: FilePath, *, what: str) -> str:
    """The text of a file that a person wrote; raises NotationError, which calls it `what` ("a game file")."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise NotationError(f"{path} is too large for {what}", expected="a TOML text")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise NotationError(f"{path} cannot be read: {error.strerror}", hint=f"name {what}") from error
    except UnicodeDecodeError as error:
        raise NotationError(f"{path} is not a text in UTF-8", hint=f"write {what} in UTF-8") from error


def parse_toml(text: str, *, name: str) -> "Node":
    """The whole of a TOML text; `name` is what errors call it. Raises NotationError with the line."""
    text = text.removeprefix("\ufeff")
    try:
        return Node(tomllib.loads(text), text, name)
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits are a plain ValueError
        raise _no_toml(text, name, str(error)) from error


def _no_toml(text: str, name: str, said: str) -> NotationError:
    """The error for a text that is no TOML; what the parser `said` ends with the place."""
    place = re.fullmatch(r"(.*?) \(at line (\d+), column (\d+)\)", said, re.DOTALL)
    line = int(place[2]) if place else text.count("\n") + 1
    what = f"{place[1]} at column {place[3]}" if place else said.removesuffix(" (at end of document)")
    return NotationError(f"{name}, line {line}: no TOML ({what}); expected {TOML}", row=line, expected=TOML)


class Node:
    """A value of the file and the way to it. Its methods return the checked value of a key, or fail with its line.

    Without a text, `source` None, mistakes are told with the way to them.
    """

    def __init__(self, value: Any, source: str | None, name: str, path: Path = ()) -> None:
        self.value, self.source, self.name, self.path = value, source, name, path

    def at(self, *path: str | int) -> "Node":
        """The node further down; one that is not there serves to name its line."""
        value = self.value
        for step in path:
            inside = isinstance(value, dict) and step in value
            inside = inside or (isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value))
            value = value[step] if inside else None
        return Node(value, self.source, self.name, (*self.path, *path))

    @property
    def line(self) -> int:
        """The line of the file on which this value begins."""
        return line_of(self.source or "", self.path)

    def fail(self, what: str, expected: str, *, more_lines: int = 0, hint: str = "") -> NoReturn:
        """Raise the error for this value: file, line or way, what is there and what was expected."""
        line = None if self.source is None else self.line + more_lines
        where = f", line {line}" if line else "".join(map(_step, self.path))
        text = what if "expected" in what else f"{what}; expected {expected}"
        raise NotationError(f"{self.name}{where}: {text}", row=line, expected=expected, hint=hint)

    def __contains__(self, key: str) -> bool:
        return key in self.value

    def only(self, keys: tuple[str, ...], *, of: str = "a game file") -> None:
        """Fail at the first key that is not one of these."""
        for key in self.value:
            if key not in keys:
                self.at(key).fail(f"{key} is no part of {of}", f"one of {', '.join(keys)}")

    def text(self, key: str, *, default: str = "") -> str:
        """A text of one line."""
        value = self.value.get(key, default)
        if not isinstance(value, str) or (key in self and not value.strip()) or "\n" in value:
            self.at(key).fail(f"{key} is {_shown(value)}", "some text in quotes, on one line")
        return value

    def left_open(self, key: str) -> bool:
        """Whether "?" stands there instead of a value."""
        return bool(self.value.get(key) == UNKNOWN)

    def in_part_open(self, key: str) -> bool:
        """Whether "?" stands there instead of a list, or among its entries: there may be more."""
        value = self.value.get(key)
        return self.left_open(key) or (isinstance(value, list) and UNKNOWN in value)

    def number(self, key: str, *, default: int = 0, most: int = 1000) -> int:
        """A whole number from 0."""
        value = self.value.get(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
            self.at(key).fail(f"{key} is {_shown(value)}", f"a whole number from 0 to {most}")
        return value

    def one_of(self, key: str, allowed: Sequence[int], *, default: int) -> int:
        """One of the allowed numbers."""
        value = self.value.get(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or value not in allowed:
            self.at(key).fail(f"{key} is {_shown(value)}", " or ".join(map(str, allowed)))
        return value

    def flag(self, key: str) -> bool:
        """True or false."""
        value = self.value.get(key, False)
        if not isinstance(value, bool):
            self.at(key).fail(f"{key} is {_shown(value)}", "true or false")
        return value

    def texts(self, key: str) -> list[str]:
        """A list of texts."""
        return [_text(self.at(key, place), key) for place in range(len(self._list(key)))]

    def choice(self, key: str, allowed: Collection[str], *, default: str) -> str:
        """One of the allowed words."""
        value = self.value.get(key, default)
        if not isinstance(value, str) or value not in allowed:
            self.at(key).fail(f"{key} is {_shown(value)}", _one_of(allowed))
        return value

    def choices(self, key: str, allowed: Collection[str]) -> list[str]:
        """A list of allowed words."""
        for place, value in enumerate(values := self.texts(key)):
            if value not in allowed:
                self.at(key, place).fail(f"{key} has {_shown(value)}", _one_of(allowed))
        return values

    def tables(self, key: str, *, may_be_open: bool = False) -> list["Node"]:
        """A list of tables; where it `may_be_open`, "?" may stand there too and is left out."""
        header = ".".join(step for step in (*self.path, key) if isinstance(step, str))
        if isinstance(self.value.get(key), dict):
            self.at(key).fail(f"{key} is a single table", f"two pairs of brackets: [[{header}]]")
        nodes = self._entries(key, may_be_open=may_be_open)
        for node in nodes:
            if not isinstance(node.value, dict):
                node.fail(f"{key} has {_shown(node.value)}", f"[[{header}]], or tables in braces")
        return nodes

    def square(self, key: str) -> Square:
        """A square by its name."""
        return self.at(key).named(self.text(key))

    def squares(self, key: str, *, may_be_open: bool = False) -> list[Square]:
        """A list of squares by their names; where it `may_be_open`, "?" may stand there too and is left out."""
        return [node.named(_text(node, key)) for node in self._entries(key, may_be_open=may_be_open)]

    def named(self, name: str) -> Square:
        """The square of a name that stands here."""
        try:
            return Square.parse(name)
        except NotationError:
            self.fail(f"{name!r} is no square", EXPECTED_SQUARE)

    def board(self, key: str) -> Board:
        """A board in notation, as one text or a list of rows."""
        value, node = self.value.get(key), self.at(key)
        if not isinstance(value, str) and not (isinstance(value, list) and all(isinstance(row, str) for row in value)):
            node.fail(f"{key} is {_shown(value)}" if key in self else f"{key} is missing", 'a board, as "w w1 / l #"')
        try:
            return Board.parse(value)
        except NotationError as error:
            below = (node.source or "").splitlines()[node.line - 1 :]
            hint = "" if error.expected in error.hint else error.hint
            more = _offset(value, below, error.row) if below else 0
            node.fail(str(error), error.expected, more_lines=more, hint=hint)

    def _entries(self, key: str, *, may_be_open: bool) -> list["Node"]:
        if may_be_open and self.value.get(key) == UNKNOWN:
            return []
        entries = [self.at(key, place) for place in range(len(self._list(key)))]
        return [entry for entry in entries if not (may_be_open and entry.value == UNKNOWN)]

    def _list(self, key: str) -> list[Any]:
        value = self.value.get(key, [])
        return value if isinstance(value, list) else self.at(key).fail(f"{key} is {_shown(value)}", "a list in [ ]")


def _step(step: str | int) -> str:
    return f", {step}" if isinstance(step, str) else f" {step + 1}"


def _text(node: Node, key: str) -> str:
    if not isinstance(node.value, str) or not node.value.strip():
        node.fail(f"{key} has {_shown(node.value)}", "texts in quotes")
    return node.value


def _offset(board: str | list[str], lines: Sequence[str], row: int | None) -> int:
    """How many lines below its key a row of a board stands; `lines` are the file's from the key on."""
    if row is None or (isinstance(board, str) and "\n" not in board):
        return 0
    if isinstance(board, str):
        first = re.split("\"{3}|'{3}", lines[0], maxsplit=1)[-1]
        found = [sum(bool(part.strip()) for part in line.split("/")) for line in [first, *lines[1:]]]
    else:
        found = [len(_QUOTED.findall(line)) for line in lines]
    return next((offset for offset, count in enumerate(accumulate(found)) if count >= row), 0)


def _shown(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _one_of(words: Iterable[str]) -> str:
    return f"one of {', '.join(words)}"
