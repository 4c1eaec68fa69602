"""Same photo, same answer: the JSON of every sample, byte by byte, however and however often it is asked for.

    python -m kdvision.lab.robustness.steady --runs 20

Each photo is read so many times on one thread and on two, as a path, as bytes and as an open file, each number of
threads in a process of its own; then once more through `kdvision score --json`, by its path and through a pipe. Exits
with 1 where two answers differ.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmarks.bench_photos import SAMPLES
from kdvision import pipeline
from kdvision.errors import KdvisionError
from kdvision.game.game import choose_rule_set
from kdvision.game.given_facts import GivenFacts
from kdvision.game.scoring import RuleSet
from kdvision.pipeline import KingdomReading
from kdvision.report.build import build_photo_result
from kdvision.report.pieces import find_open_facts
from kdvision.report.result import Result
from kdvision.report.to_dict import result_to_dict
from kdvision.vision.image.photo import Photo, PhotoSource

THREADS: Final = ("1", "2")
DOORS: Final = ("path", "bytes", "file")
NAME: Final = "-"
"""What every photo is called: its name is the one thing that may differ between two answers."""
ON_STDIN: Final = "the photo on stdin"


def answer(path: Path, door: str) -> str:
    """The JSON of a photo that comes through this door, its name left out; errors are answers too."""
    content = path.read_bytes()
    source: PhotoSource = path if door == "path" else content if door == "bytes" else io.BytesIO(content)
    try:
        photo = Photo.open(source, name=NAME)
        reads = pipeline.read(photo)
    except KdvisionError as error:
        return _plain(Result(NAME, error=error))
    rules, told = _shown(reads)
    return _plain(build_photo_result(NAME, (photo.width, photo.height), reads, rules, facts=told))


def _shown(reads: Sequence[KingdomReading]) -> tuple[RuleSet, GivenFacts | None]:
    """The rules, and the pieces beside the photo, of the game that it shows: nobody says which."""
    game = reads[0].game
    variants, told = find_open_facts(reads, game)
    return choose_rule_set(game, [read.board for read in reads], variants=variants), told


def _plain(result: Result) -> str:
    return json.dumps(result_to_dict(result), ensure_ascii=False)


def answers(paths: Iterable[Path], *, runs: int) -> dict[str, Counter[str]]:
    """For each photo what was answered and how often, in this process."""
    return {
        path.name: Counter(answer(path, DOORS[number % len(DOORS)]) for number in range(max(runs, len(DOORS))))
        for path in paths
    }


def elsewhere(paths: Sequence[Path], *, runs: int, threads: str) -> dict[str, Counter[str]]:
    """The same from a process of its own, on so many threads."""
    command = [
        sys.executable,
        "-m",
        "kdvision.lab.robustness.steady",
        "--inside",
        "--runs",
        str(runs),
        *map(str, paths),
    ]
    done = subprocess.run(command, capture_output=True, check=True, env=_here() | {"KDVISION_THREADS": threads})
    return {name: Counter(said) for name, said in json.loads(done.stdout).items()}


def commanded(path: Path) -> list[str]:
    """What `kdvision score --json` prints for a photo by its path and through a pipe, the name made the same."""
    command = [sys.executable, "-m", "kdvision", "score", "--json"]
    named = subprocess.run([*command, path.name], cwd=path.parent, capture_output=True, env=_here())
    piped = subprocess.run([*command, "-"], input=path.read_bytes(), capture_output=True, env=_here())
    said = (named.stdout.decode().replace(path.name, NAME), piped.stdout.decode().replace(ON_STDIN, NAME))
    return [text.strip() for text in said]


def _here() -> dict[str, str]:
    """The environment of a program that finds this package wherever it starts."""
    return {**os.environ, "PYTHONUTF8": "1", "PYTHONPATH": str(Path(pipeline.__file__).parents[1])}


def differing(found: Iterable[Mapping[str, Counter[str]]]) -> list[str]:
    """The photos that were answered in more than one way, over all that was found."""
    together: dict[str, set[str]] = {}
    for answered in found:
        for name, said in answered.items():
            together.setdefault(name, set()).update(said)
    return sorted(name for name, said in together.items() if len(said) > 1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask, and tell which photos have two answers: 1 where one has."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", nargs="*", type=Path, help="by default all samples")
    parser.add_argument("--runs", type=int, default=20, help="on each number of threads")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    paths = given.photos or sorted(SAMPLES.glob("*.jpg"))
    if given.inside:
        print(json.dumps(answers(paths, runs=given.runs)))
        return 0
    found = [elsewhere(paths, runs=given.runs, threads=threads) for threads in THREADS]
    found.append({path.name: Counter(commanded(path)) for path in paths})
    wrong = differing(found)
    asked = sum(said.total() for answered in found for said in answered.values())
    print(
        f"{len(paths)} photos, {asked} answers, on {' and '.join(THREADS)} threads: {len(wrong)} photos differ {wrong}"
    )
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
