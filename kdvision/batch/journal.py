"""A file of JSON lines that survives being killed: each line is safe on disk before the next one begins."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from kdvision.errors import KdvisionError
from kdvision.files import write_whole

Line: TypeAlias = dict[str, Any]


class Journal:
    """An open file of JSON lines. `lines` are those it held when opened; `damaged` is how many could not be read.

    A last line that was cut off while it was written is taken away. Raises KdvisionError where the file cannot be
    opened, and where a line cannot be written, then without a trace of it in the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines, self.damaged, whole = _read(path)
        self._file = self._opened()
        if whole is not None:
            with _told(path):
                os.ftruncate(self._file, len(whole))
                self._put(b"\n" if whole and not whole.endswith(b"\n") else b"")

    def append(self, line: Mapping[str, Any]) -> None:
        """Write one line; it is on disk when this returns."""
        with _told(self.path):
            self._put(encoded_line(line))

    def replace(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """Write these lines in place of all that is there, in one step."""
        self.close()  # an open file cannot be replaced everywhere
        write_whole(self.path, b"".join(map(encoded_line, lines)))
        self._file = self._opened()

    def close(self) -> None:
        """Close the file; nothing can be written after that."""
        if self._file >= 0:
            os.close(self._file)
        self._file = -1

    def _opened(self) -> int:
        with _told(self.path):
            return os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)

    def _put(self, content: bytes) -> None:
        before = os.fstat(self._file).st_size
        try:
            left = memoryview(content)
            while left:
                left = left[os.write(self._file, left) :]
            os.fsync(self._file)
        except OSError:
            os.ftruncate(self._file, before)  # a full disk takes the first half of a line
            raise


def lines_of(path: Path) -> list[Line]:
    """The lines that can be read in a file, which somebody else may be writing at this moment."""
    return _read(path)[0]


def encoded_line(line: Mapping[str, Any]) -> bytes:
    """One object as a line of the file, with its end."""
    return (json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n").encode()


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """What the system says becomes an error for the person at the keyboard."""
    try:
        yield
    except OSError as error:
        hint = "make room there or choose another place, and run again: what was read before is kept"
        raise KdvisionError(f"{path} cannot be written: {error.strerror}", hint=hint) from error


def _read(path: Path) -> tuple[list[Line], int, bytes | None]:
    """The good lines, the number of bad ones, and what to keep of the file; None where all of it stays."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return [], 0, None
    except OSError as error:
        raise KdvisionError(f"{path} cannot be read: {error.strerror}", hint="choose another place") from error
    *texts, last = content.split(b"\n")
    parsed = [_parsed(text) for text in texts if text.strip()]
    good = [line for line in parsed if line is not None]
    tail = _parsed(last)
    whole = None if not last else content if tail is not None else content[: len(content) - len(last)]
    return [*good, *([tail] if tail is not None else [])], len(parsed) - len(good), whole


def _parsed(text: bytes) -> Line | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
