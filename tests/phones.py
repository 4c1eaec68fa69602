"""A phone at a shared table: it sends changes, and watches the table in a thread."""

import asyncio
import http.client
import json
import queue
import socket
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from tests.webserver import TIMEOUT_SECONDS, Answer, Client

T = TypeVar("T")


def run_in_thread(take: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Return a coroutine's result, computed in a thread, because browser tests leave an event loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(take())).result()


class Phone:
    """A client at a table. `state` is the last state that it received in an answer or in the live stream."""

    def __init__(self, client: Client, table: str | None = None) -> None:
        self.client = client
        self.state: dict[str, Any] = {}
        answer = client.post("/api/tables", {"table": table})
        assert answer.status == 200, answer.content
        self.state = answer.json
        self.table: str = self.state["table"]

    def send(self, *changes: dict[str, Any], **fields: Any) -> Answer:
        """Send changes as one step."""
        answer = self.client.post(f"/api/tables/{self.table}/changes", {"changes": changes, **fields})
        if answer.status == 200:
            self.state = answer.json
        return answer

    def change(self, op: str, **values: Any) -> dict[str, Any]:
        """Send one change that is accepted, and return the state after it."""
        answer = self.send({"op": op, **values})
        assert answer.status == 200, answer.content
        return self.state

    def add(self, board: str, player: str = "", **values: Any) -> str:
        """Add a kingdom with a board, and return its id."""
        self.change("add_kingdom", board=board, player=player, **values)
        return str(self.kingdoms[-1]["id"])

    def photograph(self, content: bytes, query: str = "photo=p", **headers: str) -> dict[str, Any]:
        """Send a photo that is read, and return the answer."""
        answer = self.client.post_photo(content, f"/api/tables/{self.table}/photos?{query}", **headers)
        assert answer.status == 200, answer.content
        result: dict[str, Any] = answer.json
        self.state = result["state"]
        return result

    @property
    def kingdoms(self) -> list[dict[str, Any]]:
        """The kingdoms of the first round."""
        return list(self.state["game"]["rounds"][0])

    @property
    def score(self) -> dict[str, Any]:
        """The score of the first round."""
        return dict(self.state["score"]["rounds"][0])

    @property
    def totals(self) -> list[int]:
        """The points of each kingdom of the first round."""
        return [kingdom["total"] for kingdom in self.score["kingdoms"]]

    def look(self) -> dict[str, Any]:
        """Return the state that the server has now."""
        self.state = self.client.post("/api/tables", {"table": self.table}).json
        return self.state


class LiveStream:
    """The events of a table, read in a thread."""

    def __init__(self, client: Client, table: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=TIMEOUT_SECONDS)
        names = {name.replace("_", "-"): value for name, value in client.headers.items()}
        self._connection.request("GET", f"/api/tables/{table}/live", headers=names)
        self._socket = self._connection.sock  # the connection drops it if the response closes the connection
        self.response = self._connection.getresponse()
        self._events: queue.Queue[tuple[str, Any]] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        if self.response.status == 200:
            self._reader.start()

    def _read(self) -> None:
        name = ""
        try:
            for line in self.response:
                key, _, value = line.decode().rstrip("\n").partition(": ")
                if key == "event":
                    name = value
                elif key == "data":
                    self._events.put((name, json.loads(value)))
        except (OSError, ValueError, http.client.HTTPException, AttributeError):
            pass  # the connection was closed
        self._events.put(("end", None))

    def wait_for(self, name: str, is_wanted: Callable[[Any], bool] = lambda _: True) -> Any:
        """Return the value of the next event of this name that is wanted."""
        while True:
            event, value = self._events.get(timeout=TIMEOUT_SECONDS)
            if event == name and is_wanted(value):
                return value
            assert event != "end", "the stream has ended"

    def wait_for_end(self) -> None:
        """Return when the server has ended the stream."""
        while self._events.get(timeout=TIMEOUT_SECONDS)[0] != "end":
            pass

    def close(self) -> None:
        """Close the connection like a phone that is switched off."""
        with suppress(OSError):  # the server may have ended it
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes the thread that reads, which holds the response's lock
        if self._reader.is_alive():
            self._reader.join()  # two threads may fail to close one response at once
        self.response.close()
        self._connection.close()
