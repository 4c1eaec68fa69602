"""Photos of many megapixels: stages, memory and the start of the program.

The photos are samples, enlarged and given a camera's noise until their files have the size of phone photos, 0.3 bytes a
pixel: the decoding time of a JPEG depends on its size.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.measurement import Measurement, time_best, time_in_turns
from benchmarks.server import SAMPLES
from kdvision import pipeline
from kdvision.files import encode_image
from kdvision.game.rules import make_rule_set
from kdvision.report.build import build_photo_result
from kdvision.report.overlay import draw_overlay
from kdvision.report.result import Result
from kdvision.report.table import format_table
from kdvision.report.to_dict import result_to_dict
from kdvision.vision.image.photo import Photo

SCENES: Final = {"one 5x5": "demo", "one 7x7": "seven", "four 5x5": "four-kingdoms"}
"""What a photo shows, and the sample that shows it."""
MAX_RATIO: Final = {"one 5x5": 2.0, "four 5x5": 3.5}
"""Largest time of a whole 12-megapixel photo on one core, as a multiple of its decoding."""
MAX_MEGABYTES: Final = {12: 500.0, 48: 1000.0}
"""Largest memory by megapixels; the largest phone sensors give 48."""
NOISE_SIGMA: Final = 6.0
"""Noise in grey levels that brings an enlarged sample to 0.3 bytes a pixel."""
TIMED_RUNS: Final = 3

MEMORY_CODE: Final = """
import sys
{work}
print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1], file=sys.stderr)
"""
READ_CODE: Final = "import kdvision; kdvision.read(sys.stdin.buffer.read())"
DRAW_CODE: Final = """
from kdvision.cli import main
try: main(["score", "-", "--overlay", sys.argv[1]])
except SystemExit as error: assert error.code in (0, None)
"""


def use_one_core() -> None:
    """Keep this process on one core, where the system can."""
    cv2.setNumThreads(1)
    os.environ["KDVISION_THREADS"] = "1"
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


@cache
def enlarge_sample(name: str, megapixels: int = 12) -> bytes:
    """Return a sample as a noisy JPEG of this size."""
    sample = decode_jpeg((SAMPLES / f"{name}.jpg").read_bytes())
    factor = float(np.sqrt(megapixels * 1e6 / (sample.shape[0] * sample.shape[1])))
    width, height = (8 * round(side * factor / 8) for side in (sample.shape[1], sample.shape[0]))
    enlarged_sample = cv2.resize(sample, (width, height), interpolation=cv2.INTER_CUBIC)
    noise = np.rint(np.random.default_rng(7).normal(0, NOISE_SIGMA, (512, 512))).astype(np.int16)
    tiled_noise = np.tile(noise, (-(-height // 512), -(-width // 512)))[:height, :width, None]
    enlarged_sample = cv2.add(enlarged_sample, np.repeat(tiled_noise, 3, axis=2), dtype=cv2.CV_8U)
    return bytes(cv2.imencode(".jpg", enlarged_sample, [cv2.IMWRITE_JPEG_QUALITY, 90])[1])


def decode_jpeg(data: bytes) -> NDArray[np.uint8]:
    """Return the pixels of a JPEG, decoded by OpenCV."""
    return np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR), np.uint8)


@cache
def time_decoding() -> float:
    """Return the time in which OpenCV decodes an enlarged sample, in milliseconds."""
    return time_best(partial(decode_jpeg, enlarge_sample("demo")))


def score_photo(data: bytes, watch: Callable[[str, object], None] | None = None) -> None:
    """Do what `kdvision score` does with a photo."""
    photo = Photo.open(data)
    kingdoms = pipeline.read(photo, watch=watch)
    result = build_photo_result(photo.name, (photo.width, photo.height), kingdoms, make_rule_set())
    format_table(result)
    result_to_dict(result)


def encode_overlay(photo: Photo, result: Result) -> bytes:
    """Return the picture that `kdvision score --overlay` writes."""
    return encode_image(draw_overlay(photo, result), ".jpg")


def time_stages(data: bytes) -> dict[str, float]:
    """Return the time of each stage of the pipeline in milliseconds, by the name that the pipeline gives it."""
    best: dict[str, float] = {}
    for _ in range(TIMED_RUNS + 1):
        last_time = time.process_time()

        def watch(stage: str, _: object) -> None:
            nonlocal last_time
            now = time.process_time()
            best[stage] = min(best.get(stage, np.inf), 1000 * (now - last_time))
            last_time = now

        score_photo(data, watch)
    return best


def measure_stages() -> Iterator[Measurement]:
    """Yield the times of whole photos and of each stage, on one core."""
    use_one_core()
    for megapixels in MAX_MEGABYTES:
        for title, name in SCENES.items():
            data, label = enlarge_sample(name, megapixels), f"{megapixels} MP, {title}"
            photo = Photo.open(data)
            result = build_photo_result(label, (photo.width, photo.height), pipeline.read(photo), make_rule_set())
            calls: dict[str, Callable[[], object]] = {
                "decoding by OpenCV": partial(decode_jpeg, data),
                "whole photo": partial(score_photo, data),
                "overlay, drawn and encoded": partial(encode_overlay, photo, result),
            }
            times = time_in_turns(calls)
            decoding = times["decoding by OpenCV"]
            limits = {"overlay, drawn and encoded": decoding}
            if megapixels == 12 and title in MAX_RATIO:
                limits["whole photo"] = MAX_RATIO[title] * decoding
            for call, value in times.items():
                yield Measurement(f"{label}: {call}", value, limit=limits.get(call), ratio=value / decoding)
            for stage, value in time_stages(data).items():
                yield Measurement(f"{label}: until {stage}", value, ratio=value / decoding)


def measure_memory() -> Iterator[Measurement]:
    """Yield the peak memory of a process that reads one photo, and of one that draws it as well."""
    if not Path("/proc/self/status").is_file():
        return
    with tempfile.TemporaryDirectory() as folder:
        for megapixels, limit in MAX_MEGABYTES.items():
            for title, name in SCENES.items():
                for activity, code in (("read", READ_CODE), ("read and drawn", DRAW_CODE)):
                    command = [sys.executable, "-c", MEMORY_CODE.format(work=code), f"{folder}/drawn.jpg"]
                    data = enlarge_sample(name, megapixels)
                    process = subprocess.run(command, input=data, capture_output=True, check=True)
                    value = int(process.stderr.split()[-1]) / 1024
                    yield Measurement(f"{megapixels} MP, {title}: {activity}", value, "MB", limit)


def measure_start() -> Iterator[Measurement]:
    """Yield the processor time of whole commands."""
    for arguments, limit in ((["--help"], 250.0), (["type", "w w1 / l #"], 350.0), (["score", "demo.jpg"], None)):
        value = min(_time_command(arguments) for _ in range(5))
        yield Measurement(f"kdvision {arguments[0]}", value, limit=limit, ratio=value / time_decoding())


def _time_command(arguments: Sequence[str]) -> float:
    before = os.times()
    subprocess.run([sys.executable, "-m", "kdvision", *arguments], check=True, capture_output=True, cwd=SAMPLES)
    after = os.times()
    return 1000 * (after.children_user + after.children_system - before.children_user - before.children_system)
