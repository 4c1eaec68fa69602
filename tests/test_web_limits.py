"""The line before the workers: first come, first served, and never longer than it may be."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, TypeVar

import pytest

from kdvision.web.limits import Line, Refused, Tell

Made = TypeVar("Made")


@asynccontextmanager
async def line_of(threads: int = 1, **limits: int) -> AsyncIterator[Line]:
    line = Line(threads, **limits)
    try:
        yield line
    finally:
        line.close()


def alone(work: Coroutine[Any, Any, Made]) -> Made:
    """What the work gives, in a thread of its own: a browser under test keeps an event loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


async def result(line: Line, job: Callable[[Tell], Any], *, client: str = "a", told: list[Any] | None = None) -> Any:
    """What a job returns, its words added to `told`."""
    async with line.place(client, 1) as place:
        words = [word async for word in line.run(place, job)]
    if told is not None:
        told += [word for word in words[:-1] if word]
    return words[-1]


def test_jobs_are_done_in_the_order_they_came() -> None:
    done: list[int] = []

    async def all_of_them() -> None:
        async with line_of() as line:
            await asyncio.gather(*(result(line, lambda _, n=n: done.append(n)) for n in range(20)))  # type: ignore[misc]

    alone(all_of_them())
    assert done == list(range(20))


def test_no_more_run_at_once_than_there_are_threads() -> None:
    running, most = 0, 0
    lock = threading.Lock()

    def job(_: Tell) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        threading.Event().wait(0.01)
        with lock:
            running -= 1

    async def all_of_them() -> None:
        async with line_of(2) as line:
            await asyncio.gather(*(result(line, job) for _ in range(12)))

    alone(all_of_them())
    assert most == 2


def test_who_waits_is_told_how_many_are_ahead_and_what_goes_on() -> None:
    told: list[Any] = []

    def job(tell: Tell) -> int:
        tell({"stage": "photo"})
        return 7

    async def three() -> Any:
        async with line_of() as line:
            slow = [asyncio.ensure_future(result(line, lambda _: threading.Event().wait(0.05))) for _ in range(2)]
            await asyncio.sleep(0)
            last = await result(line, job, told=told)
            await asyncio.gather(*slow)
            return last

    assert alone(three()) == 7
    assert told == [{"stage": "waiting", "ahead": 2}, {"stage": "photo"}]


@pytest.mark.parametrize(
    ("limits", "each", "sizes", "taken"),
    [
        ({"waiting": 3}, None, [1] * 5, 3),
        ({"held": 10}, None, [4, 4, 4], 2),
        ({"held": 10}, None, [50, 1], 1),
        ({}, 2, [1] * 5, 2),
    ],
    ids=["places", "bytes", "one too large is taken alone", "of one client"],
)
def test_a_full_line_says_come_again(limits: dict[str, int], each: int | None, sizes: list[int], taken: int) -> None:
    async def take() -> None:
        async with line_of(**limits) as line, AsyncExitStack() as stack:
            for size in sizes[:taken]:
                await stack.enter_async_context(line.place("a", size, each=each))
            await stack.enter_async_context(line.place("a", sizes[taken], each=each))

    with pytest.raises(Refused) as raised:
        alone(take())
    assert (raised.value.status, raised.value.wait) == (503, 5)


def test_places_are_given_back_when_a_job_fails() -> None:
    def job(_: Tell) -> None:
        raise ValueError

    async def twice() -> None:
        async with line_of(waiting=1) as line:
            for _ in range(2):
                with pytest.raises(ValueError):
                    await result(line, job)

    alone(twice())


def test_what_nobody_waits_for_any_more_is_never_begun() -> None:
    begun: list[str] = []

    async def leave() -> None:
        async with line_of() as line:
            slow = asyncio.ensure_future(result(line, lambda _: threading.Event().wait(0.1)))
            await asyncio.sleep(0.01)
            gone = asyncio.ensure_future(result(line, lambda _: begun.append("gone")))
            await asyncio.sleep(0.01)
            gone.cancel()
            await slow
            await result(line, lambda _: begun.append("next"))

    alone(leave())
    assert begun == ["next"]
