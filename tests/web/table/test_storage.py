"""Games survive reloads, kills and restarts. A database that cannot be used causes a notice and loses no game."""

import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from kdvision.web.limits import Refusal
from kdvision.web.server import Settings
from kdvision.web.table import storage as storage_module
from kdvision.web.table.changes import AddKingdom, apply_changes
from kdvision.web.table.model import PhotoInfo, TableGame
from kdvision.web.table.storage import FILE_NAME, VERSION, Step, Storage, StoredReading
from tests.paths import SAMPLES
from tests.phones import LiveStream, Phone
from tests.webserver import running_server, serving_process


def make_step(number: int, board: str = "# w1") -> Step:
    game = apply_changes(TableGame(), [AddKingdom(board=board, player=f"P{number}")], None)  # type: ignore[arg-type]
    return Step(number, "add_kingdom", game)


# Kills and restarts.


def test_a_killed_server_loses_nothing(tmp_path: Path) -> None:
    with serving_process("--quiet", "--data", str(tmp_path)) as (process, client):
        phone = Phone(client)
        phone.photograph((SAMPLES / "demo.jpg").read_bytes())
        kingdom = phone.kingdoms[0]
        phone.add("# w1", "Bo")
        phone.change("remove_kingdom", kingdom=phone.kingdoms[1]["id"])
        phone.change("undo")
        before = phone.look()
        process.send_signal(signal.SIGKILL)
    with serving_process("--quiet", "--data", str(tmp_path)) as (_, client):
        second_phone = Phone(client)
        assert second_phone.state == before
        assert second_phone.change("redo")["revision"] == before["revision"] + 1
        live, place = LiveStream(client, second_phone.table), next(iter(kingdom["cells"]))
        second_phone.change("set_square", kingdom=kingdom["id"], at=place, cell="m3")
        live.wait_for(
            "state", lambda state: state["revision"] > second_phone.state["revision"] and not state["deciding"]
        )
        live.close()


def test_a_server_killed_while_phones_change_the_game_keeps_what_it_confirmed(tmp_path: Path) -> None:
    confirmed_revision = 0
    with serving_process("--quiet", "--data", str(tmp_path)) as (process, client):
        phone = Phone(client)
        kingdom = phone.add("#")
        for number in range(1, 20):
            phone.change("set_square", kingdom=kingdom, at=f"0,{number}", cell="w")
            confirmed_revision = phone.state["revision"]
        process.send_signal(signal.SIGKILL)
    with serving_process("--quiet", "--data", str(tmp_path)) as (_, client):
        second_phone = Phone(client, phone.table)
        assert (second_phone.state["revision"], len(second_phone.kingdoms[0]["cells"])) == (confirmed_revision, 20)


def test_with_forget_nothing_is_kept(tmp_path: Path) -> None:
    with serving_process("--quiet", "--data", str(tmp_path), "--forget") as (_, client):
        Phone(client).add("# w1")
    assert list(tmp_path.iterdir()) == []


def test_the_key_stays_for_a_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = []
    for seconds in (0, 3600, 90_000):
        clock = SimpleNamespace(time=lambda seconds=seconds: 1e9 + seconds)
        monkeypatch.setattr(storage_module, "time", clock)
        storage = Storage(tmp_path)
        keys.append(storage.renew_key())
        storage.close()
    assert keys[0] == keys[1] != keys[2]


