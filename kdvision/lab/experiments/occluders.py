"""Objects that cover a part of a kingdom: are the dominoes below them missed, and is the board flagged?

An object lies on one kingdom of a rendered scene or of a labelled photo, its centre on a tile or near it. A board is
right only if it has the tiles below the object. The objects are drawn, and not those of the training scenes.
"""

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from kdvision.evaluate.evaluate import compare_with_label
from kdvision.lab.arrays import Bytes, Floats, Rng
from kdvision.lab.experiments.experiment import Experiment, Reading, Row, number_scenes, read_picture
from kdvision.lab.experiments.factors import DRAWN, SCANS, draw_factors, render_scene
from kdvision.lab.experiments.judge import VERDICT_COUNTS, judge
from kdvision.lab.experiments.labelled import count_photo, load_compared, load_labels
from kdvision.lab.render.scene_factors import measure_side
from kdvision.vision.image.photo import Photo

STREAM: Final = 20_280_000
"""First word of every seed here."""
NONE: Final = "nothing"
SCENES: Final = 100
PHOTO_SETS: Final = ("photos", "boards")
DRAWS_PER_PHOTO: Final = 2
REACH_SIDES: Final = 6.0
"""The part of the picture around an object that is drawn anew."""
MAX_SIDE_PIXELS: Final = 1600
"""Photos are shrunk to this, because the objects are blended in at full size."""
SKIN_COLOURS: Final = ((224, 172, 140), (198, 134, 96), (141, 85, 54), (241, 205, 175), (92, 58, 40))


@dataclass(frozen=True)
class Occluder:
    """An object of a random size between two (a rectangle's sides or a disc's diameter, in squares).

    Its colour is a random one between two shades, or a grey. A hand has neither.
    """

    shape: str
    min_size: tuple[float, ...] = ()
    max_size: tuple[float, ...] = ()
    shades: tuple[float, float] = (20, 240)
    is_grey: bool = False

    def draw(self, mask: Bytes, at: Floats, side: float, rng: Rng) -> Floats:
        """Draw the object into a mask about a point, for squares of `side` pixels; return its colour (3,)."""
        if self.shape == "hand":
            _draw_hand(mask, at, side, rng)
            return np.array(SKIN_COLOURS[rng.integers(len(SKIN_COLOURS))], float)
        size = rng.uniform(self.min_size, self.max_size) * side
        if self.shape == "disc":
            _draw_stroke(mask, at, at, float(size[0]))
        else:
            box = cv2.boxPoints((at.tolist(), size.tolist(), float(rng.uniform(0, 360))))
            cv2.fillConvexPoly(mask, np.rint(box).astype(np.int32), 255)
        return np.full(3, rng.uniform(*self.shades)) if self.is_grey else rng.uniform(*self.shades, 3)


OCCLUDERS: Final[Mapping[str, Occluder]] = {
    "a hand": Occluder("hand"),
    "a phone": Occluder("rectangle", (1.8, 3.7), (1.9, 3.9), (15, 40), is_grey=True),
    "a cup": Occluder("disc", (1.6,), (2.2,)),
    "a sheet of paper": Occluder("rectangle", (1, 1), (2.5, 2.5), (225, 245), is_grey=True),
    "a king": Occluder("disc", (0.5,), (0.9,)),
    "a cloth": Occluder("rectangle", (1.5, 1.5), (4, 4), (30, 220)),
}
"""The objects by name. Their order is part of the seeds."""


def _draw_hand(mask: Bytes, at: Floats, side: float, rng: Rng) -> None:
    """Draw an arm from the edge of the picture, a palm and four fingers that end about the point."""
    turn = rng.uniform(0, 2 * np.pi)
    back, across = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    palm = at + 1.6 * side * back
    _draw_stroke(mask, palm, palm + 30 * side * back, 1.5 * side)
    _draw_stroke(mask, palm, palm, 2.0 * side)
    for finger in (-1.5, -0.5, 0.5, 1.5):
        root, tip = palm + 0.42 * finger * side * across, at + 0.6 * finger * side * across
        _draw_stroke(mask, root, tip + rng.uniform(-0.3, 0.3) * side * back, 0.4 * side)


def _draw_stroke(mask: Bytes, start: Floats, end: Floats, width: float) -> None:
    start_pixel, end_pixel = np.rint(start).astype(int).tolist(), np.rint(end).astype(int).tolist()
    cv2.line(mask, start_pixel, end_pixel, 255, max(1, round(width)))


