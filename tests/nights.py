"""Events without cameras: a photo is a small text that says what is to be read in it, and the crew reads that.

All but the networks is real: folders, files, journals, corrections, standings, reports.
"""

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from kdvision.batch.event import Rules
from kdvision.batch.job import Done, FixedSquares, Job, failed, models
from kdvision.batch.options import Plan
from kdvision.batch.outputs import Written
from kdvision.batch.result_folder import Place
from kdvision.batch.run import Night
from kdvision.errors import KdvisionError, NoKingdomFound, PhotoError
from kdvision.game.board import Board, Square, parse_cell
from kdvision.report.build import build_photo_result
from kdvision.report.to_dict import result_to_dict
from tests.kingdoms import doubt, seen

_SHOTS: Final = count()

PICTURE: Final = bytes(cv2.imencode(".jpg", np.full((90, 120, 3), 150, np.uint8))[1])


def photo(*boards: str, doubts: Sequence[tuple[str, str, str, float]] = (), probability: float = 0.97) -> bytes:
    """The bytes of another photo of these boards; the doubts are of the first one."""
    told = {"shot": next(_SHOTS), "boards": boards, "doubts": doubts, "probability": probability}
    return json.dumps(told).encode()


def read(content: bytes, rules: Rules, fixed_squares: FixedSquares = ()) -> Done:
    """What is read in such a photo."""
    try:
        told = json.loads(content)
    except ValueError:
        return failed(PhotoError("the photo is damaged or cut short", hint="send it again"))
    if told == "crash":
        return failed(KdvisionError("the program failed on it", hint="please report this photo"))
    if not told["boards"]:
        return failed(NoKingdomFound("the photo shows no kingdom", stage="finder", hint="take it from above"))
    boards = [Board.parse(text) for text in told["boards"]]
    for number, square, cell in fixed_squares:
        boards[number - 1] = boards[number - 1].replaced({Square.parse(square): parse_cell(cell)})
    named = {square for _, square, _ in fixed_squares}
    doubts = [doubt(*one) for one in told["doubts"] if one[0] not in named]
    reads = [
        seen(str(board), doubts=doubts if not number else (), probability=told["probability"], left=40 + 300 * number)
        for number, board in enumerate(boards)
    ]
    result = build_photo_result("", (640, 480), reads, rules.rule_set(boards))
    return Done({**result_to_dict(result), "photo": None}, PICTURE, models())


@dataclass
class Readers:
    """A crew that reads such photos; `jobs` are the photos it was asked to read, and how many squares were named."""

    jobs: list[tuple[str, int]] = field(default_factory=list)
    stop_after: int | None = None

    def work(self, jobs: Iterator[Job]) -> Iterator[tuple[Job, Done]]:
        for job in jobs:
            if self.stop_after is not None and len(self.jobs) >= self.stop_after:
                raise KeyboardInterrupt
            self.jobs.append((job.photo, len(job.fixed_squares)))
            yield job, read(job.data, job.rules, job.fixed_squares)

    def close(self) -> None:
        pass


def put(folder: Path, files: dict[str, bytes | str]) -> Path:
    """A folder with these files in it."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def night(folder: Path, out: Path, crew: Readers | None = None, **asked: Any) -> Written:
    """What one run over a folder came to."""
    with Place(out).held():
        one = Night(Plan(folder, out, **asked), crew or Readers())
        try:
            return one.once()
        finally:
            one.close()


def sheet(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def lines(out: Path) -> list[dict[str, Any]]:
    """The objects of results.jsonl."""
    return [json.loads(line) for line in (out / "results.jsonl").read_text(encoding="utf-8").splitlines()]


def tree(out: Path) -> dict[str, bytes]:
    """All that a run has written, by name; what belongs to the run itself is left out."""
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and path.name not in (".run.json", ".lock", ".corrections.lock")
    }
