"""The OpenAPI 3.1 description of the API, generated from the models of requests and responses."""

from functools import cache
from typing import Any, Final

import msgspec

from kdvision import __version__
from kdvision.web import game_schema, schema
from kdvision.web.limits import MAX_JSON_BYTES, MAX_KEY_BYTES, MAX_PHOTO_BYTES
from kdvision.web.request import MAX_KINGDOMS, Decide, ReadQuery

Json = dict[str, Any]

MODELS: Final = (
    *(schema.Result, schema.SeenResult, schema.Decided, schema.GameResult, schema.Rules, schema.Invitation),
    *(game_schema.Key, schema.Paired, schema.Error, game_schema.Game, Decide, ReadQuery),
)

OUTLINE_PATTERN: Final = r"^([1-7]x[1-7]: )?[0-9]{1,4},[0-9]{1,4}( [0-9]{1,4},[0-9]{1,4}){3}$"

ACCESS_ERRORS: Final = {
    "401": "the pairing key is missing",
    "403": "a page of another origin sent the request",
    "421": "the Host header does not name this server",
}
BODY_ERRORS: Final = {
    "400": "the body is incomplete, or cannot be parsed",
    "408": "the body took too long",
    "503": "too many requests are waiting; Retry-After says when to try again",
}
PHOTO_ERRORS: Final = BODY_ERRORS | {
    "413": f"more than {MAX_PHOTO_BYTES:,} bytes, or too many pixels",
    "415": "not an image in a supported format",
    "422": "no kingdom, a damaged photo, or an option that is not valid",
}
JSON_ERRORS: Final = BODY_ERRORS | {
    "413": f"more than {MAX_JSON_BYTES:,} bytes",
    "415": "the body is not declared as JSON",
    "422": "the JSON is not what was expected",
}
KEY_ERRORS: Final = JSON_ERRORS | {
    "401": "not the key",
    "413": f"more than {MAX_KEY_BYTES:,} bytes",
    "429": "too many wrong keys",
}


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
        "paths": _paths(),
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


def _paths() -> Json:
    progress = {"type": "string", "description": "JSON lines of progress; the last is {status, body}"}
    read = _content(_ref("SeenResult"), **{"application/x-ndjson": progress})
    score = _content(_ref("GameResult"), **{"text/plain": _text(), "application/toml": _text()})
    jpeg = {"image/jpeg": {"schema": _text(format="binary")}}
    failed_read = {"anyOf": [_ref("Result"), _ref("Error")]}
    photo, parameters = _photo_body(), {"parameters": _query_parameters()}
    decide_errors = JSON_ERRORS | {"410": "the reading is from another run of the server"}
    return {
        "/api/read": {
            "post": _operation("Read a photo", photo | parameters, read, PHOTO_ERRORS, error_schema=failed_read)
        },
        "/api/picture": {"post": _operation("Convert a photo to JPEG", photo, jpeg, PHOTO_ERRORS)},
        "/api/decide": {
            "post": _operation(
                "Decide again with fixed squares", _json_body("Decide"), _content(_ref("Decided")), decide_errors
            )
        },
        "/api/score": {"post": _operation("Score a game", _json_body("Game"), score, JSON_ERRORS)},
        "/api/rules": {"get": _operation("What the rules know", {}, _content(_ref("Rules")), {})},
        "/api/invite": {"get": _operation("The link for other phones", {}, _content(_ref("Invitation")), {})},
        "/api/pair": {"post": _operation("Get the cookie", _json_body("Key"), _content(_ref("Paired")), KEY_ERRORS)},
        "/api/openapi.json": {"get": _operation("This description", {}, _content({"type": "object"}), {})},
    }


def _operation(
    summary: str, request: Json, content: Json, errors: dict[str, str], *, error_schema: Json | None = None
) -> Json:
    responses: Json = {"200": {"description": summary, "content": content}}
    for status, description in (ACCESS_ERRORS | errors).items():
        schema = error_schema if error_schema and status in errors else _ref("Error")
        responses[status] = {"description": description, "content": _content(schema)}
    return {"summary": summary, **request, "responses": responses}


def _content(json_schema: Json, **others: Json) -> Json:
    kinds = {"application/json": json_schema, **others}
    return {kind: {"schema": one} for kind, one in kinds.items()}


def _ref(model: str) -> Json:
    return {"$ref": f"#/components/schemas/{model}"}


def _text(**more: Any) -> Json:
    return {"type": "string", **more}


def _json_body(model: str) -> Json:
    return {"requestBody": {"required": True, "content": _content(_ref(model))}}


def _photo_body() -> Json:
    binary = _text(format="binary")
    form = {"type": "object", "properties": {"photo": binary}, "required": ["photo"]}
    kinds = {"image/*": binary, "application/octet-stream": binary, "multipart/form-data": form}
    return {"requestBody": {"required": True, "content": {kind: {"schema": one} for kind, one in kinds.items()}}}


def _query_parameters() -> list[Json]:
    fields = component_schemas()["ReadQuery"]["properties"]
    outline = {"type": "array", "items": _text(pattern=OUTLINE_PATTERN), "maxItems": MAX_KINGDOMS}
    outline["description"] = "the outline of each kingdom: its size if known, and its corners in pixels"
    return [{"name": name, "in": "query", "schema": one} for name, one in (fields | {"corners": outline}).items()]
