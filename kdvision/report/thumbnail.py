"""Small pictures of single kingdoms for the page, cut out of the picture with the score drawn in."""

import base64
import io
from collections.abc import Sequence
from typing import Final

from PIL import Image

SIDE: Final = 288
"""Pixels along the longer side: crowns can be told, and a page of four hundred kingdoms stays below ten megabytes."""

MARGIN: Final = 0.06
"""How much of the table around a kingdom is shown, as a share of the kingdom."""


def make_thumbnail(picture: bytes, corners: Sequence[Sequence[float]] | None, width: int) -> str:
    """A `data:` address of the part of a JPEG in which a kingdom lies; its corners are those in a photo of `width`."""
    with Image.open(io.BytesIO(picture)) as opened:
        box = _box(corners, opened.width / width, opened.size) if corners else (0, 0, *opened.size)
        side = max(box[2] - box[0], box[3] - box[1])
        before = opened.width
        opened.draft("RGB", (round(before * SIDE / side), round(opened.height * SIDE / side)))
        scale = opened.width / before
        cut = opened.crop(tuple(round(value * scale) for value in box))  # type: ignore[arg-type]
    cut.thumbnail((SIDE, SIDE), Image.Resampling.BOX)
    out = io.BytesIO()
    cut.convert("RGB").save(out, "WEBP", quality=55, method=1)  # the most thorough one takes three times as long
    return f"data:image/webp;base64,{base64.b64encode(out.getvalue()).decode()}"


def _box(corners: Sequence[Sequence[float]], factor: float, size: tuple[int, int]) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of what is shown, inside the picture."""
    xs, ys = [corner[0] * factor for corner in corners], [corner[1] * factor for corner in corners]
    room = MARGIN * max(max(xs) - min(xs), max(ys) - min(ys))
    left, top = max(0.0, min(xs) - room), max(0.0, min(ys) - 2 * room)  # the total stands above the kingdom
    right, bottom = min(float(size[0]), max(xs) + room), min(float(size[1]), max(ys) + room)
    return left, top, max(right, left + 1), max(bottom, top + 1)
