"""Several phones at one table over real HTTP: all see one game, and the later change counts."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from msgspec.structs import fields

from kdvision.web.limits import Refusal
from kdvision.web.table import tables as tables_module
from kdvision.web.table.model import MAX_KINGDOMS_PER_ROUND, PartialRules, TableRules
from kdvision.web.table.storage import Storage
from kdvision.web.table.tables import JoinRequest, Tables
from tests.phones import LiveStream, Phone
from tests.webserver import Client

ANN, BO = "w1 w / # f", "# l1 / l l"
"""2 and 3 points."""


def test_a_phone_joins_the_latest_table(client: Client, phone: Phone) -> None:
    assert Phone(client).table == phone.table
    assert client.post("/api/tables", {"table": "NONE"}).status == 404


def test_tables_of_earlier_starts_leave_room_for_new_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables_module, "MAX_TABLES", 2)
    storage, request = Storage(), JoinRequest(new=True)
    tables = Tables(storage)
    names = [tables.join(request).id, tables.join(request).id]
    with pytest.raises(Refusal, match="2 tables are in use"):
        tables.join(request)
    tables = Tables(storage)
    names.append(tables.join(request).id)
    assert storage.list_tables() == names[::-1]
    assert tables.join(JoinRequest(names[0])).id == names[0]


def test_two_phones_see_one_game(client: Client, phone: Phone) -> None:
    other_phone = Phone(client, phone.table)
    live = LiveStream(client, phone.table)
    live.wait_for("state")
    phone.add(ANN, "Ann")
    other_phone.add(BO, "Bo")
    state = live.wait_for("state", lambda new_state: new_state["revision"] == other_phone.state["revision"])
    assert state == other_phone.state == phone.look()
    assert [kingdom["player"] for kingdom in phone.kingdoms] == ["Ann", "Bo"]
    assert (phone.totals, phone.score["verdict"]["text"]) == ([2, 3], "Bo wins on points, 3 to 2")
    live.close()


def test_four_phones_add_their_kingdoms_at_once(client: Client, phone: Phone) -> None:
    phones = [Phone(client, phone.table) for _ in range(4)]
    streams = [LiveStream(client, phone.table) for _ in phones]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda phone: phone.add(BO), phones))
    names = {kingdom["player"] for kingdom in Phone(client, phone.table).kingdoms}
    assert names == {"Player 1", "Player 2", "Player 3", "Player 4"}
    for stream in streams:
        state = stream.wait_for("state", lambda new_state: len(new_state["game"]["rounds"][0]) == 4)
        assert state == phone.look()
        stream.close()


def test_of_two_who_set_one_square_the_later_counts_and_both_see_it(client: Client, phone: Phone) -> None:
    kingdom = phone.add(ANN)
    phones = [Phone(client, phone.table) for _ in range(2)]
    streams = [LiveStream(client, phone.table) for _ in phones]
    barrier = threading.Barrier(2)

    def set_square(phone: Phone, cell: str) -> int:
        barrier.wait()
        return int(phone.change("set_square", kingdom=kingdom, at="0,0", cell=cell)["revision"])

    with ThreadPoolExecutor(2) as pool:
        revisions = dict(zip(["m3", "s2"], pool.map(set_square, phones, ["m3", "s2"]), strict=True))
    last_cell = max(revisions, key=lambda cell: revisions[cell])
    assert sorted(revisions.values()) == [2, 3]
    for stream in streams:
        state = stream.wait_for("state", lambda new_state: new_state["revision"] == 3)
        assert state["game"]["rounds"][0][0]["cells"]["0,0"] == last_cell
        stream.close()


def test_everybody_may_undo_and_redo(client: Client, phone: Phone) -> None:
    kingdom = phone.add(ANN)
    phone.change("set_square", kingdom=kingdom, at="1,0", cell="w2")
    other_phone = Phone(client, phone.table)
    assert other_phone.totals == [9]
    assert other_phone.state["undo"] == {"step": 2, "op": "set_square"}
    assert other_phone.change("undo", step=2)["redo"] == {"step": 2, "op": "set_square"}
    assert (other_phone.totals, phone.look()["undo"]["op"]) == ([2], "add_kingdom")
    phone.change("redo")
    assert (phone.totals, phone.state["redo"]) == ([9], None)


def test_an_undo_takes_back_only_the_step_that_was_seen(client: Client, phone: Phone) -> None:
    kingdom = phone.add(ANN)
    other_phone = Phone(client, phone.table)
    other_phone.change("set_kingdom", kingdom=kingdom, player="Bo")
    answer = phone.send({"op": "undo", "step": 1})
    assert (answer.status, answer.json["error"]) == (409, "somebody has changed the game since")
    assert phone.send({"op": "undo", "step": 2}).status == 200
    phone.change("undo")
    assert (phone.send({"op": "undo"}).status, phone.send({"op": "undo"}).json["error"]) == (
        409,
        "there is nothing to undo",
    )


def test_a_request_that_is_sent_again_counts_once(client: Client, phone: Phone) -> None:
    kingdom, other_phone = phone.add(ANN), Phone(client, phone.table)
    mine, lake = ({"op": "set_square", "kingdom": kingdom, "at": "0,1", "cell": cell} for cell in ("m", "l"))
    undo = {"op": "undo", "step": 2}
    phone.send(mine, id="a")
    phone.send(undo, id="b")
    other_phone.send(lake, id="c")
    assert other_phone.state["undo"]["step"] == 2
    for change, request_id in ((undo, "b"), (mine, "a")):
        phone.send(change, id=request_id)
        assert phone.state == other_phone.state
    assert phone.send(undo, id="d").status == 200
    assert phone.kingdoms[0]["cells"]["0,1"] == "w"


def test_a_phone_that_comes_back_with_an_old_revision_sets_its_square(client: Client, phone: Phone) -> None:
    """Small changes of an hour ago still fit; those of a kingdom that is gone do not."""
    kingdom, other_phone = phone.add(ANN), Phone(client, phone.table)
    for number in range(3):
        other_phone.add(BO, f"Bo {number}")
    answer = phone.send({"op": "set_square", "kingdom": kingdom, "at": "0,1", "cell": "f"}, revision=1)
    assert (answer.status, len(phone.kingdoms), phone.kingdoms[0]["cells"]["0,1"]) == (200, 4, "f")
    other_phone.change("remove_kingdom", kingdom=kingdom)
    answer = phone.send({"op": "set_square", "kingdom": kingdom, "at": "0,1", "cell": "w"}, revision=5)
    assert (answer.status, "not at the table any more" in answer.json["error"]) == (404, True)
    answer = phone.send({"op": "remove_kingdom", "kingdom": other_phone.kingdoms[0]["id"]}, revision=1000)
    assert (answer.status, len(phone.look()["game"]["rounds"][0])) == (409, 3)


def test_changes_of_one_request_are_one_step_or_none(phone: Phone) -> None:
    kingdom = phone.add(ANN)
    square = {"op": "set_square", "kingdom": kingdom, "at": "0,0", "cell": "s2"}
    assert phone.send(square, {"op": "remove_kingdom", "kingdom": "none"}).status == 404
    assert phone.look()["revision"] == 1
    phone.send(square, {**square, "at": "0,1"})
    phone.change("undo")
    assert phone.kingdoms[0]["cells"]["0,0"] == phone.kingdoms[0]["cells"]["0,1"][0] + "1" == "w1"


def test_a_change_that_changes_nothing_is_no_step(phone: Phone) -> None:
    kingdom = phone.add(ANN, "Ann")
    assert phone.change("set_kingdom", kingdom=kingdom, player="Ann")["revision"] == 1


def test_tiles_grow_the_board_on_every_side_and_places_stay(phone: Phone) -> None:
    kingdom = phone.add("# w / f f", facts={"knights": ["0,1", "?"], "discarded": 1})
    phone.change("set_square", kingdom=kingdom, at="-1,0", cell="w")
    phone.change("set_square", kingdom=kingdom, at="0,-1", cell="W1")
    assert phone.score["kingdoms"][0]["board"] == [". w .", "w1 # w", ". f f"]
    assert phone.kingdoms[0]["facts"]["knights"] == ["0,1", "?"]
    phone.change("set_square", kingdom=kingdom, at="0,-1", cell=".")
    assert phone.score["kingdoms"][0]["board"] == ["w .", "# w", "f f"]


def test_pieces_move_with_the_board_and_count(phone: Phone) -> None:
    kingdom = phone.add("# t / w w", facts={"buildings": [{"at": "0,1", "name": "?"}], "coins": 7, "towers": 0})
    phone.change("set_rules", rules={"game": "queendomino"})
    phone.change("set_square", kingdom=kingdom, at="-1,1", cell="t")
    phone.change("set_kingdom", kingdom=kingdom, facts={"buildings": [{"at": "0,1", "points": 3}], "towers": None})
    score = phone.score["kingdoms"][0]
    assert (score["error"], score["least"]) == (None, 5)
    phone.change("set_square", kingdom=kingdom, at="0,1", cell="w")
    assert phone.kingdoms[0]["facts"]["buildings"] == []


def test_a_new_game_keeps_rules_and_players_and_the_old_game_is_in_the_history(client: Client, phone: Phone) -> None:
    phone.change("set_rules", rules={"game": "kingdomino", "variants": ["harmony"], "side": 7})
    phone.add(ANN, "Ann", colour="blue")
    phone.add(BO, "Bo", colour="pink")
    phone.change("new_game")
    assert phone.state["game"]["rules"]["variants"] == ["harmony"]
    phone.add(ANN, colour="pink")
    phone.add(ANN)
    assert [(kingdom["player"], kingdom["colour"]) for kingdom in phone.kingdoms] == [("Bo", "pink"), ("Ann", "blue")]
    new_game, old_game = [game for game in client.get("/api/games").json if game["table"] == phone.table]
    assert (new_game["number"], old_game["number"], old_game["text"]) == (2, 1, "Bo wins on points, 3 to 2")
    assert [player["player"] for player in old_game["players"]] == ["Ann", "Bo"]
    phone.change("open_game", number=1)
    assert (phone.totals, phone.change("undo")["game"]["number"]) == ([2, 3], 2)


def test_rules_that_are_not_given_stay(phone: Phone) -> None:
    """An earlier version of the page may have left such a change on a phone; it must not end a Dynasty."""
    rules = {"game": "queendomino", "variants": ["middle-kingdom"], "dynasty": True, "seats": 3}
    phone.change("set_rules", rules=rules)
    phone.change("add_kingdom", board=ANN, player="Ann", round=1)
    phone.change("set_rules", rules={"side": 7})
    phone.change("set_rules", rules={"seats": None})
    assert phone.state["game"]["rules"] == phone.state["game"]["rules"] | rules | {"side": 7, "seats": None}
    assert [len(kingdoms) for kingdoms in phone.state["game"]["rounds"]] == [0, 1, 0]
    names = [[field.encode_name for field in fields(kind)] for kind in (PartialRules, TableRules)]
    assert names[0] == names[1], "a rule that PartialRules lacks could not be set"


def test_the_history_names_no_winner_while_a_square_is_to_check(client: Client, phone: Phone) -> None:
    doubt = {"at": "0,0", "read": "w1", "instead": "w", "probability": 0.9, "changes": {"0,0": "w"}}
    phone.add(ANN, "Ann", doubts=[doubt])
    phone.add(BO, "Bo")
    (game,) = [past_game for past_game in client.get("/api/games").json if past_game["table"] == phone.table]
    assert game["text"] == "Bo leads on points, 3 to 2; 1 square to check"
    phone.change("set_rules", rules={"dynasty": True})
    (game,) = [past_game for past_game in client.get("/api/games").json if past_game["table"] == phone.table]
    assert game["text"] == "round 1: Bo leads on points, 3 to 2; 1 square to check"


def test_a_dynasty_has_three_rounds_with_the_same_players(phone: Phone) -> None:
    phone.change("set_rules", rules={"dynasty": True})
    for number in range(3):
        for board, player in ((ANN, "Ann"), (BO, "Bo")):
            phone.add(board, player if number == 0 else "", round=number)
    assert [[entry["player"] for entry in entries] for entries in phone.state["game"]["rounds"]] == [["Ann", "Bo"]] * 3
    assert "Bo wins" in phone.state["score"]["standing"]["reason"]
    phone.change("set_kingdom", kingdom=phone.kingdoms[0]["id"], player="Anna")
    assert {kingdoms[0]["player"] for kingdoms in phone.state["game"]["rounds"]} == {"Anna"}
    phone.change("set_rules", rules={"dynasty": False})
    assert len(phone.state["game"]["rounds"]) == 1


def test_a_player_of_a_dynasty_does_not_get_the_name_of_another(phone: Phone) -> None:
    """A kingdom of a round in which a player has none may get the player's name."""
    phone.change("set_rules", rules={"dynasty": True})
    ann = phone.add(ANN, "Ann")
    phone.add(BO, "Bo")
    for name in ("Bo", "bo"):
        answer = phone.send({"op": "set_kingdom", "kingdom": ann, "player": name})
        assert (answer.status, answer.json["error"]) == (422, f"{name} is another player of this Dynasty")
    phone.change("add_kingdom", board=BO, player="Player 2", round=1, id="second")
    phone.change("set_kingdom", kingdom="second", player="Bo")
    assert phone.state["game"]["rounds"][1][0]["player"] == "Bo"


