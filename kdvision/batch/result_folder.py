"""The folder that a run writes into: what it stores, and where.

| file | content | written |
|---|---|---|
| `results.jsonl` | a record for each photo | appended and flushed after each photo, replaced at the end of the run |
| `overlays/` | pictures with the scores drawn in | before the record that names them |
| `corrections.jsonl` | corrections by people | appended and flushed at each correction |
| `results.csv`, `standings.csv`, `review.csv`, `errors.csv`, `report.html` | the outcome | at the end of the run |
| `.run.json` | the settings of the last run | at its start |
| `.tables.json` | a cache of tables that were decided jointly | at the end of the run |

Except for the appended lines, every file is written atomically.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from kdvision.batch.journal import hold_lock
from kdvision.errors import KdvisionError, NotationError
from kdvision.files import remove_parts, write_atomically

RESULTS: Final = "results.jsonl"
PICTURES: Final = "overlays"
REPORT: Final = "report.html"
SETTINGS: Final = ".run.json"
TABLE_CACHE: Final = ".tables.json"
LOCK: Final = ".lock"
SCORE_SUFFIX, CORRECTED_SUFFIX = "-score.jpg", "-corrected.jpg"

MAX_NAME_BYTES: Final = 180
"""Longest file name of a picture before its suffix. Every file system supports it."""


class ResultFolder:
    """A folder for results, used by one run at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Make the folder, lock it, and remove what a killed run left; raises KdvisionError if that fails."""
        self._make(self.path)
        with hold_lock(self.path / LOCK):
            self._remove_partial_files()
            yield

    def write(self, name: str, content: bytes | str) -> None:
        """Write a file atomically. Its folder is made if needed."""
        path = self.path / name
        self._make(path.parent)
        write_atomically(path, content.encode() if isinstance(content, str) else content)

    def read(self, name: str) -> bytes | None:
        """The content of a file, None if it cannot be read."""
        try:
            return (self.path / name).read_bytes()
        except OSError:
            return None

    def remove_other_pictures(self, names: Iterable[str | None]) -> None:
        """Remove the program's pictures that are not among these names, and the folders that are empty then."""
        kept = {self.path / name for name in names if name is not None}
        for path in sorted((self.path / PICTURES).rglob("*"), reverse=True):
            if path.is_dir():
                if not any(path.iterdir()):
                    path.rmdir()
            elif path not in kept and path.name.endswith((SCORE_SUFFIX, CORRECTED_SUFFIX)):
                path.unlink(missing_ok=True)

    def save_settings(self, settings: Mapping[str, Any]) -> None:
        """Store what a later review has to know about this run."""
        content = _encode(settings)
        if self.read(SETTINGS) != content:
            self.write(SETTINGS, content)

    def load_settings(self) -> dict[str, Any]:
        """The settings of the last run; raises NotationError if there are none."""
        content = self.read(SETTINGS)
        if content is None:
            hint = "name a folder that kdvision batch has written, as it was given to -o"
            raise NotationError(f"{self.path} is not a folder of results", hint=hint)
        try:
            settings = json.loads(content.decode("utf-8", "surrogateescape"))
        except ValueError:
            settings = None
        if not isinstance(settings, dict) or not {"folder", "event", "rules"} <= settings.keys():
            raise NotationError(f"{self.path / SETTINGS} is damaged", hint="run kdvision batch again")
        return settings

    def save_table_cache(self, tables: Mapping[str, Any]) -> None:
        """Store the tables that were decided jointly, in place of those stored before."""
        content, stored = _encode(tables), self.read(TABLE_CACHE)
        if stored != content and (tables or stored is not None):
            self.write(TABLE_CACHE, content)

    def load_table_cache(self) -> dict[str, Any]:
        """The stored tables; empty if the file is missing or damaged, because it can be made again."""
        try:
            tables = json.loads(self.read(TABLE_CACHE) or b"{}")
        except (ValueError, RecursionError):
            return {}
        return tables if isinstance(tables, dict) else {}

    def _remove_partial_files(self) -> None:
        pictures = self.path / PICTURES
        for folder in (self.path, pictures, *(path for path in pictures.rglob("*") if path.is_dir())):
            remove_parts(folder)  # the lock says that no other run is writing here

    def _make(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            hint = "choose a folder that you may write to, and run again: all results so far are kept"
            raise KdvisionError(f"the folder {folder} cannot be made: {error.strerror}", hint=hint) from error


def picture_name(photo: str, suffix: str = SCORE_SUFFIX) -> str:
    """The path of a photo's picture in the result folder: its own name, in characters that every disk supports."""
    plain = re.sub(r'[<>:"|?*\\\x00-\x1f\x7f]', "_", photo)
    parts = ["_" if set(part) <= {"."} else part.rstrip(" .") or "_" for part in plain.split("/")]
    short = [part.encode()[:MAX_NAME_BYTES].decode(errors="ignore") for part in parts]
    if "/".join(short) != photo:
        short[-1] += f"-{hashlib.sha256(photo.encode()).hexdigest()[:8]}"
    return "/".join((PICTURES, *short)) + suffix


def _encode(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "surrogateescape")
