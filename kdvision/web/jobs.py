"""From a request through a line of workers to an answer."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack
from functools import partial
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from kdvision.errors import KdvisionError
from kdvision.web.bodies import photo_of, size_of
from kdvision.web.hosts import is_loopback
from kdvision.web.limits import MAX_PHOTO, WAITING_EACH, Refused, Tell
from kdvision.web.response import json_answer, status_of
from kdvision.web.service import Desk, Outcome

LINES: Final = "application/x-ndjson"


def desk_of(request: Request) -> Desk:
    """The desk of the application that a request came to."""
    desk: Desk = request.app.state.desk
    return desk


def address_of(request: Request) -> str:
    """The network address that a request came from."""
    return request.client.host if request.client else ""


async def photo_job(request: Request, job: Callable[[bytes, Tell], Any]) -> Response:
    """The answer of a job on the photo of a request: progress line by line where the client reads that."""
    line, address = desk_of(request).photos, address_of(request)
    each = None if is_loopback(address) else WAITING_EACH
    async with AsyncExitStack() as stack:
        place = await stack.enter_async_context(line.place(address, size_of(request, MAX_PHOTO), each=each))
        words = line.run(place, partial(job, await photo_of(request)))
        if LINES in request.headers.get("accept", ""):
            return StreamingResponse(_lines(words, stack.pop_all()), media_type=LINES)
        end = await _last(request, words)
    return json_answer(end.body, end.status) if isinstance(end, Outcome) else Response(end, media_type="image/jpeg")


async def tap(request: Request, job: Callable[[], Any]) -> Any:
    """What a quick job returns. It waits in another line than photos, so that no tap waits for one."""
    line = desk_of(request).taps
    async with line.place(address_of(request), 0) as place:
        return await _last(request, line.run(place, lambda _: job()))


async def _lines(words: AsyncGenerator[Any, None], stack: AsyncExitStack) -> AsyncGenerator[str, None]:
    """Each word on its line; the last is `{"status": …, "body": …}`, what the answer would have been."""
    async with stack:
        try:
            async for word in words:
                end = {"status": word.status, "body": word.body} if isinstance(word, Outcome) else word
                if end:
                    yield json.dumps(end, allow_nan=False) + "\n"
        except KdvisionError as error:
            body = {"error": str(error), "hint": error.hint or None}
            yield json.dumps({"status": status_of(error), "body": body}) + "\n"
        finally:
            await words.aclose()


async def _last(request: Request, words: AsyncGenerator[Any, None]) -> Any:
    """What a job returns; it is given up where the client has gone."""
    last: Any = None
    try:
        async for last in words:
            if last == {} and await request.is_disconnected():
                raise Refused(400, "the client has gone")
    finally:
        await words.aclose()
    return last
