"""Atomic writing of files, a check of output folders, and encoding of images."""

import errno
import io
import os
import re
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kdvision.errors import KdvisionError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PHOTO_SUFFIXES: Final = frozenset(
    {".jpg", ".jpeg", ".jpe", ".jfif", ".mpo", ".heic", ".heif", ".hif", ".avif", ".png", ".webp", ".tif", ".tiff"}
    | {".bmp", ".gif", ".ppm", ".pgm"}
)
"""The suffixes of photo files, in small letters. Whether the content is an image is found out when it is decoded."""

IMAGE_FORMATS: Final = {
    ".png": ("PNG", {"compress_level": 1}),
    ".jpg": ("JPEG", {"quality": 92}),
    ".jpeg": ("JPEG", {"quality": 92}),
    ".webp": ("WEBP", {"quality": 90, "method": 0}),
}
"""The file suffixes that `encode_image` supports, each with Pillow's format name and its fastest options."""

PART_NAME: Final = re.compile(r"\..+\.(?P<pid>\d+)\.part")
"""The name of a temporary file while it is written: `.NAME.PID.part`, with the number of the process."""

_NO_SPACE: Final = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
"""Error numbers of a full disk, of a file over the size limit and of a full quota (not on Windows)."""


def encode_image(pixels: "NDArray[np.uint8]", suffix: str, *, quality: int | None = None) -> bytes:
    """Return the file content of RGB pixels (height, width, 3) in the format of a suffix, one of IMAGE_FORMATS.

    `quality`, at most 95, replaces the default of a lossy format.
    """
    from PIL import Image

    name, options = IMAGE_FORMATS[suffix.lower()]
    settings: dict[str, Any] = dict(options) if quality is None else {**options, "quality": quality}
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, name, **settings)
    return buffer.getvalue()


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file and flush it to disk, or raise KdvisionError and leave what was there.

    A link stays, and the file that it names is replaced. A device or a pipe is written to. If the process is killed, a
    hidden temporary file may be left beside the old file. The next process that writes into that folder removes it.
    """
    target = Path(os.path.realpath(path))
    _remove_abandoned_parts(target.parent)
    part_path = target.with_name(f".{target.name[:50]}.{os.getpid()}.part")  # names have at most 255 bytes
    try:
        if target.exists() and not target.is_file() and not target.is_dir():
            target.write_bytes(content)
            return
        with part_path.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # otherwise the new name could reach the disk before the content
        part_path.replace(target)
        _flush_folder(target.parent)
    except BaseException as error:
        with suppress(OSError):  # in a read-only folder there is nothing to remove
            part_path.unlink(missing_ok=True)
        if not isinstance(error, OSError):
            raise
        raise KdvisionError(f"{path} cannot be written: {error.strerror}", hint=_find_remedy(error)) from error


def check_writable(folder: Path) -> None:
    """Raise KdvisionError if no file can be created in a folder."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        message = f"the folder {folder} cannot be written to: {error.strerror}"
        raise KdvisionError(message, hint=_find_remedy(error)) from error


def is_folder_name(path: str) -> bool:
    """Return whether a path can only name a folder: it ends with a slash, or is one; false for an empty path."""
    return path.endswith(("/", "\\")) or os.path.isdir(path)


def _find_remedy(error: OSError) -> str:
    return "free some space" if error.errno in _NO_SPACE else "choose a folder that exists and that you may write to"


def remove_parts(folder: Path, *, of_running: bool = True) -> None:
    """Remove temporary files from a folder; if `of_running` is false, only those whose process has ended."""
    with suppress(OSError):  # the folder is missing or read-only, which writing into it reports
        for path in folder.iterdir():
            match = PART_NAME.fullmatch(path.name)
            if match is not None and (of_running or not _is_running(int(match["pid"]))):
                path.unlink(missing_ok=True)


@cache  # once for each folder, because a batch writes many pictures into one
def _remove_abandoned_parts(folder: Path) -> None:
    remove_parts(folder, of_running=False)


def _is_running(pid: int) -> bool:
    """Return whether a process exists."""
    if sys.platform == "win32":
        return False  # there, a file that a process holds open cannot be removed
    try:
        os.kill(pid, 0)  # sends no signal
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass  # it belongs to another user
    return True


def _flush_folder(folder: Path) -> None:
    """Flush the names in a folder to disk, where the system supports it."""
    with suppress(OSError, AttributeError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
