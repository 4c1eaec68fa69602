"""The executor that reads photos on a Dask cluster."""

import gc
import warnings
from collections.abc import Iterable
from concurrent.futures import CancelledError, Future
from typing import Final

from kdvision.batch.reading.job import Job, JobResult, hash_models, read_photo
from kdvision.batch.reading.workers import JobResults, ParallelExecutor, Task
from kdvision.errors import KdvisionError, ModelError

CONNECT_TIMEOUT_SECONDS: Final = 15.0
"""How long to wait for a Dask scheduler."""

JOBS_PER_THREAD: Final = 2
"""Jobs submitted for each thread of a cluster: one is read while the next one is sent."""

INSTALL_SAME: Final = "install the same version of kdvision on all machines"


class DaskExecutor(ParallelExecutor):
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
        if not self._count_threads():
            hint = f"start some: dask worker {self.address} --nthreads 1"
            raise KdvisionError(f"the cluster at {self.address} has no workers", hint=hint)
        yield from super().run(jobs)

    def close(self) -> None:
        """Disconnect from the cluster, which goes on running."""
        self._client.close(timeout=CONNECT_TIMEOUT_SECONDS)

    def _count_threads(self) -> int:
        try:
            return sum(self._client.nthreads().values())
        except Exception as error:  # a lost connection raises errors of many classes
            raise self._connection_error() from error

    def _max_running(self) -> int:
        return JOBS_PER_THREAD * max(1, self._count_threads())

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
