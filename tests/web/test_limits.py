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
    """Run a job and return its result; add each report before it to `reports`."""
    message = None
    with queue.reserve(address, 1) as slot:
        async for message in queue.run(slot, job):
            if reports is not None and isinstance(message, dict) and message:
                reports.append(message)
    return message


async def wait_until(condition: Callable[[], object]) -> None:
    """Wait until a condition holds."""
    while not condition():
        await asyncio.sleep(0.001)


def test_jobs_are_done_in_the_order_they_came() -> None:
    finished_numbers: list[int] = []

    async def run_all() -> None:
        with closing(JobQueue(1)) as queue:
            await asyncio.gather(*(run_job(queue, lambda _, n=n: finished_numbers.append(n)) for n in range(20)))  # type: ignore[misc]

    run_in_thread(run_all)
    assert finished_numbers == list(range(20))


def test_no_more_run_at_once_than_there_are_threads() -> None:
    running_count, max_running_count = 0, 0
    lock, two_run = threading.Lock(), threading.Barrier(2)

    def job(_: Report) -> None:
        nonlocal running_count, max_running_count
        with lock:
            running_count += 1
            max_running_count = max(max_running_count, running_count)
        two_run.wait()  # both threads are busy until here
        with lock:
            running_count -= 1

    async def run_all() -> None:
        with closing(JobQueue(2)) as queue:
            await asyncio.gather(*(run_job(queue, job) for _ in range(12)))

    run_in_thread(run_all)
    assert max_running_count == 2


def test_a_waiting_client_hears_how_many_are_ahead_and_what_goes_on() -> None:
    reports: list[Any] = []
    release = threading.Event()

    def job(report: Report) -> int:
        report({"stage": "photo"})
        return 7

    async def run_three() -> Any:
        with closing(JobQueue(1)) as queue:
            first_jobs = [asyncio.ensure_future(run_job(queue, lambda _: release.wait())) for _ in range(2)]
            await asyncio.sleep(0)
            last_job = asyncio.ensure_future(run_job(queue, job, reports=reports))
            await wait_until(lambda: reports)
            release.set()
            await asyncio.gather(*first_jobs)
            return await last_job

    assert run_in_thread(run_three) == 7
    assert reports == [{"stage": "waiting", "ahead": 2}, {"stage": "photo"}]


@pytest.mark.parametrize(
    ("limits", "max_per_address", "sizes", "accepted_count"),
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
    limits: dict[str, int], max_per_address: int | None, sizes: list[int], accepted_count: int
) -> None:
    async def reserve() -> None:
        with closing(JobQueue(1, **limits)) as queue, ExitStack() as stack:
            for size in sizes[:accepted_count]:
                stack.enter_context(queue.reserve("a", size, max_per_address=max_per_address))
            stack.enter_context(queue.reserve("a", sizes[accepted_count], max_per_address=max_per_address))

    with pytest.raises(Refusal, match=r"too many requests are waiting|\d of your photos are waiting") as error:
        run_in_thread(reserve)
    assert (error.value.status, error.value.retry_after) == (503, 5)


def test_one_phone_leaves_slots_for_the_others() -> None:
    max_photos = MAX_PHOTOS_PER_ADDRESS

    async def reserve() -> None:
        with closing(JobQueue(1)) as queue, ExitStack() as stack:
            for _ in range(2):
                stack.enter_context(queue.reserve("a", MAX_PHOTO_BYTES, max_per_address=max_photos))
            with pytest.raises(Refusal, match="2 of your photos"):
                stack.enter_context(queue.reserve("a", MAX_PHOTO_BYTES, max_per_address=max_photos))
            stack.enter_context(queue.reserve("b", MAX_PHOTO_BYTES, max_per_address=max_photos))

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
    names: list[str] = []
    release = threading.Event()

    async def leave() -> None:
        with closing(JobQueue(1)) as queue:
            reports: list[Any] = []
            first_job = asyncio.ensure_future(run_job(queue, lambda _: release.wait()))
            await asyncio.sleep(0)
            cancelled_job = asyncio.ensure_future(run_job(queue, lambda _: names.append("gone"), reports=reports))
            await wait_until(lambda: reports)  # it waits in the queue
            cancelled_job.cancel()
            await asyncio.wait([cancelled_job])
            release.set()
            await first_job
            await run_job(queue, lambda _: names.append("next"))

    run_in_thread(leave)
    assert names == ["next"]


def test_a_request_without_a_photo_is_given_up_if_its_client_leaves() -> None:
    names: list[str] = []
    release = threading.Event()

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def leave() -> None:
        with closing(JobQueue(1)) as queue:
            first_job = asyncio.ensure_future(run_job(queue, lambda _: release.wait()))
            await asyncio.sleep(0)
            try:
                with pytest.raises(Refusal, match="disconnected"):
                    await wait_for_response(Request({"type": "http"}, receive), queue, lambda: names.append("gone"))  # type: ignore[arg-type,return-value]
                await asyncio.sleep(0)  # the job is cancelled with the next turn of the event loop
            finally:
                release.set()
            await first_job
            await run_job(queue, lambda _: names.append("next"))

    run_in_thread(leave)
    assert names == ["next"]
