"""`kdvision batch` and `kdvision review` as a person meets them; photos are small texts, see text_photos.py."""

import json
import signal
import subprocess
import sys
import time
import webbrowser
from pathlib import Path
from types import SimpleNamespace

import pytest

from kdvision.batch.store.folder import ResultFolder
from tests.batch.text_photos import (
    MAX_WAIT_SECONDS,
    TextPhotoReader,
    read_csv,
    read_results,
    run_batch,
    text_photo,
    wait_until,
    write_files,
)
from tests.conftest import Run
from tests.paths import ROOT

SMALL = "w1 w w / # f f1 / . l l"


@pytest.fixture
def executor(monkeypatch: pytest.MonkeyPatch) -> TextPhotoReader:
    """The executor of batch and review."""
    readers = TextPhotoReader()
    monkeypatch.setattr("kdvision.batch.reading.workers.PoolExecutor", lambda *_: readers)
    monkeypatch.setattr("kdvision.batch.reading.workers.read_in_process", readers.run)
    return readers


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files: dict[str, bytes | str] = {
        "round1/table1/ann.jpg": text_photo(SMALL, doubts=[("B2", "f", "f1", 0.8), ("C3", "l", "l1", 0.9)]),
        "round1/table1/bo.jpg": text_photo("# w1 w w w w w"),
        "round1/table2/cy.jpg": text_photo("# w1"),
    }
    return write_files(tmp_path / "photos", files)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "the results"


# batch


def test_a_run_prints_the_leaders_and_where_the_files_are(
    run: Run, folder: Path, out: Path, executor: TextPhotoReader
) -> None:
    ran = run("batch", folder, "-o", out)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "Round 1. Bo wins on points, 6 to 5.",
        "  1. bo  6",
        "  2. ann  5  (to be reviewed)",
        "  3. cy  1",
        "3 photos, 3 kingdoms.",
        f'1 to review: kdvision review "{out}"',
        f"The report: {out / 'report.html'}",
    ]


def test_failures_make_the_exit_code_7(run: Run, folder: Path, out: Path, executor: TextPhotoReader) -> None:
    write_files(folder, {"round1/table2/di.jpg": b"broken"})
    ran = run("batch", folder, "-o", out)
    assert ran.code == 7
    assert f"1 without a result: {out / 'errors.csv'}" in ran.out


def test_files_that_are_not_photos_are_reported(run: Run, folder: Path, out: Path, executor: TextPhotoReader) -> None:
    write_files(folder, {"event.toml": "", **{f"round1/film{number}.mov": b"" for number in range(5)}})
    ran = run("batch", folder, "-o", out)
    assert ran.code == 0
    assert "skipped, because their names are not those of photos: round1/film0.mov, round1/film1.mov," in ran.err


def test_a_raw_photo_that_is_a_failure_is_not_skipped(
    run: Run, folder: Path, out: Path, executor: TextPhotoReader
) -> None:
    """It was reported twice, with two reasons."""
    write_files(folder, {"round1/table2/di.dng": b"raw", "round1/table2/cy.dng": b"raw"})
    ran = run("batch", folder, "-o", out)
    assert ran.code == 7
    assert ran.err == "kdvision: skipped, because their names are not those of photos: round1/table2/cy.dng.\n"


def test_strict_exits_with_6_if_a_review_is_needed(
    run: Run, folder: Path, out: Path, executor: TextPhotoReader
) -> None:
    assert run("batch", folder, "-o", out, "--strict").code == 6


def test_strict_ignores_what_cannot_be_reviewed(run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader) -> None:
    photo = text_photo(SMALL)
    folder = write_files(tmp_path / "photos", {"ann.jpg": photo, "ann (2).jpg": photo, "bo.jpg": text_photo("# w1")})
    assert run("batch", folder, "-o", out, "--strict").code == 0
    assert [row["advice"] for row in read_csv(out / "review.csv")] == ["nothing to do"]


def test_options_set_the_rules(run: Run, folder: Path, out: Path, executor: TextPhotoReader) -> None:
    assert run("batch", folder, "-o", out, "--harmony", "--middle-kingdom", "--size", "7").code == 0
    kingdom = read_results(out)[0]["kingdoms"][0]
    assert (kingdom["rules"], kingdom["side"]) == ("Kingdomino, Mighty Duel, Middle Kingdom, Harmony", 7)


