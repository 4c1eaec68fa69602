"""Many photos in one process: memory stays flat, and the same photo always gives the same answer."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import pytest

from kdvision import pipeline
from kdvision.errors import KdvisionError
from kdvision.files import encode_image
from kdvision.game.rules import make_rule_set
from kdvision.report.build import build_photo_result
from kdvision.report.overlay import draw_overlay
from kdvision.report.result import Result
from kdvision.report.to_dict import result_to_dict
from kdvision.vision.image.photo import Photo
from tests.broken_files import BROKEN_FILES
from tests.memory import get_peak_megabytes, get_private_megabytes
from tests.paths import SAMPLES
from tests.robustness.scale import IS_LONG

PHOTOS = 1000 if IS_LONG else 10
SIZES = (1.0, 0.6, 1.4) if IS_LONG else (0.5,)
TURNS = (None, cv2.ROTATE_90_CLOCKWISE)
SAMPLE_NAMES = sorted(path.name for path in SAMPLES.glob("*.jpg")) if IS_LONG else ["demo.jpg"]
BROKEN_EVERY = 10
MAX_GROWTH = 1.05 if IS_LONG else 1.2
"""Largest share of the memory of the second quarter of a run that its last quarter may take."""


class Sample(NamedTuple):
    """One photo of the run: its name, the peak and the private memory after it in MB, and a digest of the answer."""

    photo: str
    peak: float
    private: float
    answer: str


def list_photos(count: int) -> Iterator[tuple[str, bytes]]:
    """Yield photos by name: samples in several sizes and turns, again and again; every tenth file is broken."""
    kinds = list(product(SAMPLE_NAMES, SIZES, TURNS))
    for number in range(count):
        if number % BROKEN_EVERY == BROKEN_EVERY - 1:
            name = list(BROKEN_FILES)[number // BROKEN_EVERY % len(BROKEN_FILES)]
            yield name, BROKEN_FILES[name](_make_photo(*kinds[0]))
        else:
            kind = kinds[(number - number // BROKEN_EVERY) % len(kinds)]
            yield str(kind), _make_photo(*kind)


@cache
def _make_photo(name: str, size: float, turn: int | None) -> bytes:
    pixels = cv2.resize(
        np.asarray(cv2.imread(str(SAMPLES / name))), None, fx=size, fy=size, interpolation=cv2.INTER_AREA
    )
    return bytes(cv2.imencode(".jpg", pixels if turn is None else cv2.rotate(pixels, turn))[1])


def answer_photo(content: bytes) -> str:
    """Return the JSON of a photo that is read, scored and drawn; of a broken file, the JSON of its error."""
    try:
        photo = Photo.open(content)
        kingdoms = pipeline.read(photo)
    except KdvisionError as error:
        return json.dumps(result_to_dict(Result("photo", error=error)))
    result = build_photo_result("photo", (photo.width, photo.height), kingdoms, make_rule_set())
    encode_image(draw_overlay(photo, result), ".jpg")
    return json.dumps(result_to_dict(result))


def run_photos(photos: Iterable[tuple[str, bytes]], answer: Callable[[bytes], str] = answer_photo) -> Iterator[Sample]:
    """Yield the sample of each photo, one after another in this process."""
    for name, content in photos:
        get_peak_megabytes(reset=True)
        digest = hashlib.sha256(answer(content).encode()).hexdigest()
        yield Sample(name, get_peak_megabytes(), get_private_megabytes(), digest)


def compute_growth(samples: Sequence[Sample]) -> float:
    """Return the memory of the last quarter as a share of the second; the first quarter fills caches."""
    quarters = np.array_split(np.array([(sample.peak, sample.private) for sample in samples]), 4)
    second_quarter, last_quarter = quarters[1].max(axis=0), quarters[3].max(axis=0)
    return float((last_quarter / np.maximum(second_quarter, 1)).max())


def list_changed_photos(samples: Iterable[Sample]) -> list[str]:
    """Return the photos that had several answers."""
    answers: dict[str, set[str]] = {}
    for sample in samples:
        answers.setdefault(sample.photo, set()).add(sample.answer)
    return [photo for photo, photo_answers in answers.items() if len(photo_answers) > 1]


def test_memory_stays_flat_and_answers_stay_the_same() -> None:
    samples = list(run_photos(list_photos(PHOTOS)))
    growth, changed_photos = compute_growth(samples), list_changed_photos(samples)
    assert changed_photos == []
    assert growth < MAX_GROWTH
    assert len({sample.answer for sample in samples}) > 2


def test_photos_come_round_and_every_tenth_is_broken() -> None:
    names = [name for name, _ in list_photos(40)]
    assert names[9::10] == list(BROKEN_FILES)[:4]
    assert len(set(names)) < len(names)


def test_a_leak_is_detected() -> None:
    leaked_blocks: list[bytes] = []

    def leak(_: bytes) -> str:
        leaked_blocks.append(b"\1" * 16_000_000)
        return ""

    samples = list(run_photos([("photo", b"")] * 40, leak))
    if not samples[0].private:
        pytest.skip("only Linux tells the memory of a process")
    assert compute_growth(samples) > MAX_GROWTH


def test_a_changed_answer_is_detected(tmp_path: Path) -> None:
    answers = iter("aab")
    assert list_changed_photos(run_photos([("x", b""), ("y", b""), ("x", b"")], lambda _: next(answers))) == ["x"]
