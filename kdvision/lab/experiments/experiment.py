"""An experiment: its cases, the measurement of each, and the table in models/results/ with their sums.

A run keeps the rows of each case in a work folder and goes on there after an interruption. Rows of other models or
of another version of the program are not used.
"""

import csv
import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from kdvision import pipeline, text
from kdvision.batch.store.folder import append_line, read_lines
from kdvision.errors import ModelError, NoKingdomFound
from kdvision.evaluate.workers import map_in_processes
from kdvision.files import write_atomically
from kdvision.lab.run import digest_package
from kdvision.vision.image.photo import Photo, PhotoSource
from kdvision.vision.networks.onnx import MODEL_NAMES, find_model, strip_digest

Row = dict[str, int | str]
"""Values by column."""

PROGRESS_CASES: Final = 20
"""The progress is printed every so many cases."""
SCENES_PER_SEED: Final = 10_000


def number_scenes(seed: int, count: int) -> range:
    """Return the numbers of the rendered scenes of a seed; no two seeds share a number."""
    first = seed * SCENES_PER_SEED
    return range(first, first + count)


@dataclass(frozen=True)
class Experiment:
    """One question about the program.

    `cases(data, seed)` lists the cases, `measure(data, case)` returns the rows of one of them, where `data` is the
    folder of labelled photos and tile pictures. Both depend on nothing else. In the results, rows with equal values in
    the columns `groups` are added up, column by column of `counts`. Coverage is a share of the kingdoms, or of the
    pictures where kingdoms are not counted. `append()` lists rows with the same columns that are not measured again.
    `trace(rows)` returns a second table, NAME-coverage.csv: risk against coverage.
    """

    name: str
    question: str
    cases: Callable[[Path, int], Iterable[Row]]
    measure: Callable[[Path, Row], Sequence[Row]]
    groups: tuple[str, ...]
    counts: tuple[str, ...]
    append: Callable[[], Sequence[Row]] = tuple
    trace: Callable[[Sequence[Row]], Sequence[Row]] = lambda _: ()
    quick_cases: int = 24

    def list_cases(self, data: Path, seed: int, *, is_quick: bool = False) -> list[Row]:
        """Return the cases of a seed; for a quick run, the same random part each time."""
        cases = list(self.cases(data, seed))
        if not is_quick or len(cases) <= self.quick_cases:
            return cases
        indices = np.random.default_rng(0).choice(len(cases), self.quick_cases, replace=False)
        return [cases[index] for index in sorted(indices)]

    def summarise(self, rows: Iterable[Row]) -> list[Row]:
        """Return a row for each group in the order of first appearance (pictures, counts, coverage), and `append()`."""
        sums = add_up(({"pictures": 1, **row} for row in rows), self.groups, ("pictures", *self.counts))
        summary: list[Row] = []
        for group, total in sums.items():
            summary.append({**dict(zip(self.groups, group, strict=True)), **total})
            if "unflagged" in total:
                summary[-1]["coverage"] = f"{total['unflagged'] / max(1, total.get('kingdoms', total['pictures'])):.4f}"
        return [*summary, *self.append()]


def add_up(
    rows: Iterable[Mapping[str, int | str]], groups: Sequence[str], counts: Sequence[str]
) -> dict[tuple[int | str, ...], dict[str, int]]:
    """Return the sums of columns by the values of others, in order of first appearance; empty cells count as zero."""
    sums: dict[tuple[int | str, ...], dict[str, int]] = {}
    for row in rows:
        total = sums.setdefault(tuple(row[name] for name in groups), dict.fromkeys(counts, 0))
        for name in counts:
            total[name] += int(row[name] or 0)
    return sums


