"""A run: no photo is read twice, no result is lost, and the same photos give the same files."""

import gc
import json
import os
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from kdvision.batch.outcome import EventOutcome, write_outcome
from kdvision.batch.photos import list_photos
from kdvision.batch.reading.job import Job, JobResult
from kdvision.batch.run import BatchOptions, BatchRun
from kdvision.batch.store.folder import LockedError, ResultFolder, read_lines
from kdvision.batch.store.record import Correction, CorrectionFile
from kdvision.errors import KdvisionError, NotationError
from kdvision.files import write_atomically
from tests.batch.text_photos import (
    PICTURE,
    TextPhotoReader,
    make_photo,
    read_csv,
    read_results,
    read_tree,
    run_batch,
    write_files,
)
from tests.paths import ROOT

SMALL = "w1 w w / # f f1 / . l l"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files: dict[str, bytes | str] = {
        "round1/table1/ann+bo.jpg": make_photo(SMALL, "# w1 w"),
        "round1/table1/cy.jpg": make_photo("# l1", doubts=[("B1", "l1", "l", 0.7)]),
        "round2/table1/ann.jpg": make_photo(SMALL),
        "round2/table1/bo.jpg": b"broken",
        "round2/table1/李雷.jpg": make_photo("# w1 w w"),
        "event.toml": 'name = "The <cup> & more"\nvariants = ["harmony"]',
    }
    return write_files(tmp_path / "photos", files)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def test_all_files_are_written(folder: Path, out: Path) -> None:
    outcome = run_batch(folder, out)
    assert (len(outcome.photos), len(outcome.standings.kingdoms)) == (5, 5)
    names = {path.name for path in out.iterdir()}
    assert names >= {"results.jsonl", "results.csv", "standings.csv", "review.csv", "errors.csv", "report.html"}
    assert read_csv(out / "errors.csv") == [
        {
            "file": "round2/table1/bo.jpg",
            "reason": "the photo is damaged or cut short",
            "advice": "send it again",
        }
    ]
    assert (out / "overlays/round1/table1/ann+bo.jpg-score.jpg").exists()


def test_lines_have_the_schema_of_score(folder: Path, out: Path) -> None:
    run_batch(folder, out)
    first = read_results(out)[0]
    assert list(first)[:7] == ["photo", "width", "height", "kingdoms", "standing", "error", "hint"]
    assert first["photo"] == "round1/table1/ann+bo.jpg"
    assert (first["round"], first["table"], first["players"]) == (1, "1", ["ann", "bo"])
    assert [kingdom["rules"] for kingdom in first["kingdoms"]] == ["Kingdomino, Harmony"] * 2


def test_the_docs_name_every_stored_file_and_field(folder: Path, out: Path) -> None:
    run_batch(folder, out)
    CorrectionFile(out).add([Correction("ann.jpg", "", 1, "B2", "f1")])
    text = (ROOT / "docs" / "events.md").read_text(encoding="utf-8")
    names = {path.name for path in out.iterdir()} - {".lock", ".corrections.lock", ".tables.json"}
    assert {name for name in names if f"`{name}" not in text} == set()
    fields = read_results(out)[0].keys() - {
        "photo",
        "width",
        "height",
        "kingdoms",
        "standing",
        "error",
        "hint",
    }  # of score
    assert {name for name in fields if f"`{name}`" not in text} == set()


def test_a_second_run_reads_nothing_and_changes_nothing(folder: Path, out: Path) -> None:
    run_batch(folder, out)
    before, executor = read_tree(out), TextPhotoReader()
    run_batch(folder, out, executor)
    assert (executor.jobs, read_tree(out)) == ([], before)