def test_the_key_stays_for_a_day_after_a_phone_has_used_it(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = [1e9]
    monkeypatch.setattr(storage_module, "time", SimpleNamespace(time=lambda: seconds[0]))
    storage = Storage()
    key = storage.renew_key()
    seconds[0] += 72_000
    storage.use_key()
    seconds[0] += 18_000
    assert storage.renew_key() == key


# Files that cannot be used.


@pytest.mark.parametrize("version", [VERSION + 1, 77])
def test_a_database_of_another_version_is_set_aside(tmp_path: Path, version: int) -> None:
    database = sqlite3.connect(tmp_path / FILE_NAME)
    database.executescript(f"CREATE TABLE new (x); PRAGMA user_version = {version};")
    database.close()
    content = (tmp_path / FILE_NAME).read_bytes()
    storage = Storage(tmp_path)
    storage.save("T", 1, make_step(1))
    storage.close()
    (old_file,) = tmp_path.glob("*.old")
    assert old_file.read_bytes() == content
    assert f"another version of the program ({version}" in storage.notice and old_file.name in storage.notice
    revision, step = Storage(tmp_path).find_table("T")
    assert (revision, step.number, step.game.players[0].player) == (1, 1, "P1")


@pytest.mark.parametrize("change", [{"rounds": 1}, {"rules": {"game": "chess"}}, {"rules": {"variants": ["chess"]}}])
def test_a_database_with_a_game_that_this_version_cannot_read_is_set_aside(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    """Another version may have written it without a new `VERSION`."""
    storage = Storage(tmp_path)
    storage.save("T", 1, make_step(1))
    storage.save("T", 2, make_step(2))
    game = msgspec.json.encode(msgspec.to_builtins(make_step(1).game) | change)
    storage._run(("UPDATE steps SET content = ? WHERE number = 1", (game,)))
    storage.close()
    with running_server(Settings(port=0, data=tmp_path)) as client:
        notice = Phone(client).state["notice"]
    (old_file,) = tmp_path.glob("*.old")
    assert f"was renamed to {old_file.name}" in notice and "another version of the program" in notice
    with closing(sqlite3.connect(old_file)) as database:
        assert database.execute("SELECT number, content FROM steps").fetchone() == (1, game)


def test_facts_of_an_older_version_that_list_no_pieces_are_open_and_the_kingdom_can_be_changed(tmp_path: Path) -> None:
    facts = {"knights": 2, "gems": 5, "buildings": [{"name": "x"}], "court": ["0,0 Farmer"], "coins": 3}
    game = make_step(1).game
    storage, kingdom = Storage(tmp_path), msgspec.structs.replace(game.kingdoms[0], facts=facts)
    storage.save("T", 1, Step(1, "set_kingdom", game.with_kingdom(kingdom)))
    (_, _, past_game), stored_game = storage.list_games()[0], storage.find_game("T", 1)
    assert past_game.kingdoms[0].facts["knights"] == stored_game.kingdoms[0].facts["knights"] == "?"
    storage.close()
    with running_server(Settings(port=0, data=tmp_path)) as client:
        phone = Phone(client, "T")
        phone.change("set_kingdom", kingdom=kingdom.id, player="Ann", facts={"coins": 4})
        phone.change("set_pieces", kingdom=kingdom.id, key="buildings", at="0,0", pieces=["0,0 Farm"])
        expected_facts = {"knights": "?", "gems": "?", "buildings": ["0,0 Farm", "?"], "coins": 4}
        assert phone.kingdoms[0]["facts"] == facts | expected_facts


@pytest.mark.parametrize("content", [b"no database at all" * 100, b"SQLite format 3\0" + bytes(4000)])
def test_a_damaged_database_is_set_aside(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    storage = Storage(tmp_path)
    storage.save("T", 1, make_step(1))
    storage.close()
    (old_file,) = tmp_path.glob("*.old")
    assert (old_file.read_bytes(), "was renamed to" in storage.notice) == (content, True)


def test_a_file_with_a_damaged_page_is_set_aside(tmp_path: Path) -> None:
    storage = Storage(tmp_path)
    for number in range(50):
        storage.save("T", number, make_step(number))
    storage.close()
    content = bytearray((tmp_path / FILE_NAME).read_bytes())
    content[8192:20480] = b"\xff" * (20480 - 8192)
    (tmp_path / FILE_NAME).write_bytes(content)
    assert "damaged" in Storage(tmp_path).notice
    assert len(list(tmp_path.glob("*.old"))) == 1


def test_a_folder_that_cannot_be_used_leaves_the_games_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    storage = Storage(tmp_path / "file")
    storage.save("T", 1, make_step(1))
    assert "kept in memory only" in storage.notice
    revision, step = storage.find_table("T")
    assert (revision, step.number, step.game.players[0].player) == (1, 1, "P1")


def test_two_servers_do_not_share_a_file(tmp_path: Path) -> None:
    first_storage, second_storage = Storage(tmp_path), Storage(tmp_path)
    assert ("locked" in second_storage.notice, first_storage.notice) == (True, "")
    first_storage.save("T", 1, make_step(1))
    assert second_storage.list_tables() == []
    first_storage.close()


def test_a_full_disk_leaves_the_game_in_memory(tmp_path: Path) -> None:
    """SQLite's limit of pages simulates a full disk."""
    with running_server(Settings(port=0, data=tmp_path)) as client:
        phone = Phone(client)
        phone.add("# w1", "Ann")
    storage = Storage(tmp_path)
    storage._database.execute("PRAGMA max_page_count = 1")  # rounded up to the present size
    for number in range(2, 60):
        storage.save(phone.table, number, make_step(number))
    assert "kept in memory only" in storage.notice and "Free some disk space" in storage.notice
    first_step = storage.find_step(phone.table, 1)
    assert first_step is not None and first_step.game.rounds[0][0].player == "Ann"
    last_step = storage.find_step(phone.table, 59)
    assert last_step is not None and last_step.game.rounds[0][0].player == "P59"
    storage.close()
    second_storage = Storage(tmp_path)
    assert (second_storage.notice, second_storage.list_tables()[0]) == ("", phone.table)


def test_a_thread_that_outlives_the_server_gets_no_answer(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It gets no advice to free disk space."""
    storage = Storage(tmp_path)
    storage.close()
    with pytest.raises(sqlite3.ProgrammingError):
        storage.save("A", 1, make_step(1))
    assert (storage.notice, caplog.text) == ("", "")


def test_a_notice_reaches_the_players(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"no database" * 1000)
    with running_server(Settings(port=0, data=tmp_path)) as client:
        assert "was renamed to" in Phone(client).state["notice"]


# What is kept.


def save_two_games(storage: Storage, *, first_steps: int) -> TableGame:
    """Save 20 steps of a table, the first ones of game 1 and the others of game 2, and return the last game."""
    for number in range(20):
        game = msgspec.structs.replace(make_step(number).game, number=1 if number < first_steps else 2)
        storage.save("T", number, Step(number, "op", game))
    return game


def test_steps_are_limited_and_the_last_of_each_game_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage_module, "MAX_STEPS", 5)
    storage = Storage()
    save_two_games(storage, first_steps=10)
    stored_numbers = [number for number in range(20) if storage.find_step("T", number)]
    assert stored_numbers == [9, 13, 14, 15, 16, 17, 18, 19]
    assert [game.rounds[0][0].player for *_, game in storage.list_games()] == ["P19", "P9"]


def test_a_game_that_was_only_looked_at_stays_in_the_history(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person opens the first game after many steps, takes that back, and plays on."""
    monkeypatch.setattr(storage_module, "MAX_STEPS", 5)
    storage = Storage()
    game = save_two_games(storage, first_steps=3)
    storage.save("T", 20, Step(20, "open_game", storage.find_game("T", 1)))
    storage.save("T", 21, Step(19, "op", game), is_new=False)
    storage.save("T", 22, Step(20, "op", game))
    assert storage.find_game("T", 1).rounds[0][0].player == "P2"


def test_a_new_step_drops_the_steps_that_were_undone() -> None:
    storage = Storage()
    for number in range(4):
        storage.save("T", number, make_step(number))
    storage.save("T", 4, make_step(1), is_new=False)
    assert storage.find_step("T", 3) is not None
    storage.save("T", 5, make_step(2))
    assert storage.find_step("T", 3) is None


def test_readings_that_no_game_uses_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage_module, "MAX_PENDING", 2)
    storage, step = Storage(), make_step(1)
    (kingdom,) = step.game.rounds[0]
    readings = {
        name: StoredReading(msgspec.structs.replace(kingdom, photo_info=PhotoInfo(reading=name)), b"observation")
        for name in ("used", "old", "new", "newest")
    }
    storage.add_reading("T", readings["used"])
    storage.save("T", 1, step._replace(game=step.game.with_kingdom(readings["used"].kingdom)))
    for name in ("old", "new", "newest"):
        storage.add_reading("T", readings[name])
    assert storage.find_reading("T", "newest") == readings["newest"]
    assert storage.find_reading("T", "used") == readings["used"]
    assert storage.find_reading("T", "new") == readings["new"]
    for table, name in (("T", "old"), ("other", "used")):
        with pytest.raises(Refusal, match="not kept"):
            storage.find_reading(table, name)
