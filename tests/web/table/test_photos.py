"""Photos at a table: their kingdoms are added once, a retake is recognised, and two views are combined."""

import asyncio
import dataclasses
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image

from kdvision import pipeline
from kdvision.files import encode_image
from kdvision.game.board import Board, Square
from kdvision.game.legality import Problem
from kdvision.game.rules import make_rule_set
from kdvision.report.build import build_photo_result
from kdvision.report.result import ScoredKingdom
from kdvision.vision.classify.pieces import DetectedPiece
from kdvision.vision.image.photo import Photo
from kdvision.vision.multiview.fuse import fuse
from kdvision.vision.result import KingdomReading
from kdvision.web.limits import Refusal
from kdvision.web.table import readings as readings_module
from kdvision.web.table.changes import (
    AddKingdom,
    AnswerProposal,
    ChangeRequest,
    Context,
    NewGame,
    SetRules,
    SetSquare,
    Undo,
    apply_changes,
)
from kdvision.web.table.corrections import match_kingdoms
from kdvision.web.table.live import TableState
from kdvision.web.table.model import Player, TableGame, TableKingdom, TableRules, parse_place
from kdvision.web.table.observations import SurroundedObservation
from kdvision.web.table.readings import decide_kingdoms, make_reading
from kdvision.web.table.retakes import plan_additions
from kdvision.web.table.storage import Storage, StoredReading
from kdvision.web.table.tables import JoinRequest, Tables
from tests.paths import SAMPLES
from tests.phones import LiveStream, Phone, run_in_thread
from tests.webserver import Client

DEMO = (SAMPLES / "demo.jpg").read_bytes()
TWO_KINGDOMS = (SAMPLES / "two-kingdoms.jpg").read_bytes()
NO_KINGDOM = (SAMPLES / "no-kingdom.jpg").read_bytes()
TWO_TRUTH = SAMPLES / "two-kingdoms.json"
TRUTH = json.loads((SAMPLES / "demo.json").read_text("utf-8"))["kingdoms"][0]


def turn_photo(content: bytes) -> bytes:
    """Return the photo as from the other side of the table."""
    return encode_image(np.rot90(np.asarray(Image.open(io.BytesIO(content))), 2), ".jpg")


def cover_squares(content: bytes, row: int, col: int) -> bytes:
    """Return the demo photo with a grey card over two squares of the board, from a row and column on."""
    pixels = np.array(Image.open(io.BytesIO(content)))
    (left, top), _, (right, bottom), _ = TRUTH["corners_tl_tr_br_bl_px"]
    side_x, side_y = (right - left) / 5, (bottom - top) / 5
    y, x = int(top + row * side_y), int(left + col * side_x)
    pixels[y : y + int(side_y), x : x + int(2 * side_x)] = 128
    return encode_image(pixels, ".jpg")


def erase_gems(content: bytes, share: float = 1.0) -> bytes:
    """Return the photo without its gems, or with gems that are paler by a share."""
    (reading,), pixels = pipeline.read(content), np.array(Image.open(io.BytesIO(content)))
    for gem in reading.gems:
        x, y = reading.grid.quads[gem.square][2].astype(int).tolist()
        mask = cv2.circle(np.zeros(pixels.shape[:2], np.uint8), (x, y), 60, 255, -1)
        background = cv2.inpaint(pixels, mask, 5, cv2.INPAINT_TELEA)
        pixels = np.asarray(cv2.addWeighted(pixels, 1 - share, background, share, 0), np.uint8)
    return encode_image(pixels, ".jpg")


def answer_question(phone: Phone, text: str) -> dict[str, Any]:
    """Answer the first question at the table."""
    (proposal,) = phone.state["game"]["proposals"]
    number = [answer["text"] for answer in proposal["answers"]].index(text)
    return phone.change("answer_proposal", proposal=proposal["id"], answer=number)


def read_entries(content: bytes) -> Sequence[ScoredKingdom]:
    """Return the kingdoms of a photo, read without a server."""
    photo = Photo.open(content)
    result = build_photo_result("photo", (photo.width, photo.height), pipeline.read(photo), make_rule_set())
    return result.kingdoms


def test_pieces_and_towns_of_another_game_are_problems_of_a_kingdom_also_after_a_correction() -> None:
    photo = Photo.open((SAMPLES / "queendomino.jpg").read_bytes())
    readings = pipeline.read(photo, game="kingdomino", report_towns=True)
    (entry,) = build_photo_result("photo", (photo.width, photo.height), readings, make_rule_set()).kingdoms
    kingdom, reading = make_reading(entry, "p").kingdom, readings[0]
    observation = SurroundedObservation(reading.observation, reading.surroundings)
    (corrected_kingdom,) = decide_kingdoms([(replace(kingdom, fixes={}), observation)], TableRules())
    (queendomino,) = decide_kingdoms([(kingdom, observation)], TableRules("queendomino"))
    for result, is_odd in ((kingdom, True), (corrected_kingdom, True), (queendomino, False)):
        assert result.photo_info is not None and result.photo_info.review >= is_odd
        text = "; ".join(result.photo_info.problems)
        assert ("a knight stands on" in text, "something like a town lies on" in text) == (is_odd, is_odd)


def test_a_decision_moves_with_the_place_of_the_first_square() -> None:
    (entry,) = read_entries(DEMO)
    assert entry.reading is not None
    kingdom = make_reading(entry, "p").kingdom
    assert kingdom.photo_info is not None
    moved_kingdom = replace(kingdom, photo_info=replace(kingdom.photo_info, first=(-1, -2)))
    observation = SurroundedObservation(entry.reading.observation, entry.reading.surroundings)
    result, moved_result = (
        decide_kingdoms([(version, observation)], TableRules())[0] for version in (kingdom, moved_kingdom)
    )
    squares = {parse_place(place): cell for place, cell in result.cells.items()}
    assert {parse_place(place, (-1, -2)): cell for place, cell in moved_result.cells.items()} == squares


def list_boards(phone: Phone) -> list[list[str]]:
    return [kingdom["board"] for kingdom in phone.score["kingdoms"]]


