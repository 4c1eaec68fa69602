"""The JSON of a photo is the same, byte for byte, in every run and process, with any threads, from every source."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from kdvision import pipeline
from kdvision.errors import KdvisionError
from kdvision.game.game import choose_rule_set
from kdvision.report.build import build_photo_result
from kdvision.report.pieces import find_played_variants
from kdvision.report.result import Result
from kdvision.report.to_dict import result_to_dict
from kdvision.vision.image.photo import Photo
from tests.conftest import Run
from tests.paths import ROOT, SAMPLES
from tests.robustness.scale import IS_LONG

NAME = "-"
"""The name of every photo: the one thing in which answers may differ."""
RUNS = 20 if IS_LONG else 3
PHOTOS = sorted(SAMPLES.glob("*.jpg")) if IS_LONG else [SAMPLES / "demo.jpg"]
CODE = """
import sys
from tests.robustness.test_same_answer import answer_photo
print(answer_photo(sys.stdin.buffer.read()))
"""


def answer_photo(source: Path | bytes | io.BytesIO) -> str:
    """Return the JSON of a photo from a path, bytes or an open file, as `kdvision score` prints it."""
    try:
        photo = Photo.open(source, name=NAME)
        kingdoms = pipeline.read(photo)
    except KdvisionError as error:
        return json.dumps(result_to_dict(Result(NAME, error=error)), ensure_ascii=False)
    variants = find_played_variants(kingdoms, kingdoms[0].game, ())
    rules = choose_rule_set(kingdoms[0].game, [kingdom.board for kingdom in kingdoms], variants=variants)
    result = build_photo_result(NAME, (photo.width, photo.height), kingdoms, rules)
    return json.dumps(result_to_dict(result), ensure_ascii=False)


def answer_in_process(content: bytes, *, threads: int) -> str:
    """Return the answer of a new process with this number of threads."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "KDVISION_THREADS": str(threads)}
    command = [sys.executable, "-c", CODE]
    return (
        subprocess.run(command, input=content, capture_output=True, check=True, env=environment).stdout.decode().strip()
    )


@pytest.mark.parametrize("photo", PHOTOS, ids=lambda path: path.stem)
def test_the_answer_does_not_depend_on_run_process_threads_or_source(photo: Path, run: Run, tmp_path: Path) -> None:
    path = tmp_path / photo.name
    scale = 1.0 if IS_LONG else 0.5
    cv2.imwrite(
        str(path),
        cv2.resize(np.asarray(cv2.imread(str(photo))), None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA),
    )
    content = path.read_bytes()
    sources = (path, content, io.BytesIO(content))
    answers = set()
    for number in range(RUNS):
        source = sources[number % len(sources)]
        if isinstance(source, io.BytesIO):
            source.seek(0)
        answers.add(answer_photo(source))
    answers |= {answer_in_process(content, threads=threads) for threads in (1, 2)}
    answers.add(run("score", "-", "--json", stdin=content).out.strip().replace("the photo on stdin", NAME))
    assert len(answers) == 1


@pytest.mark.parametrize("sample", ["queendomino.jpg", "lost-treasures.jpg"])
def test_the_rules_are_those_of_the_game_in_the_photo(sample: str, run: Run) -> None:
    output = run("score", "-", "--json", stdin=(SAMPLES / sample).read_bytes()).out
    assert json.loads(answer_photo(SAMPLES / sample))["kingdoms"] == json.loads(output)["kingdoms"]


def test_an_error_is_the_same_from_every_source(tmp_path: Path) -> None:
    content = b"<!DOCTYPE html>"
    (tmp_path / "page.jpg").write_bytes(content)
    (answer,) = {answer_photo(source) for source in (tmp_path / "page.jpg", content, io.BytesIO(content))}
    assert json.loads(answer)["error"]
