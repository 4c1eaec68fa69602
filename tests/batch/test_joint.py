"""Joint decisions: the kingdoms of a table share a box, so one limits what another can hold."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kdvision.batch.event import Event, Rules
from kdvision.batch.joint import decide_tables
from kdvision.batch.kingdoms import KingdomResult
from kdvision.batch.outcome import evaluate_event
from kdvision.batch.photos import Failure, Seat
from kdvision.batch.reading.job import pack_observation, unpack_observation
from kdvision.batch.standings import assign_seats
from kdvision.batch.store.folder import Data, ResultFolder
from kdvision.batch.store.record import Correction, CorrectionFile, PhotoCorrections, PhotoReading, PhotoRecord
from kdvision.game.board import Board, Square
from kdvision.game.rules import kingdomino
from kdvision.report.build import build_photo_result
from kdvision.report.to_dict import result_to_dict
from kdvision.vision.classify.probabilities import ClassProbabilities
from kdvision.vision.decide.decision import Doubt
from tests.kingdoms import (
    get_probability,
    make_doubt,
    make_grid,
    make_plain_observation,
    make_reading,
    override_squares,
)

ANN, BO = "# w m3", "# w m2"
"""Only one domino of the box, number 48, has a mine with three crowns. Its other half is wheat."""


NO_EVENT = Event()


def make_photo_record(
    player: str, board: str, doubts: tuple[Doubt, ...] = (), **cell_probabilities: dict[str, float]
) -> PhotoRecord:
    """Return the result of a photo of one kingdom; `cell_probabilities` override those of single squares."""
    observation = make_plain_observation(override_squares(ClassProbabilities.of(board), cell_probabilities))
    reading = replace(make_reading(board, doubts=doubts, probability=0.6 if doubts else 0.99), observation=observation)
    kingdoms = json.loads(
        json.dumps(result_to_dict(build_photo_result("", (640, 480), [reading], kingdomino()))["kingdoms"])
    )
    packed_observation = json.loads(json.dumps(pack_observation(reading)))
    stored_reading = PhotoReading.parse({"width": 640, "kingdoms": kingdoms, "seen": [packed_observation]})
    return PhotoRecord(f"{player}.jpg", player, stored_reading, seat=Seat(1, "1", (player,)))


def change_reading(photo: PhotoRecord, **changes: Any) -> PhotoRecord:
    """Return the photo with a changed reading."""
    return replace(photo, reading=photo.reading._replace(**changes))


def confirm(photo: PhotoRecord) -> PhotoRecord:
    """Return the photo whose first kingdom a person has confirmed."""
    return replace(photo, corrections=PhotoCorrections(corrections=(Correction(photo.name, "", 1, "A1", "#"),)))


def rename(photo: PhotoRecord, player: str) -> PhotoRecord:
    """Return the photo as one of another player."""
    return replace(photo, name=f"{player}.jpg", content=player, seat=Seat(1, "1", (player,)))


def make_unsure_record() -> PhotoRecord:
    """Return a photo in which the crowns of one mine are hard to count."""
    return make_photo_record("bo", BO, (make_doubt("C1", "m2", "m3", 0.6),), C1={"m2": 0.6, "m3": 0.398})


def decide_table(
    *photos: PhotoRecord, stored_verdicts: Data | None = None, event: Event = NO_EVENT
) -> dict[str, KingdomResult]:
    """Return the kingdoms of one table, decided jointly, by player."""
    standings, _ = decide_tables(assign_seats(photos, event), stored_verdicts or {})
    return {kingdom.player: kingdom for kingdom in standings.kingdoms}


def test_a_packed_observation_can_be_unpacked() -> None:
    packed_observation = make_photo_record("bo", BO, C1={"m2": 0.6, "m3": 0.38}).reading.seen[0]
    assert packed_observation is not None
    observation = unpack_observation(packed_observation)
    assert observation.probabilities.best == Board.parse(BO)
    assert get_probability(observation.probabilities, Square.parse("C1"), "m3") == pytest.approx(0.38, abs=0.001)
    assert [border_log_odds.shape for border_log_odds in observation.border_log_odds] == [(1, 2), (0, 3)]
    assert observation.calibration.review_threshold == 0.9
    assert observation.side == pytest.approx(make_grid(Board.parse(BO)).side_pixels, abs=0.1)
    assert len(json.dumps(packed_observation)) < 600
    assert observation.p_whole == 1.0
    assert unpack_observation({**packed_observation, "whole": 0.9}).p_whole == 0.9
    earlier_observation = {name: value for name, value in packed_observation.items() if name != "whole"}
    assert unpack_observation(earlier_observation).p_whole == 1.0


def test_the_box_has_the_dominoes_of_an_expansion() -> None:
    photos = make_photo_record("ann", "# m g"), make_photo_record("bo", "# s g", B1={"m": 0.6, "s": 0.398})
    event = Event(rules=Rules(("age-of-giants",)))
    joint = decide_table(*photos, event=event)["bo"]
    assert joint.data["probability"] > 0.9  # domino E, because D is Ann's
    assert decide_table(*photos)["bo"].data["probability"] < 0.9


def test_the_box_removes_a_doubt() -> None:
    assert decide_table(make_unsure_record())["bo"].data["review"]  # nobody else knows
    kingdoms = decide_table(make_photo_record("ann", ANN), make_unsure_record())
    assert (kingdoms["bo"].data["review"], kingdoms["bo"].data["doubts"]) == (False, [])
    assert kingdoms["bo"].data["probability"] > 0.9


def test_a_kingdom_that_the_box_makes_improbable_is_reviewed() -> None:
    """Both photos show domino 48 for certain, so one of them was misread."""
    results = decide_table(make_photo_record("ann", ANN), make_photo_record("bo", ANN, C1={"m3": 0.99, "m2": 0.005}))
    assert [(entry.data["probability"] < 0.9, entry.data["review"]) for entry in results.values()] == [(True, True)] * 2


def make_misread_record(m3: float = 0.6) -> PhotoRecord:
    """Return a photo in which the crowns of one mine were counted wrong, with this confidence."""
    return make_photo_record("bo", "# w m3", (make_doubt("C1", "m3", "m2", 0.6),), C1={"m3": m3, "m2": 0.98 - m3})


def test_a_certain_joint_board_counts_and_is_reported() -> None:
    """The board as read is kept, and it is not a correction."""
    bo = decide_table(make_photo_record("ann", ANN), make_misread_record())["bo"]
    assert bo.data["board"] == ["# w m2"] and bo.changed_by_table and not bo.is_corrected
    assert bo.data_read is not None and bo.data_read["board"] == ["# w m3"]
    assert bo.data["total"] == bo.data_read["total"] - 1 == sum(line["points"] for line in bo.data["lines"])
    assert bo.data["review"] and bo.data["probability"] > 0.9
    assert [(doubt["square"], doubt["read"], doubt["instead"]) for doubt in bo.data["doubts"]] == [("C1", "m2", "m3")]
    assert bo.data["doubts"][0]["probability"] > 0.9
    assert bo.data["doubts"][0]["total_if"] == bo.data_read["total"]
    assert "was read as another board" in bo.data["problems"][0]["text"]
    assert bo.data["corners"] == bo.data_read["corners"] is not None


@pytest.mark.parametrize(
    "bo", [make_unsure_record(), make_misread_record(), confirm(make_misread_record()), make_misread_record(0.9)]
)
def test_probabilities_of_totals_follow_the_joint_decision(bo: PhotoRecord) -> None:
    for kingdom in decide_table(make_photo_record("ann", ANN), bo).values():
        data = kingdom.data
        totals = [data["points_probability"], *(total["probability"] for total in data["alternatives"])]
        assert sum(totals) == pytest.approx(1, abs=0.01)
        assert totals[0] >= data["probability"]
        assert data["total"] not in [total["total"] for total in data["alternatives"]]


def test_a_board_that_the_joint_decision_rejects_has_a_low_probability() -> None:
    bo = decide_table(make_photo_record("ann", ANN), confirm(make_misread_record()))["bo"]
    assert bo.data["probability"] < 0.2
    assert bo.data["alternatives"][0]["total"] == bo.data["total"] - 1


def test_an_uncertain_joint_board_is_only_reported() -> None:
    photos = (make_misread_record(), rename(make_misread_record(0.55), "ann"))
    boards = {
        player: (kingdom.data["board"], kingdom.changed_by_table) for player, kingdom in decide_table(*photos).items()
    }
    assert boards == {"bo": (["# w m3"], False), "ann": (["# w m3"], False)}
    kingdoms = [kingdom.data for kingdom in decide_table(*photos).values() if kingdom.data["problems"]]
    assert [("another board is more probable" in data["problems"][0]["text"], data["review"]) for data in kingdoms] == [
        (True, True)
    ]
    assert kingdoms[0]["doubts"][0]["instead"] == "m2" and kingdoms[0]["doubts"][0]["probability"] < 0.5
    assert kingdoms[0]["doubts"][0]["total_if"] == kingdoms[0]["total"] - 1


def test_a_board_of_another_size_is_only_reported() -> None:
    bo = make_photo_record("bo", "# w m3", B1={"w": 0.6, ".": 0.398}, C1={"m3": 0.6, ".": 0.398})
    kingdom = decide_table(make_photo_record("ann", ANN), bo)["bo"]
    assert (kingdom.data["board"], kingdom.changed_by_table) == (["# w m3"], False)
    assert "another board is more probable" in kingdom.data["problems"][0]["text"]


def test_the_doubts_of_other_squares_stay_beside_those_of_a_reported_board() -> None:
    data = make_misread_record().reading.kingdoms[0]
    doubt = {**data["doubts"][0], "square": "B1"}
    photos = (
        change_reading(confirm(make_misread_record()), kingdoms=[{**data, "doubts": [doubt]}]),
        make_photo_record("ann", ANN),
    )
    assert [doubt["square"] for doubt in decide_table(*photos)["bo"].data["doubts"]] == ["C1", "B1"]


def test_a_board_that_may_not_be_whole_is_only_reported() -> None:
    bo = make_misread_record()
    (observation,) = bo.reading.seen
    assert observation is not None
    bo = change_reading(bo, seen=[{**observation, "whole": 0.5}])
    kingdom = decide_table(make_photo_record("ann", ANN), bo)["bo"]
    assert (kingdom.data["board"], kingdom.changed_by_table) == (["# w m3"], False)


def test_a_board_with_a_detached_domino_stays_for_review() -> None:
    """Something was missed or misread, however probable the squares are."""
    bo = make_photo_record("bo", "# . w m3")
    flagged_bo = change_reading(bo, kingdoms=[{**kingdom, "review": True} for kingdom in bo.reading.kingdoms])
    assert decide_table(make_photo_record("ann", BO), flagged_bo)["bo"].data["review"]


def test_more_kingdoms_than_play_one_game_are_not_decided_jointly() -> None:
    other_photos = [
        make_photo_record(player, board) for player, board in (("cy", "# w w"), ("di", "# f f"), ("ed", "# l l"))
    ]
    photos = make_photo_record("ann", ANN), make_unsure_record()
    assert decide_table(*photos, *other_photos[:2])["bo"].data["doubts"] == []
    assert decide_table(*photos, *other_photos)["bo"].data["doubts"] != []


def test_a_corrected_board_stays_and_the_joint_board_is_reported() -> None:
    bo = decide_table(make_photo_record("ann", ANN), confirm(make_misread_record()))["bo"]
    assert bo.data["board"] == ["# w m3"] and not bo.changed_by_table and not bo.is_corrected
    assert bo.data["review"]
    assert [(doubt["square"], doubt["instead"]) for doubt in bo.data["doubts"]] == [("C1", "m2")]
    assert bo.data["doubts"][0]["probability"] < 0.2
    assert "another board is more probable" in bo.data["problems"][0]["text"]


@pytest.mark.parametrize(("correction", "expected_board"), [("", "# w m2"), ("C1=m3", "# w m3")])
def test_a_correction_overrides_the_joint_decision(correction: str, expected_board: str, tmp_path: Path) -> None:
    """A correction that only confirms the reading overrides it, too."""
    records = [make_photo_record("ann", ANN), make_misread_record()]
    corrections = CorrectionFile(tmp_path)
    if correction:
        square, _, cell = correction.partition("=")
        corrections.add([Correction("bo.jpg", "bo", 1, square, cell)])
        corrections.reload()
    kingdoms = {
        kingdom.photo.name: kingdom.data["board"]
        for kingdom in evaluate_event(Event(), records, corrections).standings.kingdoms
    }
    assert kingdoms == {"ann.jpg": [ANN], "bo.jpg": [expected_board]}


def test_a_corrected_board_counts_as_certain_for_the_others() -> None:
    ann = make_photo_record("ann", "# w m2")
    corrected_ann = replace(ann, corrected_data={"kingdoms": [{**ann.kingdoms[0], "board": ["# w m3"]}]})
    kingdoms = decide_table(corrected_ann, make_unsure_record())
    assert kingdoms["ann"].is_corrected and kingdoms["ann"].data == corrected_ann.kingdoms[0]
    assert not kingdoms["bo"].data["review"]


@pytest.mark.parametrize(("has_renamed_squares", "is_certain"), [(False, False), (True, True)])
def test_a_corrected_square_does_not_make_other_boards_certain(*, has_renamed_squares: bool, is_certain: bool) -> None:
    """Bo's mine is as doubtful as before; but squares that have other names now are not compared."""
    ann = make_photo_record("ann", "# w m2", (make_doubt("C1", "m2", "m3", 0.6),), C1={"m2": 0.6, "m3": 0.398})
    bo, second_record = (
        make_photo_record(
            "bo", f"# w m3 / {cell} f .", (make_doubt("C1", "m3", "m2", 0.6),), C1={"m3": 0.6, "m2": 0.398}
        )
        for cell in "lg"
    )
    (data,), corners = second_record.kingdoms, bo.kingdoms[0]["corners"]
    data = {**data, "corners": [[corners[0][0], corners[0][1] - 50], *corners[1:]]} if has_renamed_squares else data
    corrected_bo = replace(
        bo,
        second_reading=second_record.reading._replace(kingdoms=[data]),
        corrections=PhotoCorrections(((1, "A2", "g"),), corrections=(Correction("bo.jpg", "bo", 1, "A2", "g"),)),
        corrected_data={"kingdoms": [data], "standing": None},
    )
    before, after = (decide_table(ann, photo)["ann"].data for photo in (bo, corrected_bo))
    assert before["review"] and before["probability"] < 0.9
    assert (after["review"], after["probability"] > 0.9) == (not is_certain, is_certain)