def run(
    experiment: Experiment,
    *,
    results: Path,
    work: Path,
    data: Path,
    seed: int = 0,
    is_quick: bool = False,
    workers: int = 1,
) -> list[Row]:
    """Run an experiment and return its summary; write NAME.csv, NAME.json and any trace into the folder `results`.

    Without cases, the files of an earlier run stay.
    """
    cases = experiment.list_cases(data, seed, is_quick=is_quick)
    if not cases:
        return []
    models, program = compute_model_digests(), compute_program_digest()
    rows = measure_cases(experiment, cases, work=work, data=data, workers=workers)
    if compute_program_digest() != program:
        raise SystemExit(f"the program or its models changed while {experiment.name} was measured: run it again")
    summary = experiment.summarise(rows)
    options = " --quick" * is_quick + f" --seed {seed}" * bool(seed)
    settings = {
        "command": f"python -m kdvision.lab.experiments {experiment.name}{options}",
        "question": experiment.question,
        "seed": seed,
        "cases": len(cases),
        "models": models,
        "silent_errors": [row for row in rows if row.get("silent_errors")],
    }
    results.mkdir(parents=True, exist_ok=True)
    write_atomically(results / f"{experiment.name}.csv", format_csv(summary).encode())
    if curve := experiment.trace(rows):
        write_atomically(results / f"{experiment.name}-coverage.csv", format_csv(curve).encode())
    write_atomically(results / f"{experiment.name}.json", f"{json.dumps(settings, indent=1)}\n".encode())
    return summary


def measure_cases(experiment: Experiment, cases: Sequence[Row], *, work: Path, data: Path, workers: int) -> list[Row]:
    """Return the rows of all cases, in order; rows in the work folder are not measured again."""
    work.mkdir(parents=True, exist_ok=True)
    path, program = work / f"{experiment.name}.jsonl", compute_program_digest()
    rows_by_case = {line["case"]: line["rows"] for line in read_lines(path)[0] if line.get("program") == program}
    new_cases = [case for case in cases if json.dumps(case) not in rows_by_case]
    new_rows = map_in_processes(partial(experiment.measure, data), new_cases, workers=workers)
    for count, (case, rows) in enumerate(zip(new_cases, new_rows, strict=True), 1):
        key = json.dumps(case)
        rows_by_case[key] = [{**case, **row} for row in rows]
        append_line(path, {"program": program, "case": key, "rows": rows_by_case[key]})
        if count % PROGRESS_CASES == 0 or count == len(new_cases):
            print(f"{count} of {len(new_cases)}", file=sys.stderr, flush=True)
    return [row for case in cases for row in rows_by_case[json.dumps(case)]]


def compute_program_digest() -> str:
    """Return a digest of the package and the model files."""
    return hashlib.sha256(f"{compute_model_digests()} {digest_package('**/*')}".encode()).hexdigest()


def compute_model_digests(folder: Path | None = None) -> dict[str, str]:
    """Return the first 16 digits of the SHA-256 of each model file, without the digest that it holds itself.

    The files are those of a folder, or those that the program reads.
    """
    paths = {name: folder / f"{name}.onnx" if folder else find_model(name) for name in MODEL_NAMES}
    contents = {name: strip_digest(path.read_bytes()) for name, path in paths.items()}
    return {name: hashlib.sha256(content).hexdigest()[:16] for name, content in contents.items()}


def format_csv(rows: Sequence[Row]) -> str:
    """Return rows as CSV; the columns are those of the first row."""
    columns = list(rows[0]) if rows else []
    return text.format_csv(columns, ([row[name] for name in columns] for row in rows))


def read_csv(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table that `format_csv` wrote."""
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


@dataclass(frozen=True)
class Reading:
    """What the program made of a picture: kingdoms, or the exception that it raised."""

    kingdoms: Sequence[pipeline.KingdomReading] = ()
    error: str = ""


def read_picture(photo: PhotoSource) -> Reading:
    """Return what the whole pipeline reads in a picture; any exception is part of the reading."""
    try:
        return Reading(pipeline.read(Photo.open(photo)))
    except ModelError:
        raise  # every other picture would fail in the same way
    except Exception as failure:  # noqa: BLE001 - a crash must be counted, not end the run
        return Reading(error=f"{type(failure).__name__}: {failure}")


def count_crashes(error: str) -> int:
    """Return 1 for an exception, 0 for none and for the report that there is no kingdom."""
    return int(bool(error) and not error.startswith(NoKingdomFound.__name__))
