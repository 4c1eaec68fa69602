"""Requests: bodies are read into memory within their limits, options and fixed squares are checked."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct
from starlette.datastructures import QueryParams, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request

from kdvision.game.board import Cell, Square
from kdvision.game.rules import SIDES, VARIANTS
from kdvision.vision.decide.game_set import DECKS, GAME_AUTO
from kdvision.vision.detect.outline import KingdomOutline
from kdvision.web.limits import BODY_TIMEOUT_SECONDS, MAX_JSON_BYTES, MAX_PHOTO_BYTES, Refusal
from kdvision.web.service import FixedObservation, ReadOptions

MAX_KINGDOMS: Final = 8
"""Kingdoms in one request; no game has more players."""

MAX_OUTLINE_LENGTH: Final = 200
"""Characters of one outline."""

MAX_FORM_FIELDS: Final = 8
"""Fields of a form beside the photo."""

CELL_PATTERN: Final = r"^(#|\.|[wflgstmWFLGSTM][0-9]?)$"


def _option_fields(flag: Any, default: Any) -> list[tuple[str, Any, Any]]:
    """The options that queries and bodies share; `flag` is the type of those that are true or false."""
    side, game = Literal[(*SIDES, None)], Literal[(GAME_AUTO, *DECKS)]
    variants = [(variant.key, Annotated[flag, Meta(description=variant.help)], default) for variant in VARIANTS]
    return [
        ("side", Annotated[side, Meta(description="null: as the photo shows")], None),
        *variants,
        ("game", Annotated[game, Meta(description="auto: as the photo shows")], GAME_AUTO),
    ]


class KingdomFixes(Struct):
    """What /api/read returned as `sight`, and squares of its grid that a person has named, such as C3."""

    sight: str
    fixes: dict[str, Annotated[str, Meta(extra_json_schema={"pattern": CELL_PATTERN})]] = {}


Kingdoms = Annotated[list[KingdomFixes], Meta(min_length=1, max_length=MAX_KINGDOMS, description="of one game")]

ReadQuery: Final = msgspec.defstruct("ReadQuery", _option_fields(Literal["true", "false"], "false"))
Decide: Final = msgspec.defstruct("Decide", [("kingdoms", Kingdoms), *_option_fields(bool, False)])


def parse_options(query: QueryParams) -> ReadOptions:
    """The options of a query; raises Refusal."""
    return _options(_convert({name: query[name] for name in query if name != "corners"}, ReadQuery, strict=False))


def parse_outlines(query: QueryParams) -> list[KingdomOutline]:
    """The outlines of a query, `corners=5x5: x,y x,y x,y x,y`; raises Refusal and NotationError."""
    texts = query.getlist("corners")
    if len(texts) > MAX_KINGDOMS or any(len(text) > MAX_OUTLINE_LENGTH for text in texts):
        hint = f"send at most {MAX_KINGDOMS} outlines of {MAX_OUTLINE_LENGTH} characters"
        raise Refusal(422, "there are too many outlines, or one is too long", hint=hint)
    return [KingdomOutline.parse(text) for text in texts]


def parse_decide(body: Mapping[str, Any]) -> tuple[list[FixedObservation], ReadOptions]:
    """The observations with their fixed squares, and the options; raises Refusal and NotationError."""
    request: Any = _convert(body, Decide)
    observations = [
        FixedObservation(one.sight, {Square.parse(name): _parse_cell(cell) for name, cell in one.fixes.items()})
        for one in request.kingdoms
    ]
    return observations, _options(request)


def _options(request: Any) -> ReadOptions:
    variants = tuple(variant.id for variant in VARIANTS if getattr(request, variant.key) in (True, "true"))
    return ReadOptions(request.side, request.game, variants)


def _parse_cell(text: str) -> str:
    return "." if text == "." else str(Cell.parse(text))


def _convert(value: Any, model: Any, *, strict: bool = True) -> Any:
    try:
        return msgspec.convert(value, model, strict=strict)
    except msgspec.ValidationError as error:
        raise Refusal(422, f"the request is not valid: {error}", hint="see /api/openapi.json") from error


def declared_size(request: Request, max_bytes: int) -> int:
    """The Content-Length of a request, or `max_bytes` if it has none; raises Refusal if it is larger."""
    length = request.headers.get("content-length", "")
    size = int(length) if length.isascii() and length.isdigit() else max_bytes
    if size > max_bytes:
        raise _too_large(max_bytes)
    return size


async def read_photo(request: Request) -> bytes:
    """The bytes of the photo: the whole body, or the one file of a form; raises Refusal."""
    async with _time_limit():
        kind = _media_type(request)
        if kind == "multipart/form-data":
            return await _read_form_file(request)
        if kind and not (kind.startswith("image/") or kind == "application/octet-stream"):
            hint = "send the photo as the body, or as the file of a form"
            raise Refusal(415, f"a body of type {kind[:40]} is not a photo", hint=hint)
        return await _read_body(request, MAX_PHOTO_BYTES)


async def read_json(request: Request, *, max_bytes: int = MAX_JSON_BYTES) -> dict[str, Any]:
    """The object of a JSON body; raises Refusal."""
    if _media_type(request) != "application/json":
        raise Refusal(415, "the body is not declared as JSON", hint="send Content-Type: application/json")
    async with _time_limit():
        body = await _read_body(request, max_bytes)
    try:
        value = msgspec.json.decode(body)
    except (ValueError, RecursionError) as error:
        raise Refusal(400, "the body is not JSON", hint="send one JSON object in UTF-8") from error
    if not isinstance(value, dict):
        raise Refusal(422, "the body is not a JSON object", hint="send one JSON object")
    return value


class _MemoryParser(MultiPartParser):
    """Starlette's form parser, which would write files over a megabyte to the disk; here they stay in memory."""

    spool_max_size = MAX_PHOTO_BYTES + 1


async def _read_form_file(request: Request) -> bytes:
    hint = "send a form with one file"
    body = _limited_stream(request, MAX_PHOTO_BYTES)
    try:
        form = await _MemoryParser(request.headers, body, max_files=1, max_fields=MAX_FORM_FIELDS).parse()
    except (MultiPartException, KeyError, ValueError) as error:
        raise Refusal(400, "the form cannot be read", hint=hint) from error
    try:
        files = [value for _, value in form.multi_items() if isinstance(value, UploadFile)]
        if len(files) != 1:
            raise Refusal(400, f"the form has {len(files)} files", hint=hint)
        return await files[0].read()
    finally:
        await form.close()


async def _read_body(request: Request, max_bytes: int) -> bytes:
    return b"".join([part async for part in _limited_stream(request, max_bytes)])


async def _limited_stream(request: Request, max_bytes: int) -> AsyncGenerator[bytes, None]:
    declared_size(request, max_bytes)
    size = 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > max_bytes:
                raise _too_large(max_bytes)
            yield part
    except ClientDisconnect as error:
        raise Refusal(400, "the body is incomplete", hint="send it again") from error


@asynccontextmanager
async def _time_limit() -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(BODY_TIMEOUT_SECONDS):
            yield
    except TimeoutError as error:
        hint = "try again with a better connection"
        raise Refusal(408, f"the body took longer than {BODY_TIMEOUT_SECONDS:.0f} s", hint=hint) from error


def _media_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _too_large(max_bytes: int) -> Refusal:
    return Refusal(413, f"the body has more than {max_bytes:,} bytes", hint="send a smaller one, such as a JPEG")
