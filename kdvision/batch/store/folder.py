"""The folder that a run writes into; docs/events.md lists its files, and when each is written and flushed to disk.

Lines are appended; every other file is written atomically.
"""

import hashlib
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeAlias

from kdvision.errors import KdvisionError
from kdvision.files import remove_parts, write_atomically

RESULTS: Final = "results.jsonl"
CORRECTIONS: Final = "corrections.jsonl"
PICTURES: Final = "overlays"
REPORT: Final = "report.html"
SETTINGS: Final = ".run.json"
TABLE_CACHE: Final = ".tables.json"
LOCK: Final = ".lock"
OUTPUT_FILES: Final = (RESULTS, CORRECTIONS, REPORT, "results.csv", "standings.csv", "review.csv", "errors.csv")
"""The visible files in a result folder."""
SCORE_SUFFIX, CORRECTED_SUFFIX = "-score.jpg", "-corrected.jpg"

MAX_NAME_BYTES: Final = 180
"""Longest file name of a picture before its suffix. Every file system supports it."""

RUN_AGAIN: Final = "run again: all results and corrections so far are kept"

Data: TypeAlias = Mapping[str, Any]
"""A JSON object."""


class ResultFolder:
    """A folder for results, used by one run at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Make the folder, lock it, and remove what a killed run left; raise KdvisionError if that fails."""
        _make_folder(self.path)
        with hold_lock(self.path / LOCK):
            pictures = self.path / PICTURES
            for folder in (self.path, pictures, *(path for path in pictures.rglob("*") if path.is_dir())):
                remove_parts(folder)  # the lock says that no other run is writing here
            yield

    def write(self, name: str, content: bytes | str) -> None:
        """Write a file atomically. Its folder is made if needed."""
        path = self.path / name
        _make_folder(path.parent)
        _write_file(path, content.encode() if isinstance(content, str) else content)

    def read(self, name: str) -> bytes | None:
        """Return the content of a file, None if it cannot be read."""
        try:
            return (self.path / name).read_bytes()
        except OSError:
            return None

    def save_json(self, name: str, value: Data) -> None:
        self.write(name, json.dumps(value, indent=1) + "\n")

    def load_json(self, name: str) -> dict[str, Any] | None:
        """Return the JSON object in a file, None if the file is missing or damaged."""
        return _parse_line(self.read(name) or b"")

    def remove_other_pictures(self, names: Iterable[str | None]) -> None:
        """Remove the program's pictures that are not among these names, and the folders that are empty then."""
        paths = {self.path / name for name in names if name is not None}
        for path in sorted((self.path / PICTURES).rglob("*"), reverse=True):
            if path.is_dir():
                if not any(path.iterdir()):
                    path.rmdir()
            elif path not in paths and path.name.endswith((SCORE_SUFFIX, CORRECTED_SUFFIX)):
                path.unlink(missing_ok=True)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        hint = f"choose a folder that you may write to, and {RUN_AGAIN}"
        raise KdvisionError(f"the folder {folder} cannot be made: {error.strerror}", hint=hint) from error


def _write_file(path: Path, content: bytes) -> None:
    try:
        write_atomically(path, content)
    except KdvisionError as error:
        raise KdvisionError(str(error), hint=f"{error.hint}, and {RUN_AGAIN}") from error


def make_picture_name(photo: str, *, is_corrected: bool = False) -> str:
    """Return the path of a photo's picture in the result folder: its name, in characters that every disk supports."""
    words = re.sub(r'[<>:"|?*\\\x00-\x1f\x7f]', "_", photo).split("/")
    words = ["_" if set(word) <= {"."} else word.rstrip(" .") or "_" for word in words]
    words = [word.encode()[:MAX_NAME_BYTES].decode(errors="ignore") for word in words]
    if "/".join(words) != photo:
        words[-1] += f"-{hashlib.sha256(photo.encode()).hexdigest()[:8]}"
    return "/".join((PICTURES, *words)) + (CORRECTED_SUFFIX if is_corrected else SCORE_SUFFIX)


def get_file_version(path: Path) -> tuple[int, int] | None:
    """Return the size and modification time of a file, which change with it; None if the file cannot be accessed."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


# JSON Lines


def read_lines(path: Path) -> tuple[list[dict[str, Any]], int]:
    """Return the objects in a JSON Lines file, and the number of its damaged lines.

    A last line that was cut off is not counted. Another process may be writing the file at the moment.
    """
    try:
        *texts, last_text = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return [], 0
    except OSError as error:
        raise KdvisionError(f"{path} cannot be read: {error.strerror}", hint="choose another folder") from error
    lines = [_parse_line(text) for text in texts if text.strip()]
    return [line for line in (*lines, _parse_line(last_text)) if line is not None], lines.count(None)


def append_line(path: Path, line: Data) -> None:
    """Append a line to a JSON Lines file, and flush it to disk.

    Raises KdvisionError and leaves no partial line if the write fails, for example on a full disk. A last line that was
    cut off earlier is removed first.
    """
    content = encode_line(line)
    if not path.exists():
        _write_file(path, content)  # flushes the name of the new file to disk, too
        return
    try:
        with path.open("a+b", buffering=0) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 1))
            if file.read() not in (b"", b"\n"):
                last_text = path.read_bytes().rpartition(b"\n")[2]
                if _parse_line(last_text) is None:
                    size -= len(last_text)
                    file.truncate(size)
                else:  # only its line end is missing
                    content = b"\n" + content
            try:
                while content:
                    content = content[os.write(file.fileno(), content) :]
                os.fsync(file.fileno())
            except OSError:
                file.truncate(size)  # a full disk takes the first half of a line
                raise
    except OSError as error:
        hint = f"free some disk space or choose another folder, and {RUN_AGAIN}"
        raise KdvisionError(f"{path} cannot be written: {error.strerror}", hint=hint) from error


def encode_line(line: Data) -> bytes:
    """Return the bytes of a line; raise ValueError for values that JSON does not have."""
    return (json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _parse_line(text: bytes) -> dict[str, Any] | None:
    """Return the JSON object of a text; None if it is not one."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


# Locks


class LockedError(KdvisionError):
    """Another process holds the lock."""


@contextmanager
def hold_lock(path: Path, *, wait: bool = False) -> Iterator[None]:
    """Hold a lock file while the block runs. The system releases it when the process ends, however it ends.

    If another process holds it, wait for that process if `wait` is true, else raise LockedError.
    """
    try:
        file = path.open("ab")
    except OSError as error:
        hint = "choose a folder that you may write to"
        raise KdvisionError(f"the folder {path.parent} cannot be written to: {error.strerror}", hint=hint) from error
    with file:
        try:
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(file.fileno(), msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except OSError as error:
            hint = "wait until it is done, or name another folder"
            raise LockedError(f"another run is writing to {path.parent}", hint=hint) from error
        yield
