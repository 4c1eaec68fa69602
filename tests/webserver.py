"""A real server of the page in a thread of this process, and requests to it as programs send them."""

import http.client
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import uvicorn

from kdvision.web.server import Settings, application, opened


class Answer(NamedTuple):
    """Status, headers by their lower-case names, and content of an answer."""

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
        """The answer to one request; headers are given with underscores for dashes."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        named = {name.replace("_", "-"): value for name, value in (self.headers | headers).items()}
        try:
            connection.request(method, path, body, named)
            got = connection.getresponse()
            return Answer(got.status, {name.lower(): value for name, value in got.getheaders()}, got.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        """The answer to a GET."""
        return self.send("GET", path, None, **headers)

    def photo(self, content: bytes, path: str = "/api/read", **headers: str) -> Answer:
        """The answer to a photo sent as the body."""
        return self.send("POST", path, content, **({"Content_Type": "image/jpeg"} | headers))

    def post(self, path: str, value: Any, **headers: str) -> Answer:
        """The answer to an object sent as JSON."""
        return self.send("POST", path, json.dumps(value).encode(), **({"Content_Type": "application/json"} | headers))


@contextmanager
def running(settings: Settings, *, link: str | None = None) -> Iterator[Client]:
    """A client of a server that runs in a thread until the end of the block."""
    place = opened(settings)
    app = application(place.settings, link=link or place.link)
    config = uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=2)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [place.socket]})
    thread.start()
    try:
        yield Client(place.settings.port)
    finally:
        server.should_exit = True
        thread.join()
        place.socket.close()


def multipart(parts: Mapping[str, tuple[str | None, bytes]], boundary: str = "----edge") -> tuple[bytes, str]:
    """The body and the content type of a form of `{name: (file name, content)}`."""
    lines = []
    for name, (file, content) in parts.items():
        said = f'; filename="{file}"' if file else ""
        lines.append(f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{said}\r\n\r\n'.encode() + content)
    return b"\r\n".join([*lines, f"--{boundary}--\r\n".encode()]), f"multipart/form-data; boundary={boundary}"
