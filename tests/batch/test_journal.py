"""The journal: lines are flushed to disk, incomplete ones are removed; and the lock: one process at a time."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kdvision.batch.journal import Journal, Line, LockedError, hold_lock, read_lines
from kdvision.errors import KdvisionError

HOLD = """
import sys
from pathlib import Path
from kdvision.batch.journal import hold_lock
with hold_lock(Path(sys.argv[1])):
    print("locked", flush=True)
    sys.stdin.read()
"""


def read_all(journal: Journal) -> list[Line]:
    return [journal.line(span) for span in journal.spans]


def test_appended_lines_are_read_after_reopening(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j")
    for line in ({"photo": "a"}, {"photo": "李雷\u2028\n"}):
        journal.append(line)
    journal.close()
    assert (
        read_all(Journal(tmp_path / "j")) == read_lines(tmp_path / "j") == [{"photo": "a"}, {"photo": "李雷\u2028\n"}]
    )


def test_lines_are_read_by_their_span(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j")
    lines = [{"photo": name} for name in ("a", "李雷\u2028\n", "c")]
    spans = [journal.append(line) for line in lines]
    assert [journal.line(span) for span in reversed(spans)] == lines[::-1]
    spans = list(journal.replace(journal.line(span) for span in reversed(spans)))
    spans.append(journal.append({"d": 4}))
    assert [journal.line(span) for span in spans] == [*lines[::-1], {"d": 4}]
    with pytest.raises(KdvisionError, match="was changed while it was in use"):
        journal.line(spans[0]._replace(start=spans[0].start + 1))


def test_a_line_is_flushed_to_disk_before_append_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, flushed, fsync = tmp_path / "j", list[bytes](), os.fsync

    def record(file: int) -> None:
        fsync(file)
        if os.path.sameopenfile(file, journal._file):
            flushed.append(path.read_bytes())

    journal = Journal(path)
    monkeypatch.setattr(os, "fsync", record)
    journal.append({"a": 1})
    assert flushed == [b'{"a": 1}\n']
    journal.append({"b": 2})
    assert flushed[1:] == [b'{"a": 1}\n{"b": 2}\n']


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be flushed there")
def test_the_name_of_a_new_file_is_flushed_to_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed, fsync = list[list[str]](), os.fsync

    def record(file: int) -> None:
        fsync(file)
        if os.path.samestat(os.fstat(file), tmp_path.stat()):
            flushed.append([path.name for path in tmp_path.iterdir()])

    monkeypatch.setattr(os, "fsync", record)
    Journal(tmp_path / "j")
    assert flushed == [["j"]]


@pytest.mark.parametrize("cut", range(1, 13))
def test_an_incomplete_last_line_is_removed(cut: int, tmp_path: Path) -> None:
    path, whole = tmp_path / "j", b'{"a": 1}\n{"b": 2222}\n'
    path.write_bytes(whole[:-cut])
    journal = Journal(path)
    journal.append({"c": 3})
    journal.close()
    kept = [{"a": 1}, {"b": 2222}] if cut == 1 else [{"a": 1}]
    assert read_lines(path) == [*kept, {"c": 3}]
    assert path.read_bytes().count(b"\n") == len(kept) + 1


def test_damaged_lines_are_counted_and_skipped(tmp_path: Path) -> None:
    (tmp_path / "j").write_bytes(b'{"a": 1}\n\x00\x00\x00\n[1]\n\n{"b": 2}\n')
    journal = Journal(tmp_path / "j")
    assert (read_all(journal), journal.damaged) == ([{"a": 1}, {"b": 2}], 2)


def test_a_full_disk_leaves_no_partial_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path / "j")
    journal.append({"a": 1})
    write = os.write

    def full(file: int, content: bytes) -> int:
        if len(content) < 30:
            raise OSError(28, "No space left on device")
        return write(file, content[: len(content) // 2])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(KdvisionError, match="No space left on device") as error:
        journal.append({"b": "x" * 100})
    assert "all results so far are kept" in error.value.hint
    monkeypatch.undo()
    journal.append({"c": 3})
    assert read_lines(tmp_path / "j") == [{"a": 1}, {"c": 3}]


def test_replacing_is_atomic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path / "j")
    journal.append({"a": 1})
    journal.replace([{"b": 2}])
    journal.append({"c": 3})
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(KdvisionError, match="No space left"):
        journal.replace([{"d": 4}])
    assert read_lines(tmp_path / "j") == [{"b": 2}, {"c": 3}]
    assert [path.name for path in tmp_path.iterdir()] == ["j"]


def test_a_lock_is_held_by_one_process_and_ends_with_it(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "locked\n"
        with pytest.raises(LockedError, match="another run is writing"), hold_lock(tmp_path / "lock"):
            pass
        holder.kill()
    with hold_lock(tmp_path / "lock"):
        pass


def test_lines_are_plain_json(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j")
    with pytest.raises(ValueError):
        journal.append({"a": float("nan")})
    journal.append({"a": None})
    assert json.loads((tmp_path / "j").read_text()) == {"a": None}
