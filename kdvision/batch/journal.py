"""A JSON Lines file that survives a kill or a power cut, and a file lock that ends with its process.

`Journal.append` returns only after the line is flushed to disk.
"""

import json
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from kdvision.errors import KdvisionError
from kdvision.files import write_atomically

Data: TypeAlias = Mapping[str, Any]
"""A JSON object."""

Line: TypeAlias = dict[str, Any]

LOCK_TIMEOUT_SECONDS: Final = 10.0
"""How long to wait for a lock that other processes hold only for moments."""

LOCK_POLL_SECONDS: Final = 0.05


class Span(NamedTuple):
    """The place of a line in its file, in bytes, without the line end."""

    start: int
    length: int


class Journal:
    """An open JSON Lines file. `spans` are the lines found on opening; `damaged` counts those that are not JSON.

    Lines stay on disk and are read by their span, so many lines need little memory. A last line that was cut off is
    removed. Raises KdvisionError if the file cannot be opened or written; a failed write leaves no partial line.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.spans, self.damaged = path, list[Span](), 0
        start, text, line = 0, b"\n", None
        for start, text, line in _scan(path):
            if line is not None:
                self.spans.append(Span(start, len(text.removesuffix(b"\n"))))
            elif text.endswith(b"\n") and text.strip():
                self.damaged += 1
        if not path.exists():
            write_atomically(path, b"")  # flushes the name of the new file to disk, too
        self._file = self._open()
        if not text.endswith(b"\n"):
            with _system_errors(path):
                if line is None:
                    os.ftruncate(self._file, start)
                else:
                    self._write(b"\n")

    def line(self, span: Span) -> Line:
        """The line at a span; raises KdvisionError if there is none (any more)."""
        with _system_errors(self.path, "read"):
            os.lseek(self._file, span.start, os.SEEK_SET)
            text, left = b"", span.length
            while left and (part := os.read(self._file, left)):
                text, left = text + part, left - len(part)
        line = _parse_line(text)
        if line is None:
            raise KdvisionError(f"{self.path} was changed while it was in use", hint="run again")
        return line

    def append(self, line: Data) -> Span:
        """Write one line, flush it to disk, and return its span."""
        content = _encode_line(line)
        with _system_errors(self.path):
            return Span(self._write(content), len(content) - 1)

    def replace(self, lines: Iterable[Data]) -> tuple[Span, ...]:
        """Replace the whole file atomically by these lines, and return their spans."""
        texts = [_encode_line(line) for line in lines]  # before closing: they may be read from this file
        self.close()  # Windows cannot replace an open file
        try:
            write_atomically(self.path, b"".join(texts))
        finally:
            self._file = self._open()
        ends = accumulate(map(len, texts))
        return tuple(Span(end - len(text), len(text) - 1) for end, text in zip(ends, texts, strict=True))

    def close(self) -> None:
        """Close the file. Nothing can be written after that."""
        if self._file >= 0:
            os.close(self._file)
        self._file = -1

    def _open(self) -> int:
        with _system_errors(self.path):
            return os.open(self.path, os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0))

    def _write(self, content: bytes) -> int:
        """Append, flush to disk, and return the offset of what was written."""
        start = os.fstat(self._file).st_size
        try:
            left = memoryview(content)
            while left:
                left = left[os.write(self._file, left) :]
            os.fsync(self._file)
        except OSError:
            os.ftruncate(self._file, start)  # a full disk takes the first half of a line
            raise
        return start


def read_lines(path: Path) -> list[Line]:
    """The valid lines of a file that another process may be writing at the moment."""
    return [line for _, _, line in _scan(path) if line is not None]


def _scan(path: Path) -> Iterator[tuple[int, bytes, Line | None]]:
    """Yield the offset, the bytes and the object of each line; the object is None if the line is not valid."""
    try:
        with path.open("rb") as file:
            start = 0
            for text in file:
                yield start, text, _parse_line(text)
                start += len(text)
    except FileNotFoundError:
        return
    except OSError as error:
        raise KdvisionError(f"{path} cannot be read: {error.strerror}", hint="choose another folder") from error


def _parse_line(text: bytes) -> Line | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _encode_line(line: Data) -> bytes:
    return (json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n").encode()


@contextmanager
def _system_errors(path: Path, action: str = "written") -> Iterator[None]:
    """Turn an OSError into a KdvisionError."""
    try:
        yield
    except OSError as error:
        hint = "free some disk space or choose another folder, and run again: all results so far are kept"
        raise KdvisionError(f"{path} cannot be {action}: {error.strerror}", hint=hint) from error


class LockedError(KdvisionError):
    """Another process holds the lock."""


@contextmanager
def hold_lock(path: Path, *, timeout_seconds: float = 0.0) -> Iterator[None]:
    """Hold a lock file while the block runs. The system releases it when the process ends, however it ends.

    Raises LockedError if another process still holds it after the timeout.
    """
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        hint = "choose a folder that you may write to"
        raise KdvisionError(f"the folder {path.parent} cannot be written to: {error.strerror}", hint=hint) from error
    try:
        deadline = time.monotonic() + timeout_seconds
        while not _try_lock(file):
            if time.monotonic() >= deadline:
                hint = "wait until it is done, or name another folder"
                raise LockedError(f"another run is writing to {path.parent}", hint=hint)
            time.sleep(LOCK_POLL_SECONDS)
        yield
    finally:
        os.close(file)


def _try_lock(file: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
