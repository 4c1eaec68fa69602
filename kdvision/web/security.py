"""Checks that every request passes first (host, origin, pairing key) and headers that every response carries."""

import asyncio
import ipaddress
import logging
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kdvision.web.limits import Refusal
from kdvision.web.pairing import Pairing
from kdvision.web.response import refusal_response

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

SAME_SITE: Final = ("", "none", "same-origin")
"""`Sec-Fetch-Site` of requests from programs, from the address bar and from our own page."""

MAX_LOGGED_PATH: Final = 60
"""Characters of a path in the log."""

NO_RESPONSE: Final = 500
STOPPED: Final = Refusal(503, "the server was stopped", hint="start it again: kdvision serve")


@dataclass(frozen=True)
class SecurityMiddleware:
    """Checks requests before `app` sees them. `lan` lets other machines in; `open_paths` need no key."""

    app: ASGIApp
    pairing: Pairing
    lan: bool
    open_paths: frozenset[str]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or refuse a request, and log its method, path, status and time, but nothing of its content."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start, status = time.perf_counter(), NO_RESPONSE

        async def send_with_headers(message: Message) -> None:
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
            await self.app(scope, receive, send_with_headers)
        except Refusal as error:
            await refusal_response(error, scope)(scope, receive, send_with_headers)
        except asyncio.CancelledError:  # the server stops and does not wait any longer
            if status == NO_RESPONSE:
                await refusal_response(STOPPED, scope)(scope, receive, send_with_headers)
        finally:
            milliseconds = 1000 * (time.perf_counter() - start)
            log.info("%s %s %d, %.0f ms", scope["method"], _printable(scope["path"]), status, milliseconds)

    def _check(self, request: HTTPConnection) -> None:
        hint = "open the address that kdvision serve printed"
        if not is_own_host(request.headers.get("host", ""), lan=self.lan):
            raise Refusal(421, "the Host header does not name this server", hint=hint)
        if is_cross_origin(request.headers, request.url.scheme):
            raise Refusal(403, "a page of another origin may not call this server", hint=hint)
        if request.url.path not in self.open_paths and not self.pairing.is_paired(request):
            raise Refusal(401, "this phone is not paired", hint="open the link that kdvision serve printed")


def is_own_host(host: str, *, lan: bool) -> bool:
    """True if a Host header names this machine: an IP address, or one of its own names.

    Another name may belong to a stranger who points it at this machine (DNS rebinding). Starlette's
    TrustedHostMiddleware knows names only; this machine may have any address of the local network.
    """
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    if _is_address(name):
        return lan or is_loopback(name)
    own = socket.gethostname().lower()
    return name == "localhost" or (lan and name in (own, f"{own}.local"))


def is_loopback(address: str) -> bool:
    """True for an address of this machine itself, such as 127.0.0.1."""
    return _is_address(address) and ipaddress.ip_address(address).is_loopback


def is_cross_origin(headers: Headers, scheme: str) -> bool:
    """True if a page of another origin sent the request; following a link to this page is allowed."""
    origin = headers.get("origin")
    if origin is not None:
        return origin != f"{scheme}://{headers.get('host', '')}"
    return headers.get("sec-fetch-site", "") not in SAME_SITE and headers.get("sec-fetch-mode") != "navigate"


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _printable(path: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in path[:MAX_LOGGED_PATH])