def test_a_photo_adds_its_kingdoms_for_everybody(client: Client, phone: Phone) -> None:
    live = LiveStream(client, phone.table)
    result = phone.photograph(DEMO, "photo=abc")
    assert (result["width"], result["height"], result["proposal"]) == (1600, 1200, None)
    assert result["kingdoms"] == [phone.kingdoms[0]["id"]]
    assert (list_boards(phone), phone.totals) == ([TRUTH["board"]], [TRUTH["points"]])
    assert live.wait_for("state", lambda state: state["revision"] == 1) == phone.state
    photo_info = phone.kingdoms[0]["seen"]
    assert (photo_info["photo"], photo_info["first"], len(photo_info["squares"][0][0])) == ("abc", [0, 0], 8)
    live.close()


def test_progress_shows_the_squares_that_are_found(phone: Phone) -> None:
    lines = phone.client.post_photo(DEMO, f"/api/tables/{phone.table}/photos", Accept="application/x-ndjson").content
    *reports, last = map(json.loads, lines.splitlines())
    (squares,) = [report["squares"] for report in reports if "squares" in report]
    assert len(squares) >= 20 and all(0 <= x <= 1600 and 0 <= y <= 1200 for x, y in squares)
    assert last["body"]["state"]["score"]["rounds"][0]["kingdoms"][0]["total"] == TRUTH["points"]


def test_a_photo_without_a_kingdom_leaves_the_table(phone: Phone) -> None:
    phone.photograph(DEMO)
    answer = phone.client.post_photo(NO_KINGDOM, f"/api/tables/{phone.table}/photos")
    assert (answer.status, bool(answer.json["hint"]), phone.look()["revision"]) == (422, True, 1)


@pytest.mark.parametrize("variants", [[], ["harmony"]])
def test_the_first_photo_decides_the_game(phone: Phone, variants: list[str]) -> None:
    phone.change("set_rules", rules=phone.state["game"]["rules"] | {"variants": variants})
    phone.photograph((SAMPLES / "queendomino.jpg").read_bytes())
    rules = phone.state["game"]["rules"]
    assert rules["game"] == "queendomino" and set(variants) <= set(rules["variants"])
    assert {"coins", "queen"} <= set(phone.kingdoms[0]["facts"])
    assert (phone.score["kingdoms"][0]["total"], phone.score["kingdoms"][0]["error"]) == (None, None)


def test_a_variant_of_one_game_decides_the_game_before_the_first_photo(phone: Phone) -> None:
    phone.change("set_rules", rules=phone.state["game"]["rules"] | {"variants": ["lost-treasures"]})
    phone.photograph((SAMPLES / "queendomino.jpg").read_bytes())
    rules = phone.state["game"]["rules"]
    assert (rules["game"], rules["variants"]) == ("kingdomino", ["lost-treasures"])


def test_a_photo_leaves_the_rules_that_somebody_sets_while_it_is_read() -> None:
    """The photo arrives when the table is empty; its game counts only while nobody has chosen one."""

    async def play() -> TableGame:
        tables = Tables()
        table = tables.join(JoinRequest())
        rules = TableRules(variants=["harmony"], dynasty=True, seats=4)
        kingdom = AddKingdom(round=1, board="# w1", player="Ann")
        await tables.change(table, ChangeRequest([SetRules(rules), kingdom]))
        await tables.add_photo(table, 0, "", [], TableGame(), TableRules("queendomino", ["lost-treasures"]))
        tables.close()
        return table.game

    game = run_in_thread(play)
    assert game.rules == TableRules(variants=["harmony", "lost-treasures"], dynasty=True, seats=4)
    assert [len(kingdoms) for kingdoms in game.rounds] == [0, 1, 0]


def test_a_photo_is_not_added_to_a_game_that_it_was_not_taken_for(phone: Phone) -> None:
    """A phone without a network sends it when the next game is played; or somebody starts one while it is read."""
    phone.change("new_game")
    for photo in ("game=1", "game=3"):
        answer = phone.client.post_photo(DEMO, f"/api/tables/{phone.table}/photos?{photo}")
        assert (answer.status, answer.json["hint"]) == (409, "try again if you mean that one")
    answer = phone.client.post_photo(b"is not opened", f"/api/tables/{phone.table}/photos?round=1")
    assert (answer.status, answer.json["error"]) == (422, "this game has no round 2")
    phone.photograph(DEMO, "game=2")
    assert [kingdom["cells"] == {} for kingdom in phone.kingdoms] == [False]

    async def play() -> None:
        tables = Tables()
        table = tables.join(JoinRequest())
        await tables.change(table, ChangeRequest([NewGame()]))
        try:
            await tables.add_photo(table, 0, "", [], TableGame(), TableRules())
        finally:
            tables.close()

    with pytest.raises(Refusal, match="another game is played at the table now"):
        run_in_thread(play)


@pytest.mark.parametrize("photos", [["one"], ["one", "two"]])
def test_a_photo_is_decided_by_the_rules_that_somebody_sets_while_it_is_read(photos: list[str]) -> None:
    """The second photo asks whether it replaces the first one."""
    (entry,) = read_entries((SAMPLES / "seven.jpg").read_bytes())

    async def play() -> TableGame:
        tables = Tables()
        table = tables.join(JoinRequest())
        await tables.change(table, ChangeRequest([SetRules(TableRules(side=5))]))
        for photo in photos:
            await tables.add_photo(table, 0, "", [make_reading(entry, photo)], TableGame(), TableRules())
        for proposal in table.game.proposals:
            number = [answer.text.partition(" ")[0] for answer in proposal.answers].index("Replace")
            await tables.change(table, ChangeRequest([AnswerProposal(proposal.id, number)]))
        assert table.decider is not None
        await table.decider
        tables.close()
        return table.game

    (kingdom,) = run_in_thread(play).kingdoms
    assert kingdom.photo_info is not None and kingdom.photo_info.photo == photos[-1]
    assert kingdom.photo_info.problems == ["the kingdom spans 7 by 7 squares, and at most 5 by 5 are allowed"]


def test_gems_of_a_photo_are_facts(phone: Phone) -> None:
    phone.photograph((SAMPLES / "lost-treasures.jpg").read_bytes())
    assert phone.state["game"]["rules"]["variants"] == ["lost-treasures"]
    gem, *_ = phone.kingdoms[0]["facts"]["gems"]
    assert (gem["kind"], gem["between"].count(",")) == ("?", 2)
    assert phone.score["kingdoms"][0]["error"] is None


