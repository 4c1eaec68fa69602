"""How much the server takes on: bytes of an upload, and a line of jobs before a few worker threads.

A place in the line is taken before a body is read, so that what waits in memory is bounded by what has a place.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

from kdvision.errors import KdvisionError

MAX_PHOTO: Final = 50_000_000
"""Bytes of a photo: what phones take at full resolution is well below."""

MAX_JSON: Final = 500_000
"""Bytes of a JSON body: eight kingdoms with their readings are a fifth of that."""

MAX_KEY: Final = 1_000
"""Bytes of the body that brings a key: anybody may send one, so it takes no more room than that."""

BODY_SECONDS: Final = 60.0
"""How long a body may take to arrive: who sends slower holds a place that others wait for."""

WAITING: Final = 64
WAITING_BYTES: Final = 400_000_000
WAITING_EACH: Final = 12
"""Photos that may wait at once, their bytes, and how many of them may be of one address of the network."""

WAITING_BYTES_EACH: Final = 100_000_000
"""Bytes that photos of one address of the network may bring together: a dozen of eight megabytes, as phones take them,
and always one of any size. Places count from the head of a request on, so bytes that never come are held too."""

TICK: Final = 0.5
"""Seconds between two looks at whether a phone that waits is still there."""


class Refused(KdvisionError):
    """What a client asked for and does not get; `status` is the HTTP status, `wait` seconds until it may be tried."""

    def __init__(self, status: int, message: str, *, hint: str = "", wait: int | None = None) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.wait = wait


@dataclass(frozen=True, eq=False)
class Place:
    """A place in the line: whose it is, the bytes it stands for, and its number."""

    client: str
    size: int
    number: int


Tell = Callable[[dict[str, Any]], None]
"""Tells of progress, from any thread."""

Job = Callable[[Tell], Any]


class Line:
    """Jobs before worker threads: first come, first served; so many jobs and so many bytes at most, `share` of one."""

    def __init__(
        self, threads: int, *, waiting: int = WAITING, held: int = WAITING_BYTES, share: int = WAITING_BYTES_EACH
    ) -> None:
        self.pool = ThreadPoolExecutor(threads, thread_name_prefix="kdvision")
        self.threads, self.waiting, self.held, self.share = threads, waiting, held, share
        self._places: dict[Place, None] = {}
        self._numbers = count()

    @asynccontextmanager
    async def place(self, client: str, size: int, *, each: int | None = None) -> AsyncIterator[Place]:
        """A place for a body of `size` bytes; raises Refused (503) where the line is full, by all or by this client.

        Its own share counts only where `each` says how many places that is.
        """
        taken = sum(place.size for place in self._places)
        own = [place.size for place in self._places if place.client == client]
        if len(self._places) >= self.waiting or (self._places and taken + size > self.held):
            raise Refused(503, "too many photos are waiting", hint="try again in a moment", wait=5)
        if each is not None and (len(own) >= each or (own and sum(own) + size > self.share)):
            raise Refused(503, f"{len(own)} of your photos are waiting", hint="wait for the first of them", wait=5)
        place = Place(client, size, next(self._numbers))
        self._places[place] = None
        try:
            yield place
        finally:
            del self._places[place]

    def ahead(self, place: Place) -> int:
        """How many others have to be done before this place's turn comes."""
        return max(0, sum(other.number < place.number for other in self._places) - self.threads + 1)

    async def run(self, place: Place, job: Job) -> AsyncGenerator[Any, None]:
        """Yield what the job tells while it waits and runs, and `{}` now and then; what it returns comes last.

        Where nobody takes the next word any more, a job that has not begun never will.
        """
        loop, told = asyncio.get_running_loop(), asyncio.Queue[dict[str, Any]]()

        def tell(word: dict[str, Any]) -> None:
            with suppress(RuntimeError):  # the server has stopped, and nobody listens
                loop.call_soon_threadsafe(told.put_nowait, word)

        task = loop.run_in_executor(self.pool, job, tell)
        try:
            if ahead := self.ahead(place):
                yield {"stage": "waiting", "ahead": ahead}
            while not task.done() or not told.empty():
                yield await _next(told, task)
            yield task.result()
        finally:
            task.cancel()

    def close(self) -> None:
        """Begin nothing more; what runs is let finish."""
        self.pool.shutdown(wait=False, cancel_futures=True)


async def _next(told: asyncio.Queue[dict[str, Any]], task: "asyncio.Future[Any]") -> dict[str, Any]:
    """The next word of a job, or nothing where it ends or stays silent for a while."""
    word = asyncio.ensure_future(told.get())
    try:
        done, _ = await asyncio.wait({word, task}, timeout=TICK, return_when=asyncio.FIRST_COMPLETED)
        return word.result() if word in done else {}
    finally:
        word.cancel()
