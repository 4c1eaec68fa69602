"""Batch runs without networks: a photo is a small text with its boards, and an executor reads that.

Everything else is real: folders, files, records, corrections, standings, reports.
"""

import csv
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from kdvision.batch.outcome import EventOutcome
from kdvision.batch.reading.job import Job, JobResult, hash_models, make_failed_result
from kdvision.batch.run import BatchOptions, BatchRun
from kdvision.batch.store.folder import ResultFolder
from kdvision.errors import KdvisionError, NoKingdomFound, PhotoError
from kdvision.game.board import Board, Square, parse_cell
from kdvision.report.build import build_photo_result
from kdvision.report.pieces import GivenFacts
from kdvision.report.to_dict import result_to_dict
from tests.kingdoms import make_doubt, make_reading

_COUNTER: Final = count()

MAX_WAIT_SECONDS: Final = 300
"""How long a test waits for a condition. It takes seconds, or much longer on a busy machine."""

PICTURE: Final = bytes(cv2.imencode(".jpg", np.full((90, 120, 3), 150, np.uint8))[1])


def make_photo(*boards: str, doubts: Sequence[tuple[str, str, str, float]] = (), probability: float = 0.97) -> bytes:
    """Return the bytes of a new photo of these boards; the doubts are about the first one."""
    values = {"shot": next(_COUNTER), "boards": boards, "doubts": doubts, "probability": probability}
    return json.dumps(values).encode()


def read_text_photo(job: Job) -> JobResult:
    """Return the result of reading such a photo."""
    try:
        values = json.loads(job.data)
    except ValueError:
        return make_failed_result(PhotoError("the photo is damaged or cut short", hint="send it again"))
    if values == "crash":
        return make_failed_result(KdvisionError("the program failed on it", hint="please report this photo"))
    if not values["boards"]:
        error = NoKingdomFound("the photo shows no kingdom", hint="take it from above")
        return make_failed_result(error)
    boards = [Board.parse(text) for text in values["boards"]]
    for number, square, cell in job.fixed_squares:
        boards[number - 1] = boards[number - 1].with_cells({Square.parse(square): parse_cell(cell)})
    fixed_squares = {square for _, square, _ in job.fixed_squares}
    doubts = [make_doubt(*doubt) for doubt in values["doubts"] if doubt[0] not in fixed_squares]
    readings = [
        make_reading(
            str(board), doubts=doubts if not number else (), probability=values["probability"], left=40 + 300 * number
        )
        for number, board in enumerate(boards)
    ]
    facts = GivenFacts(tokens={number: job.rules.list_tokens(number + 1) for number in range(len(readings))})
    result = build_photo_result("", (640, 480), readings, job.rules.choose_photo_rule_set(boards), facts=facts)
    return JobResult({**result_to_dict(result), "photo": None}, PICTURE, hash_models())


@dataclass
class TextPhotoReader:
    """An executor that reads such photos; `jobs` are the photos read, each with the number of its fixed squares."""

    jobs: list[tuple[str, int]] = field(default_factory=list)
    stop_after: int | None = None

    def run(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, JobResult]]:
        for job in jobs:
            if self.stop_after is not None and len(self.jobs) >= self.stop_after:
                raise KeyboardInterrupt
            self.jobs.append((job.photo, len(job.fixed_squares)))
            yield job, read_text_photo(job)

    def close(self) -> None:
        pass


def write_files(folder: Path, files: dict[str, bytes | str]) -> Path:
    """Write these files into a folder, and return it."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def run_batch(folder: Path, out: Path, executor: TextPhotoReader | None = None, **options: Any) -> EventOutcome:
    """Run the batch over a folder, and return the outcome."""
    with ResultFolder(out).lock():
        return BatchRun(BatchOptions(folder, out, **options), (executor or TextPhotoReader()).run).run()


def read_csv(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_results(out: Path) -> list[dict[str, Any]]:
    """Return the objects of results.jsonl."""
    return [json.loads(line) for line in (out / "results.jsonl").read_text(encoding="utf-8").splitlines()]


def read_tree(out: Path) -> dict[str, bytes]:
    """Return the content of all files that a run has written, by name, without those about the run itself."""
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and path.name not in (".run.json", ".lock", ".corrections.lock")
    }


def wait_until(condition: Callable[[], object], description: str) -> None:
    """Poll until the condition holds; raise TimeoutError after MAX_WAIT_SECONDS."""
    deadline = time.monotonic() + MAX_WAIT_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited in vain until {description}")
        time.sleep(0.02)
