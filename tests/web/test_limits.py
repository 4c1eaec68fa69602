"""The line before the workers: first come, first served, and never longer than it may be. The connections before it."""

import asyncio
import errno
import logging
import socket
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from typing import Any, TypeVar

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from kdvision.web import connections
from kdvision.web.connections import CONNECTIONS, Faults, Watched, room, watched
from kdvision.web.limits import MAX_PHOTO, WAITING_EACH, Line, Refused, Tell
from kdvision.web.server import Settings, application, configured

Made = TypeVar("Made")


@asynccontextmanager
async def line_of(threads: int = 1, **limits: int) -> AsyncIterator[Line]:
    line = Line(threads, **limits)
    try:
        yield line
    finally:
        line.close()


def alone(work: Coroutine[Any, Any, Made]) -> Made:
    """What the work gives, in a thread of its own: a browser under test keeps an event loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


async def result(line: Line, job: Callable[[Tell], Any], *, client: str = "a", told: list[Any] | None = None) -> Any:
    """What a job returns, its words added to `told`."""
    async with line.place(client, 1) as place:
        words = [word async for word in line.run(place, job)]
    if told is not None:
        told += [word for word in words[:-1] if word]
    return words[-1]


def test_jobs_are_done_in_the_order_they_came() -> None:
    done: list[int] = []

    async def all_of_them() -> None:
        async with line_of() as line:
            await asyncio.gather(*(result(line, lambda _, n=n: done.append(n)) for n in range(20)))  # type: ignore[misc]

    alone(all_of_them())
    assert done == list(range(20))


def test_no_more_run_at_once_than_there_are_threads() -> None:
    running, most = 0, 0
    lock = threading.Lock()

    def job(_: Tell) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        threading.Event().wait(0.01)
        with lock:
            running -= 1

    async def all_of_them() -> None:
        async with line_of(2) as line:
            await asyncio.gather(*(result(line, job) for _ in range(12)))

    alone(all_of_them())
    assert most == 2


def test_who_waits_is_told_how_many_are_ahead_and_what_goes_on() -> None:
    told: list[Any] = []

    def job(tell: Tell) -> int:
        tell({"stage": "photo"})
        return 7

    async def three() -> Any:
        async with line_of() as line:
            slow = [asyncio.ensure_future(result(line, lambda _: threading.Event().wait(0.05))) for _ in range(2)]
            await asyncio.sleep(0)
            last = await result(line, job, told=told)
            await asyncio.gather(*slow)
            return last

    assert alone(three()) == 7
    assert told == [{"stage": "waiting", "ahead": 2}, {"stage": "photo"}]


@pytest.mark.parametrize(
    ("limits", "each", "sizes", "taken"),
    [
        ({"waiting": 3}, None, [1] * 5, 3),
        ({"held": 10}, None, [4, 4, 4], 2),
        ({"held": 10}, None, [50, 1], 1),
        ({}, 2, [1] * 5, 2),
        ({"share": 10}, 9, [4, 4, 4], 2),
        ({"share": 10}, 9, [50, 1], 1),
    ],
    ids=[
        *("places", "bytes", "one too large is taken alone"),
        *("places of one client", "bytes of one client", "one of a client is always taken"),
    ],
)
def test_a_full_line_says_come_again(limits: dict[str, int], each: int | None, sizes: list[int], taken: int) -> None:
    async def take() -> None:
        async with line_of(**limits) as line, AsyncExitStack() as stack:
            for size in sizes[:taken]:
                await stack.enter_async_context(line.place("a", size, each=each))
            await stack.enter_async_context(line.place("a", sizes[taken], each=each))

    with pytest.raises(Refused) as raised:
        alone(take())
    assert (raised.value.status, raised.value.wait) == (503, 5)


def test_one_phone_leaves_room_for_the_others() -> None:
    async def take() -> None:
        async with line_of() as line, AsyncExitStack() as stack:
            for _ in range(2):
                await stack.enter_async_context(line.place("a", MAX_PHOTO, each=WAITING_EACH))
            with pytest.raises(Refused, match="2 of your photos"):
                await stack.enter_async_context(line.place("a", MAX_PHOTO, each=WAITING_EACH))
            await stack.enter_async_context(line.place("b", MAX_PHOTO, each=WAITING_EACH))

    alone(take())


def test_places_are_given_back_when_a_job_fails() -> None:
    def job(_: Tell) -> None:
        raise ValueError

    async def twice() -> None:
        async with line_of(waiting=1) as line:
            for _ in range(2):
                with pytest.raises(ValueError):
                    await result(line, job)

    alone(twice())


def test_what_nobody_waits_for_any_more_is_never_begun() -> None:
    begun: list[str] = []

    async def leave() -> None:
        async with line_of() as line:
            slow = asyncio.ensure_future(result(line, lambda _: threading.Event().wait(0.1)))
            await asyncio.sleep(0.01)
            gone = asyncio.ensure_future(result(line, lambda _: begun.append("gone")))
            await asyncio.sleep(0.01)
            gone.cancel()
            await slow
            await result(line, lambda _: begun.append("next"))

    alone(leave())
    assert begun == ["next"]


ASKED = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
SLOW = b"GET /slow HTTP/1.1\r\nHost: here\r\n\r\n"


async def answer(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with one letter, whatever comes, and after a while where that is asked for."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"1")]})
    if scope["path"] == "/slow":
        await asyncio.sleep(0.5)
    await send({"type": "http.response.body", "body": b"x"})


@contextmanager
def held(**limits: Any) -> Iterator[Callable[[bytes], socket.socket]]:
    """Opens connections to a server with these limits, and sends something over each."""
    made: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(answer, http=watched(**limits), ws="none", lifespan="off", log_config=None)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()

        def opened(sent: bytes) -> socket.socket:
            made.append(socket.create_connection(listener.getsockname(), timeout=2))
            made[-1].sendall(sent)
            return made[-1]

        try:
            yield opened
        finally:
            for one in made:
                one.close()
            server.should_exit = True
            thread.join()


def begun(connection: socket.socket) -> socket.socket:
    """A connection once an answer begins to come."""
    assert connection.recv(1, socket.MSG_PEEK)
    return connection


def answered(connection: socket.socket, sent: bytes = b"") -> bool:
    """Whether an answer comes, after something more is sent; False where the connection is closed."""
    try:
        connection.sendall(sent)
        got = b""
        while not got.endswith(b"\r\n\r\nx"):
            part = connection.recv(1000)
            got += part
            if not part:
                return False
    except ConnectionError:
        return False
    return True


@pytest.mark.parametrize("sent", [b"", b"G", ASKED[:-1]], ids=["nothing", "a letter", "a head without its end"])
@pytest.mark.parametrize("before", [0, 1], ids=["at first", "after a request"])
def test_who_asks_for_nothing_is_cut_off(sent: bytes, before: int) -> None:
    with held(seconds=0.2) as opened:
        connection = opened(ASKED * before)
        assert not before or answered(connection)
        assert not answered(connection, sent)


def test_who_sends_a_head_letter_by_letter_is_cut_off() -> None:
    with held(seconds=0.2) as opened:
        connection = opened(b"")
        for letter in ASKED[:12]:
            threading.Event().wait(0.03)
            with suppress(ConnectionError):
                connection.sendall(bytes([letter]))
        assert not answered(connection, ASKED[12:])


def test_who_waits_for_an_answer_is_not_cut_off() -> None:
    with held(seconds=0.2) as opened:
        assert answered(opened(SLOW))


def test_what_is_left_of_a_refused_body_may_arrive() -> None:
    with held(seconds=0.2) as opened:
        connection = opened(b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\n1")
        assert answered(connection)
        threading.Event().wait(0.5)
        assert answered(connection, b"2" + ASKED)


@pytest.mark.parametrize("limits", [{"each": 3}, {"most": 3}], ids=["of one address", "of all"])
def test_who_has_asked_for_nothing_longest_makes_room(limits: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "is_loopback", lambda _: False)
    with held(**limits) as opened:
        busy = begun(opened(SLOW))
        idle = [opened(b"") for _ in range(4)]
        assert not any(answered(one) for one in idle[:2])  # they are told so, whatever they ask from then on
        assert all(answered(one, ASKED) for one in idle[2:])
        assert answered(busy)


def test_where_everybody_is_being_answered_nobody_else_comes_in() -> None:
    with held(most=2) as opened:
        busy = [begun(opened(SLOW)) for _ in range(2)]
        assert [answered(one) for one in (opened(b""), *busy)] == [False, True, True]


def test_this_machine_has_no_share() -> None:
    with held(each=1) as opened:
        assert all(answered(one, ASKED) for one in [opened(b"") for _ in range(5)])


def test_the_server_watches_its_connections() -> None:
    made = configured(application(Settings()))
    assert isinstance(made.http, type) and issubclass(made.http, Watched)


@pytest.mark.parametrize(
    ("limits", "asked", "given"),
    [
        ((256, 4096), (2 * CONNECTIONS, 4096), CONNECTIONS),
        ((256, -1), (2 * CONNECTIONS, -1), CONNECTIONS),
        ((128, 256), (256, 256), 128),
        ((256, 256), None, 128),
        ((4096, 4096), None, CONNECTIONS),
        ((-1, -1), None, CONNECTIONS),
    ],
)
def test_as_many_descriptors_as_may_be_had(
    limits: tuple[int, int], asked: tuple[int, int] | None, given: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    resource = pytest.importorskip("resource")
    said: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "RLIM_INFINITY", -1)
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits)
    monkeypatch.setattr(resource, "setrlimit", lambda _, wanted: said.append(wanted))
    assert room() == given
    assert said == ([] if asked is None else [asked])


def test_that_there_are_no_descriptors_left_is_said_seldom(caplog: pytest.LogCaptureFixture) -> None:
    full = {"message": "socket.accept() out of system resource", "exception": OSError(errno.EMFILE, "Too many files")}

    async def three_times(faults: Faults) -> None:
        asyncio.get_running_loop().set_exception_handler(faults)
        for context in (full, full, {"message": "something else"}, full):
            asyncio.get_running_loop().call_exception_handler(context)

    with caplog.at_level(logging.WARNING, logger="kdvision.web"):
        alone(three_times(Faults()))
    assert [record.message for record in caplog.records] == [
        "no more connections can be opened: Too many files",
        "something else",
    ]
    with caplog.at_level(logging.WARNING, logger="kdvision.web"):
        alone(three_times(faults := Faults(silent=0)))
    assert faults.silent == 0 and len(caplog.records) == 6
