"""Answers: JSON, and errors with their advice."""

import json
from collections.abc import Mapping
from typing import Any, Final

from starlette.responses import Response
from starlette.types import Scope

from kdvision.errors import KdvisionError, ModelError, NoKingdomFound, PhotoTooLargeError, UnsupportedImageError
from kdvision.web.limits import Refused
from kdvision.web.page import page

STATUS: Final[Mapping[type[KdvisionError], int]] = {
    UnsupportedImageError: 415,
    PhotoTooLargeError: 413,
    NoKingdomFound: 422,
    ModelError: 500,
}
"""The status of errors that are none of the door's own; the others are 422: well said, and of no use."""


def json_answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """The answer that holds a value as JSON."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(text.encode(), status, dict(headers or {}), media_type="application/json")


def error_answer(error: KdvisionError) -> Response:
    """The answer that tells an error, as the command line does: what is wrong, and what to do."""
    wait = error.wait if isinstance(error, Refused) else None
    headers = {} if wait is None else {"Retry-After": str(wait)}
    return json_answer({"error": str(error), "hint": error.hint or None}, status_of(error), headers)


def status_of(error: KdvisionError) -> int:
    """The HTTP status of an error."""
    return error.status if isinstance(error, Refused) else STATUS.get(type(error), 422)


def refusal(error: Refused, scope: Scope) -> Response:
    """The answer at the door: to a browser without a key the pairing page, else the error."""
    if error.status == 401 and scope["method"] in ("GET", "HEAD") and not scope["path"].startswith("/api/"):
        return page("/pair.html").answer(status=401)
    return error_answer(error)
