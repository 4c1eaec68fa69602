"""The API over real HTTP: responses to valid requests, and what is refused."""

import json
import re
import socket
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kdvision.web.limits import MAX_JSON_BYTES, MAX_PHOTO_BYTES
from kdvision.web.server import Settings
from tests.conftest import Run
from tests.kingdoms import png, table_photo
from tests.paths import ROOT
from tests.webserver import TIMEOUT_SECONDS, Client, encode_form, running_server

DEMO = (ROOT / "samples" / "demo.jpg").read_bytes()
TWO_KINGDOMS = (ROOT / "samples" / "two-kingdoms.jpg").read_bytes()
NO_KINGDOM = (ROOT / "samples" / "no-kingdom.jpg").read_bytes()
TRUTH = json.loads((ROOT / "samples" / "demo.json").read_text("utf-8"))["kingdoms"][0]
GAME = {"kingdom": [{"player": "Ann", "board": ["w1 w", "# f"]}, {"player": "Bo", "board": "# l1 / l l"}]}


@pytest.fixture(scope="module")
def demo(client: Client) -> dict[str, Any]:
    """The response to the demo photo."""
    result: dict[str, Any] = client.post_photo(DEMO).json
    return result


# Reading.


def test_a_photo_is_read(demo: dict[str, Any]) -> None:
    (kingdom,) = demo["kingdoms"]
    assert (kingdom["board"], kingdom["total"]) == (TRUTH["board"], TRUTH["points"])
    assert (demo["width"], demo["height"], demo["error"]) == (1600, 1200, None)


def test_a_file_in_a_form_is_read_like_a_body(client: Client, demo: dict[str, Any]) -> None:
    body, kind = encode_form({"note": (None, b"hello"), "photo": ("../../etc/passwd.jpg", DEMO)})
    answer = client.send("POST", "/api/read", body, Content_Type=kind)
    assert answer.status == 200
    assert [entry["board"] for entry in answer.json["kingdoms"]] == [entry["board"] for entry in demo["kingdoms"]]


def test_progress_comes_line_by_line(client: Client) -> None:
    answer = client.post_photo(DEMO, Accept="application/x-ndjson")
    *reports, last = [json.loads(line) for line in answer.content.splitlines()]
    assert [report["stage"] for report in reports if report["stage"] in ("photo", "cells", "decide")] == [
        "photo",
        "cells",
        "decide",
    ]
    assert (last["status"], last["body"]["kingdoms"][0]["board"]) == (200, TRUTH["board"])