@pytest.mark.parametrize("name", ["Bo", "bo"])
def test_mixed_up_players_of_a_later_round_of_a_dynasty_change_places(phone: Phone, name: str) -> None:
    phone.change("set_rules", rules={"dynasty": True})
    for number in range(2):
        for board, player in ((ANN, "Ann"), (BO, "Bo")):
            phone.add(board, player if number == 0 else "", round=number)
    colours = [kingdom["colour"] for kingdom in phone.kingdoms]
    first = phone.state["game"]["rounds"][1][0]
    phone.change("set_kingdom", kingdom=first["id"], player=name, checked=True)
    renamed_kingdom, other_kingdom = phone.state["game"]["rounds"][1]
    assert [(kingdom["player"], kingdom["colour"]) for kingdom in (renamed_kingdom, other_kingdom)] == [
        ("Bo", colours[1]),
        ("Ann", colours[0]),
    ]
    assert renamed_kingdom["checked"] and renamed_kingdom["cells"] == first["cells"]
    assert [kingdom["player"] for kingdom in phone.kingdoms] == ["Ann", "Bo"]


def test_a_game_of_a_link_is_loaded(phone: Phone) -> None:
    rounds = [[{"op": "add_kingdom", "board": ["w1 w", "# f"], "player": "Ann"}, {"op": "add_kingdom", "board": BO}]]
    phone.change("load_game", rules={"game": "kingdomino", "variants": ["harmony"]}, rounds=rounds)
    assert (phone.totals, phone.state["game"]["number"]) == ([2, 3], 2)


