"""Things that lie on kingdoms: `python -m kdvision.lab.experiments.covered`. Are the dominoes missed that they hide, and told?

On rendered scenes that no training saw, with every dial turned (`lab/dials.py`), a thing is laid on one kingdom, its
middle on a tile or near it. A board is right that has the tiles under it, too. The scenes are read once as they are.
With `--photos` the things, drawn all the same, lie on the kingdoms of labelled photos and straightened boards.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.errors import KdvisionError
from kdvision.evaluate.evaluate import Labelled, labelled
from kdvision.evaluate.summary import Row
from kdvision.evaluate.workers import in_order
from kdvision.files import write_atomically
from kdvision.lab.experiments import altered
from kdvision.lab.experiments.dial_rows import ANYTHING, Task
from kdvision.lab.experiments.dials import Bench, anything
from kdvision.lab.experiments.judged import Verdict, judge
from kdvision.lab.render.renderer import Picture
from kdvision.vision.image.photo import Photo

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]
Draw = Callable[[Bytes, Floats, float, np.random.Generator], tuple[float, float, float]]
"""Draws the shape of a thing in a mask, about a point, for squares of so many pixels; returns its colour."""

STREAM: Final = 20_280_000
NOTHING: Final = "nothing"
DRAWS: Final = 2
"""So often each thing is laid on a photo, anew each time."""
REACH: Final = 6.0
"""Squares around the thing's middle that are drawn anew."""
SKIN: Final = ((224, 172, 140), (198, 134, 96), (141, 85, 54), (241, 205, 175), (92, 58, 40))


def _hand(mask: Bytes, at: Floats, side: float, rng: np.random.Generator) -> tuple[float, float, float]:
    """An arm from the edge, a palm and four fingers, whose tips lie about the point."""
    turn = rng.uniform(0, 2 * np.pi)
    back, across = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    palm = at + 1.6 * side * back
    _stroke(mask, palm, palm + 30 * side * back, 1.5 * side)
    _stroke(mask, palm, palm, 2.0 * side)
    for place in (-1.5, -0.5, 0.5, 1.5):
        root, tip = palm + 0.42 * place * side * across, at + 0.6 * place * side * across
        _stroke(mask, root, tip + rng.uniform(-0.3, 0.3) * side * back, 0.4 * side)
    red, green, blue = SKIN[rng.integers(len(SKIN))]
    return red, green, blue


def _sheet(least: tuple[float, float], most: tuple[float, float], shades: tuple[float, float], grey: bool) -> Draw:
    """A rectangle between these sizes, in squares, of a colour or a grey between these shades."""

    def draw(mask: Bytes, at: Floats, side: float, rng: np.random.Generator) -> tuple[float, float, float]:
        size = rng.uniform(least, most) * side
        box = cv2.boxPoints((at.tolist(), size.tolist(), float(rng.uniform(0, 360))))
        cv2.fillConvexPoly(mask, np.rint(box).astype(np.int32), 255)
        red, green, blue = rng.uniform(*shades, 3) if not grey else np.full(3, rng.uniform(*shades))
        return float(red), float(green), float(blue)

    return draw


def _disc(least: float, most: float) -> Draw:
    """A disc with a radius between these, in squares, of any colour."""

    def draw(mask: Bytes, at: Floats, side: float, rng: np.random.Generator) -> tuple[float, float, float]:
        _stroke(mask, at, at, 2 * side * rng.uniform(least, most))
        red, green, blue = rng.uniform(20, 240, 3)
        return float(red), float(green), float(blue)

    return draw


THINGS: Final[Mapping[str, Draw]] = {
    "a hand": _hand,
    "a phone": _sheet((1.8, 3.7), (1.9, 3.9), (15, 40), grey=True),
    "a cup": _disc(0.8, 1.1),
    "a sheet of paper": _sheet((1, 1), (2.5, 2.5), (225, 245), grey=True),
    "a king": _disc(0.25, 0.45),
    "a cloth": _sheet((1.5, 1.5), (4, 4), (30, 220), grey=False),
}


def _stroke(mask: Bytes, start: Floats, end: Floats, width: float) -> None:
    first, last = np.rint(start).astype(int).tolist(), np.rint(end).astype(int).tolist()
    cv2.line(mask, first, last, 255, max(1, round(width)))


