"""Checks that every request passes first (host, origin, pairing key) and headers that every response carries.

A client from the network has to bring the key that `kdvision serve --lan` printed, or the cookie that the
key was exchanged for.
"""

import asyncio
import hmac
import ipaddress
import logging
import secrets
import socket
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import FileResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kdvision.web.http import make_error_response
from kdvision.web.limits import Refusal

log = logging.getLogger("kdvision.web")

HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
        "manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(self), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

COOKIE: Final = "kdvision"
"""The cookie of a paired phone; its name ends with the port, which older versions left out."""

PAIRING_SECONDS: Final = 86_400
"""A phone stays paired for this time, also if the server is started again: it has the same key then."""

KEY_LETTERS: Final = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Without I, L, O, 0 and 1, which people mistake for each other."""

KEY_LENGTH: Final = 8
"""Letters. At ten tries a minute nobody gets through 31 ** 8 keys."""

MAX_WRONG_KEYS: Final = 10
WRONG_KEYS_SECONDS: Final = 60.0
"""After so many wrong keys within this time, an address has to wait."""

MAX_ADDRESSES: Final = 1000
"""Addresses whose wrong keys are remembered; the oldest is forgotten first."""

STATIC_FOLDER: Final = Path(__file__).parent / "static"
"""The files of the page."""

API: Final = "/api/"
"""Its responses are not stored; browsers keep the page, and ask each time whether it is still current."""

OPEN_PATHS: Final = frozenset({"/pair.html", "/base.css", "/pair.js", "/strings.js", "/icons/icon.svg", "/api/pair"})
"""The pairing page: what a client without the key may request."""

SAME_SITE: Final = ("", "none", "same-origin")
"""`Sec-Fetch-Site` of requests from programs, from the address bar and from our own page."""

MAX_LOGGED_PATH: Final = 60
"""Characters of a path in the log."""

NO_RESPONSE: Final = 500
STOPPED: Final = Refusal(503, "the server was stopped", hint="start it again: kdvision serve")


def make_key() -> str:
    """Return a random key as it is printed, such as `K7QX-2MPA`."""
    letters = "".join(secrets.choice(KEY_LETTERS) for _ in range(KEY_LENGTH))
    return f"{letters[:4]}-{letters[4:]}"


def normalise_key(key: str) -> bytes:
    """Return a key in capitals and without its dash, however a person typed it."""
    return "".join(letter for letter in key.upper() if letter.isalnum()).encode()


def name_cookie(request: HTTPConnection) -> str:
    """Return the name of the cookie of this server: a browser sends a cookie to all ports of a host."""
    _, port = request.scope.get("server") or ("", None)
    return f"{COOKIE}-{port}" if port else COOKIE


def read_client_address(request: HTTPConnection) -> str:
    """Return the network address that a request came from."""
    return request.client.host if request.client else ""


@dataclass
class Pairing:
    """The key of this run (None: no key is needed) and the recent wrong keys by address."""

    key: str | None
    clock: Callable[[], float] = time.monotonic
    _wrong_key_times: dict[str, deque[float]] = field(default_factory=dict)

    @property
    def cookie(self) -> str:
        """The cookie of a paired phone: derived from the key, without revealing it."""
        return hmac.new(normalise_key(self.key or ""), b"kdvision, paired", "sha256").hexdigest()

    def is_paired(self, request: HTTPConnection) -> bool:
        """Return True if no key is needed, or the request has the cookie, or the key as a bearer token."""
        if self.key is None:
            return True
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self.is_key(token, read_client_address(request))
        cookies = [request.cookies.get(name, "") for name in (name_cookie(request), COOKIE)]
        return any(hmac.compare_digest(cookie.encode(), self.cookie.encode()) for cookie in cookies)

    def is_key(self, text: str, address: str) -> bool:
        """Return True if the text is the key; raise Refusal (429) for an address with too many wrong keys."""
        times = self._wrong_key_times.setdefault(address, deque(maxlen=MAX_WRONG_KEYS))
        now = self.clock()
        if len(times) == MAX_WRONG_KEYS and now - times[0] < WRONG_KEYS_SECONDS:
            raise Refusal(429, "too many wrong keys", hint="wait a minute", retry_after=int(WRONG_KEYS_SECONDS))
        if hmac.compare_digest(normalise_key(text), normalise_key(self.key or "")):
            del self._wrong_key_times[address]
            return True
        times.append(now)
        while len(self._wrong_key_times) > MAX_ADDRESSES:
            del self._wrong_key_times[next(iter(self._wrong_key_times))]
        return False


@dataclass(frozen=True)
class SecurityMiddleware:
    """Checks requests before `app` gets them. Other machines may send requests only if there is a key."""

    app: ASGIApp
    pairing: Pairing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or refuse a request, and log its method, path, status and time, but nothing of its content."""
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        start, status = time.perf_counter(), NO_RESPONSE

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store" if scope["path"].startswith(API) else "no-cache")
            await send(message)

        try:
            self._check(HTTPConnection(scope))
            await self.app(scope, receive, send_with_headers)
        except Refusal as error:
            is_page = scope["method"] in ("GET", "HEAD") and not scope["path"].startswith(API)
            response = make_error_response(error)
            if error.status == 401 and is_page:
                response = FileResponse(STATIC_FOLDER / "pair.html", 401)
            await response(scope, receive, send_with_headers)
        except asyncio.CancelledError:  # the server stops and does not wait any longer
            if status == NO_RESPONSE:
                await make_error_response(STOPPED)(scope, receive, send_with_headers)
        finally:
            path = "".join(letter if letter.isprintable() else "?" for letter in scope["path"][:MAX_LOGGED_PATH])
            log.info("%s %s %d, %.0f ms", scope["method"], path, status, 1000 * (time.perf_counter() - start))

    def _check(self, request: HTTPConnection) -> None:
        hint = "open the address that kdvision serve printed"
        if not is_own_host(request.headers.get("host", ""), lan=self.pairing.key is not None):
            raise Refusal(421, "the Host header does not name this server", hint=hint)
        if is_cross_origin(request.headers, request.url.scheme):
            raise Refusal(403, "a page of another origin may not call this server", hint=hint)
        if request.scope["path"] not in OPEN_PATHS and not self.pairing.is_paired(request):
            raise Refusal(401, "this phone is not paired", hint="open the link that kdvision serve printed")


def is_own_host(host: str, *, lan: bool) -> bool:
    """Return True if a Host header names this machine: an IP address, or one of its own names.

    Another name may belong to a stranger who points it at this machine (DNS rebinding). Starlette's
    TrustedHostMiddleware knows names only; this machine may have any address of the local network.
    """
    try:
        url = urlsplit(f"//{host}")
        name = (url.hostname or "") if url.netloc == host else ""
    except ValueError:
        return False
    address, host_name = _parse_address(name), socket.gethostname().lower()
    if address is not None:
        return lan or address.is_loopback
    return name == "localhost" or (lan and name in (host_name, f"{host_name}.local"))


def is_loopback(text: str) -> bool:
    """Return True for an address of this machine itself, such as 127.0.0.1."""
    address = _parse_address(text)
    return address is not None and address.is_loopback


def _parse_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def is_cross_origin(headers: Headers, scheme: str) -> bool:
    """Return True if a page of another origin sent the request; following a link to this page is allowed."""
    origin = headers.get("origin")
    if origin is not None:
        return origin != f"{scheme}://{headers.get('host', '')}"
    return headers.get("sec-fetch-site", "") not in SAME_SITE and headers.get("sec-fetch-mode") != "navigate"
