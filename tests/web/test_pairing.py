"""Phones of the network get only the pairing page without the key, and everything with it."""

import re
from collections.abc import Iterator

import pytest

from kdvision.web.limits import Refusal
from kdvision.web.security import KEY_LETTERS, MAX_WRONG_KEYS, OPEN_PATHS, WRONG_KEYS_SECONDS, Pairing, make_key
from kdvision.web.server import Settings
from kdvision.web.table.storage import Storage
from tests.webserver import Answer, Client, running_server

KEY = "ABCD-2345"
GAME = {"kingdom": [{"player": "Ann", "board": ["w1 w", "# f"]}]}


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with running_server(
        Settings(port=0, lan=True, key=KEY), link="http://192.168.1.5:8000/#key=ABCD-2345"
    ) as server_client:
        yield server_client


def get_cookie(answer: Answer) -> str:
    return answer.headers["set-cookie"].partition(";")[0]


def test_keys_are_easy_to_type_and_all_different() -> None:
    keys = {make_key() for _ in range(50)}
    assert len(keys) == 50
    assert all(re.fullmatch(rf"[{KEY_LETTERS}]{{4}}-[{KEY_LETTERS}]{{4}}", key) for key in keys)


@pytest.mark.parametrize("path", ["/", "/index.html", "/app.js", "/x", "/tiles/w.svg"])
def test_a_phone_without_the_key_gets_the_pairing_page(client: Client, path: str) -> None:
    answer = client.get(path)
    assert (answer.status, b"pair.js" in answer.content, b"app.js" in answer.content) == (401, True, False)


@pytest.mark.parametrize("path", ["/api/rules", "/api/invite", "/api/openapi.json"])
def test_a_phone_without_the_key_gets_nothing_of_the_api(client: Client, path: str) -> None:
    answer = client.get(path)
    assert (answer.status, set(answer.json)) == (401, {"error", "hint"})
    assert client.post("/api/score", GAME).status == 401


def test_the_pairing_page_is_complete(client: Client) -> None:
    for path in OPEN_PATHS - {"/api/pair"}:
        assert client.get(path).status == 200


def test_the_key_gives_access(client: Client) -> None:
    answer = client.post("/api/pair", {"key": "abcd 2345"})
    assert answer.status == 200
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=lax" in cookie.lower()
    assert KEY not in cookie
    assert client.get("/", Cookie=get_cookie(answer)).content.count(b"app.js") == 1
    assert client.post("/api/score", GAME, Cookie=get_cookie(answer)).status == 200


def test_a_phone_is_paired_with_two_servers_of_one_host(client: Client) -> None:
    """A browser sends the cookies of both to each of them, and keeps one of each name."""
    with running_server(Settings(port=0, lan=True, key="WXYZ-2345")) as other_client:
        answers = client.post("/api/pair", {"key": KEY}), other_client.post("/api/pair", {"key": "WXYZ-2345"})
        cookies = dict(get_cookie(answer).split("=") for answer in answers)
        header = "; ".join(f"{name}={value}" for name, value in cookies.items())
        assert [server.get("/api/games", Cookie=header).status for server in (client, other_client)] == [200, 200]


def test_a_phone_that_was_paired_with_an_older_version_stays_paired(client: Client) -> None:
    _, value = get_cookie(client.post("/api/pair", {"key": KEY})).split("=")
    assert client.get("/api/games", Cookie=f"kdvision={value}").status == 200


def test_a_phone_that_is_paired_has_used_the_key(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    uses: list[Storage] = []
    monkeypatch.setattr(Storage, "use_key", lambda storage: uses.append(storage))
    client.post("/api/pair", {"key": KEY})
    assert len(uses) == 1


def test_programs_send_the_key_as_a_bearer_token(client: Client) -> None:
    assert client.post("/api/score", GAME, Authorization=f"Bearer {KEY}").status == 200
    assert client.post("/api/score", GAME, Authorization="Bearer ABCD-2346").status == 401
    assert client.post("/api/score", GAME, Authorization=f"Basic {KEY}").status == 401


@pytest.mark.parametrize("cookie", ["kdvision=", "kdvision=é", "kdvision=ABCD-2345", "other=1"])
def test_another_cookie_gives_no_access(client: Client, cookie: str) -> None:
    assert client.post("/api/score", GAME, Cookie=cookie.encode().decode("latin-1")).status == 401


@pytest.mark.parametrize("key", ["", "ABCD-2346", "é", 5, None, ["ABCD-2345"]])
def test_a_wrong_key_gives_no_access(client: Client, key: object) -> None:
    assert client.post("/api/pair", {"key": key}).status == 401


def test_a_client_without_the_key_cannot_send_large_bodies(client: Client) -> None:
    assert client.post("/api/pair", {"key": KEY, "more": " " * 900}).status == 200
    answer = client.post("/api/pair", {"key": KEY, "more": " " * 1000})
    assert (answer.status, "1,000 bytes" in answer.json["error"]) == (413, True)


def test_the_invitation_has_the_link_and_its_qr_code(client: Client) -> None:
    answer = client.get("/api/invite", Authorization=f"Bearer {KEY}").json
    assert answer["link"] == "http://192.168.1.5:8000/#key=ABCD-2345"
    assert {len(row) for row in answer["qr"]} == {len(answer["qr"])}
    assert set("".join(answer["qr"])) == {"0", "1"}
    assert answer["qr"][0].startswith("1111111")


def test_an_invitation_to_what_is_no_table_is_refused(client: Client) -> None:
    for query, status in (("table=ABC", 200), ("table=abc", 422), ("table=ABC%0A", 422), ("tabel=ABC", 422)):
        assert client.get(f"/api/invite?{query}", Authorization=f"Bearer {KEY}").status == status


def test_addresses_of_the_network_are_accepted_as_host(client: Client) -> None:
    assert client.get("/pair.js", Host="192.168.1.5:8000").status == 200
    assert client.get("/pair.js", Host="evil.example").status == 421


def test_a_host_header_with_a_path_opens_nothing(client: Client) -> None:
    """Some versions of Starlette build the path of `request.url` from the Host header."""
    assert client.get("/api/games", Host="127.0.0.1/pair.html?").status == 421


def test_an_address_with_many_wrong_keys_has_to_wait() -> None:
    seconds = [0.0]
    pairing = Pairing(KEY, clock=lambda: seconds[0])
    for _ in range(MAX_WRONG_KEYS):
        assert not pairing.is_key("WRONG", "10.0.0.1")
    with pytest.raises(Refusal) as error:
        pairing.is_key(KEY, "10.0.0.1")
    assert error.value.status == 429
    assert pairing.is_key(KEY, "10.0.0.2")
    seconds[0] = WRONG_KEYS_SECONDS + 1
    assert pairing.is_key(KEY, "10.0.0.1")