def laid(photo: Bytes, thing: str, at: Floats, side: float, rng: np.random.Generator) -> Bytes:
    """Return the photo (H, W, 3) with a thing on it about a point, for squares of `side` pixels, and its shadow."""
    first = np.maximum(np.floor(at - REACH * side), 0).astype(int)
    last = np.minimum(np.ceil(at + REACH * side), (photo.shape[1], photo.shape[0])).astype(int)
    window = np.s_[first[1] : last[1], first[0] : last[0]]
    below = photo[window].astype(np.float64)
    mask = np.zeros(below.shape[:2], np.uint8)
    colour = THINGS[thing](mask, at - first, side, rng)
    cover = cv2.GaussianBlur(mask / 255, (0, 0), max(0.6, 0.02 * side))
    shadow = cv2.GaussianBlur(np.roll(mask, round(0.15 * side), (0, 1)) / 255, (0, 0), 0.15 * side)
    depth = cv2.distanceTransform((mask > 127).astype(np.uint8), cv2.DIST_L2, 3) / (0.5 * side)
    grain = cv2.GaussianBlur(rng.normal(0, 1, mask.shape), (0, 0), max(1.0, 0.05 * side)) * 8
    above = np.array(colour) * (0.7 + 0.35 * np.sqrt(np.clip(depth, 0, 1)))[..., None] + grain[..., None]
    seen = below * (1 - 0.35 * shadow * (1 - cover))[..., None]
    made = photo.copy()
    made[window] = np.clip(seen + (above - seen) * cover[..., None], 0, 255).astype(np.uint8)
    return made


def scene(number: int, bench: Bench) -> dict[str, tuple[Verdict, int]]:
    """Return the verdict on a scene with each of the THINGS and with nothing, and how many right boards are marked."""
    picture = bench.picture(Task(ANYTHING, "", number, anything(number)))
    found = {NOTHING: verdict(picture, picture.photo)}
    for n, thing in enumerate(THINGS):
        rng = np.random.default_rng([STREAM, number, n])
        kingdom = picture.kingdoms[rng.integers(len(picture.kingdoms))]
        quads = np.array([seen.corners for seen in kingdom.squares.values()])
        at, side = _spot(quads, rng)
        found[thing] = verdict(picture, laid(picture.photo, thing, at, side, rng))
    return found


def rows(truth: Labelled) -> list[Row]:
    """Return the rows of a photo with each of the THINGS on its first kingdom, `DRAWS` times; first as it is."""
    pixels = altered.pixels_of(truth)
    before, reads = altered.read(truth, pixels)
    made = [replace(before, way=NOTHING)]
    if not before.shape:
        return made
    quads = np.array([reads[0].grid.quad(square) for square in reads[0].board])
    for n, (thing, draw) in enumerate(product(THINGS, range(DRAWS))):
        rng = np.random.default_rng([STREAM, zlib.crc32(f"{truth.room}/{truth.path.name}".encode()), n, draw])
        at, side = _spot(quads, rng)
        row, _ = altered.read(truth, laid(pixels, thing, at, side, rng))
        made.append(replace(row, way=thing))
    return made


def _spot(quads: Floats, rng: np.random.Generator) -> tuple[Floats, float]:
    """A point on one of these squares (n, 4, 2) or near it, and their side in pixels."""
    side = float(np.sqrt(np.mean([cv2.contourArea(quad.astype(np.float32)) for quad in quads])))
    return quads[rng.integers(len(quads))].mean(axis=0) + 0.3 * side * rng.normal(size=2), side


def verdict(picture: Picture, pixels: Bytes) -> tuple[Verdict, int]:
    """Return the verdict on a photo by the truth of a picture, and how many of the kingdoms read are marked."""
    from kdvision import pipeline

    try:
        reads = pipeline.read(Photo.open(pixels))
    except KdvisionError:
        return judge(picture, [], error=True), 0
    return judge(picture, reads), sum(read.review for read in reads)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--art", default="drawn", help='"drawn", or a set of the data folder')
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--scenes", type=int, default=100)
    parser.add_argument("--out", type=Path, default=Path("models/results"))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--photos", action="store_true", help="on the photos and boards of the data folder instead")
    given = parser.parse_args()
    if given.photos:
        truths = [truth for name in ("photos", "boards") for truth in labelled(given.data / name)]
        seen = [row for some in in_order(rows, truths, workers=given.workers) for row in some]
        table = altered.table(seen, way="on a kingdom")
        write_atomically(given.out / "covered-photos.csv", table.encode())
        print(table, end="")
        return
    bench = Bench(given.art, "", given.data)
    made = list(in_order(partial(scene, bench=bench), range(given.scenes), workers=given.workers))
    lines = ["on a kingdom,kingdoms,found,right,marked,wrong without a warning"]
    for thing in made[0] if made else ():
        verdicts = [one[thing][0] for one in made]
        sums = [sum(getattr(v, name) for v in verdicts) for name in ("kingdoms", "found", "exact")]
        marked, silent = sum(one[thing][1] for one in made), sum(v.silent for v in verdicts)
        lines.append(f"{thing},{','.join(map(str, [*sums, marked, silent]))}")
    write_atomically(given.out / f"covered-{given.art}.csv", "\n".join([*lines, ""]).encode())
    print("\n".join(lines))


if __name__ == "__main__":
    main()
