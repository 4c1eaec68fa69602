"""What `bench` does to photos: samples brought to many megapixels, and every stage of reading one, to be timed.

The photos get a camera's grain, as much as makes their files weigh what phones' files weigh, 0.3 bytes a pixel. A JPEG
takes the longer to decode the more it weighs; ratios to the decoding of smoother pictures would say little.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kdvision import pipeline
from kdvision.errors import KdvisionError
from kdvision.game.rules import kingdomino
from kdvision.report.build import build_photo_result
from kdvision.report.overlay import draw_overlay
from kdvision.report.result import Result
from kdvision.report.table import format_table
from kdvision.report.to_dict import result_to_dict
from kdvision.vision.classify.observe import observe
from kdvision.vision.detect import search
from kdvision.vision.find import Networks
from kdvision.vision.image.photo import Photo

SAMPLES: Final = Path(__file__).resolve().parents[1] / "samples"
SCENES: Final = {"one 5x5": "demo", "one 7x7": "seven", "four 5x5": "four-kingdoms"}
"""What is shown, and the sample that shows it."""
MEGAPIXELS: Final = (12, 48)
"""What phones take, and what their largest sensors give."""
DECODE: Final = "decode only, OpenCV"
GRAIN: Final = 6.0
"""Steps of noise (standard deviation): what brings an enlarged picture, which has none, to 0.3 bytes a pixel."""

_PEAK: Final = """
import sys
{work}
if sys.platform == "linux":  # here ru_maxrss counts the parent's memory too, from before the program began
    print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1], file=sys.stderr)
else:
    import resource
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""
READ: Final = "import kdvision; kdvision.read(sys.stdin.buffer.read())"
DRAW: Final = """
from kdvision.cli import main
try: main(["score", "-", "--overlay", sys.argv[1]])
except SystemExit as done: assert done.code in (0, None)
"""

_CLOCK: Final = """
import os, sys, time
if hasattr(os, "sched_setaffinity"): os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:{cores}])
os.environ["KDVISION_THREADS"] = "{cores}"
import cv2, kdvision; cv2.setNumThreads({cores})
code, best = sys.stdin.buffer.read(), float("inf")
for _ in range({runs}):
    start = time.perf_counter()
    kdvision.read(code)
    best = min(best, time.perf_counter() - start)
print(best)
"""


def one_core() -> None:
    """Keep this process to one core, where the system can, so that figures of different machines compare."""
    cv2.setNumThreads(1)
    os.environ["KDVISION_THREADS"] = "1"
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


@cache
def enlarged(name: str, megapixels: int = MEGAPIXELS[0]) -> bytes:
    """A sample at so many megapixels, with a camera's grain, as a JPEG; raises KdvisionError where there is none."""
    path = SAMPLES / f"{name}.jpg"
    if not path.is_file():
        raise KdvisionError(f"there is no sample {path}", hint="run it in a checkout, where samples/ lies")
    small = decode(path.read_bytes())
    factor = float(np.sqrt(megapixels * 1e6 / (small.shape[0] * small.shape[1])))
    size = tuple(8 * round(side * factor / 8) for side in (small.shape[1], small.shape[0]))
    large = cv2.resize(small, size, interpolation=cv2.INTER_CUBIC)
    grain = np.rint(np.random.default_rng(7).normal(0, GRAIN, (512, 512))).astype(np.int16)
    rows, cols = -(-size[1] // 512), -(-size[0] // 512)
    noise = np.repeat(np.tile(grain, (rows, cols))[: size[1], : size[0], None], 3, axis=2)
    large = cv2.add(large, noise, dtype=cv2.CV_8U)
    return bytes(cv2.imencode(".jpg", large, [cv2.IMWRITE_JPEG_QUALITY, 90])[1])


def decode(code: bytes) -> NDArray[np.uint8]:
    """The pixels of a JPEG, by OpenCV and nothing else."""
    return np.asarray(cv2.imdecode(np.frombuffer(code, np.uint8), cv2.IMREAD_COLOR), np.uint8)


def stages(code: bytes) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield each stage of reading a photo by name, as a function that does it once; before them, the mere decoding."""
    yield DECODE, lambda: decode(code)
    networks = Networks.load()
    photo = Photo.open(code)
    grids = search.find_grids(photo, networks.detector)
    seen = [observe(photo, networks.classifier, grid) for grid in grids]
    observations = networks.classify_context(photo, seen)
    reads = pipeline.assemble_kingdoms(photo, observations)
    result = build_photo_result(photo.name, (photo.width, photo.height), reads, kingdomino())
    yield "open", lambda: Photo.open(code)
    yield "find", lambda: search.find_grids(Photo.open(code), networks.detector)
    yield "read squares", lambda: [observe(photo, networks.classifier, grid) for grid in grids]
    yield "read them together", lambda: networks.classify_context(photo, seen)
    yield "decide", lambda: pipeline.assemble_kingdoms(photo, observations)
    yield "report", lambda: _report(result)
    yield "whole photo", lambda: _whole(code)
    yield "draw it on the photo", lambda: draw_overlay(Photo.open(code), result)


def _whole(code: bytes) -> None:
    """All that `kdvision score` does with a photo."""
    photo = Photo.open(code)
    _report(build_photo_result(photo.name, (photo.width, photo.height), pipeline.read(photo), kingdomino()))


def _report(result: Result) -> None:
    """The table and the JSON object of what was read."""
    format_table(result)
    result_to_dict(result)


def peak_memory(code: bytes, work: str, *arguments: str) -> float:
    """Megabytes that a process of its own takes at most for the work, the photo on stdin; NaN where nobody can say."""
    if sys.platform == "win32":
        return float("nan")
    command = [sys.executable, "-c", _PEAK.format(work=work), *arguments]
    done = subprocess.run(command, input=code, capture_output=True, check=True)
    return int(done.stderr.split()[-1]) / (1024 if sys.platform != "darwin" else 1024**2)


def by_the_clock(code: bytes, *, cores: int, runs: int = 3) -> float:
    """Milliseconds that a person waits for the photo on so many cores, in a process of its own, once it is warm."""
    command = [sys.executable, "-c", _CLOCK.format(cores=cores, runs=runs + 1)]
    done = subprocess.run(command, input=code, capture_output=True, check=True)
    return float(done.stdout) * 1000


def started(arguments: Sequence[str], *, runs: int = 5) -> float:
    """Milliseconds of processor time of the program from its start to its end, in the best of several runs."""
    best = float("inf")
    for _ in range(runs):
        before = _children()
        subprocess.run([sys.executable, "-m", "kdvision", *arguments], check=True, capture_output=True)
        best = min(best, _children() - before)
    return best * 1000


def _children() -> float:
    """Seconds of processor time that ended child processes have taken."""
    import resource  # which Windows does not have

    taken = resource.getrusage(resource.RUSAGE_CHILDREN)
    return taken.ru_utime + taken.ru_stime


def one_after_another() -> tuple[int, float]:
    """How many samples were read one after another, and the seconds of processor time that took."""
    codes = [path.read_bytes() for path in sorted(SAMPLES.glob("*.jpg")) if path.stem != "no-kingdom"]
    for warm in (True, False):
        start = time.process_time()
        for code in codes[: 1 if warm else None]:
            _whole(code)
    return len(codes), time.process_time() - start
