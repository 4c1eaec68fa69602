"""The executors that read photos: this process, or a pool of processes on this machine.

Each process loads the networks once and reads one photo after another. A photo whose worker dies is read again on its
own, so that it alone fails if it is the cause.
"""

import ctypes
import os
import signal
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from multiprocessing import connection, get_context, parent_process
from typing import ClassVar, Protocol, TypeAlias

from kdvision.batch.reading.job import Job, JobResult, failed_result, read_photo, use_one_thread
from kdvision.errors import KdvisionError

Task: TypeAlias = Callable[[Job], JobResult]
"""What a worker does: `read_photo`, or a substitute in tests."""

JobResults: TypeAlias = Iterator[tuple[Job, JobResult]]


class Executor(Protocol):
    """Reads photos."""

    def run(self, jobs: Iterable[Job]) -> JobResults:
        """Yield each job with its result as it completes. Takes jobs from the iterable as it can use them."""
        ...

    def close(self) -> None:
        """Stop all workers. What they are reading is lost."""
        ...


class SerialExecutor:
    """Reads photos in this process, for a few photos."""

    def run(self, jobs: Iterable[Job]) -> JobResults:
        """Yield each job with its result."""
        for job in jobs:
            yield job, read_photo(job)

    def close(self) -> None:
        """Do nothing: there are no workers."""


class ParallelExecutor(ABC):
    """Submits jobs to workers, and runs those whose worker died again when no others are running."""

    MAX_DEATHS: ClassVar[int]
    """How many workers a photo may end, read on its own, before it fails."""
    DEATH: ClassVar[KdvisionError]
    """Why it fails then."""

    def __init__(self, task: Task) -> None:
        self.task = task

    def run(self, jobs: Iterable[Job]) -> JobResults:
        """Yield each job with its result as it completes."""
        running: dict[Future[JobResult], Job] = {}
        suspects: list[Job] = []
        for job in jobs:
            running[self._submit(job)] = job
            while len(running) > self._max_running():
                yield from self._collect(running, suspects)
        while running:
            yield from self._collect(running, suspects)

    def _collect(self, running: dict[Future[JobResult], Job], suspects: list[Job]) -> JobResults:
        """Yield the jobs that have completed by now, at least one; then, if none is running, the suspects."""
        done = wait(running, return_when=FIRST_COMPLETED).done
        if any(not one.cancelled() and isinstance(one.exception(), BrokenProcessPool) for one in done):
            done = wait(running).done  # a worker died, which ends all jobs of the pool
        for future in sorted(done, key=lambda future: running[future].photo):
            job, result = running.pop(future), self._result(future)
            if result is None:
                suspects.append(job)
            else:
                yield job, result
        if not running:
            for job in suspects:
                yield job, self._run_alone(job)
            suspects.clear()

    def _run_alone(self, job: Job) -> JobResult:
        """The result of a job that is run while no other is."""
        for _ in range(self.MAX_DEATHS):
            if (result := self._result(self._submit(job))) is not None:
                return result
        return failed_result(self.DEATH)

    @abstractmethod
    def _max_running(self) -> int: ...

    @abstractmethod
    def _submit(self, job: Job) -> Future[JobResult]:
        """The future of a job."""

    @abstractmethod
    def _result(self, future: Future[JobResult]) -> JobResult | None:
        """The result of a future; None if its worker died."""


class PoolExecutor(ParallelExecutor):
    """Reads photos in `size` processes, by default one a core. They end with this process, however it ends."""

    MAX_DEATHS = 2
    DEATH = KdvisionError(
        "reading it ended the program, as for lack of memory",
        hint="scale the photo down, or run again with fewer workers",
    )

    def __init__(self, size: int | None = None, *, task: Task = read_photo) -> None:
        super().__init__(task)
        self.size = size or _count_cores()
        self._pool: ProcessPoolExecutor | None = None

    def close(self) -> None:
        """End all processes."""
        if self._pool is not None:
            workers = list((self._pool._processes or {}).values())
            self._pool.shutdown(wait=False, cancel_futures=True)
            for worker in workers:
                worker.terminate()
            for worker in workers:
                worker.join()
        self._pool = None

    def _max_running(self) -> int:
        return self.size  # plus the one just submitted, so that no worker has to wait for its next job

    def _submit(self, job: Job) -> Future[JobResult]:
        if self._pool is None:
            # Forking a process with threads is unsafe, and Windows has no fork.
            self._pool = ProcessPoolExecutor(self.size, mp_context=get_context("spawn"), initializer=_start_worker)
        try:
            return self._pool.submit(_run_task, self.task, job)
        except BrokenProcessPool as error:  # it broke a moment ago; this job fails like those that were running
            future: Future[JobResult] = Future()
            future.set_exception(error)
            return future

    def _result(self, future: Future[JobResult]) -> JobResult | None:
        try:
            return future.result()
        except BrokenProcessPool:
            self.close()
            return None


def _count_cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _start_worker() -> None:
    """Prepare a worker process: Ctrl-C is left to the parent, and the worker ends when the parent does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    use_one_thread()


def _exit_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _run_task(task: Task, job: Job) -> JobResult:
    """The result of a task. Returns unused memory to the system, because images of many sizes fragment the heap."""
    result = task(job)
    if (trim := load_malloc_trim()) is not None:
        trim(0)
    return result


@cache
def load_malloc_trim() -> Callable[[int], int] | None:
    """glibc's `malloc_trim`; None with other C libraries."""
    try:
        function: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # TypeError: Windows cannot load None
        return None
    return function
