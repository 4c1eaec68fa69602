"""A batch of 12-megapixel photos: two workers read them, then two workers only decode them."""

import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.measurement import Measurement
from benchmarks.photos import decode_jpeg, enlarge_sample
from kdvision.batch.reading.job import Job, JobResult, make_failed_result, read_photo
from kdvision.batch.reading.workers import PoolExecutor, Task
from kdvision.batch.run import BatchOptions, BatchRun
from kdvision.batch.store.folder import ResultFolder
from kdvision.errors import KdvisionError

SAMPLES: Final = ("demo", "castle", "holes")
"""Samples with one kingdom each, as most photos of an event."""
WORKERS: Final = 2
PHOTOS: Final = 24
SECONDS: Final = "seconds"


def run_timed(task: Task, job: Job) -> JobResult:
    """Return the result of a task, with the processor time that it took."""
    start = time.process_time()
    result = task(job)
    return result._replace(data={**result.data, SECONDS: time.process_time() - start})


def decode_photo(job: Job) -> JobResult:
    """Decode a photo and read nothing."""
    decode_jpeg(job.data)
    return make_failed_result(KdvisionError("it was only decoded"))


class TimedExecutor(PoolExecutor):
    """A pool that collects the processor time of each photo."""

    def __init__(self, task: Task, seconds: list[float]) -> None:
        super().__init__(WORKERS, task=partial(run_timed, task))
        self.seconds = seconds

    def run(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, JobResult]]:
        for job, result in super().run(jobs):
            self.seconds.append(result.data[SECONDS])
            yield job, result


def measure_batch() -> Iterator[Measurement]:
    """Yield rates by the clock, from the first result to the last, and the processor time of a photo."""
    with TemporaryDirectory() as work:
        folder = Path(work) / "photos"
        folder.mkdir()
        for number in range(PHOTOS):
            name = SAMPLES[number % len(SAMPLES)]
            data = enlarge_sample(name) + number.to_bytes(2, "big")  # bytes behind the picture make it another file
            (folder / f"table{number // 4 + 1}-{name}{number}.jpg").write_bytes(data)
        reading = _run_batch(folder, Path(work) / "read", read_photo)
        decoding = _run_batch(folder, Path(work) / "decode", decode_photo)
    yield Measurement(f"{WORKERS} workers: whole batch", 60 * reading[0], "photos a minute")
    yield Measurement(f"{WORKERS} workers: decoding only", 60 * decoding[0], "photos a minute")
    yield Measurement("processor time of a photo", reading[1], ratio=reading[1] / decoding[1])


def _run_batch(folder: Path, out: Path, task: Task) -> tuple[float, float]:
    """Return photos a second, and milliseconds of processor time a photo, workers and parent together."""
    moments: list[float] = []
    seconds: list[float] = []

    def note_time(*_: int) -> None:
        moments.append(time.perf_counter())

    start = time.process_time()
    executor = TimedExecutor(task, seconds)
    with ResultFolder(out).lock(), closing(executor):
        BatchRun(BatchOptions(folder, out), executor.run, on_progress=note_time).run()
    parent_seconds = time.process_time() - start
    return (len(moments) - 1) / (moments[-1] - moments[0]), 1000 * (mean(seconds) + parent_seconds / len(seconds))