def test_a_variant_that_a_person_has_removed_stays_away_in_this_game(client: Client, phone: Phone) -> None:
    """The gems are then a problem of the kingdom. The next game is decided by its own photos."""
    content = (SAMPLES / "lost-treasures.jpg").read_bytes()
    phone.photograph(content, "photo=one")
    phone.change("set_rules", rules={"variants": []})
    phone.change("remove_kingdom", kingdom=phone.kingdoms[0]["id"])
    phone.photograph(content, "photo=two")
    live = LiveStream(client, phone.table)
    phone.state = live.wait_for("state", lambda state: not state["deciding"])
    live.close()
    assert (phone.state["game"]["rules"]["variants"], phone.score["kingdoms"][0]["review"]) == ([], True)
    phone.change("set_rules", rules={"variants": ["lost-treasures"]})
    phone.change("new_game")
    phone.change("set_rules", rules={"variants": []})
    phone.change("new_game")
    phone.photograph(content, "photo=three")
    assert phone.state["game"]["rules"]["variants"] == ["lost-treasures"]


@pytest.mark.parametrize(
    ("photo", "rules"),
    [("queendomino.jpg", {"game": "queendomino"}), ("two-kingdoms.jpg", {"variants": ["age-of-giants", "the-court"]})],
)
def test_facts_that_no_photo_shows_are_open_whether_rules_or_photo_come_first(
    client: Client, photo: str, rules: dict[str, Any]
) -> None:
    content, states = (SAMPLES / photo).read_bytes(), []
    for is_photo_first in (False, True):
        phone = Phone(client, client.post("/api/tables", {"new": True}).json["table"])
        typed_kingdom = phone.add("# w1", "Ann")  # so the photo does not decide the game
        if not is_photo_first:
            phone.change("set_rules", rules=rules)
        phone.photograph(content)
        phone.change("remove_kingdom", kingdom=typed_kingdom)
        if is_photo_first:
            assert all(phone.totals)
            phone.change("set_rules", rules=rules)
        fact_keys = [{*kingdom["facts"]} for kingdom in phone.kingdoms]
        states.append((fact_keys, phone.totals, phone.score["verdict"]["certain"]))
    assert states[0] == states[1]
    assert not any(states[0][1])


def test_the_same_table_again_asks_whether_to_replace_it(phone: Phone) -> None:
    phone.photograph(TWO_KINGDOMS, "photo=one")
    names = [kingdom["player"] for kingdom in phone.kingdoms]
    phone.change("set_kingdom", kingdom=phone.kingdoms[0]["id"], player="Ann")
    before = phone.totals
    result = phone.photograph(turn_photo(TWO_KINGDOMS), "photo=two")
    assert (result["kingdoms"], result["proposal"]["question"]) == ([], "The same table again. Replace it?")
    assert [answer["text"] for answer in result["proposal"]["answers"]][:2] == ["Replace it", "Combine both photos"]
    assert (phone.totals, len(phone.kingdoms)) == (before, 2)
    answer_question(phone, "Replace it")
    assert [kingdom["player"] for kingdom in phone.kingdoms] == ["Ann", names[1]]
    assert ({kingdom["seen"]["photo"] for kingdom in phone.kingdoms}, phone.totals) == ({"two"}, before)
    assert phone.state["game"]["proposals"] == []
    phone.change("undo")
    assert {kingdom["seen"]["photo"] for kingdom in phone.kingdoms} == {"one"}


@pytest.mark.parametrize(("text", "count"), [("Keep both", 4), ("Ignore this photo", 2)])
def test_a_retake_may_be_kept_or_ignored(phone: Phone, text: str, count: int) -> None:
    phone.photograph(TWO_KINGDOMS)
    phone.photograph(TWO_KINGDOMS, "photo=again")
    answer_question(phone, text)
    assert len(phone.kingdoms) == count


def test_anybody_may_answer_once(client: Client, phone: Phone) -> None:
    phone.photograph(DEMO)
    phone.photograph(DEMO, "photo=again")
    other_phone = Phone(client, phone.table)
    (proposal,) = other_phone.state["game"]["proposals"]
    answer_question(other_phone, "Ignore this photo")
    late_answer = phone.send({"op": "answer_proposal", "proposal": proposal["id"], "answer": 0})
    assert (late_answer.status, late_answer.json["error"]) == (404, "this question has been answered")


def test_a_second_view_shows_what_was_covered(phone: Phone) -> None:
    """Each photo has a card on other squares; together they show the whole board."""
    phone.photograph(cover_squares(DEMO, 0, 0))
    phone.change("set_kingdom", kingdom=phone.kingdoms[0]["id"], player="Anna")
    result = phone.photograph(turn_photo(cover_squares(DEMO, 3, 3)), "photo=two")
    assert result["proposal"]["question"] == "This is Anna's kingdom again. Add it to Anna's?"
    assert [answer["text"] for answer in result["proposal"]["answers"]] == [
        "Add it to Anna's", "Replace Anna's", "Keep both", "Ignore this photo",
    ]  # fmt: skip
    answer_question(phone, "Add it to Anna's")
    assert (list_boards(phone), phone.totals) == ([TRUTH["board"]], [TRUTH["points"]])
    assert [kingdom["player"] for kingdom in phone.kingdoms] == ["Anna"]


def test_a_corrected_square_stays_where_it_is_when_a_second_view_adds_columns(phone: Phone) -> None:
    """The first photo lacks the two columns on the left."""
    pixels = np.array(Image.open(io.BytesIO(DEMO)))
    (left, _), *_ = TRUTH["corners_tl_tr_br_bl_px"]
    phone.photograph(encode_image(np.ascontiguousarray(pixels[:, int(left) + 285 :]), ".jpg"))
    kingdom = phone.kingdoms[0]
    *_, (place, cell) = kingdom["cells"].items()
    phone.change("set_square", kingdom=kingdom["id"], at=place, cell=cell)
    phone.photograph(turn_photo(DEMO), "photo=two")
    answer_question(phone, f"Add it to {kingdom['player']}'s")
    assert phone.kingdoms[0]["fixes"] == {place: cell}
    assert phone.kingdoms[0]["seen"]["first"] == [0, -1]
    assert list_boards(phone) == [TRUTH["board"]]


