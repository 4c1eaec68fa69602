"""The application, and the server that runs it until it is stopped."""

import asyncio
import ipaddress
import logging
import mimetypes
import os
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Final

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.staticfiles import StaticFiles

from kdvision.errors import KdvisionError
from kdvision.text import capitalise
from kdvision.vision.find import Networks
from kdvision.web.connections import BACKLOG, LimitedProtocol
from kdvision.web.http import FAILURE, make_error_response
from kdvision.web.limits import JobQueue, Refusal
from kdvision.web.openapi import OPERATIONS
from kdvision.web.security import API, STATIC_FOLDER, Pairing, SecurityMiddleware
from kdvision.web.service import Service
from kdvision.web.table.storage import Storage
from kdvision.web.table.tables import Tables

LOOPBACK: Final = "127.0.0.1"
ALL_INTERFACES: Final = "0.0.0.0"
"""Only with --lan, and then with a key."""

SHUTDOWN_SECONDS: Final = 3
"""Time for requests in progress when the server is stopped."""

SHUTDOWN_MESSAGES: Final = ("running task(s)", "CancelledError", "without completing response")
"""What uvicorn logs about requests that a stopped server gives up."""

INCOMPLETE_BODY: Final = (400, 408, 413)
"""Statuses after which the rest of the body is not read."""

PHOTO_THREADS: Final = 2
"""Photos read at once. The networks use every core anyway, and each photo needs its memory."""

ERROR_PAGE: Final = """<!doctype html>
<html lang="en"><meta name="viewport" content="width=device-width"><title>kdvision</title>
<link rel="stylesheet" href="/base.css"><main><h1>{message}</h1><p><a href="/">Open the game</a></p></main></html>
"""
"""What a person sees at a wrong address."""


@dataclass(frozen=True)
class Settings:
    """Options of `kdvision serve`. Port 0 takes any free port; `lan` lets other machines in; `keep` is a folder.

    `data` is the folder for games; without it they end with the server.
    """

    port: int = 8000
    lan: bool = False
    keep: Path | None = None
    key: str | None = None
    data: Path | None = None


def create_app(settings: Settings, *, link: str | None = None, tables: Tables | None = None) -> SecurityMiddleware:
    """Create the application behind its security checks; `link` is the address for other phones."""
    photos, quick_jobs = JobQueue(min(PHOTO_THREADS, os.cpu_count() or 1)), JobQueue(2)
    service, pairing = Service(photos, quick_jobs, link, settings.keep, tables or Tables()), Pairing(settings.key)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        photos.close()
        quick_jobs.close()
        service.tables.close()

    mimetypes.add_type("text/javascript", ".js")  # Python 3.11 and some Windows machines have another type
    files = GZipMiddleware(StaticFiles(directory=STATIC_FOLDER, html=True))
    paths = ["/", *(f"/{path.relative_to(STATIC_FOLDER).as_posix()}" for path in STATIC_FOLDER.rglob("*.*"))]
    app = Starlette(
        routes=[
            *(Route(path, operation.endpoint, methods=[operation.method]) for path, operation in OPERATIONS.items()),
            *(Route(path, files, methods=["GET"]) for path in paths),  # no other path reaches the disk
        ],
        exception_handlers={KdvisionError: _handle_error, HTTPException: _handle_http, Exception: _handle_failure},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.state.service, app.state.pairing = service, pairing
    return SecurityMiddleware(app, pairing)


async def _handle_error(request: Request, error: Exception) -> Response:
    """Return the error after the rest of the body is read: a client that still sends does not read a response."""
    assert isinstance(error, KdvisionError), "registered for no other"
    if not (isinstance(error, Refusal) and error.status in INCOMPLETE_BODY):
        with suppress(TimeoutError, RuntimeError, ClientDisconnect):  # slow, read already, or the client is gone
            async with asyncio.timeout(SHUTDOWN_SECONDS):
                async for _ in request.stream():
                    pass
    return make_error_response(error)


async def _handle_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException), "registered for no other"
    messages = {404: "there is no such page", 405: f"{request.url.path} does not accept {request.method}"}
    message = messages.get(error.status_code, error.detail)
    if "text/html" in request.headers.get("accept", "") and not request.url.path.startswith(API):
        return HTMLResponse(ERROR_PAGE.format(message=escape(capitalise(message))), error.status_code, error.headers)
    response = make_error_response(Refusal(error.status_code, message, hint="see /api/openapi.json"))
    response.headers.update(error.headers or {})
    return response


async def _handle_failure(_: Request, __: Exception) -> Response:
    return make_error_response(FAILURE)


@dataclass(frozen=True)
class Listener:
    """An open socket, the tables, and the addresses of the page: on this machine, and in the network (with the key)."""

    socket: socket.socket
    settings: Settings
    tables: Tables
    local_url: str
    link: str | None


def open_listener(settings: Settings) -> Listener:
    """Load the models and open the socket; raises ModelError, and KdvisionError if the port is taken."""
    Networks.load()
    try:  # from here on, a browser that opens the printed address waits until the server runs
        listener = socket.create_server((ALL_INTERFACES if settings.lan else LOOPBACK, settings.port))
    except OSError as error:
        message = f"port {settings.port} cannot be used: {os.strerror(error.errno or 0)}"
        raise KdvisionError(message, hint="choose another one: --port 0") from error
    port, storage = listener.getsockname()[1], Storage(settings.data)
    settings = replace(settings, port=port, key=(settings.key or storage.renew_key()) if settings.lan else None)
    address = find_network_address() if settings.lan else None
    link = None if address is None else f"http://{address}:{port}/#key={settings.key}"
    local_url = f"http://{LOOPBACK}:{port}/" + (f"#key={settings.key}" if settings.lan else "")
    return Listener(listener, settings, Tables(storage), local_url, link)


def find_network_address() -> str | None:
    """Return the address of this machine in its network; None without one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation (RFC 5737); nothing is sent
            address = str(probe.getsockname()[0])
        except OSError:
            return None
    return None if ipaddress.ip_address(address).is_loopback else address


def make_uvicorn_config(app: SecurityMiddleware) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=LimitedProtocol,
        ws="none",
        backlog=BACKLOG,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )


class TableServer(uvicorn.Server):
    """A server that ends the live connections when it is stopped, instead of waiting for them."""

    def __init__(self, config: uvicorn.Config, tables: Tables) -> None:
        super().__init__(config)
        self._tables = tables

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._tables.close_watchers()
        await super().shutdown(sockets)


def run_server(listener: Listener) -> None:
    """Serve until the process is told to stop; requests in progress are finished first."""
    logging.getLogger("kdvision.web").setLevel(logging.INFO)
    app = create_app(listener.settings, link=listener.link, tables=listener.tables)
    server = TableServer(make_uvicorn_config(app), listener.tables)

    def keep_in_log(record: logging.LogRecord) -> bool:
        return not (server.should_exit and any(text in record.getMessage() for text in SHUTDOWN_MESSAGES))

    logging.getLogger("uvicorn.error").addFilter(keep_in_log)
    previous_handler = signal.signal(signal.SIGTERM, lambda *_: None)  # uvicorn raises it again after it has stopped
    with listener.socket, suppress(KeyboardInterrupt):  # the usual way to stop it
        server.run(sockets=[listener.socket])
    signal.signal(signal.SIGTERM, previous_handler)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C would interrupt the end of the process
