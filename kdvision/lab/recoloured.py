"""Tables in the colour of a kingdom's own tiles: `python -m kdvision.lab.recoloured`. Is it still read, or told?

What differs from the table is rather a tile (`vision/tabletop.py`), so a green mat under meadows is the hardest table.
In every labelled photo of which the program reads the outline right, the table is dyed, once for each terrain of the
kingdom: all but the tiles is shifted in CIE L*a*b* so that its median is that of the terrain. Its texture, light and
shadows stay.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.errors import KdvisionError
from kdvision.files import write_whole
from kdvision.game.board import Terrain
from kdvision.lab.crew import in_order
from kdvision.lab.evaluate import Labelled, compare, labelled
from kdvision.lab.tally import Row
from kdvision.vision.kingdom_read import KingdomRead
from kdvision.vision.photo import Photo

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

LONG_SIDE = 1600
"""Larger photos are shrunk to this: dyeing looks at every pixel."""
RIM, CORE = 1.04, 0.7
"""A tile is kept with a little of its rim, and the colour of its terrain is that of its middle."""


def mask_of(quads: Floats, share: float, shape: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """Return which pixels (rows, cols) lie on squares (n, 4, 2), each made larger or smaller by a share."""
    mask = np.zeros(shape[:2], np.uint8)
    for quad in quads:
        middle = quad.mean(0)
        cv2.fillPoly(mask, [np.rint(middle + (quad - middle) * share).astype(np.int32)], 1)
    return mask > 0


def dyed(pixels: Bytes, tiles: Floats, like: Floats) -> Bytes:
    """Return the photo (rows, cols, 3) with all but its `tiles` (n, 4, 2) in the colour of those it shall be `like`."""
    kept = mask_of(tiles, RIM, pixels.shape)
    lab = cv2.cvtColor(pixels.astype(np.float32) / 255, cv2.COLOR_RGB2LAB)
    colour = np.median(lab[mask_of(like, CORE, pixels.shape)], axis=0)
    shift = colour - np.median(lab[~kept], axis=0)
    soft = cv2.GaussianBlur(kept.astype(np.float32), (0, 0), 1.2)[..., None]
    made = cv2.cvtColor((lab + shift * (1 - soft)).astype(np.float32), cv2.COLOR_LAB2RGB)
    return np.asarray(np.rint(np.clip(made, 0, 1) * 255), np.uint8)


def rows(truth: Labelled) -> list[Row]:
    """Return the rows of a photo, dyed once for each terrain (`way`); none where its own outline is not read right."""
    pixels = small(Photo.open(truth.path).pixels)
    before, reads = _read(truth, pixels)
    if not before.shape:
        return []
    shown: dict[Terrain, list[Floats]] = {}
    for read in reads:
        for square, cell in read.board.items():
            shown.setdefault(cell.terrain, []).append(read.grid.quad(square))
    tiles = np.array([quad for quads in shown.values() for quad in quads])
    dyes = {terrain: np.array(shown[terrain]) for terrain in Terrain if terrain in shown}
    dyes.pop(Terrain.CASTLE, None)
    return [replace(_read(truth, dyed(pixels, tiles, like))[0], way=f"{terrain}") for terrain, like in dyes.items()]


def small(pixels: Bytes) -> Bytes:
    """Return a photo (rows, cols, 3) no larger than LONG_SIDE."""
    factor = min(1.0, LONG_SIDE / max(pixels.shape[:2]))
    return np.asarray(cv2.resize(pixels, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.uint8)


def _read(truth: Labelled, pixels: Bytes) -> tuple[Row, list[KingdomRead]]:
    from kdvision import pipeline

    try:
        reads = pipeline.read(Photo.open(pixels))
    except KdvisionError as failure:
        return compare(truth, [], error=f"{failure}"), []
    return compare(truth, reads), reads


def table(made: Sequence[Row]) -> str:
    """A line for each terrain, and one for all, as a table for other programs."""
    lines = ["table like,photos,shape right,exact,marked,marked though right,wrong without a warning"]
    for name in [*dict.fromkeys(row.way for row in made), "all"]:
        mine = [row for row in made if name in (row.way, "all")]
        sums = [sum(getattr(row, figure) for row in mine) for figure in ("shape", "exact", "review")]
        needless, silent = sum(row.review and row.exact for row in mine), sum(row.silent for row in mine)
        lines.append(",".join(map(str, [name, len(mine), *sums, needless, silent])))
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=Path("models/results"))
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    made = [row for some in in_order(rows, labelled(given.data / "photos"), workers=given.workers) for row in some]
    write_whole(given.out / "recoloured.csv", table(made).encode())
    print(table(made), end="")


if __name__ == "__main__":
    main()