def test_a_kingdom_is_matched_with_one_reading_at_most() -> None:
    kingdom = make_reading(read_entries(DEMO)[0], "p").kingdom
    assert match_kingdoms([kingdom], [kingdom, kingdom]) == {0: 0}
    assert match_kingdoms([kingdom, kingdom], [kingdom]) == {0: 0}
    similar_kingdom = replace(kingdom, cells=kingdom.cells | {next(iter(kingdom.cells)): "m3"})
    assert match_kingdoms([similar_kingdom, kingdom], [kingdom]) == {0: 1}


def test_the_same_picture_is_no_second_view(phone: Phone) -> None:
    """It would make a doubtful board more probable."""
    for photo in ("one", "two"):
        phone.photograph(cover_squares(DEMO, 0, 0), f"photo={photo}")
    before = phone.kingdoms
    answer_question(phone, f"Add it to {before[0]['player']}'s")
    assert (phone.kingdoms, phone.state["game"]["proposals"]) == (before, [])


@pytest.mark.parametrize("number", [0, 1])
def test_a_picture_that_two_views_contain_is_no_third_view(phone: Phone, number: int) -> None:
    """A phone whose page was closed sends its photo again, also after somebody has added it."""
    views = [cover_squares(DEMO, 0, 0), turn_photo(cover_squares(DEMO, 0, 0))]
    phone.photograph(views[0], "photo=one")
    readings = []
    for photo, content in (("two", views[1]), ("three", views[number])):
        phone.photograph(content, f"photo={photo}")
        answer_question(phone, f"Add it to {phone.kingdoms[0]['player']}'s")
        readings.append(phone.kingdoms[0]["seen"]["reading"])
    assert readings[0] == readings[1] and not phone.state["game"]["proposals"]


def test_a_second_view_whose_file_is_damaged_is_to_check(phone: Phone) -> None:
    second_view = turn_photo(DEMO)
    phone.photograph(DEMO)
    phone.photograph(second_view[:-20_000] + second_view[-19_000:], "photo=two")
    assert not phone.score["kingdoms"][0]["review"]
    answer_question(phone, f"Add it to {phone.kingdoms[0]['player']}'s")
    assert any("the file is damaged" in text for text in phone.kingdoms[0]["seen"]["problems"])


def test_kingdoms_of_one_photo_that_are_combined_are_decided_together(phone: Phone) -> None:
    phone.photograph(TWO_KINGDOMS, "photo=one")
    phone.photograph(turn_photo(TWO_KINGDOMS), "photo=two")
    assert answer_question(phone, "Combine both photos")["deciding"]


def test_the_others_are_decided_again_when_a_kingdom_goes_or_is_drawn(phone: Phone) -> None:
    (corners, *_) = [entry["corners_tl_tr_br_bl_px"] for entry in json.loads(TWO_TRUTH.read_text("utf-8"))["kingdoms"]]
    phone.photograph(TWO_KINGDOMS, "photo=one")
    assert phone.change("remove_kingdom", kingdom=phone.kingdoms[0]["id"])["deciding"]
    points = "%20".join(f"{x:.0f},{y:.0f}" for x, y in corners)
    state = phone.photograph(TWO_KINGDOMS, f"photo=one&corners={points}")["state"]
    assert (len(phone.kingdoms), state["deciding"]) == (2, True)


def test_gems_that_only_the_second_view_shows_are_asked_for(phone: Phone) -> None:
    content = (SAMPLES / "lost-treasures.jpg").read_bytes()
    phone.photograph(erase_gems(content))
    assert phone.score["kingdoms"][0]["complete"]
    phone.photograph(turn_photo(erase_gems(content, share=0.15)), "photo=two")
    answer_question(phone, f"Add it to {phone.kingdoms[0]['player']}'s")
    assert phone.totals == [None]
    questions = phone.kingdoms[0]["seen"]["pieces"]
    for question in questions:
        phone.change("answer_piece", kingdom=phone.kingdoms[0]["id"], kind="gem", at=question["at"], present=False)
    assert questions and phone.score["kingdoms"][0]["complete"]


