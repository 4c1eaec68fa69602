"""All cores of this machine: processes that load the networks once and read one photo after another."""

import ctypes
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait as wait_for
from typing import Final, Protocol, TypeAlias

from kdvision.batch.event import Rules
from kdvision.batch.job import Done, FixedSquares, Job, do, failed, prepare
from kdvision.errors import KdvisionError

TRIES: Final = 2
"""How often a photo may take its worker down, alone, before it is left out."""


Task: TypeAlias = Callable[[bytes, Rules, FixedSquares], Done]
"""What is done to the bytes of a photo: `work.do`, or what a test puts in its place."""


class Crew(Protocol):
    """Those who read photos."""

    def work(self, jobs: Iterator[Job]) -> Iterator[tuple[Job, Done]]:
        """Yield each job with what came of it, as they are done; takes jobs from the iterator as it can use them."""
        ...

    def close(self) -> None:
        """Send everybody home; what is being read is dropped."""
        ...


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Here:
    """A crew of one, this process: for a handful of photos."""

    def work(self, jobs: Iterator[Job]) -> Iterator[tuple[Job, Done]]:
        """Yield each job with what came of it."""
        for job in jobs:
            yield job, do(job.data, job.rules, job.fixed_squares)

    def close(self) -> None:
        """There is nobody to send home."""


class Pool:
    """A crew of `size` processes. They start with the first job, and end with this process however that ends."""

    def __init__(self, size: int | None = None, *, task: Task = do) -> None:
        self.size, self.task = size or cores(), task
        self._executor: ProcessPoolExecutor | None = None

    def work(self, jobs: Iterator[Job]) -> Iterator[tuple[Job, Done]]:
        """Yield each job with what came of it; a job whose worker died is done again, by itself."""
        running: dict[Future[Done], Job] = {}
        for job in jobs:
            running[self._submitted(job)] = job
            if len(running) > self.size:  # one more than workers, so that nobody waits for the next
                yield from self._finished(running)
        while running:
            yield from self._finished(running)

    def close(self) -> None:
        """End all processes."""
        if self._executor is not None:
            workers = list((self._executor._processes or {}).values())
            self._executor.shutdown(wait=False, cancel_futures=True)
            for worker in workers:
                worker.terminate()
            for worker in workers:
                worker.join()
        self._executor = None

    def _submitted(self, job: Job) -> Future[Done]:
        try:
            return self._hired().submit(_tidily, self.task, job.data, job.rules, job.fixed_squares)
        except BrokenProcessPool as error:  # it broke since the last look; the job fails as those that were in it
            lost: Future[Done] = Future()
            lost.set_exception(error)
            return lost

    def _hired(self) -> ProcessPoolExecutor:
        if self._executor is None:
            # Forking a process that has threads is not safe everywhere, and does not exist everywhere.
            context = get_context("spawn")
            self._executor = ProcessPoolExecutor(self.size, mp_context=context, initializer=_begin)
        return self._executor

    def _finished(self, running: dict[Future[Done], Job]) -> Iterator[tuple[Job, Done]]:
        """Yield what is done by now, at least one thing."""
        finished, _ = wait(running, return_when=FIRST_COMPLETED)
        if any(isinstance(future.exception(), BrokenProcessPool) for future in finished):
            finished, _ = wait(running)  # one worker died: all that was in the pool comes back
        suspects = []
        for future in sorted(finished, key=lambda future: running[future].photo):
            job = running.pop(future)
            if isinstance(future.exception(), BrokenProcessPool):
                suspects.append(job)
            else:
                yield job, future.result()
        if suspects:
            self.close()
        for job in suspects:
            yield job, self._alone(job)

    def _alone(self, job: Job) -> Done:
        """What comes of a job from which nobody else is to suffer."""
        for _ in range(TRIES):
            try:
                return self._submitted(job).result()
            except BrokenProcessPool:
                self.close()
        hint = "scale the photo down, or run again with fewer workers"
        return failed(KdvisionError("reading it ended the program, as for lack of memory", hint=hint))


def _tidily(task: Task, data: bytes, rules: Rules, fixed_squares: FixedSquares) -> Done:
    """What comes of a task; then what its memory leaves unused goes back to the system.

    Pictures of all sizes leave holes in a process's memory, and a night has hundreds of them.
    """
    done = task(data, rules, fixed_squares)
    trim = _trim()
    if trim is not None:
        trim(0)
    return done


@cache
def _trim() -> Callable[[int], int] | None:
    """What gives unused memory back; None where the C library is not one that has to be asked."""
    try:
        found: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # only glibc has it, and Windows has no name for "this program"
        return None
    return found


def _begin() -> None:
    """What each worker does first: leave Ctrl-C to the parent, and go when the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_go_with_parent, daemon=True).start()
    prepare()


def _go_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait_for([parent.sentinel])
        os._exit(1)
