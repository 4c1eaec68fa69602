"""The command `kdvision serve`: its address, its log, its end, and what it refuses."""

import http.client
import signal
import socket
import sys
from pathlib import Path

import pytest

from kdvision.web.table.storage import Storage
from tests.conftest import Run
from tests.paths import SAMPLES
from tests.webserver import TIMEOUT_SECONDS, serving_process

GAME = {"kingdom": [{"player": "Ann", "board": ["w1 w", "# f"]}, {"player": "Bo", "board": "# l1 / l l"}]}


def test_serve_prints_its_address_logs_no_content_and_stops_cleanly() -> None:
    with serving_process("--forget") as (process, client):
        answer = client.post("/api/score", GAME)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=TIMEOUT_SECONDS)
    assert (answer.status, process.returncode) == (200, 0)
    assert "POST /api/score 200" in err
    assert "Traceback" not in err
    assert "Ann" not in err + out


def wait_until_closed(port: int) -> None:
    """Wait until the server accepts no connections any more."""
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_SECONDS).close()
        except ConnectionError:
            return


@pytest.mark.parametrize("signal_count", [1, 2])
def test_a_server_that_is_stopped_during_an_upload_ends_quietly(signal_count: int) -> None:
    with serving_process("--forget") as (process, client):
        head = f"POST /api/read HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\nContent-Type: image/jpeg\r\n"
        with socket.create_connection(("127.0.0.1", client.port), timeout=TIMEOUT_SECONDS) as connection:
            connection.sendall(f"{head}Expect: 100-continue\r\nContent-Length: 100000\r\n\r\n".encode())
            assert b" 100 " in connection.recv(100)  # the server reads the body
            connection.sendall(b"half")
            process.send_signal(signal.SIGINT)
            if signal_count == 2:
                wait_until_closed(client.port)
                process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=TIMEOUT_SECONDS)
            assert b" 503 " in connection.recv(100)
    assert process.returncode == 0
    assert [line.partition(" ")[2].partition(",")[0] for line in err.splitlines()] == ["POST /api/read 503"]


def test_a_server_that_is_stopped_while_it_reads_a_photo_ends_quietly() -> None:
    with serving_process("--forget") as (process, client):
        table = client.post("/api/tables", {}).json["table"]
        connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=TIMEOUT_SECONDS)
        headers = {"Content-Type": "image/jpeg", "Accept": "application/x-ndjson"}
        connection.request("POST", f"/api/tables/{table}/photos", (SAMPLES / "demo.jpg").read_bytes(), headers)
        with connection.getresponse() as response:
            assert b"stage" in response.readline()
            process.send_signal(signal.SIGINT)
            wait_until_closed(client.port)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=TIMEOUT_SECONDS)
        connection.close()
    assert process.returncode == 0
    assert [line.split()[1:3] for line in err.splitlines()] == [
        ["POST", "/api/tables"],
        ["POST", f"/api/tables/{table}/photos"],
    ]


def test_a_port_in_use_is_reported(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kdvision.web.server.run_server", lambda listener: None)  # never waits for requests
    with socket.create_server(("127.0.0.1", 0)) as busy_socket:
        result = run("serve", "--forget", "--port", busy_socket.getsockname()[1])
    assert result.code == 1
    assert "cannot be used" in result.err
    assert "--port 0" in result.err


def test_serve_says_that_another_server_uses_the_games(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("kdvision.web.server.run_server", lambda listener: listener.socket.close())
    other_storage = Storage(tmp_path)
    result = run("serve", "--port", "0", "--data", tmp_path)
    other_storage.close()
    assert ("stop the other server" in result.out, "Games are kept in /" in result.out) == (True, False)


def test_serve_says_which_packages_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [name for name in sys.modules if name.startswith("kdvision.web")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    result = run("serve")
    assert (result.code, "pip install 'kdvision[web]'" in result.err) == (1, True)
