"""The games of all tables in one SQLite file. Without a file, or if it cannot be used, they are kept in memory.

| table | content |
|---|---|
| `tables` | each table with its revision and its current step |
| `steps` | the game after each step; undo and redo move between them |
| `readings` | what a photo showed of a kingdom: observation and kingdom |
| `settings` | the pairing key, with the time when it was last used |

A step reaches the operating system before its request is answered, so a killed server loses nothing.
"""

import logging
import re
import sqlite3
import threading
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from msgspec import DecodeError, json
from msgspec.structs import replace

from kdvision.web.limits import Refusal
from kdvision.web.security import PAIRING_SECONDS, make_key
from kdvision.web.table.facts import open_malformed_facts
from kdvision.web.table.model import TableGame, TableKingdom

log = logging.getLogger("kdvision.web")

FILE_NAME: Final = "tables.sqlite"
VERSION: Final = 1
"""`PRAGMA user_version` of the file. A change of the tables, or of the stored games, increases it."""

SCHEMA: Final = """
CREATE TABLE tables (id TEXT PRIMARY KEY, revision INTEGER, step INTEGER, changed REAL);
CREATE TABLE steps (
    table_id TEXT, number INTEGER, game INTEGER, op TEXT, changed REAL, content BLOB,
    PRIMARY KEY (table_id, number)
);
CREATE TABLE readings (id TEXT PRIMARY KEY, table_id TEXT, observation BLOB, kingdom BLOB);
CREATE INDEX reading_table ON readings (table_id);
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT, changed REAL);
"""

MAX_STEPS: Final = 100
"""Steps of a table that undo can return to. Of earlier ones only the last of each game is kept, for the history."""

MAX_HISTORY: Final = 200
"""Games in the history."""

MAX_PENDING: Final = 64
"""The latest readings of a table, which are kept although they are part of no game: a question may still be open."""

READING_ID: Final = re.compile(rb'"reading":"(\w+)"')
"""The id of a reading in a stored game."""

Statement = tuple[str, tuple[Any, ...]]


class Step(NamedTuple):
    """A game after a step, and the name of the change that led to it."""

    number: int
    op: str
    game: TableGame


class StoredReading(NamedTuple):
    """A kingdom as a photo shows it, and the encoded observation; `kingdom.reading` is the id of the reading."""

    kingdom: TableKingdom
    observation: bytes