@pytest.mark.parametrize("change", [{"op": "new_game"}, {"op": "load_game", "rules": {}, "rounds": [[{"board": BO}]]}])
def test_a_game_whose_answer_was_lost_is_started_once(phone: Phone, change: dict[str, Any]) -> None:
    phone.add(ANN)
    phone.send({**change, "id": "first"})
    revision = phone.state["revision"]
    phone.send({**change, "id": "first"})
    assert (phone.state["revision"], phone.state["game"]["number"]) == (revision, 2)
    phone.send({**change, "id": "second"})
    assert phone.state["game"]["number"] == 3


def test_a_change_that_waited_counts_only_in_its_game(phone: Phone) -> None:
    """A phone without a network must not end the next game, or add its kingdom to it."""
    for change in ({"op": "add_kingdom", "board": BO, "id": "bo"}, {"op": "new_game", "id": "late"}):
        phone.change("new_game")
        number = phone.state["game"]["number"]
        answer = phone.send({**change, "game": number - 1})
        assert (answer.status, answer.json["error"]) == (409, "another game is played at the table now")
        for _ in range(2):
            assert phone.send({**change, "game": number}).status == 200  # the second time as if the answer was lost


@pytest.mark.parametrize(
    "change",
    [
        {"op": "fly"},
        {"op": "set_square", "kingdom": "K", "at": "A1", "cell": "w"},
        {"op": "set_square", "kingdom": "K", "at": "00,01", "cell": "w"},
        {"op": "set_square", "kingdom": "K", "at": "-0,0", "cell": "w"},
        {"op": "set_square", "kingdom": "K", "at": "0,0\n", "cell": "w"},
        {"op": "set_square", "kingdom": "K", "at": "1,1", "cell": "x9"},
        {"op": "set_square", "kingdom": "K", "at": "1,1"},
        {"op": "set_square", "kingdom": "K", "at": "99,99", "cell": "w"},
        {"op": "add_kingdom", "board": "w w1 / x"},
        {"op": "add_kingdom", "board": "w", "player": "x" * 61},
        {"op": "add_kingdom", "round": 2, "board": "w"},
        {"op": "add_kingdom", "board": "w", "facts": {"coins": "9" * 30_000}},
        {"op": "set_kingdom", "kingdom": "K", "facts": {"gems": [{}] * 30_000}},
        {"op": "set_rules", "rules": {"game": "chess"}},
        {"op": "set_rules", "rules": {"side": 6}},
        {"op": "set_rules", "rules": {"variants": ["chess"]}},
        {"op": "load_game", "rules": {}, "rounds": [[{"board": "w"}]], "version": 0},
        {"op": "open_game", "number": 77},
        {"op": "open_game", "number": 2**63},
        {"op": "answer_proposal", "proposal": "p", "answer": 0},
        {"op": "replace_kingdom", "kingdom": "K", "reading": "r"},
        {"op": "join_reading", "kingdom": "K", "reading": "r"},
        {"op": "undo", "step": "x"},
        {"op": "undo", "stpe": 1},
        None,
        7,
    ],
)
def test_a_change_that_is_not_valid_leaves_the_game(phone: Phone, change: Any) -> None:
    """Invalid changes, and games of unknown versions, get an error with a hint, and the game stays."""
    kingdom = phone.add(ANN)
    request = {**change, "kingdom": kingdom} if isinstance(change, dict) and "kingdom" in change else change
    answer = phone.send(request)
    assert (answer.status in (404, 422), bool(answer.json["error"]), bool(answer.json["hint"])) == (True, True, True)
    assert (phone.look()["revision"], phone.totals) == (1, [2])


