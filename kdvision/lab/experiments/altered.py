"""Labelled photos, altered in some way and read again: what both the dyed and the covered ones share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.errors import KdvisionError
from kdvision.evaluate.evaluate import Labelled, compare
from kdvision.evaluate.summary import Row
from kdvision.vision.image.photo import Photo
from kdvision.vision.result import KingdomReading

Bytes = npt.NDArray[np.uint8]

LONG_SIDE: Final = 1600
"""Larger photos are shrunk to this: who alters a photo looks at every pixel."""


def pixels_of(truth: Labelled) -> Bytes:
    """Return a labelled photo (rows, cols, 3) upright, and no larger than LONG_SIDE."""
    pixels = Photo.open(truth.path).pixels
    factor = min(1.0, LONG_SIDE / max(pixels.shape[:2]))
    return np.asarray(cv2.resize(pixels, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.uint8)


def read(truth: Labelled, pixels: Bytes) -> tuple[Row, list[KingdomReading]]:
    """Return the row of a labelled photo of which these are the pixels now, and what was read of it."""
    from kdvision import pipeline

    try:
        reads = pipeline.read(Photo.open(pixels))
    except KdvisionError as failure:
        return compare(truth, [], error=f"{failure}"), []
    return compare(truth, reads), reads


def table(made: Sequence[Row], *, way: str) -> str:
    """A line for each `way` of altering a photo, and one for all, as a table for other programs."""
    lines = [f"{way},photos,shape right,exact,marked,marked though right,wrong without a warning"]
    for name in [*dict.fromkeys(row.way for row in made), "all"]:
        mine = [row for row in made if name in (row.way, "all")]
        sums = [sum(getattr(row, figure) for row in mine) for figure in ("shape", "exact", "review")]
        needless, silent = sum(row.review and row.exact for row in mine), sum(row.silent for row in mine)
        lines.append(",".join(map(str, [name, len(mine), *sums, needless, silent])))
    return "\n".join([*lines, ""])
