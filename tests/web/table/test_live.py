"""The live channel has the security of all requests: key, origin, host, number of connections, slow clients."""

import signal
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from kdvision.web.limits import Refusal
from kdvision.web.server import Settings
from kdvision.web.table import live as live_module
from kdvision.web.table import tables as tables_module
from kdvision.web.table.live import Watcher, format_event
from kdvision.web.table.tables import JoinRequest, Tables
from tests.phones import LiveStream, Phone, run_in_thread
from tests.webserver import TIMEOUT_SECONDS, Client, running_server, serving_process

KEY = "ABCD-2345"


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """A client of a server with a key, which it does not send."""
    with running_server(Settings(port=0, lan=True, key=KEY)) as server_client:
        yield server_client


@pytest.fixture(scope="module")
def paired_client(client: Client) -> Client:
    return Client(client.port, Authorization=f"Bearer {KEY}")


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "live"), ("POST", "changes"), ("POST", "photos"), ("POST", "/api/tables")]
)
def test_a_phone_without_the_key_gets_nothing(client: Client, paired_client: Client, method: str, path: str) -> None:
    phone = Phone(paired_client)
    url_path = path if path.startswith("/") else f"/api/tables/{phone.table}/{path}"
    answer = client.send(method, url_path, b"{}" if method == "POST" else None, Content_Type="application/json")
    assert (answer.status, set(answer.json)) == (401, {"error", "hint"})
    assert client.get("/api/games").status == 401


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "cors"}, 403),
        ({"Host": "evil.example"}, 421),
        ({"Authorization": "Bearer WRONG"}, 401),
    ],
)
def test_other_pages_and_hosts_cannot_watch(paired_client: Client, headers: dict[str, str], status: int) -> None:
    assert paired_client.get(f"/api/tables/{Phone(paired_client).table}/live", **headers).status == status


def test_a_paired_phone_watches_with_its_cookie(client: Client, paired_client: Client) -> None:
    cookie = client.post("/api/pair", {"key": KEY}).headers["set-cookie"].partition(";")[0]
    live = LiveStream(Client(client.port, Cookie=cookie), Phone(paired_client).table)
    assert live.response.headers["content-type"].startswith("text/event-stream")
    assert live.response.headers["cache-control"] == "no-store"
    assert live.wait_for("state")["table"] == Phone(paired_client).table
    live.close()


def test_a_table_that_does_not_exist_cannot_be_watched(paired_client: Client) -> None:
    answer = paired_client.get("/api/tables/NONE/live")
    assert (answer.status, answer.json["error"]) == (404, "there is no table NONE")


def test_the_number_of_watchers_is_sent(paired_client: Client) -> None:
    table = Phone(paired_client).table
    first_stream = LiveStream(paired_client, table)
    first_stream.wait_for("people", lambda count: count == 1)
    second_stream = LiveStream(paired_client, table)
    first_stream.wait_for("people", lambda count: count == 2)
    second_stream.close()
    Phone(paired_client, table).add("# w")  # a closed connection is noticed at the next event at the latest
    first_stream.wait_for("people", lambda count: count == 1)
    first_stream.close()


def test_only_so_many_may_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables_module, "MAX_WATCHERS", 4)
    monkeypatch.setattr(tables_module, "MAX_WATCHERS_PER_ADDRESS", 2)
    tables = Tables()
    table = tables.join(JoinRequest())
    for number in range(3):
        tables.watch(table, f"10.0.0.{number % 2}")
    with pytest.raises(Refusal, match="too many phones") as error:
        tables.watch(table, "10.0.0.0")
    assert (error.value.status, error.value.retry_after) == (503, 30)
    watcher = tables.watch(table, "10.0.0.1")
    with pytest.raises(Refusal):
        tables.watch(table, "10.0.0.9")
    table.remove_watcher(watcher)
    monkeypatch.setattr(tables_module, "MAX_WATCHERS", 6)
    for _ in range(3):
        tables.watch(table, "127.0.0.1")
    tables.close()


def test_a_new_table_gets_an_id_that_no_table_has(monkeypatch: pytest.MonkeyPatch) -> None:
    letters = iter("AAAAAAAABBBB")
    monkeypatch.setattr("secrets.choice", lambda _: next(letters))
    tables = Tables()
    assert [tables.join(JoinRequest(new=True)).id for _ in range(2)] == ["AAAA", "BBBB"]
    tables.close()


def test_a_client_that_takes_nothing_costs_one_state() -> None:
    watcher = Watcher("10.0.0.1")
    for number in range(1000):
        watcher.send(format_event("state", {"revision": number}, number))
        watcher.send(format_event("people", number))

    async def take() -> bytes:
        events = watcher.stream_events()
        content = await anext(events)
        await events.aclose()
        return content

    assert run_in_thread(take) == (
        b'retry: 1000\n\nevent: state\nid: 999\ndata: {"revision":999}\n\n' + b"event: people\ndata: 999\n\n"
    )


def test_a_request_for_the_head_of_a_stream_ends(paired_client: Client) -> None:
    """Then the connection takes another request."""
    connection = HTTPConnection("127.0.0.1", paired_client.port, timeout=TIMEOUT_SECONDS)
    for _ in range(2):
        connection.request("HEAD", f"/api/tables/{Phone(paired_client).table}/live", headers=paired_client.headers)
        with connection.getresponse() as response:
            assert response.status == 200
    connection.close()


def test_a_quiet_stream_has_comments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_module, "HEARTBEAT_SECONDS", 0.01)

    async def take() -> bytes:
        return await anext(Watcher("10.0.0.1").stream_events())

    assert run_in_thread(take).startswith(b": ")


def test_a_server_that_is_stopped_ends_its_streams_at_once(tmp_path: Path) -> None:
    with serving_process("--data", str(tmp_path)) as (process, client):
        live = LiveStream(client, Phone(client).table)
        live.wait_for("state")
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        live.wait_for_end()
        live.close()
        _, err = process.communicate(timeout=TIMEOUT_SECONDS)
    assert (process.returncode, "Traceback" in err, "Cancel" in err) == (0, False, False)
    assert time.monotonic() - start < TIMEOUT_SECONDS
