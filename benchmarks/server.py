"""Many phones at once against a real server: waiting times, wrong answers, memory.

    python -m benchmarks.server --phones 32

Every phone sends its photos one after another, each followed by taps: requests that score a board. An answer is right
if it equals the answer to a single phone. Exits with 1 if an answer was wrong.
"""

import argparse
import http.client
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from kdvision.errors import KdvisionError
from kdvision.lab.run import parse_count

SAMPLES: Final = Path(__file__).resolve().parents[1] / "samples"
TIMEOUT_SECONDS: Final = 300.0
RETRY_SECONDS: Final = 1.0
TAPS_PER_PHOTO: Final = 5
BUSY_STATUS: Final = 503


@dataclass(frozen=True)
class Server:
    """A server in a process of its own."""

    process: subprocess.Popen[str]
    port: int

    def post(self, path: str, body: bytes, kind: str) -> tuple[int, Any]:
        """Return status and JSON of one answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS)
        try:
            connection.request("POST", path, body, {"Content-Type": kind})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def get_megabytes(self, key: str = "VmRSS") -> float:
        """Return the megabytes in use, with "VmHWM" the peak; 0 if the system has no /proc."""
        status = Path(f"/proc/{self.process.pid}/status")
        lines = status.read_text().splitlines() if status.exists() else []
        return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(key)), 0.0)


@contextmanager
def start_server() -> Iterator[Server]:
    """Run `kdvision serve` on a free port, with an empty folder for games, until the end of the block."""
    command = [sys.executable, "-m", "kdvision", "serve", "--port", "0", "--quiet", "--data"]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen([*command, folder], stdout=subprocess.PIPE, text=True) as process,
    ):
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise KdvisionError("the server did not start", hint="run `kdvision serve` to see its message")
        try:
            yield Server(process, int(line.rpartition(":")[2].strip(" /\n")))
        finally:
            process.terminate()


@dataclass
class Tally:
    """Seconds that a phone waited for photos and taps, wrong answers, and how often the server was busy."""

    photos: list[float] = field(default_factory=list)
    taps: list[float] = field(default_factory=list)
    wrong_answers: list[str] = field(default_factory=list)
    busy_count: int = 0


def read_boards(server: Server, content: bytes, tally: Tally) -> list[list[str]]:
    """Return the boards of a photo; a busy server is asked again."""
    while True:
        status, answer = server.post("/api/read", content, "image/jpeg")
        if status != BUSY_STATUS:
            return [kingdom["board"] for kingdom in answer["kingdoms"]]
        tally.busy_count += 1
        time.sleep(RETRY_SECONDS)


def use_phone(server: Server, photos: Sequence[tuple[str, bytes, list[list[str]]]]) -> Tally:
    """Send photos, each followed by taps on its first kingdom."""
    tally = Tally()
    for name, content, boards in photos:
        start = time.perf_counter()
        tally.wrong_answers += [name] if read_boards(server, content, tally) != boards else []
        tally.photos.append(time.perf_counter() - start)
        for _ in range(TAPS_PER_PHOTO):
            tap(server, boards[0], tally)
    return tally


def tap(server: Server, board: list[str], tally: Tally) -> None:
    """Score one game."""
    body = json.dumps({"kingdom": [{"player": "Ann", "board": board}]}).encode()
    start = time.perf_counter()
    status, answer = server.post("/api/score", body, "application/json")
    tally.taps.append(time.perf_counter() - start)
    if status != 200 or answer["rounds"][0]["kingdoms"][0]["board"] != board:
        tally.wrong_answers.append(f"tap: {status}")


def format_seconds(seconds: Sequence[float], *, digits: int = 2) -> str:
    """Return median, 90th percentile and maximum."""
    sorted_seconds = sorted(seconds)
    count, maximum = len(seconds), sorted_seconds[-1]
    median, percentile_90 = sorted_seconds[count // 2], sorted_seconds[int(0.9 * count)]
    return f"median {median:.{digits}f} s, 90 % {percentile_90:.{digits}f} s, most {maximum:.{digits}f} s"


def main() -> int:
    """Print the figures; return 1 if an answer was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phones", type=parse_count, default=32)
    parser.add_argument("--photos", type=parse_count, default=2, help="photos of each phone")
    options = parser.parse_args()
    paths = [p for p in sorted(SAMPLES.glob("*.jpg")) if json.loads(p.with_suffix(".json").read_text())["kingdoms"]]
    with start_server() as server:
        known_photos = [
            (path.name, path.read_bytes(), read_boards(server, path.read_bytes(), Tally())) for path in paths
        ]
        single_phone = use_phone(server, known_photos)
        before = server.get_megabytes("VmHWM")
        phones = [
            [known_photos[(number + k) % len(known_photos)] for k in range(options.photos)]
            for number in range(options.phones)
        ]
        with ThreadPoolExecutor(options.phones) as pool:
            tallies = list(pool.map(partial(use_phone, server), phones))
        after = server.get_megabytes("VmHWM")
    photos = [seconds for tally in tallies for seconds in tally.photos]
    taps = [seconds for tally in tallies for seconds in tally.taps]
    wrong_answers = [name for tally in tallies for name in tally.wrong_answers]
    print(f"photos   {len(photos)}; {format_seconds(photos)}; one phone alone {format_seconds(single_phone.photos)}")
    print(f"taps     {len(taps)}; {format_seconds(taps)}")
    print(f"wrong    {len(wrong_answers)} {', '.join(wrong_answers)}")
    print(f"busy     {sum(tally.busy_count for tally in tallies)} times")
    print(f"memory   {before:.0f} MB after one phone, {after:.0f} MB at most")
    return int(bool(wrong_answers))


if __name__ == "__main__":
    sys.exit(main())
