"""Pictures that look like many kingdoms and show none: noise, quilts, keyboards and spreadsheets of 12 megapixels."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.measurement import Measurement, time_call
from benchmarks.photos import use_one_core
from kdvision import pipeline
from kdvision.errors import NoKingdomFound

Bytes = NDArray[np.uint8]

SIZE_PIXELS: Final = (3000, 4000)
"""Height and width."""
PICTURES: Final = 13
"""Pictures of each kind."""
MAX_SECONDS: Final = 2.0


def draw_noise(rng: np.random.Generator) -> Bytes:
    """Return noise in blobs of a random size."""
    blob = int(rng.choice([1, 4, 16, 64]))
    shape = (SIZE_PIXELS[0] // blob, SIZE_PIXELS[1] // blob, 3)
    return np.asarray(cv2.resize(rng.integers(0, 255, shape, np.uint8), SIZE_PIXELS[::-1]), np.uint8)


def draw_quilt(rng: np.random.Generator) -> Bytes:
    """Return squares of random colours with seams, seen at a random angle."""
    side = int(rng.integers(60, 300))
    shape = (2 * SIZE_PIXELS[0] // side, 2 * SIZE_PIXELS[1] // side, 3)
    colours = rng.integers(0, 255, shape, np.uint8)
    quilt = np.repeat(np.repeat(colours, side, axis=0), side, axis=1)
    quilt[::side], quilt[:, ::side] = 30, 30
    centre = (quilt.shape[1] / 2, quilt.shape[0] / 2)
    turn = cv2.getRotationMatrix2D(centre, float(rng.uniform(0, 90)), 1.0)
    turn[:, 2] += np.array(SIZE_PIXELS[::-1]) / 2 - centre
    return np.asarray(cv2.warpAffine(quilt, turn, SIZE_PIXELS[::-1]), np.uint8)


def draw_keyboard(rng: np.random.Generator) -> Bytes:
    """Return rows of keys with a letter on each, every row shifted."""
    picture = np.full((*SIZE_PIXELS, 3), rng.integers(20, 80), np.uint8)
    side, key = int(rng.integers(120, 350)), tuple(map(int, rng.integers(100, 255, 3)))
    for row, top in enumerate(range(0, SIZE_PIXELS[0], side)):
        for left in range(row * side // 3 % side, SIZE_PIXELS[1], side):
            gap = side // 12
            cv2.rectangle(picture, (left + gap, top + gap), (left + side - gap, top + side - gap), key, -1)
            letter, corner = chr(int(rng.integers(65, 91))), (left + side // 3, top + 2 * side // 3)
            cv2.putText(picture, letter, corner, cv2.FONT_HERSHEY_SIMPLEX, side / 60, (20, 20, 20), side // 30)
    return picture


def draw_spreadsheet(rng: np.random.Generator) -> Bytes:
    """Return a table of numbers, some of its cells coloured."""
    picture = np.full((*SIZE_PIXELS, 3), 250, np.uint8)
    height = int(rng.integers(60, 200))
    width = int(height * rng.uniform(1, 3))
    for top in range(0, SIZE_PIXELS[0], height):
        for left in range(0, SIZE_PIXELS[1], width):
            if rng.random() < 0.3:
                colour = tuple(map(int, rng.integers(120, 255, 3)))
                cv2.rectangle(picture, (left, top), (left + width, top + height), colour, -1)
            cv2.rectangle(picture, (left, top), (left + width, top + height), (120, 120, 120), 3)
            number, corner = str(rng.integers(0, 999)), (left + height // 8, top + 3 * height // 4)
            cv2.putText(picture, number, corner, cv2.FONT_HERSHEY_SIMPLEX, height / 50, (20, 20, 20), 3)
    return picture


TEXTURES: Final[Mapping[str, Callable[[np.random.Generator], Bytes]]] = {
    "noise": draw_noise,
    "quilt": draw_quilt,
    "keyboard": draw_keyboard,
    "spreadsheet": draw_spreadsheet,
}


def measure_textures() -> Iterator[Measurement]:
    """Yield the median and the longest time for the JPEGs of each kind, on one core."""
    use_one_core()
    for kind, draw in TEXTURES.items():
        pictures = (draw(np.random.default_rng(seed)) for seed in range(PICTURES))
        jpegs = [bytes(cv2.imencode(".jpg", picture)[1]) for picture in pictures]
        times = [time_call(partial(_read_photo, jpeg)) for jpeg in jpegs]
        yield Measurement(f"{kind}: median", float(np.median(times)))
        yield Measurement(f"{kind}: worst", max(times), limit=1000 * MAX_SECONDS)


def _read_photo(jpeg: bytes) -> None:
    with suppress(NoKingdomFound):  # the right answer
        pipeline.read(jpeg)
