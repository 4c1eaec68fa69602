"""Files written whole or not at all: nobody ever finds half a picture, or an old one gone and no new one there."""

import io
import os
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kdvision.errors import KdvisionError

PICTURES: Final = {
    ".png": ("PNG", {"compress_level": 3}),
    ".jpg": ("JPEG", {"quality": 92}),
    ".jpeg": ("JPEG", {"quality": 92}),
    ".webp": ("WEBP", {"quality": 90}),
}
"""The suffixes of pictures that can be written: their format and its settings."""


def encoded(pixels: NDArray[np.uint8], suffix: str, *, quality: int | None = None) -> bytes:
    """The file content of RGB pixels (height, width, 3) in the format of a suffix, one of PICTURES.

    `quality`, up to 95, is for formats that lose some, where it is to be another one than usual.
    """
    from PIL import Image

    kind, options = PICTURES[suffix.lower()]
    settings: dict[str, Any] = dict(options) if quality is None else {**options, "quality": quality}
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, kind, **settings)
    return out.getvalue()


def write_whole(path: Path, content: bytes) -> None:
    """Put the content at the path in one step, over what is there; raises KdvisionError and leaves all as it was.

    On disk when this returns. Only a kill in its midst leaves a part behind, beside the old file and hidden.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # or the name could reach the disk before the content does
        part.replace(path)
        _settle(path.parent)
    except BaseException as error:
        with suppress(OSError):  # where nothing may be written nothing can be removed
            part.unlink(missing_ok=True)
        if not isinstance(error, OSError):
            raise
        raise KdvisionError(f"{path} cannot be written: {error.strerror}", hint="name another place") from error


def _settle(folder: Path) -> None:
    """Have the names in a folder on disk too, on systems where that can be asked for."""
    with suppress(OSError, AttributeError):
        names = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(names)
        finally:
            os.close(names)
