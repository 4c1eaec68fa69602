"""The endpoints of shared tables; the docstring of the package describes them."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Annotated, Final

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from kdvision.vision.detect.outline import KingdomOutline
from kdvision.web.api import run_photo_job, service_of
from kdvision.web.http import Outlines, json_response, parse_query, read_json
from kdvision.web.limits import Refusal
from kdvision.web.security import client_address, is_loopback
from kdvision.web.table.changes import Change, ChangeRequest, RoundNumber
from kdvision.web.table.live import SharedTable, Watcher
from kdvision.web.table.model import ID
from kdvision.web.table.readings import NewReading
from kdvision.web.table.tables import MAX_WATCHERS_PER_ADDRESS, JoinRequest, PhotoAnswer, Tables

EVENTS: Final = "text/event-stream"

SEND_SECONDS: Final = 20.0
"""A client that takes no bytes for this time is cut off."""

ChosenId = Annotated[str, Meta(pattern=ID.replace("{1,40}", "{0,40}"))]


class PhotoQuery(Struct, frozen=True):
    """The round, an id of the client for the photo, and the kingdom to read again, with its outline."""

    round: RoundNumber = 0
    photo: ChosenId = ""
    kingdom: ChosenId = ""
    corners: Outlines = []


async def join(request: Request) -> Response:
    """Join a table, or make a new one."""
    wanted = await read_json(request, JoinRequest)
    return json_response(_tables_of(request).join(wanted).state)


async def change(request: Request) -> Response:
    """Change the game at a table, or undo and redo a step."""
    table, wanted = _find_table(request), await read_json(request, ChangeRequest)
    tables = _tables_of(request)
    with tables.jobs.reserve(client_address(request), 0):
        return json_response(await tables.change(table, wanted))


async def read(request: Request) -> Response:
    """Read a photo and add its kingdoms to the table, or ask what to do with them."""
    table, query = _find_table(request), parse_query(request.query_params, PhotoQuery)
    outlines = [KingdomOutline.parse(text) for text in query.corners]
    if query.kingdom:
        table.game.find(query.kingdom)
        if len(outlines) != 1:
            raise Refusal(422, "one outline is needed to read a kingdom again", hint="send corners= once")
    service, loop = service_of(request), asyncio.get_running_loop()

    def add(readings: Sequence[NewReading], changes: Sequence[Change]) -> PhotoAnswer:
        adding = _tables_of(request).add_photo(table, query.round, query.kingdom, readings, changes)
        return asyncio.run_coroutine_threadsafe(adding, loop).result()

    job = partial(service.read_at_table, game=table.game, photo_id=query.photo, outlines=outlines, add=add)
    return await run_photo_job(request, job)


async def live(request: Request) -> Response:
    """Watch a table: its state with each revision, as server-sent events."""
    table, address = _find_table(request), client_address(request)
    max_watchers = None if is_loopback(address) else MAX_WATCHERS_PER_ADDRESS
    return LiveResponse(table, _tables_of(request).watch(table, address, max_watchers))


async def games(request: Request) -> Response:
    """List the games of this server, the latest first."""
    tables = _tables_of(request)
    return json_response(await tables.jobs.start(tables.list_games))


class LiveResponse(StreamingResponse):
    """The events of a table for as long as the client takes them."""

    def __init__(self, table: SharedTable, watcher: Watcher) -> None:
        self._table, self._watcher = table, watcher
        super().__init__(watcher.events(), media_type=EVENTS)

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


def _tables_of(request: Request) -> Tables:
    tables: Tables = request.app.state.tables
    return tables


def _find_table(request: Request) -> SharedTable:
    return _tables_of(request).find(request.path_params["table"])
