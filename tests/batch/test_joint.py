"""The kingdoms of a table share a box: what one holds, settles what another may be."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kdvision.batch.corrections import Correction, CorrectionFile
from kdvision.batch.event import Event
from kdvision.batch.joint import TableCache, decide_tables
from kdvision.batch.naming import Seat
from kdvision.batch.outputs import evaluate_event
from kdvision.batch.record import PhotoRecord, pack_observation, unpack_observation
from kdvision.batch.record import Reading as StoredReading
from kdvision.batch.result_folder import ResultFolder
from kdvision.batch.seating import KingdomResult, PhotoResult, assign_seats
from kdvision.batch.standings import EventStandings
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


def photo_result(player: str, board: str, doubts: tuple[Doubt, ...] = (), **spoiled: dict[str, float]) -> PhotoResult:
    """A photo of one kingdom as a worker leaves it; `spoiled` are the probabilities of single squares."""
    own, reading = Board.parse(board), Reading.of(board, spoiled=spoiled)
    border_log_odds = np.zeros((own.height, own.width - 1)), np.zeros((own.height - 1, own.width))
    observation = GridObservation(grid_of(own), reading, border_log_odds, np.zeros((own.height, own.width)))
    read = replace(seen(board, doubts=doubts, probability=0.6 if doubts else 0.99), observation=observation)
    made = json.loads(json.dumps(result_to_dict(build_photo_result("", (640, 480), [read], kingdomino()))["kingdoms"]))
    kept = json.loads(json.dumps(pack_observation(read)))
    return PhotoResult(f"{player}.jpg", Seat(1, "1", (player,)), made, made, observations=[kept])


def unsure_bo() -> PhotoResult:
    """A photo in which the crowns of one mine are hard to count."""
    return photo_result("bo", BO, (doubt("C1", "m2", "m3", 0.6),), C1={"m2": 0.6, "m3": 0.398})


def entries(*photos: PhotoResult, boxes: TableCache | None = None) -> dict[str, KingdomResult]:
    """The kingdoms of one table, decided together, by player."""
    return {
        entry.player: entry
        for entry in decide_tables(EventStandings(assign_seats(photos, {}, Event()), Event()), boxes or TableCache())
    }


def test_what_was_seen_survives_being_kept() -> None:
    kept = photo_result("bo", BO, C1={"m2": 0.6, "m3": 0.38}).observations[0]
    assert kept is not None
    view = unpack_observation(kept)
    assert view.probabilities.best == Board.parse(BO)
    assert view.probabilities.probability(Square.parse("C1"), "m3") == pytest.approx(0.38, abs=0.001)
    assert [border_log_odds.shape for border_log_odds in view.border_log_odds] == [(1, 2), (0, 3)]
    assert view.calibration.sure == 0.9
    assert view.side == pytest.approx(grid_of(Board.parse(BO)).side, abs=0.1)
    assert len(json.dumps(kept)) < 600
    assert view.p_whole == 1.0
    assert unpack_observation({**kept, "whole": 0.9}).p_whole == 0.9
    assert (
        unpack_observation({name: value for name, value in kept.items() if name != "whole"}).p_whole == 1.0
    )  # kept before


def test_the_box_settles_a_doubt() -> None:
    assert entries(unsure_bo())["bo"].data["review"]  # nobody else knows
    found = entries(photo_result("ann", ANN), unsure_bo())
    assert (found["bo"].data["review"], found["bo"].data["doubts"]) == (False, [])
    assert found["bo"].data["probability"] > 0.9


def misread_bo(m3: float = 0.6) -> PhotoResult:
    """A photo in which the crowns of one mine were counted wrong, with so much confidence."""
    return photo_result("bo", "# w m3", (doubt("C1", "m3", "m2", 0.6),), C1={"m3": m3, "m2": 0.98 - m3})


def test_a_board_that_the_box_settles_counts_and_is_told() -> None:
    """What was read stays beside it: nobody has corrected anything."""
    bo = entries(photo_result("ann", ANN), misread_bo())["bo"]
    assert bo.data["board"] == ["# w m2"] and bo.changed_by_table and not bo.is_corrected
    assert bo.data_read is not None and bo.data_read["board"] == ["# w m3"]
    assert bo.data["total"] == bo.data_read["total"] - 1 == sum(line["points"] for line in bo.data["lines"])
    assert bo.data["review"] and bo.data["probability"] > 0.9
    assert [(one["square"], one["read"], one["instead"]) for one in bo.data["doubts"]] == [("C1", "m2", "m3")]
    assert bo.data["doubts"][0]["probability"] > 0.9
    assert bo.data["doubts"][0]["total_if"] == bo.data_read["total"]
    assert "was read differently" in bo.data["problems"][0]["text"]
    assert bo.data["corners"] == bo.data_read["corners"] is not None


@pytest.mark.parametrize(
    "bo", [unsure_bo(), misread_bo(), replace(misread_bo(), corrected=frozenset({1})), misread_bo(0.9)]
)
def test_how_sure_the_points_are_is_what_the_table_says(bo: PhotoResult) -> None:
    """It was what the photo alone had said, beside the table's word on the board."""
    for entry in entries(photo_result("ann", ANN), bo).values():
        data = entry.data
        totals = [data["points_probability"], *(one["probability"] for one in data["alternatives"])]
        assert sum(totals) == pytest.approx(1, abs=0.01)
        assert totals[0] >= data["probability"]
        assert data["total"] not in [one["total"] for one in data["alternatives"]]


