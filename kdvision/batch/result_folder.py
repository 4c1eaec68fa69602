"""The folder that a run writes into: what lies where, made sure of before any photo is read."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from kdvision.batch.lock import locked
from kdvision.errors import KdvisionError, NotationError
from kdvision.files import write_atomically

RESULTS: Final = "results.jsonl"
PICTURES: Final = "overlays"
REPORT: Final = "report.html"
MEMO: Final = ".run.json"
TABLES: Final = ".tables.json"
LOCK: Final = ".lock"
SCORED, CORRECTED = "-score.jpg", "-corrected.jpg"
PART: Final = re.compile(r"\..+\.\d+\.part")
"""The names of files that were being written when a run was killed."""

LONGEST: Final = 180
"""Bytes of a picture's name before its ending: every file system takes that."""


class Place:
    """A folder to write into, held by one run at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def held(self) -> Iterator[None]:
        """Make the folder, hold it and sweep up what a killed run left; raises KdvisionError where that cannot be."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            hint = "choose a folder that you may write into"
            raise KdvisionError(f"the folder {self.path} cannot be made: {error.strerror}", hint=hint) from error
        with locked(self.path / LOCK):
            self.sweep_parts()
            yield

    def sweep_parts(self) -> None:
        """Remove files that were never finished."""
        folders = [self.path, *(path for path in (self.path / PICTURES).rglob("*") if path.is_dir())]
        for folder in (*folders, self.path / PICTURES):
            for path in list(folder.glob(".*.part")):
                if PART.fullmatch(path.name):
                    path.unlink(missing_ok=True)

    def write(self, name: str, content: bytes | str) -> None:
        """Write a file whole, into a folder that is made where it is not there."""
        path = self.path / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            hint = "make room there or choose another place, and run again: what was read before is kept"
            raise KdvisionError(f"the folder {path.parent} cannot be made: {error.strerror}", hint=hint) from error
        write_atomically(path, content.encode() if isinstance(content, str) else content)

    def picture(self, name: str | None) -> bytes | None:
        """The content of a picture, None where there is none."""
        if name is None:
            return None
        try:
            return (self.path / name).read_bytes()
        except OSError:
            return None

    def keep_pictures(self, names: Iterable[str | None]) -> None:
        """Remove the pictures of this program that nothing speaks of any more, and folders that are empty then."""
        kept = {self.path / name for name in names if name is not None}
        for path in sorted((self.path / PICTURES).rglob("*"), reverse=True):
            if path.is_dir():
                if not any(path.iterdir()):
                    path.rmdir()
            elif path not in kept and path.name.endswith((SCORED, CORRECTED)):
                path.unlink(missing_ok=True)

    def remember(self, memo: dict[str, Any]) -> None:
        """Keep what the next run, or a review, has to know."""
        content = (json.dumps(memo, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "surrogateescape")
        if self.picture(MEMO) != content:
            write_atomically(self.path / MEMO, content)

    def tables(self) -> dict[str, Any]:
        """What was kept of the tables that were decided; what is damaged there is nothing: it takes seconds to make."""
        try:
            found = json.loads(self.picture(TABLES) or b"{}")
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    def keep_tables(self, tables: Mapping[str, Any]) -> None:
        """Keep what was found of these tables, and of no others."""
        content = (json.dumps(tables, ensure_ascii=False, indent=1) + "\n").encode()
        before = self.picture(TABLES)
        if before != content and (tables or before is not None):
            write_atomically(self.path / TABLES, content)

    def memo(self) -> dict[str, Any]:
        """What was kept; raises NotationError where no run has written here."""
        content = self.picture(MEMO)
        hint = "name a folder that kdvision batch has written, as it was given to -o"
        if content is None:
            raise NotationError(f"{self.path} is no folder of results", hint=hint)
        try:
            found = json.loads(content.decode("utf-8", "surrogateescape"))
        except ValueError as error:
            raise NotationError(f"{self.path / MEMO} is damaged", hint="run kdvision batch again") from error
        return found if isinstance(found, dict) else {}


def picture_name(photo: str, ending: str = SCORED) -> str:
    """Where the picture of a photo lies below the folder: named like it, with letters that any disk can hold."""
    plain = re.sub(r'[<>:"|?*\\\x00-\x1f\x7f]', "_", photo)
    parts = ["_" if set(part) <= {"."} else part.rstrip(" .") or "_" for part in plain.split("/")]
    short = [_short(part) for part in parts]
    if "/".join(short) != photo:
        short[-1] += f"-{hashlib.sha256(photo.encode()).hexdigest()[:8]}"
    return "/".join((PICTURES, *short)) + ending


def _short(part: str) -> str:
    return part.encode()[:LONGEST].decode(errors="ignore")