class Storage:
    """An open database. `notice` is a sentence for the players if games are not stored on disk, or old ones are not."""

    def __init__(self, folder: Path | None = None) -> None:
        self.notice = ""
        self._lock = threading.RLock()
        self._database = _prepare(_connect(":memory:")) if folder is None else self._open(folder)

    def close(self) -> None:
        """Close the file, once the threads that use it have answered."""
        with self._lock:
            self._database.close()

    def __del__(self) -> None:
        """Close the file of an application that was never run; Python 3.13 warns of open ones."""
        self.close()

    def list_tables(self) -> list[str]:
        """Return the ids of all tables, the one that was changed last first."""
        return [row[0] for row in self._query("SELECT id FROM tables ORDER BY changed DESC, rowid DESC")]

    def find_table(self, table: str) -> tuple[int, Step]:
        """Return the revision of a table, and the step it is at; raise Refusal."""
        for revision, number in self._query("SELECT revision, step FROM tables WHERE id = ?", table):
            if step := self.find_step(table, number):
                return revision, step
        raise Refusal(404, f"there is no table {table[:8]}", hint="join another one, or make a new one")

    def find_step(self, table: str, number: int) -> Step | None:
        """Return a step of a table; None if there is none with this number."""
        rows = self._query("SELECT op, content FROM steps WHERE table_id = ? AND number = ?", table, number)
        return next((Step(number, op, _decode_game(content)) for op, content in rows), None)

    def save(self, table: str, revision: int, step: Step, *, is_new: bool = True) -> None:
        """Store the step a table is at. If it `is_new`, all later steps, which were undone, are dropped."""
        now = time.time()
        row = (table, step.number, step.game.number, step.op, now, json.encode(step.game))
        statements: list[Statement] = [
            ("REPLACE INTO tables VALUES (?, ?, ?, ?)", (table, revision, step.number, now)),
            ("REPLACE INTO steps VALUES (?, ?, ?, ?, ?, ?)", row),
        ]
        if is_new:
            statements += [
                ("DELETE FROM steps WHERE table_id = ? AND number > ?", (table, step.number)),
                (
                    "DELETE FROM steps WHERE table_id = ?1 AND number < ?2 AND number NOT IN"
                    " (SELECT MAX(number) FROM steps WHERE table_id = ?1 AND number < ?2 GROUP BY game)",
                    (table, step.number - MAX_STEPS),
                ),
            ]
        self._run(*statements)

    def find_game(self, table: str, number: int) -> TableGame:
        """Return a game of a table as it was left; raise Refusal."""
        query = "SELECT content FROM steps JOIN tables ON table_id = id WHERE id = ? AND game = ? AND number <= step"
        rows = self._query(f"{query} ORDER BY number DESC LIMIT 1", table, number)
        if not rows:
            raise Refusal(404, f"this table has no game {number}", hint="look at the list of games")
        return _decode_game(rows[0][0])

    def find_last_game_number(self, table: str) -> int:
        """Return the highest number of a game of a table."""
        return self._query("SELECT MAX(game) FROM steps WHERE table_id = ?", table)[0][0] or 0

    def list_games(self) -> list[tuple[str, float, TableGame]]:
        """Return all games as they were left, each with its table and the time of its last change; the latest first."""
        rows = self._query(
            "SELECT table_id, steps.changed, content, MAX(number) FROM steps JOIN tables ON table_id = id"
            " WHERE number <= step GROUP BY table_id, game ORDER BY steps.changed DESC LIMIT ?",
            MAX_HISTORY,
        )
        return [(table, change_time, _decode_game(content)) for table, change_time, content, _ in rows]

    def add_reading(self, table: str, reading: StoredReading) -> None:
        """Store a reading, and drop old ones of the table that are part of no game any more."""
        row = (reading.kingdom.reading, table, reading.observation, json.encode(reading.kingdom))
        self._run(("REPLACE INTO readings VALUES (?, ?, ?, ?)", row))
        query = "SELECT id FROM readings WHERE table_id = ? ORDER BY rowid DESC LIMIT -1 OFFSET ?"
        old_ids = {row[0] for row in self._query(query, table, MAX_PENDING)}
        for (content,) in self._query("SELECT content FROM steps WHERE table_id = ?", table) if old_ids else ():
            old_ids.difference_update(reading_id.decode() for reading_id in READING_ID.findall(content))
        self._run(*(("DELETE FROM readings WHERE id = ?", (reading_id,)) for reading_id in old_ids))

    def find_reading(self, table: str, reading_id: str) -> StoredReading:
        """Return a reading of a table by its id; raise Refusal."""
        rows = self._query("SELECT kingdom, observation FROM readings WHERE table_id = ? AND id = ?", table, reading_id)
        if not rows:
            raise Refusal(404, "this reading is not kept any more", hint="take the photo again")
        kingdom, observation = rows[0]
        return StoredReading(json.decode(kingdom, type=TableKingdom), observation)

    def renew_key(self) -> str:
        """Return the key that was used a short time ago, or else a new one, and store it for the next start."""
        now = time.time()
        query = "SELECT value FROM settings WHERE name = 'key' AND changed > ?"
        key = next((row[0] for row in self._query(query, now - PAIRING_SECONDS)), make_key())
        self._run(("REPLACE INTO settings VALUES ('key', ?, ?)", (key, now)))
        return str(key)

    def use_key(self) -> None:
        """Note that a phone has used the key."""
        self._run(("UPDATE settings SET changed = ? WHERE name = 'key'", (time.time(),)))

    def _query(self, query: str, *values: Any) -> list[Any]:
        return self._run((query, values))

    def _run(self, *statements: Statement) -> list[Any]:
        """Run statements in one transaction and return the rows of the last one; in memory if the file fails."""
        with self._lock:
            try:
                return self._execute(statements)
            except sqlite3.ProgrammingError:
                raise  # the file is closed: the server has stopped, and nobody waits for this answer
            except sqlite3.Error as error:
                self._continue_in_memory(error)
                return self._execute(statements)

    def _execute(self, statements: tuple[Statement, ...]) -> list[Any]:
        rows: list[Any] = []
        with self._database as database:
            for statement in statements:
                rows = database.execute(*statement).fetchall()
        return rows

    def _continue_in_memory(self, error: sqlite3.Error) -> None:
        text = f"The game is kept in memory only, because its file cannot be written ({error})."
        self._warn(f"{text} Free some disk space and start the server again.")
        memory = _connect(":memory:")
        with suppress(sqlite3.Error):  # it cannot be read either
            self._database.backup(memory)
        self._database.close()
        self._database = _prepare(memory)

    def _open(self, folder: Path) -> sqlite3.Connection:
        """Open the file of a folder, or memory. A file that is damaged or of another version is set aside."""
        path = folder / FILE_NAME
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if flaw := _find_flaw(path):
                new_path = _set_aside(path)
                self._warn(f"The file with earlier games is {flaw}. It was renamed to {new_path.name} and not changed.")
            return _prepare(_connect(path))
        except (OSError, sqlite3.Error) as error:
            reason = f"{error}: stop the other server that uses it" if "locked" in str(error) else error
            self._warn(f"Games are kept in memory only and end with the server: {path} cannot be used ({reason}).")
            return _prepare(_connect(":memory:"))

    def _warn(self, sentence: str) -> None:
        self.notice = sentence
        log.warning("%s", sentence)