def test_unknown_keys_are_refused_as_everywhere(client: Client, phone: Phone) -> None:
    """Ignored, they would join the latest table, or read a photo by other rules than the client names."""
    for answer in (
        client.post("/api/tables", {"tabel": phone.table}),
        client.post_photo(b"", f"/api/tables/{phone.table}/photos?box=queendomino"),
        phone.send({"op": "new_game"}, revison=0),
    ):
        assert (answer.status, "unknown field" in answer.json["error"]) == (422, True)


def test_deeply_nested_facts_are_refused_or_harmless(phone: Phone) -> None:
    for depth in (10, 300, 900, 5000):
        body = b'{"changes": [{"op": "add_kingdom", "board": "# w1", "facts": {"coins": %b}}]}' % (
            b"[" * depth + b"]" * depth
        )
        path = f"/api/tables/{phone.table}/changes"
        answer = phone.client.send("POST", path, body, Content_Type="application/json")
        assert answer.status in (200, 400, 422)
    assert set(Phone(phone.client, phone.table).totals) <= {1}


def test_names_with_markup_and_controls_are_text(phone: Phone) -> None:
    phone.add(ANN, "<b onclick=x>\u202eA\x07nn\n</b>")
    assert phone.kingdoms[0]["player"] == "<b onclick=x>\ufffdA\ufffdnn </b>"
    assert phone.totals == [2]


