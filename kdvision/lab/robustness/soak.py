"""A long evening in one process: is the memory flat, and is the same photo answered the same every time?

    python -m kdvision.lab.robustness.soak --photos 1000 --csv out/soak.csv --json out/soak.json

The samples come round and round in several sizes and turnings, every tenth file is a broken one, and each photo goes
all the way: read, scored, written as JSON and drawn. Exits with 1 where the last quarter of the run holds more than
the second (the first fills what is kept for good), or an answer changes.
"""

import argparse
import csv
import hashlib
import io
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from benchmarks.bench_photos import SAMPLES, decode
from kdvision import pipeline
from kdvision.errors import KdvisionError
from kdvision.files import encode_image, write_atomically
from kdvision.game.rules import kingdomino
from kdvision.lab.robustness.broken import BROKEN
from kdvision.lab.robustness.memory import held_now, peak_so_far
from kdvision.report.build import build_photo_result
from kdvision.report.overlay import draw_overlay
from kdvision.report.result import Result
from kdvision.report.to_dict import result_to_dict
from kdvision.vision.image.photo import Photo

SIZES: Final = (1.0, 0.6, 1.4)
"""What the samples are brought to: memory that is kept for each size of a picture shows."""
TURNS: Final = (None, cv2.ROTATE_90_CLOCKWISE)
BROKEN_EVERY: Final = 10
GROWTH: Final = 1.05
"""The most that the last quarter of a run may hold, in shares of the second."""
QUARTERS: Final = 4

Answer = Callable[[bytes], str]


@dataclass(frozen=True)
class Moment:
    """One photo of the run: its place in it, what it was, megabytes at most and afterwards, its answer in short."""

    number: int
    photo: str
    seconds: float
    most: float
    held: float
    answer: str


@dataclass(frozen=True)
class Quarter:
    """A quarter of a run: how many photos, the most megabytes while one was read, and the most between two."""

    photos: int
    most: float
    held: float


def answer_of(content: bytes) -> str:
    """The JSON of a photo that goes all the way, a drawn picture included; errors are answers too."""
    try:
        photo = Photo.open(content)
        reads = pipeline.read(photo)
    except KdvisionError as error:
        return json.dumps(result_to_dict(Result("photo", error=error)))
    result = build_photo_result("photo", (photo.width, photo.height), reads, kingdomino())
    encode_image(draw_overlay(photo, result), ".jpg")
    return json.dumps(result_to_dict(result))


def photos(count: int, *, samples: Path = SAMPLES) -> Iterator[tuple[str, bytes]]:
    """Yield so many photos by name; raises KdvisionError where there are no samples."""
    kinds = [(path, size, turn) for size in SIZES for turn in TURNS for path in sorted(samples.glob("*.jpg"))]
    if not kinds:
        raise KdvisionError(f"there are no samples in {samples}", hint="run it in a checkout, where samples/ lies")
    ways, whole = list(BROKEN), 0
    for number in range(count):
        if number % BROKEN_EVERY == BROKEN_EVERY - 1:
            way = ways[number // BROKEN_EVERY % len(ways)]
            yield way, BROKEN[way](_made(*kinds[0]))
        else:
            path, size, turn = kinds[whole % len(kinds)]
            yield f"{path.stem} x {size}{' turned' if turn is not None else ''}", _made(path, size, turn)
            whole += 1


@cache
def _made(path: Path, size: float, turn: int | None) -> bytes:
    pixels = cv2.resize(decode(path.read_bytes()), None, fx=size, fy=size, interpolation=cv2.INTER_AREA)
    return bytes(cv2.imencode(".jpg", pixels if turn is None else cv2.rotate(pixels, turn))[1])


def soak(given: Iterable[tuple[str, bytes]], *, answer: Answer = answer_of) -> Iterator[Moment]:
    """Yield what each photo took, one after another in this process."""
    for number, (name, content) in enumerate(given):
        peak_so_far(reset=True)
        start = time.process_time()
        made = hashlib.sha256(answer(content).encode()).hexdigest()[:16]
        yield Moment(number, name, time.process_time() - start, peak_so_far(), held_now(), made)


def quarters(moments: Sequence[Moment]) -> list[Quarter]:
    """The run in four parts."""
    parts = np.array_split(np.arange(len(moments)), QUARTERS)
    few = [[moments[int(place)] for place in part] for part in parts]
    return [Quarter(len(part), max(m.most for m in part), max(m.held for m in part)) for part in few]


def growth(moments: Sequence[Moment]) -> float:
    """What the last quarter holds in shares of the second, between photos or at most, whichever is more."""
    _, second, _, last = quarters(moments)
    return max(last.held / max(second.held, 1), last.most / max(second.most, 1))


def changed(moments: Iterable[Moment]) -> list[str]:
    """The photos that were not answered the same every time."""
    known: dict[str, set[str]] = {}
    for moment in moments:
        known.setdefault(moment.photo, set()).add(moment.answer)
    return [photo for photo, answers in known.items() if len(answers) > 1]


def as_csv(moments: Iterable[Moment]) -> str:
    """A line a photo."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(field.name for field in fields(Moment))
    writer.writerows(
        (m.number, m.photo, f"{m.seconds:.3f}", f"{m.most:.1f}", f"{m.held:.1f}", m.answer) for m in moments
    )
    return out.getvalue()


def figures(moments: Sequence[Moment]) -> dict[str, Any]:
    """What the run came to, as plain values."""
    return {
        "photos": len(moments),
        "different_photos": len({moment.photo for moment in moments}),
        "processor_seconds": round(sum(moment.seconds for moment in moments), 1),
        "most_megabytes": round(max(moment.most for moment in moments), 1),
        "quarters": [asdict(quarter) for quarter in quarters(moments)],
        "growth": round(growth(moments), 4),
        "changed_answers": changed(moments),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print the quarters; 1 where the memory grows or an answer changes, 2 for too few photos."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=int, default=1000)
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write a line a photo into this file")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures into this file")
    given = parser.parse_args(arguments)
    if given.photos < QUARTERS:
        parser.error(f"name {QUARTERS} photos or more")
    moments: list[Moment] = []
    for moment in soak(photos(given.photos)):
        moments.append(moment)
        if len(moments) % 100 == 0:
            print(f"  {len(moments)} photos, {moment.held:.0f} MB held, {moment.most:.0f} MB at most", flush=True)
    told = figures(moments)
    if given.csv:
        write_atomically(given.csv, as_csv(moments).encode())
    if given.json:
        write_atomically(given.json, (json.dumps(told, indent=1) + "\n").encode())
    for number, quarter in enumerate(quarters(moments), start=1):
        print(f"quarter {number}: {quarter.photos} photos, {quarter.held:.0f} MB held, {quarter.most:.0f} MB at most")
    print(f"the last holds {told['growth']:.3f} of the second; {len(told['changed_answers'])} answers changed")
    return int(told["growth"] > GROWTH or bool(told["changed_answers"]))


if __name__ == "__main__":
    sys.exit(main())
