"""Small pictures of single kingdoms for the report page, cut from the photo with the score drawn in."""

import base64
import io
from collections.abc import Sequence
from typing import Final

from PIL import Image

LONG_SIDE_PIXELS: Final = 288
"""Longer side: crowns are visible, and a page of four hundred kingdoms stays below ten megabytes."""

MARGIN: Final = 0.06
"""Margin around a kingdom, as a share of its longer side."""


def make_thumbnail(picture: bytes, corners: Sequence[Sequence[float]] | None, photo_width: int) -> str:
    """A `data:` address with the part of a JPEG that shows a kingdom, or with all of it if `corners` is None.

    `corners` are pixels (x, y) of the original photo, which is `photo_width` pixels wide; the JPEG may be smaller.
    """
    with Image.open(io.BytesIO(picture)) as image:
        box = _find_box(corners, image.width / photo_width, image.size) if corners else (0, 0, *image.size)
        side = max(box[2] - box[0], box[3] - box[1])
        width = image.width
        # Decode the JPEG at the smallest scale that is large enough.
        image.draft("RGB", (round(width * LONG_SIDE_PIXELS / side), round(image.height * LONG_SIDE_PIXELS / side)))
        scale = image.width / width
        part = image.crop(tuple(round(value * scale) for value in box))  # type: ignore[arg-type]
    part.thumbnail((LONG_SIDE_PIXELS, LONG_SIDE_PIXELS), Image.Resampling.BOX)
    out = io.BytesIO()
    part.convert("RGB").save(out, "WEBP", quality=55, method=1)  # method 6 takes three times as long
    return f"data:image/webp;base64,{base64.b64encode(out.getvalue()).decode()}"


def _find_box(
    corners: Sequence[Sequence[float]], factor: float, size: tuple[int, int]
) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of the part to show, inside the picture."""
    xs, ys = [corner[0] * factor for corner in corners], [corner[1] * factor for corner in corners]
    margin = MARGIN * max(max(xs) - min(xs), max(ys) - min(ys))
    left, top = max(0.0, min(xs) - margin), max(0.0, min(ys) - 2 * margin)  # the total is drawn above the kingdom
    right, bottom = min(float(size[0]), max(xs) + margin), min(float(size[1]), max(ys) + margin)
    return left, top, max(right, left + 1), max(bottom, top + 1)
