"""What `bench` does to an event: photos of 12 megapixels, read by two workers with all that a run writes.

Beside it the same files are only decoded by the same workers. Rates are by the clock, from the first result to the
last; the ratio is one of processor time, so that other work on the machine does not count. What a process does once, as
loading its models, is measured apart, and counts as it does in a night of 400 photos.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from benchmarks import bench_photos
from kdvision.batch.corrections import FixedSquares
from kdvision.batch.event import BatchOptions
from kdvision.batch.job import Job, JobResult, failed_result, read_photo, use_one_thread
from kdvision.batch.result_folder import ResultFolder
from kdvision.batch.rules import Rules
from kdvision.batch.run import BatchRun, Progress
from kdvision.batch.workers import PoolExecutor, Task
from kdvision.errors import KdvisionError

SHOWN: Final = ("demo", "castle", "holes")
"""Samples with one kingdom each, as most photos of an event show."""

WORKERS: Final = 2
PHOTOS: Final = 24
NIGHT: Final = 400
"""The photos of an event: what is done once is shared by so many."""
_SPENT, _FIRST = "seconds", "first"


class Figure(NamedTuple):
    """One figure: what was measured, how much, and its unit."""

    what: str
    amount: float
    unit: str


class Run(NamedTuple):
    """What a run took: photos a second by the clock, and seconds of processor time.

    These are what a worker does to a photo, what the night does for each photo beside that, and what starts a worker.
    """

    rate: float
    photo: float
    beside: float
    start: float

    @property
    def processor(self) -> float:
        """Seconds of processor time for each photo of a night, all told."""
        return self.photo + self.beside + WORKERS * self.start / NIGHT


def read(data: bytes, rules: Rules, fixed_squares: FixedSquares) -> JobResult:
    """What a worker does to a photo, with the processor time that it took."""
    return _timed(lambda: read_photo(data, rules, fixed_squares))


def decode(data: bytes, _rules: Rules, _clamps: FixedSquares) -> JobResult:
    """A worker that only decodes a photo, by OpenCV."""

    def only() -> JobResult:
        bench_photos.decode(data)
        return failed_result(KdvisionError("it was only decoded"))

    return _timed(only)


def figures(*, photos: int = PHOTOS) -> Iterator[Figure]:
    """Yield what reading an event costs, and how that compares with only decoding it."""
    with TemporaryDirectory() as work:
        folder = Path(work) / "photos"
        folder.mkdir()
        for number in range(photos):
            name = SHOWN[number % len(SHOWN)]
            # Bytes behind a picture's end change nothing but make it another file.
            code = bench_photos.enlarged(name) + number.to_bytes(2, "big")
            (folder / f"table{number // 4 + 1}-{name}{number}.jpg").write_bytes(code)
        _run(folder, Path(work) / "warm", decode)  # this process begins once, too
        whole, alone = (_run(folder, Path(work) / task.__name__, task) for task in (read, decode))
    yield Figure(f"12 MP, {WORKERS} workers: whole event", 60 * whole.rate, "photos a minute")
    yield Figure(f"12 MP, {WORKERS} workers: decode only, OpenCV", 60 * alone.rate, "photos a minute")
    yield Figure("12 MP: processor time to start a worker", 1000 * whole.start, "ms")
    yield Figure("12 MP: processor time beside the workers, a photo", 1000 * whole.beside, "ms")
    yield Figure(f"12 MP: processor time of a photo, in {NIGHT}", 1000 * whole.processor, "ms")
    yield Figure("12 MP: rate in shares of decoding only", alone.photo / whole.processor, "x")


class _Timed(PoolExecutor):
    """A pool that notes what its workers spent on each photo."""

    def __init__(self, spent: list[tuple[float, bool]], task: Task) -> None:
        super().__init__(WORKERS, task=task)
        self.spent = spent

    def run(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, JobResult]]:
        for job, done in super().run(jobs):
            self.spent.append((done.data[_SPENT], done.data[_FIRST]))
            yield job, done


def _run(folder: Path, out: Path, task: Task) -> Run:
    """A whole run over the photos, with this done to each."""
    moments: list[float] = []
    spent: list[tuple[float, bool]] = []

    def tell(_: Progress) -> None:
        moments.append(time.perf_counter())

    own = time.process_time()
    with (
        ResultFolder(out).lock(),
        closing(BatchRun(BatchOptions(folder, out), _Timed(spent, task), on_progress=tell)) as night,
    ):
        night.run()
    own = time.process_time() - own
    rate = (len(moments) - 1) / (moments[-1] - moments[0])
    firsts, others = ([seconds for seconds, first in spent if first is which] for which in (True, False))
    photo = mean(others)
    return Run(rate, photo, own / len(spent), max(0.0, mean(firsts) - photo))


def _timed(work: Callable[[], JobResult]) -> JobResult:
    first = not _begun.cache_info().currsize
    _begun()
    start = time.process_time()
    done = work()
    return done._replace(data={**done.data, _SPENT: time.process_time() - start, _FIRST: first})


@cache
def _begun() -> None:
    """What is remembered of a process once it has had a photo."""
    use_one_thread()
