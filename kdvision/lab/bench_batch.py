"""What `bench` does to an event: photos of 12 megapixels, read by two workers with all that a run writes.

Beside it the same files are only decoded by the same workers. Rates are by the clock, from the first result to the
last; the ratio is one of processor time, so that other work on the machine does not count.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from kdvision.batch.event import Rules
from kdvision.batch.place import Place
from kdvision.batch.plan import Plan
from kdvision.batch.pool import Pool, Task
from kdvision.batch.run import Night, Progress
from kdvision.batch.work import Clamps, Done, Job, do, failed, prepare
from kdvision.errors import KdvisionError
from kdvision.lab import bench_photos

SHOWN: Final = ("demo", "castle", "holes")
"""Samples with one kingdom each, as most photos of an event show."""

WORKERS: Final = 2
PHOTOS: Final = 24
_SPENT: Final = "seconds"


class Figure(NamedTuple):
    """One figure: what was measured, how much, and its unit."""

    what: str
    amount: float
    unit: str


class Run(NamedTuple):
    """What a run took: photos a second by the clock, and seconds of processor time for each photo."""

    rate: float
    processor: float


def read(data: bytes, rules: Rules, clamps: Clamps) -> Done:
    """What a worker does to a photo, with the processor time that it took."""
    return _timed(lambda: do(data, rules, clamps))


def decode(data: bytes, _rules: Rules, _clamps: Clamps) -> Done:
    """A worker that only decodes a photo, by OpenCV."""

    def only() -> Done:
        bench_photos.decode(data)
        return failed(KdvisionError("it was only decoded"))

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
        whole, alone = (_run(folder, Path(work) / task.__name__, task) for task in (read, decode))
    yield Figure(f"12 MP, {WORKERS} workers: whole event", 60 * whole.rate, "photos a minute")
    yield Figure(f"12 MP, {WORKERS} workers: decode only, OpenCV", 60 * alone.rate, "photos a minute")
    yield Figure("12 MP: processor time of a photo", 1000 * whole.processor, "ms")
    yield Figure("12 MP: rate in shares of decoding only", alone.processor / whole.processor, "x")


class _Timed(Pool):
    """A pool that notes what its workers spent on each photo."""

    def __init__(self, spent: list[float], task: Task) -> None:
        super().__init__(WORKERS, task=task)
        self.spent = spent

    def work(self, jobs: Iterator[Job]) -> Iterator[tuple[Job, Done]]:
        for job, done in super().work(jobs):
            self.spent.append(done.data[_SPENT])
            yield job, done


def _run(folder: Path, out: Path, task: Task) -> Run:
    """A whole run over the photos, with this done to each."""
    moments: list[float] = []
    spent: list[float] = []

    def tell(_: Progress) -> None:
        moments.append(time.perf_counter())

    own = time.process_time()
    with Place(out).held(), closing(Night(Plan(folder, out), _Timed(spent, task), tell=tell)) as night:
        night.once()
    own = time.process_time() - own
    return Run((len(moments) - 1) / (moments[-1] - moments[0]), (sum(spent) + own) / len(spent))


def _timed(work: Callable[[], Done]) -> Done:
    prepare()
    start = time.process_time()
    done = work()
    return done._replace(data={**done.data, _SPENT: time.process_time() - start})
