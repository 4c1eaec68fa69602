"""Executors read photos: in a pool of processes on this machine, or on a Dask cluster.

Each process loads the networks once and reads one photo after another. A photo whose worker dies is read again on its
own, so that it alone fails if it is the cause.
"""

import ctypes
import gc
import os
import signal
import threading
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from itertools import islice
from multiprocessing import connection, get_context, parent_process
from typing import ClassVar, Final, TypeAlias

from kdvision.batch.reading.job import Job, JobResult, failed_result, hash_models, read_photo, use_one_thread
from kdvision.errors import KdvisionError, ModelError

CONNECT_TIMEOUT_SECONDS: Final = 15.0
"""How long to wait for a Dask scheduler."""

JOBS_PER_THREAD: Final = 2
"""Jobs submitted for each thread of a cluster: one is read while the next one is sent."""

INSTALL_SAME: Final = "install the same version of kdvision on all machines"

Task: TypeAlias = Callable[[Job], JobResult]
"""What a worker does: `read_photo`, or a substitute in tests."""

JobResults: TypeAlias = Iterator[tuple[Job, JobResult]]


def read_in_process(jobs: Iterable[Job]) -> JobResults:
    """Yield each job with its result, read in this process: for a few photos."""
    for job in jobs:
        yield job, read_photo(job)


class Executor(ABC):
    """Submits jobs to workers, and runs those whose worker died again when no others are running."""

    MAX_DEATHS: ClassVar[int]
    """How many workers a photo may end, read on its own, before it fails."""
    DEATH: ClassVar[KdvisionError]
    """Why it fails then."""

    def __init__(self, task: Task) -> None:
        self.task = task

    def run(self, jobs: Iterable[Job]) -> JobResults:
        """Yield each job with its result as it completes. Takes jobs from the iterable as it can use them."""
        waiting, running = iter(jobs), dict[Future[JobResult], Job]()
        suspects: list[Job] = []
        while True:
            for job in islice(waiting, max(0, self._capacity() - len(running))):
                running[self._submit(job)] = job
            if not running:
                return
            done = wait(running, return_when=FIRST_COMPLETED).done
            if any(not one.cancelled() and isinstance(one.exception(), BrokenProcessPool) for one in done):
                done = wait(running).done  # a worker died, which ends all jobs of the pool
            for future in sorted(done, key=lambda future: running[future].photo):
                job, result = running.pop(future), self._result(future)
                if result is None:
                    suspects.append(job)
                else:
                    yield job, result
            while suspects and not running:
                yield (job := suspects.pop(0)), self._run_alone(job)

    def _run_alone(self, job: Job) -> JobResult:
        for _ in range(self.MAX_DEATHS):
            if (result := self._result(self._submit(job))) is not None:
                return result
        return failed_result(self.DEATH)

    @abstractmethod
    def close(self) -> None:
        """Stop reading. What the workers are reading is lost."""

    @abstractmethod
    def _capacity(self) -> int:
        """How many jobs may be submitted at a time: one more than can run, so that no worker has to wait."""

    @abstractmethod
    def _submit(self, job: Job) -> Future[JobResult]:
        """The future of a job."""

    @abstractmethod
    def _result(self, future: Future[JobResult]) -> JobResult | None:
        """The result of a future; None if its worker died."""


class PoolExecutor(Executor):
    """Reads photos in `size` processes, by default one a core. They end with this process, however it ends."""

    MAX_DEATHS = 2
    DEATH = KdvisionError(
        "reading it ended the program, as for lack of memory",
        hint="scale the photo down, or run again with fewer workers",
    )

    def __init__(self, size: int | None = None, *, task: Task = read_photo) -> None:
        super().__init__(task)
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self.size = size or cores
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

    def _capacity(self) -> int:
        return self.size + 1

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


def _start_worker() -> None:
    """Prepare a worker process: Ctrl-C is left to the parent, and the worker ends when the parent does."""

    def exit_with_parent() -> None:
        if (parent := parent_process()) is not None:
            connection.wait([parent.sentinel])
            os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=exit_with_parent, daemon=True).start()
    use_one_thread()


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


class DaskExecutor(Executor):
    """Reads photos on all workers of a Dask cluster; raises KdvisionError if no scheduler answers at `address`.

    Photos are sent as bytes, so workers need no common disk and the scheduler can move jobs of a lost worker.
    """

    MAX_DEATHS = 1
    DEATH = KdvisionError(
        "reading it ended one worker of the cluster after another",
        hint="scale the photo down, or give the workers more memory",
    )

    def __init__(self, address: str, *, task: Task = read_photo) -> None:
        try:
            import distributed
        except ImportError as error:
            hint = "install it: pip install 'kdvision[cluster]'"
            raise KdvisionError("working on a cluster needs Dask", hint=hint) from error
        super().__init__(task)
        self.address = address
        gc.collect()  # a client that failed before would deadlock if it were finalised while this one starts its loop
        try:
            self._client = distributed.Client(address, timeout=CONNECT_TIMEOUT_SECONDS)
        except Exception as error:  # invalid addresses, timeouts and refusals have no common class
            words = " ".join(str(error).split()) or type(error).__name__
            hint = "start one (see docs/events.md), and give the address that dask scheduler prints"
            raise KdvisionError(f"no Dask scheduler answers at {address} ({words})", hint=hint) from error
        self._executor = self._client.get_executor(pure=False)

    def run(self, jobs: Iterable[Job]) -> JobResults:
        """Yield each job with its result; raises KdvisionError if the cluster is gone or has no workers."""
        if self._capacity() == 1:
            hint = f"start some: dask worker {self.address} --nthreads 1"
            raise KdvisionError(f"the cluster at {self.address} has no workers", hint=hint)
        yield from super().run(jobs)

    def close(self) -> None:
        """Disconnect from the cluster, which goes on running."""
        self._client.close(timeout=CONNECT_TIMEOUT_SECONDS)

    def _capacity(self) -> int:
        try:
            threads: int = sum(self._client.nthreads().values())
        except Exception as error:  # a lost connection raises errors of many classes
            raise self._connection_error() from error
        return JOBS_PER_THREAD * threads + 1

    def _submit(self, job: Job) -> Future[JobResult]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Dask warns of large tasks; there are never many at a time
            future: Future[JobResult] = self._executor.submit(self.task, job)
        return future

    def _result(self, future: Future[JobResult]) -> JobResult | None:
        import distributed

        try:
            result = future.result()
        except distributed.KilledWorker:  # too many workers died with this job among theirs
            return None
        except (CancelledError, OSError, TimeoutError) as error:
            raise self._connection_error() from error
        except (ImportError, AttributeError, TypeError) as error:
            raise KdvisionError(f"a worker of the cluster cannot do this work ({error})", hint=INSTALL_SAME) from error
        if result.models != hash_models():
            raise ModelError("a worker of the cluster has other models", hint=INSTALL_SAME)
        return result

    def _connection_error(self) -> KdvisionError:
        hint = "all results so far are kept: start the cluster, and run again"
        return KdvisionError(f"the cluster at {self.address} does not answer any more", hint=hint)
