"""A file of JSON lines that survives being killed: each line is safe on disk before the next one begins."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from kdvision.errors import KdvisionError
from kdvision.files import write_atomically

Line: TypeAlias = dict[str, Any]


class Span(NamedTuple):
    """Where a line lies in its file, in bytes; its end is none of it."""

    start: int
    length: int


class Journal:
    """An open file of JSON lines. `spans` are those it held when opened; `damaged` is how many could not be read.

    Lines stay in the file and are read back by their places, so that many of them take no memory. A last line that was
    cut off while it was written is taken away. Raises KdvisionError where the file cannot be opened, and where a line
    cannot be written, then without a trace of it in the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        scan = _scanned(path)
        self.spans, self.damaged = scan.spans, scan.damaged
        self._file = self._opened()
        with _told(path):
            if scan.torn is not None:
                os.ftruncate(self._file, scan.torn)
            elif scan.unended:
                self._put(b"\n")

    @property
    def lines(self) -> list[Line]:
        """What it held when opened, all of it."""
        return [self.line(span) for span in self.spans]

    def line(self, span: Span) -> Line:
        """The line at a place; raises KdvisionError where none lies there (any more)."""
        with _told(self.path, "read"):
            os.lseek(self._file, span.start, os.SEEK_SET)
            found, left = b"", span.length
            while left and (part := os.read(self._file, left)):
                found, left = found + part, left - len(part)
        line = _parsed(found)
        if line is None:
            raise KdvisionError(f"{self.path} was changed while it was in use", hint="run again")
        return line

    def append(self, line: Mapping[str, Any]) -> Span:
        """Write one line, and return where it lies; it is on disk by then."""
        content = encoded_line(line)
        with _told(self.path):
            return Span(self._put(content), len(content) - 1)

    def replace(self, lines: Iterable[Mapping[str, Any]]) -> tuple[Span, ...]:
        """Write these lines in place of all that is there, in one step, and return where each lies now."""
        made = [encoded_line(line) for line in lines]  # they may be read from what is replaced
        self.close()  # an open file cannot be replaced everywhere
        try:
            write_atomically(self.path, b"".join(made))
        finally:
            self._file = self._opened()
        ends = accumulate(map(len, made))
        return tuple(Span(end - len(text), len(text) - 1) for end, text in zip(ends, made, strict=True))

    def close(self) -> None:
        """Close the file; nothing can be written after that."""
        if self._file >= 0:
            os.close(self._file)
        self._file = -1

    def _opened(self) -> int:
        with _told(self.path):
            return os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)

    def _put(self, content: bytes) -> int:
        """Write behind all that is there, and return where that begins."""
        before = os.fstat(self._file).st_size
        try:
            left = memoryview(content)
            while left:
                left = left[os.write(self._file, left) :]
            os.fsync(self._file)
        except OSError:
            os.ftruncate(self._file, before)  # a full disk takes the first half of a line
            raise
        return before


def lines_of(path: Path) -> list[Line]:
    """The lines that can be read in a file, which somebody else may be writing at this moment."""
    return [line for _, _, line in _lines(path) if line is not None]


def encoded_line(line: Mapping[str, Any]) -> bytes:
    """One object as a line of the file, with its end."""
    return (json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n").encode()


@contextmanager
def _told(path: Path, done: str = "written") -> Iterator[None]:
    """What the system says becomes an error for the person at the keyboard."""
    try:
        yield
    except OSError as error:
        hint = "make room there or choose another place, and run again: what was read before is kept"
        raise KdvisionError(f"{path} cannot be {done}: {error.strerror}", hint=hint) from error


class _Scan(NamedTuple):
    """What a file holds: good lines, the number of bad ones, where one begins that was cut off, a good one unended."""

    spans: tuple[Span, ...] = ()
    damaged: int = 0
    torn: int | None = None
    unended: bool = False


def _scanned(path: Path) -> _Scan:
    spans: list[Span] = []
    damaged, torn, text = 0, None, b"\n"
    for start, text, line in _lines(path):
        if line is not None:
            spans.append(Span(start, len(text.removesuffix(b"\n"))))
        elif not text.endswith(b"\n"):
            torn = start
        elif text.strip():
            damaged += 1
    return _Scan(tuple(spans), damaged, torn, torn is None and not text.endswith(b"\n"))


def _lines(path: Path) -> Iterator[tuple[int, bytes, Line | None]]:
    """Yield where each line begins, its bytes, and what it says, None where that cannot be told."""
    try:
        with path.open("rb") as file:
            start = 0
            for text in file:
                yield start, text, _parsed(text)
                start += len(text)
    except FileNotFoundError:
        return
    except OSError as error:
        raise KdvisionError(f"{path} cannot be read: {error.strerror}", hint="choose another place") from error


def _parsed(text: bytes) -> Line | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