def cover(photo: Bytes, occluder: str, at: Floats, side: float, rng: Rng) -> Bytes:
    """Return the photo (H, W, 3) with an object about a point, for squares of `side` pixels, and its shadow."""
    low = np.maximum(np.floor(at - REACH_SIDES * side), 0).astype(int)
    high = np.minimum(np.ceil(at + REACH_SIDES * side), (photo.shape[1], photo.shape[0])).astype(int)
    window = np.s_[low[1] : high[1], low[0] : high[0]]
    table = photo[window].astype(np.float64)
    mask = np.zeros(table.shape[:2], np.uint8)
    colour = OCCLUDERS[occluder].draw(mask, at - low, side, rng)
    opacity = cv2.GaussianBlur(mask / 255, (0, 0), max(0.6, 0.02 * side))
    shadow = cv2.GaussianBlur(np.roll(mask, round(0.15 * side), (0, 1)) / 255, (0, 0), 0.15 * side)
    depth = cv2.distanceTransform((mask > 127).astype(np.uint8), cv2.DIST_L2, 3) / (0.5 * side)
    grain = cv2.GaussianBlur(rng.normal(0, 1, mask.shape), (0, 0), max(1.0, 0.05 * side)) * 8
    surface = colour * (0.7 + 0.35 * np.sqrt(np.clip(depth, 0, 1)))[..., None] + grain[..., None]
    background = table * (1 - 0.35 * shadow * (1 - opacity))[..., None]
    covered_photo = photo.copy()
    covered_photo[window] = np.clip(background + (surface - background) * opacity[..., None], 0, 255).astype(np.uint8)
    return covered_photo


def _draw_point(quads: Floats, rng: Rng) -> tuple[Floats, float]:
    """Return a random point on one of these squares (n, 4, 2) or near it, and their side in pixels."""
    side = measure_side(quads)
    return quads[rng.integers(len(quads))].mean(axis=0) + 0.3 * side * rng.normal(size=2), side


def _list_cases(data: Path, seed: int) -> Iterator[Row]:
    for art, number in product((DRAWN, SCANS) if data.is_dir() else (DRAWN,), number_scenes(seed, SCENES)):
        yield {"set": f"{art} scenes", "picture": number}
    for folder in PHOTO_SETS:
        for name in load_compared(data / folder):
            yield {"set": folder, "picture": name}


def _measure_case(data: Path, case: Row) -> list[Row]:
    """Return a row for a scene as it is and one with each object on one of its kingdoms; see `_measure_photo`."""
    name = str(case["set"])
    if name in PHOTO_SETS:
        return _measure_photo(name, str(case["picture"]), data)
    art, number = name.removesuffix(" scenes"), int(case["picture"])
    picture = render_scene(draw_factors(number), number, art, data)
    rows: list[Row] = [{"occluder": NONE, **judge(picture, read_picture(picture.photo))}]
    for index, occluder in enumerate(OCCLUDERS):
        rng = np.random.default_rng([STREAM, number, index])
        kingdom = picture.kingdoms[rng.integers(len(picture.kingdoms))]
        at, side = _draw_point(np.array([square.corners for square in kingdom.squares.values()]), rng)
        covered_photo = cover(picture.photo, occluder, at, side, rng)
        rows.append({"occluder": occluder, **judge(picture, read_picture(covered_photo))})
    return rows


def _measure_photo(folder: str, name: str, data: Path) -> list[Row]:
    """Return a row for a photo as it is and, if its outline is right, rows with each object on its first kingdom."""
    truth = load_labels(data / folder)[name]
    pixels = Photo.open(truth.path).pixels
    factor = min(1.0, MAX_SIDE_PIXELS / max(pixels.shape[:2]))
    pixels = np.asarray(cv2.resize(pixels, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.uint8)

    def count(occluder: str, reading: Reading) -> Row:
        result = compare_with_label(truth, reading.kingdoms, error=reading.error)
        return {"occluder": occluder, "kingdoms": 1, "found": result.found, **count_photo(result)}

    base_reading = read_picture(pixels)
    rows = [count(NONE, base_reading)]
    if not rows[0]["outlined"]:
        return rows
    quads = np.array([base_reading.kingdoms[0].grid.quads[square] for square in base_reading.kingdoms[0].board])
    for index, (occluder, draw) in enumerate(product(OCCLUDERS, range(DRAWS_PER_PHOTO))):
        rng = np.random.default_rng([STREAM, zlib.crc32(name.encode()), index, draw])
        at, side = _draw_point(quads, rng)
        rows.append(count(occluder, read_picture(cover(pixels, occluder, at, side, rng))))
    return rows


EXPERIMENT: Final = Experiment(
    name="occluders",
    question="Are boards below a hand, a cup or a cloth flagged?",
    cases=_list_cases,
    measure=_measure_case,
    groups=("set", "occluder"),
    counts=VERDICT_COUNTS,
    quick_cases=2,
)
