"""Puts `kdvision batch` through a bad night: `python -m kdvision.lab.robustness.trial FOLDER WORK --kills 3 --dask`.

An event is read once in peace, then with kills at random moments, then on a Dask cluster of two workers of which one is
killed midway. All must leave the same files. The first run tells the rate, and the memory of its first and last photos.
"""

from __future__ import annotations

import argparse
import math
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

MEMO: Final = (".run.json", ".lock", ".corrections.lock")
"""Files that belong to the run, not to what it found."""

LONGEST: Final = 6 * 3600.0
"""Seconds after which a run that does nothing is given up."""


@dataclass
class Memory:
    """Megabytes that a run's own process and its workers took, with the number of photos that were safe then."""

    seen: list[tuple[int, float, float]] = field(default_factory=list)

    def most(self, first: int, last: int) -> tuple[float, float]:
        """The most while this many photos were safe: that of the run's own process, and that of all workers."""
        during = [(own, workers) for count, own, workers in self.seen if first <= count <= last]
        own, workers = zip(*during, strict=True) if during else ((math.nan,), (math.nan,))
        return max(own), max(workers)


def command(folder: Path, out: Path, *more: str) -> list[str]:
    """The command that reads an event."""
    return [sys.executable, "-m", "kdvision", "batch", str(folder), "-o", str(out), *more]


def count(out: Path) -> int:
    """How many results are safe."""
    try:
        return (out / "results.jsonl").read_bytes().count(b"\n")
    except OSError:
        return 0


def in_peace(folder: Path, out: Path, *more: str) -> tuple[int, float, Memory]:
    """The exit code, the seconds, and the memory of a run that nobody disturbs."""
    start, memory = time.monotonic(), Memory()
    with subprocess.Popen(command(folder, out, *more)) as run:
        while run.poll() is None:
            memory.seen.append((count(out), _megabytes(run.pid), sum(map(_megabytes, _children(run.pid)))))
            time.sleep(0.3)
    return run.returncode, time.monotonic() - start, memory


def killed(folder: Path, out: Path, *more: str, kills: int, photos: int, seed: int = 0) -> list[int]:
    """Kill so many runs at random moments; how many results were safe each time."""
    rng, kept = random.Random(seed), []
    for number in range(kills):
        moment = count(out) + rng.randint(0, max(1, photos // (kills + 1)))
        with subprocess.Popen(command(folder, out, *more), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as run:
            _until(run, out, moment)
            time.sleep(rng.uniform(0, 1))
            run.kill()
        kept.append(count(out))
        print(f"  killed ({number + 1}), {kept[-1]} results are safe", flush=True)
    return kept


def _until(run: subprocess.Popen[bytes], out: Path, results: int) -> None:
    start = time.monotonic()
    while run.poll() is None and count(out) < results and time.monotonic() - start < LONGEST:
        time.sleep(0.05)


def on_a_cluster(folder: Path, out: Path, *, photos: int) -> int:
    """The exit code of a run on two workers, one of which is killed when half of the photos are safe."""
    with _cluster() as (address, workers):
        run = subprocess.Popen(command(folder, out, "--dask", address))
        _until(run, out, photos // 2)
        workers[0].kill()
        print(f"  a worker killed, {count(out)} results are safe", flush=True)
        return run.wait()


@contextmanager
def _cluster() -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and two workers, started as docs/events.md says."""
    address = "tcp://127.0.0.1:18786"
    scheduler = _quietly("dask_scheduler", "--host", "127.0.0.1", "--port", "18786", "--no-dashboard")
    worker = ("dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard")
    workers = [_quietly(*worker) for _ in range(2)]
    try:
        time.sleep(5)
        yield address, workers
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


def _quietly(name: str, *more: str) -> subprocess.Popen[bytes]:
    code = [sys.executable, "-m", f"distributed.cli.{name}", *more]
    return subprocess.Popen(code, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def files(out: Path) -> dict[str, bytes]:
    """All that a run found, by name."""
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in out.rglob("*")
        if path.is_file() and path.name not in MEMO
    }


def differences(one: Path, other: Path) -> list[str]:
    """The names of files that are not the same in both folders."""
    first, second = files(one), files(other)
    return sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name))


def _megabytes(pid: int) -> float:
    """The memory that a process holds for itself; 0 where it is gone or the system cannot say."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("RssAnon:")) / 1024


def _children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def main(arguments: Sequence[str]) -> int:
    """Put an event through it; 1 where anything differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("work", type=Path, help="a folder for the results of all runs")
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--dask", action="store_true")
    given = parser.parse_args(arguments)
    photos = sum(path.suffix == ".jpg" for path in given.folder.rglob("*"))
    shutil.rmtree(given.work, ignore_errors=True)
    peace, bad, cluster = (given.work / name for name in ("peace", "killed", "dask"))
    code, seconds, memory = in_peace(given.folder, peace)
    part = min(100, photos // 2)
    print(f"in peace: exit code {code}, {photos} photos, {60 * photos / seconds:.0f} a minute")
    first, last = memory.most(1, part), memory.most(photos - part, photos - 1)
    for what, before, after in zip(("of the run itself", "of its workers"), first, last, strict=True):
        print(f"memory {what}: {before:.1f} MB for the first {part} photos, {after:.1f} MB for the last {part}")
    killed(given.folder, bad, kills=given.kills, photos=photos, seed=given.seed)
    codes = [code, in_peace(given.folder, bad)[0]]
    wrong = differences(peace, bad)
    print(f"after {given.kills} kills: exit code {codes[-1]}, {len(wrong)} files differ {wrong[:5]}")
    if given.dask:
        codes.append(on_a_cluster(given.folder, cluster, photos=photos))
        other = differences(peace, cluster)
        print(f"on a cluster that lost a worker: exit code {codes[-1]}, {len(other)} files differ {other[:5]}")
        wrong += other
    return int(bool(wrong) or len(set(codes)) > 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