def test_a_second_view_leaves_what_a_person_has_said_of_the_queen(
    phone: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = (SAMPLES / "queendomino.jpg").read_bytes()
    phone.photograph(content, "photo=one")
    kingdom, decide = phone.kingdoms[0], readings_module._decide

    def decide_with_queen(*args: Any) -> list[KingdomReading]:
        queen = DetectedPiece("queen", Square(0, 0), 0.9, 0.9)
        return [dataclasses.replace(reading, pieces=(*reading.pieces, queen)) for reading in decide(*args)]

    monkeypatch.setattr(readings_module, "_decide", decide_with_queen)
    phone.change("set_kingdom", kingdom=kingdom["id"], facts={"queen": False})
    phone.photograph(turn_photo(content), "photo=two")
    answer_question(phone, f"Add it to {kingdom['player']}'s")
    assert phone.kingdoms[0]["facts"]["queen"] is False
    phone.change("undo")
    phone.change("set_kingdom", kingdom=kingdom["id"], facts={"queen": "?"})
    answer_question(phone, f"Add it to {kingdom['player']}'s")
    assert phone.kingdoms[0]["facts"]["queen"] is True


@pytest.mark.parametrize("is_closed", [False, True])
def test_a_piece_beyond_those_that_a_person_has_called_all_is_asked_for(
    phone: Phone, monkeypatch: pytest.MonkeyPatch, is_closed: bool
) -> None:
    """A second photo shows a knight more, perhaps after somebody has said that there are no more."""
    content = (SAMPLES / "queendomino.jpg").read_bytes()
    decide, find_pieces = readings_module._decide, pipeline.read
    pieces = [DetectedPiece("knight", Square(4, 4), 0.5, 0.6), DetectedPiece("knight", Square(0, 3), 0.9, 0.9)]

    def read_with_question(*args: Any, **options: Any) -> list[KingdomReading]:
        return [
            dataclasses.replace(reading, uncertain_pieces=(pieces[0],)) for reading in find_pieces(*args, **options)
        ]

    def decide_with_knight(*args: Any) -> list[KingdomReading]:
        return [dataclasses.replace(reading, pieces=(*reading.pieces, pieces[1])) for reading in decide(*args)]

    monkeypatch.setattr(pipeline, "read", read_with_question)
    monkeypatch.setattr(readings_module, "_decide", decide_with_knight)
    phone.photograph(content, "photo=one")
    kingdom = phone.kingdoms[0]
    assert "?" in kingdom["facts"]["knights"]
    if is_closed:
        phone.change("set_pieces", kingdom=kingdom["id"], key="knights", at="?", pieces=[])
    phone.photograph(turn_photo(content), "photo=two")
    answer_question(phone, f"Add it to {kingdom['player']}'s")
    facts, questions = phone.kingdoms[0]["facts"], phone.kingdoms[0]["seen"]["pieces"]
    assert (len(facts["knights"]), "?" in facts["knights"], len(questions)) == (
        4 + (not is_closed),
        True,
        1,
    )


def test_a_second_view_leaves_the_side_of_the_game(phone: Phone) -> None:
    """A kingdom that is too large for it is to be checked, from one photo or two."""
    content = (SAMPLES / "seven.jpg").read_bytes()
    phone.change("set_rules", rules={"side": 5})
    phone.photograph(content)
    phone.photograph(turn_photo(content), "photo=two")
    answer_question(phone, f"Add it to {phone.kingdoms[0]['player']}'s")
    assert [kingdom["review"] for kingdom in phone.score["kingdoms"]] == [True]


def test_a_new_kingdom_beside_a_known_one_is_not_given_the_player_of_another(phone: Phone) -> None:
    """Of the new kingdoms, the photo shows only that the second one is blue."""
    known_kingdom, *other_kingdoms = (
        make_reading(entry, "p").kingdom for entry in [*read_entries(DEMO), *read_entries(TWO_KINGDOMS)]
    )
    new_kingdoms = [
        replace(kingdom, colour=colour) for kingdom, colour in zip(other_kingdoms, ("", "blue"), strict=True)
    ]
    game = TableGame(rounds=[[replace(known_kingdom, id="k", player="Ann")]], last_players=[Player("Bo", "blue")])
    _, proposal = plan_additions(game, 0, [known_kingdom, *new_kingdoms])
    assert proposal is not None
    tables, readings = Tables(), [StoredReading(kingdom, b"") for kingdom in (known_kingdom, *new_kingdoms)]
    for reading in readings:
        tables.storage.add_reading("T", reading)
    number = [answer.text for answer in proposal.answers].index("Replace Ann's")
    game = apply_changes(
        replace(game, proposals=[proposal]), [AnswerProposal(proposal.id, number)], Context(tables.storage, "T")
    )
    assert [kingdom.player for kingdom in game.kingdoms] == ["Ann", "Player 1", "Bo"]


@pytest.mark.parametrize("answer", ["Replace Ann's", "Keep both"])
def test_a_kingdom_beside_a_known_one_is_added_by_one_of_two_photos(phone: Phone, answer: str) -> None:
    """Both photos ask what to do with the known kingdom before the other one is at the table."""
    board = json.loads(TWO_TRUTH.read_text("utf-8"))["kingdoms"][0]["board"]
    phone.add(" / ".join(board), "Ann")
    for photo, content in (("one", TWO_KINGDOMS), ("two", turn_photo(TWO_KINGDOMS))):
        phone.photograph(content, f"photo={photo}")
    first, second = phone.state["game"]["proposals"]
    texts = [entry["text"] for entry in first["answers"]]
    phone.change("answer_proposal", proposal=first["id"], answer=texts.index("Replace Ann's"))
    phone.change("answer_proposal", proposal=second["id"], answer=texts.index(answer))
    assert len(phone.kingdoms) == (2 if answer == "Replace Ann's" else 3)


@pytest.mark.parametrize(("answer", "counts"), [("Ignore this photo", [2, 0, 0]), ("Add them to round 2", [2, 2, 0])])
def test_a_photo_of_an_earlier_round_of_a_dynasty_asks_whether_to_add_it(
    phone: Phone, answer: str, counts: list[int]
) -> None:
    phone.change("set_rules", rules={"dynasty": True})
    phone.photograph(TWO_KINGDOMS, "photo=one")
    result = phone.photograph(turn_photo(TWO_KINGDOMS), "photo=two&round=1")
    assert result["proposal"]["question"] == "This photo shows kingdoms of round 1. Add them to round 2?"
    assert [len(kingdoms) for kingdoms in phone.state["game"]["rounds"]] == [2, 0, 0]
    answer_question(phone, answer)
    assert [len(kingdoms) for kingdoms in phone.state["game"]["rounds"]] == counts


@pytest.mark.parametrize(("answer", "count"), [("Add only the others", 1), ("Add it to round 2", 2)])
def test_a_kingdom_of_an_earlier_round_beside_a_new_one_asks_whether_to_add_it(answer: str, count: int) -> None:
    old_kingdom, new_kingdom = (make_reading(entry, "p").kingdom for entry in read_entries(TWO_KINGDOMS))
    game = TableGame(rounds=[[replace(old_kingdom, id="k", player="Ann")], [], []])
    changes, proposal = plan_additions(game, 1, [old_kingdom, new_kingdom])
    assert proposal is not None and not changes
    assert proposal.question == "This is Ann's kingdom of round 1. Add it to round 2?"
    assert [entry.text for entry in proposal.answers] == [
        "Add only the others", "Ignore this photo", "Add it to round 2",
    ]  # fmt: skip
    (chosen_answer,) = [entry for entry in proposal.answers if entry.text == answer]
    assert [change["round"] for change in chosen_answer.changes] == [1] * count


def test_a_question_follows_its_round_when_a_dynasty_ends(phone: Phone) -> None:
    """The round that is left is the first one with a kingdom; questions about the others go."""
    phone.change("set_rules", rules={"dynasty": True})
    for photo, number in (("one", 1), ("two", 1), ("three", 2)):
        phone.photograph(DEMO, f"photo={photo}&round={number}")
    assert [proposal["id"] for proposal in phone.state["game"]["proposals"]] == ["two", "three"]
    phone.change("set_rules", rules={"dynasty": False})
    answer_question(phone, "Keep both")
    assert [kingdom["seen"]["photo"] for kingdom in phone.kingdoms] == ["one", "two"]
    assert phone.state["game"]["proposals"] == []


@pytest.mark.parametrize("answer", ["Replace it", "Combine both photos"])
def test_a_question_leaves_out_a_kingdom_that_was_removed(phone: Phone, answer: str) -> None:
    phone.photograph(TWO_KINGDOMS, "photo=one")
    phone.photograph(turn_photo(TWO_KINGDOMS), "photo=two")
    first_kingdom, second_kingdom = phone.kingdoms
    phone.change("remove_kingdom", kingdom=second_kingdom["id"])
    answer_question(phone, answer)
    assert [kingdom["id"] for kingdom in phone.kingdoms] == [first_kingdom["id"]]
    assert phone.kingdoms[0]["seen"]["reading"] != first_kingdom["seen"]["reading"]


@pytest.mark.parametrize(
    ("photo", "answer"), [(DEMO, "Replace {}'s"), (DEMO, "Add it to {}'s"), (TWO_KINGDOMS, "Replace it")]
)
def test_a_photo_is_new_if_all_kingdoms_of_its_question_were_removed(phone: Phone, photo: bytes, answer: str) -> None:
    phone.photograph(photo, "photo=one")
    old_kingdoms = phone.kingdoms
    phone.photograph(turn_photo(photo), "photo=two")
    for kingdom in old_kingdoms:
        phone.change("remove_kingdom", kingdom=kingdom["id"])
    answer_question(phone, answer.format(old_kingdoms[0]["player"]))
    assert [kingdom["seen"]["photo"] for kingdom in phone.kingdoms] == ["two"] * len(old_kingdoms)


def test_a_typed_kingdom_is_replaced_by_its_photo(phone: Phone) -> None:
    phone.add(" / ".join(TRUTH["board"]), "Ann")
    result = phone.photograph(DEMO)
    assert result["proposal"]["question"] == "This is Ann's kingdom again. Replace Ann's?"
    answer_question(phone, "Replace Ann's")
    assert (phone.kingdoms[0]["player"], bool(phone.kingdoms[0]["seen"])) == ("Ann", True)


def test_a_photo_that_is_sent_again_adds_nothing(phone: Phone) -> None:
    """The phone lost the answer, and sends the photo once more."""
    phone.photograph(DEMO, "photo=same")
    result = phone.photograph(DEMO, "photo=same")
    assert (result["kingdoms"], result["proposal"], len(phone.kingdoms)) == ([], None, 1)


def test_a_photo_that_is_sent_again_while_its_question_is_open_asks_once(phone: Phone) -> None:
    phone.photograph(DEMO, "photo=one")
    for _ in range(2):
        phone.photograph(DEMO, "photo=two")
    assert len(phone.state["game"]["proposals"]) == 1


def test_two_photos_that_arrive_together_are_compared() -> None:
    """Two phones photograph one table: the later photo asks."""
    entries = read_entries(DEMO)

    async def play() -> TableGame:
        tables = Tables()
        table = tables.join(JoinRequest())
        readings = [[make_reading(entry, photo) for entry in entries] for photo in ("one", "two")]
        await asyncio.gather(*(tables.add_photo(table, 0, "", group, TableGame(), TableRules()) for group in readings))
        tables.close()
        return table.game

    game = run_in_thread(play)
    assert (len(game.kingdoms), len(game.proposals)) == (1, 1)


def test_another_kingdom_is_added_without_a_question(phone: Phone) -> None:
    phone.photograph(DEMO)
    assert phone.photograph(TWO_KINGDOMS, "photo=two")["proposal"] is None
    assert len(phone.kingdoms) == 3


def test_a_corrected_square_stays_and_the_others_follow(client: Client, phone: Phone) -> None:
    phone.photograph(DEMO)
    kingdom = phone.kingdoms[0]
    live, place = LiveStream(client, phone.table), next(iter(kingdom["cells"]))
    state = phone.change("set_square", kingdom=kingdom["id"], at=place, cell="m3")
    assert (state["deciding"], phone.kingdoms[0]["cells"][place]) == (True, "m3")
    later_state = live.wait_for("state", lambda new_state: new_state["revision"] > state["revision"])
    assert (later_state["deciding"], later_state["undo"]) == (False, state["undo"])
    assert later_state["game"]["rounds"][0][0]["cells"][place] == "m3"
    assert later_state["game"]["rounds"][0][0]["seen"]["review"]
    assert not later_state["score"]["rounds"][0]["verdict"]["certain"]
    phone.change("set_kingdom", kingdom=kingdom["id"], checked=True)
    assert not phone.score["kingdoms"][0]["doubts"]
    live.close()


def test_a_problem_names_squares_as_the_board_does_after_a_tile_outside_the_grid(client: Client, phone: Phone) -> None:
    phone.photograph(DEMO)
    kingdom = phone.kingdoms[0]["id"]
    live = LiveStream(client, phone.table)
    for at, cell in (("4,4", "m3"), ("4,-1", "?")):
        state = phone.change("set_square", kingdom=kingdom, at=at, cell=cell)
        state = live.wait_for("state", lambda data: not data["deciding"] and data["revision"] > phone.state["revision"])
    assert state["score"]["rounds"][0]["kingdoms"][0]["board"][3].split() == ["?", ".", "w", "w", "g", "m3", "w"]
    (problem,) = state["game"]["rounds"][0][0]["seen"]["problems"]
    assert problem == "the squares cannot be paired into dominoes of the box: D5 and G5 would be left over"
    live.close()


def test_a_contradiction_of_two_photos_stays_after_a_correction(
    client: Client, phone: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "the photos show different tiles on 1 square"
    monkeypatch.setattr("kdvision.web.table.readings.fuse", lambda *views: (fuse(*views)[0], [Problem((), text)]))
    phone.photograph(DEMO)
    phone.photograph(turn_photo(DEMO), "photo=two")
    answer_question(phone, f"Add it to {phone.kingdoms[0]['player']}'s")
    assert phone.kingdoms[0]["seen"]["problems"] == [text]
    (place, cell), *_ = phone.kingdoms[0]["cells"].items()
    live = LiveStream(client, phone.table)
    state = phone.change("set_square", kingdom=phone.kingdoms[0]["id"], at=place, cell=cell)
    later_state = live.wait_for("state", lambda new_state: new_state["revision"] > state["revision"])
    photo_info = later_state["game"]["rounds"][0][0]["seen"]
    assert (photo_info["problems"], photo_info["review"]) == ([text], True)
    live.close()


def test_a_confirmed_kingdom_that_a_decision_changes_is_to_check_again(client: Client, phone: Phone) -> None:
    """With a castle on another square, the old one is a castle no longer."""
    phone.photograph(DEMO)
    kingdom, cells = phone.kingdoms[0]["id"], phone.kingdoms[0]["cells"]
    phone.change("set_kingdom", kingdom=kingdom, checked=True)
    live = LiveStream(client, phone.table)
    state = phone.change("set_square", kingdom=kingdom, at="5,1", cell="#")
    later_state = live.wait_for("state", lambda new_state: new_state["revision"] > state["revision"])
    live.close()
    later_cells = later_state["game"]["rounds"][0][0]["cells"]
    assert {at for at, cell in cells.items() if later_cells.get(at) != cell} > {"5,1"}
    assert later_state["score"]["rounds"][0]["kingdoms"][0]["review"]


def test_a_table_does_not_wait_for_a_decision_that_fails(
    client: Client, phone: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("kdvision.web.table.tables.decide_kingdoms", fail)
    phone.photograph(DEMO)
    kingdom, live = phone.kingdoms[0], LiveStream(client, phone.table)
    place = next(iter(kingdom["cells"]))
    assert phone.change("set_square", kingdom=kingdom["id"], at=place, cell="m3")["deciding"]
    later_state = live.wait_for(
        "state", lambda new_state: not new_state["deciding"] and new_state["revision"] > phone.state["revision"]
    )
    live.close()
    assert later_state["game"]["rounds"][0][0]["cells"] == kingdom["cells"] | {place: "m3"}


def test_steps_that_were_not_decided_are_decided_after_a_restart_and_an_undo(tmp_path: Path) -> None:
    entries = read_entries(DEMO)

    async def play() -> tuple[TableKingdom, TableState, TableState]:
        tables = Tables(Storage(tmp_path))
        table = tables.join(JoinRequest())
        readings = [make_reading(entry, "p") for entry in entries]
        await tables.add_photo(table, 0, "", readings, TableGame(), TableRules())
        (kingdom,) = table.game.kingdoms
        for place in [at for at, cell in kingdom.cells.items() if cell != "#"][:2]:
            await tables.change(table, ChangeRequest([SetSquare(kingdom.id, place, "m3")]))
            assert table.decider is not None
            table.decider.cancel()
        tables.close()
        tables = Tables(Storage(tmp_path))
        table = tables.join(JoinRequest())
        assert table.decider is not None
        await table.decider
        after_restart = table.state
        await tables.change(table, ChangeRequest([Undo()]))
        await table.decider
        tables.close()
        return kingdom, after_restart, table.state

    kingdom, after_restart, after_undo = run_in_thread(play)
    assert kingdom.photo_info not in [state.game.kingdoms[0].photo_info for state in (after_restart, after_undo)]
    assert (after_restart.deciding, after_undo.deciding, after_undo.redo) == (False, False, after_restart.undo)


def test_one_kingdom_is_read_again_within_its_outline(phone: Phone) -> None:
    phone.add("# w", "Ann", facts={"coins": 3})
    points = " ".join(f"{x:.0f},{y:.0f}" for x, y in TRUTH["corners_tl_tr_br_bl_px"]).replace(" ", "%20")
    kingdom = phone.kingdoms[0]["id"]
    result = phone.photograph(DEMO, f"kingdom={kingdom}&corners={points}")
    assert (result["kingdoms"], list_boards(phone), phone.kingdoms[0]["player"]) == ([], [TRUTH["board"]], "Ann")
    assert phone.client.post_photo(DEMO, f"/api/tables/{phone.table}/photos?kingdom={kingdom}").status == 422
    answer = phone.client.post_photo(DEMO, f"/api/tables/{phone.table}/photos?kingdom=gone&corners={points}")
    assert answer.status == 404


def query_outline(kingdom: dict[str, Any], cols: slice = slice(1, -1)) -> str:
    """Return a query that reads a kingdom of 5 by 5 again in its photo, within the outline of some or all columns."""
    squares = [row[cols] for row in kingdom["seen"]["squares"][1:-1]]
    quads = squares[0][0], squares[0][-1], squares[-1][-1], squares[-1][0]
    points = "%20".join(f"{quad[2 * corner]},{quad[2 * corner + 1]}" for corner, quad in enumerate(quads))
    size = f"{len(squares)}x{len(squares[0])}"
    return f"photo={kingdom['seen']['photo']}&kingdom={kingdom['id']}&corners={size}:{points}"


def test_corrections_stay_when_a_kingdom_is_read_again_in_its_photo(client: Client, phone: Phone) -> None:
    phone.change("set_rules", rules={"variants": ["age-of-giants", "the-court"]})
    phone.photograph(DEMO)
    kingdom = phone.kingdoms[0]
    phone.change("set_square", kingdom=kingdom["id"], at="4,3", cell="s1")
    facts = {"giants": ["4,4"], "court": ["1,4 Farmer"], "resources": []}
    phone.change("set_kingdom", kingdom=kingdom["id"], facts=facts)
    before, live = phone.score["kingdoms"][0], LiveStream(client, phone.table)
    revision = phone.photograph(DEMO, query_outline(kingdom))["state"]["revision"]
    states = [phone.state, live.wait_for("state", lambda state: not state["deciding"] and state["revision"] > revision)]
    live.close()
    for phone.state in states:
        after = phone.score["kingdoms"][0]
        assert (after["board"], after["total"], after["lines"]) == (before["board"], before["total"], before["lines"])
        assert [[*map(len, phone.kingdoms[0]["facts"][key])] for key in facts] == [[3], [10], []]
        assert [*phone.kingdoms[0]["fixes"].values()] == ["s1"]


def test_named_buildings_stay_when_a_kingdom_is_read_again(phone: Phone) -> None:
    phone.photograph((SAMPLES / "queendomino.jpg").read_bytes())
    kingdom = phone.kingdoms[0]
    for at, pieces in {"2,1": [{"at": "2,1", "name": "The Statue"}], "2,2": [], "?": []}.items():
        phone.change("set_pieces", kingdom=kingdom["id"], key="buildings", at=at, pieces=pieces)
    phone.change("set_kingdom", kingdom=kingdom["id"], facts={"queen": False, "coins": 7})
    phone.photograph((SAMPLES / "queendomino.jpg").read_bytes(), query_outline(kingdom))
    facts = phone.kingdoms[0]["facts"]
    assert sorted(building["name"] for building in facts["buildings"]) == ["?", "The Statue"]
    assert (facts["queen"], facts["coins"], len(facts["knights"])) == (False, 7, len(kingdom["facts"]["knights"]))


@pytest.mark.parametrize("quarter_turns", [0, 2])
def test_corrections_stay_when_another_photo_replaces_a_kingdom(phone: Phone, quarter_turns: int) -> None:
    phone.photograph(DEMO, "photo=one")
    kingdom = phone.kingdoms[0]
    phone.change("set_square", kingdom=kingdom["id"], at="4,3", cell="s1")
    board, totals = Board.parse(list_boards(phone)[0]), phone.totals
    phone.photograph(turn_photo(DEMO) if quarter_turns else DEMO, "photo=two")
    answer_question(phone, f"Replace {kingdom['player']}'s")
    assert Board.parse(list_boards(phone)[0]) == board.rotate(quarter_turns)
    assert (phone.totals, [*phone.kingdoms[0]["fixes"].values()]) == (totals, ["s1"])


def test_a_piece_that_a_person_has_removed_after_a_second_view_stays_away_when_a_photo_replaces_both(
    phone: Phone,
) -> None:
    content = (SAMPLES / "queendomino.jpg").read_bytes()
    phone.photograph(content, "photo=one")
    phone.photograph(turn_photo(content), "photo=two")
    player = phone.kingdoms[0]["player"]
    answer_question(phone, f"Add it to {player}'s")
    kingdom = phone.kingdoms[0]
    first_knight, *other_knights = kingdom["facts"]["knights"]
    phone.change("set_pieces", kingdom=kingdom["id"], key="knights", at=first_knight, pieces=[])
    phone.photograph(content, "photo=three")
    answer_question(phone, f"Replace {player}'s")
    assert sorted(phone.kingdoms[0]["facts"]["knights"]) == sorted(other_knights)


def test_pieces_of_two_views_that_no_person_has_set_go_when_a_photo_replaces_both(phone: Phone) -> None:
    content = erase_gems((SAMPLES / "lost-treasures.jpg").read_bytes(), share=0.2)
    phone.photograph(content, "photo=one")
    phone.photograph(turn_photo(content), "photo=two")
    player, gems = phone.kingdoms[0]["player"], phone.kingdoms[0]["facts"]["gems"]
    answer_question(phone, f"Add it to {player}'s")
    phone.photograph(erase_gems(content), "photo=three")
    answer_question(phone, f"Replace {player}'s")
    assert (phone.kingdoms[0]["facts"]["gems"], len(gems)) == ([], 3)


def test_corrections_that_no_square_is_found_for_are_to_check(client: Client, phone: Phone) -> None:
    """The new outline leaves out the two columns on the left."""
    phone.photograph(DEMO)
    kingdom, live = phone.kingdoms[0], LiveStream(client, phone.table)
    for at, cell in {"1,1": "s1", "2,1": "."}.items():
        phone.change("set_square", kingdom=kingdom["id"], at=at, cell=cell)
    revision = phone.photograph(DEMO, query_outline(kingdom, slice(3, -1)))["state"]["revision"]
    states = [phone.state, live.wait_for("state", lambda state: not state["deciding"] and state["revision"] > revision)]
    live.close()
    for phone.state in states:
        text = "a new reading had no place for what a person had set: 1 square (s1)"
        assert text in phone.kingdoms[0]["seen"]["problems"] and phone.kingdoms[0]["fixes"] == {}
        assert phone.score["kingdoms"][0]["review"]


@pytest.mark.parametrize("checked", [False, True])
def test_lost_corrections_are_named_until_a_person_has_confirmed_the_kingdom(phone: Phone, checked: bool) -> None:
    """The first new outline leaves out the two columns on the left."""
    phone.photograph(DEMO)
    kingdom = phone.kingdoms[0]
    phone.change("set_square", kingdom=kingdom["id"], at="1,1", cell="s1")
    phone.photograph(DEMO, query_outline(kingdom, slice(3, -1)))
    phone.change("set_kingdom", kingdom=kingdom["id"], checked=checked)
    for _ in range(2):
        phone.photograph(DEMO, query_outline(kingdom))
    texts = [] if checked else ["a new reading had no place for what a person had set: 1 square (s1)"]
    assert (list_boards(phone), phone.kingdoms[0]["seen"]["contradictions"]) == ([TRUTH["board"]], texts)
    assert phone.score["kingdoms"][0]["review"] != checked


def test_corrections_of_another_kingdom_are_to_check(phone: Phone) -> None:
    phone.photograph(DEMO, "photo=one")
    kingdom = phone.kingdoms[0]
    phone.change("set_square", kingdom=kingdom["id"], at="4,3", cell="s1")
    phone.change("set_pieces", kingdom=kingdom["id"], key="giants", at="4,4", pieces=["4,4"])
    (corners, *_) = [entry["corners_tl_tr_br_bl_px"] for entry in json.loads(TWO_TRUTH.read_text("utf-8"))["kingdoms"]]
    points = "%20".join(f"{x:.0f},{y:.0f}" for x, y in corners)
    phone.photograph(TWO_KINGDOMS, f"photo=two&kingdom={kingdom['id']}&corners={points}")
    assert phone.kingdoms[0]["seen"]["contradictions"] == [
        "a new reading had no place for what a person had set: 1 square (s1) and giants"
    ]
    assert phone.score["kingdoms"][0]["review"]


@pytest.mark.parametrize("is_of_other_version", [False, True])
def test_a_kingdom_whose_reading_is_lost_stays_and_the_others_are_decided(is_of_other_version: bool) -> None:
    tables, kingdoms = Tables(), []
    for number, entry in enumerate(read_entries(TWO_KINGDOMS)):
        reading = make_reading(entry, "two")
        kingdoms.append(replace(reading.kingdom, id=str(number)))
        if number:
            tables.storage.add_reading("T", reading)
        elif is_of_other_version:
            other_content = reading.observation.replace(b"\x12", b"\x11", 1)
            tables.storage.add_reading("T", reading._replace(observation=other_content))
    place = next(at for at, cell in kingdoms[1].cells.items() if cell != "#")
    fixed_kingdom = replace(kingdoms[1], fixes={place: "m3"})
    game = TableGame(rounds=[[kingdoms[0], fixed_kingdom]])
    first, second = tables._decide_round("T", game, 0).rounds[0]
    assert first == kingdoms[0]
    assert (second.cells[place], kingdoms[1].cells[place] == "m3") == ("m3", False)
