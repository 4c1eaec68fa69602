"""Responses: JSON, and errors with their hints."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from starlette.responses import Response
from starlette.types import Scope

from kdvision.errors import KdvisionError, ModelError, PhotoTooLargeError, UnsupportedImageError
from kdvision.web.limits import Refusal
from kdvision.web.page import find_file

STATUS: Final[Mapping[type[KdvisionError], int]] = {
    UnsupportedImageError: 415,
    PhotoTooLargeError: 413,
    ModelError: 500,
}
"""HTTP status by error class; all other errors of the program are 422."""


def json_response(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A response that holds a value as JSON."""
    return Response(msgspec.json.encode(value), status, dict(headers or {}), media_type="application/json")


def error_response(error: KdvisionError) -> Response:
    """A response that tells what is wrong and what to do, as the command line does."""
    retry_after = error.retry_after if isinstance(error, Refusal) else None
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return json_response(error_data(error), status_of(error), headers)


def error_data(error: KdvisionError) -> dict[str, str | None]:
    """An error as plain values."""
    return {"error": str(error), "hint": error.hint or None}


def status_of(error: KdvisionError) -> int:
    """The HTTP status of an error."""
    return error.status if isinstance(error, Refusal) else STATUS.get(type(error), 422)


def refusal_response(error: Refusal, scope: Scope) -> Response:
    """The pairing page for a browser without the key, otherwise the error."""
    if error.status == 401 and scope["method"] in ("GET", "HEAD") and not scope["path"].startswith("/api/"):
        return find_file("/pair.html").response(status=401)
    return error_response(error)
