"""The kingdoms of a table share a box: what one holds, settles what another may be."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kdvision.batch.corrections import Book, Correction
from kdvision.batch.event import Event
from kdvision.batch.joint import Boxes, settled
from kdvision.batch.naming import Seat
from kdvision.batch.observations import packed, unpacked
from kdvision.batch.outputs import told
from kdvision.batch.record import Held
from kdvision.batch.record import Reading as WhatWasRead
from kdvision.batch.result_folder import Place
from kdvision.batch.seating import Entry, Sitting, seated
from kdvision.batch.standings import Boardroom
from kdvision.game.board import Board, Square
from kdvision.game.rules import kingdomino
from kdvision.report.build import build_photo_result
from kdvision.report.to_dict import result_to_dict
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.probabilities import Reading
from kdvision.vision.decide.decision import Doubt
from tests.kingdoms import doubt, grid_of, seen

ANN, BO = "# w m3", "# w m2"
"""Only one domino of the box, number 48, has a mine with three crowns, and wheat beside it."""


def sitting(player: str, board: str, doubts: tuple[Doubt, ...] = (), **spoiled: dict[str, float]) -> Sitting:
    """A photo of one kingdom as a worker leaves it; `spoiled` are the probabilities of single squares."""
    own, reading = Board.parse(board), Reading.of(board, spoiled=spoiled)
    border_log_odds = np.zeros((own.height, own.width - 1)), np.zeros((own.height - 1, own.width))
    observation = GridObservation(grid_of(own), reading, border_log_odds, np.zeros((own.height, own.width)))
    read = replace(seen(board, doubts=doubts, probability=0.6 if doubts else 0.99), observation=observation)
    made = json.loads(json.dumps(result_to_dict(build_photo_result("", (640, 480), [read], kingdomino()))["kingdoms"]))
    kept = json.loads(json.dumps(packed(read)))
    return Sitting(f"{player}.jpg", player, Seat(1, "1", (player,)), made, made, seen=[kept])


def unsure_bo() -> Sitting:
    """A photo in which the crowns of one mine are hard to count."""
    return sitting("bo", BO, (doubt("C1", "m2", "m3", 0.6),), C1={"m2": 0.6, "m3": 0.398})


def entries(*sittings: Sitting, boxes: Boxes | None = None) -> dict[str, Entry]:
    """The kingdoms of one table, decided together, by player."""
    return {
        entry.player: entry for entry in settled(Boardroom(seated(sittings, {}, Event()), Event()), boxes or Boxes())
    }


def test_what_was_seen_survives_being_kept() -> None:
    kept = sitting("bo", BO, C1={"m2": 0.6, "m3": 0.38}).seen[0]
    assert kept is not None
    view = unpacked(kept)
    assert view.reading.best == Board.parse(BO)
    assert view.reading.probability(Square.parse("C1"), "m3") == pytest.approx(0.38, abs=0.001)
    assert [border_log_odds.shape for border_log_odds in view.border_log_odds] == [(1, 2), (0, 3)]
    assert view.calibration.sure == 0.9
    assert view.side == pytest.approx(grid_of(Board.parse(BO)).side, abs=0.1)
    assert len(json.dumps(kept)) < 600
    assert view.whole == 1.0
    assert unpacked({**kept, "whole": 0.9}).whole == 0.9
    assert unpacked({name: value for name, value in kept.items() if name != "whole"}).whole == 1.0  # kept before


def test_the_box_settles_a_doubt() -> None:
    assert entries(unsure_bo())["bo"].data["review"]  # nobody else knows
    found = entries(sitting("ann", ANN), unsure_bo())
    assert (found["bo"].data["review"], found["bo"].data["doubts"]) == (False, [])
    assert found["bo"].data["probability"] > 0.9


def misread_bo(m3: float = 0.6) -> Sitting:
    """A photo in which the crowns of one mine were counted wrong, with so much confidence."""
    return sitting("bo", "# w m3", (doubt("C1", "m3", "m2", 0.6),), C1={"m3": m3, "m2": 0.98 - m3})


def test_a_board_that_the_box_settles_counts_and_is_told() -> None:
    """What was read stays beside it: nobody has corrected anything."""
    bo = entries(sitting("ann", ANN), misread_bo())["bo"]
    assert bo.data["board"] == ["# w m2"] and bo.settled and not bo.corrected
    assert bo.read is not None and bo.read["board"] == ["# w m3"]
    assert bo.data["total"] == bo.read["total"] - 1 == sum(line["points"] for line in bo.data["lines"])
    assert bo.data["review"] and bo.data["probability"] > 0.9
    assert [(one["square"], one["read"], one["instead"]) for one in bo.data["doubts"]] == [("C1", "m2", "m3")]
    assert bo.data["doubts"][0]["probability"] > 0.9
    assert bo.data["doubts"][0]["total_if"] == bo.read["total"]
    assert "it was read otherwise" in bo.data["problems"][0]["text"]
    assert bo.data["corners"] == bo.read["corners"] is not None


@pytest.mark.parametrize(
    "bo", [unsure_bo(), misread_bo(), replace(misread_bo(), named=frozenset({1})), misread_bo(0.9)]
)
def test_how_sure_the_points_are_is_what_the_table_says(bo: Sitting) -> None:
    """It was what the photo alone had said, beside the table's word on the board."""
    for entry in entries(sitting("ann", ANN), bo).values():
        data = entry.data
        totals = [data["points_probability"], *(one["probability"] for one in data["alternatives"])]
        assert sum(totals) == pytest.approx(1, abs=0.01)
        assert totals[0] >= data["probability"]
        assert data["total"] not in [one["total"] for one in data["alternatives"]]


