"""`kdvision batch` and `kdvision review` as a person meets them; photos are small texts, see text_photos.py."""

import json
import shutil
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
    make_photo,
    read_csv,
    read_results,
    run_batch,
    wait_until,
    write_files,
)
from tests.conftest import Run
from tests.paths import ROOT

SMALL = "w1 w w / # f f1 / . l l"


@pytest.fixture
def executor(monkeypatch: pytest.MonkeyPatch) -> TextPhotoReader:
    """The executor of batch and review."""
    reader = TextPhotoReader()
    monkeypatch.setattr("kdvision.batch.reading.workers.PoolExecutor", lambda *_: reader)
    monkeypatch.setattr("kdvision.batch.reading.workers.read_in_process", reader.run)
    return reader


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files: dict[str, bytes | str] = {
        "round1/table1/ann.jpg": make_photo(SMALL, doubts=[("B2", "f", "f1", 0.8), ("C3", "l", "l1", 0.9)]),
        "round1/table1/bo.jpg": make_photo("# w1 w w w w w"),
        "round1/table2/cy.jpg": make_photo("# w1"),
    }
    return write_files(tmp_path / "photos", files)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "the results"


# batch


def test_a_run_prints_the_leaders_and_where_the_files_are(
    run: Run, folder: Path, out: Path, executor: TextPhotoReader
) -> None:
    result = run("batch", folder, "-o", out)
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines() == [
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
    result = run("batch", folder, "-o", out)
    assert result.code == 7
    assert f"1 without a result: {out / 'errors.csv'}" in result.out


def test_files_that_are_not_photos_are_reported(run: Run, folder: Path, out: Path, executor: TextPhotoReader) -> None:
    write_files(folder, {"event.toml": "", **{f"round1/film{number}.mov": b"" for number in range(5)}})
    result = run("batch", folder, "-o", out)
    assert result.code == 0
    assert "skipped, because their names are not those of photos: round1/film0.mov, round1/film1.mov," in result.err


def test_a_raw_photo_that_is_a_failure_is_not_skipped(
    run: Run, folder: Path, out: Path, executor: TextPhotoReader
) -> None:
    """It is reported once, as a failure."""
    write_files(folder, {"round1/table2/di.dng": b"raw", "round1/table2/cy.dng": b"raw"})
    result = run("batch", folder, "-o", out)
    assert result.code == 7
    assert result.err == "kdvision: skipped, because their names are not those of photos: round1/table2/cy.dng.\n"


def test_strict_exits_with_6_if_a_review_is_needed(
    run: Run, folder: Path, out: Path, executor: TextPhotoReader
) -> None:
    assert run("batch", folder, "-o", out, "--strict").code == 6


def test_strict_ignores_what_cannot_be_reviewed(run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader) -> None:
    photo = make_photo(SMALL)
    folder = write_files(tmp_path / "photos", {"ann.jpg": photo, "ann (2).jpg": photo, "bo.jpg": make_photo("# w1")})
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
    result = run("batch", folder, "-o", out, *options)
    assert (result.code, result.out, executor.jobs) == (code, "", [])
    assert message in " ".join(result.err.replace("│", "").split())
    assert not out.exists()


def test_a_folder_without_photos_is_reported(run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader) -> None:
    folder = write_files(tmp_path / "photos", {"notes.txt": "x"})
    result = run("batch", folder, "-o", out)
    assert f"{folder} has no photos: name a folder with files that end in .avif, .bmp," in result.err


def test_results_need_their_own_folder(run: Run, folder: Path, executor: TextPhotoReader) -> None:
    result = run("batch", folder, "-o", folder / ".")
    assert result.code == 2 and "a folder of their own" in result.err


@pytest.mark.parametrize("place", ["photos/round1", "photos/round1/table1", "link"])
def test_results_replace_no_photos(place: str, run: Run, folder: Path, executor: TextPhotoReader) -> None:
    """A folder of results is not read. Results beside the photos, or in the folder around them, are fine."""
    (folder.parent / "link").symlink_to(folder / "round1/table2")
    result = run("batch", folder, "-o", folder.parent / place)
    assert (result.code, executor.jobs) == (2, []) and "no run has written" in result.err
    assert run("batch", folder, "-o", folder / "results").code == 0
    assert run("batch", folder, "-o", folder.parent).code == 0
    assert len(executor.jobs) == 6


def test_results_replace_no_files_of_others(run: Run, results: Path, folder: Path, executor: TextPhotoReader) -> None:
    assert run("review", results, "--fix", "round1/table1/ann.jpg:1:B2=f1").code == 0
    (results / ".run.json").unlink()
    files = [path for path in results.iterdir() if path.is_file() and not path.name.startswith(".")]
    assert len(files) == 7
    contents = {path: b'{"step": 1}\n' if path.suffix == ".jsonl" else path.read_bytes() for path in files}
    for path in files:
        path.unlink()
    for path, content in contents.items():
        path.write_bytes(content)
        result = run("batch", folder, "-o", results)
        assert result.code == 2 and "no run has written" in result.err and path.read_bytes() == content
        path.unlink()
    assert run("batch", folder, "-o", results).code == 0


@pytest.mark.parametrize("name", ["results.jsonl", "corrections.jsonl", "all"])
def test_a_run_continues_with_a_copy_without_hidden_files(
    name: str, run: Run, results: Path, folder: Path, tmp_path: Path, executor: TextPhotoReader
) -> None:
    assert run("review", results, "--board", "round1/table1/ann.jpg:1=# w1 w").code == 0
    shutil.copytree(results, tmp_path / "copy", ignore=shutil.ignore_patterns(".*"))
    for path in (tmp_path / "copy").iterdir():
        if path.is_file() and name not in (path.name, "all"):
            path.unlink()
    assert run("batch", folder, "-o", tmp_path / "copy").code == 0
    assert len(executor.jobs) == (3 if name == "corrections.jsonl" else 0)
    is_corrected = any(row["board"] == "# w1 w" for row in read_csv(tmp_path / "copy/results.csv"))
    assert is_corrected is (name != "results.jsonl")


def test_a_missing_folder_is_reported(run: Run, out: Path, executor: TextPhotoReader) -> None:
    result = run("batch", out / "nowhere", "-o", out)
    assert result.code == 1 and "cannot be read" in result.err
    assert not out.exists()


def test_a_second_run_into_one_folder_is_refused(run: Run, folder: Path, out: Path, executor: TextPhotoReader) -> None:
    with ResultFolder(out).lock():
        result = run("batch", folder, "-o", out)
    assert (result.code, result.out) == (1, "")
    assert "another run is writing" in result.err


def test_ctrl_c_keeps_what_was_read(run: Run, folder: Path, out: Path, executor: TextPhotoReader) -> None:
    executor.stop_after = 2
    result = run("batch", folder, "-o", out)
    assert result.code == 1
    assert "stopped; what was read is kept" in result.err
    assert "3 photos, 2 kingdoms.\n1 without a result" in result.out
    assert [row["reason"] for row in read_csv(out / "errors.csv")] == ["the photo is not read yet"]
    executor.stop_after, executor.jobs = None, []
    assert run("batch", folder, "-o", out).code == 0
    assert executor.jobs == [("round1/table2/cy.jpg", 0)]


def test_after_ctrl_c_an_old_reading_does_not_count_for_a_changed_photo(
    run: Run, folder: Path, results: Path, executor: TextPhotoReader
) -> None:
    """Nor does the correction of the old photo."""
    run("review", results, "--board", "round1/table1/bo.jpg:1=# w2 w w w")
    write_files(folder, {"round1/table1/bo.jpg": make_photo("# w1")})
    executor.stop_after, executor.jobs = 0, []
    result = run("batch", folder, "-o", results)
    assert "Ann leads on points, 5 to 1; a kingdom of bo is missing." in result.out
    reasons = [(row["file"], row["reason"]) for row in read_csv(results / "errors.csv")]
    assert reasons == [("round1/table1/bo.jpg", "the photo is not read yet")]
    executor.stop_after = None
    assert "Ann wins on points" in run("batch", folder, "-o", results).out
    assert executor.jobs == [("round1/table1/bo.jpg", 0)]


def test_a_correction_made_before_ctrl_c_counts(
    run: Run, folder: Path, out: Path, executor: TextPhotoReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A review during the run promises this."""

    def correct_and_interrupt(jobs: object) -> None:
        assert run("review", out, "--fix", "round1/table1/ann.jpg:1:B2=f1").code == 0
        raise KeyboardInterrupt

    run("batch", folder, "-o", out)
    assert read_leader(out) == ("bo", "6")
    monkeypatch.setattr(executor, "run", correct_and_interrupt)
    assert run("batch", folder, "-o", out).code == 1
    assert read_leader(out) == ("ann", "7")


# review


def review_with_answers(run: Run, out: Path, *answers: str) -> str:
    result = run("review", out, stdin="".join(f"{answer}\n" for answer in answers).encode())
    assert result.code == 0, result.err
    return result.out


@pytest.fixture
def results(folder: Path, out: Path, executor: TextPhotoReader) -> Path:
    """The results of a run."""
    run_batch(folder, out)
    return out


def read_leader(out: Path) -> tuple[str, str]:
    row = read_csv(out / "standings.csv")[0]
    return row["player"], row["points"]


def test_review_shows_what_is_uncertain_and_takes_a_correction(run: Run, results: Path) -> None:
    output = review_with_answers(run, results, "1", "")
    assert "1 of 1 · may change who wins the event" in output
    assert "B2 is read as f (80 % sure); as f1 the total is 7" in output
    assert "\nCompare it with the photo.\n" in output
    assert "1 1:B2=f1 · 2 1:C3=l1 · C3=w1 correct a square" in output
    assert read_leader(results) == ("ann", "7")
    assert read_csv(results / "review.csv") == []
    corrections = [json.loads(line) for line in (results / "corrections.jsonl").read_text().splitlines()]
    assert [correction.get("square") for correction in corrections] == ["B2", None]


def test_enter_confirms_the_board_as_shown(run: Run, results: Path) -> None:
    review_with_answers(run, results, "")
    assert read_leader(results) == ("bo", "6")
    assert read_csv(results / "review.csv") == []
    assert read_csv(results / "results.csv")[0]["corrected"] == "no"


@pytest.mark.parametrize(
    ("answer", "first"), [("C3=l1", ("ann", "7")), ("1:A1=g2", ("bo", "6")), ("board # l1 l l l l l l", ("ann", "7"))]
)
def test_any_square_and_a_whole_board_can_be_corrected(
    answer: str, first: tuple[str, str], run: Run, results: Path
) -> None:
    review_with_answers(run, results, answer, "q")
    assert read_leader(results) == first


@pytest.mark.parametrize("answers", [["q"], ["s"], [], ["o", "s"]])
def test_without_corrections_nothing_changes(
    answers: list[str], run: Run, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    addresses: list[str] = []
    monkeypatch.setattr(webbrowser, "open", addresses.append)
    before = (results / "results.jsonl").read_bytes()
    review_with_answers(run, results, *answers)
    assert (results / "results.jsonl").read_bytes() == before
    assert not (results / "corrections.jsonl").exists()
    assert len(addresses) == answers.count("o")


@pytest.mark.parametrize(
    ("answer", "message"),
    [("Z9=w", "has no square Z9"), ("C3", "is not a correction"), ("C3=x", "is no square"), ("board w / w w", "row 2"),
     ("7:A1=w", "shows no kingdom 7"), ("?", "'?' is not a correction. Write"), ("C3=?", "'C3=?' corrects nothing")],
)  # fmt: skip
def test_an_invalid_answer_is_asked_again(answer: str, message: str, run: Run, results: Path) -> None:
    result = run("review", results, stdin=f"{answer}\nq\n".encode())
    assert result.code == 0 and message in result.err
    assert not (results / "corrections.jsonl").exists()


def test_boards_of_several_kingdoms_of_one_photo_are_given_together(
    run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader
) -> None:
    run_batch(write_files(tmp_path / "photos", {"table4.jpg": b"damaged"}), out)
    boards = "table4.jpg:2=l1 l / . #", "table4.jpg:1=w1 w / # ."
    assert run("review", out, "--board", boards[0]).code == 5  # which board comes first is not known
    assert run("review", out, "--board", boards[0], "--board", boards[1]).code == 0
    assert [row["board"] for row in read_csv(out / "results.csv")] == ["w1 w / # .", "l1 l / . #"]


@pytest.mark.parametrize(
    ("option", "first", "second", "message"),
    [("--board", "bo.jpg:1=# w", "bo.jpg:1=# l", "kingdom 1 of round1/table1/bo.jpg is given two boards"),
     ("--fix", "ann.jpg:A1=l", "ann.jpg:1:A1=g", "A1 of kingdom 1 of round1/table1/ann.jpg is corrected twice")],
)  # fmt: skip
def test_one_command_gives_no_two_contents(
    option: str, first: str, second: str, message: str, run: Run, results: Path
) -> None:
    """One of the two was probably meant for another kingdom or square."""
    first, second = (f"round1/table1/{text}" for text in (first, second))
    result = run("review", results, option, first, option, second)
    assert result.code == 5 and message in result.err
    assert not (results / "corrections.jsonl").exists()
    assert run("review", results, option, first, option, first).code == 0


def test_review_says_how_many_results_have_no_known_effect(
    run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader
) -> None:
    photo = make_photo(SMALL, probability=0.5)
    run_batch(write_files(tmp_path / "photos", {"ann.jpg": photo, "bo.jpg": make_photo("# w1")}), out)
    assert "Nothing needs to be checked.\n--all also asks about 1 uncertain result without a known effect" in (
        review_with_answers(run, out)
    )


def test_review_says_what_is_not_done_here(run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader) -> None:
    """The prompt says what to do instead, not only how to continue."""
    files: dict[str, bytes | str] = {"an.jpg": make_photo(SMALL), "event.toml": 'players = ["an", "Bo"]'}
    run_batch(write_files(tmp_path / "photos", {**files, "b.jpg": make_photo("# w1")}), out)
    output = review_with_answers(run, out, "", "")
    text = "Correct the photo's name or event.toml.\nNothing changes here: do that, then run kdvision batch again.\n"
    assert f"{text}[Enter] continue · o open" in output


def test_a_kingdom_that_another_photo_shows_differently_can_be_corrected_in_review(
    run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader
) -> None:
    photos = {"ann.jpg": make_photo(SMALL), "ann (2).jpg": make_photo(SMALL.replace("l l", "l l1"), probability=0.9)}
    run_batch(write_files(tmp_path / "photos", {**photos}), out)
    output = review_with_answers(run, out, "")
    assert "Compare both: ann.jpg counts; correct it if it is wrong.\n[Enter] the board is right · C3=w1" in output
    assert read_csv(out / "review.csv") == []


def test_a_board_typed_for_a_damaged_photo_is_compared_with_another_photo(
    run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader
) -> None:
    photos = write_files(tmp_path / "photos", {"ann.jpg": b"broken"})
    run_batch(photos, out)
    run("review", out, "--board", f"ann.jpg:1={SMALL.replace('w1', 'w2')}")
    run_batch(write_files(photos, {"ann (2).jpg": make_photo(SMALL)}), out)
    (item,) = read_csv(out / "review.csv")
    why = "the board typed for ann.jpg counts, with 8 points; this photo was read differently"
    assert (item["photo"], item["changes"], item["why"]) == ("ann (2).jpg", "points", why)
    review_with_answers(run, out, "A1=w2", "")
    assert [(row["photo"], row["total"]) for row in read_csv(out / "results.csv")] == [
        ("ann.jpg", "8"),
        ("ann (2).jpg", "8"),
    ]
    assert read_csv(out / "review.csv") == []


def test_a_second_question_about_a_board_shows_it_as_it_was_corrected(
    run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader
) -> None:
    """Enter confirmed the board as it was read, and so took the correction back."""
    photos = {"ann.jpg": make_photo(SMALL, doubts=[("B2", "f", "f1", 0.8)]), "bo.jpg": make_photo("# l1 l l l l l")}
    photos["ann (2).jpg"] = make_photo(SMALL.replace("l l", "l l1"), probability=0.9)
    run_batch(write_files(tmp_path / "photos", {**photos}), out)
    output = review_with_answers(run, out, "B2=f1", "", "")
    assert output.count("2  #   f1  f1") == 1
    assert {row["player"]: row["points"] for row in read_csv(out / "standings.csv")} == {"ann": "7", "bo": "6"}


def test_the_largest_kingdom_of_a_photo_is_confirmed_in_review(
    run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader
) -> None:
    """Otherwise each review asks about it again until event.toml names the player of the other kingdom."""
    photos = {"ann.jpg": make_photo(SMALL, "# w1"), "bo.jpg": make_photo("# l1")}
    run_batch(write_files(tmp_path / "photos", {**photos}), out)
    output = review_with_answers(run, out, "")
    assert "ann has one: kingdom 1 counts.\n" in output and "[Enter] the board is right" in output
    assert read_csv(out / "review.csv") == []


def test_review_says_how_a_conflict_of_a_whole_table_is_corrected(
    run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader
) -> None:
    """The prompt names the command that corrects a board."""
    photos = {"table1/ann.jpg": make_photo("# m3 w"), "table1/bo.jpg": make_photo("# m3 w / . . .")}
    run_batch(write_files(tmp_path / "photos", {**photos}), out)
    output = review_with_answers(run, out, "")
    text = "Compare its photos, and correct a board with kdvision review RESULTS --fix PHOTO:1:C3=w1.\n[Enter] continue"
    assert text in output


def test_ctrl_c_in_review_applies_the_corrections_so_far(
    run: Run, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["B2=f1\n"])

    def answer() -> str:
        for text in answers:
            return text
        raise KeyboardInterrupt

    monkeypatch.setattr(
        sys.modules["kdvision.cli.review"], "sys", SimpleNamespace(stdin=SimpleNamespace(readline=answer))
    )
    assert run("review", results).code == 0
    assert read_leader(results) == ("ann", "7")


def test_a_board_for_a_missing_player_replaces_no_other_kingdom(
    run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader
) -> None:
    """It must not replace kingdom 1 of the photo, which was read correctly."""
    run_batch(write_files(tmp_path / "photos", {"ann+bo.jpg": make_photo(SMALL)}), out)
    result = run("review", out, stdin=b"board # l1 l l l\nq\n")
    assert "Ann has no kingdom" in result.out and "Name its players in event.toml" in result.out
    assert "board w w1 /" not in result.out
    assert f'kdvision review "{out}" --board ann+bo.jpg:K=BOARD' in result.err
    assert not (out / "corrections.jsonl").exists()
    assert "K is its number in the picture, or 2 if it was not read" in result.err
    assert run("review", out, "--board", "ann+bo.jpg:2=# l1 l l l").code == 0
    write_files(tmp_path / "photos", {"event.toml": '[[photo]]\nfile = "ann+bo.jpg"\nplayers = ["ann", "bo"]'})
    assert run("batch", tmp_path / "photos", "-o", out).code == 0
    assert read_leader(out) == ("ann", "5")


def test_a_board_typed_beside_kingdoms_that_were_read_has_no_player_until_event_toml_names_all(
    run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader
) -> None:
    """The photo misses the kingdom of Bo, the second of four, so the typed one does not come last."""
    boards = ["# w1 w w", "# f1 f", "# l1 l l l"]
    folder = write_files(tmp_path / "photos", {"table1/ann+bo+cy+di.jpg": make_photo(*boards)})
    run_batch(folder, out)
    result = run("review", out, "--board", "table1/ann+bo+cy+di.jpg:4=# g1")
    assert "wins" not in result.out and "kingdoms of ann, bo and 2 more are missing" in result.out
    assert "kingdom 4: name its players in event.toml, under [[photo]], in the order of the kingdoms" in result.err
    reasons = [row["why"] for row in read_csv(out / "review.csv")]
    assert any(why.startswith("a board was typed beside 3 kingdoms that the photo shows") for why in reasons)
    event_text = '[[photo]]\nfile = "table1/ann+bo+cy+di.jpg"\nplayers = ["ann", "cy", "di", "bo"]'
    run_batch(write_files(folder, {"event.toml": event_text}), out)
    points = {row["player"]: row["total"] for row in read_csv(out / "results.csv")}
    assert points == {"ann": "3", "cy": "2", "di": "4", "bo": "1"}
    assert read_csv(out / "review.csv") == []


def test_a_board_is_shown_with_the_rules_of_its_table(
    run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader
) -> None:
    """Three kingdoms have a side of five, whatever one of them looks like."""
    wide_photo = make_photo("# w1 w w w w", doubts=[("B1", "w1", "w", 0.8)])
    run_batch(
        write_files(
            tmp_path / "photos", {"ann.jpg": wide_photo, "bo.jpg": make_photo(SMALL), "cy.jpg": make_photo("# w1")}
        ),
        out,
    )
    assert "1 kingdom · Kingdomino\n" in run("review", out, stdin=b"q\n").out


def test_corrections_without_questions(run: Run, results: Path) -> None:
    fix, board = "round1/table1/ann.jpg:1:B2=f1", "round1/table2/cy.jpg:1=# l1 l l l l l l l"
    result = run("review", results, "--fix", fix, "--fix", "round1/table2/cy.jpg:1:B1=l2", "--board", board)
    assert result.code == 0 and "1. cy  16" in result.out
    assert [row["points"] for row in read_csv(results / "standings.csv")[:3]] == ["16", "7", "6"]


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
    result = run("review", out, "--board", board, "--fix", f"{photo}:1:A3=l2")
    assert result.code == 5 and "Its squares are A1 to C2" in result.err


def test_a_file_whose_board_was_typed_has_a_result(
    run: Run, folder: Path, out: Path, executor: TextPhotoReader
) -> None:
    """The file may be a damaged photo or a broken link."""
    write_files(folder, {"round1/table2/di.jpg": b"broken"})
    (folder / "round1/table2/eve.jpg").symlink_to("nowhere")
    assert run("batch", folder, "-o", out).code == 7
    names = ["round1/table2/di.jpg", "round1/table2/eve.jpg"]
    assert [row["file"] for row in read_csv(out / "errors.csv")] == names
    result = run("review", out, *(option for name in names for option in ("--board", f"{name}:1=# l1")))
    assert result.code == 0 and "without a result" not in result.out
    assert run("batch", folder, "-o", out).code == 0
    assert read_csv(out / "errors.csv") == []


@pytest.mark.parametrize("is_damaged", [False, True])
@pytest.mark.parametrize("board", ["l1 l / # .", "f / #"])
def test_a_board_typed_before_its_photo_can_be_read_is_compared_with_it(
    board: str, run: Run, folder: Path, out: Path, executor: TextPhotoReader, *, is_damaged: bool
) -> None:
    """The typed board counts. If the photo shows another board, a review item says so."""
    photo, is_same = folder / "round1/table2/di.jpg", board.startswith("l1")
    if is_damaged:
        photo.write_bytes(b"broken")
    else:
        photo.symlink_to("nowhere")
    assert run("batch", folder, "-o", out).code == 7
    assert run("review", out, "--board", f"round1/table2/di.jpg:1={board}").code == 0
    photo.unlink()
    photo.write_bytes(make_photo("# l1 / . l"))
    run("batch", folder, "-o", out)
    (row,) = (row for row in read_csv(out / "results.csv") if row["player"] == "di")
    assert (row["board"], row["total_read"]) == (board, "2")
    reasons = [row["why"] for row in read_csv(out / "review.csv") if row["photo"].endswith("di.jpg")]
    text = "its board was typed before the photo could be read, and the photo was read differently: 0 and 2 points"
    assert reasons == ([] if is_same else [text])
    question_count = 1 + (not is_same)
    review_with_answers(run, out, *[""] * question_count)
    assert [row["player"] for row in read_csv(out / "review.csv") if row["player"] == "di"] == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--fix", "ann.jpg:1:B2=f1"], "Did you mean round1/table1/ann.jpg?\n"),
        (["--fix", "B2"], "is not a correction"),
        (["--fix", "round1/table1/ann.jpg:1:Z9=w"], "Its squares are A1 to C3"),
        (["--fix", "round1/table1/ann.jpg:2:A1=w"], "The only number is 1"),
        (["--board", "round1/table1/ann.jpg=w"], "is not the board of a photo"),
        (["--board", "round1/table1/ann.jpg:3=w"], "Give a number from 1 to 2"),
    ],
)
def test_an_invalid_correction_is_refused(options: list[str], message: str, run: Run, results: Path) -> None:
    result = run("review", results, *options)
    assert (result.code, result.out) == (5, "")
    assert message in result.err


def test_a_board_for_a_photo_that_failed(run: Run, folder: Path, out: Path, executor: TextPhotoReader) -> None:
    write_files(folder, {"round1/table2/di.jpg": b"broken"})
    run_batch(folder, out)
    review_with_answers(run, out, "board # l1 l l l l l l", "q")
    assert read_leader(out) == ("di", "7")
    assert read_csv(out / "errors.csv") == []


def test_boards_for_two_players_of_a_photo_that_failed(
    run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader
) -> None:
    run_batch(write_files(tmp_path / "photos", {"ann+bo.jpg": b"broken", "cy.jpg": make_photo(SMALL)}), out)
    review_with_answers(run, out, "board # l1 l l", "board # w1 w")
    totals = {row["player"]: row["total"] for row in read_csv(out / "results.csv")}
    assert totals == {"ann": "3", "bo": "2", "cy": totals["cy"]}


def test_a_board_of_the_first_player_only_leaves_the_photo_a_failure(
    run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader
) -> None:
    """The first player has the typed board, and only the kingdom of the second player is missing."""
    folder = write_files(tmp_path / "photos", {"ann+bo.jpg": b"broken", "cy.jpg": make_photo(SMALL)})
    run_batch(folder, out)
    assert "a kingdom of bo is missing." in review_with_answers(run, out, "board # l1 l l", "q")
    assert [row["player"] for row in read_csv(out / "results.csv")] == ["ann", "cy"]
    assert [row["file"] for row in read_csv(out / "errors.csv")] == ["ann+bo.jpg"]
    result = run("review", out, stdin=b"board # w1 w\n")
    assert "damaged or cut short.\nSend it again; or type the board.\n[Enter] continue · board w w1 /" in result.out
    assert "cy wins" in result.out.lower() and read_csv(out / "errors.csv") == []


def test_a_photo_is_named_in_any_unicode_form(run: Run, tmp_path: Path, out: Path, executor: TextPhotoReader) -> None:
    run_batch(write_files(tmp_path / "photos", {"zoe\u0308.jpg": make_photo(SMALL)}), out)
    for name in ("zoe\u0308.jpg", "zo\u00eb.jpg"):
        assert run("review", out, "--fix", f"{name}:1:A1=w").code == 0


def test_a_review_after_the_rules_have_changed_asks_for_another_run(run: Run, results: Path, folder: Path) -> None:
    assert "have changed" not in run("review", results).err
    write_files(folder, {"event.toml": 'variants = ["harmony"]'})
    message = f'have changed since the photos were read: run kdvision batch {folder} -o "{results}"'
    assert message in run("review", results).err


def test_nobody_wins_before_all_photos_are_read(run: Run, results: Path, folder: Path) -> None:
    write_files(folder, {"round1/table2/IMG_0001.jpg": make_photo("# l1")})
    result = run("review", results, stdin=b"q\n")
    assert "leads on points, 6 to 5; round1/table2/IMG_0001.jpg could not be read" in result.out
    assert [row["reason"] for row in read_csv(results / "errors.csv")] == ["the photo is not read yet"]
    run_batch(folder, results)
    assert read_csv(results / "errors.csv") == []


def test_review_counts_no_old_reading_of_a_changed_photo(run: Run, results: Path, folder: Path) -> None:
    write_files(folder, {"round1/table1/bo.jpg": make_photo("# w1")})
    result = run("review", results, stdin=b"q\n")
    assert "Ann leads on points, 5 to 1; a kingdom of bo is missing." in result.out
    assert [row["reason"] for row in read_csv(results / "errors.csv")] == ["the photo is not read yet"]


def test_the_problems_of_a_typed_board_are_printed(run: Run, results: Path) -> None:
    result = run("review", results, "--board", "round1/table2/cy.jpg:1=# w4 # w")
    assert result.code == 0
    assert "kdvision: round1/table2/cy.jpg, kingdom 1: there are 2 castles" in result.err
    assert "the box has no square w4 (B1)" in result.err


def test_an_unknown_square_of_a_typed_board_is_reviewed(run: Run, results: Path) -> None:
    assert run("review", results, "--board", "round1/table2/cy.jpg:1=w ? / # l").code == 0
    why = read_csv(results / "review.csv")[0]["why"]
    assert why == "if B1 is m3, the total is 3; it is not known what lies on B1; the dominoes are not checked"


def test_a_correction_of_a_photo_that_is_gone_says_that_it_does_not_count(
    run: Run, results: Path, folder: Path
) -> None:
    (folder / "round1/table2/cy.jpg").unlink()
    run_batch(folder, results)
    result = run("review", results, "--board", "round1/table2/cy.jpg:1=# l1 l")
    assert "cy.jpg is not in the folder: its correction counts when it is back" in result.err


def test_corrections_during_a_run_are_stored_for_it(run: Run, results: Path, folder: Path) -> None:
    with ResultFolder(results).lock():
        result = run("review", results, "--fix", "round1/table1/ann.jpg:1:B2=f1")
    assert result.code == 0 and "another run is writing to this folder" in result.err
    assert read_leader(results) == ("bo", "6")
    run_batch(folder, results)
    assert read_leader(results) == ("ann", "7")


def test_the_page_is_opened(run: Run, results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    addresses: list[str] = []
    monkeypatch.setattr(webbrowser, "open", addresses.append)
    assert run("review", results, "--page").code == 0
    assert run("review", results, "--page", "--fix", "round1/table1/ann.jpg:1:B2=f1").code == 0
    assert addresses == [(results / "report.html").resolve().as_uri()] * 2
    assert read_leader(results) == ("ann", "7")


def test_a_folder_without_results_is_reported(run: Run, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / ("x" * 300)):
        result = run("review", path)
        assert result.code == 5 and "is not a folder of results" in result.err


@pytest.mark.parametrize("command", ["review", "batch"])
def test_a_file_that_cannot_be_written_loses_no_correction(command: str, run: Run, results: Path, folder: Path) -> None:
    """A folder is in the place of the report. A full disk gives the same error."""
    report = results / "report.html"
    report.unlink()
    report.mkdir()
    fix = "--fix", "round1/table1/ann.jpg:1:B2=f1"
    result = run("review", results, *fix) if command == "review" else run("batch", folder, "-o", results)
    assert result.code == 1
    assert "run again: all results and corrections so far are kept" in " ".join(result.err.split())
    report.rmdir()
    assert run("review", results, *fix).code == 0
    assert read_leader(results) == ("ann", "7")


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
            write_files(folder, {"round1/table2/di.jpg": make_photo("# l1 l l")})
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
                output, _ = watcher.communicate(timeout=MAX_WAIT_SECONDS)
            finally:
                watcher.kill()
    errors = messages.read_text(encoding="utf-8")
    assert watcher.returncode == 0, errors
    assert "4 photos, 4 kingdoms." in output
    assert "watching" in errors and "a Dynasty of 2 rounds" in errors and "Traceback" not in errors


def interrupt(seconds: float) -> None:
    raise KeyboardInterrupt


def test_watch_prints_the_verdict_of_the_widest_ranking_only(
    run: Run, folder: Path, out: Path, executor: TextPhotoReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One team alone has no verdict, although its table has one."""
    write_files(folder, {"event.toml": '[[team]]\nname = "Reds"\nplayers = ["ann", "bo"]'})
    monkeypatch.setattr("kdvision.batch.run.time", SimpleNamespace(time=lambda: time.time() + 60, sleep=interrupt))
    result = run("batch", folder, "-o", out, "--watch")
    assert (result.code, result.err.splitlines()[-1]) == (0, "kdvision: 3 photos read.")


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
    result = run("batch", folder, "-o", out, "--watch")
    assert result.code == 0 and "photos cannot be read: No such file" in result.err
    assert "Round 1. Bo wins on points, 6 to 5." in result.out and len(read_csv(out / "results.csv")) == 3


def test_ctrl_c_in_watch_writes_what_was_read_last(
    run: Run, folder: Path, out: Path, executor: TextPhotoReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two photos arrive after the first report, and the second of them is being read."""
    executor.stop_after = 4
    new_files: dict[str, bytes | str] = {f"round1/table2/{name}.jpg": make_photo("# l1") for name in ("di", "eve")}
    clock = SimpleNamespace(time=lambda: time.time() + 60, sleep=lambda seconds: write_files(folder, new_files))
    monkeypatch.setattr("kdvision.batch.run.time", clock)
    result = run("batch", folder, "-o", out, "--watch")
    assert result.code == 7 and "5 photos, 4 kingdoms.\n1 without a result" in result.out
    assert "Bo leads on points, 6 to 5; a kingdom of eve is missing." in result.out
    assert "di" in {row["player"] for row in read_csv(out / "standings.csv")}
