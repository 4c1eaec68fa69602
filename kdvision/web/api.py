"""The endpoints: each checks its request and lets a worker thread make the response."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import wait
from contextlib import ExitStack, closing, suppress
from functools import partial
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from kdvision.errors import KdvisionError
from kdvision.vision.detect.outline import KingdomOutline
from kdvision.web.games import describe_rules
from kdvision.web.http import (
    FAILURE,
    Fits,
    InviteQuery,
    Outlines,
    ReadQuery,
    make_error_response,
    make_json_response,
    parse_content_length,
    parse_query,
    read_json,
    read_photo,
)
from kdvision.web.limits import MAX_KEY_BYTES, MAX_PHOTO_BYTES, MAX_PHOTOS_PER_ADDRESS, JobQueue, Refusal
from kdvision.web.security import PAIRING_SECONDS, STOPPED, Pairing, is_loopback, name_cookie, read_client_address
from kdvision.web.service import Service, answer_fits, convert_picture, score_game
from kdvision.web.table.changes import ChangeRequest, GameNumber, RoundNumber, check_number, check_round
from kdvision.web.table.live import SharedTable, Watcher
from kdvision.web.table.model import ID, TableRules
from kdvision.web.table.storage import StoredReading
from kdvision.web.table.tables import JoinRequest, PhotoAnswer

log = logging.getLogger("kdvision.web")

JSON_LINES: Final = "application/x-ndjson"
EVENTS: Final = "text/event-stream"

DISCONNECT_POLL_SECONDS: Final = 0.5
"""How often a waiting request checks that its client is still there."""

SEND_SECONDS: Final = 20.0
"""A client that takes no bytes of a live stream for this time is cut off."""

ChosenId = Annotated[str, Meta(pattern=ID.replace("{1,40}", "{0,40}"))]


class PhotoQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """The game, the round, an id of the client for the photo, and the kingdom to read again, with its outline.

    Without the number of a game, the photo belongs to the one that is played when it arrives.
    """

    game: GameNumber | None = None
    round: RoundNumber = 0
    photo: ChosenId = ""
    kingdom: ChosenId = ""
    corners: Outlines = []


async def read(request: Request) -> Response:
    """Read a photo: its kingdoms as `kdvision score --json` prints them and the facts that it does not show."""
    options = parse_query(request.query_params, ReadQuery)
    outlines = [KingdomOutline.parse(text) for text in options.corners]
    return await _run_photo_job(request, partial(_get_service(request).read, options=options, outlines=outlines))


async def convert_to_jpeg(request: Request) -> Response:
    """Convert a photo that the browser cannot show to JPEG."""
    return await _run_photo_job(request, convert_picture, has_progress=False)


async def score(request: Request) -> Response:
    """Score a game, as `kdvision game` does: as JSON, as a table, or as the game file itself."""
    body = await read_json(request)
    return await _run_quick_job(request, partial(score_game, body, request.headers.get("accept", "")))


async def fits(request: Request) -> Response:
    """Where a domino may be laid on a board, as `kdvision fits` says it."""
    body = await read_json(request, Fits)
    return await _run_quick_job(request, partial(answer_fits, body))


async def list_rules(request: Request) -> Response:
    """The games, squares, buildings and clauses that the rules know, and whether this server keeps photos."""
    return make_json_response(describe_rules(keeps=_get_service(request).keep_folder is not None))


async def invite(request: Request) -> Response:
    """The link for other phones and its QR code; with `table`, the link to that table."""
    import segno

    link, query = _get_service(request).link, parse_query(request.query_params, InviteQuery)
    if link is not None and query.table:
        link += f"&table={query.table}"
    rows: list[Any] = [] if link is None else [*segno.make(link, error="m").matrix]
    return make_json_response({"link": link, "qr": ["".join(map(str, row)) for row in rows]})


async def pair(request: Request) -> Response:
    """Give a phone that brings the key the cookie."""
    pairing: Pairing = request.app.state.pairing
    key = (await read_json(request, max_bytes=MAX_KEY_BYTES)).get("key")
    if not isinstance(key, str) or not pairing.is_key(key, read_client_address(request)):
        raise Refusal(401, "that is not the key", hint="open the link that kdvision serve printed, or type its key")
    _get_service(request).tables.storage.use_key()
    response = make_json_response({"paired": True})
    response.set_cookie(name_cookie(request), pairing.cookie, max_age=PAIRING_SECONDS, httponly=True, samesite="lax")
    return response


# Shared tables; the docstring of kdvision.web.table describes these endpoints.


async def join_table(request: Request) -> Response:
    """Join a table, or make a new one."""
    join_request = await read_json(request, JoinRequest)
    return make_json_response(_get_service(request).tables.join(join_request).state)


async def change_table(request: Request) -> Response:
    """Change the game at a table, or undo and redo a step."""
    table, change_request = _find_table(request), await read_json(request, ChangeRequest)
    tables = _get_service(request).tables
    with tables.jobs.reserve(read_client_address(request), 0):
        return make_json_response(await tables.change(table, change_request))


async def read_at_table(request: Request) -> Response:
    """Read a photo and add its kingdoms to the table, or ask what to do with them."""
    table, query = _find_table(request), parse_query(request.query_params, PhotoQuery)
    outlines = [KingdomOutline.parse(text) for text in query.corners]
    if query.kingdom:
        table.game.find(query.kingdom)
        if len(outlines) != 1:
            raise Refusal(422, "one outline is needed to read a kingdom again", hint="send corners= once")
    service, loop = _get_service(request), asyncio.get_running_loop()

    game = table.game
    check_number(game, query.game)
    check_round(game, query.round)

    def add(readings: Sequence[StoredReading], rules: TableRules) -> PhotoAnswer:
        adding = _get_service(request).tables.add_photo(table, query.round, query.kingdom, readings, game, rules)
        with closing(adding):  # it never runs if the server has been stopped
            future = asyncio.run_coroutine_threadsafe(adding, loop)
            while not wait([future], DISCONNECT_POLL_SECONDS).done:
                if loop.is_closed():  # before it could start
                    raise STOPPED
            return future.result()

    job = partial(service.read_at_table, game=game, photo_id=query.photo, outlines=outlines, add=add)
    return await _run_photo_job(request, job)


async def watch_table(request: Request) -> Response:
    """Watch a table: its state with each revision, as server-sent events."""
    table = _find_table(request)
    if request.method == "HEAD":
        return Response(media_type=EVENTS)
    return LiveResponse(table, _get_service(request).tables.watch(table, read_client_address(request)))


async def list_games(request: Request) -> Response:
    """List the games of this server, the latest first."""
    tables = _get_service(request).tables
    return await _run_quick_job(request, lambda: make_json_response(tables.list_games()))


class LiveResponse(StreamingResponse):
    """The events of a table for as long as the client takes them."""

    def __init__(self, table: SharedTable, watcher: Watcher) -> None:
        self._table, self._watcher = table, watcher
        super().__init__(watcher.stream_events(), media_type=EVENTS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events; the table forgets the client at the end."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._table.remove_watcher(self._watcher)

    async def stream_response(self, send: Send) -> None:
        """Send the events, and give up a client that does not take them in time."""

        async def send_in_time(message: Message) -> None:
            async with asyncio.timeout(SEND_SECONDS):
                await send(message)

        with suppress(TimeoutError):
            await super().stream_response(send_in_time)


async def _run_photo_job(request: Request, job: Callable[..., Response], *, has_progress: bool = True) -> Response:
    """Return the response of a job for the photo in a request; with progress line by line if the client accepts that.

    The job gets the bytes of the photo; if it `has_progress`, it may get the keyword argument `report`.
    """
    photos, address = _get_service(request).photos, read_client_address(request)
    max_per_address = None if is_loopback(address) else MAX_PHOTOS_PER_ADDRESS
    with ExitStack() as stack:
        size = parse_content_length(request, MAX_PHOTO_BYTES)
        slot = stack.enter_context(photos.reserve(address, size, max_per_address=max_per_address))
        bound_job = partial(job, await read_photo(request))
        if has_progress and JSON_LINES in request.headers.get("accept", ""):
            run = photos.run(slot, lambda report: bound_job(report=report))
            return StreamingResponse(_stream_json_lines(run, stack.pop_all()), media_type=JSON_LINES)
        return await wait_for_response(request, photos, bound_job)


async def _run_quick_job(request: Request, job: Callable[[], Response]) -> Response:
    """Return the response of a job without a photo. Such jobs have a queue of their own: they never wait for photos."""
    queue = _get_service(request).quick_jobs
    with queue.reserve(read_client_address(request), 0):
        return await wait_for_response(request, queue, job)


async def wait_for_response(request: Request, queue: JobQueue, job: Callable[[], Response]) -> Response:
    """Return the response that a job makes; the job is given up if the client disconnects."""
    future = queue.start(job)
    try:
        while not (await asyncio.wait([future], timeout=DISCONNECT_POLL_SECONDS))[0]:
            if await request.is_disconnected():
                raise Refusal(400, "the client has disconnected")
        return future.result()
    finally:
        future.cancel()


async def _stream_json_lines(reports: AsyncGenerator[Any, None], stack: ExitStack) -> AsyncGenerator[bytes, None]:
    """Yield each report on a line; the last is `{"status": …, "body": …}`, what the plain response would have been."""

    def format_line(report: Any) -> bytes:
        if isinstance(report, Response):
            report = {"status": report.status_code, "body": msgspec.Raw(report.body)}
        return msgspec.json.encode(report) + b"\n"

    with stack:
        try:
            async for report in reports:
                yield format_line(report)
        except KdvisionError as error:
            yield format_line(make_error_response(error))
        except Exception:  # without a last line a client would take the connection for lost, and send the photo again
            log.exception("a photo could not be read")
            yield format_line(make_error_response(FAILURE))
        finally:
            await reports.aclose()


def _get_service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


def _find_table(request: Request) -> SharedTable:
    return _get_service(request).tables.find(request.path_params["table"])
