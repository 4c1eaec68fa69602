"""Requests that wait in a queue for a worker thread, and their responses."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack
from functools import partial
from typing import Any, Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from kdvision.errors import KdvisionError
from kdvision.web.limits import MAX_PHOTO_BYTES, MAX_PHOTOS_PER_ADDRESS, Refusal, Report
from kdvision.web.pairing import client_address
from kdvision.web.request import declared_size, read_photo
from kdvision.web.response import error_data, json_response, status_of
from kdvision.web.security import is_loopback
from kdvision.web.service import Outcome, Service

JSON_LINES: Final = "application/x-ndjson"


def service_of(request: Request) -> Service:
    """The service of the application that received the request."""
    service: Service = request.app.state.service
    return service


async def run_photo_job(request: Request, job: Callable[[bytes, Report], Any]) -> Response:
    """The response of a job on the photo of a request; with progress line by line if the client accepts that."""
    queue, address = service_of(request).photos, client_address(request)
    max_per_address = None if is_loopback(address) else MAX_PHOTOS_PER_ADDRESS
    async with AsyncExitStack() as stack:
        size = declared_size(request, MAX_PHOTO_BYTES)
        slot = await stack.enter_async_context(queue.reserve(address, size, max_per_address=max_per_address))
        reports = queue.run(slot, partial(job, await read_photo(request)))
        if JSON_LINES in request.headers.get("accept", ""):
            return StreamingResponse(_json_lines(reports, stack.pop_all()), media_type=JSON_LINES)
        result = await _last_report(request, reports)
    if isinstance(result, Outcome):
        return json_response(result.body, result.status)
    return Response(result, media_type="image/jpeg")


async def run_quick_job(request: Request, job: Callable[[], Any]) -> Any:
    """The result of a job without a photo. It has its own queue, so it never waits for photos."""
    queue = service_of(request).quick_jobs
    async with queue.reserve(client_address(request), 0) as slot:
        return await _last_report(request, queue.run(slot, lambda _: job()))


async def _json_lines(reports: AsyncGenerator[Any, None], stack: AsyncExitStack) -> AsyncGenerator[bytes, None]:
    """Each report on a line; the last is `{"status": …, "body": …}`, what the plain response would have been."""
    async with stack:
        try:
            async for report in reports:
                line = report._asdict() if isinstance(report, Outcome) else report
                if line:
                    yield msgspec.json.encode(line) + b"\n"
        except KdvisionError as error:
            yield msgspec.json.encode({"status": status_of(error), "body": error_data(error)}) + b"\n"
        finally:
            await reports.aclose()


async def _last_report(request: Request, reports: AsyncGenerator[Any, None]) -> Any:
    """The result of a job; the job is given up if the client disconnects."""
    last: Any = None
    try:
        async for last in reports:
            if last == {} and await request.is_disconnected():
                raise Refusal(400, "the client has disconnected")
    finally:
        await reports.aclose()
    return last
