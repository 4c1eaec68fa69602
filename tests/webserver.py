"""A real server of the page, in a thread of this process or in another one, and a client that sends requests to it."""

import http.client
import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import uvicorn

from kdvision.web.server import Settings, TableServer, create_app, open_listener
from tests.paths import ROOT

TIMEOUT_SECONDS: Final = 300
"""Long enough for a busy machine. Only a failing test waits so long."""


class Answer(NamedTuple):
    """Status, headers by their lower-case names, and content of a response."""

    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def json(self) -> Any:
        """The content as JSON."""
        return json.loads(self.content)


class Client:
    """Sends requests to a server on this machine; `headers` go with each of them."""

    def __init__(self, port: int, **headers: str) -> None:
        self.port, self.headers = port, headers

    def send(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """Return the response to one request; header names have underscores instead of dashes."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS)
        request_headers = {name.replace("_", "-"): value for name, value in (self.headers | headers).items()}
        try:
            connection.request(method, path, body, request_headers)
            response = connection.getresponse()
            response_headers = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, response_headers, response.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        """Return the response to a GET."""
        return self.send("GET", path, None, **headers)

    def post_photo(self, content: bytes, path: str = "/api/read", **headers: str) -> Answer:
        """Return the response to a photo sent as the body."""
        return self.send("POST", path, content, **({"Content_Type": "image/jpeg"} | headers))

    def post(self, path: str, value: Any, **headers: str) -> Answer:
        """Return the response to an object sent as JSON."""
        return self.send("POST", path, json.dumps(value).encode(), **({"Content_Type": "application/json"} | headers))


@contextmanager
def running_server(settings: Settings, *, link: str | None = None) -> Iterator[Client]:
    """Yield a client of a server that runs in a thread until the end of the block."""
    listener = open_listener(settings)
    app = create_app(listener.settings, link=link or listener.link, tables=listener.tables)
    config = uvicorn.Config(
        app, log_config=None, access_log=False, timeout_graceful_shutdown=2, timeout_keep_alive=TIMEOUT_SECONDS
    )
    server = TableServer(config, listener.tables)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener.socket]})
    thread.start()
    try:
        yield Client(listener.settings.port)
    finally:
        server.should_exit = True
        thread.join()
        listener.socket.close()


@contextmanager
def serving_process(*options: str) -> Iterator[tuple[subprocess.Popen[str], Client]]:
    """Yield `kdvision serve` in a process of its own, which is killed at the end, and a client of it."""
    command = [sys.executable, "-m", "kdvision", "serve", "--port", "0", *options]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process, Client(int(process.stdout.readline().rpartition(":")[2].strip(" /\n")))
        finally:
            process.kill()


def encode_form(fields: Mapping[str, tuple[str | None, bytes]], boundary: str = "----edge") -> tuple[bytes, str]:
    """Return the body and the content type of a form of `{name: (file name, content)}`."""
    lines = []
    for name, (file, content) in fields.items():
        file_name = f'; filename="{file}"' if file else ""
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{file_name}\r\n\r\n'
        lines.append(head.encode() + content)
    return b"\r\n".join([*lines, f"--{boundary}--\r\n".encode()]), f"multipart/form-data; boundary={boundary}"
