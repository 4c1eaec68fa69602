"""How many connections the server holds, and how long one may ask for nothing: strangers open them before any key."""

import asyncio
import errno
import logging
import sys
from typing import TYPE_CHECKING, Any, ClassVar, Final

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from kdvision.web.hosts import is_loopback
from kdvision.web.limits import BODY_SECONDS

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol as Protocol
else:
    Protocol = asyncio.Protocol

log = logging.getLogger("kdvision.web")

HEAD_SECONDS: Final = 10.0
"""How long the head of a request may take to arrive; uvicorn itself waits without end for the first."""

CONNECTIONS: Final = 1024
CONNECTIONS_EACH: Final = 64
"""Connections held at once, and how many of them may be of one address of the network: a phone opens six to ten, and
several phones may share an address."""

BACKLOG: Final = 64
"""Connections that may wait to be accepted. The loop accepts so many before it looks at any of them."""

SILENT: Final = 60.0
"""Seconds between two lines that say that no more connections can be opened."""

EXHAUSTED: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


class Watched(Protocol):
    """A connection, in front of uvicorn's own class for it. Whoever asks for nothing is cut off after a while.

    Where there are too many, the one that has asked for nothing longest makes room; if the others are all being
    answered, that is the one that has just come.
    """

    seconds: ClassVar[float]
    most: ClassVar[int]
    each: ClassVar[int]

    since: float = float("inf")
    """When it began to ask for nothing; never, while a request is answered."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Count it, and wait for a request."""
        super().connection_made(transport)
        self._watch()
        host = self.client[0] if self.client else ""
        crowd: list[Any] = [*self.connections]
        own = [other for other in crowd if other.client and other.client[0] == host]
        if len(own) > self.each and not is_loopback(host):
            crowd = own
        elif len(crowd) <= self.most:
            return
        longest = min(crowd, key=lambda other: float(other.since))
        self.connections.discard(longest)  # it is lost a little later, and others may come before that
        longest.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Go on with a request, which may be whole now."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop()
        elif self._timer is None and self in self.connections:
            # A body that is refused half way is let arrive: browsers read the answer when they have sent it.
            seconds = BODY_SECONDS if self.cycle is not None and self.cycle.more_body else self.seconds
            self.since = self.loop.time()
            self._timer = self.loop.call_later(seconds, self._close)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self.since = None, float("inf")

    def _close(self) -> None:
        """Close it; what is still to be sent may take as long as a body."""
        self.transport.close()
        self._timer = self.loop.call_later(BODY_SECONDS, self.transport.abort)


def watched(
    *,
    seconds: float = HEAD_SECONDS,
    most: int = CONNECTIONS,
    each: int = CONNECTIONS_EACH,
    protocol: type[asyncio.Protocol] = AutoHTTPProtocol,
) -> type[asyncio.Protocol]:
    """uvicorn's class of connections, whichever of its parsers is installed, with these limits."""
    return type("Watched", (Watched, protocol), {"seconds": seconds, "most": most, "each": each})


def room(wanted: int = CONNECTIONS) -> int:
    """How many connections there may be, once the system has been asked for as many descriptors as that takes.

    That is twice as many: half are left to files, and to connections that come and go in one turn of the loop.
    """
    if sys.platform == "win32":  # no such limit there
        return wanted
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = 2 * wanted if hard == resource.RLIM_INFINITY else min(2 * wanted, hard)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return min(wanted, needed // 2)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
    except (ValueError, OSError):  # some systems refuse what they said they allow
        needed = soft
    return min(wanted, needed // 2)


class Faults:
    """Tells what goes wrong in the loop; that it can open no more connections, which it finds all the time, seldom."""

    def __init__(self, silent: float = SILENT) -> None:
        self.silent = silent
        self._next = 0.0

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Tell of one fault."""
        error = context.get("exception")
        if not (isinstance(error, OSError) and error.errno in EXHAUSTED):
            loop.default_exception_handler(context)
        elif loop.time() >= self._next:
            self._next = loop.time() + self.silent
            log.warning("no more connections can be opened: %s", error.strerror)
