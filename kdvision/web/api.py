"""The endpoints: each checks its request and lets a worker thread make the response."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from typing import Any, Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from kdvision.errors import KdvisionError
from kdvision.vision.detect.outline import KingdomOutline
from kdvision.web.games import describe_rules
from kdvision.web.http import (
    Fits,
    InviteQuery,
    ReadQuery,
    error_response,
    json_response,
    parse_content_length,
    parse_query,
    read_json,
    read_photo,
)
from kdvision.web.limits import MAX_KEY_BYTES, MAX_PHOTO_BYTES, MAX_PHOTOS_PER_ADDRESS, JobQueue, Refusal, Slot
from kdvision.web.security import COOKIE, Pairing, client_address, is_loopback
from kdvision.web.service import Service, answer_fits, convert_picture, score_game

JSON_LINES: Final = "application/x-ndjson"

COOKIE_SECONDS: Final = 86_400

DISCONNECT_POLL_SECONDS: Final = 0.5
"""How often a waiting request checks that its client is still there."""


PhotoJob = Callable[..., Response]
"""Makes the response from the bytes of a photo; reports progress to the keyword argument `report`."""


async def read(request: Request) -> Response:
    """Read a photo: its kingdoms as `kdvision score --json` prints them and the facts that it does not show."""
    service, options = service_of(request), parse_query(request.query_params, ReadQuery)
    outlines = [KingdomOutline.parse(text) for text in options.corners]
    return await run_photo_job(request, partial(service.read, options=options, outlines=outlines))


async def run_photo_job(request: Request, job: PhotoJob) -> Response:
    """The response of a job for the photo in a request, with progress line by line if the client accepts that."""
    photos = service_of(request).photos
    with ExitStack() as stack:
        slot = stack.enter_context(_reserve_photo_slot(request))
        whole = partial(job, await read_photo(request))
        if JSON_LINES in request.headers.get("accept", ""):
            run = photos.run(slot, lambda report: whole(report=report))
            return StreamingResponse(_json_lines(run, stack.pop_all()), media_type=JSON_LINES)
        return await wait_for_response(request, photos, whole)


async def picture(request: Request) -> Response:
    """Convert a photo that the browser cannot show to JPEG."""
    with _reserve_photo_slot(request):
        content = await read_photo(request)
        return await wait_for_response(request, service_of(request).photos, partial(convert_picture, content))


async def score(request: Request) -> Response:
    """Score a game, as `kdvision game` does: as JSON, as a table, or as the game file itself."""
    body = await read_json(request)
    return await _run_quick_job(request, partial(score_game, body, request.headers.get("accept", "")))


async def fits(request: Request) -> Response:
    """Where a domino may be laid on a board, as `kdvision fits` says it."""
    body = await read_json(request, Fits)
    return await _run_quick_job(request, partial(answer_fits, body))


async def rules(request: Request) -> Response:
    """The games, squares, buildings and clauses that the rules know, and whether this server keeps photos."""
    return json_response(describe_rules(keeps=service_of(request).keep_folder is not None))


async def invite(request: Request) -> Response:
    """The link for other phones and its QR code; with `table`, the link to that table."""
    import segno

    link, query = service_of(request).link, parse_query(request.query_params, InviteQuery)
    if link is not None and query.table:
        link += f"&table={query.table}"
    rows: list[Any] = [] if link is None else [*segno.make(link, error="m").matrix]
    return json_response({"link": link, "qr": ["".join(map(str, row)) for row in rows]})


async def pair(request: Request) -> Response:
    """Give a phone that brings the key the cookie."""
    pairing: Pairing = request.app.state.pairing
    key = (await read_json(request, max_bytes=MAX_KEY_BYTES)).get("key")
    if not isinstance(key, str) or not pairing.is_key(key, client_address(request)):
        raise Refusal(401, "that is not the key", hint="open the link that kdvision serve printed, or type its key")
    response = json_response({"paired": True})
    response.set_cookie(COOKIE, pairing.cookie, max_age=COOKIE_SECONDS, httponly=True, samesite="lax")
    return response


async def wait_for_response(request: Request, queue: JobQueue, job: Callable[[], Response]) -> Response:
    """The response that a job makes; the job is given up if the client disconnects."""
    future = queue.start(job)
    try:
        while not (await asyncio.wait([future], timeout=DISCONNECT_POLL_SECONDS))[0]:
            if await request.is_disconnected():
                raise Refusal(400, "the client has disconnected")
        return future.result()
    finally:
        future.cancel()


async def _run_quick_job(request: Request, job: Callable[[], Response]) -> Response:
    """The response of a job without a photo. It has its own queue, so it never waits for photos."""
    queue = service_of(request).quick_jobs
    with queue.reserve(client_address(request), 0):
        return await wait_for_response(request, queue, job)


async def _json_lines(reports: AsyncGenerator[Any, None], stack: ExitStack) -> AsyncGenerator[bytes, None]:
    """Each report on a line; the last is `{"status": …, "body": …}`, what the plain response would have been."""
    with stack:
        try:
            async for report in reports:
                yield _format_line(report)
        except KdvisionError as error:
            yield _format_line(error_response(error))
        finally:
            await reports.aclose()


def _format_line(report: Any) -> bytes:
    if isinstance(report, Response):
        report = {"status": report.status_code, "body": msgspec.Raw(report.body)}
    return msgspec.json.encode(report) + b"\n"


def _reserve_photo_slot(request: Request) -> AbstractContextManager[Slot]:
    address, size = client_address(request), parse_content_length(request, MAX_PHOTO_BYTES)
    max_per_address = None if is_loopback(address) else MAX_PHOTOS_PER_ADDRESS
    return service_of(request).photos.reserve(address, size, max_per_address=max_per_address)


def service_of(request: Request) -> Service:
    service: Service = request.app.state.service
    return service
