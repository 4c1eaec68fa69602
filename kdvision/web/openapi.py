"""The API's own description (OpenAPI 3.1), written with the schemas that docs and tests hold the answers to."""

from functools import cache
from typing import Any, Final

from kdvision import __version__
from kdvision.game.rules import VARIANTS
from kdvision.web.limits import MAX_JSON, MAX_KEY, MAX_PHOTO
from kdvision.web.schema import PHOTO_GAMES, SCHEMAS, SIDE
from kdvision.web.shapes import Schema, listed, ref, text, thing

OUTLINE: Final = r"^([1-7]x[1-7]: )?[0-9]{1,4},[0-9]{1,4}( [0-9]{1,4},[0-9]{1,4}){3}$"

PHOTO_ERRORS: Final = {
    "400": "the body broke off, or the form cannot be read",
    "408": "the body took too long",
    "413": f"more than {MAX_PHOTO:,} bytes, or too many pixels",
    "503": "too many photos are waiting; Retry-After says when to try again",
}
JSON_ERRORS: Final = {
    "400": "the body is no JSON",
    "408": "the body took too long",
    "413": f"more than {MAX_JSON:,} bytes",
    "415": "the body is not said to be JSON",
    "422": "the body is JSON, and not what was expected",
    "503": "too many requests are waiting",
}
KEY_ERRORS: Final = {
    "401": "not the key",
    "413": f"more than {MAX_KEY:,} bytes",
    "429": "too many wrong keys",
}
DOOR: Final = {
    "401": "the server asks for the pairing key, and this request has none",
    "403": "a page of another origin asks",
    "421": "the Host header does not name this machine",
}


@cache
def description() -> dict[str, Any]:
    """The description as plain values, for `/api/openapi.json`."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "kdvision",
            "version": __version__,
            "license": {"name": "MIT", "identifier": "MIT"},
            "description": "From a photo of a Kingdomino table to the right score. Nothing that is sent is kept.",
        },
        "paths": {path: {method: made} for path, method, made in _operations()},
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer", "description": "with --lan: the key"}},
        },
        "security": [{}, {"key": []}],
    }


def _operations() -> list[tuple[str, str, Schema]]:
    said = {"415": "no picture of a kind that can be read", "422": "no kingdom, a damaged photo, a wrong option"}
    read, seen = _errors(PHOTO_ERRORS | said, _either("Result", "Error")), _answer("what was read", "SeenResult")
    seen["content"]["application/x-ndjson"] = {
        "schema": text("progress, an object a line; the last is {status, body}, what the answer would have been")
    }
    jpeg = {"description": "an upright JPEG", "content": {"image/jpeg": {"schema": text(format="binary")}}}
    return [
        ("/api/read", "post", _of("Read a photo", _photo() | {"parameters": _asked()}, {"200": seen} | read)),
        (
            "/api/picture",
            "post",
            _of("Turn a photo into a JPEG", _photo(), {"200": jpeg} | _errors(PHOTO_ERRORS | said)),
        ),
        (
            "/api/decide",
            "post",
            _of(
                "Decide again, with squares that a person has named",
                _json("Decide"),
                {"200": _answer("the kingdoms in the order given", "Decided")}
                | _errors(JSON_ERRORS | {"410": "readings of another run of the server"}),
            ),
        ),
        ("/api/score", "post", _of("Score a whole game", _json("Game"), {"200": _scored()} | _errors(JSON_ERRORS))),
        ("/api/rules", "get", _of("Tell what the rules know", {}, {"200": _answer("the rules", "Rules")})),
        ("/api/invite", "get", _of("Tell how other phones come in", {}, {"200": _answer("a link", "Invitation")})),
        (
            "/api/pair",
            "post",
            _of(
                "Let this phone in",
                _json("Key"),
                {"200": _answer("a cookie is set", "Paired")} | _errors(JSON_ERRORS | KEY_ERRORS),
            ),
        ),
        ("/api/openapi.json", "get", _of("Tell this description", {}, {"200": _plain("an OpenAPI description")})),
    ]


def _of(summary: str, takes: Schema, answers: Schema) -> Schema:
    return {
        "summary": summary,
        **takes,
        "responses": answers | _errors({k: v for k, v in DOOR.items() if k not in answers}),
    }


def _answer(words: str, schema: str) -> Schema:
    return {"description": words, "content": {"application/json": {"schema": ref(schema)}}}


def _plain(words: str) -> Schema:
    return {"description": words, "content": {"application/json": {"schema": {"type": "object"}}}}


def _errors(told: dict[str, str], schema: Schema | None = None) -> Schema:
    content = {"application/json": {"schema": schema or ref("Error")}}
    return {status: {"description": words, "content": content} for status, words in told.items()}


def _either(*names: str) -> Schema:
    return {"anyOf": [ref(name) for name in names]}


def _scored() -> Schema:
    answer = _answer("points, who wins, what is odd", "GameResult")
    answer["content"]["text/plain"] = {"schema": text("the table that `kdvision game` prints")}
    answer["content"]["application/toml"] = {"schema": text("the game file")}
    return answer


def _json(schema: str) -> Schema:
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": ref(schema)}}}}


def _photo() -> Schema:
    picture, form = text(format="binary"), thing({"photo": text(format="binary")})
    content = {"image/*": picture, "application/octet-stream": picture, "multipart/form-data": form}
    return {"requestBody": {"required": True, "content": {kind: {"schema": made} for kind, made in content.items()}}}


def _asked() -> list[Schema]:
    flag = text(enum=["true", "false"])
    outline = listed(text(pattern=OUTLINE), maxItems=8)
    words = "the outline of a kingdom by hand: its size where it is known, and its corners in pixels, once for each"
    return [
        {"name": "side", "in": "query", "schema": text(enum=["5", "7"]), "description": SIDE["description"]},
        *({"name": v.key, "in": "query", "schema": flag, "description": v.help} for v in VARIANTS),
        {"name": "game", "in": "query", "schema": text(enum=PHOTO_GAMES), "description": "auto: what the photo shows"},
        {"name": "corners", "in": "query", "schema": outline, "description": words},
    ]
