"""Corrections are stored separately from readings, and standings follow them."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from kdvision.batch.reading.job import Job, JobResult
from kdvision.batch.store.folder import CORRECTIONS
from kdvision.batch.store.record import (
    Correction,
    CorrectionFile,
    PhotoCorrections,
    PhotoReading,
    PhotoRecord,
    load_records,
)
from kdvision.errors import NotationError
from kdvision.game.board import Board
from tests.batch.text_photos import (
    TextPhotoReader,
    make_photo,
    read_csv,
    read_results,
    read_text_photo,
    run_batch,
    write_files,
)

SMALL = "w1 w w / # f f1 / . l l"


def correct_square(name: str, cell: str, *, kingdom: int = 1) -> Correction:
    return Correction("ann.jpg", "c", kingdom, name, cell)


def correct_board(text: str, *, kingdom: int = 1) -> Correction:
    return Correction("ann.jpg", "c", kingdom, board=text)


def combine_corrections(tmp_path: Path, *corrections: Correction) -> PhotoCorrections:
    """Return the corrections of the photo after these were stored."""
    corrections_file = CorrectionFile(tmp_path)
    corrections_file.add(corrections)
    corrections_file.reload()
    return corrections_file.find_for_photos([PhotoRecord("ann.jpg", "c", PhotoReading.parse({}))])["ann.jpg"]


def test_the_last_correction_of_a_square_counts(tmp_path: Path) -> None:
    corrections = [
        correct_square("B2", "w"),
        correct_square("A1", "."),
        correct_square("B2", "w1"),
        correct_square("A1", "l", kingdom=2),
    ]
    photo_corrections = combine_corrections(tmp_path, *corrections)
    assert photo_corrections.fixed_squares == ((1, "A1", "."), (1, "B2", "w1"), (2, "A1", "l"))
    assert [str(correction) for correction in photo_corrections.corrections] == ["1:A1=.", "1:B2=w1", "2:A1=l"]


def test_a_board_replaces_its_squares_and_can_be_corrected(tmp_path: Path) -> None:
    corrections = [
        correct_square("B2", "w"),
        correct_board("w w / # l"),
        correct_square("A1", "f2"),
        correct_square("A1", "g", kingdom=2),
    ]
    photo_corrections = combine_corrections(tmp_path, *corrections)
    assert photo_corrections.boards == {1: Board.parse("f2 w / # l")}
    assert photo_corrections.fixed_squares == ((2, "A1", "g"),)


def test_squares_that_a_correction_has_renamed_need_a_whole_board(tmp_path: Path) -> None:
    """A square that makes a domino lie above the board, or left of it, moves all names.

    Corrections name squares as they were called first.
    """
    kingdom, moved_kingdom = (
        {"board": ["# w", "l ."], "corners": [[9, 9]]},
        {"board": [". w", "# w", "l ."], "corners": [[9, 5]]},
    )
    photo = PhotoRecord("ann.jpg", "c", PhotoReading.parse({"kingdoms": [kingdom]}))
    correct_square("A1", "g").attach(photo)
    photo = replace(photo, corrected_data={"kingdoms": [moved_kingdom]})
    with pytest.raises(NotationError, match="its squares have new names"):
        correct_square("A1", "g").attach(photo)
    correct_board(". w / # w / l .").attach(photo)
    correct_square("A3", "g").attach(
        replace(photo, corrections=combine_corrections(tmp_path, correct_board(". w / # w / l .")))
    )


def test_a_kingdom_that_only_the_second_reading_shows_needs_a_whole_board(tmp_path: Path) -> None:
    """Squares are stored by their names in the first reading, which does not show this kingdom."""
    kingdoms = [{"board": ["# w"], "corners": []}, {"board": ["# l"], "corners": []}]
    first_reading = PhotoReading.parse({"kingdoms": kingdoms[:1]})
    photo = PhotoRecord("ann.jpg", "c", first_reading, corrected_data={"kingdoms": kingdoms})
    with pytest.raises(NotationError, match=r"only the second reading of ann\.jpg shows kingdom 2"):
        correct_square("B1", "l1", kingdom=2).attach(photo)
    correct_board("# l1", kingdom=2).attach(photo)


@pytest.mark.parametrize(
    "data",
    [{"kingdom": 0, "square": "A1", "cell": "w"}, {"kingdom": 1}, {"kingdom": 1, "square": "A1", "cell": "x"},
     {"kingdom": "1", "square": "A1", "cell": "w"}, {"kingdom": 1, "board": "w / w w"}],
)  # fmt: skip
def test_invalid_correction_data_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(NotationError):
        Correction.parse({"photo": "a.jpg", **data})


def test_a_correction_of_any_kingdom_that_a_photo_shows_is_stored(tmp_path: Path) -> None:
    kingdoms = [{"board": ["# w"], "corners": []}] * 30
    photo = PhotoRecord("ann.jpg", "c", PhotoReading.parse({"kingdoms": kingdoms}))
    correction = correct_square("B1", "w1", kingdom=30).attach(photo)
    assert combine_corrections(tmp_path, correction).fixed_squares == ((30, "B1", "w1"),)


def run_with_corrections(tmp_path: Path, *corrections: Correction, content: bytes | None = None) -> TextPhotoReader:
    """Read photos of Ann and Bo, add corrections, run again, and return the executor of the second run."""
    files: dict[str, bytes | str] = {"ann.jpg": content or make_photo(SMALL), "bo.jpg": make_photo("l l l l l l1 #")}
    folder, out, executor = write_files(tmp_path / "photos", files), tmp_path / "out", TextPhotoReader()
    run_batch(folder, out)
    contents = {line["photo"]: line["content"] for line in read_results(out)}
    CorrectionFile(out).add(
        [
            Correction(**{**vars(correction), "content": contents.get(correction.photo, correction.content)})
            for correction in corrections
        ]
    )
    run_batch(folder, out, executor)
    return executor


def test_a_square_is_decided_again_and_standings_follow(tmp_path: Path) -> None:
    executor = run_with_corrections(tmp_path, correct_square("B2", "f1"))
    assert executor.jobs == [("ann.jpg", 1)]
    ann = read_results(tmp_path / "out")[0]
    assert [ann["kingdoms"][0]["total"], ann["again"]["kingdoms"][0]["total"]] == [5, 7]
    assert ann["counted"]["kingdoms"][0]["board"] == ["w1 w w", "# f1 f1", ". l l"]
    assert ann["corrections"] == ["1:B2=f1"]
    leader = read_csv(tmp_path / "out" / "standings.csv")[0]
    assert (leader["player"], leader["points"], leader["note"]) == ("ann", "7", "corrected")
    row = read_csv(tmp_path / "out" / "results.csv")[0]
    assert (row["total"], row["total_read"], row["corrected"]) == ("7", "5", "yes")
    assert (tmp_path / "out" / "overlays" / "ann.jpg-corrected.jpg").exists()
    assert row["picture"] == "overlays/ann.jpg-corrected.jpg"


def test_a_board_needs_no_photo(tmp_path: Path) -> None:
    executor = run_with_corrections(tmp_path, correct_board("l l l l l l l l1 #"))
    assert executor.jobs == []
    leader = read_csv(tmp_path / "out" / "standings.csv")[0]
    assert (leader["player"], leader["points"]) == ("ann", "8")


def test_a_broken_photo_can_have_a_board(tmp_path: Path) -> None:
    run_with_corrections(tmp_path, correct_board("l l l l l l l l1 #"), content=b"broken")
    assert read_csv(tmp_path / "out" / "errors.csv") == []
    assert read_csv(tmp_path / "out" / "standings.csv")[0]["player"] == "ann"
    assert read_csv(tmp_path / "out" / "results.csv")[0]["total_read"] == ""
    assert read_results(tmp_path / "out")[0]["error"] == "the photo is damaged or cut short"


def test_the_board_of_the_second_player_is_never_that_of_the_first(tmp_path: Path) -> None:
    """The photo shows two kingdoms and cannot be read."""
    folder, out = write_files(tmp_path / "photos", {"ann+bo.jpg": b"broken"}), tmp_path / "out"
    run_batch(folder, out)
    corrections = CorrectionFile(out)
    corrections.add([Correction("ann+bo.jpg", read_results(out)[0]["content"], 2, board="# l1 l l")])
    (photo,) = run_batch(folder, out).photos
    assert read_csv(out / "results.csv") == []
    ann, bo = read_csv(out / "review.csv")
    assert [(row["player"], row["kingdom"]) for row in (ann, bo)] == [("ann", "1"), ("bo", "2")]
    assert bo["advice"] == "bo's board is typed, and counts once those before it in the photo are typed, too"
    with pytest.raises(NotationError, match="shows no kingdom 1"):
        Correction("ann+bo.jpg", "", 1, "C1", "w").attach(photo)
    corrections.add([Correction("ann+bo.jpg", photo.content, 1, board="# w1")])
    run_batch(folder, out)
    assert [(row["player"], row["total"]) for row in read_csv(out / "results.csv")] == [("ann", "1"), ("bo", "3")]


@pytest.mark.parametrize(
    ("players", "totals"),
    [("bo ann", {"ann": "1", "bo": "3"}), ("Anna bo", {"Anna": "1", "bo": "3"}), ("bo cy", {"bo": "3"})],
    ids=["order", "name", "player"],
)
def test_a_board_typed_for_a_player_of_a_damaged_photo_stays_with_that_player(
    players: str, totals: dict[str, str], tmp_path: Path
) -> None:
    """event.toml lists the players in another order, one under another name, or another player."""
    folder, out = write_files(tmp_path / "photos", {"ann+bo.jpg": b"broken"}), tmp_path / "out"
    (photo,) = run_batch(folder, out).photos
    boards = ("# w1", "# l1 l l")
    corrections = [Correction(photo.name, "", number, board=board) for number, board in enumerate(boards, start=1)]
    CorrectionFile(out).add([correction.attach(photo) for correction in corrections])
    write_files(folder, {"event.toml": f'[[photo]]\nfile = "ann+bo.jpg"\nplayers = {json.dumps(players.split())}'})
    run_batch(folder, out)
    assert {row["player"]: row["total"] for row in read_csv(out / "results.csv")} == totals
    reasons = [row["why"] for row in read_csv(out / "review.csv")]
    assert reasons == (
        []
        if len(totals) == 2
        else [
            "cy has no kingdom in round 1: the photo is damaged or cut short",
            "the board typed for ann does not count: ann+bo.jpg has other players now",
        ]
    )


def test_a_confirmed_board_needs_no_review(tmp_path: Path) -> None:
    content = make_photo(SMALL, doubts=[("B2", "f", "f2", 0.8)])
    run_with_corrections(tmp_path, content=content)
    assert [row["player"] for row in read_csv(tmp_path / "out" / "review.csv")] == ["ann"]
    run_with_corrections(tmp_path, correct_board(SMALL), content=content)
    assert read_csv(tmp_path / "out" / "review.csv") == []
    assert read_csv(tmp_path / "out" / "results.csv")[0]["corrected"] == "no"


def test_a_confirmed_board_that_breaks_a_rule_is_not_said_to_need_a_review(tmp_path: Path) -> None:
    run_with_corrections(tmp_path, correct_board(SMALL))
    assert read_results(tmp_path / "out")[0]["counted"]["kingdoms"][0]["problems"]
    assert [row["review"] for row in read_csv(tmp_path / "out/results.csv")] == ["no", "no"]
    assert [row["note"] for row in read_csv(tmp_path / "out/standings.csv")] == ["", ""]


def test_the_photo_that_a_person_corrected_counts(tmp_path: Path) -> None:
    """Also if another photo of the same kingdom is more probable."""
    files: dict[str, bytes | str] = {
        "ann.jpg": make_photo(SMALL, probability=0.6),
        "ann (2).jpg": make_photo(SMALL, probability=0.97),
        "bo.jpg": make_photo("l l l l l l1 #"),
    }
    folder, out = write_files(tmp_path / "photos", files), tmp_path / "out"
    run_batch(folder, out)
    assert list_counting_photos(out) == {"ann (2).jpg", "bo.jpg"}
    content = next(line["content"] for line in read_results(out) if line["photo"] == "ann.jpg")
    CorrectionFile(out).add([Correction("ann.jpg", content, 1, "B2", "f1")])
    run_batch(folder, out)
    assert list_counting_photos(out) == {"ann.jpg", "bo.jpg"}
    leader = read_csv(out / "standings.csv")[0]
    assert (leader["player"], leader["points"], leader["note"]) == ("ann", "7", "corrected")


def list_counting_photos(out: Path) -> set[str]:
    """Return the photos whose kingdom counts."""
    return {row["photo"] for row in read_csv(out / "results.csv") if row["counts"] == "yes"}


@dataclass
class OtherGridReader(TextPhotoReader):
    """Reads each photo as this board, which lies some pixels further right than before."""

    board: str = SMALL
    shift: float = 0.0

    def run(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, JobResult]]:
        for job in jobs:
            result = read_text_photo(job._replace(data=make_photo(self.board)))
            (kingdom,) = result.data["kingdoms"]
            kingdom["corners"] = [[x + self.shift, y] for x, y in kingdom["corners"]]
            yield job, result


@pytest.mark.parametrize(
    ("board", "shift", "is_outdated"),
    [("w w / f f1 / l l", 0.0, True), ("w w . / f f1 . / l l .", 50.0, True), (SMALL, 10.0, False)],
)
def test_a_square_is_not_corrected_where_its_name_belongs_to_another_tile(
    tmp_path: Path, board: str, shift: float, is_outdated: bool
) -> None:
    """The board is read again without its left column, or moved by a column at the same size."""
    folder, out = write_files(tmp_path / "photos", {"ann.jpg": make_photo(SMALL)}), tmp_path / "out"
    run_batch(folder, out)
    (record,) = load_records(out)[0].values()
    corrections = CorrectionFile(out)
    corrections.add([correct_square("B2", "f1").attach(record)])
    (folder / "event.toml").write_text("side = 5")
    run_batch(folder, out, OtherGridReader(board=board, shift=shift))
    (photo,), items = read_results(out), read_csv(out / "review.csv")
    if not is_outdated:
        assert (photo["corrections"], items) == (["1:B2=f1"], [])
        return
    assert (photo["corrections"], photo["counted"]) == ([], None)
    assert [item["why"] for item in items] == [
        "the correction 1:B2=f1 does not count: the squares of its kingdom have other names now"
    ]
    corrections.add([correct_square("A2", "f1").attach(next(iter(load_records(out)[0].values())))])
    run_batch(folder, out, OtherGridReader(board=board, shift=shift))
    assert (read_results(out)[0]["corrections"], read_csv(out / "review.csv")) == (["1:A2=f1"], [])


def test_a_second_reading_that_failed_hides_no_observation_of_the_first() -> None:
    """Otherwise the other kingdoms of the table would not be decided jointly."""
    first_reading, failed_reading = (
        PhotoReading(picture="ann-score.jpg", seen=[{"rows": 1}]),
        PhotoReading(error="there was not enough memory"),
    )
    photo = PhotoRecord(
        "ann.jpg", "c", first_reading, failed_reading, corrected_data={"kingdoms": [{}], "standing": None}
    )
    assert (photo.last_reading, photo.picture) == (first_reading, "ann-score.jpg")


def test_a_deleted_correction_leaves_no_trace(tmp_path: Path) -> None:
    run_with_corrections(tmp_path)
    before = (tmp_path / "out" / "results.jsonl").read_bytes()
    run_with_corrections(tmp_path, correct_square("B2", "f1"))
    (tmp_path / "out" / CORRECTIONS).unlink()
    run_batch(tmp_path / "photos", tmp_path / "out")
    result = read_results(tmp_path / "out")[0]
    assert (result["again"], result["counted"], result["corrections"]) == (None, None, [])
    assert len(before.splitlines()) == 2
    assert not (tmp_path / "out" / "overlays" / "ann.jpg-corrected.jpg").exists()


def test_another_photo_of_that_name_is_not_corrected(tmp_path: Path) -> None:
    run_with_corrections(tmp_path, correct_square("B2", "f1"))
    write_files(tmp_path / "photos", {"ann.jpg": make_photo("# w1")})
    run_batch(tmp_path / "photos", tmp_path / "out")
    assert read_results(tmp_path / "out")[0]["corrections"] == []
    assert "is about another photo of this name" in read_csv(tmp_path / "out" / "review.csv")[0]["why"]


def test_a_renamed_photo_keeps_its_correction(tmp_path: Path) -> None:
    run_with_corrections(tmp_path, correct_square("B2", "f1"))
    (tmp_path / "photos" / "ann.jpg").rename(tmp_path / "photos" / "anna.jpg")
    executor = TextPhotoReader()
    run_batch(tmp_path / "photos", tmp_path / "out", executor)
    assert executor.jobs == []
    assert read_csv(tmp_path / "out" / "standings.csv")[0]["player"] == "anna"
    assert read_csv(tmp_path / "out" / "results.csv")[0]["picture"] == "overlays/anna.jpg-corrected.jpg"


def test_the_typed_board_of_a_damaged_photo_stays_with_it_when_it_is_renamed(tmp_path: Path) -> None:
    folder, out = write_files(tmp_path / "photos", {"ann.jpg": b"broken"}), tmp_path / "out"
    (photo,) = run_batch(folder, out).photos
    CorrectionFile(out).add([Correction("ann.jpg", "", 1, board=SMALL).attach(photo)])
    (folder / "ann.jpg").rename(folder / "anna.jpg")
    run_batch(folder, out)
    assert [row["player"] for row in read_csv(out / "results.csv")] == ["anna"]
    assert read_csv(out / "review.csv") == []


def test_the_typed_boards_of_equal_damaged_photos_are_not_shared(tmp_path: Path) -> None:
    """Both files are empty. When one is renamed, its board stays with it."""
    folder, out = write_files(tmp_path / "photos", {"table1/ann.jpg": b"", "table1/bo.jpg": b""}), tmp_path / "out"
    run_batch(folder, out)
    for photo, board in (("table1/ann.jpg", "# l1 l l"), ("table1/bo.jpg", "# w1")):
        result = next(line for line in read_results(out) if line["photo"] == photo)
        correction = Correction(photo, result["content"], 1, board=board, error=result["error"])
        CorrectionFile(out).add([correction])
        run_batch(folder, out)
    assert [(row["player"], row["total"]) for row in read_csv(out / "results.csv")] == [("ann", "3"), ("bo", "1")]
    assert read_csv(out / "review.csv") == []


@pytest.mark.parametrize("is_error_known", [False, True])
@pytest.mark.parametrize(
    ("names", "content", "new_files"),
    [
        ("ann bo", b"", {}),
        ("ann bo cy", b"broken", {}),
        ("ann", b"", {"anna.jpg": b""}),
        ("ann bo", b"", {"ann.jpg": make_photo("# w1")}),
    ],
    ids=["empty", "equal", "renamed", "sent again"],
)
def test_a_board_typed_for_a_damaged_photo_is_never_that_of_an_equal_one(
    names: str, content: bytes, new_files: dict[str, bytes | str], *, is_error_known: bool, tmp_path: Path
) -> None:
    """The photo of ann is deleted, renamed or sent again. Older versions do not store its error."""
    folder, out = tmp_path / "photos", tmp_path / "out"
    photo = run_batch(write_files(folder, {f"{name}.jpg": content for name in names.split()}), out).photos[0]
    correction = Correction("ann.jpg", "", 1, board=SMALL).attach(photo)
    CorrectionFile(out).add([correction if is_error_known else replace(correction, error="")])
    (folder / "ann.jpg").unlink()
    run_batch(write_files(folder, new_files), out)
    board_by_player = {row["player"]: row["board"] for row in read_csv(out / "results.csv")}
    is_matched = "ann.jpg" in new_files and is_error_known
    assert board_by_player == ({"ann": SMALL if is_matched else "# w1"} if "ann.jpg" in new_files else {})
    reasons = [row["why"] for row in read_csv(out / "review.csv")]
    assert any("is about another photo" in why for why in reasons) is not is_matched


def type_board(folder: Path, out: Path, board: str) -> None:
    """Run the batch, and type the board of the first photo."""
    photo = run_batch(folder, out).photos[0]
    CorrectionFile(out).add([Correction(photo.name, "", 1, board=board).attach(photo)])


def test_nobody_wins_while_a_damaged_photo_with_a_typed_board_is_gone(tmp_path: Path) -> None:
    files: dict[str, bytes | str] = {"ann.jpg": b"broken", "bo.jpg": make_photo("# w1"), "cy.jpg": make_photo("# l")}
    folder, out = write_files(tmp_path / "photos", files), tmp_path / "out"
    type_board(folder, out, SMALL)
    (folder / "ann.jpg").unlink()
    for _ in range(2):
        (ranking,) = run_batch(folder, out).standings.rankings
        assert ranking.verdict == "bo leads on points, 1 to 0; ann.jpg could not be found"
    write_files(folder, {"ann.jpg": b"broken"})
    (ranking,) = run_batch(folder, out).standings.rankings
    assert ranking.verdict == "ann wins on points, 5 to 1"


def test_a_correction_of_a_photo_that_is_gone_is_missed_while_another_photo_counts(tmp_path: Path) -> None:
    """The photo counts with its correction when it is back. The other one counts once its board is confirmed."""
    files: dict[str, bytes | str] = {f"{name}.jpg": make_photo(SMALL) for name in ("ann", "ann (2)")}
    files["bo.jpg"] = make_photo("l l l l l l1 #")
    folder, out = write_files(tmp_path / "photos", files), tmp_path / "out"
    photo = next(photo for photo in run_batch(folder, out).photos if photo.name == "ann.jpg")
    CorrectionFile(out).add([Correction("ann.jpg", "", 1, "B2", "f1").attach(photo)])
    (folder / "ann.jpg").unlink()
    outcome = run_batch(folder, out)
    assert [ranking.verdict for ranking in outcome.standings.rankings] == ["bo wins on points, 6 to 5"]
    (row,) = read_csv(out / "review.csv")
    assert (row["photo"], row["changes"]) == ("ann.jpg", "points")
    assert row["why"].endswith("does not count, nor does its correction")
    write_files(folder, {"ann.jpg": files["ann.jpg"]})
    outcome = run_batch(folder, out)
    assert [ranking.verdict for ranking in outcome.standings.rankings] == ["ann wins on points, 7 to 6"]
    (folder / "ann.jpg").unlink()
    other_photo = next(photo for photo in run_batch(folder, out).photos if photo.name == "ann (2).jpg")
    CorrectionFile(out).add([Correction(other_photo.name, "", 1, board=SMALL).attach(other_photo)])
    run_batch(folder, out)
    assert [row["changes"] for row in read_csv(out / "review.csv")] == [""]


def test_a_board_typed_for_a_damaged_photo_does_not_return_after_a_later_one(tmp_path: Path) -> None:
    folder, out = (
        write_files(tmp_path / "photos", {"ann.jpg": b"broken", "bo.jpg": make_photo("# w1")}),
        tmp_path / "out",
    )
    type_board(folder, out, "w2 w2 w #")
    write_files(folder, {"ann.jpg": make_photo(SMALL)})
    type_board(folder, out, SMALL)
    (ranking,) = run_batch(folder, out).standings.rankings
    assert ranking.verdict == "ann wins on points, 5 to 1"
    write_files(folder, {"ann.jpg": b"broken again"})
    (ranking,) = run_batch(folder, out).standings.rankings
    assert ranking.verdict == "a kingdom of ann is missing"


def test_an_invalid_line_is_reported(tmp_path: Path) -> None:
    run_with_corrections(tmp_path)
    (tmp_path / "out" / CORRECTIONS).write_text(
        '{"photo": "ann.jpg", "kingdom": 1, "square": "Z", "cell": "w"}\n{oh no\n'
        '{"photo": "an.jpg", "kingdom": 1, "square": "B2", "cell": "f1"}\n'
    )
    run_batch(tmp_path / "photos", tmp_path / "out")
    reasons = [row["why"] for row in read_csv(tmp_path / "out" / "review.csv")]
    assert any("entry 1" in why for why in reasons) and any("not JSON" in why for why in reasons)
    assert any("the correction 1:B2=f1 is about another photo" in why for why in reasons)