@pytest.mark.parametrize("stop", range(5))
def test_a_run_that_was_stopped_continues(stop: int, folder: Path, out: Path, tmp_path: Path) -> None:
    run_batch(folder, tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        run_batch(folder, out, TextPhotoReader(stop_after=stop))
    assert len(read_lines(out / "results.jsonl")[0]) == stop
    executor = TextPhotoReader()
    run_batch(folder, out, executor)
    assert len(executor.jobs) == 5 - stop
    assert read_tree(out) == read_tree(tmp_path / "whole")


def test_an_incomplete_line_costs_one_photo(folder: Path, out: Path) -> None:
    run_batch(folder, out)
    before = read_tree(out)
    (out / "results.jsonl").write_bytes(before["results.jsonl"][:-40])
    executor = TextPhotoReader()
    run_batch(folder, out, executor)
    assert (executor.jobs, read_tree(out)) == ([("round2/table1/李雷.jpg", 0)], before)


def test_new_content_and_new_options_are_read(folder: Path, out: Path) -> None:
    run_batch(folder, out)
    write_files(folder, {"round1/table1/cy.jpg": make_photo("# l")})
    executor = TextPhotoReader()
    run_batch(folder, out, executor)
    assert executor.jobs == [("round1/table1/cy.jpg", 0)]
    write_files(folder, {"event.toml": "variants = []"})
    run_batch(folder, out, executor := TextPhotoReader())
    assert len(executor.jobs) == 5
    run_batch(folder, out, executor := TextPhotoReader(), force=True)
    assert len(executor.jobs) == 5


def test_new_models_read_all_photos_again(folder: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_batch(folder, out)
    monkeypatch.setattr("kdvision.batch.reading.job.hash_models", lambda: "others")
    run_batch(folder, out, executor := TextPhotoReader())
    assert len(executor.jobs) == 5


def test_a_moved_photo_is_not_read_again(folder: Path, out: Path) -> None:
    run_batch(folder, out)
    (folder / "round2/table1/ann.jpg").rename(folder / "round2/table1/anna.jpg")
    run_batch(folder, out, executor := TextPhotoReader())
    assert executor.jobs == []
    assert "anna" in {row["player"] for row in read_csv(out / "results.csv")}
    pictures = sorted(path.name for path in (out / "overlays/round2/table1").iterdir())
    assert pictures == ["anna.jpg-score.jpg", "李雷.jpg-score.jpg"]


def test_photos_that_swap_names_do_not_swap_pictures(folder: Path, out: Path) -> None:
    """The first photo takes the picture of the second one. The picture of the second one is drawn again."""
    run_batch(folder, out)
    photo, other_photo = (folder / f"round1/table1/{name}.jpg" for name in ("ann+bo", "cy"))
    pictures = [out / f"overlays/round1/table1/{path.name}-score.jpg" for path in (photo, other_photo)]
    pictures[0].write_bytes(b"the picture of ann and bo")
    pictures[1].write_bytes(b"the picture of cy")
    photo.rename(folder / "swap")
    other_photo.rename(photo)
    (folder / "swap").rename(other_photo)
    run_batch(folder, out, executor := TextPhotoReader())
    assert executor.jobs == [("round1/table1/cy.jpg", 0)]
    assert [path.read_bytes() for path in pictures] == [b"the picture of cy", PICTURE]


def test_the_result_of_a_photo_that_is_gone_is_kept_and_does_not_count(folder: Path, out: Path) -> None:
    run_batch(folder, out)
    (folder / "round2/table1/ann.jpg").unlink()
    run_batch(folder, out)
    assert [line["photo"] for line in read_results(out) if line["gone"]] == ["round2/table1/ann.jpg"]
    assert all(row["photo"] != "round2/table1/ann.jpg" for row in read_csv(out / "results.csv"))
    assert "ann has no kingdom in round 2" in [row["why"] for row in read_csv(out / "review.csv")]


def test_a_lost_picture_is_drawn_again(folder: Path, out: Path) -> None:
    run_batch(folder, out)
    before = read_tree(out)
    (out / "overlays/round2/table1/ann.jpg-score.jpg").unlink()
    run_batch(folder, out, executor := TextPhotoReader())
    assert executor.jobs == [("round2/table1/ann.jpg", 0)]
    assert read_tree(out) == before


def test_failures_caused_by_the_machine_are_tried_again(folder: Path, out: Path) -> None:
    write_files(folder, {"round2/table1/ann.jpg": json.dumps("crash")})
    run_batch(folder, out)
    run_batch(folder, out, executor := TextPhotoReader())
    assert executor.jobs == [("round2/table1/ann.jpg", 0)]
    assert len(read_csv(out / "errors.csv")) == 2


def test_a_file_that_cannot_be_read_is_an_error_and_keeps_its_result(
    folder: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_batch(folder, out)
    original_open = Path.open

    def refuse_open(self: Path, *args: object, **options: object) -> object:
        if self.name == "ann.jpg":
            raise PermissionError(13, "Permission denied")
        return original_open(self, *args, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", refuse_open)
    outcome = run_batch(folder, out)
    assert [failure.reason for failure in outcome.failures] == [
        "the photo cannot be read: Permission denied; its earlier result counts",
        "the photo is damaged or cut short",
    ]
    assert "round2/table1/ann.jpg" in {row["photo"] for row in read_csv(out / "results.csv")}
    monkeypatch.undo()
    run_batch(folder, out, executor := TextPhotoReader())
    assert executor.jobs == []


def test_a_file_that_could_not_be_read_is_read_later(folder: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original_open = Path.open

    def refuse_open(self: Path, *args: object, **options: object) -> object:
        if self.is_relative_to(folder) and self.suffix == ".jpg":
            raise OSError(5, "Input/output error")
        return original_open(self, *args, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", refuse_open)
    assert len(run_batch(folder, out).failures) == 5
    monkeypatch.undo()
    run_batch(folder, out, executor := TextPhotoReader())
    assert len(executor.jobs) == 5
    assert len(read_csv(out / "errors.csv")) == 1


def test_a_disk_that_fills_up_loses_nothing(folder: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writes = iter(range(1000))

    def write_until_full(path: Path, content: bytes) -> None:
        if next(writes) >= 4:
            raise KdvisionError(f"{path} cannot be written: No space left on device", hint="make room")
        write_atomically(path, content)

    monkeypatch.setattr("kdvision.batch.store.folder.write_atomically", write_until_full)
    with pytest.raises(KdvisionError, match="No space left"):
        run_batch(folder, out)
    monkeypatch.undo()
    stored_count = len(read_results(out))
    assert stored_count
    run_batch(folder, out, executor := TextPhotoReader())
    assert len(executor.jobs) == 5 - stored_count


@pytest.mark.skipif(sys.platform == "win32", reason="the limit is POSIX's")
def test_a_limit_on_file_sizes_is_reported(tmp_path: Path) -> None:
    """The operating system refuses the write, in a separate process."""
    folder = write_files(tmp_path / "photos", {f"p{number}.jpg": make_photo("# w1") for number in range(20)})
    code = (
        "import resource, sys; from pathlib import Path; from tests.batch.text_photos import run_batch\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))\n"
        "run_batch(Path(sys.argv[1]), Path(sys.argv[2]))"
    )
    import subprocess

    command = [sys.executable, "-c", code, str(folder), str(tmp_path / "out")]
    process = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONUTF8": "1"})
    assert "results.jsonl cannot be written: File too large" in process.stderr
    stored_results = read_results(tmp_path / "out")
    assert 0 < len(stored_results) < 20
    assert (tmp_path / "out" / "results.jsonl").read_bytes().endswith(b"}\n")


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_reported_before_anything_is_read(folder: Path, out: Path) -> None:
    out.mkdir(mode=0o500)
    executor = TextPhotoReader()
    with pytest.raises(KdvisionError, match="cannot be written to"):
        run_batch(folder, out, executor)
    assert executor.jobs == []


def test_a_file_in_the_place_of_the_folder_is_reported(folder: Path, out: Path) -> None:
    out.write_text("mine")
    with pytest.raises(KdvisionError, match="cannot be made"):
        run_batch(folder, out)
    assert out.read_text() == "mine"


def test_two_runs_do_not_write_into_one_folder(folder: Path, out: Path) -> None:
    with ResultFolder(out).lock(), pytest.raises(LockedError, match="another run is writing"):
        run_batch(folder, out)


def test_an_invalid_event_file_is_reported_before_anything_is_read(folder: Path, out: Path) -> None:
    write_files(folder, {"event.toml": "rounds = 2\ndynasty = true"})
    executor = TextPhotoReader()
    with pytest.raises(NotationError, match="a Dynasty of 2 rounds"):
        run_batch(folder, out, executor)
    assert executor.jobs == []


def test_settings_store_the_folder_of_the_photos(folder: Path, out: Path) -> None:
    run_batch(folder, out)
    options = BatchOptions.load(out)
    assert (options.folder, options.load_event().name) == (folder, "The <cup> & more")
    with pytest.raises(NotationError, match="not a folder of results"):
        BatchOptions.load(folder)


def test_the_event_file_is_not_forgotten_without_the_folder_of_the_photos(folder: Path, out: Path) -> None:
    run_batch(folder, out)
    folder.rename(folder.with_name("elsewhere"))
    with pytest.raises(NotationError, match=r"event\.toml is not there any more"):
        BatchOptions.load(out).load_event()


def test_an_event_file_that_vanishes_between_two_runs_is_missed(folder: Path, out: Path, tmp_path: Path) -> None:
    """Without it, other rules and players would count. An empty one says that this is meant."""
    run_batch(folder, out)
    settings = (out / ".run.json").read_bytes()
    event_file = (folder / "event.toml").rename(tmp_path / "event.toml")
    with pytest.raises(NotationError, match=r"used the event file .*event\.toml, and this one has none") as error:
        run_batch(folder, out, executor := TextPhotoReader())
    assert "make an empty file event.toml there" in (error.value.hint or "")
    assert (executor.jobs, (out / ".run.json").read_bytes()) == ([], settings)
    run_batch(folder, out, event=event_file)
    (folder / "event.toml").touch()
    assert run_batch(folder, out).standings.event.players == ()


@pytest.mark.parametrize("content", ["{", "[]", '{"folder": "photos"}'])
def test_damaged_settings_are_reported(content: str, tmp_path: Path) -> None:
    write_files(tmp_path, {".run.json": content})
    with pytest.raises(NotationError, match="is damaged") as error:
        BatchOptions.load(tmp_path)
    assert error.value.hint == "run kdvision batch again"


def test_each_result_is_stored_before_the_next_photo_is_asked_for(folder: Path, out: Path) -> None:
    class Reader(TextPhotoReader):
        def run(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, JobResult]]:
            for number, result in enumerate(super().run(jobs)):
                assert len(read_lines(out / "results.jsonl")[0]) == number
                yield result

    run_batch(folder, out, Reader())
    assert len(read_results(out)) == 5


def test_corrections_without_the_photos_change_only_those_squares(folder: Path, out: Path) -> None:
    run_batch(folder, out)
    content = read_results(out)[1]["content"]
    correction = {"photo": "x", "content": content, "kingdom": 1, "square": "B1", "cell": "l2"}
    (out / "corrections.jsonl").write_text(json.dumps(correction) + "\n")
    event_file = folder.rename(folder.with_name("elsewhere")) / "event.toml"
    messages: list[str] = []
    with ResultFolder(out).lock():
        options = BatchOptions(folder, out, event_file)
        BatchRun(options, TextPhotoReader().run, on_message=messages.append).apply_corrections()
    row = next(row for row in read_csv(out / "results.csv") if row["player"] == "cy")
    assert (row["board"], row["total"], row["total_read"]) == ("# l2", "2", "1")
    assert "nothing else is decided again" in messages[0]


@pytest.mark.parametrize(("probability", "is_whole_board"), [(0.3, False), (0.3, True), (0.97, False)])
def test_a_corrected_square_without_its_photo_does_not_make_the_others_certain(
    probability: float, *, is_whole_board: bool, tmp_path: Path
) -> None:
    doubts = [("B1", "f", "f1", 0.6), ("A2", "w", "w1", 0.55)] if probability < 0.9 else []
    folder, out = tmp_path / "photos", tmp_path / "out"
    run_batch(
        write_files(folder, {"ann.jpg": make_photo("w f # / w f .", doubts=doubts, probability=probability)}), out
    )
    correction = Correction("ann.jpg", read_results(out)[0]["content"], 1, "B1", "f1")
    CorrectionFile(out).add([replace(correction, board="w f1 # / w f ." if is_whole_board else "")])
    folder.rename(folder.with_name("elsewhere"))
    with ResultFolder(out).lock():
        BatchRun(BatchOptions(folder, out), TextPhotoReader().run).apply_corrections()
    (row,), items = read_csv(out / "results.csv"), read_csv(out / "review.csv")
    is_uncertain = probability < 0.9 and not is_whole_board
    assert (row["total"], row["review"]) == ("2", "yes" if is_uncertain else "no")
    assert float(row["probability"]) == (probability if is_uncertain else 1)
    assert ["not read again with the corrected squares" in item["why"] for item in items] == [True] * is_uncertain


def test_an_empty_folder_has_empty_results(tmp_path: Path) -> None:
    teams = "".join(f'[[team]]\nname = "{name}"\nplayers = ["{name}"]\n' for name in "AB")
    outcome = run_batch(write_files(tmp_path / "photos", {"event.toml": teams}), tmp_path / "out")
    assert (len(outcome.photos), outcome.standings.rankings) == (0, [])
    assert (tmp_path / "out" / "errors.csv").read_text() == "file,reason,advice\n"
    assert "No kingdom was read." in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_a_photo_takes_little_memory(tmp_path: Path) -> None:
    """Only its record is kept, without the photo and the picture."""
    rows = " / ".join(["w w1 f f1 l", "g g1 s s1 l", "m1 m # w w", "f f l l g", "s s g w l"])
    photos = {f"{number}.jpg": make_photo(rows, doubts=[("A1", "w", "f", 0.8)]) for number in range(40)}
    folder, sizes_bytes = write_files(tmp_path / "photos", dict(photos)), list[int]()

    def measure_memory(*_: object) -> None:
        if len(sizes_bytes) in (19, 39):  # the two that are compared
            gc.collect()
        sizes_bytes.append(tracemalloc.get_traced_memory()[0])

    with ResultFolder(tmp_path / "out").lock():
        batch_run = BatchRun(BatchOptions(folder, tmp_path / "out"), TextPhotoReader().run, on_progress=measure_memory)
        tracemalloc.start()
        try:
            batch_run.read_photos(list_photos(folder).photos)
        finally:
            tracemalloc.stop()
    assert (sizes_bytes[39] - sizes_bytes[19]) / 20 < 20_000


def test_results_stay_cached_while_a_run_goes_on(folder: Path, out: Path, tmp_path: Path) -> None:
    executor, photo = TextPhotoReader(), folder / "round1/table1/cy.jpg"
    before = photo.read_bytes()
    with ResultFolder(out).lock():
        batch_run = BatchRun(BatchOptions(folder, out), executor.run)
        batch_run.run()
        write_files(folder, {"round1/table1/aa.jpg": make_photo("# w w")})
        photo.write_bytes(make_photo("# l"))
        batch_run.run()
        photo.write_bytes(before)
        batch_run.run()
    assert [name for name, _ in executor.jobs].count("round1/table1/cy.jpg") == 3
    assert len(executor.jobs) == 8
    run_batch(folder, tmp_path / "whole")
    assert read_tree(out) == read_tree(tmp_path / "whole")


def watch(folder: Path, out: Path, monkeypatch: pytest.MonkeyPatch, *steps: Callable[[], object]) -> None:
    """Watch a folder that changes after each report by the next step, until there is none."""
    remaining_steps = iter(steps)

    def change(outcome: EventOutcome) -> None:
        next(remaining_steps)()

    clock = SimpleNamespace(time=lambda: time.time() + 60, sleep=lambda seconds: None)
    monkeypatch.setattr("kdvision.batch.run.time", clock)
    with ResultFolder(out).lock(), pytest.raises(StopIteration):
        BatchRun(BatchOptions(folder, out), TextPhotoReader().run).watch(change)


def test_watch_waits_for_an_event_file_that_vanishes(
    folder: Path, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is reported once, although the folder is listed several times without it."""
    event_file, messages, waits = folder / "event.toml", list[str](), iter(range(3))

    def wait(seconds: float) -> None:
        if next(waits, None) is None:
            raise StopIteration

    def remove_event_file(outcome: EventOutcome) -> None:
        event_file.rename(tmp_path / "event.toml")

    monkeypatch.setattr("kdvision.batch.run.time", SimpleNamespace(time=lambda: time.time() + 60, sleep=wait))
    with ResultFolder(out).lock(), pytest.raises(StopIteration):
        BatchRun(BatchOptions(folder, out), TextPhotoReader().run, on_message=messages.append).watch(remove_event_file)
    (message,) = (message for message in messages if "event file" in message)
    assert message.startswith(f"the last run used the event file {event_file.resolve()}, and this one has none; put it")


@pytest.mark.parametrize("name", ["ann.jpg", "bo.jpg"])
def test_watch_counts_a_photo_that_is_moved_and_moved_back(
    name: str, folder: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ann's photo shows a kingdom. Bo's photo is broken."""
    photo, other_photo = folder / "round2/table1" / name, folder / "other.jpg"
    watch(folder, out, monkeypatch, lambda: photo.rename(other_photo), lambda: other_photo.rename(photo))
    assert [row["player"] for row in read_csv(out / "results.csv")] == ["ann", "bo", "cy", "ann", "李雷"]
    assert [row["file"] for row in read_csv(out / "errors.csv")] == ["round2/table1/bo.jpg"]


def test_watch_reads_a_photo_from_a_camera_whose_clock_is_ahead(
    folder: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    next_year = time.time() + 365 * 86400
    os.utime(folder / "round1/table1/cy.jpg", (next_year, next_year))
    watch(folder, out, monkeypatch)
    assert "cy" in {row["player"] for row in read_csv(out / "results.csv")}


def test_watch_names_no_winner_while_a_photo_arrives(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its file is not old enough to be read."""
    files: dict[str, bytes | str] = {f"{name}.jpg": make_photo(SMALL) for name in ("ann", "bo", "cy")}
    folder, reports = write_files(tmp_path / "photos", files), list[str]()
    monkeypatch.setattr("kdvision.batch.run.WATCH_INTERVAL_SECONDS", 1000.0)
    for name in ("ann", "bo"):
        os.utime(folder / f"{name}.jpg", (0, 0))

    def age_photo() -> None:
        reports.append((out / "report.html").read_text(encoding="utf-8"))
        os.utime(folder / "cy.jpg", (0, 0))

    watch(folder, out, monkeypatch, age_photo)
    assert "a kingdom of cy is missing" in reports[0] and "the photo is not read yet" in reports[0]
    assert [row["player"] for row in read_csv(out / "results.csv")] == ["ann", "bo", "cy"]
    assert read_csv(out / "errors.csv") == []


def test_watch_drops_the_old_reading_while_a_changed_photo_arrives(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old photo comes back with its time, as when a folder is restored."""
    files: dict[str, bytes | str] = {"ann.jpg": make_photo(SMALL), "bo.jpg": make_photo("# w1")}
    folder, reports = write_files(tmp_path / "photos", files), list[list[str]]()
    photo, old_content = folder / "bo.jpg", (tmp_path / "photos/bo.jpg").read_bytes()
    monkeypatch.setattr("kdvision.batch.run.WATCH_INTERVAL_SECONDS", 1000.0)
    for path in folder.iterdir():
        os.utime(path, (0, 0))

    def put_back() -> None:
        reports.append([row["player"] for row in read_csv(out / "results.csv")])
        photo.write_bytes(old_content)
        os.utime(photo, (0, 0))

    watch(folder, out, monkeypatch, lambda: photo.write_bytes(make_photo("# w2 w w")), put_back)
    reports.append([row["player"] for row in read_csv(out / "results.csv")])
    assert reports == [["ann"], ["ann", "bo"]]


def test_a_correction_made_while_the_report_is_written_is_applied(
    folder: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = ["l"]

    def write_and_correct(results: ResultFolder, outcome: EventOutcome) -> None:
        write_outcome(results, outcome)
        CorrectionFile(out).add([Correction("round1/table1/cy.jpg", "", 1, "B1", cell) for cell in cells])
        cells.clear()

    monkeypatch.setattr("kdvision.batch.run.write_outcome", write_and_correct)
    run_batch(folder, out)
    assert [row["board"] for row in read_csv(out / "results.csv") if row["player"] == "cy"] == ["# l"]
    for write, cell in ((BatchRun.apply_corrections, "g2"), (BatchRun.stop, "w")):
        cells.append(cell)
        with ResultFolder(out).lock():
            write(BatchRun(BatchOptions(folder, out), TextPhotoReader().run))
        assert [row["board"] for row in read_csv(out / "results.csv") if row["player"] == "cy"] == [f"# {cell}"]