def test_a_board_that_a_person_has_given_is_not_reported_again(tmp_path: Path) -> None:
    corrections = CorrectionFile(tmp_path)
    corrections.add([Correction("bo.jpg", "bo", 1, board="# w m3")])
    corrections.reload()
    outcome = evaluate_event(Event(), [make_photo_record("ann", ANN), make_misread_record()], corrections)
    bo = outcome.standings.kingdoms[1]
    assert bo.data["board"] == ["# w m3"] and not bo.is_corrected
    assert not bo.data["review"] and not bo.data["problems"] and bo.data["probability"] == 1


def test_failures_of_one_photo_are_sorted(tmp_path: Path) -> None:
    reasons = {Failure("ann.jpg", f"reason {number}", "") for number in range(20)}
    damaged_photo = change_reading(
        make_photo_record("ann", ANN), kingdoms=(), error="the photo is damaged", hint="send it again"
    )
    failures = evaluate_event(Event(), [damaged_photo], CorrectionFile(tmp_path), reasons).failures
    assert len(failures) == 21 and list(failures) == sorted(failures)


@pytest.mark.parametrize("observations", [(), (None,)])
def test_a_table_without_all_observations_is_not_decided_jointly(observations: tuple[None, ...]) -> None:
    ann = change_reading(make_photo_record("ann", ANN), seen=observations)
    assert decide_table(ann, make_unsure_record())["bo"].data["review"]


