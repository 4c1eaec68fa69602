"""The photos of a folder and of all folders in it, in the order in which people count."""

import os
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from kdvision.batch.naming import in_order, natural
from kdvision.errors import KdvisionError

SUFFIXES: Final = frozenset(
    f".{name}"
    for names in ("jpg jpeg jpe jfif mpo heic heif hif avif", "png webp tif tiff bmp gif ppm pgm")
    for name in names.split()
)
"""What photos are called; whether they are any, the one door for photos finds out."""


class Shot(NamedTuple):
    """One file that should be a photo: its name below the folder, with `/`, and where it lies."""

    name: str
    path: Path


class Failure(NamedTuple):
    """What could not be read at all: the file or folder, why, and what to do."""

    name: str
    reason: str
    advice: str


class Found(NamedTuple):
    """All that lies in a folder: photos, what is closed to us, and the names of files that are no photos."""

    photos: tuple[Shot, ...]
    failures: tuple[Failure, ...]
    others: tuple[str, ...]


def walk(folder: Path, *, leave: Path | None = None) -> Found:
    """The photos below a folder, sorted; the folder `leave` and hidden files are left out.

    Links are followed, and every folder is looked at once, so that links that lead in a circle end. Raises
    KdvisionError where the folder itself cannot be read.
    """
    check(folder)
    seen = {_identity(folder)} | ({_identity(leave)} if leave is not None and leave.exists() else set())
    photos: list[Shot] = []
    failures: list[Failure] = []
    others: list[str] = []
    for item in _entries(folder, seen, failures):
        if Path(item.name).suffix.lower() not in SUFFIXES:
            others.append(item.name)
        elif item.path.is_file():
            photos.append(item)
        else:
            failures.append(Failure(item.name, "it is no file, or a link that leads nowhere", "copy the photo here"))
    photos.sort(key=lambda shot: in_order(shot.name))
    return Found(tuple(photos), tuple(sorted(failures)), tuple(sorted(others, key=natural)))


def check(folder: Path) -> None:
    """Raise KdvisionError where a folder is none or cannot be read."""
    try:
        os.scandir(folder).close()
    except OSError as error:
        hint = "name a folder of photos that you may read"
        raise KdvisionError(f"the folder {folder} cannot be read: {error.strerror}", hint=hint) from error


def shown(path: str) -> str:
    """A path as text that can be written anywhere: bytes that are no letters stand as `\\xe9`."""
    return os.fsencode(path).decode("utf-8", "backslashreplace").replace(os.sep, "/")


def _entries(folder: Path, seen: set[tuple[int, int]], failures: list[Failure]) -> Iterator[Shot]:
    """Yield all that is no folder; folders reached by links come after the others, so that these keep their names."""
    waiting, links = deque([folder]), deque[Path]()
    while waiting or links:
        inside = waiting.popleft() if waiting else links.popleft()
        try:
            entries = sorted(os.scandir(inside), key=lambda entry: entry.name)
        except OSError as error:
            reason = f"the folder cannot be read: {error.strerror}"
            failures.append(Failure(shown(os.path.relpath(inside, folder)), reason, "make it readable, and run again"))
            continue
        for entry in entries:
            if entry.name.startswith("."):
                continue
            path = Path(entry.path)
            if not entry.is_dir():
                yield Shot(shown(os.path.relpath(path, folder)), path)
            elif entry.is_symlink():
                links.append(path)
            elif _unseen(path, seen):
                waiting.append(path)
        while not waiting and links and not _unseen(links[0], seen):
            links.popleft()


def _unseen(path: Path, seen: set[tuple[int, int]]) -> bool:
    """True for a folder that was not looked at before; it counts as looked at from now on."""
    try:
        identity = _identity(path)
    except OSError:
        return True  # listing it will say what is wrong
    known = identity in seen
    seen.add(identity)
    return not known


def _identity(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino
