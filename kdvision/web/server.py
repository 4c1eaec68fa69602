"""The application, and the server that runs it until somebody stops it."""

import asyncio
import logging
import os
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from kdvision.errors import KdvisionError
from kdvision.vision.networks.onnx import load_model
from kdvision.web import api
from kdvision.web.connections import BACKLOG, Faults, room, watched
from kdvision.web.hosts import address
from kdvision.web.limits import Line, Refused
from kdvision.web.page import PAIRING, files, serve_page
from kdvision.web.pairing import Pairing, new_key
from kdvision.web.response import error_answer
from kdvision.web.security import Guard
from kdvision.web.service import Desk

LOOPBACK: Final = "127.0.0.1"
ANYWHERE: Final = "0.0.0.0"
"""Only where people ask for it, and with a key."""

GRACE: Final = 3
"""Seconds that answers under way get when the server is stopped."""

CUT_OFF: Final = ("running task(s)", "CancelledError", "without completing response")
"""What uvicorn says of requests that got no more time than that, or of none where Ctrl+C is pressed twice."""

GIVEN_UP: Final = (400, 408, 413)
"""Refusals of bodies that broke off, took too long, or would be too much."""

READERS: Final = 2
"""Photos read at once: the networks use every core anyway, and each photo takes its memory."""


@dataclass(frozen=True)
class Settings:
    """What `kdvision serve` was asked for: the port (0 for any), other machines let in, a folder to keep photos in."""

    port: int = 8000
    lan: bool = False
    keep: Path | None = None
    key: str | None = None


def application(settings: Settings, *, link: str | None = None) -> Guard:
    """The application behind its guard; `link` is how other phones come in."""
    desk = Desk(Line(min(READERS, os.cpu_count() or 1)), Line(2), link=link, keep=settings.keep)
    pairing = Pairing(settings.key)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        asyncio.get_running_loop().set_exception_handler(Faults())
        yield
        desk.photos.close()
        desk.taps.close()

    posts = {"read": api.read, "picture": api.picture, "decide": api.decide, "score": api.score, "pair": api.pair}
    gets = {"rules": api.rules, "invite": api.invite, "openapi.json": api.openapi}
    app = Starlette(
        routes=[
            *(Route(f"/api/{name}", endpoint, methods=["POST"]) for name, endpoint in posts.items()),
            *(Route(f"/api/{name}", endpoint) for name, endpoint in gets.items()),
            *(Route(path, serve_page) for path in ("/", *files())),
        ],
        exception_handlers={KdvisionError: _refused, HTTPException: _http, Exception: _failed},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.state.desk, app.state.pairing = desk, pairing
    return Guard(app, pairing, settings.lan, PAIRING)


async def _refused(request: Request, error: Exception) -> Response:
    """The answer to an error, given once the body has arrived where that is soon: who still sends does not listen."""
    assert isinstance(error, KdvisionError), "registered for no other"
    if not (isinstance(error, Refused) and error.status in GIVEN_UP):
        await _drained(request)
    return error_answer(error)


async def _drained(request: Request) -> None:
    try:
        async with asyncio.timeout(GRACE):
            async for _ in request.stream():
                pass
    except (TimeoutError, RuntimeError, ClientDisconnect):  # it is slow, or was read already, or nobody is there
        return


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException), "registered for no other"
    words = {404: "there is no such page", 405: f"{request.url.path} does not take {request.method}"}
    refused = Refused(error.status_code, words.get(error.status_code, error.detail), hint="see /api/openapi.json")
    answer = error_answer(refused)
    answer.headers.update(error.headers or {})
    return answer


async def _failed(_: Request, __: Exception) -> Response:
    """The answer where the program is wrong; the log has the traceback, and tells nothing of what was sent."""
    return error_answer(Refused(500, "the server made a mistake", hint="try again, or with another photo"))


@dataclass(frozen=True)
class Place:
    """An open socket, and under which addresses the page is to be found there: on this machine, and in the network."""

    socket: socket.socket
    settings: Settings
    here: str
    link: str | None


def opened(settings: Settings) -> Place:
    """The socket to serve on, models loaded; raises KdvisionError where the port is taken, and ModelError."""
    for name in ("finder", "cells", "context"):
        load_model(name)
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((ANYWHERE if settings.lan else LOOPBACK, settings.port))
        listener.listen()  # who opens the address that is told now waits until all is ready
    except OSError as error:
        listener.close()
        raise KdvisionError(
            f"port {settings.port} cannot be used: {error.strerror}", hint="name another: --port 0"
        ) from error
    port = listener.getsockname()[1]
    settings = replace(settings, port=port, key=(settings.key or new_key()) if settings.lan else None)
    found = address() if settings.lan else None
    link = None if found is None else f"http://{found}:{port}/#key={settings.key}"
    own = f"http://{LOOPBACK}:{port}/" + (f"#key={settings.key}" if settings.lan else "")
    return Place(listener, settings, own, link)


def configured(app: Guard) -> uvicorn.Config:
    """How uvicorn runs the application."""
    return uvicorn.Config(
        app,
        http=watched(most=room()),
        ws="none",
        backlog=BACKLOG,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
    )


class Stopping(logging.Filter):
    """Keeps to itself what uvicorn says of requests that a server cuts off because somebody stops it."""

    def __init__(self, server: uvicorn.Server) -> None:
        super().__init__()
        self.server = server

    def filter(self, record: logging.LogRecord) -> bool:
        """False for what need not be told."""
        return not (self.server.should_exit and any(words in record.getMessage() for words in CUT_OFF))


def serve(place: Place) -> None:
    """Serve until the process is told to stop; answers under way are finished first."""
    logging.getLogger("kdvision.web").setLevel(logging.INFO)
    server = uvicorn.Server(configured(application(place.settings, link=place.link)))
    said, quiet = logging.getLogger("uvicorn.error"), Stopping(server)
    said.addFilter(quiet)
    before = signal.signal(signal.SIGTERM, lambda *_: None)  # uvicorn sends it on once it has stopped
    try:
        server.run(sockets=[place.socket])
    except KeyboardInterrupt:
        pass  # the way people stop it
    finally:
        signal.signal(signal.SIGTERM, before)
        said.removeFilter(quiet)
        place.socket.close()
