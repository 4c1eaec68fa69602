"""Tables in the colour of a kingdom's own tiles: `python -m kdvision.lab.experiments.recoloured`. Is it still read, or told?

What differs from the table is rather a tile (`vision/tabletop.py`), so a green mat under meadows is the hardest table.
In every labelled photo of which the program reads the outline right, the table is dyed, once for each terrain of the
kingdom: all but the tiles is shifted in CIE L*a*b* so that its median is that of the terrain. Its texture, light and
shadows stay.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.evaluate.evaluate import Labelled, labelled
from kdvision.evaluate.summary import Row
from kdvision.evaluate.workers import in_order
from kdvision.files import write_atomically
from kdvision.game.board import Terrain
from kdvision.lab.experiments import altered

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

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
    pixels = altered.pixels_of(truth)
    before, reads = altered.read(truth, pixels)
    if not before.shape:
        return []
    shown: dict[Terrain, list[Floats]] = {}
    for read in reads:
        for square, cell in read.board.items():
            shown.setdefault(cell.terrain, []).append(read.grid.quad(square))
    tiles = np.array([quad for quads in shown.values() for quad in quads])
    dyes = {terrain: np.array(shown[terrain]) for terrain in Terrain if terrain in shown}
    dyes.pop(Terrain.CASTLE, None)
    made = ((f"{terrain}", altered.read(truth, dyed(pixels, tiles, like))) for terrain, like in dyes.items())
    return [replace(row, way=terrain) for terrain, (row, _) in made]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=Path("models/results"))
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    made = [row for some in in_order(rows, labelled(given.data / "photos"), workers=given.workers) for row in some]
    table = altered.table(made, way="table like")
    write_atomically(given.out / "recoloured.csv", table.encode())
    print(table, end="")


if __name__ == "__main__":
    main()