def test_the_event_file_sets_the_rules(run: Run, folder: Path, out: Path, executor: TextPhotoReader) -> None:
    write_files(folder, {"event.toml": 'variants = ["harmony"]'})
    assert run("batch", folder, "-o", out).code == 0
    assert read_results(out)[0]["kingdoms"][0]["rules"] == "Kingdomino, Harmony"


@pytest.mark.parametrize(
    ("event", "options", "code", "message"),
    [
        ('variants = ["harmony"]', ["--middle-kingdom"], 2, "already sets the rules"),
        ("rounds = 2\ndynasty = true", [], 5, "rounds: a Dynasty of 2 rounds"),
        ("", ["--event", "nowhere.toml"], 5, "nowhere.toml cannot be read"),
        ("", ["--size", "6"], 2, "Usage"),
    ],
)
def test_invalid_options_are_reported_before_anything_is_read(
    event: str,
    options: list[str],
    code: int,
    message: str,
    run: Run,
    folder: Path,
    out: Path,
    executor: TextPhotoReader,
) -> None:
    write_files(folder, {"event.toml": event})
    ran = run("batch", folder, "-o", out, *options)
    assert (ran.code, ran.out, executor.jobs) == (code, "", [])
    assert message in " ".join(ran.err.replace("│", "").split())
    assert not out.exists()


def test_a_folder_without_photos_is_reported(run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader) -> None:
    folder = write_files(tmp_path / "photos", {"notes.txt": "x"})
    ran = run("batch", folder, "-o", out)
    assert f"{folder} has no photos: name a folder with files that end in .avif, .bmp," in ran.err


def test_results_need_their_own_folder(run: Run, folder: Path, executor: TextPhotoReader) -> None:
    ran = run("batch", folder, "-o", folder / ".")
    assert ran.code == 2 and "a folder of their own" in ran.err


def test_a_missing_folder_is_reported(run: Run, out: Path, executor: TextPhotoReader) -> None:
    ran = run("batch", out / "nowhere", "-o", out)
    assert ran.code == 1 and "cannot be read" in ran.err
    assert not out.exists()


def test_a_second_run_into_one_folder_is_refused(run: Run, folder: Path, out: Path, executor: TextPhotoReader) -> None:
    with ResultFolder(out).lock():
        ran = run("batch", folder, "-o", out)
    assert (ran.code, ran.out) == (1, "")
    assert "another run is writing" in ran.err


def test_ctrl_c_keeps_what_was_read(run: Run, folder: Path, out: Path, executor: TextPhotoReader) -> None:
    executor.stop_after = 2
    ran = run("batch", folder, "-o", out)
    assert ran.code == 1
    assert "stopped; what was read is kept" in ran.err
    assert "3 photos, 2 kingdoms.\n1 without a result" in ran.out
    assert [row["reason"] for row in read_csv(out / "errors.csv")] == ["the photo is not read yet"]
    executor.stop_after, executor.jobs = None, []
    assert run("batch", folder, "-o", out).code == 0
    assert executor.jobs == [("round1/table2/cy.jpg", 0)]