def test_a_table_takes_only_so_many_kingdoms(phone: Phone) -> None:
    for _ in range(MAX_KINGDOMS_PER_ROUND):
        phone.add(ANN)
    answer = phone.send({"op": "add_kingdom", "board": ANN})
    assert (answer.status, f"already {MAX_KINGDOMS_PER_ROUND} kingdoms" in answer.json["error"]) == (422, True)


def test_32_phones_at_8_tables_get_the_right_answers(client: Client) -> None:
    """Each phone sets squares of its own kingdom; at the end every table has the points of exactly these squares."""
    tables = [client.post("/api/tables", {"new": True}).json["table"] for _ in range(8)]
    phones = [Phone(client, table) for table in tables for _ in range(4)]
    streams = [LiveStream(client, phone.table) for phone in phones]

    def play(number: int) -> None:
        phone, crowns = phones[number], number % 3 + 1
        kingdom = phone.add("# w", f"P{number}")
        for col in range(2, 6):
            state = phone.change("set_square", kingdom=kingdom, at=f"0,{col}", cell=f"w{crowns}")
            (kingdom_score,) = [entry for entry in state["score"]["rounds"][0]["kingdoms"] if entry["id"] == kingdom]
            assert kingdom_score["total"] == col * (col - 1) * crowns

    with ThreadPoolExecutor(32) as pool:
        list(pool.map(play, range(32)))
    for number, (phone, stream) in enumerate(zip(phones, streams, strict=True)):
        state = stream.wait_for("state", lambda new_state: new_state["revision"] == 20)
        assert state == phone.look()
        totals = {kingdom["player"]: kingdom["total"] for kingdom in phone.score["kingdoms"]}
        first = number - number % 4
        assert totals == {f"P{n}": 20 * (n % 3 + 1) for n in range(first, first + 4)}
        stream.close()
