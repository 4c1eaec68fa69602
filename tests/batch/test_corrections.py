"""What people say is kept apart from what was read, and standings follow it."""

from pathlib import Path

import pytest

from kdvision.batch.corrections import FILE, Book, Correction, fixes_of
from kdvision.errors import NotationError
from kdvision.game.board import Board
from tests.nights import Readers, lines, night, photo, put, sheet

SMALL = "w1 w w / # f f1 / . l l"


def square(name: str, cell: str, *, kingdom: int = 1) -> Correction:
    return Correction("ann.jpg", "c", kingdom, name, cell)


def board(text: str, *, kingdom: int = 1) -> Correction:
    return Correction("ann.jpg", "c", kingdom, board=text)


def test_the_last_word_counts() -> None:
    said = [square("B2", "w"), square("A1", "."), square("B2", "w1"), square("A1", "l", kingdom=2)]
    fixes = fixes_of(said)
    assert fixes.fixed_squares == ((1, "A1", "."), (1, "B2", "w1"), (2, "A1", "l"))
    assert [str(one) for one in fixes.said] == ["1:A1=.", "1:B2=w1", "2:A1=l"]


def test_a_board_takes_the_place_of_its_squares_and_can_be_corrected() -> None:
    fixes = fixes_of([square("B2", "w"), board("w w / # l"), square("A1", "f2"), square("A1", "g", kingdom=2)])
    assert fixes.boards == {1: Board.parse("f2 w / # l")}
    assert fixes.fixed_squares == ((2, "A1", "g"),)


@pytest.mark.parametrize(
    "data",
    [{"kingdom": 0, "square": "A1", "cell": "w"}, {"kingdom": 1}, {"kingdom": 1, "square": "A1", "cell": "x"},
     {"kingdom": "1", "square": "A1", "cell": "w"}, {"kingdom": 1, "board": "w / w w"}],
)  # fmt: skip
def test_what_is_no_correction_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(NotationError):
        Correction.of({"photo": "a.jpg", **data})


def corrected(tmp_path: Path, *said: Correction, content: bytes | None = None) -> Readers:
    """A night after which Ann and Bo were read, corrections, and the night after that; the second crew."""
    files: dict[str, bytes | str] = {"ann.jpg": content or photo(SMALL), "bo.jpg": photo("l l l l l l1 #")}
    folder, out, crew = put(tmp_path / "photos", files), tmp_path / "out", Readers()
    night(folder, out)
    known = {line["photo"]: line["content"] for line in lines(out)}
    Book(out).add([Correction(**{**vars(one), "content": known.get(one.photo, one.content)}) for one in said])
    night(folder, out, crew)
    return crew


def test_a_square_is_decided_again_and_standings_follow(tmp_path: Path) -> None:
    crew = corrected(tmp_path, square("B2", "f1"))
    assert crew.jobs == [("ann.jpg", 1)]
    ann = lines(tmp_path / "out")[0]
    assert [ann["kingdoms"][0]["total"], ann["again"]["kingdoms"][0]["total"]] == [5, 7]
    assert ann["counted"]["kingdoms"][0]["board"] == ["w1 w w", "# f1 f1", ". l l"]
    assert ann["corrections"] == ["1:B2=f1"]
    first = sheet(tmp_path / "out" / "standings.csv")[0]
    assert (first["player"], first["points"], first["note"]) == ("ann", "7", "corrected")
    row = sheet(tmp_path / "out" / "results.csv")[0]
    assert (row["total"], row["total_read"], row["corrected"]) == ("7", "5", "yes")
    assert (tmp_path / "out" / "overlays" / "ann.jpg-corrected.jpg").exists()
    assert row["picture"] == "overlays/ann.jpg-corrected.jpg"


def test_a_board_needs_no_photo(tmp_path: Path) -> None:
    crew = corrected(tmp_path, board("l l l l l l l l1 #"))
    assert crew.jobs == []
    first = sheet(tmp_path / "out" / "standings.csv")[0]
    assert (first["player"], first["points"]) == ("ann", "8")


def test_a_broken_photo_can_have_a_board(tmp_path: Path) -> None:
    corrected(tmp_path, board("l l l l l l l l1 #"), content=b"broken")
    assert sheet(tmp_path / "out" / "errors.csv") == []
    assert sheet(tmp_path / "out" / "standings.csv")[0]["player"] == "ann"
    assert sheet(tmp_path / "out" / "results.csv")[0]["total_read"] == ""
    assert lines(tmp_path / "out")[0]["error"] == "the photo is damaged or cut short"


def test_vouching_for_a_board_ends_the_doubt(tmp_path: Path) -> None:
    content = photo(SMALL, doubts=[("B2", "f", "f2", 0.8)])
    corrected(tmp_path, content=content)
    assert [row["player"] for row in sheet(tmp_path / "out" / "review.csv")] == ["ann"]
    corrected(tmp_path, board(SMALL), content=content)
    assert sheet(tmp_path / "out" / "review.csv") == []
    assert sheet(tmp_path / "out" / "results.csv")[0]["corrected"] == "no"


def test_a_correction_taken_back_leaves_nothing(tmp_path: Path) -> None:
    corrected(tmp_path)
    before = (tmp_path / "out" / "results.jsonl").read_bytes()
    corrected(tmp_path, square("B2", "f1"))
    (tmp_path / "out" / FILE).unlink()
    night(tmp_path / "photos", tmp_path / "out")
    now = lines(tmp_path / "out")[0]
    assert (now["again"], now["counted"], now["corrections"]) == (None, None, [])
    assert len(before.splitlines()) == 2
    assert not (tmp_path / "out" / "overlays" / "ann.jpg-corrected.jpg").exists()


def test_another_photo_of_that_name_is_not_corrected(tmp_path: Path) -> None:
    corrected(tmp_path, square("B2", "f1"))
    put(tmp_path / "photos", {"ann.jpg": photo("# w1")})
    night(tmp_path / "photos", tmp_path / "out")
    assert lines(tmp_path / "out")[0]["corrections"] == []
    assert "is about another photo of this name" in sheet(tmp_path / "out" / "review.csv")[0]["why"]


def test_a_renamed_photo_keeps_its_correction(tmp_path: Path) -> None:
    corrected(tmp_path, square("B2", "f1"))
    (tmp_path / "photos" / "ann.jpg").rename(tmp_path / "photos" / "anna.jpg")
    crew = Readers()
    night(tmp_path / "photos", tmp_path / "out", crew)
    assert crew.jobs == []
    assert sheet(tmp_path / "out" / "standings.csv")[0]["player"] == "anna"
    assert sheet(tmp_path / "out" / "results.csv")[0]["picture"] == "overlays/anna.jpg-corrected.jpg"


def test_a_line_written_by_hand_that_is_none_is_told(tmp_path: Path) -> None:
    corrected(tmp_path)
    (tmp_path / "out" / FILE).write_text('{"photo": "ann.jpg", "kingdom": 1, "square": "Z", "cell": "w"}\n{oh no\n')
    night(tmp_path / "photos", tmp_path / "out")
    told = [row["why"] for row in sheet(tmp_path / "out" / "review.csv")]
    assert any("entry 1" in why for why in told) and any("no JSON" in why for why in told)
