"""Shared tables under load: how soon phones see a change, and how much memory many photos take.

    python -m benchmarks.tables --phones 32 --tables 8 --photos 500

Phones watch their tables and set squares in turn. A change counts as seen when the last phone of its table has received
the new state. Then one table gets photos, each of which replaces the one before.
"""

import argparse
import http.client
import io
import json
import statistics
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any, Final

from PIL import Image

from benchmarks.server import SAMPLES, TIMEOUT_SECONDS, Server, format_seconds, start_server
from kdvision.lab.run import parse_count

PAUSE_SECONDS: Final = 0.5
"""Between the changes of a table; people tap no faster."""

MAX_SECONDS: Final = 0.3
"""A change should reach all phones within this time."""

MAX_GROWTH_MEGABYTES: Final = 20.0
"""Memory may grow by this over the second half of the photos."""

PHOTO_WIDTH: Final = 640
"""Pixels; small photos are read fast."""

SAMPLES_OF_MEMORY: Final = 10


class Watcher(threading.Thread):
    """A phone that watches a table and records when each revision arrives."""

    def __init__(self, server: Server, table: str) -> None:
        super().__init__(daemon=True)
        self.arrival_times: dict[int, float] = {}
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT_SECONDS)
        self.connection.request("GET", f"/api/tables/{table}/live")
        self.response = self.connection.getresponse()

    def run(self) -> None:
        """Read events until the server stops."""
        for line in self.response:
            if line.startswith(b"id: "):
                self.arrival_times[int(line[4:])] = time.perf_counter()

    def wait_for(self, revision: int) -> float:
        """Return when a revision, or a later one, arrived; raises ConnectionError if the server stops before."""
        while not any(number >= revision for number in list(self.arrival_times)):
            if not self.is_alive():
                raise ConnectionError(f"revision {revision} did not reach a phone")
            time.sleep(0.001)
        return min(moment for number, moment in list(self.arrival_times.items()) if number >= revision)


def change_table(server: Server, table: str, **values: Any) -> Any:
    """Return the state of a table after a change."""
    body = json.dumps({"changes": [values]}).encode()
    status, state = server.post(f"/api/tables/{table}/changes", body, "application/json")
    assert status == 200, state
    return state


def open_tables(server: Server, count: int) -> dict[str, str]:
    """Return new tables with the id of a kingdom at each."""
    boards = json.loads((SAMPLES / "four-kingdoms.json").read_text())["kingdoms"]
    kingdom_ids = {}
    for _ in range(count):
        table = server.post("/api/tables", b'{"new": true}', "application/json")[1]["table"]
        states = [change_table(server, table, op="add_kingdom", board=kingdom["board"]) for kingdom in boards]
        kingdom_ids[table] = states[-1]["game"]["rounds"][0][0]["id"]
    return kingdom_ids


def measure_changes(server: Server, phones: int, tables: int, changes: int) -> list[float]:
    """Return the seconds from sending each change until the last phone of its table has seen it.

    All tables change in the same seconds.
    """
    kingdoms = open_tables(server, tables)
    watchers = {table: [Watcher(server, table) for _ in range(phones // tables)] for table in kingdoms}
    for watcher in chain.from_iterable(watchers.values()):
        watcher.start()

    def set_squares(table: str) -> list[float]:
        seconds = []
        for number in range(changes):
            cell = "w1" if number % 2 else "f"
            start = time.perf_counter()
            state = change_table(server, table, op="set_square", kingdom=kingdoms[table], at="0,0", cell=cell)
            seconds.append(max(watcher.wait_for(state["revision"]) for watcher in watchers[table]) - start)
            time.sleep(PAUSE_SECONDS)
        return seconds

    with ThreadPoolExecutor(tables) as pool:
        return [second for seconds in pool.map(set_squares, kingdoms) for second in seconds]


def make_photo() -> bytes:
    """Return the sample of two kingdoms as a small photo."""
    with Image.open(SAMPLES / "two-kingdoms.jpg") as image:
        image.thumbnail((PHOTO_WIDTH, PHOTO_WIDTH))
        buffer = io.BytesIO()
        image.save(buffer, "JPEG", quality=90)
    return buffer.getvalue()


def measure_memory(server: Server, photos: int) -> list[float]:
    """Return the megabytes in use after each tenth of the photos."""
    table = server.post("/api/tables", b'{"new": true}', "application/json")[1]["table"]
    photo, megabytes = make_photo(), []
    for number in range(1, photos + 1):
        status, answer = server.post(f"/api/tables/{table}/photos?photo=p{number}", photo, "image/jpeg")
        assert status == 200, answer
        if answer["proposal"]:
            change_table(server, table, op="answer_proposal", proposal=answer["proposal"]["id"], answer=0)
        if number % max(1, photos // SAMPLES_OF_MEMORY) == 0:
            megabytes.append(server.get_megabytes())
    return megabytes


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; return 1 if one is over its limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phones", type=parse_count, default=32)
    parser.add_argument("--tables", type=parse_count, default=8)
    parser.add_argument("--changes", type=parse_count, default=50, help="changes at each table")
    parser.add_argument("--photos", type=parse_count, default=500)
    options = parser.parse_args(arguments)
    if options.phones < options.tables:
        parser.error("every table needs a phone that watches it: give more --phones or fewer --tables")
    with start_server() as server:
        seconds = measure_changes(server, options.phones, options.tables, options.changes)
        megabytes = measure_memory(server, options.photos)
    second_half = megabytes[len(megabytes) // 2 :]
    growth = statistics.mean(second_half[-2:]) - second_half[0]
    print(f"changes  {len(seconds)}, seen by all phones of the table; {format_seconds(seconds, digits=3)}")
    values = ", ".join(f"{value:.0f}" for value in megabytes)
    print(f"memory   {values} MB over {options.photos} photos; growth {growth:.1f} MB")
    return int(sorted(seconds)[int(0.99 * len(seconds))] > MAX_SECONDS or growth > MAX_GROWTH_MEGABYTES)


if __name__ == "__main__":
    sys.exit(main())
