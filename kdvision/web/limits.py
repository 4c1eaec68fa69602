"""How much the server accepts at once: bytes of a body, photos that wait, and those of one address.

A request with a photo reserves its slot before its body is read, so the slots bound the memory of all photos.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeVar

from kdvision.errors import KdvisionError

T = TypeVar("T")

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


MAX_KINGDOM_SIDE: Final = 13
"""Rows and columns that a kingdom of 7 by 7 can reach from its castle. Questions about larger boards take seconds."""


class Refusal(KdvisionError):
    """A request that the server refuses: the HTTP status, and the seconds after which the client may try again."""

    def __init__(self, status: int, message: str, *, hint: str = "", retry_after: int | None = None) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.retry_after = retry_after


@dataclass(frozen=True, eq=False)
class Slot:
    """A reserved place in a queue: the client's address, and the bytes of its body."""

    address: str
    size: int


Report = Callable[[dict[str, Any]], None]
"""Reports progress, from any thread."""


@dataclass(eq=False)
class JobQueue:
    """A bounded queue of jobs for worker threads: first come, first served."""

    threads: int
    max_jobs: int = MAX_WAITING_PHOTOS
    max_bytes: int = MAX_WAITING_BYTES
    max_bytes_per_address: int = MAX_BYTES_PER_ADDRESS
    _slots: list[Slot] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self.pool = ThreadPoolExecutor(self.threads, thread_name_prefix="kdvision")

    @contextmanager
    def reserve(self, address: str, size: int, *, max_per_address: int | None = None) -> Iterator[Slot]:
        """Hold a slot for a body of `size` bytes; raises Refusal (503) if the queue is full.

        Without `max_per_address`, one address may take all slots.
        """

        def is_full(slots: Sequence[Slot], max_jobs: int, max_bytes: int) -> bool:
            used_bytes = sum(slot.size for slot in slots)
            return len(slots) >= max_jobs or (bool(slots) and used_bytes + size > max_bytes)  # a body alone always fits

        if is_full(self._slots, self.max_jobs, self.max_bytes):
            raise Refusal(503, "too many requests are waiting", hint="try again in a moment", retry_after=5)
        own_slots = [slot for slot in self._slots if slot.address == address]
        if max_per_address is not None and is_full(own_slots, max_per_address, self.max_bytes_per_address):
            hint = "wait until the first of them has been read"
            raise Refusal(503, f"{len(own_slots)} of your photos are waiting", hint=hint, retry_after=5)
        slot = Slot(address, size)
        self._slots.append(slot)
        try:
            yield slot
        finally:
            self._slots.remove(slot)

    def start(self, job: Callable[[], T]) -> "asyncio.Future[T]":
        """Start a job and return its future. If it is cancelled before a thread is free, the job never starts."""
        return asyncio.get_running_loop().run_in_executor(self.pool, job)

    async def run(self, slot: Slot, job: Callable[[Report], Any]) -> AsyncGenerator[Any, None]:
        """Yield what the job reports while it waits and runs; its result comes last.

        If the caller stops iterating, a job that has not started never will.
        """
        loop, reports = asyncio.get_running_loop(), asyncio.Queue[dict[str, Any] | None]()

        def report(progress: dict[str, Any]) -> None:
            with suppress(RuntimeError):  # the loop is closed: the server has stopped
                loop.call_soon_threadsafe(reports.put_nowait, progress)

        future = self.start(partial(job, report))
        future.add_done_callback(lambda _: reports.put_nowait(None))
        try:
            if (jobs_ahead := self._slots.index(slot) - self.threads + 1) > 0:
                yield {"stage": "waiting", "ahead": jobs_ahead}
            while (progress := await reports.get()) is not None:
                yield progress
            yield future.result()
        finally:
            future.cancel()

    def close(self) -> None:
        """Start no more jobs; those that run may finish."""
        self.pool.shutdown(wait=False, cancel_futures=True)
