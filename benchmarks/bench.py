"""Times of the parts: `make bench`, or `python -m benchmarks.bench SECTION…`. Exits with 1 where one is too slow.

A section is a function that yields rows; add it to SECTIONS. Each time is the best of several runs over fresh values,
so that nothing remembered from the run before makes it shorter. Beside it stands how many decodings by OpenCV of a 12
megapixel JPEG it lasts, measured in the same run: that ratio hardly depends on the machine.
"""

import argparse
import json
import platform
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple, TypeVar

import numpy as np

from benchmarks import bench_batch, bench_photos
from kdvision.errors import KdvisionError
from kdvision.files import write_atomically
from kdvision.game.board import Board
from kdvision.game.deck import KINGDOMINO
from kdvision.game.dominoes import name_dominoes
from kdvision.game.legality import find_problems
from kdvision.game.rules import make_rule_set
from kdvision.game.scoring import score
from kdvision.game.tiling import make_puzzle
from kdvision.lab.games.play import play

_T = TypeVar("_T")

LIMITS: Final = {(12, "one 5x5"): 2.0, (12, "four 5x5"): 3.5}
"""The most a whole photo may take on one core, in decodings of itself by OpenCV."""
DEMO: Final = str(bench_photos.SAMPLES / "demo.jpg")


class Row(NamedTuple):
    """One figure: what was measured, how much, the most it may be (None: nobody has set a limit), and its unit.

    `jpeg` is the time, in milliseconds, of decoding the JPEG that the row is compared with; None for what is no time.
    """

    what: str
    amount: float
    limit: float | None = None
    jpeg: float | None = None
    unit: str = "ms"

    def __str__(self) -> str:
        ratio = "" if self.ratio is None else f"{self.ratio:9.4f} x"
        limit = (
            ""
            if self.limit is None
            else f"   at most {self.limit:.4g} {self.unit}"
            + ("  TOO SLOW" if self.slow and self.unit == "ms" else "  TOO MUCH" * self.slow)
        )
        return f"{self.what:<46}{self.amount:10.3f} {self.unit}{ratio}{limit}"

    @property
    def ratio(self) -> float | None:
        """The time in decodings of the JPEG."""
        return None if self.jpeg is None else self.amount / self.jpeg

    @property
    def slow(self) -> bool:
        """True for more than the limit."""
        return self.limit is not None and self.amount > self.limit

    def data(self) -> dict[str, object]:
        """The row as plain values, times in seconds."""
        amount = ("seconds", self.amount / 1000) if self.unit == "ms" else (self.unit, self.amount)
        return {"what": self.what, amount[0]: amount[1], "ratio": self.ratio, "slow": self.slow}


def timed(fresh: Callable[[], Sequence[_T]], work: Callable[[_T], object], *, runs: int = 5) -> float:
    """Milliseconds of processor time that `work` takes for one of the values of `fresh`, in the best of several runs.

    On one core that is the time a person waits where nothing else runs.
    """
    best = float("inf")
    for _ in range(runs):
        values = fresh()
        start = time.process_time()
        for value in values:
            work(value)
        best = min(best, (time.process_time() - start) / len(values))
    return best * 1000


def once(work: Callable[[], object], *, runs: int = 5) -> float:
    """Milliseconds of one call, in the best of several."""
    return timed(lambda: [work], lambda call: call(), runs=runs)


def by_turns(works: Mapping[str, Callable[[], object]], *, runs: int = 7) -> dict[str, float]:
    """Milliseconds of one call of each, in the best of several rounds in which each has its turn.

    What is to be compared shares the machine's good and bad moments so.
    """
    rounds = [{name: once(work, runs=1) for name, work in works.items()} for _ in range(runs)]
    return {name: min(times[name] for times in rounds) for name in works}


@cache
def decoding(name: str = "demo", megapixels: int = 12) -> float:
    """Milliseconds that OpenCV takes to decode the sample of this name as a JPEG of so many megapixels."""
    code = bench_photos.enlarged(name, megapixels)
    return once(lambda: bench_photos.decode(code))


def rules() -> Iterator[Row]:
    """Boards of 7x7 from simulated games: notation, score, legality."""
    rng = np.random.default_rng(7)
    texts = [str(kingdom.board) for _ in range(40) for kingdom in play(rng, players=2, side=7)]
    rule_set = make_rule_set(side=7, variants=["middle-kingdom", "harmony"])

    def boards() -> list[Board]:
        make_puzzle.cache_clear()
        return [Board.parse(text) for text in texts]

    def scored_and_checked(board: Board) -> object:
        return score(board, rule_set), find_problems(board, KINGDOMINO)

    scoring = timed(boards, lambda board: score(board, rule_set))
    yield Row("parse a 7x7 board", timed(lambda: texts, Board.parse), None, decoding())
    yield Row("score a 7x7 board", scoring, 0.2, decoding())
    yield Row("7x7 boards scored", 1000 / scoring, unit="a second")
    yield Row("score a 7x7 board, with legality", timed(boards, scored_and_checked), 2.0, decoding())
    yield Row(
        "name the dominoes of a 7x7 board",
        timed(boards, lambda board: name_dominoes(board, KINGDOMINO)),
        None,
        decoding(),
    )


