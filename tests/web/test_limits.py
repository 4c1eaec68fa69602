"""The queue of jobs for worker threads: first come, first served, and bounded."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import ExitStack, closing
from typing import Any

import pytest
from starlette.requests import Request
from starlette.types import Message

from kdvision.web.api import wait_for_response
from kdvision.web.limits import MAX_PHOTO_BYTES, MAX_PHOTOS_PER_ADDRESS, JobQueue, Refusal, Report
from tests.phones import run_in_thread


async def run_job(
    queue: JobQueue, job: Callable[[Report], Any], *, address: str = "a", reports: list[Any] | None = None
) -> Any:
    """The result of a job; what it reports before that is added to `reports` as it comes."""
    last = None
    with queue.reserve(address, 1) as slot:
        async for last in queue.run(slot, job):
            if reports is not None and isinstance(last, dict) and last:
                reports.append(last)
    return last


async def until(condition: Callable[[], object]) -> None:
    """Return once a condition holds."""
    while not condition():
        await asyncio.sleep(0.001)


def test_jobs_are_done_in_the_order_they_came() -> None:
    done: list[int] = []

    async def run_all() -> None:
        with closing(JobQueue(1)) as queue:
            await asyncio.gather(*(run_job(queue, lambda _, n=n: done.append(n)) for n in range(20)))  # type: ignore[misc]

    run_in_thread(run_all)
    assert done == list(range(20))


def test_no_more_run_at_once_than_there_are_threads() -> None:
    running, most = 0, 0
    lock, two_run = threading.Lock(), threading.Barrier(2)

    def job(_: Report) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        two_run.wait()  # both threads are busy until here
        with lock:
            running -= 1

    async def run_all() -> None:
        with closing(JobQueue(2)) as queue:
            await asyncio.gather(*(run_job(queue, job) for _ in range(12)))

    run_in_thread(run_all)
    assert most == 2


def test_a_waiting_client_hears_how_many_are_ahead_and_what_goes_on() -> None:
    reports: list[Any] = []
    release = threading.Event()

    def job(report: Report) -> int:
        report({"stage": "photo"})
        return 7

    async def run_three() -> Any:
        with closing(JobQueue(1)) as queue:
            first = [asyncio.ensure_future(run_job(queue, lambda _: release.wait())) for _ in range(2)]
            await asyncio.sleep(0)
            last = asyncio.ensure_future(run_job(queue, job, reports=reports))
            await until(lambda: reports)
            release.set()
            await asyncio.gather(*first)
            return await last

    assert run_in_thread(run_three) == 7
    assert reports == [{"stage": "waiting", "ahead": 2}, {"stage": "photo"}]


@pytest.mark.parametrize(
    ("limits", "max_per_address", "sizes", "accepted"),
    [
        ({"max_jobs": 3}, None, [1] * 5, 3),
        ({"max_bytes": 10}, None, [4, 4, 4], 2),
        ({"max_bytes": 10}, None, [50, 1], 1),
        ({}, 2, [1] * 5, 2),
        ({"max_bytes_per_address": 10}, 9, [4, 4, 4], 2),
        ({"max_bytes_per_address": 10}, 9, [50, 1], 1),
    ],
    ids=[
        *("slots", "bytes", "a single body may be larger"),
        *("slots of an address", "bytes of an address", "a single body of an address may be larger"),
    ],
)
def test_a_full_queue_says_when_to_come_again(
    limits: dict[str, int], max_per_address: int | None, sizes: list[int], accepted: int
) -> None:
    async def reserve() -> None:
        with closing(JobQueue(1, **limits)) as queue, ExitStack() as stack:
            for size in sizes[:accepted]:
                stack.enter_context(queue.reserve("a", size, max_per_address=max_per_address))
            stack.enter_context(queue.reserve("a", sizes[accepted], max_per_address=max_per_address))

    with pytest.raises(Refusal, match=r"too many requests are waiting|\d of your photos are waiting") as raised:
        run_in_thread(reserve)
    assert (raised.value.status, raised.value.retry_after) == (503, 5)


def test_one_phone_leaves_slots_for_the_others() -> None:
    each = MAX_PHOTOS_PER_ADDRESS

    async def reserve() -> None:
        with closing(JobQueue(1)) as queue, ExitStack() as stack:
            for _ in range(2):
                stack.enter_context(queue.reserve("a", MAX_PHOTO_BYTES, max_per_address=each))
            with pytest.raises(Refusal, match="2 of your photos"):
                stack.enter_context(queue.reserve("a", MAX_PHOTO_BYTES, max_per_address=each))
            stack.enter_context(queue.reserve("b", MAX_PHOTO_BYTES, max_per_address=each))

    run_in_thread(reserve)


def test_a_job_that_fails_gives_its_slot_back() -> None:
    def job(_: Report) -> None:
        raise ValueError

    async def run_twice() -> None:
        with closing(JobQueue(1, max_jobs=1)) as queue:
            for _ in range(2):
                with pytest.raises(ValueError):
                    await run_job(queue, job)

    run_in_thread(run_twice)


def test_a_job_whose_client_is_gone_never_starts() -> None:
    started: list[str] = []
    release = threading.Event()

    async def leave() -> None:
        with closing(JobQueue(1)) as queue:
            reports: list[Any] = []
            first = asyncio.ensure_future(run_job(queue, lambda _: release.wait()))
            await asyncio.sleep(0)
            gone = asyncio.ensure_future(run_job(queue, lambda _: started.append("gone"), reports=reports))
            await until(lambda: reports)  # it waits in the queue
            gone.cancel()
            await asyncio.wait([gone])
            release.set()
            await first
            await run_job(queue, lambda _: started.append("next"))

    run_in_thread(leave)
    assert started == ["next"]


def test_a_request_without_a_photo_is_given_up_if_its_client_leaves() -> None:
    started: list[str] = []
    release = threading.Event()

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def leave() -> None:
        with closing(JobQueue(1)) as queue:
            first = asyncio.ensure_future(run_job(queue, lambda _: release.wait()))
            await asyncio.sleep(0)
            try:
                with pytest.raises(Refusal, match="disconnected"):
                    await wait_for_response(Request({"type": "http"}, receive), queue, lambda: started.append("gone"))  # type: ignore[arg-type,return-value]
                await asyncio.sleep(0)  # the job is cancelled with the next turn of the event loop
            finally:
                release.set()
            await first
            await run_job(queue, lambda _: started.append("next"))

    run_in_thread(leave)
    assert started == ["next"]
