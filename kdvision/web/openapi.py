"""The operations of the API, and their OpenAPI 3.1 description, generated from the models of requests and responses."""

from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from kdvision import __version__
from kdvision.web import api, models
from kdvision.web.http import Decide, ReadQuery, json_response
from kdvision.web.limits import MAX_JSON_BYTES, MAX_KEY_BYTES, MAX_PHOTO_BYTES
from kdvision.web.rules_info import Rules

Json = dict[str, Any]

MODELS: Final = (
    *(models.Result, models.SeenResult, models.Decided, models.GameResult, Rules, models.Invitation),
    *(models.Key, models.Paired, models.Error, models.Game, Decide, ReadQuery),
)

ERRORS: Final = {
    400: "the body is incomplete, or cannot be parsed",
    401: "the pairing key is missing or wrong",
    403: "a page of another origin sent the request",
    408: "the body took too long",
    410: "the reading is from another run of the server",
    413: f"more than {MAX_PHOTO_BYTES:,} bytes of a photo, {MAX_JSON_BYTES:,} of JSON or {MAX_KEY_BYTES:,} of a key, "
    "or too many pixels",
    415: "not an image in a supported format, or not declared as JSON",
    421: "the Host header does not name this server",
    422: "no kingdom, a damaged photo, or a value that is not valid",
    429: "too many wrong keys",
    503: "too many requests are waiting; Retry-After says when to try again",
}
ACCESS_ERRORS: Final = (401, 403, 421)
BODY_ERRORS: Final = (400, 408, 413, 415, 422, 503)


def _ref(model: str) -> Json:
    return {"$ref": f"#/components/schemas/{model}"}


def _content(schemas: Mapping[str, Json]) -> Json:
    return {"content": {kind: {"schema": schema} for kind, schema in schemas.items()}}


def _json(model: str) -> dict[str, Json]:
    return {"application/json": _ref(model)}


TEXT: Final[Json] = {"type": "string"}
BINARY: Final[Json] = {"type": "string", "format": "binary"}
PROGRESS: Final[Json] = {"type": "string", "description": "JSON lines of progress; the last is {status, body}"}
FORM: Final[Json] = {"type": "object", "properties": {"photo": BINARY}, "required": ["photo"]}
PHOTO: Final = {"image/*": BINARY, "application/octet-stream": BINARY, "multipart/form-data": FORM}


class Operation(NamedTuple):
    """An endpoint, with the schemas of its request and its response by media type."""

    method: str
    endpoint: Callable[[Request], Awaitable[Response]]
    summary: str
    response: Mapping[str, Json]
    request: Mapping[str, Json] = {}
    query: str = ""
    """The model of the query."""
    errors: tuple[int, ...] = ()
    error_schema: Json = _ref("Error")

    def describe(self) -> Json:
        """The operation as in an OpenAPI description."""
        described: Json = {"summary": self.summary}
        if self.request:
            described["requestBody"] = {"required": True, **_content(self.request)}
        if self.query:
            fields = component_schemas()[self.query]["properties"]
            described["parameters"] = [{"name": name, "in": "query", "schema": one} for name, one in fields.items()]
        responses: Json = {"200": {"description": self.summary, **_content(self.response)}}
        for status in sorted({*ACCESS_ERRORS, *self.errors}):
            schema = self.error_schema if status in self.errors else _ref("Error")
            responses[str(status)] = {"description": ERRORS[status], **_content({"application/json": schema})}
        return described | {"responses": responses}


async def openapi(_: Request) -> Response:
    """The OpenAPI description of this API."""
    return json_response(describe_api())


OPERATIONS: Final[Mapping[str, Operation]] = {
    "/api/read": Operation(
        *("POST", api.read, "Read a photo"),
        response=_json("SeenResult") | {"application/x-ndjson": PROGRESS},
        request=PHOTO,
        query="ReadQuery",
        errors=BODY_ERRORS,
        error_schema={"anyOf": [_ref("Result"), _ref("Error")]},
    ),
    "/api/picture": Operation(
        "POST", api.picture, "Convert a photo to JPEG", {"image/jpeg": BINARY}, PHOTO, errors=BODY_ERRORS
    ),
    "/api/decide": Operation(
        *("POST", api.decide, "Decide again with fixed squares"),
        response=_json("Decided"),
        request=_json("Decide"),
        errors=(*BODY_ERRORS, 410),
    ),
    "/api/score": Operation(
        *("POST", api.score, "Score a game"),
        response=_json("GameResult") | {"text/plain": TEXT, "application/toml": TEXT},
        request=_json("Game"),
        errors=BODY_ERRORS,
    ),
    "/api/rules": Operation("GET", api.rules, "What the rules know", _json("Rules")),
    "/api/invite": Operation("GET", api.invite, "The link for other phones", _json("Invitation")),
    "/api/pair": Operation(
        "POST", api.pair, "Get the cookie", _json("Paired"), _json("Key"), errors=(*BODY_ERRORS, 401, 429)
    ),
    "/api/openapi.json": Operation("GET", openapi, "This description", {"application/json": {"type": "object"}}),
}
"""The operations by path; the server has a route for each."""


@cache
def describe_api() -> Json:
    """The description as plain values, for /api/openapi.json."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "kdvision",
            "version": __version__,
            "license": {"name": "MIT", "identifier": "MIT"},
            "description": "From a photo of a Kingdomino table to the right score. The server keeps nothing.",
        },
        "paths": {path: {operation.method.lower(): operation.describe()} for path, operation in OPERATIONS.items()},
        "components": {
            "schemas": component_schemas(),
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer", "description": "with --lan: the key"}},
        },
        "security": [{}, {"key": []}],
    }


@cache
def component_schemas() -> dict[str, Json]:
    """The JSON Schema of each model by its name."""
    return msgspec.json.schema_components(MODELS, ref_template="#/components/schemas/{name}")[1]
