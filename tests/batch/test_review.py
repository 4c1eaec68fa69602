"""Review items: what may change the winner comes first."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from kdvision.batch.reading.job import Job, JobResult
from kdvision.batch.store.record import Correction, CorrectionFile
from tests.batch.text_photos import TextPhotoReader, make_photo, read_csv, read_results, run_batch, write_files

SMALL = "w1 w w / # f f1 / . l l"
"""5 points."""


def read_review_rows(tmp_path: Path, files: dict[str, bytes]) -> list[dict[str, str]]:
    run_batch(write_files(tmp_path / "photos", dict(files)), tmp_path / "out")
    return read_csv(tmp_path / "out" / "review.csv")


def make_lake(points: int) -> str:
    """Return a board worth this many points."""
    words = ["l1", *["l"] * (points - 1), "#", *["."] * 4]
    return " / ".join(" ".join(words[start : start + 5]) for start in range(0, points + 1, 5))


def test_who_wins_comes_first_then_places_then_points(tmp_path: Path) -> None:
    crown_doubts = [("B2", "f", "f1", 0.8)]  # 7 points instead of 5
    rows = read_review_rows(
        tmp_path,
        {
            "round1/table1/ann.jpg": make_photo(SMALL, doubts=crown_doubts),
            "round1/table1/bo.jpg": make_photo(make_lake(4)),
            "round1/table2/cy.jpg": make_photo(SMALL.replace("l", "s"), doubts=crown_doubts),
            "round1/table2/di.jpg": make_photo(make_lake(3)),
            "round1/table3/eve.jpg": make_photo("# w / . w", doubts=[("B1", "w", "w1", 0.9)]),
            "round1/table3/flo.jpg": make_photo(make_lake(6)),
            "round1/table3/gus.jpg": make_photo(make_lake(1)),
            "round1/table4/hal.jpg": make_photo(SMALL.replace("l", "g"), doubts=[("A1", "w1", "w", 0.7)]),
            "round1/table4/ida.jpg": make_photo(make_lake(4)),
            "round1/table5/jo.jpg": make_photo("# w", doubts=[("B1", "w", "f", 0.6)]),
        },
    )
    # Ann or Cy with 7 points would beat Flo; without the crown Hal loses the table; Eve would pass Gus; Jo: nothing.
    assert [(row["player"], row["changes"]) for row in rows] == [
        ("ann", "who wins the event"),
        ("cy", "who wins the event"),
        ("hal", "who wins table 4 of round 1"),
        ("eve", "places"),
        ("jo", ""),
    ]
    assert rows[0]["why"] == "B2 is read as f (80 % sure); as f1 the total is 7"
    assert (rows[0]["fix"], rows[2]["fix"]) == ("1:B2=f1", "1:A1=w")


def test_kingdoms_of_a_table_limit_the_side_of_each(tmp_path: Path) -> None:
    wide_photo, full_photo = (
        make_photo("# w w f f f1"),
        make_photo("w g2 g f1 g / w g2 g g g / l1 l # l g1 / l l f f1 w / l l1 f f l1"),
    )
    rows_of_three = read_review_rows(
        tmp_path / "three", {"ann.jpg": wide_photo, "bo.jpg": full_photo, "cy.jpg": make_photo(SMALL)}
    )
    rows_of_two = read_review_rows(tmp_path / "two", {"ann.jpg": wide_photo, "bo.jpg": full_photo})
    assert "or side = 5 in a game or event file) if that was played" in rows_of_two[-1]["why"]
    assert [(row["player"], row["why"][:29]) for row in (*rows_of_three, *rows_of_two)] == [
        ("ann", "the kingdom spans 1 by 6 squa"),
        ("bo", "this kingdom is a full 5 by 5"),
    ]


def test_items_of_equal_impact_are_sorted_by_stake(tmp_path: Path) -> None:
    def make_doubtful_photo(probability: float) -> bytes:
        return make_photo(SMALL, doubts=[("A1", "w1", "w", probability)])

    files = {
        "a.jpg": make_doubtful_photo(0.9),
        "b.jpg": make_doubtful_photo(0.9),
        "c.jpg": make_doubtful_photo(0.6),
        "d.jpg": make_photo(make_lake(20)),
    }
    rows = read_review_rows(tmp_path, files)
    assert [row["player"] for row in rows if row["fix"]] == ["c", "a", "b"]


def test_the_doubt_with_the_largest_impact_on_the_standings_comes_first(tmp_path: Path) -> None:
    doubts = [("C3", "l", "g", 0.6), ("B2", "f", "f1", 0.8)]  # no points more or less; 7 points instead of 5
    photos = {"ann.jpg": make_photo(SMALL, doubts=doubts), "bo.jpg": make_photo(make_lake(6))}
    (row,) = read_review_rows(tmp_path, photos)
    assert (row["changes"], row["fix"].split()[0]) == ("who wins the event", "1:B2=f1")
    assert row["why"].startswith("B2 is read as f (80 % sure); as f1 the total is 7; C3")


def test_impact_is_on_the_sum_of_all_rounds(tmp_path: Path) -> None:
    rows = read_review_rows(
        tmp_path,
        {
            "round1/ann.jpg": make_photo(SMALL, doubts=[("B2", "f", "f1", 0.8)]),
            "round1/bo.jpg": make_photo(make_lake(9)),
            "round2/ann.jpg": make_photo(make_lake(9).replace("l", "f")),
            "round2/bo.jpg": make_photo(make_lake(6)),
        },
    )
    assert [row["changes"] for row in rows] == ["who wins the event"]  # 14 to 15, or 16 to 15


def test_impact_is_on_teams_on_rounds_and_on_the_side_of_the_others(tmp_path: Path) -> None:
    def find_changes(name: str, files: dict[str, bytes]) -> list[str]:
        return [row["changes"] for row in read_review_rows(tmp_path / name, files) if row["player"] == "ann"]

    doubtful_photo = make_photo(SMALL, doubts=[("B2", "f", "f1", 0.8)])  # 7 points instead of 5
    teams = b'[[team]]\nname = "Reds"\nplayers = ["ann", "cy"]\n[[team]]\nname = "Blues"\nplayers = ["bo"]'
    photos = {"ann.jpg": doubtful_photo, "bo.jpg": make_photo(make_lake(16)), "cy.jpg": make_photo(make_lake(10))}
    assert find_changes("teams", {**photos, "event.toml": teams}) == ["which team wins"]  # 15 to 16, or 17 to 16

    round_photos = {
        "round1/table1/ann.jpg": doubtful_photo,
        "round1/table1/cy.jpg": make_photo(make_lake(3)),
        "round1/table2/bo.jpg": make_photo(make_lake(6)),
        "round1/table2/di.jpg": make_photo(make_lake(2)),
        "round2/table1/cy.jpg": make_photo(make_lake(20)),
    }
    rows = read_review_rows(tmp_path / "rounds", round_photos)
    assert [row["changes"] for row in rows if row["fix"]] == ["who wins round 1"]  # Bo with 6 points, or Ann with 7

    # With five columns each, the game is one of 5 by 5, and Bo's kingdom is complete.
    wide_photo = make_photo("# w1 w w w w", doubts=[("F1", "w", ".", 0.8)])
    full_photo = make_photo("# w w w w / f f f f f / w w w w w / f f f f f / w w l1 w w")
    side_photos = {"ann.jpg": wide_photo, "bo.jpg": full_photo, "event.toml": b'variants = ["harmony"]'}
    assert find_changes("side", side_photos) == ["who wins the event"]  # 5 to 1, or 4 to 6


class RowReader(TextPhotoReader):
    """Reads a photo with fixed squares as a board with a row more at its bottom, of which one square is doubtful."""

    def run(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, JobResult]]:
        photo = make_photo(f"{SMALL} / l l g", doubts=[("A4", "l", "l1", 0.8), ("C3", "l", "l1", 0.9)], probability=0.5)
        yield from super().run(job._replace(data=photo) if job.fixed_squares else job for job in jobs)


def test_no_correction_is_suggested_that_would_be_refused(tmp_path: Path) -> None:
    """Squares are stored by their names in the first reading, which does not have this row."""
    folder, out = write_files(tmp_path / "photos", {"ann.jpg": make_photo(SMALL)}), tmp_path / "out"
    (photo,) = run_batch(folder, out).photos
    CorrectionFile(out).add([Correction(photo.name, "", 1, "B2", "f1").attach(photo)])
    (item,) = run_batch(folder, out, RowReader()).review_items
    assert "A4 is read as l (80 % sure)" in item.why
    assert item.fixes == ("1:C3=l1",)


@pytest.mark.parametrize(("probability", "count"), [(0.97, 0), (0.5, 1)])
def test_a_certain_board_needs_no_review(probability: float, count: int, tmp_path: Path) -> None:
    photo = make_photo(SMALL, probability=probability, doubts=[("C3", "l", "g", 0.97)] if probability < 0.9 else [])
    assert len(read_review_rows(tmp_path, {"ann.jpg": photo})) == count


def test_a_conflict_of_boards_that_people_have_given_needs_no_review(tmp_path: Path) -> None:
    board, out = "# m3 w", tmp_path / "out"
    folder = write_files(tmp_path / "photos", {"ann.jpg": make_photo(board), "bo.jpg": make_photo(f"{board} / . . .")})
    run_batch(folder, out)
    for player, count in (("ann", 1), ("bo", 0)):
        CorrectionFile(out).add([Correction(f"{player}.jpg", "", 1, board=board)])
        run_batch(folder, out)
        assert len(read_csv(out / "review.csv")) == count


TOWNS = "w1 w t / # f f1 / . t t1"


def test_of_a_kingdom_with_towns_only_the_towns_are_reported(tmp_path: Path) -> None:
    """Its knights, buildings and unknown squares are not reported."""
    folder, out = write_files(tmp_path / "photos", {"ann.jpg": make_photo(SMALL)}), tmp_path / "out"
    run_batch(folder, out)
    content = read_results(out)[0]["content"]
    CorrectionFile(out).add([Correction("ann.jpg", content, 1, board=TOWNS.replace("f1", "?"))])
    run_batch(folder, out)
    (row,) = read_csv(out / "review.csv")
    assert row["why"] == "towns lie on C1, B3 and C3: Kingdomino has none, and a batch scores by its rules alone"


def test_a_kingdom_with_towns_is_reviewed_even_if_corrected(tmp_path: Path) -> None:
    """A correct board does not make its points correct."""
    files = {"ann.jpg": make_photo(SMALL), "bo.jpg": make_photo(make_lake(4))}
    out = tmp_path / "out"
    folder = write_files(tmp_path / "photos", dict(files))
    run_batch(folder, out)
    CorrectionFile(out).add([Correction("ann.jpg", read_results(out)[0]["content"], 1, board=TOWNS)])
    run_batch(folder, out)
    (row,) = read_csv(out / "review.csv")
    assert (row["player"], row["changes"]) == ("ann", "who wins")
    assert row["why"] == "towns lie on C1, B3 and C3: Kingdomino has none, and a batch scores by its rules alone"
    assert row["advice"] == "move its photo elsewhere, and score it with kdvision score, which detects the game"
    assert read_csv(out / "results.csv")[0]["review"] == "yes"
    assert [standing["note"] for standing in read_csv(out / "standings.csv")] == [
        "not scored correctly: it has towns",
        "",
    ]
    (ranking,) = run_batch(folder, out).standings.rankings
    assert ranking.verdict == "ann cannot be scored because of towns"


def test_a_photo_without_players_that_cannot_be_read_is_reviewed(tmp_path: Path) -> None:
    """It withholds the win. The advice is that of its error, or to type its board."""
    files = {"table4.jpg": make_photo(), "table5/ann.jpg": make_photo(SMALL), "table6/bo.jpg": b"broken"}
    row, other_row = read_review_rows(tmp_path, files)
    assert (row["changes"], row["photo"], row["table"]) == ("who wins", "table4.jpg", "4")
    assert row["why"] == "the photo shows no kingdom"
    assert row["advice"] == "take it from above; or type the board: kdvision review"
    assert (other_row["player"], other_row["advice"]) == ("bo", "send it again; or type the board: kdvision review")