@pytest.mark.parametrize("accept", ["application/json", "application/x-ndjson"])
def test_a_photo_on_which_the_program_fails_gets_an_answer(
    client: Client, accept: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Without one the page would take the connection for lost, and send the photo again and again."""

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("kdvision.pipeline.read", fail)
    answer = client.post_photo(DEMO, Accept=accept)
    last = json.loads(answer.content.splitlines()[-1])
    if accept == "application/x-ndjson":
        assert last["status"] == 500 and "ZeroDivisionError" in caplog.text
    assert last.get("body", last) == {"error": "the server failed", "hint": "try again, or with another photo"}


def test_a_kingdom_is_read_where_it_is_outlined(client: Client) -> None:
    points = " ".join(f"{x:.0f},{y:.0f}" for x, y in TRUTH["corners_tl_tr_br_bl_px"])
    answer = client.post_photo(DEMO, f"/api/read?corners={points}".replace(" ", "%20"))
    assert answer.json["kingdoms"][0]["board"] == TRUTH["board"]


def test_a_photo_without_a_kingdom_gets_a_hint(client: Client) -> None:
    answer = client.post_photo(NO_KINGDOM)
    assert answer.status == 422
    assert answer.json["kingdoms"] == []
    assert "no kingdom" in answer.json["error"]
    assert "draw its outline" in answer.json["hint"] and "--corners" not in answer.json["hint"]


@pytest.mark.parametrize(
    ("content", "status", "message"),
    [
        (b"", 422, "empty"),
        (b"hello", 415, "no picture of a kind"),
        (DEMO[:20_000], 422, "damaged"),
        (png(np.zeros((60, 60, 3), np.uint8)), 422, "60 x 60"),
    ],
)
def test_a_broken_photo_gets_its_status_and_a_hint(client: Client, content: bytes, status: int, message: str) -> None:
    answer = client.post_photo(content)
    assert (answer.status, message in answer.json["error"]) == (status, True)
    assert answer.json["hint"]


def test_a_picture_of_too_many_pixels_is_never_decoded(client: Client) -> None:
    """A PNG that declares 30000 x 30000 pixels, which would take 2.7 GB."""
    head = make_chunk(b"IHDR", (30_000).to_bytes(4) * 2 + b"\x08\x02\0\0\0")
    answer = client.post_photo(b"\x89PNG\r\n\x1a\n" + head + make_chunk(b"IDAT", zlib.compress(bytes(1000))))
    assert (answer.status, "megapixels" in answer.json["error"]) == (413, True)


def make_chunk(kind: bytes, data: bytes) -> bytes:
    return len(data).to_bytes(4) + kind + data + zlib.crc32(kind + data).to_bytes(4)


def test_a_body_of_another_type_is_refused(client: Client) -> None:
    assert client.post_photo(DEMO, Content_Type="text/html").status == 415


def test_places_for_a_domino_are_listed(client: Client, run: Run) -> None:
    body = {"domino": "w f1", "board": ["w w1", "l #"], "game": "kingdomino", "side": 5}
    answer = client.post("/api/fits", body)
    output = json.loads(run("fits", "w f1", "w w1 / l #", "--size", "5", "--json").out)
    assert (answer.status, answer.json) == (200, output["kingdoms"][0])
    assert answer.json["fits"] is True


@pytest.mark.parametrize(
    "body",
    [
        {"domino": "w", "board": "#"},
        {"domino": "w f", "board": "x"},
        {"domino": "w f", "board": "#", "side": 6},
        {"domino": "w f", "board": "#", "game": "chess"},
        {"domino": "w f" * 9, "board": "#"},
        {"domino": "w f"},
        {"domino": "w f", "board": ["? " * 26] * 26},
    ],
)
def test_an_invalid_question_about_a_domino_is_refused(client: Client, body: dict[str, Any]) -> None:
    answer = client.post("/api/fits", body)
    assert (answer.status, bool(answer.json["hint"])) == (422, True)


def test_facts_that_no_photo_shows_stay_open(client: Client) -> None:
    result = client.post_photo((ROOT / "samples" / "queendomino.jpg").read_bytes()).json
    (kingdom,) = result["kingdoms"]
    assert (result["game"], result["variants"], kingdom["complete"], kingdom["total"]) == (
        "queendomino",
        [],
        False,
        None,
    )
    assert {"coins", "towers", "queen", "spare_knights", "buildings"} <= set(kingdom["untold"])
    open_kingdom = {"board": kingdom["board"], **dict.fromkeys(kingdom["untold"], "?")}
    score = client.post("/api/score", {"game": result["game"], "kingdom": [open_kingdom]}).json
    assert score["rounds"][0]["kingdoms"][0]["most"] >= kingdom["most"]
    result = client.post_photo((ROOT / "samples" / "lost-treasures.jpg").read_bytes()).json
    assert (result["variants"], result["kingdoms"][0]["untold"]) == (["lost-treasures"], ["gems"])
    gem_result = client.post_photo(DEMO, "/api/read?harmony=true&lost_treasures=true").json
    assert gem_result["variants"] == ["harmony", "lost-treasures"]


def test_a_variant_decides_the_game_or_is_refused(client: Client) -> None:
    """A variant that the game does not have is refused, as on the command line."""
    photo = (ROOT / "samples" / "queendomino.jpg").read_bytes()
    result = client.post_photo(photo, "/api/read?lost_treasures=true").json
    assert (result["game"], result["variants"]) == ("kingdomino", ["lost-treasures"])
    answer = client.post_photo(photo, "/api/read?the_court=true&game=royal-wedding")
    assert (answer.status, answer.json["hint"]) == (422, "leave it out, or choose kingdomino or queendomino")


@pytest.mark.parametrize(
    "query", ["side=6", "side=five", "harmony=1", "corners=1,2", "corners=a", "&".join(["corners=1"] * 9)]
)
def test_an_invalid_option_is_refused_with_a_hint(client: Client, query: str) -> None:
    answer = client.post_photo(DEMO, f"/api/read?{query}")
    assert (answer.status, bool(answer.json["hint"])) == (422, True)


def test_a_body_with_a_declared_size_over_the_limit_is_not_read(client: Client) -> None:
    with socket.create_connection(("127.0.0.1", client.port), timeout=TIMEOUT_SECONDS) as connection:
        head = "POST /api/read HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: image/jpeg\r\nConnection: close\r\n"
        connection.sendall(f"{head}Content-Length: {MAX_PHOTO_BYTES + 1}\r\n\r\n".encode())
        assert b"413" in connection.recv(100)


def test_a_body_over_the_limit_is_refused(client: Client) -> None:
    answer = client.post("/api/score", {"kingdom": [], "more": "x" * MAX_JSON_BYTES})
    assert (answer.status, answer.json["hint"]) == (413, "send less in one request")


def test_a_form_needs_exactly_one_file(client: Client) -> None:
    for fields in ({"a": (None, b"x")}, {"a": ("a.jpg", DEMO[:100]), "b": ("b.jpg", DEMO[:100])}):
        body, kind = encode_form(fields)
        assert client.send("POST", "/api/read", body, Content_Type=kind).status == 400
    assert client.send("POST", "/api/read", b"xyz", Content_Type="multipart/form-data").status == 400


def test_a_photo_is_converted_to_jpeg(client: Client) -> None:
    answer = client.post_photo(
        png(table_photo(2600, 1300).pixels), "/api/picture", Content_Type="application/octet-stream"
    )
    assert (answer.status, answer.headers["content-type"]) == (200, "image/jpeg")
    assert answer.content[:2] == b"\xff\xd8"


# Scoring.


def test_a_game_is_scored(client: Client) -> None:
    game = client.post("/api/score", GAME).json
    assert [kingdom["total"] for kingdom in game["rounds"][0]["kingdoms"]] == [2, 3]
    assert game["standing"]["reason"] == "Bo wins on points, 3 to 2"


def test_a_game_is_returned_as_text_and_as_a_game_file(client: Client) -> None:
    assert "Bo wins on points, 3 to 2" in client.post("/api/score", GAME, Accept="text/plain").content.decode()
    file = client.post("/api/score", GAME, Accept="application/toml")
    assert (file.headers["content-type"], b'player = "Ann"' in file.content) == ("application/toml", True)


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b"\xff", "application/json", 400),
        (b"NaN", "application/json", 400),
        (b'{"a": "\\ud800"}', "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b"[]", "application/json", 422),
        (b"{}", "application/json", 422),
        (b'{"kingdom": [{"board": "x"}]}', "application/json", 422),
        (b"{}", "text/plain", 415),
        (b"{}", "", 415),
    ],
)
def test_an_invalid_game_is_refused(client: Client, body: bytes, kind: str, status: int) -> None:
    answer = client.send("POST", "/api/score", body, Content_Type=kind)
    assert (answer.status, bool(answer.json["error"])) == (status, True)


def test_the_rules_have_what_the_page_needs(client: Client) -> None:
    rules = client.get("/api/rules").json
    assert {game["game"] for game in rules["games"]} == {"kingdomino", "queendomino", "royal-wedding"}
    kingdomino = rules["games"][0]
    assert {"w", "w1", "g2", "m3"} <= set(kingdomino["cells"])
    assert "t" not in kingdomino["cells"]
    assert sum(building["count"] for building in rules["buildings"]) == 32
    assert rules["clauses"]["kingdomino/harmony"]["book"] == "Kingdomino"


def test_every_building_of_the_rules_can_be_built(client: Client) -> None:
    for building in client.get("/api/rules").json["buildings"]:
        kingdom = {"board": "# t", "buildings": [{"at": "B1", **building["as"]}]}
        assert client.post("/api/score", {"game": "queendomino", "kingdom": [kingdom]}).status == 200


# The page, and access to it.


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html"),
        ("/app.js", "text/javascript"),
        ("/base.css", "text/css"),
        ("/icons/icon-512.png", "image/png"),
        ("/tiles/w.svg", "image/svg+xml"),
        ("/tiles/w.png", "image/png"),
        ("/manifest.webmanifest", "application/manifest+json"),
    ],
)
def test_the_page_is_served_with_its_security_headers(client: Client, path: str, kind: str) -> None:
    answer = client.get(path)
    assert (answer.status, answer.headers["content-type"].startswith(kind)) == (200, True)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-cache"
    assert client.get(path, If_None_Match=answer.headers["etag"]).status == 304


def test_every_picture_of_a_terrain_is_served(client: Client) -> None:
    urls = re.findall(r'url\("(/tiles/[^"]+)"\)', client.get("/board.css").content.decode())
    assert len(urls) == 8
    assert [client.get(url).headers["content-type"] for url in urls] == ["image/png"] * len(urls)


def test_responses_of_the_api_are_not_stored(client: Client) -> None:
    assert client.post("/api/score", GAME).headers["cache-control"] == "no-store"


def test_files_are_compressed(client: Client) -> None:
    answer = client.get("/app.js", Accept_Encoding="gzip, br")
    assert answer.headers["content-encoding"] == "gzip"
    assert len(answer.content) < len(client.get("/app.js").content)


@pytest.mark.parametrize(
    "path", ["/../server.py", "/%2e%2e/server.py", "/static/app.js", "/app.js/", "/server.py", "/x"]
)
def test_no_other_path_is_served(client: Client, path: str) -> None:
    assert client.get(path).status == 404


def test_a_wrong_address_is_a_page_for_a_person_and_json_for_a_program(client: Client) -> None:
    page = client.get("/<b>", Accept="text/html,*/*")
    assert (page.status, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert b"There is no such page" in page.content and b'href="/"' in page.content
    assert b"/ does not accept POST" in client.send("POST", "/", Accept="text/html").content
    assert client.get("/x").json == {"error": "there is no such page", "hint": "see /api/openapi.json"}
    assert "error" in client.get("/api/x", Accept="text/html").json


def test_a_wrong_method_is_refused(client: Client) -> None:
    answer = client.get("/api/read")
    assert (answer.status, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "192.168.1.5", "[::1", "10.0.0.1:80"])
def test_a_host_header_with_another_name_is_refused(client: Client, host: str) -> None:
    """DNS rebinding: another name that resolves to this machine."""
    assert client.get("/", Host=host).status == 421


@pytest.mark.parametrize("host", ["localhost", "localhost:1234", "127.0.0.1:80", "[::1]:8000"])
def test_a_host_header_with_an_own_name_is_accepted(client: Client, host: str) -> None:
    assert client.get("/", Host=host).status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "https://127.0.0.1"},
        {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "no-cors"},
        {"Sec_Fetch_Site": "same-site", "Sec_Fetch_Mode": "cors"},
    ],
)
def test_requests_of_other_pages_are_refused(client: Client, headers: dict[str, str]) -> None:
    answer = client.post("/api/score", GAME, **headers)
    assert answer.status == 403
    assert "access-control-allow-origin" not in answer.headers


def test_requests_of_the_page_and_links_to_it_are_accepted(client: Client) -> None:
    assert client.post("/api/score", GAME, Origin=f"http://127.0.0.1:{client.port}").status == 200
    assert client.get("/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate").status == 200


# Keeping, stopping, starting.


def test_photos_are_kept_only_on_request(tmp_path: Path) -> None:
    with running_server(Settings(port=0, keep=tmp_path)) as client:
        body, kind = encode_form({"photo": ("../../evil.jpg", NO_KINGDOM)})
        client.send("POST", "/api/read", body, Content_Type=kind)
        client.post_photo(b"no photo")
    (stored_photo,) = tmp_path.iterdir()
    assert (stored_photo.read_bytes(), stored_photo.suffix) == (NO_KINGDOM, ".jpg")


def test_a_photo_that_cannot_be_kept_is_read(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with running_server(Settings(port=0, keep=tmp_path / "gone")) as client:
        assert client.post_photo(DEMO).json["error"] is None
    assert "a photo was not kept" in caplog.text


def test_large_forms_stay_in_memory(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Starlette's own parser would write a form file of more than a megabyte to the disk."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    body, kind = encode_form({"photo": ("a.jpg", NO_KINGDOM + b"\0" * 3_000_000)})
    assert client.send("POST", "/api/read", body, Content_Type=kind).status == 422
