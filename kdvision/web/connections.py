"""Limits for connections, which anybody may open before any key is checked.

uvicorn's own limits do not cover a client that connects and sends nothing: its keep-alive timeout starts with the first
response, and `limit_concurrency` answers such connections with 503 but keeps them.
"""

import asyncio
import sys
from typing import TYPE_CHECKING, Any, ClassVar, Final

from kdvision.web.limits import BODY_TIMEOUT_SECONDS
from kdvision.web.security import is_loopback

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol as Protocol
else:
    from uvicorn.protocols.http.auto import AutoHTTPProtocol as Protocol

HEAD_TIMEOUT_SECONDS: Final = 10.0
"""Time for the head of a request to arrive, also of the first one."""

MAX_CONNECTIONS: Final = 1024
MAX_CONNECTIONS_PER_ADDRESS: Final = 64
"""A phone opens six to ten, and several phones may share an address."""

BACKLOG: Final = 64
"""Connections that wait to be accepted. The event loop accepts all of them before it looks at any."""


def count_available_connections() -> int:
    """Return half of the file descriptors that this process may open, at most MAX_CONNECTIONS.

    The other half is for files, and for connections that are accepted before the limit is applied: with fewer, the
    event loop would log an error for each connection that it cannot accept.
    """
    if sys.platform == "win32":  # no such limit
        return MAX_CONNECTIONS
    import resource

    soft_limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MAX_CONNECTIONS if soft_limit == resource.RLIM_INFINITY else min(MAX_CONNECTIONS, soft_limit // 2)


class LimitedProtocol(Protocol):
    """uvicorn's HTTP connection (h11 or httptools), which is closed if no request arrives in time.

    If there are too many connections, the one that has been idle longest is closed; connections with a request in
    progress count as not idle, so the newest is closed if all others have one.
    """

    head_timeout: ClassVar[float] = HEAD_TIMEOUT_SECONDS
    max_connections: ClassVar[int] = count_available_connections()
    max_per_address: ClassVar[int] = MAX_CONNECTIONS_PER_ADDRESS

    idle_since: float = float("inf")
    """Loop time; infinite while a request is in progress."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Wait for a request, and close another connection if there are too many."""
        super().connection_made(transport)
        self._update_timer()
        address = self.client[0] if self.client else ""
        connections: list[Any] = [*self.connections]
        peers = [connection for connection in connections if connection.client and connection.client[0] == address]
        if len(peers) > self.max_per_address and not is_loopback(address):
            self._close_most_idle(peers)
        elif len(connections) > self.max_connections:
            self._close_most_idle(connections)

    def data_received(self, data: bytes) -> None:
        """Continue with the request, which may be complete now."""
        super().data_received(data)
        self._update_timer()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._update_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def _update_timer(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_timer()
        elif self._timer is None and self in self.connections:
            # Browsers read the response only after they have sent the whole body, also one that was refused early.
            refused_body = self.cycle is not None and self.cycle.more_body
            self.idle_since = self.loop.time()
            self._timer = self.loop.call_later(BODY_TIMEOUT_SECONDS if refused_body else self.head_timeout, self._close)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self.idle_since = None, float("inf")

    def _close(self) -> None:
        self.transport.close()  # sends what is left of the response first
        self._timer = self.loop.call_later(BODY_TIMEOUT_SECONDS, self.transport.abort)

    def _close_most_idle(self, connections: list[Any]) -> None:
        idlest_connection = min(connections, key=lambda connection: float(connection.idle_since))
        # Discarded before its connection_lost, which comes later than other connections may.
        self.connections.discard(idlest_connection)
        idlest_connection.transport.abort()
