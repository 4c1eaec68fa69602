"""Bodies of requests, read into memory and no further: a photo, bare or in a form, and JSON."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request

from kdvision.web.limits import BODY_SECONDS, MAX_JSON, MAX_PHOTO, Refused


class _InMemory(MultiPartParser):
    """Starlette's parser of forms; files stay in memory, where it would write larger ones to the disk."""

    spool_max_size = MAX_PHOTO + 1


def size_of(request: Request, most: int) -> int:
    """The bytes that a request says it brings, `most` where it does not say; raises Refused for more."""
    said = request.headers.get("content-length", "")
    size = int(said) if said.isascii() and said.isdigit() else most
    if size > most:
        raise _too_large(most)
    return size


async def photo_of(request: Request) -> bytes:
    """The bytes of the photo: the whole body, or the one file of a form; raises Refused."""
    async with _in_time():
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "multipart/form-data":
            return await _file_of(request)
        if kind and not (kind.startswith("image/") or kind == "application/octet-stream"):
            hint = "send the picture as the body, or as a file of a form"
            raise Refused(415, f"a body of type {kind[:40]} is no photo", hint=hint)
        return b"".join([part async for part in _limited(request, MAX_PHOTO)])


async def _file_of(request: Request) -> bytes:
    hint = "send a form with one file"
    try:
        form = await _InMemory(request.headers, _limited(request, MAX_PHOTO), max_files=1, max_fields=8).parse()
    except (MultiPartException, KeyError, UnicodeDecodeError, ValueError) as error:
        raise Refused(400, "the form cannot be read", hint=hint) from error
    try:
        files = [value for _, value in form.multi_items() if isinstance(value, UploadFile)]
        if len(files) != 1:
            raise Refused(400, f"the form holds {len(files)} files", hint=hint)
        return await files[0].read()
    finally:
        await form.close()


async def json_of(request: Request, *, most: int = MAX_JSON) -> dict[str, Any]:
    """The object of a JSON body of no more than so many bytes; raises Refused."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(415, "the body is not said to be JSON", hint="send Content-Type: application/json")
    async with _in_time():
        body = b"".join([part async for part in _limited(request, most)])
    try:
        value = json.loads(body)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()  # no halves of characters, no NaN
    except (ValueError, RecursionError) as error:
        raise Refused(400, "the body is no JSON", hint="send one JSON object in UTF-8") from error
    if not isinstance(value, dict):
        raise Refused(422, "the body is no JSON object", hint="send one JSON object")
    return value


async def _limited(request: Request, most: int) -> AsyncGenerator[bytes, None]:
    size_of(request, most)
    size = 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > most:
                raise _too_large(most)
            yield part
    except ClientDisconnect as error:
        raise Refused(400, "the body broke off", hint="send it again") from error


def _too_large(most: int) -> Refused:
    return Refused(413, f"the body has more than {most:,} bytes", hint="send a smaller one, such as a JPEG")


@asynccontextmanager
async def _in_time() -> AsyncIterator[None]:
    """Refuse a body that takes too long."""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            yield
    except TimeoutError as error:
        hint = "try again where the network is better"
        raise Refused(408, f"the body took longer than {BODY_SECONDS:.0f} s", hint=hint) from error
