"""The benchmark by dials: what it reads, what it leaves, and that a broken-off run goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

from kdvision.errors import ModelError
from kdvision.lab.experiments.dial_rows import (
    ANYTHING,
    DIALS,
    Row,
    Task,
    as_csv,
    headlines,
    rows_of,
    summary,
    tables,
    words_of,
)
from kdvision.lab.experiments.dials import Bench, anything, fingerprint, measure, show, tasks
from kdvision.lab.experiments.judged import Verdict
from kdvision.lab.render.renderer import Picture
from kdvision.lab.render.scene_factors import SceneFactors
from kdvision.vision.image.photo import Photo
from tests.lab.render.test_scene_factors import PLAIN, SMALL
from tests.paths import SHARED

DATA = SHARED / "data"
TASK = Task("angle", "45.0", 3, SceneFactors(angle=45.0))
BOARDS = ((0.9, True), (0.95, False))
ROW = Row(TASK, "drawn", "abc", Verdict(2, 2, 1, 1, 1, 0, 40, 2, 1, 0, 2), 1.25, "", BOARDS)


@dataclass(frozen=True)
class Counted(Bench):
    """A bench that reads nothing: everything is found but number 1, which `stop` says a word about."""

    stop: Callable[[Task], None] = lambda task: None
    seen: list[Task] = field(default_factory=list)

    def row(self, task: Task) -> Row:
        self.stop(task)
        self.seen.append(task)
        return Row(task, self.art, self.models, Verdict(1, int(task.number != 1)), 0.5)


def bench(models: str = "abc") -> Counted:
    return Counted("drawn", models, Path())


def test_rows_come_back_from_their_table() -> None:
    rows = [ROW, replace(ROW, task=Task(ANYTHING, "", 7, anything(7)), error="NoKingdomFound: no, none")]
    again = rows_of(as_csv(rows))
    assert again[0] == ROW
    assert as_csv(again) == as_csv(rows)


def test_a_table_of_other_columns_is_refused() -> None:
    with pytest.raises(ValueError, match="columns"):
        rows_of("dial,setting\nangle,1\n")


def test_a_dial_turns_one_thing() -> None:
    for name, dial in DIALS.items():
        for setting in dial.settings:
            stage = dial.at(setting)
            assert getattr(stage, name) == setting
            assert replace(stage, **{name: getattr(dial.middle, name)}) == dial.middle


def test_every_setting_is_asked_for_and_everything_at_once_as_often_as_said() -> None:
    wanted = list(tasks([ANYTHING, "angle", "kingdoms"], scenes=2, free=8))
    assert [task.dial for task in wanted] == [ANYTHING] * 8 + ["angle"] * 10 + ["kingdoms"] * 8
    assert {task.stage.kingdoms for task in wanted[:8]} == {1, 2, 3, 4}
    assert [(task.setting, task.number) for task in wanted[8:12]] == [("0.0", 0), ("0.0", 1), ("15.0", 0), ("15.0", 1)]


def test_everything_turned_keeps_to_what_the_headlines_say() -> None:
    stages = [anything(number) for number in range(80)]
    assert all(24 <= stage.pixels <= 96 and 0 <= stage.angle <= 60 for stage in stages)
    assert sum(stage.angle <= 45 for stage in stages) == 60  # spread evenly
    assert min(stage.angle for stage in stages) < 2 and max(stage.angle for stage in stages) > 58


def test_the_headlines_go_by_the_angle() -> None:
    rows = [
        replace(ROW, task=Task(ANYTHING, "", n, SceneFactors(angle=angle))) for n, angle in enumerate((10, 45, 46, 60))
    ]
    assert [(name, len(part)) for name, part in headlines([*rows, ROW])] == [
        ("up to 45 degrees", 2),
        ("45 to 60 degrees", 2),
        ("up to 60 degrees", 4),
    ]
    assert headlines([ROW]) == []


def test_a_line_tells_shares_of_kingdoms_with_their_intervals() -> None:
    surer = replace(ROW, boards=((0.99, True), (0.5, False)))
    assert words_of([ROW, surer]) == (
        "2",
        "4",
        "100.0 (51.0 to 100.0)",
        "50.0 (15.0 to 85.0)",
        "50.0 (15.0 to 85.0)",
        "100.0 (51.0 to 100.0)",
        "50.0 (15.0 to 85.0)",
        "25.0",
        "0",
    )
    assert [(title, [name for name, _ in parts]) for title, parts in tables([ROW])] == [("view angle, degrees", ["45"])]
    assert "100.0 (34.2 to 100.0)" in summary([ROW]) and "view angle" in summary([ROW])


def test_a_run_that_broke_off_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path, wanted = tmp_path / "dials-drawn.csv", list(tasks(["kingdoms"], scenes=3, free=0))
    first = bench()
    measure(wanted[:5], path, first)
    again = bench()
    rows = measure(wanted, path, again)
    assert again.seen == wanted[5:]
    assert [row.task for row in rows] == wanted
    assert path.read_text(encoding="utf-8") == as_csv(rows)


def test_a_shorter_run_keeps_what_is_known(tmp_path: Path) -> None:
    path, wanted = tmp_path / "dials-drawn.csv", list(tasks(["kingdoms"], scenes=2, free=0))
    measure(wanted, path, bench())
    assert measure(wanted[:2], path, bench()) == rows_of(path.read_text(encoding="utf-8"))[:2]
    assert len(rows_of(path.read_text(encoding="utf-8"))) == len(wanted)


def test_what_was_read_before_a_failure_is_kept(tmp_path: Path) -> None:
    def stop(task: Task) -> None:
        if task.number == 2:
            raise KeyboardInterrupt

    path, wanted = tmp_path / "dials-drawn.csv", list(tasks(["castles"], scenes=3, free=0))
    with pytest.raises(KeyboardInterrupt):
        measure(wanted, path, Counted("drawn", "abc", Path(), stop))
    assert [row.task.number for row in rows_of(path.read_text(encoding="utf-8"))] == [0, 1]


def test_rows_of_other_models_are_measured_again_and_do_not_stay(tmp_path: Path) -> None:
    path, wanted = tmp_path / "dials-drawn.csv", list(tasks(["castles"], scenes=1, free=0))
    measure(wanted, path, bench("old"))
    newer = bench("new")
    measure(wanted, path, newer)
    assert newer.seen == wanted
    assert {row.models for row in rows_of(path.read_text(encoding="utf-8"))} == {"new"}


def test_rows_of_dials_that_stood_elsewhere_are_measured_again(tmp_path: Path) -> None:
    path, wanted = tmp_path / "dials-drawn.csv", list(tasks(["castles", ANYTHING], scenes=1, free=1))
    moved = [replace(task, stage=replace(task.stage, gap=9.0)) for task in wanted]
    path.write_text(as_csv([Row(task, "drawn", "abc", Verdict(1), 0.5) for task in [*moved[:1], *moved[-1:]]]))
    again = bench()
    measure(wanted, path, again)
    assert again.seen == wanted
    assert [row.task.stage.gap for row in rows_of(path.read_text())][:2] == [1.5, 1.5]


@dataclass(frozen=True)
class Small(Bench):
    """A bench of one small kingdom in grey tiles."""

    def picture(self, task: Task) -> Picture:
        return SMALL.picture(task.number, PLAIN)


def test_a_scene_goes_through_the_program_that_people_use() -> None:
    try:
        fingerprint()
    except ModelError as error:
        pytest.skip(f"no models: {error}")
    row = Small("drawn", fingerprint(), Path()).row(TASK)
    assert row.verdict.kingdoms == 1 and row.seconds > 0
    assert row.verdict.found or not row.verdict.exact  # grey tiles are no kingdom; whether one is seen is open


def test_the_pictures_can_be_looked_at(tmp_path: Path) -> None:
    show([TASK, Task(ANYTHING, "", 2, SMALL)], Small("drawn", "abc", Path()), tmp_path / "look")
    assert sorted(path.name for path in (tmp_path / "look").iterdir()) == ["angle-45.0-3.jpg", "anything-2.jpg"]
    assert Photo.open(tmp_path / "look" / "anything-2.jpg").width > 64


@pytest.mark.skipif(not DATA.is_dir(), reason="no shared data beside the checkout")
def test_the_art_is_of_the_set_that_is_named() -> None:
    photos = [Bench(art, "abc", DATA).picture(Task("", "", 1, SMALL)) for art in ("scans", "squares")]
    assert photos[0].kingdoms[0].board == photos[1].kingdoms[0].board
    assert photos[0].photo.shape == photos[1].photo.shape
    assert not np.array_equal(photos[0].photo, photos[1].photo)