def test_a_board_that_the_table_takes_for_another_is_no_longer_likely() -> None:
    bo = entries(sitting("ann", ANN), replace(misread_bo(), named=frozenset({1})))["bo"]
    assert bo.data["probability"] < 0.2
    assert bo.data["alternatives"][0]["total"] == bo.data["total"] - 1


def test_a_board_that_is_only_likelier_another_one_stays_and_is_told() -> None:
    both = (misread_bo(), replace(misread_bo(0.55), photo="ann.jpg", seat=Seat(1, "1", ("ann",))))
    boards = {player: (entry.data["board"], entry.settled) for player, entry in entries(*both).items()}
    assert boards == {"bo": (["# w m3"], False), "ann": (["# w m3"], False)}
    found = [entry.data for entry in entries(*both).values() if entry.data["problems"]]
    assert [("leave no such dominoes" in one["problems"][0]["text"], one["review"]) for one in found] == [(True, True)]
    assert found[0]["doubts"][0]["instead"] == "m2" and found[0]["doubts"][0]["probability"] < 0.5
    assert found[0]["doubts"][0]["total_if"] == found[0]["total"] - 1


def test_a_board_of_which_a_person_has_said_something_stays() -> None:
    bo = entries(sitting("ann", ANN), replace(misread_bo(), named=frozenset({1})))["bo"]
    assert bo.data["board"] == ["# w m3"] and not bo.settled and not bo.corrected
    assert bo.data["review"]
    assert [(one["square"], one["instead"]) for one in bo.data["doubts"]] == [("C1", "m2")]
    assert bo.data["doubts"][0]["probability"] < 0.2
    assert "leave no such dominoes" in bo.data["problems"][0]["text"]


@pytest.mark.parametrize(("named", "counts"), [("", "# w m2"), ("C1=m3", "# w m3")])
def test_a_word_of_a_person_stands_above_the_box(named: str, counts: str, tmp_path: Path) -> None:
    """Also where it says no more than what was read."""
    photos = [
        Held(one.photo, one.content, WhatWasRead.made("", {"width": 640, "kingdoms": one.read}, seen=one.seen))
        for one in (sitting("ann", ANN), misread_bo())
    ]
    book = Book(tmp_path)
    if named:
        square, _, cell = named.partition("=")
        book.add([Correction("bo.jpg", "bo", 1, square, cell)])
        book.refreshed()
    found = {entry.photo: entry.data["board"] for entry in told(Event(), photos, book).room.seated.entries}
    assert found == {"ann.jpg": [ANN], "bo.jpg": [counts]}


def test_what_a_person_has_named_is_known() -> None:
    ann = sitting("ann", "# w m2")
    named = replace(ann, kingdoms=[{**ann.kingdoms[0], "board": ["# w m3"]}])
    found = entries(named, unsure_bo())
    assert found["ann"].corrected and found["ann"].data == named.kingdoms[0]
    assert not found["bo"].data["review"]


@pytest.mark.parametrize("lost", [(), (None,)])
def test_a_table_of_which_not_all_was_kept_stays_as_it_was(lost: tuple[None, ...]) -> None:
    assert entries(replace(sitting("ann", ANN), seen=lost), unsure_bo())["bo"].data["review"]


def test_squares_of_other_boxes_leave_everything_as_it_was() -> None:
    ann = sitting("ann", ANN)
    named = replace(ann, kingdoms=[{**ann.kingdoms[0], "board": ["# t m3"]}])
    assert entries(named, unsure_bo())["bo"].data["review"]


def test_a_kingdom_with_towns_takes_no_domino_from_the_others() -> None:
    """It was laid from another box."""
    ann = sitting("ann", ANN)
    towns = replace(
        ann, kingdoms=[{**ann.kingdoms[0], "board": ["# t m3"]}], read=[{**ann.read[0], "board": ["# t m3"]}]
    )
    assert entries(towns, misread_bo())["bo"].data["board"] == ["# w m3"]


def test_what_was_decided_is_kept_and_not_decided_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, place, boxes = (sitting("ann", ANN), unsure_bo()), Place(tmp_path), Boxes()
    found = entries(*table, boxes=boxes)
    place.keep_tables(boxes.kept())
    monkeypatch.setattr("kdvision.vision.decide.decide.decide", None)
    assert entries(*table, boxes=boxes) == found
    assert entries(*table, boxes=Boxes(place.tables())) == found
    with pytest.raises(TypeError, match="not callable"):
        entries(sitting("ann", "# w m2"), unsure_bo(), boxes=Boxes(place.tables()))


@pytest.mark.parametrize("content", [b"{", b"[]", b"null"])
def test_what_was_kept_of_tables_and_is_damaged_is_nothing(content: bytes, tmp_path: Path) -> None:
    (tmp_path / ".tables.json").write_bytes(content)
    assert Place(tmp_path).tables() == {}


@pytest.mark.parametrize(
    "verdicts", [5, [["?x", 1, True, {}]] * 2, [[1, 1, True, {}]] * 2, [["# w"]], [["# w", "x", 1, {}]]]
)
def test_tables_that_cannot_be_understood_are_decided_again(verdicts: object) -> None:
    table, boxes = (sitting("ann", ANN), unsure_bo()), Boxes()
    found = entries(*table, boxes=boxes)
    damaged = dict.fromkeys(boxes.kept(), verdicts)
    assert entries(*table, boxes=Boxes(damaged)) == found
