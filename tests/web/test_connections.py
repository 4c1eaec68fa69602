"""Limits for connections. No test depends on time: what has to wait, waits until the server has acted."""

import asyncio
import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from kdvision.web import connections
from kdvision.web.connections import MAX_CONNECTIONS, LimitedProtocol, count_available_connections
from kdvision.web.server import Settings, create_app, make_uvicorn_config
from tests.webserver import TIMEOUT_SECONDS

REQUEST = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
SLOW_REQUEST = b"GET /slow HTTP/1.1\r\nHost: here\r\n\r\n"
SHORT_TIMEOUT = 0.2
"""A short head timeout in seconds. A test whose connection must survive it opens new connections until one does."""


class LimitedServer:
    """A server with limits whose requests to /slow are answered after `release`."""

    def __init__(self, port: int, release: threading.Event) -> None:
        self.port, self.release = port, release
        self.sockets: list[socket.socket] = []

    def connect(self, content: bytes = b"") -> socket.socket:
        """Open a connection and send this content over it."""
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT_SECONDS)
        self.sockets.append(connection)
        with suppress(ConnectionError):
            connection.sendall(content)
        return connection

    def start_request(self, content: bytes) -> socket.socket:
        """Open a connection and wait until its response has begun."""
        while True:
            connection = self.connect(content)
            with suppress(ConnectionError):
                if connection.recv(1, socket.MSG_PEEK):
                    return connection

    def wait_for_head_timeout(self) -> None:
        """Wait until the server has closed a connection that was opened now."""
        assert not is_answered(self.connect())


@contextmanager
def limited_server(**limits: Any) -> Iterator[LimitedServer]:
    release = threading.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"1")]})
        if scope["path"] == "/slow":
            await asyncio.to_thread(release.wait)
        await send({"type": "http.response.body", "body": b"x"})

    with socket.create_server(("127.0.0.1", 0)) as listener:
        protocol = type("TestProtocol", (LimitedProtocol,), limits)
        config = uvicorn.Config(app, http=protocol, ws="none", lifespan="off", log_config=None, timeout_keep_alive=1000)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        server_handle = LimitedServer(listener.getsockname()[1], release)
        try:
            yield server_handle
        finally:
            release.set()
            for connection in server_handle.sockets:
                connection.close()
            server.should_exit = True
            thread.join()


def is_answered(connection: socket.socket, content: bytes = b"") -> bool:
    """Send something more; return True if a response comes, False if the server closes the connection."""
    try:
        connection.sendall(content)
        response = b""
        while not response.endswith(b"\r\n\r\nx"):
            chunk = connection.recv(1000)
            response += chunk
            if not chunk:
                return False
    except ConnectionError:
        return False
    return True


@pytest.mark.parametrize("content", [b"", b"G", REQUEST[:-1]], ids=["nothing", "a letter", "a head without its end"])
@pytest.mark.parametrize("has_request", [False, True], ids=["at first", "after a request"])
def test_a_client_that_sends_no_request_is_cut_off(content: bytes, has_request: bool) -> None:
    with limited_server(head_timeout=SHORT_TIMEOUT) as server:
        connection = server.start_request(REQUEST) if has_request else server.connect()
        assert not has_request or is_answered(connection)
        assert not is_answered(connection, content)


def test_a_client_that_sends_a_head_letter_by_letter_is_cut_off() -> None:
    with limited_server(head_timeout=SHORT_TIMEOUT) as server:
        connection = server.connect(b"GET / HTTP/1.1\r\nHost: ")
        connection.settimeout(0.01)
        is_closed = False
        while not is_closed:
            try:
                connection.sendall(b"a")
                is_closed = not connection.recv(1)
            except TimeoutError:
                continue
            except ConnectionError:
                is_closed = True


def test_a_client_that_waits_for_its_response_is_not_cut_off() -> None:
    with limited_server(head_timeout=SHORT_TIMEOUT) as server:
        connection = server.start_request(SLOW_REQUEST)
        server.wait_for_head_timeout()
        server.release.set()
        assert is_answered(connection)


def test_the_rest_of_a_refused_body_may_arrive() -> None:
    with limited_server(head_timeout=SHORT_TIMEOUT) as server:
        connection = server.start_request(b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\n1")
        assert is_answered(connection)
        server.wait_for_head_timeout()
        assert is_answered(connection, b"2" + REQUEST)


@pytest.mark.parametrize("limits", [{"max_per_address": 3}, {"max_connections": 3}], ids=["of one address", "of all"])
def test_the_connection_that_is_idle_longest_is_closed(limits: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "is_loopback", lambda _: False)
    with limited_server(head_timeout=1000, **limits) as server:
        busy_connection = server.start_request(SLOW_REQUEST)
        idle_connections = [server.connect() for _ in range(4)]
        assert not any(is_answered(connection) for connection in idle_connections[:2])
        assert all(is_answered(connection, REQUEST) for connection in idle_connections[2:])
        server.release.set()
        assert is_answered(busy_connection)


def test_a_new_connection_is_closed_if_all_others_wait_for_a_response() -> None:
    with limited_server(head_timeout=1000, max_connections=2) as server:
        busy_connections = [server.start_request(SLOW_REQUEST) for _ in range(2)]
        assert not is_answered(server.connect())
        server.release.set()
        assert all(is_answered(connection) for connection in busy_connections)


def test_this_machine_has_no_limit_of_its_own() -> None:
    with limited_server(head_timeout=1000, max_per_address=1) as server:
        assert all(is_answered(connection, REQUEST) for connection in [server.connect() for _ in range(5)])


def test_the_server_limits_its_connections() -> None:
    config = make_uvicorn_config(create_app(Settings()))
    assert isinstance(config.http, type) and issubclass(config.http, LimitedProtocol)


@pytest.mark.parametrize(
    ("soft_limit", "expected"),
    [
        (256, 128),
        (2 * MAX_CONNECTIONS - 2, MAX_CONNECTIONS - 1),
        (8 * MAX_CONNECTIONS, MAX_CONNECTIONS),
        (-1, MAX_CONNECTIONS),
    ],
)
def test_half_of_the_file_descriptors_are_left_free(
    soft_limit: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "RLIM_INFINITY", -1)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft_limit, -1))
    assert count_available_connections() == expected


def test_a_flood_of_connections_logs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO), limited_server(head_timeout=1000, max_connections=8) as server:
        last_connection = [server.connect() for _ in range(100)][-1]
        assert is_answered(last_connection, REQUEST)
    assert [record.message for record in caplog.records if record.name in ("asyncio", "kdvision.web")] == []
