"""Requests and responses: bodies within their limits, checked options, JSON, and errors with their hints."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct
from starlette.datastructures import QueryParams, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from kdvision.errors import KdvisionError, ModelError, PhotoTooLargeError, UnsupportedImageError
from kdvision.game.rules import GAME_AUTO, GAME_KINGDOMINO, GAMES, SIDES, VARIANTS
from kdvision.text import join_words
from kdvision.web.limits import BODY_TIMEOUT_SECONDS, MAX_JSON_BYTES, MAX_PHOTO_BYTES, Refusal

MAX_KINGDOMS: Final = 8
"""Kingdoms in one request; no game has more players."""

MAX_OUTLINE_LENGTH: Final = 200
"""Characters of one outline."""

MAX_DOMINO_LENGTH: Final = 20

MAX_FORM_FIELDS: Final = 8
"""Fields of a form beside the photo."""

OUTLINE_PATTERN: Final = r"^([1-7]x[1-7]: )?[0-9]{1,4},[0-9]{1,4}( [0-9]{1,4},[0-9]{1,4}){3}$"

FORM: Final = "multipart/form-data"

STATUS: Final[Mapping[type[KdvisionError], int]] = {
    UnsupportedImageError: 415,
    PhotoTooLargeError: 413,
    ModelError: 500,
}
"""HTTP status by error class; all other errors of the program are 422."""

FAILURE: Final = Refusal(500, "the server failed", hint="try again, or with another photo")
"""An error of the program. The log has the traceback, but nothing of the request."""


Outline = Annotated[str, Meta(max_length=MAX_OUTLINE_LENGTH, extra_json_schema={"pattern": OUTLINE_PATTERN})]
OUTLINES_HELP: Final = "the outline of each kingdom: its size if known, and its corners in pixels"
Outlines = Annotated[list[Outline], Meta(max_length=MAX_KINGDOMS, description=OUTLINES_HELP)]

OPTIONS: Final[list[tuple[str, Any, Any]]] = [
    ("side", Annotated[Literal[SIDES] | None, Meta(description="null: as the photo shows")], None),
    *((variant.key, Annotated[bool, Meta(description=variant.help)], False) for variant in VARIANTS),
    ("game", Annotated[Literal[(GAME_AUTO, *GAMES)], Meta(description="auto: as the photo shows")], GAME_AUTO),
]
"""Name, type and default of the options of /api/read."""

ReadQuery: Final = msgspec.defstruct("ReadQuery", [*OPTIONS, ("corners", Outlines, [])], forbid_unknown_fields=True)
Fits: Final = msgspec.defstruct(
    "Fits",
    [
        ("domino", Annotated[str, Meta(max_length=MAX_DOMINO_LENGTH, examples=["w f1"])]),
        ("board", Annotated[list[str] | str, Meta(examples=["w w1 / l #"])]),
        ("game", Literal[tuple(GAMES)], GAME_KINGDOMINO),
        *OPTIONS[:-1],
    ],
    forbid_unknown_fields=True,
)


class InviteQuery(Struct, forbid_unknown_fields=True):
    """The table that other phones are invited to."""

    table: Annotated[str, Meta(pattern=r"^[A-Z0-9]{0,8}$(?!\n)")] = ""


def parse_query(query: QueryParams, model: Any) -> Any:
    """Return the options of a query as an instance of the model; raise Refusal."""
    texts = {field.name for field in msgspec.structs.fields(model) if isinstance(field.default, str)}
    values: dict[str, Any] = {**query} | ({"corners": query.getlist("corners")} if "corners" in query else {})
    for name in query.keys() - texts - {"corners"}:
        with suppress(msgspec.DecodeError, RecursionError):  # values are written as in JSON, with strings unquoted
            values[name] = msgspec.json.decode(query[name])
    return check_value(values, model)


def check_value(value: Any, model: Any) -> Any:
    """Return the value as an instance of the model; raise Refusal."""
    try:
        return msgspec.convert(value, model)
    except msgspec.ValidationError as error:
        raise Refusal(422, f"the request is not valid: {error}", hint="see /api/openapi.json") from error


def list_variants(options: Any) -> list[str]:
    """Return the ids of the variants that a ReadQuery asks for; raise Refusal if one cannot be added to its game."""
    variants = [variant for variant in VARIANTS if getattr(options, variant.key)]
    for variant in variants:
        if options.game != GAME_AUTO and not variant.fits(options.game):
            hint = f"leave it out, or choose {join_words(variant.games, 'or')}"
            raise Refusal(422, f"{variant.name} cannot be added to {options.game}", hint=hint)
    return [variant.id for variant in variants]


def parse_content_length(request: Request, max_bytes: int) -> int:
    """Return the Content-Length of a request, or `max_bytes` if it has none; raise Refusal if it is larger."""
    length = request.headers.get("content-length", "")
    size = int(length) if length.isascii() and length.isdigit() else max_bytes
    return _check_size(size, max_bytes)


def _check_size(size: int, max_bytes: int) -> int:
    if size > max_bytes:
        hint = "send a smaller one, such as a JPEG" if max_bytes == MAX_PHOTO_BYTES else "send less in one request"
        raise Refusal(413, f"the body has more than {max_bytes:,} bytes", hint=hint)
    return size


async def read_photo(request: Request) -> bytes:
    """Return the bytes of the photo: the whole body, or the one file of a form; raise Refusal."""
    kind = _parse_media_type(request)
    if kind and kind not in (FORM, "application/octet-stream") and not kind.startswith("image/"):
        hint = "send the photo as the body, or as the file of a form"
        raise Refusal(415, f"a body of type {kind[:40]} is not a photo", hint=hint)
    body = await _read_body(request, MAX_PHOTO_BYTES)
    return await _extract_file(request, body) if kind == FORM else body


async def read_json(request: Request, model: Any = dict, *, max_bytes: int = MAX_JSON_BYTES) -> Any:
    """Return the JSON body of a request as an instance of the model; raise Refusal."""
    if _parse_media_type(request) != "application/json":
        raise Refusal(415, "the body is not declared as JSON", hint="send Content-Type: application/json")
    body = await _read_body(request, max_bytes)
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError) as error:
        raise Refusal(400, "the body is not JSON", hint="send one JSON object in UTF-8") from error
    return check_value(value, model)


async def _read_body(request: Request, max_bytes: int) -> bytes:
    parse_content_length(request, max_bytes)
    chunks, size = [], 0
    try:
        async with asyncio.timeout(BODY_TIMEOUT_SECONDS):
            async for chunk in request.stream():
                size = _check_size(size + len(chunk), max_bytes)
                chunks.append(chunk)
    except ClientDisconnect as error:
        raise Refusal(400, "the body is incomplete", hint="send it again") from error
    except TimeoutError as error:
        hint = "try again with a better connection"
        raise Refusal(408, f"the body took longer than {BODY_TIMEOUT_SECONDS:.0f} s", hint=hint) from error
    return b"".join(chunks)


async def _extract_file(request: Request, body: bytes) -> bytes:
    async def stream() -> AsyncGenerator[bytes]:
        yield body

    hint = "send a form with one file"
    parser = MultiPartParser(request.headers, stream(), max_files=1, max_fields=MAX_FORM_FIELDS)
    parser.spool_max_size = MAX_PHOTO_BYTES + 1  # files over a megabyte would be written to the disk
    try:
        form = await parser.parse()
    except (MultiPartException, KeyError, ValueError) as error:
        raise Refusal(400, "the form cannot be read", hint=hint) from error
    try:
        files = [value for _, value in form.multi_items() if isinstance(value, UploadFile)]
        if len(files) != 1:
            raise Refusal(400, f"the form has {len(files)} files", hint=hint)
        return await files[0].read()
    finally:
        await form.close()


def _parse_media_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def make_json_response(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a response that holds a value as JSON."""
    return Response(msgspec.json.encode(value), status, headers, media_type="application/json")


def make_error_response(error: KdvisionError) -> Response:
    """Return a response that tells what is wrong and what to do, as the command line does."""
    retry_after = error.retry_after if isinstance(error, Refusal) else None
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return make_json_response({"error": str(error), "hint": error.hint or None}, get_status(error), headers)


def get_status(error: KdvisionError) -> int:
    return error.status if isinstance(error, Refusal) else STATUS.get(type(error), 422)