def test_a_correction_made_before_ctrl_c_counts(
    run: Run, folder: Path, out: Path, executor: TextPhotoReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A review during the run has promised that."""

    def correct_and_interrupt(jobs: object) -> None:
        assert run("review", out, "--fix", "round1/table1/ann.jpg:1:B2=f1").code == 0
        raise KeyboardInterrupt

    run("batch", folder, "-o", out)
    assert leader(out) == ("bo", "6")
    monkeypatch.setattr(executor, "run", correct_and_interrupt)
    assert run("batch", folder, "-o", out).code == 1
    assert leader(out) == ("ann", "7")


# review


def review_with_answers(run: Run, out: Path, *answers: str) -> str:
    ran = run("review", out, stdin="".join(f"{answer}\n" for answer in answers).encode())
    assert ran.code == 0, ran.err
    return ran.out


@pytest.fixture
def read(folder: Path, out: Path, executor: TextPhotoReader) -> Path:
    """The results of a run."""
    run_batch(folder, out)
    return out


def leader(out: Path) -> tuple[str, str]:
    first = read_csv(out / "standings.csv")[0]
    return first["player"], first["points"]


def test_review_shows_what_is_uncertain_and_takes_a_correction(run: Run, read: Path) -> None:
    printed = review_with_answers(run, read, "1", "")
    assert "1 of 1 · may change who wins the event" in printed
    assert "B2 is read as f (80 % sure); as f1 the total is 7" in printed
    assert "\nCompare it with the photo.\n" in printed
    assert "1 1:B2=f1 · 2 1:C3=l1 · C3=w1 correct a square" in printed
    assert leader(read) == ("ann", "7")
    assert read_csv(read / "review.csv") == []
    kept = [json.loads(line) for line in (read / "corrections.jsonl").read_text().splitlines()]
    assert [one.get("square") for one in kept] == ["B2", None]


def test_enter_confirms_the_board_as_shown(run: Run, read: Path) -> None:
    review_with_answers(run, read, "")
    assert leader(read) == ("bo", "6")
    assert read_csv(read / "review.csv") == []
    assert read_csv(read / "results.csv")[0]["corrected"] == "no"


@pytest.mark.parametrize(
    ("answer", "first"), [("C3=l1", ("ann", "7")), ("1:A1=g2", ("bo", "6")), ("board # l1 l l l l l l", ("ann", "7"))]
)
def test_any_square_and_a_whole_board_can_be_corrected(
    answer: str, first: tuple[str, str], run: Run, read: Path
) -> None:
    review_with_answers(run, read, answer, "q")
    assert leader(read) == first


@pytest.mark.parametrize("answers", [["q"], ["s"], [], ["o", "s"]])
def test_without_corrections_nothing_changes(
    answers: list[str], run: Run, read: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    before = (read / "results.jsonl").read_bytes()
    review_with_answers(run, read, *answers)
    assert (read / "results.jsonl").read_bytes() == before
    assert not (read / "corrections.jsonl").exists()
    assert len(opened) == answers.count("o")


@pytest.mark.parametrize(
    ("answer", "message"),
    [("Z9=w", "has no square Z9"), ("C3", "is not a correction"), ("C3=x", "is no square"), ("board w / w w", "row 2"),
     ("7:A1=w", "shows no kingdom 7"), ("?", "'?' is not a correction. Write"), ("C3=?", "'C3=?' corrects nothing")],
)  # fmt: skip
def test_an_invalid_answer_is_asked_again(answer: str, message: str, run: Run, read: Path) -> None:
    ran = run("review", read, stdin=f"{answer}\nq\n".encode())
    assert ran.code == 0 and message in ran.err
    assert not (read / "corrections.jsonl").exists()


def test_review_says_how_many_results_have_no_known_effect(
    run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader
) -> None:
    photo = text_photo(SMALL, probability=0.5)
    run_batch(write_files(tmp_path / "photos", {"ann.jpg": photo, "bo.jpg": text_photo("# w1")}), out)
    assert "Nothing needs to be checked.\n--all also asks about 1 uncertain result without a known effect" in (
        review_with_answers(run, out)
    )


def test_review_says_what_is_not_done_here(run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader) -> None:
    """It offered only to continue, as if that did something."""
    files: dict[str, bytes | str] = {"an.jpg": text_photo(SMALL), "event.toml": 'players = ["an", "Bo"]'}
    run_batch(write_files(tmp_path / "photos", {**files, "b.jpg": text_photo("# w1")}), out)
    printed = review_with_answers(run, out, "", "")
    text = "Correct the photo's name or event.toml.\nNothing changes here: do that, then run kdvision batch again.\n"
    assert f"{text}[Enter] continue · o open" in printed


def test_a_kingdom_that_another_photo_shows_differently_can_be_corrected_in_review(
    run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader
) -> None:
    photos = {"ann.jpg": text_photo(SMALL), "ann (2).jpg": text_photo(SMALL.replace("l l", "l l1"), probability=0.9)}
    run_batch(write_files(tmp_path / "photos", {**photos}), out)
    printed = review_with_answers(run, out, "")
    assert "Compare both: ann.jpg counts; correct it if it is wrong.\n[Enter] the board is right · C3=w1" in printed
    assert read_csv(out / "review.csv") == []


def test_the_largest_kingdom_of_a_photo_is_confirmed_in_review(
    run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader
) -> None:
    """It was asked about for ever, unless event.toml named the player of the other one."""
    photos = {"ann.jpg": text_photo(SMALL, "# w1"), "bo.jpg": text_photo("# l1")}
    run_batch(write_files(tmp_path / "photos", {**photos}), out)
    printed = review_with_answers(run, out, "")
    assert "ann has one: kingdom 1 counts.\n" in printed and "[Enter] the board is right" in printed
    assert read_csv(out / "review.csv") == []


def test_review_says_how_a_conflict_of_a_whole_table_is_corrected(
    run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader
) -> None:
    """It said that nothing changes here, and that another run does."""
    photos = {"table1/ann.jpg": text_photo("# m3 w"), "table1/bo.jpg": text_photo("# m3 w / . . .")}
    run_batch(write_files(tmp_path / "photos", {**photos}), out)
    printed = review_with_answers(run, out, "")
    text = "Compare its photos, and correct a board with kdvision review OUT --fix PHOTO:1:C3=w1.\n[Enter] continue"
    assert text in printed


def test_ctrl_c_in_review_applies_the_corrections_so_far(run: Run, read: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["B2=f1\n"])

    def answer() -> str:
        for text in answers:
            return text
        raise KeyboardInterrupt

    monkeypatch.setattr(
        sys.modules["kdvision.cli.review"], "sys", SimpleNamespace(stdin=SimpleNamespace(readline=answer))
    )
    assert run("review", read).code == 0
    assert leader(read) == ("ann", "7")


def test_a_board_for_a_missing_player_replaces_no_other_kingdom(
    run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader
) -> None:
    """It must not replace kingdom 1 of the photo, which was read correctly."""
    run_batch(write_files(tmp_path / "photos", {"ann+bo.jpg": text_photo(SMALL)}), out)
    ran = run("review", out, stdin=b"board # l1 l l l\nq\n")
    assert "Ann has no kingdom" in ran.out and "Name its players in event.toml" in ran.out
    assert "board w w1 /" not in ran.out
    assert f'kdvision review "{out}" --board ann+bo.jpg:K=BOARD' in ran.err
    assert not (out / "corrections.jsonl").exists()
    assert run("review", out, "--board", "ann+bo.jpg:2=# l1 l l l").code == 0
    assert leader(out) == ("ann", "5")


def test_a_board_is_shown_with_the_rules_of_its_table(
    run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader
) -> None:
    """Three kingdoms have a side of five, whatever one of them looks like."""
    wide = text_photo("# w1 w w w w", doubts=[("B1", "w1", "w", 0.8)])
    run_batch(
        write_files(tmp_path / "photos", {"ann.jpg": wide, "bo.jpg": text_photo(SMALL), "cy.jpg": text_photo("# w1")}),
        out,
    )
    assert "1 kingdom · Kingdomino\n" in run("review", out, stdin=b"q\n").out


def test_corrections_without_questions(run: Run, read: Path) -> None:
    fix, board = "round1/table1/ann.jpg:1:B2=f1", "round1/table2/cy.jpg:1=# l1 l l l l l l l"
    ran = run("review", read, "--fix", fix, "--fix", "round1/table2/cy.jpg:1:B1=l2", "--board", board)
    assert ran.code == 0 and "1. cy  16" in ran.out
    assert [row["points"] for row in read_csv(read / "standings.csv")[:3]] == ["16", "7", "6"]


@pytest.mark.parametrize("photo", ["round1/table2/cy.jpg", "round1/table2/di.jpg"])
def test_a_fix_beside_a_board_corrects_that_board(
    photo: str, run: Run, folder: Path, out: Path, executor: TextPhotoReader
) -> None:
    """One photo was read as a smaller board, the other failed."""
    run_batch(write_files(folder, {"round1/table2/di.jpg": b"broken"}), out)
    board = f"{photo}:1=# l1 l / . l l"
    assert run("review", out, "--board", board, "--fix", f"{photo}:1:C2=l2").code == 0
    rows = {row["photo"]: row["board"] for row in read_csv(out / "results.csv")}
    assert rows[photo] == "# l1 l / . l l2"
    ran = run("review", out, "--board", board, "--fix", f"{photo}:1:A3=l2")
    assert ran.code == 5 and "Its squares are A1 to C2" in ran.err


def test_a_file_whose_board_was_typed_has_a_result(
    run: Run, folder: Path, out: Path, executor: TextPhotoReader
) -> None:
    """A broken link stayed a failure, unlike a damaged photo."""
    write_files(folder, {"round1/table2/di.jpg": b"broken"})
    (folder / "round1/table2/eve.jpg").symlink_to("nowhere")
    assert run("batch", folder, "-o", out).code == 7
    names = ["round1/table2/di.jpg", "round1/table2/eve.jpg"]
    assert [row["file"] for row in read_csv(out / "errors.csv")] == names
    ran = run("review", out, *(option for name in names for option in ("--board", f"{name}:1=# l1")))
    assert ran.code == 0 and "without a result" not in ran.out
    assert run("batch", folder, "-o", out).code == 0
    assert read_csv(out / "errors.csv") == []


@pytest.mark.parametrize("is_damaged", [False, True])
@pytest.mark.parametrize("board", ["l1 l / # .", "f / #"])
def test_a_board_typed_before_its_photo_can_be_read_is_compared_with_it(
    board: str, run: Run, folder: Path, out: Path, executor: TextPhotoReader, *, is_damaged: bool
) -> None:
    """It counted, and nothing said that the photo shows another one; the board for a damaged photo was dropped."""
    photo, is_same = folder / "round1/table2/di.jpg", board.startswith("l1")
    if is_damaged:
        photo.write_bytes(b"broken")
    else:
        photo.symlink_to("nowhere")
    assert run("batch", folder, "-o", out).code == 7
    assert run("review", out, "--board", f"round1/table2/di.jpg:1={board}").code == 0
    photo.unlink()
    photo.write_bytes(text_photo("# l1 / . l"))
    run("batch", folder, "-o", out)
    (result,) = (row for row in read_csv(out / "results.csv") if row["player"] == "di")
    assert (result["board"], result["total_read"]) == (board, "2")
    whys = [row["why"] for row in read_csv(out / "review.csv") if row["photo"].endswith("di.jpg")]
    text = "its board was typed before the photo could be read, and the photo was read differently: 0 and 2 points"
    assert whys == ([] if is_same else [text])
    read_count = 1 + (not is_same)
    review_with_answers(run, out, *[""] * read_count)
    assert [row["player"] for row in read_csv(out / "review.csv") if row["player"] == "di"] == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--fix", "ann.jpg:1:B2=f1"], "Did you mean round1/table1/ann.jpg?\n"),
        (["--fix", "B2"], "is not a correction"),
        (["--fix", "round1/table1/ann.jpg:1:Z9=w"], "Its squares are A1 to C3"),
        (["--fix", "round1/table1/ann.jpg:2:A1=w"], "Give a number from 1 to 1"),
        (["--board", "round1/table1/ann.jpg=w"], "is not the board of a photo"),
        (["--board", "round1/table1/ann.jpg:3=w"], "Give a number from 1 to 2"),
    ],
)
def test_an_invalid_correction_is_refused(options: list[str], message: str, run: Run, read: Path) -> None:
    ran = run("review", read, *options)
    assert (ran.code, ran.out) == (5, "")
    assert message in ran.err


def test_a_board_for_a_photo_that_failed(run: Run, folder: Path, out: Path, executor: TextPhotoReader) -> None:
    write_files(folder, {"round1/table2/di.jpg": b"broken"})
    run_batch(folder, out)
    review_with_answers(run, out, "board # l1 l l l l l l", "q")
    assert leader(out) == ("di", "7")
    assert read_csv(out / "errors.csv") == []


def test_boards_for_two_players_of_a_photo_that_failed(
    run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader
) -> None:
    run_batch(write_files(tmp_path / "photos", {"ann+bo.jpg": b"broken", "cy.jpg": text_photo(SMALL)}), out)
    review_with_answers(run, out, "board # l1 l l", "board # w1 w")
    totals = {row["player"]: row["total"] for row in read_csv(out / "results.csv")}
    assert totals == {"ann": "3", "bo": "2", "cy": totals["cy"]}


def test_a_board_of_the_first_player_only_leaves_the_photo_a_failure(
    run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader
) -> None:
    """The photo was no failure any more, nobody had the board, and two players were missing."""
    folder = write_files(tmp_path / "photos", {"ann+bo.jpg": b"broken", "cy.jpg": text_photo(SMALL)})
    run_batch(folder, out)
    assert "a kingdom of bo is missing." in review_with_answers(run, out, "board # l1 l l", "q")
    assert [row["player"] for row in read_csv(out / "results.csv")] == ["ann", "cy"]
    assert [row["file"] for row in read_csv(out / "errors.csv")] == ["ann+bo.jpg"]
    ran = run("review", out, stdin=b"board # w1 w\n")
    assert "damaged or cut short.\nSend it again; or type the board.\n[Enter] continue · board w w1 /" in ran.out
    assert "cy wins" in ran.out.lower() and read_csv(out / "errors.csv") == []


def test_a_photo_is_named_in_any_unicode_form(run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader) -> None:
    run_batch(write_files(tmp_path / "photos", {"zoe\u0308.jpg": text_photo(SMALL)}), out)
    for name in ("zoe\u0308.jpg", "zo\u00eb.jpg"):
        assert run("review", out, "--fix", f"{name}:1:A1=w").code == 0


def test_a_review_after_the_rules_have_changed_asks_for_another_run(run: Run, read: Path, folder: Path) -> None:
    assert "have changed" not in run("review", read).err
    write_files(folder, {"event.toml": 'variants = ["harmony"]'})
    message = f'have changed since the photos were read: run kdvision batch {folder} -o "{read}"'
    assert message in run("review", read).err


def test_nobody_wins_before_all_photos_are_read(run: Run, read: Path, folder: Path) -> None:
    write_files(folder, {"round1/table2/IMG_0001.jpg": text_photo("# l1")})
    ran = run("review", read, stdin=b"q\n")
    assert "leads on points, 6 to 5; round1/table2/IMG_0001.jpg could not be read" in ran.out
    assert [row["reason"] for row in read_csv(read / "errors.csv")] == ["the photo is not read yet"]
    run_batch(folder, read)
    assert read_csv(read / "errors.csv") == []


def test_the_problems_of_a_typed_board_are_printed(run: Run, read: Path) -> None:
    ran = run("review", read, "--board", "round1/table2/cy.jpg:1=# w4 # w")
    assert ran.code == 0
    assert "kdvision: round1/table2/cy.jpg, kingdom 1: there are 2 castles" in ran.err
    assert "the box has no square w4 (B1)" in ran.err


def test_an_unknown_square_of_a_typed_board_is_reviewed(run: Run, read: Path) -> None:
    assert run("review", read, "--board", "round1/table2/cy.jpg:1=w ? / # l").code == 0
    why = read_csv(read / "review.csv")[0]["why"]
    assert why == "if B1 is m3, the total is 3; it is not known what lies on B1; the dominoes are not checked"


def test_a_correction_of_a_photo_that_is_gone_says_that_it_does_not_count(run: Run, read: Path, folder: Path) -> None:
    (folder / "round1/table2/cy.jpg").unlink()
    run_batch(folder, read)
    ran = run("review", read, "--board", "round1/table2/cy.jpg:1=# l1 l")
    assert "cy.jpg is not in the folder: its correction counts when it is back" in ran.err


def test_corrections_during_a_run_are_stored_for_it(run: Run, read: Path, folder: Path) -> None:
    with ResultFolder(read).lock():
        ran = run("review", read, "--fix", "round1/table1/ann.jpg:1:B2=f1")
    assert ran.code == 0 and "another run is writing to this folder" in ran.err
    assert leader(read) == ("bo", "6")
    run_batch(folder, read)
    assert leader(read) == ("ann", "7")


def test_the_page_is_opened(run: Run, read: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    assert run("review", read, "--page").code == 0
    assert run("review", read, "--page", "--fix", "round1/table1/ann.jpg:1:B2=f1").code == 0
    assert opened == [(read / "report.html").resolve().as_uri()] * 2
    assert leader(read) == ("ann", "7")


def test_a_folder_without_results_is_reported(run: Run, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / ("x" * 300)):
        ran = run("review", path)
        assert ran.code == 5 and "is not a folder of results" in ran.err


# watch

WATCH = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # some shells start background processes without it
from kdvision.batch import run
from kdvision.batch.reading import workers
from kdvision.cli import main
from tests.batch.text_photos import TextPhotoReader
workers.PoolExecutor, run.WATCH_INTERVAL_SECONDS = lambda *_: TextPhotoReader(), 0.1
main(["batch", sys.argv[1], "-o", sys.argv[2], "--watch"])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent as POSIX does")
def test_watch_reads_photos_and_corrections_as_they_arrive(
    run: Run, folder: Path, out: Path, executor: TextPhotoReader
) -> None:
    def wait_for(path: Path, text: str) -> None:
        wait_until(lambda: path.exists() and text in path.read_text(encoding="utf-8"), f"{path.name} contains {text!r}")

    messages = folder.with_name("messages")
    command = [sys.executable, "-c", WATCH, str(folder), str(out)]
    with (
        messages.open("w", encoding="utf-8") as stderr,
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=stderr, text=True) as watcher,
    ):
        try:
            wait_for(out / "results.csv", "bo.jpg")
            write_files(folder, {"round1/table2/di.jpg": text_photo("# l1 l l")})
            wait_for(out / "standings.csv", ",di,")
            assert run("review", out, "--fix", "round1/table2/di.jpg:1:B1=l").code == 0
            wait_for(out / "results.csv", "# l l l,# l1 l l")
            write_files(folder, {"event.toml": "rounds = 2\ndynasty = true"})
            wait_for(messages, "a Dynasty of 2 rounds")
            write_files(folder, {"event.toml": 'name = "The cup"'})
            wait_for(out / "report.html", "<h1>The cup</h1>")
        finally:
            watcher.send_signal(signal.SIGINT)
            try:
                printed, _ = watcher.communicate(timeout=MAX_WAIT_SECONDS)
            finally:
                watcher.kill()
    errors = messages.read_text(encoding="utf-8")
    assert watcher.returncode == 0, errors
    assert "4 photos, 4 kingdoms." in printed
    assert "watching" in errors and "a Dynasty of 2 rounds" in errors and "Traceback" not in errors


def interrupt(seconds: float) -> None:
    raise KeyboardInterrupt


def test_watch_prints_the_verdict_of_the_widest_ranking_only(
    run: Run, folder: Path, out: Path, executor: TextPhotoReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One team alone has no verdict, although its table has one."""
    write_files(folder, {"event.toml": '[[team]]\nname = "Reds"\nplayers = ["ann", "bo"]'})
    monkeypatch.setattr("kdvision.batch.run.time", SimpleNamespace(time=lambda: time.time() + 60, sleep=interrupt))
    ran = run("batch", folder, "-o", out, "--watch")
    assert (ran.code, ran.err.splitlines()[-1]) == (0, "kdvision: 3 photos read.")


def test_watch_counts_the_photos_that_were_read(
    run: Run, folder: Path, out: Path, executor: TextPhotoReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(folder, {"round1/table2/dee.jpg": b"no photo"})
    monkeypatch.setattr("kdvision.batch.run.time", SimpleNamespace(time=lambda: time.time() + 60, sleep=interrupt))
    assert "kdvision: 3 photos read" in run("batch", folder, "-o", out, "--watch").err


def test_ctrl_c_in_watch_keeps_the_results_of_a_folder_that_is_away(
    run: Run, folder: Path, out: Path, executor: TextPhotoReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    def remove_folder(seconds: float) -> None:
        if not folder.exists():
            raise KeyboardInterrupt
        folder.rename(folder.with_name("elsewhere"))

    monkeypatch.setattr("kdvision.batch.run.time", SimpleNamespace(time=lambda: time.time() + 60, sleep=remove_folder))
    ran = run("batch", folder, "-o", out, "--watch")
    assert ran.code == 0 and "photos cannot be read: No such file" in ran.err
    assert "Round 1. Bo wins on points, 6 to 5." in ran.out and len(read_csv(out / "results.csv")) == 3


def test_ctrl_c_in_watch_writes_what_was_read_last(
    run: Run, folder: Path, out: Path, executor: TextPhotoReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two photos arrive after the first report, and the second of them is being read."""
    executor.stop_after = 4
    new_files: dict[str, bytes | str] = {f"round1/table2/{name}.jpg": text_photo("# l1") for name in ("di", "eve")}
    clock = SimpleNamespace(time=lambda: time.time() + 60, sleep=lambda seconds: write_files(folder, new_files))
    monkeypatch.setattr("kdvision.batch.run.time", clock)
    ran = run("batch", folder, "-o", out, "--watch")
    assert ran.code == 7 and "5 photos, 4 kingdoms.\n1 without a result" in ran.out
    assert "Bo leads on points, 6 to 5; a kingdom of eve is missing." in ran.out
    assert "di" in {row["player"] for row in read_csv(out / "standings.csv")}
