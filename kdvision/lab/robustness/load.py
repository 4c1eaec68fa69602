"""Many phones at once against a real server: is every answer right, how long do people wait, how much memory is held?

    python -m kdvision.lab.robustness.load --phones 32

starts `kdvision serve` on a free port of this machine. Every phone sends its photos one after another, then taps a few
times, each tap a game to score. An answer is right when it is the one that the server gives to a phone that is alone.
"""

from __future__ import annotations

import argparse
import http.client
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from kdvision.errors import KdvisionError

SAMPLES: Final = Path(__file__).parents[3] / "samples"
PATIENCE: Final = 300.0
"""Seconds until an answer counts as one that never comes."""

TAPS: Final = 5
BUSY: Final = 503


@dataclass
class Tally:
    """What the phones saw: seconds waited for photos and for taps, wrong answers, and how often they were sent away."""

    photos: list[float] = field(default_factory=list)
    taps: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    sent_away: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass(frozen=True)
class Server:
    """A server that runs in a process of its own."""

    process: subprocess.Popen[str]
    port: int

    def post(self, path: str, body: bytes, kind: str) -> tuple[int, Any]:
        """The status and the object of one answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("POST", path, body, {"Content-Type": kind})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def memory(self) -> float:
        """The most megabytes it has held so far; 0 where the system does not tell."""
        status = Path(f"/proc/{self.process.pid}/status")
        lines = status.read_text().splitlines() if status.exists() else []
        return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)


@contextmanager
def serving() -> Iterator[Server]:
    """A server until the end of the block."""
    command = [sys.executable, "-m", "kdvision", "serve", "--port", "0", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise KdvisionError("the server did not start", hint="see what it said")
        try:
            yield Server(process, int(line.rpartition(":")[2].strip(" /\n")))
        finally:
            process.terminate()


def boards(answer: Any) -> list[list[str]]:
    """The boards of an answer, kingdom by kingdom: what has to be right."""
    return [kingdom["board"] for kingdom in answer["kingdoms"]]


def read(server: Server, content: bytes, tally: Tally | None = None) -> Any:
    """What a photo shows; sent again after a while where the server says that it is busy."""
    while True:
        status, answer = server.post("/api/read", content, "image/jpeg")
        if status != BUSY:
            return answer
        if tally is not None:
            with tally.lock:
                tally.sent_away += 1
        time.sleep(1.0)


def phone(server: Server, photos: Sequence[tuple[str, bytes, Any]], tally: Tally, start: threading.Barrier) -> None:
    """One phone: its photos, each followed by taps on the first kingdom."""
    start.wait()
    for name, content, wanted in photos:
        began = time.perf_counter()
        answer = read(server, content, tally)
        took = time.perf_counter() - began
        with tally.lock:
            tally.photos.append(took)
            tally.wrong += [name] if boards(answer) != wanted else []
        for _ in range(TAPS):
            tap(server, wanted[0], tally)


def tap(server: Server, board: list[str], tally: Tally) -> None:
    """One game scored."""
    body = json.dumps({"kingdom": [{"player": "Ann", "board": board}]}).encode()
    began = time.perf_counter()
    status, answer = server.post("/api/score", body, "application/json")
    took = time.perf_counter() - began
    with tally.lock:
        tally.taps.append(took)
        if status != 200 or answer["rounds"][0]["kingdoms"][0]["board"] != board:
            tally.wrong.append(f"tap: {status}")


def run(phones: int, each: int) -> tuple[Tally, list[float], float, float]:
    """The tally of so many phones with so many photos each, the seconds of a phone alone, memory before and after."""
    names = [
        path for path in sorted(SAMPLES.glob("*.jpg")) if json.loads(path.with_suffix(".json").read_text())["kingdoms"]
    ]
    with serving() as server:
        alone, known = [], []
        for path in names:
            began = time.perf_counter()
            known.append((path.name, path.read_bytes(), boards(read(server, path.read_bytes()))))
            alone.append(time.perf_counter() - began)
        before, tally, start = server.memory(), Tally(), threading.Barrier(phones)
        threads = [
            threading.Thread(
                target=phone, args=(server, [known[(n + k) % len(known)] for k in range(each)], tally, start)
            )
            for n in range(phones)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return tally, alone, before, server.memory()


def spread(seconds: Sequence[float]) -> str:
    """The middle, the slowest tenth and the slowest of some times."""
    ordered = sorted(seconds)
    middle, late, last = ordered[len(ordered) // 2], ordered[int(0.9 * len(ordered))], ordered[-1]
    return f"median {middle:.2f} s, 90 % {late:.2f} s, most {last:.2f} s"


def main() -> None:
    """Run and print the figures; exit with 1 where an answer was wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--phones", type=int, default=32)
    parser.add_argument("--photos", type=int, default=2, help="of each phone")
    asked = parser.parse_args()
    began = time.perf_counter()
    tally, alone, before, after = run(asked.phones, asked.photos)
    print(f"{asked.phones} phones with {asked.photos} photos each, {time.perf_counter() - began:.0f} s in all")
    print(f"photos   {len(tally.photos)} answered; {spread(tally.photos)}; alone {spread(alone)}")
    print(f"taps     {len(tally.taps)} answered; {spread(tally.taps)}")
    print(f"wrong    {len(tally.wrong)} {', '.join(tally.wrong)}")
    print(f"busy     {tally.sent_away} times sent away and come again")
    print(f"memory   {before:.0f} MB after one phone, {after:.0f} MB at most")
    sys.exit(1 if tally.wrong else 0)


if __name__ == "__main__":
    main()