def test_a_table_with_kinds_of_another_box_is_not_decided_jointly() -> None:
    ann = make_photo_record("ann", ANN)
    corrected_ann = replace(ann, corrected_data={"kingdoms": [{**ann.kingdoms[0], "board": ["# t m3"]}]})
    assert decide_table(corrected_ann, make_unsure_record())["bo"].data["review"]


def test_a_kingdom_with_a_problem_stays_as_it_was_read() -> None:
    bo = make_unsure_record()
    problem: Data = {"text": "the picture's edge cuts tiles of this kingdom", "squares": [], "clause": None}
    bo = change_reading(bo, kingdoms=[{**bo.kingdoms[0], "problems": [problem]}])
    assert decide_table(make_photo_record("ann", ANN), bo)["bo"].data == bo.kingdoms[0]


def test_a_kingdom_with_towns_takes_no_domino_from_the_others() -> None:
    """It was built from another box."""
    ann = make_photo_record("ann", ANN)
    town_photo = change_reading(ann, kingdoms=[{**ann.kingdoms[0], "board": ["# t m3"]}])
    assert decide_table(town_photo, make_misread_record())["bo"].data["board"] == ["# w m3"]


TABLE = (make_photo_record("ann", ANN), make_unsure_record())


def store_verdicts(folder: Path) -> dict[str, Any]:
    """Return the verdicts on the table, as they are read from a result folder in which they were stored."""
    _, verdicts = decide_tables(assign_seats(TABLE, NO_EVENT), {})
    ResultFolder(folder).save_json(".tables.json", verdicts)
    return ResultFolder(folder).load_json(".tables.json") or {}


