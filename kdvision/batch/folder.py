"""The photos in a folder and its subfolders, in natural order."""

import os
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from kdvision.batch.naming import natural_key, photo_key
from kdvision.errors import KdvisionError

SUFFIXES: Final = frozenset(
    {".jpg", ".jpeg", ".jpe", ".jfif", ".mpo", ".heic", ".heif", ".hif", ".avif", ".png", ".webp", ".tif", ".tiff"}
    | {".bmp", ".gif", ".ppm", ".pgm"}
)
"""The suffixes of photo files. Whether the content is an image is found out when it is decoded."""


class PhotoFile(NamedTuple):
    """A file that should be a photo: its name below the folder, with `/`, and its path."""

    name: str
    path: Path


class Failure(NamedTuple):
    """A file or folder that could not be read, why, and what to do."""

    name: str
    reason: str
    advice: str


class FolderContents(NamedTuple):
    """Photos, files and folders that cannot be read, and the names of files that are not photos."""

    photos: tuple[PhotoFile, ...]
    failures: tuple[Failure, ...]
    others: tuple[str, ...]


def list_photos(folder: Path, *, skip: Path | None = None) -> FolderContents:
    """The photos below a folder, sorted, without hidden files and without the folder `skip`.

    Links are followed, and each folder is listed once, so a cycle of links ends. Raises KdvisionError if the folder
    itself cannot be read.
    """
    check_folder(folder)
    visited = {_file_id(skip)} if skip is not None and skip.exists() else set[tuple[int, int]]()
    photos: list[PhotoFile] = []
    failures: list[Failure] = []
    others: list[str] = []
    for path in _walk(folder, visited, failures):
        name = printable_path(os.path.relpath(path, folder))
        if path.suffix.lower() not in SUFFIXES:
            others.append(name)
        elif path.is_file():
            photos.append(PhotoFile(name, path))
        else:
            failures.append(Failure(name, "it is not a file, or a broken link", "copy the photo here"))
    photos.sort(key=lambda photo: photo_key(photo.name))
    return FolderContents(tuple(photos), tuple(sorted(failures)), tuple(sorted(others, key=natural_key)))


def check_folder(folder: Path) -> None:
    """Raise KdvisionError if the path is not a folder or cannot be read."""
    try:
        os.scandir(folder).close()
    except OSError as error:
        hint = "name a folder of photos that you may read"
        raise KdvisionError(f"the folder {folder} cannot be read: {error.strerror}", hint=hint) from error


def printable_path(path: str) -> str:
    """A path with `/` as valid Unicode text: undecodable bytes become escapes such as `\\xe9`."""
    return os.fsencode(path).decode("utf-8", "backslashreplace").replace(os.sep, "/")


def _walk(folder: Path, visited: set[tuple[int, int]], failures: list[Failure]) -> Iterator[Path]:
    """Yield all visible files. Links to folders come last, so that linked folders keep their own names."""

    def report(error: OSError) -> None:
        name = printable_path(os.path.relpath(error.filename, folder))
        failures.append(
            Failure(name, f"the folder cannot be read: {error.strerror}", "make it readable, and run again")
        )

    roots = deque([folder])
    while roots:
        root = roots.popleft()
        if not _visit(root, visited):
            continue
        for parent, folders, files in os.walk(root, onerror=report):
            inside = [Path(parent, name) for name in sorted(folders) if not name.startswith(".")]
            roots += [path for path in inside if path.is_symlink()]
            folders[:] = [path.name for path in inside if not path.is_symlink() and _visit(path, visited)]
            yield from (Path(parent, name) for name in sorted(files) if not name.startswith("."))


def _visit(path: Path, visited: set[tuple[int, int]]) -> bool:
    """True if the folder was not visited before; marks it as visited."""
    try:
        identity = _file_id(path)
    except OSError:
        return True  # listing it reports the error
    is_new = identity not in visited
    visited.add(identity)
    return is_new


def _file_id(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino
