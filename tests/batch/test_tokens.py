"""Tokens that the event file lists: they count in scores, corrections, standings and reviews."""

from pathlib import Path

import pytest

from kdvision.batch.event import Rules, parse_event
from kdvision.batch.reading.job import hash_inputs
from kdvision.batch.store.record import Correction, CorrectionFile
from kdvision.errors import NotationError
from tests.batch.text_photos import TextPhotoReader, make_photo, read_csv, read_results, run_batch, write_files

BOARD = "w1 w f / f # s / s s f"
EVENT = """
variants = ["the-court"]

[[photo]]
file = "round1/table1/ann+bo.jpg"

[[photo.kingdom]]
court = ["A3 Farmer"]
resources = ["B1"]

[[photo.kingdom]]
court = ["C2 King", "B3 s1"]
"""


@pytest.fixture
def event(tmp_path: Path) -> Path:
    files: dict[str, bytes | str] = {"round1/table1/ann+bo.jpg": make_photo(BOARD, BOARD), "event.toml": EVENT}
    return write_files(tmp_path / "photos", files)


def read_totals(out: Path) -> dict[str, str]:
    return {row["player"]: row["total"] for row in read_csv(out / "results.csv")}


def test_tokens_count_in_results_and_standings(event: Path, tmp_path: Path) -> None:
    outcome = run_batch(event, tmp_path / "out")
    assert read_totals(tmp_path / "out") == {"ann": "5", "bo": "5"}
    (record,) = read_results(tmp_path / "out")
    assert [line["clause"] for line in record["kingdoms"][0]["lines"] if not line["terrain"]] == ["court/gatherers"]
    assert [(row.player, row.points) for row in outcome.standings.rankings[-1].rows] == [("bo", 5), ("ann", 5)]
    assert not [item for item in outcome.review_items if "event.toml" in item.why]


def test_giants_and_quests_count_in_an_event_of_five(tmp_path: Path) -> None:
    event = """
variants = ["age-of-giants", "lost-corner", "bleak-king"]

[[photo]]
file = "round1/table1/ann+bo+cy+di+eve.jpg"

[[photo.kingdom]]
giants = ["B1"]
"""
    boards = "# w1 w / w w w", "# m g", "m # g", "# s g", "f #"
    files: dict[str, bytes | str] = {"round1/table1/ann+bo+cy+di+eve.jpg": make_photo(*boards), "event.toml": event}
    outcome = run_batch(write_files(tmp_path / "photos", files), tmp_path / "out")
    assert read_totals(tmp_path / "out") == {"ann": "30", "bo": "20", "cy": "0", "di": "20", "eve": "20"}
    (record,) = read_results(tmp_path / "out")
    clauses = [line["clause"] for line in record["kingdoms"][0]["lines"] if not line["terrain"]]
    assert clauses == [f"age-of-giants/{name}" for name in ("covered", "lost-corner", "bleak-king")]
    assert not [item for item in outcome.review_items if "box" in item.why]
    text = event.replace('"bleak-king"]', '"bleak-king"]\n[[table]]\nplayers = ["a", "b", "c", "d", "e", "f"]')
    with pytest.raises(NotationError, match="players 6: a table of 6; expected at most 5 players"):
        parse_event(text)
    with pytest.raises(NotationError, match="giants"):
        parse_event(event.replace('"age-of-giants", ', ""))


def test_a_change_of_tokens_scores_the_photo_again(event: Path, tmp_path: Path) -> None:
    reader = TextPhotoReader()
    run_batch(event, tmp_path / "out", reader)
    run_batch(event, tmp_path / "out", reader)
    assert len(reader.jobs) == 1
    (event / "event.toml").write_text(EVENT.replace("A3 Farmer", "A3 Heavy Archery"), encoding="utf-8")
    run_batch(event, tmp_path / "out", reader)
    assert len(reader.jobs) == 2
    assert read_totals(tmp_path / "out") == {"ann": "6", "bo": "5"}


def test_corrected_boards_keep_their_tokens(event: Path, tmp_path: Path) -> None:
    run_batch(event, tmp_path / "out")
    (record,) = read_results(tmp_path / "out")
    board = "w2 w f / f # s / s s f"
    correction = Correction(record["photo"], record["content"], 1, board=board)
    CorrectionFile(tmp_path / "out").add([correction])
    run_batch(event, tmp_path / "out")
    assert read_totals(tmp_path / "out") == {"ann": "7", "bo": "5"}


def test_a_kingdom_without_tokens_in_the_event_file_is_to_be_reviewed(event: Path, tmp_path: Path) -> None:
    (event / "event.toml").write_text(EVENT.rpartition("[[photo.kingdom]]")[0], encoding="utf-8")
    outcome = run_batch(event, tmp_path / "out")
    assert [(item.player, item.why) for item in outcome.review_items if "event.toml" in item.why] == [
        ("bo", "event.toml does not say where its court tiles and resources are, so it is scored without any")
    ]


@pytest.mark.parametrize("is_copy", [False, True])
def test_the_photo_with_listed_tokens_counts(tmp_path: Path, *, is_copy: bool) -> None:
    """Also if another photo of the kingdom comes first, or is more probable."""
    photo = make_photo(BOARD)
    event = EVENT.replace("ann+bo.jpg", "ann (2).jpg").rpartition("[[photo.kingdom]]")[0]
    files: dict[str, bytes | str] = {
        "round1/table1/ann.jpg": photo,
        "round1/table1/ann (2).jpg": photo if is_copy else make_photo(BOARD, probability=0.95),
        "event.toml": event,
    }
    outcome = run_batch(write_files(tmp_path / "photos", files), tmp_path / "out")
    assert [row.points for row in outcome.standings.rankings[-1].rows] == [5]
    assert not [item for item in outcome.review_items if "event.toml" in item.why]


@pytest.mark.parametrize("is_copy", [False, True])
def test_two_lists_of_tokens_for_one_kingdom_are_to_be_reviewed(tmp_path: Path, *, is_copy: bool) -> None:
    lists = {"ann.jpg": '["A3 Farmer"]', "ann (2).jpg": "[]"}
    entries = [f'[[photo]]\nfile = "{name}"\n[[photo.kingdom]]\ncourt = {court}\n' for name, court in lists.items()]
    content = make_photo(BOARD)
    files: dict[str, bytes | str] = {"ann.jpg": content, "ann (2).jpg": content if is_copy else make_photo(BOARD)}
    folder = write_files(
        tmp_path / "photos", {**files, "event.toml": "\n".join(['variants = ["the-court"]', *entries])}
    )
    (item,) = run_batch(folder, tmp_path / "out").decisive_items
    assert (item.changes, item.advice) == ("points", "correct event.toml")
    entries[1] = entries[1].replace("[]", '["A3 Farmer"]')
    write_files(folder, {"event.toml": "\n".join(['variants = ["the-court"]', *entries])})
    assert run_batch(folder, tmp_path / "out").decisive_items == []


def test_tokens_of_a_kingdom_that_the_photo_does_not_show_are_to_be_reviewed(event: Path, tmp_path: Path) -> None:
    (event / "event.toml").write_text(EVENT + '\n[[photo.kingdom]]\ncourt = ["A1 Queen"]\n', encoding="utf-8")
    outcome = run_batch(event, tmp_path / "out")
    assert [item.why for item in outcome.review_items if "event.toml" in item.why] == [
        "event.toml lists tokens of 3 kingdoms, and this photo shows 2 kingdoms"
    ]


def test_results_without_tokens_keep_their_keys() -> None:
    assert hash_inputs("x", Rules()) == hash_inputs("x", Rules(tokens=()))
    tokens = parse_event(EVENT).find_photo_rules("round1/table1/ann+bo.jpg").tokens
    assert hash_inputs("x", Rules(tokens=tokens)) != hash_inputs("x", Rules())


@pytest.mark.parametrize(
    "old, new, message",
    [
        (
            "C2 King",
            "C2 Kong",
            "event.toml, line 12, photo 1, kingdom 2, court 1: the court tile 'Kong' is not known; expected",
        ),
        ('["the-court"]', "[]", 'court is no part of this event; expected variants = ["the-court"] at the top'),
        ('["the-court"]', '["lost-treasures"]', "variants has 'lost-treasures'; expected one of"),
        ("resources", "coins", "coins is no part of this event; expected one of court, resources"),
        ('["B1"]', '["?"]', 'photo 1, kingdom 1, resources: resources has "?"; expected all of them, [] for none'),
    ],
)
def test_a_mistake_is_reported_with_its_place(old: str, new: str, message: str) -> None:
    assert old in EVENT
    with pytest.raises(NotationError) as error:
        parse_event(EVENT.replace(old, new))
    assert message in str(error.value)
