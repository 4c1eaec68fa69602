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
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from itertools import islice
from multiprocessing import get_context, parent_process
from typing import Any, Final, TypeAlias

from kdvision.batch.reading.job import Job, JobResult, hash_models, make_failed_result, read_photo
from kdvision.errors import KdvisionError, ModelError
from kdvision.vision.networks.onnx import count_cores, use_one_thread

CONNECT_TIMEOUT_SECONDS: Final = 15.0
"""How long to wait for a Dask scheduler."""

JOBS_PER_THREAD: Final = 2
"""Jobs submitted for each thread of a cluster: one is read while the next one is sent."""

CHECK_INTERVAL_SECONDS: Final = 30.0
"""How long to wait for a result before the workers are counted."""

MAX_CHECKS_WITHOUT_WORKERS: Final = 4
"""Checks in a row that find no worker before a run ends: a worker that died needs some seconds to start again."""

ALL_KEPT: Final = "all results so far are kept"
INSTALL_SAME: Final = "install the same version of kdvision on all machines"

Task: TypeAlias = Callable[[Job], JobResult]
"""What a worker does: `read_photo`, or a substitute in tests."""

JobResults: TypeAlias = Iterator[tuple[Job, JobResult]]


def read_in_process(jobs: Iterable[Job]) -> JobResults:
    """Yield each job with its result, read in this process: for a few photos."""
    for job in jobs:
        yield job, read_photo(job)


def _run_jobs(jobs: Iterable[Job], executor: "Executor") -> JobResults:
    """Yield each job with its result. Jobs whose worker died run again when no others are running."""
    waiting_jobs, running_jobs = iter(jobs), dict[Future[JobResult], Job]()
    interrupted_jobs: list[Job] = []
    while True:
        # One more than can run, so that no worker has to wait for its next job.
        for job in islice(waiting_jobs, max(0, executor.count_slots() + 1 - len(running_jobs))):
            running_jobs[executor.submit(job)] = job
        if not running_jobs:
            return
        done_futures = _wait_for_some(running_jobs, executor)
        for future in sorted(done_futures, key=lambda future: running_jobs[future].photo):
            job, result = running_jobs.pop(future), executor.get_result(future)
            if result is None:
                interrupted_jobs.append(job)
            else:
                yield job, result
        while interrupted_jobs and not running_jobs:
            job = interrupted_jobs.pop(0)
            runs = (_wait_for_some([executor.submit(job)], executor) for _ in range(executor.MAX_DEATHS))
            results = (executor.get_result(future) for (future,) in runs)
            yield job, next(filter(None, results), None) or make_failed_result(executor.DEATH)


def _wait_for_some(futures: Iterable[Future[JobResult]], executor: "Executor") -> set[Future[JobResult]]:
    """Return the futures that are done, at least one; raise KdvisionError if no worker is left for too long."""
    checks_without_workers, all_futures = 0, set(futures)
    while checks_without_workers < MAX_CHECKS_WITHOUT_WORKERS:
        done_futures = wait(all_futures, CHECK_INTERVAL_SECONDS, FIRST_COMPLETED).done
        if done_futures:
            return done_futures
        checks_without_workers = 0 if executor.count_slots() else checks_without_workers + 1
    raise KdvisionError(f"{executor.name} has lost all its workers", hint=f"{ALL_KEPT}: start workers, and run again")


class PoolExecutor:
    """Reads photos in `size` processes, by default one per core. They end with this process, however it ends."""

    MAX_DEATHS: Final = 2
    """How many workers a photo that is read on its own may end before it fails with `DEATH`."""
    DEATH: Final = KdvisionError(
        "reading it ended the program, perhaps for lack of memory",
        hint="scale the photo down, or run again with fewer workers",
    )

    def __init__(self, size: int | None = None, *, task: Task = read_photo) -> None:
        self.size, self.task, self.name = size or count_cores(), task, "this machine"
        self._pool: ProcessPoolExecutor | None = None

    def run(self, jobs: Iterable[Job]) -> JobResults:
        """Yield each job with its result as it completes. Takes jobs from the iterable as it can use them."""
        return _run_jobs(jobs, self)

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

    def count_slots(self) -> int:
        """Return how many jobs the workers can take."""
        return self.size

    def submit(self, job: Job) -> Future[JobResult]:
        """Return the future of a job. A pool that broke, because a worker died, is replaced."""
        while True:
            if self._pool is None:
                # Forking a process with threads is unsafe, and Windows has no fork.
                self._pool = ProcessPoolExecutor(self.size, mp_context=get_context("spawn"), initializer=_start_worker)
            try:
                return self._pool.submit(_run_task, self.task, job)
            except BrokenProcessPool:
                self.close()

    def get_result(self, future: Future[JobResult]) -> JobResult | None:
        """Return the result of a future; None if its worker died."""
        try:
            return future.result()
        except BrokenProcessPool:
            return None


