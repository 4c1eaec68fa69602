"""The operations of the API, and their OpenAPI 3.1 description, generated from the models of requests and responses."""

import re
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Annotated, Any, Final, NamedTuple

import msgspec
from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from kdvision import __version__
from kdvision.web import api, models
from kdvision.web.games import Game, Rules
from kdvision.web.http import FORM, Fits, InviteQuery, ReadQuery, make_json_response
from kdvision.web.limits import MAX_JSON_BYTES, MAX_KEY_BYTES, MAX_PHOTO_BYTES
from kdvision.web.table.changes import ChangeRequest
from kdvision.web.table.live import TableState
from kdvision.web.table.tables import JoinRequest, PastGame, PhotoAnswer

JSON: Final = "application/json"
REF_TEMPLATE: Final = "#/components/schemas/{name}"

Json = dict[str, Any]
Binary = Annotated[str, Meta(extra_json_schema={"format": "binary"})]
Events = Annotated[str, Meta(description="server-sent events: `state` with a TableState, `people` with a number")]
Progress = Annotated[str, Meta(description="JSON lines of progress; the last is {status, body}")]


class PhotoForm(Struct):
    photo: Binary


PHOTO: Final = {"image/*": Binary, "application/octet-stream": Binary, FORM: PhotoForm}

ERRORS: Final = {
    400: "the body is incomplete, or cannot be parsed",
    401: "the pairing key is missing or wrong",
    403: "a page of another origin sent the request",
    404: "there is no such table, kingdom, reading or game",
    408: "the body took too long",
    409: "somebody has changed the game since",
    413: f"more than {MAX_PHOTO_BYTES:,} bytes of a photo, {MAX_JSON_BYTES:,} of JSON or {MAX_KEY_BYTES:,} of a key, "
    "or too many pixels",
    415: "not an image in a supported format, or not declared as JSON",
    421: "the Host header does not name this server",
    422: "no kingdom, a damaged photo, or a value that is not valid",
    429: "too many wrong keys",
    503: "too many requests are waiting; Retry-After says when to try again",
}
ACCESS_ERRORS: Final = (401, 403, 421, 429)
BODY_ERRORS: Final = (400, 408, 413, 415, 422, 503)


class Operation(NamedTuple):
    """An endpoint with the types of its query, its body and its response, the latter two by media type."""

    method: str
    endpoint: Callable[[Request], Awaitable[Response]]
    returns: Mapping[str, Any]
    takes: Mapping[str, Any] = {}
    query: Any = None
    errors: tuple[int, ...] = ()
    """Statuses beside those of every request and of every body."""
    error_types: tuple[Any, ...] = (models.Error,)

    @property
    def types(self) -> list[Any]:
        return [*self.returns.values(), *self.takes.values(), *self.error_types, *([self.query] if self.query else [])]

    def describe(self, path: str) -> Json:
        """Return the operation at a path as in an OpenAPI description."""
        summary = (self.endpoint.__doc__ or "").partition("\n")[0]
        operation: Json = {"summary": summary}
        path_names = re.findall(r"{(\w+)}", path)
        if self.takes:
            operation["requestBody"] = {"required": True, "content": _describe_content(self.takes)}
        fields = make_component_schemas()[self.query.__name__]["properties"] if self.query else {}
        operation["parameters"] = [
            *({"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in path_names),
            *({"name": name, "in": "query", "schema": schema} for name, schema in fields.items()),
        ]
        operation["responses"] = {"200": {"description": summary, "content": _describe_content(self.returns)}}
        schemas, _ = msgspec.json.schema_components(self.error_types, ref_template=REF_TEMPLATE)
        error = {JSON: {"schema": {"anyOf": [*schemas]} if len(schemas) > 1 else schemas[0]}}
        for status in (*ACCESS_ERRORS, *(BODY_ERRORS if self.takes else ()), *self.errors):
            operation["responses"][str(status)] = {"description": ERRORS[status], "content": error}
        return operation


def _describe_content(types: Mapping[str, Any]) -> Json:
    schemas, _ = msgspec.json.schema_components(types.values(), ref_template=REF_TEMPLATE)
    return {media_type: {"schema": schema} for media_type, schema in zip(types, schemas, strict=True)}


async def serve_openapi(_: Request) -> Response:
    """The OpenAPI description of this API."""
    return make_json_response(describe_api())


OPERATIONS: Final[Mapping[str, Operation]] = {
    "/api/read": Operation(
        *("POST", api.read, {JSON: models.SeenResult, api.JSON_LINES: Progress}, PHOTO, ReadQuery),
        error_types=(models.Result, models.Error),
    ),
    "/api/picture": Operation("POST", api.convert_to_jpeg, {"image/jpeg": Binary}, PHOTO),
    "/api/score": Operation(
        "POST", api.score, {JSON: models.GameResult, "text/plain": str, "application/toml": str}, {JSON: Game}
    ),
    "/api/fits": Operation("POST", api.fits, {JSON: models.FitsAnswer}, {JSON: Fits}),
    "/api/rules": Operation("GET", api.list_rules, {JSON: Rules}),
    "/api/invite": Operation("GET", api.invite, {JSON: models.Invitation}, query=InviteQuery, errors=(422,)),
    "/api/pair": Operation("POST", api.pair, {JSON: models.Paired}, {JSON: models.Key}),
    "/api/tables": Operation("POST", api.join_table, {JSON: TableState}, {JSON: JoinRequest}, errors=(404,)),
    "/api/tables/{table}/live": Operation("GET", api.watch_table, {api.EVENTS: Events}, errors=(404, 503)),
    "/api/tables/{table}/changes": Operation(
        "POST", api.change_table, {JSON: TableState}, {JSON: ChangeRequest}, errors=(404, 409)
    ),
    "/api/tables/{table}/photos": Operation(
        *("POST", api.read_at_table, {JSON: PhotoAnswer, api.JSON_LINES: Progress}, PHOTO, api.PhotoQuery),
        errors=(404, 409),
        error_types=(models.Result, models.Error),
    ),
    "/api/games": Operation("GET", api.list_games, {JSON: list[PastGame]}, errors=(503,)),
    "/api/openapi.json": Operation("GET", serve_openapi, {JSON: dict}),
}
"""The operations by path; the server has a route for each."""


@cache
def describe_api() -> Json:
    """Return the description as plain values, for /api/openapi.json."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "kdvision",
            "version": __version__,
            "license": {"name": "MIT", "identifier": "MIT"},
            "description": "From a photo of a Kingdomino table to the right score. docs/web.md explains shared tables.",
        },
        "paths": {path: {operation.method.lower(): operation.describe(path)} for path, operation in OPERATIONS.items()},
        "components": {
            "schemas": make_component_schemas(),
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer", "description": "with --lan: the key"}},
        },
        "security": [{}, {"key": []}],
    }


@cache
def make_component_schemas() -> dict[str, Json]:
    """Return the JSON Schema of each model by its name."""
    types = [model_type for operation in OPERATIONS.values() for model_type in operation.types]
    return msgspec.json.schema_components(types, ref_template=REF_TEMPLATE)[1]
