"""What every request passes first: its host, its origin, the pairing key. And what every answer carries."""

import asyncio
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kdvision.web.hosts import foreign, own_name
from kdvision.web.limits import Refused
from kdvision.web.pairing import Pairing
from kdvision.web.response import refusal

log = logging.getLogger("kdvision.web")

HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self' blob: data:",
            "connect-src 'self'",
            "manifest-src 'self'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
        )
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(self), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

UNANSWERED: Final = 500
STOPPED: Final = Refused(503, "the server was stopped", hint="start it again: kdvision serve")


@dataclass(frozen=True)
class Guard:
    """The application behind its door. `lan` is true where other machines may come; `open_paths` need no key."""

    app: ASGIApp
    pairing: Pairing
    lan: bool
    open_paths: frozenset[str]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it; the log names method, path, status and time, nothing of what was sent."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start, status = time.perf_counter(), UNANSWERED

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        try:
            self._check(HTTPConnection(scope))
        except Refused as error:
            await refusal(error, scope)(scope, receive, answer)
        else:
            try:
                await self.app(scope, receive, answer)
            except asyncio.CancelledError:  # the server is stopped, and waits no longer
                if status == UNANSWERED:
                    await refusal(STOPPED, scope)(scope, receive, answer)
        finally:
            took = 1000 * (time.perf_counter() - start)
            log.info("%s %s %d, %.0f ms", scope["method"], _shown(scope["path"]), status, took)

    def _check(self, request: HTTPConnection) -> None:
        headers: Headers = request.headers
        if not own_name(headers.get("host", ""), lan=self.lan):
            raise Refused(421, "this server is not called that", hint="open the address that kdvision serve printed")
        if foreign(headers, request.url.scheme):
            raise Refused(403, "another page may not call this server", hint="open the page itself")
        if request.url.path not in self.open_paths and not self.pairing.paired(request):
            raise Refused(401, "this phone is not paired", hint="open the link that kdvision serve printed")


def _shown(path: str) -> str:
    """A path as the log tells it: no more than a line of plain letters."""
    return "".join(letter if letter.isprintable() else "?" for letter in path[:60])