def _decode_game(content: bytes) -> TableGame:
    """Return a stored game, with "?" for facts that the page cannot show."""
    game = json.decode(content, type=TableGame)
    for kingdom in game.kingdoms:
        game = game.with_kingdom(replace(kingdom, facts=open_malformed_facts(kingdom.facts)))
    return game


def _find_flaw(path: Path) -> str:
    """Return why a file cannot be used; empty if it can, or is new. Raises OperationalError if a server uses it."""
    with closing(_connect(path)) as database:
        try:
            version = database.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, VERSION):
                return f"of another version of the program ({version} instead of {VERSION})"
            if database.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                return "damaged"
            if version:
                _read_contents(database)
            return ""
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            return "damaged, or no database"
        except (DecodeError, ValueError, LookupError):
            return "of another version of the program, which opens it under its old name"


def _read_contents(database: sqlite3.Connection) -> None:
    """Read all games and readings; raises DecodeError, ValueError and LookupError if another version wrote one."""
    for (content,) in database.execute("SELECT content FROM steps"):
        _ = json.decode(content, type=TableGame).rules.facts  # raises for an unknown game or variant
    for (kingdom,) in database.execute("SELECT kingdom FROM readings"):
        json.decode(kingdom, type=TableKingdom)


def _connect(path: Path | str) -> sqlite3.Connection:
    """Open a file for this server alone, or ":memory:"."""
    database = sqlite3.connect(path, timeout=0, check_same_thread=False)
    database.execute("PRAGMA locking_mode = EXCLUSIVE")
    return database


def _prepare(database: sqlite3.Connection) -> sqlite3.Connection:
    """Prepare the database for writing, create the tables of a new one, and return it."""
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")  # a killed process loses nothing, a power cut the last steps
    if database.execute("PRAGMA user_version").fetchone()[0] == 0:
        database.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;")
    return database


def _set_aside(path: Path) -> Path:
    """Rename the file, and what SQLite stores beside it; return the new path."""
    new_path = path.with_name(f"{path.name}.{time.strftime('%Y%m%d-%H%M%S')}.old")
    for suffix in ("-wal", "-shm", ""):
        old_path = path.with_name(path.name + suffix)
        if old_path.exists():
            old_path.replace(new_path.with_name(new_path.name + suffix))
    return new_path
