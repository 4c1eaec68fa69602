"""A table in use: what clients get of it, and those who watch it by server-sent events."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec
from msgspec import Struct

from kdvision.web.models import TableScore
from kdvision.web.table.model import TableGame
from kdvision.web.table.storage import Step

HEARTBEAT_SECONDS: Final = 15.0
"""A comment is sent that often, so that a connection that was lost is noticed."""
RETRY_EVENT: Final = b"retry: 1000\n\n"
"""Tells a browser after how many milliseconds to connect again; Chromium waits for three seconds by default."""

MAX_REQUEST_IDS: Final = 200
"""Changes of a table that count once if they are sent again."""


class StepInfo(Struct, frozen=True):
    """A step that undo or redo would take back or repeat: its number, and the name of its change."""

    step: int
    op: str


class TableState(Struct, frozen=True):
    """Everything that a client shows of a table."""

    table: str
    revision: int
    undo: StepInfo | None
    redo: StepInfo | None
    deciding: bool
    notice: str | None
    game: TableGame
    score: TableScore


@dataclass(eq=False)
class SharedTable:
    """A table in use: `state` is what clients get, `request_ids` are those of its last changes."""

    id: str
    step: Step
    state: TableState
    decider: "asyncio.Task[None] | None" = None
    watchers: set["Watcher"] = field(default_factory=set)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    request_ids: deque[str] = field(default_factory=lambda: deque(maxlen=MAX_REQUEST_IDS))

    @property
    def game(self) -> TableGame:
        return self.step.game

    def add_watcher(self, watcher: "Watcher") -> None:
        """Send the state to a new live connection, and their number to all."""
        watcher.send(format_event("state", self.state, self.state.revision))
        self.watchers.add(watcher)
        self.publish("people", len(self.watchers))

    def remove_watcher(self, watcher: "Watcher") -> None:
        self.watchers.discard(watcher)
        self.publish("people", len(self.watchers))

    def publish(self, name: str, value: Any, number: int | None = None) -> None:
        event = format_event(name, value, number)
        for watcher in self.watchers:
            watcher.send(event)


@dataclass(eq=False)
class Watcher:
    """A live connection. Of each kind of event only the latest waits, so a slow client needs no memory."""

    address: str
    _pending_events: dict[bytes, bytes] = field(default_factory=lambda: {b"retry": RETRY_EVENT})
    _has_events: asyncio.Event = field(default_factory=asyncio.Event)
    is_closed: bool = False

    def send(self, event: bytes) -> None:
        """Send an event as soon as the client takes it."""
        self._pending_events[event.partition(b"\n")[0]] = event
        self._has_events.set()

    def close(self) -> None:
        self.is_closed = True
        self._has_events.set()

    async def stream_events(self) -> AsyncGenerator[bytes, None]:
        """Yield the events as they come, and comments in between."""
        while not self.is_closed:
            try:
                async with asyncio.timeout(HEARTBEAT_SECONDS):
                    await self._has_events.wait()
            except TimeoutError:
                yield b": still connected\n\n"
            self._has_events.clear()
            events, self._pending_events = self._pending_events, {}
            yield b"".join(events.values())


def format_event(name: str, value: Any, number: int | None = None) -> bytes:
    """Return a server-sent event; `number` is its id."""
    head = f"event: {name}\n" + ("" if number is None else f"id: {number}\n")
    return head.encode() + b"data: " + msgspec.json.encode(value) + b"\n\n"
