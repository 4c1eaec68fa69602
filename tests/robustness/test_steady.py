"""Same photo, same answer, byte by byte: over 20 runs, over threads, over paths, bytes, files and pipes."""

import json
from collections import Counter
from pathlib import Path

import cv2
import pytest

from benchmarks.bench_photos import SAMPLES, decode
from kdvision.lab.robustness import steady
from tests.conftest import Run


@pytest.fixture(scope="module")
def photo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sample, small."""
    path = tmp_path_factory.mktemp("steady") / "demo.jpg"
    pixels = cv2.resize(decode((SAMPLES / "demo.jpg").read_bytes()), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    path.write_bytes(bytes(cv2.imencode(".jpg", pixels)[1]))
    return path


def test_20_runs_two_processes_two_numbers_of_threads_and_every_door(photo: Path, run: Run) -> None:
    found = [steady.answers([photo], runs=20)]
    assert found[0]["demo.jpg"].total() == 20
    assert len(json.loads(next(iter(found[0]["demo.jpg"])))["kingdoms"]) == 1
    found += [steady.elsewhere([photo], runs=3, threads=threads) for threads in steady.THREADS]
    printed = run("score", "-", "--json", stdin=photo.read_bytes()).out.strip()
    assert steady.differing([*found, {"demo.jpg": Counter([printed])}]) == []


@pytest.mark.parametrize("sample", ["queendomino.jpg", "lost-treasures.jpg"])
def test_the_game_is_the_one_that_the_photo_shows(sample: str, run: Run) -> None:
    """Through any door it is scored by the rules that `kdvision score` finds out."""
    (said,) = steady.answers([SAMPLES / sample], runs=1)[sample]
    printed = run("score", "-", "--json", stdin=(SAMPLES / sample).read_bytes()).out.strip()
    assert json.loads(said)["kingdoms"] == json.loads(printed)["kingdoms"]


def test_an_error_is_the_same_through_every_door(tmp_path: Path) -> None:
    (tmp_path / "page.jpg").write_bytes(b"<!DOCTYPE html>")
    (said,) = set(steady.answers([tmp_path / "page.jpg"], runs=3)["page.jpg"])
    assert json.loads(said)["error"]


def test_a_second_answer_is_seen() -> None:
    one, other = {"a": Counter("x"), "b": Counter("y")}, {"a": Counter("xx"), "b": Counter("z")}
    assert steady.differing([one, one]) == []
    assert steady.differing([one, other]) == ["b"]
