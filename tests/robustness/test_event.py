"""A rendered event: `kdvision batch` reads it correctly, also if the run is killed several times."""

import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from kdvision.game.kingdom import Kingdom
from kdvision.game.standing import rank_kingdoms
from kdvision.lab.games.play import play
from tests.batch.text_photos import read_csv, read_tree
from tests.robustness.rendered_event import (
    BROKEN_TIE_SEED,
    CARE,
    RULES,
    SHARED_TIE_SEED,
    list_true_standings,
    make_tables,
    write_event,
)
from tests.robustness.scale import IS_LONG

ROUNDS = 3 if IS_LONG else 1
KILLS = 6 if IS_LONG else 2
PARTIAL_FAILURE = 7


def start_batch(folder: Path, out: Path, *options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "kdvision", "batch", str(folder), "-o", str(out), *options]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def count_results(out: Path) -> int:
    journal = out / "results.jsonl"
    return journal.read_bytes().count(b"\n") if journal.is_file() else 0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("event") / "photos"
    write_event(path, rounds=ROUNDS)
    return path


@pytest.fixture(scope="module")
def complete_results(folder: Path) -> Path:
    """The results of a run without interruption."""
    out = folder.with_name("undisturbed")
    assert start_batch(folder, out).wait() == PARTIAL_FAILURE
    return out


def test_standings_are_right_and_broken_files_are_listed(complete_results: Path) -> None:
    columns = ("standing", "round", "table", "place", "player", "points")
    rows = read_csv(complete_results / "standings.csv")
    assert sorted([row[name] for name in columns] for row in rows) == sorted(list_true_standings(ROUNDS))
    assert len(read_csv(complete_results / "errors.csv")) == ROUNDS
    shared_rows = [row for row in rows if (row["round"], row["table"], row["place"]) == ("1", "2", "1")]
    assert len(shared_rows) == 2 and shared_rows[0]["why"].startswith("equal to ")


def test_a_killed_run_ends_with_the_same_files(folder: Path, complete_results: Path) -> None:
    out, rng = folder.with_name("killed"), random.Random(0)
    photos = len(list(folder.rglob("*.jpg")))
    for _ in range(KILLS):
        kill_at = min(photos - 1, count_results(out) + rng.randint(1, max(1, photos // (KILLS + 1))))
        run = start_batch(folder, out, "--workers", "1")
        while run.poll() is None and count_results(out) < kill_at:
            time.sleep(0.02)
        run.kill()
        run.wait()
    assert start_batch(folder, out, "--workers", "1").wait() == PARTIAL_FAILURE
    files = read_tree(out)
    assert files.keys() >= {"results.jsonl", "report.html"}
    assert files == read_tree(complete_results)


def test_the_seeds_of_the_ties_give_ties() -> None:
    reasons = []
    for seed in (BROKEN_TIE_SEED, SHARED_TIE_SEED):
        kingdoms = play(np.random.default_rng(seed), players=4, care=CARE)
        named_kingdoms = [Kingdom(kingdom.board, player=name) for kingdom, name in zip(kingdoms, "abcd", strict=True)]
        reasons.append(rank_kingdoms(named_kingdoms, RULES).reason)
    assert "a wins on crowns" in reasons[0] or "wins on the largest" in reasons[0]
    assert "share the victory" in reasons[1]


def test_an_event_is_the_same_every_time() -> None:
    assert make_tables(3) == make_tables(3)
    assert {row[0] for row in list_true_standings(3)} == {"table", "round", "total"}
