"""How much the server accepts at once: bytes of a body, photos that wait, and those of one address.

A request reserves its slot before its body is read, so the slots bound the memory of all bodies.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

from kdvision.errors import KdvisionError

MAX_PHOTO_BYTES: Final = 50_000_000
"""A phone's photos at full resolution are well below."""

MAX_JSON_BYTES: Final = 500_000
"""Five times as much as eight kingdoms with their tokens."""

MAX_KEY_BYTES: Final = 1_000
"""Size of the body that brings a key; clients without the key may send it."""

BODY_TIMEOUT_SECONDS: Final = 60.0
"""A slower body would hold a slot that others wait for."""

MAX_WAITING_PHOTOS: Final = 64
MAX_WAITING_BYTES: Final = 400_000_000

MAX_PHOTOS_PER_ADDRESS: Final = 12
MAX_BYTES_PER_ADDRESS: Final = 100_000_000
"""A dozen photos of eight megabytes. A single photo may be larger.

A slot is reserved when the request headers arrive, so the declared size counts even if the body never comes.
"""

DISCONNECT_POLL_SECONDS: Final = 0.5
"""How often a waiting request checks that its client is still there."""


class Refusal(KdvisionError):
    """A request that the server refuses: the HTTP status, and the seconds after which the client may try again."""

    def __init__(self, status: int, message: str, *, hint: str = "", retry_after: int | None = None) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.retry_after = retry_after


@dataclass(frozen=True, eq=False)
class Slot:
    """A reserved place in a queue: the client's address, the bytes of its body, and its number."""

    address: str
    size: int
    number: int


Report = Callable[[dict[str, Any]], None]
"""Reports progress, from any thread."""

Job = Callable[[Report], Any]


class JobQueue:
    """A bounded queue of jobs for worker threads: first come, first served."""

    def __init__(
        self,
        threads: int,
        *,
        max_jobs: int = MAX_WAITING_PHOTOS,
        max_bytes: int = MAX_WAITING_BYTES,
        max_bytes_per_address: int = MAX_BYTES_PER_ADDRESS,
    ) -> None:
        self.pool = ThreadPoolExecutor(threads, thread_name_prefix="kdvision")
        self.threads, self.max_jobs, self.max_bytes = threads, max_jobs, max_bytes
        self.max_bytes_per_address = max_bytes_per_address
        self._slots: dict[Slot, None] = {}
        self._numbers = count()

    @asynccontextmanager
    async def reserve(self, address: str, size: int, *, max_per_address: int | None = None) -> AsyncIterator[Slot]:
        """Hold a slot for a body of `size` bytes; raises Refusal (503) if the queue is full.

        Without `max_per_address`, one address may take all slots.
        """
        own = [slot.size for slot in self._slots if slot.address == address]
        if len(self._slots) >= self.max_jobs or _is_over([slot.size for slot in self._slots], size, self.max_bytes):
            raise Refusal(503, "too many photos are waiting", hint="try again in a moment", retry_after=5)
        if max_per_address is not None and (
            len(own) >= max_per_address or _is_over(own, size, self.max_bytes_per_address)
        ):
            hint = "wait until the first of them has been read"
            raise Refusal(503, f"{len(own)} of your photos are waiting", hint=hint, retry_after=5)
        slot = Slot(address, size, next(self._numbers))
        self._slots[slot] = None
        try:
            yield slot
        finally:
            del self._slots[slot]

    async def run(self, slot: Slot, job: Job) -> AsyncGenerator[Any, None]:
        """Yield what the job reports while it waits and runs, and `{}` now and then; its result comes last.

        If the caller stops to iterate, a job that has not started never will.
        """
        loop, reports = asyncio.get_running_loop(), asyncio.Queue[dict[str, Any]]()

        def report(progress: dict[str, Any]) -> None:
            with suppress(RuntimeError):  # the loop is closed: the server has stopped
                loop.call_soon_threadsafe(reports.put_nowait, progress)

        future = loop.run_in_executor(self.pool, job, report)
        try:
            if ahead := self._count_ahead(slot):
                yield {"stage": "waiting", "ahead": ahead}
            while not future.done() or not reports.empty():
                yield await _next_report(reports, future)
            yield future.result()
        finally:
            future.cancel()

    def close(self) -> None:
        """Start no more jobs; those that run may finish."""
        self.pool.shutdown(wait=False, cancel_futures=True)

    def _count_ahead(self, slot: Slot) -> int:
        return max(0, sum(other.number < slot.number for other in self._slots) - self.threads + 1)


def _is_over(sizes: list[int], size: int, max_bytes: int) -> bool:
    """True if another body would exceed the limit; a body alone never does."""
    return bool(sizes) and sum(sizes) + size > max_bytes


async def _next_report(reports: asyncio.Queue[dict[str, Any]], future: "asyncio.Future[Any]") -> dict[str, Any]:
    """The next report of a job; `{}` when the job ends or reports nothing for a while."""
    report = asyncio.ensure_future(reports.get())
    try:
        done, _ = await asyncio.wait(
            {report, future}, timeout=DISCONNECT_POLL_SECONDS, return_when=asyncio.FIRST_COMPLETED
        )
        return report.result() if report in done else {}
    finally:
        report.cancel()
