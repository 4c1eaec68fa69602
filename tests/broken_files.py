"""Unreadable files of the kinds that occur among the photos of an event."""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from typing import Final

import cv2
import numpy as np


def _make_archive() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("photo.txt", "this is not a photo")
    return buffer.getvalue()


def _encode_grey_picture(height: int, width: int) -> bytes:
    """Return a plain grey JPEG."""
    return bytes(cv2.imencode(".jpg", np.full((height, width, 3), 128, np.uint8))[1])


def _make_huge_png() -> bytes:
    """Return a small PNG with 100,000 x 100,000 pixels in its header."""
    header = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(bytes(1000))), (b"IEND", b""))
    body = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + body


BROKEN_FILES: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "cut short": lambda photo: photo[: len(photo) // 3],
    "empty": lambda _: b"",
    "a text": lambda _: b"the photo is on my other phone\n",
    "an archive": lambda _: _make_archive(),
    "noise": lambda photo: np.random.default_rng(len(photo)).bytes(4096),
    "a header alone": lambda photo: photo[:400],
    "too small": lambda _: _encode_grey_picture(32, 32),
    "no kingdom": lambda _: _encode_grey_picture(300, 400),
    "zeros": lambda photo: bytes(len(photo)),
    "too many pixels": lambda _: _make_huge_png(),
    "a web page": lambda _: b"<!DOCTYPE html><title>Sign in to download</title>",
    "another kind": lambda _: b"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom" + bytes(200),
}
"""A function for each kind that makes the broken file from the bytes of a good photo."""
