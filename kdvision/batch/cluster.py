"""Many machines: the same work on a Dask cluster that runs already.

Photos travel as bytes with their task, so that the workers need no common disk, and so that the scheduler can give the
task of a lost worker to another one. Results come back as they are ready.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from kdvision.batch.job import Done, Job, do, failed, models
from kdvision.batch.pool import Task
from kdvision.errors import KdvisionError, ModelError

if TYPE_CHECKING:
    from distributed import Client, Future

PATIENCE: Final = 15
"""Seconds to wait for a scheduler to answer."""

AHEAD: Final = 2
"""Photos under way for each thread of the cluster: one is read while the next one travels."""

SAME: Final = "install the same kdvision on all machines"
LOST: Final = "what was read before is kept: start the cluster, and run again"
DEADLY: Final = KdvisionError(
    "reading it ended one worker of the cluster after another",
    hint="scale the photo down, or give the workers more memory",
)


class Cluster:
    """A crew of all workers of a cluster; raises KdvisionError where no scheduler answers at `address`."""

    def __init__(self, address: str, *, task: Task = do) -> None:
        self.task = task
        try:
            import distributed
        except ImportError as error:
            hint = "install it: pip install 'kdvision[cluster]'"
            raise KdvisionError("working on a cluster needs Dask", hint=hint) from error
        self.address = address
        try:
            self._client: Client = distributed.Client(address, timeout=PATIENCE)
        except Exception as error:  # bad addresses, silence and refusals have no common class
            words = " ".join(str(error).split()) or type(error).__name__
            hint = "start one (docs/events.md says how), and give the address that dask scheduler prints"
            raise KdvisionError(f"no Dask scheduler answers at {address} ({words})", hint=hint) from error

    def work(self, jobs: Iterator[Job]) -> Iterator[tuple[Job, Done]]:
        """Yield each job with what came of it; raises KdvisionError where the cluster is gone.

        Dask blames everything a dying worker had before it. So what it gives up is done again, by itself.
        """
        if not self._threads():
            hint = f"start some: dask worker {self.address} --nthreads 1"
            raise KdvisionError(f"the cluster at {self.address} has no workers", hint=hint)
        running: dict[Future, Job] = {}
        blamed: list[Job] = []
        for job in jobs:
            running[self._submitted(job)] = job
            while len(running) > AHEAD * max(1, self._threads()):
                yield from self._finished(running, blamed)
        while running:
            yield from self._finished(running, blamed)
        for job in blamed:
            yield job, self._result(self._submitted(job)) or failed(DEADLY)

    def close(self) -> None:
        """Leave the cluster; it goes on without us."""
        self._client.close(timeout=PATIENCE)

    def _threads(self) -> int:
        try:
            return sum(self._client.nthreads().values())
        except Exception as error:  # whatever the connection died of
            raise KdvisionError(f"the cluster at {self.address} does not answer any more", hint=LOST) from error

    def _submitted(self, job: Job) -> "Future":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of photos that are large for a task; there are never many under way
            return self._client.submit(self.task, job.data, job.rules, job.fixed_squares, pure=False)

    def _finished(self, running: "dict[Future, Job]", blamed: list[Job]) -> Iterator[tuple[Job, Done]]:
        """Yield what is done by now, at least one thing; what workers died of is noted."""
        import distributed

        with self._lost():
            done = distributed.wait(list(running), return_when="FIRST_COMPLETED").done
        for future in sorted(done, key=lambda future: running[future].photo):
            job, found = running.pop(future), self._result(future)
            if found is None:
                blamed.append(job)
            else:
                yield job, found

    def _result(self, future: "Future") -> Done | None:
        """What came of a job on some worker; None where too many died of it, or beside it."""
        import distributed

        try:
            with self._lost():
                found: Done = future.result()
        except distributed.KilledWorker:
            return None
        except (ImportError, AttributeError, TypeError) as error:
            raise KdvisionError(f"a worker of the cluster cannot do this work ({error})", hint=SAME) from error
        if found.models != models():
            raise ModelError("a worker of the cluster has other models", hint=SAME)
        return found

    @contextmanager
    def _lost(self) -> Iterator[None]:
        """A connection that breaks becomes an error for the person at the keyboard."""
        import distributed

        try:
            yield
        except (distributed.CancelledError, OSError, TimeoutError) as error:
            raise KdvisionError(f"the cluster at {self.address} is gone", hint=LOST) from error