def photos() -> Iterator[Row]:
    """Samples at 12 and 48 megapixels through every stage, on one core; each compared with the decoding of itself."""
    bench_photos.one_core()
    for megapixels in bench_photos.MEGAPIXELS:
        for shows, name in bench_photos.SCENES.items():
            code, what = bench_photos.enlarged(name, megapixels), f"{megapixels} MP, {shows}"
            yield Row(f"{what}: the file", len(code) / 1e6, unit="MB")
            times = by_turns(dict(bench_photos.stages(code)))
            jpeg = times[bench_photos.DECODE]
            for stage, taken in times.items():
                limit = LIMITS.get((megapixels, shows)) if stage == "whole photo" else None
                yield Row(f"{what}: {stage}", taken, limit and limit * jpeg, jpeg)


def cores() -> Iterator[Row]:
    """Whole photos by the clock, on one core and on two: what a person waits where nothing else runs."""
    for shows, name in bench_photos.SCENES.items():
        code = bench_photos.enlarged(name)
        for count in (1, 2):
            taken = bench_photos.by_the_clock(code, cores=count)
            yield Row(f"12 MP, {shows}: whole photo, cores: {count}", taken, None, decoding(name))


def batch() -> Iterator[Row]:
    """The samples as they are, one after another in one process on one core."""
    bench_photos.one_core()
    photos, seconds = bench_photos.one_after_another()
    yield Row("photos of 2 megapixels read", photos / seconds, unit="a second")


def event() -> Iterator[Row]:
    """An event's photos by two workers, beside only decoding them; the ratio counts processor time."""
    for what, amount, unit in bench_batch.figures():
        yield Row(what, amount, unit=unit)


def start() -> Iterator[Row]:
    """The program from nothing: what a person waits for before anything happens, and for a first photo."""
    for asked, limit in ((["--help"], 250.0), (["type", "w w1 / l #"], 350.0), (["score", DEMO], None)):
        yield Row(f"kdvision {asked[0]}", bench_photos.started(asked), limit, decoding())


def memory() -> Iterator[Row]:
    """The most memory that one photo takes, the program and its models included."""
    with TemporaryDirectory() as folder:
        for megapixels, limit in zip(bench_photos.MEGAPIXELS, (500.0, 1000.0), strict=True):
            for shows, name in bench_photos.SCENES.items():
                code, what = bench_photos.enlarged(name, megapixels), f"{megapixels} MP, {shows}"
                yield Row(f"{what}: read", bench_photos.peak_memory(code, bench_photos.READ), limit, unit="MB")
                drawn = bench_photos.peak_memory(code, bench_photos.DRAW, str(Path(folder) / "drawn.jpg"))
                yield Row(f"{what}: read and drawn", drawn, limit, unit="MB")


SECTIONS: Final[Mapping[str, Callable[[], Iterable[Row]]]] = {
    "rules": rules,
    "start": start,
    "photos": photos,
    "cores": cores,
    "batch": batch,
    "event": event,
    "memory": memory,
}


def main(arguments: Sequence[str]) -> int:
    """Print the sections asked for, all of them by default; 1 where something is too slow, 2 for an unknown name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures into this file too")
    given = parser.parse_args(arguments)
    unknown = [name for name in given.names if name not in SECTIONS]
    if unknown:
        print(f"no section {', '.join(unknown)}; there is {', '.join(SECTIONS)}", file=sys.stderr)
        return 2
    found: dict[str, list[Row]] = {}
    try:
        for name in given.names or SECTIONS:
            print(name)
            found[name] = []
            for row in SECTIONS[name]():
                print(f"  {row}", flush=True)
                found[name].append(row)
    except KdvisionError as error:
        print(f"{error}: {error.hint}", file=sys.stderr)
        return error.exit_code
    if given.json:
        write_atomically(given.json, json.dumps(figures(found), indent=1).encode())
    return int(any(row.slow for rows in found.values() for row in rows))


def figures(found: Mapping[str, Sequence[Row]]) -> dict[str, object]:
    """All rows as plain values, and on what they were measured."""
    machine = {"python": platform.python_version(), "system": platform.platform(), "processor": platform.machine()}
    return {"machine": machine, **{name: [row.data() for row in rows] for name, rows in found.items()}}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