def test_stored_decisions_are_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    verdicts, kingdoms = store_verdicts(tmp_path), decide_table(*TABLE)
    monkeypatch.setattr("kdvision.vision.decide.decide.decide", None)
    assert decide_table(*TABLE, stored_verdicts=verdicts) == kingdoms
    with pytest.raises(TypeError, match="not callable"):
        decide_table(make_photo_record("ann", "# w m2"), make_unsure_record(), stored_verdicts=verdicts)


def test_a_doubtful_joint_decision_leaves_the_review(tmp_path: Path) -> None:
    """The decision may be unproved, or have problems, although its board is probable."""
    ((key, (ann, (board, probability, is_certain, *others))),) = store_verdicts(tmp_path).items()
    assert is_certain and probability > 0.9 and not decide_table(*TABLE)["bo"].data["review"]
    doubtful_verdicts = {key: [ann, [board, probability, False, *others]]}
    assert decide_table(*TABLE, stored_verdicts=doubtful_verdicts)["bo"].data["review"]


@pytest.mark.parametrize("content", [b"{", b"[]", b"null"])
def test_a_damaged_file_of_decisions_is_ignored(content: bytes, tmp_path: Path) -> None:
    (tmp_path / ".tables.json").write_bytes(content)
    assert ResultFolder(tmp_path).load_json(".tables.json") is None


@pytest.mark.parametrize(
    "verdicts",
    [
        5,
        [["?x", 1, True, {}, []]] * 2,
        [[1, 1, True, {}, []]] * 2,
        [["# w"]] * 2,
        [["# w", "x", 1, {}, []]] * 2,
        [["# w m3", 1, True, {}, []]],
    ],
)
def test_tables_with_invalid_stored_decisions_are_decided_again(verdicts: object, tmp_path: Path) -> None:
    stored_verdicts = dict.fromkeys(store_verdicts(tmp_path), verdicts)
    assert stored_verdicts and decide_table(*TABLE, stored_verdicts=stored_verdicts) == decide_table(*TABLE)
