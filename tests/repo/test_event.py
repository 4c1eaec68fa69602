"""A whole event, small: rendered, read by the program as it is shipped, killed on the way, and right in the end."""

import json
from pathlib import Path

import pytest

from kdvision.batch.event import parse_event
from kdvision.game.kingdom import Kingdom
from kdvision.game.standing import rank_kingdoms
from kdvision.lab.games.play import play
from kdvision.lab.robustness import event, trial
from kdvision.lab.robustness.event_judged import _numbers, check, correct, tally
from kdvision.lab.robustness.event_plan import CARE, TIE_BROKEN, TIE_SHARED, plan
from tests.batch.text_photos import read_csv

PHOTOS = 8


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tables of one round: six photos of seven kingdoms, a copy, a broken file."""
    made = tmp_path_factory.mktemp("event") / "photos"
    event.make(plan(PHOTOS, rounds=1), made, size=(800, 600))
    return made


@pytest.fixture(scope="module")
def peace(folder: Path) -> Path:
    """The results of a run that nobody disturbed."""
    out = folder.with_name("peace")
    assert trial.in_peace(folder, out)[0] == 7
    return out


def test_standings_are_right_and_broken_files_are_told(folder: Path, peace: Path) -> None:
    assert check(event.truth_path(folder), peace) == []
    assert len(read_csv(peace / "errors.csv")) == 1
    rows = read_csv(peace / "standings.csv")
    shared = [row for row in rows if row["table"] == "2" and row["place"] == "1"]
    assert len(shared) == 2 and shared[0]["why"].startswith("equal to ")


def test_a_run_that_is_killed_ends_in_the_same_files(folder: Path, peace: Path) -> None:
    out = folder.with_name("killed")
    assert len(trial.killed(folder, out, "--workers", "1", kills=2, photos=PHOTOS)) == 2
    assert trial.in_peace(folder, out, "--workers", "1")[0] == 7
    assert trial.files(out).keys() >= {"results.jsonl", "report.html"}
    assert trial.differences(peace, out) == []


def test_a_check_tells_what_is_wrong(folder: Path, peace: Path, tmp_path: Path) -> None:
    for path in peace.glob("*.csv"):
        (tmp_path / path.name).write_text(path.read_text(encoding="utf-8").replace(",Bo,", ",Bob,"), encoding="utf-8")
    assert any("Bob" in line for line in check(event.truth_path(folder), tmp_path))
    assert " of 1 wrong ones are in review.csv" in tally(event.truth_path(folder), tmp_path)
    assert " of 0 wrong ones" in tally(event.truth_path(folder), peace)


def test_nothing_is_corrected_where_nothing_is_wrong(peace: Path) -> None:
    assert correct(event.shown(plan(PHOTOS, rounds=1)), peace) == []


def test_corrections_find_their_kingdoms() -> None:
    ann, bo = "w w1 / # f", "l l m2 / # . g"
    assert _numbers(["l l m1 / # . g", "# w / f w1"], [ann, bo]) == [2, 1]
    assert _numbers([bo], [ann, bo]) == [1, 2]
    assert _numbers([], [ann, bo]) == [1, 2]


def test_the_seeds_of_the_ties_are_those_of_ties() -> None:
    import numpy as np

    reasons = []
    for seed in (TIE_BROKEN, TIE_SHARED):
        kingdoms = play(np.random.default_rng(seed), players=4, care=CARE)
        named = [Kingdom(kingdom.board, player=name) for kingdom, name in zip(kingdoms, "abcd", strict=True)]
        reasons.append(rank_kingdoms(named, event.RULES).reason)
    assert reasons[0].startswith("a wins on crowns") or "wins on the largest" in reasons[0]
    assert "share the victory" in reasons[1]


@pytest.mark.parametrize(("photos", "broken"), [(400, 12), (60, 2)])
def test_the_large_event_has_everything(photos: int, broken: int) -> None:
    made = plan(photos)
    names = [file.name for file in made.files]
    assert len(names) == len(set(names)) == photos
    assert sum(bool(file.broken) for file in made.files) == broken
    assert len(made.lost) == broken // 2
    assert any(file.copy_of for file in made.files) and any(len(file.players) == 2 for file in made.files)
    assert {game.round for game in made.games} == {1, 2, 3}


def test_most_photos_are_taken_from_above_and_a_few_are_hard() -> None:
    shots = [event.shot_of(file) for file in plan(400).files if file.kingdoms]
    hard = [shot for shot in shots if shot.factors is event.CORNER]
    assert 0.02 < len(hard) / len(shots) < 0.09
    assert all(shot.tilt <= 18 for shot in shots if shot.factors is event.HALL)
    assert min(shot.tilt for shot in hard) >= 28
    assert {shot.table_top for shot in shots} == set(event.SURFACES)


def test_an_event_is_the_same_every_time_and_tells_its_truth() -> None:
    made = plan(60)
    assert made == plan(60)
    told = parse_event(event.event_text(made))
    assert (told.rounds, told.dynasty) == (3, True)
    true = event.truth(made)
    assert json.loads(json.dumps(true)) == true
    assert {row[0] for row in true["standings"]} == {"table", "round", "total"}