def _start_worker() -> None:
    """Prepare a worker process: leave Ctrl-C to the parent, and end when the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    use_one_thread()


def _exit_with_parent() -> None:
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


def _run_task(task: Task, job: Job) -> JobResult:
    """Return the result of a task. Unused memory goes back to the system: images of many sizes fragment the heap."""
    result = task(job)
    with suppress(AttributeError, OSError, TypeError):  # only glibc has it; Windows cannot load None
        ctypes.CDLL(None).malloc_trim(0)
    return result


class DaskExecutor:
    """Reads photos on all workers of a Dask cluster; raises KdvisionError if no scheduler answers at `address`.

    Photos are sent as bytes, so workers need no common disk and the scheduler can move jobs of a lost worker.
    """

    MAX_DEATHS: Final = 1
    DEATH: Final = KdvisionError(
        "reading it ended one worker of the cluster after another",
        hint="scale the photo down, or give the workers more memory",
    )

    def __init__(self, address: str, *, task: Task = read_photo) -> None:
        try:
            import distributed
        except ImportError as error:
            hint = "install it: pip install 'kdvision[cluster]'"
            raise KdvisionError("working on a cluster needs Dask", hint=hint) from error
        self.address, self.task, self.name = address, task, f"the cluster at {address}"
        gc.collect()  # a client that failed before would deadlock if it were finalised while this one starts its loop
        try:
            self._client = distributed.Client(address, timeout=CONNECT_TIMEOUT_SECONDS)
        except Exception as error:  # invalid addresses, timeouts and refusals have no common class
            words = " ".join(str(error).split()) or type(error).__name__
            hint = "start one (see docs/events.md), and give the address that dask scheduler prints"
            raise KdvisionError(f"no Dask scheduler answers at {address} ({words})", hint=hint) from error

    def run(self, jobs: Iterable[Job]) -> JobResults:
        """Yield each job with its result; raise KdvisionError if the cluster is gone or has no workers."""
        if not self.count_slots():
            hint = f"start some: dask worker {self.address} --nthreads 1"
            raise KdvisionError(f"{self.name} has no workers", hint=hint)
        yield from _run_jobs(jobs, self)

    def close(self) -> None:
        """Disconnect from the cluster, which goes on running."""
        self._client.close(timeout=CONNECT_TIMEOUT_SECONDS)

    def count_slots(self) -> int:
        try:
            threads: int = sum(self._client.nthreads().values())
        except Exception as error:  # a lost connection raises errors of many classes
            raise self._make_connection_error() from error
        return JOBS_PER_THREAD * threads

    def submit(self, job: Job) -> Future[JobResult]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Dask warns of large tasks; there are never many at a time
            task = self._client.submit(self.task, job, pure=False)
        # The futures of Dask's own executor never end if the worker that has the result dies before it is fetched.
        future = Future[JobResult]()
        task.add_done_callback(partial(_copy_outcome, future))
        return future

    def get_result(self, future: Future[JobResult]) -> JobResult | None:
        import distributed

        try:
            result = future.result()
        except distributed.KilledWorker:  # too many workers died while they had this job
            return None
        except (CancelledError, OSError, TimeoutError) as error:
            raise self._make_connection_error() from error
        except (ImportError, AttributeError, TypeError) as error:
            raise KdvisionError(f"a worker of the cluster cannot do this work ({error})", hint=INSTALL_SAME) from error
        if result.models != hash_models():
            raise ModelError("a worker of the cluster has other models", hint=INSTALL_SAME)
        return result

    def _make_connection_error(self) -> KdvisionError:
        hint = f"{ALL_KEPT}: start the cluster, and run again"
        return KdvisionError(f"{self.name} does not answer any more", hint=hint)


def _copy_outcome(future: Future[JobResult], task: Any) -> None:
    """Give a future the result or the error of a task of Dask."""
    try:
        if task.cancelled():  # its client closes, and may not answer any more
            raise CancelledError
        future.set_result(task.result())
    except BaseException as error:  # noqa: BLE001  (who waits for the future gets it)
        future.set_exception(error)


Executor: TypeAlias = PoolExecutor | DaskExecutor
