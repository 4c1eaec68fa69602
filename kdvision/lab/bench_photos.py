"""What `bench` does to photos: samples brought to 12 megapixels, and every stage of reading one, ready to be timed."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kdvision import pipeline
from kdvision.errors import KdvisionError
from kdvision.game.rules import kingdomino
from kdvision.report.data import data
from kdvision.report.overlay import overlay
from kdvision.report.result import of_photo
from kdvision.report.table import table
from kdvision.vision import lattice, search
from kdvision.vision.cells import CellReader
from kdvision.vision.evidence import look
from kdvision.vision.finder import Finder
from kdvision.vision.models import shipped
from kdvision.vision.photo import Photo

SAMPLES: Final = Path(__file__).resolve().parents[2] / "samples"
SCENES: Final = {"one 5x5": "demo", "one 7x7": "seven", "four 5x5": "four-kingdoms"}
"""What is shown, and the sample that shows it."""
PIXELS: Final = 12_000_000

_PEAK: Final = """
import sys, kdvision
kdvision.read(sys.stdin.buffer.read())
if sys.platform == "linux":  # here ru_maxrss counts the parent's memory too, from before the program began
    print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])
else:
    import resource
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def one_core() -> None:
    """Keep this process to one core, where the system can, so that figures of different machines compare."""
    cv2.setNumThreads(1)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def twelve_megapixels(name: str) -> bytes:
    """A sample photo enlarged to 12 megapixels, as a JPEG; raises KdvisionError where there is none."""
    path = SAMPLES / f"{name}.jpg"
    if not path.is_file():
        raise KdvisionError(f"there is no sample {path}", hint="run it in a checkout, where samples/ lies")
    small = decode(path.read_bytes())
    factor = float(np.sqrt(PIXELS / (small.shape[0] * small.shape[1])))
    large = cv2.resize(small, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC)
    return bytes(cv2.imencode(".jpg", large, [cv2.IMWRITE_JPEG_QUALITY, 90])[1])


def decode(code: bytes) -> NDArray[np.uint8]:
    """The pixels of a JPEG, by OpenCV and nothing else."""
    return np.asarray(cv2.imdecode(np.frombuffer(code, np.uint8), cv2.IMREAD_COLOR), np.uint8)


def stages(code: bytes) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield each stage of reading a photo by name, as a function that does it once; the whole comes last."""
    photo, finder, reader = Photo.open(code), Finder(shipped("finder")), CellReader(shipped("cells"))
    looks = finder.find(photo)
    grids = search.grids(photo, finder)
    sights = [look(photo, reader, grid) for grid in grids]
    reads = pipeline.kingdoms_of(photo, sights)
    yield "open", lambda: Photo.open(code)
    yield "find, the first looks", lambda: finder.find(photo)
    yield "grow lattices", lambda: [lattice.lattices(squares) for squares in looks]
    yield "find, all looks", lambda: search.grids(photo, finder)
    yield "read", lambda: [look(photo, reader, grid) for grid in grids]
    yield "decide", lambda: pipeline.kingdoms_of(photo, sights)
    yield "report", lambda: _report(photo, reads)
    yield "whole photo", lambda: pipeline.read(code)


def _report(photo: Photo, reads: list[pipeline.KingdomRead]) -> None:
    """Table, JSON object and overlay of what was read."""
    result = of_photo(photo.name, (photo.width, photo.height), reads, kingdomino())
    table(result)
    data(result)
    overlay(photo, result)


def peak_memory(code: bytes) -> float:
    """Megabytes that a process of its own takes at most to read the photo; not a number where the system cannot say."""
    if sys.platform == "win32":
        return float("nan")
    done = subprocess.run([sys.executable, "-c", _PEAK], input=code, capture_output=True, check=True)
    return int(done.stdout) / (1024 if sys.platform != "darwin" else 1024**2)