def test_a_board_that_the_table_takes_for_another_is_no_longer_likely() -> None:
    bo = entries(photo_result("ann", ANN), replace(misread_bo(), corrected=frozenset({1})))["bo"]
    assert bo.data["probability"] < 0.2
    assert bo.data["alternatives"][0]["total"] == bo.data["total"] - 1


def test_a_board_that_is_only_likelier_another_one_stays_and_is_told() -> None:
    both = (misread_bo(), replace(misread_bo(0.55), photo="ann.jpg", seat=Seat(1, "1", ("ann",))))
    boards = {player: (entry.data["board"], entry.changed_by_table) for player, entry in entries(*both).items()}
    assert boards == {"bo": (["# w m3"], False), "ann": (["# w m3"], False)}
    found = [entry.data for entry in entries(*both).values() if entry.data["problems"]]
    assert [("another board is more probable" in one["problems"][0]["text"], one["review"]) for one in found] == [
        (True, True)
    ]
    assert found[0]["doubts"][0]["instead"] == "m2" and found[0]["doubts"][0]["probability"] < 0.5
    assert found[0]["doubts"][0]["total_if"] == found[0]["total"] - 1


def test_a_board_of_which_a_person_has_said_something_stays() -> None:
    bo = entries(photo_result("ann", ANN), replace(misread_bo(), corrected=frozenset({1})))["bo"]
    assert bo.data["board"] == ["# w m3"] and not bo.changed_by_table and not bo.is_corrected
    assert bo.data["review"]
    assert [(one["square"], one["instead"]) for one in bo.data["doubts"]] == [("C1", "m2")]
    assert bo.data["doubts"][0]["probability"] < 0.2
    assert "another board is more probable" in bo.data["problems"][0]["text"]


@pytest.mark.parametrize(("named", "counts"), [("", "# w m2"), ("C1=m3", "# w m3")])
def test_a_word_of_a_person_stands_above_the_box(named: str, counts: str, tmp_path: Path) -> None:
    """Also where it says no more than what was read."""
    records = [
        PhotoRecord(
            one.photo,
            one.photo.removesuffix(".jpg"),
            StoredReading.of({"width": 640, "kingdoms": one.kingdoms_read}, seen=one.observations),
        )
        for one in (photo_result("ann", ANN), misread_bo())
    ]
    corrections = CorrectionFile(tmp_path)
    if named:
        square, _, cell = named.partition("=")
        corrections.add([Correction("bo.jpg", "bo", 1, square, cell)])
        corrections.reload()
    found = {entry.photo: entry.data["board"] for entry in evaluate_event(Event(), records, corrections).kingdoms}
    assert found == {"ann.jpg": [ANN], "bo.jpg": [counts]}


def test_what_a_person_has_named_is_known() -> None:
    ann = photo_result("ann", "# w m2")
    named = replace(ann, kingdoms=[{**ann.kingdoms[0], "board": ["# w m3"]}])
    found = entries(named, unsure_bo())
    assert found["ann"].is_corrected and found["ann"].data == named.kingdoms[0]
    assert not found["bo"].data["review"]


@pytest.mark.parametrize("lost", [(), (None,)])
def test_a_table_of_which_not_all_was_kept_stays_as_it_was(lost: tuple[None, ...]) -> None:
    assert entries(replace(photo_result("ann", ANN), observations=lost), unsure_bo())["bo"].data["review"]


def test_squares_of_other_boxes_leave_everything_as_it_was() -> None:
    ann = photo_result("ann", ANN)
    named = replace(ann, kingdoms=[{**ann.kingdoms[0], "board": ["# t m3"]}])
    assert entries(named, unsure_bo())["bo"].data["review"]


def test_a_kingdom_with_towns_takes_no_domino_from_the_others() -> None:
    """It was laid from another box."""
    ann = photo_result("ann", ANN)
    towns = replace(
        ann,
        kingdoms=[{**ann.kingdoms[0], "board": ["# t m3"]}],
        kingdoms_read=[{**ann.kingdoms_read[0], "board": ["# t m3"]}],
    )
    assert entries(towns, misread_bo())["bo"].data["board"] == ["# w m3"]


def test_what_was_decided_is_kept_and_not_decided_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, place, boxes = (photo_result("ann", ANN), unsure_bo()), ResultFolder(tmp_path), TableCache()
    found = entries(*table, boxes=boxes)
    place.save_table_cache(boxes.take_used())
    monkeypatch.setattr("kdvision.vision.decide.decide.decide", None)
    assert entries(*table, boxes=boxes) == found
    assert entries(*table, boxes=TableCache(place.load_table_cache())) == found
    with pytest.raises(TypeError, match="not callable"):
        entries(photo_result("ann", "# w m2"), unsure_bo(), boxes=TableCache(place.load_table_cache()))


@pytest.mark.parametrize("content", [b"{", b"[]", b"null"])
def test_what_was_kept_of_tables_and_is_damaged_is_nothing(content: bytes, tmp_path: Path) -> None:
    (tmp_path / ".tables.json").write_bytes(content)
    assert ResultFolder(tmp_path).load_table_cache() == {}


@pytest.mark.parametrize(
    "verdicts", [5, [["?x", 1, True, {}]] * 2, [[1, 1, True, {}]] * 2, [["# w"]], [["# w", "x", 1, {}]]]
)
def test_tables_that_cannot_be_understood_are_decided_again(verdicts: object) -> None:
    table, boxes = (photo_result("ann", ANN), unsure_bo()), TableCache()
    found = entries(*table, boxes=boxes)
    damaged = dict.fromkeys(boxes.take_used(), verdicts)
    assert entries(*table, boxes=TableCache(damaged)) == found
