"""JSON Lines: lines are flushed to disk, incomplete ones are removed; and the lock: one process at a time."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kdvision.batch.store.folder import LockedError, append_line, hold_lock, read_lines
from kdvision.errors import KdvisionError

HOLD = """
import sys
from pathlib import Path
from kdvision.batch.store.folder import hold_lock
with hold_lock(Path(sys.argv[1])):
    print("locked", flush=True)
    sys.stdin.read()
"""


def test_appended_lines_are_read(tmp_path: Path) -> None:
    lines = [{"photo": "a"}, {"photo": "李雷\u2028\n"}]
    for line in lines:
        append_line(tmp_path / "j", line)
    assert read_lines(tmp_path / "j") == (lines, 0)


def test_a_missing_file_has_no_lines(tmp_path: Path) -> None:
    assert read_lines(tmp_path / "j") == ([], 0)


def test_a_line_is_flushed_to_disk_before_append_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, flushed_contents, fsync = tmp_path / "j", list[bytes](), os.fsync
    path.write_bytes(b"")

    def record_flush(file: int) -> None:
        fsync(file)
        if os.path.samestat(os.fstat(file), path.stat()):
            flushed_contents.append(path.read_bytes())

    monkeypatch.setattr(os, "fsync", record_flush)
    append_line(path, {"a": 1})
    assert flushed_contents == [b'{"a": 1}\n']
    append_line(path, {"b": 2})
    assert flushed_contents[1:] == [b'{"a": 1}\n{"b": 2}\n']


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be flushed there")
def test_the_name_of_a_new_file_is_flushed_to_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed_names, fsync = list[list[str]](), os.fsync

    def record_flush(file: int) -> None:
        fsync(file)
        if os.path.samestat(os.fstat(file), tmp_path.stat()):
            flushed_names.append([path.name for path in tmp_path.iterdir()])

    monkeypatch.setattr(os, "fsync", record_flush)
    append_line(tmp_path / "j", {"a": 1})
    assert flushed_names == [["j"]]


@pytest.mark.parametrize("cut_length", range(1, 13))
def test_an_incomplete_last_line_is_removed(cut_length: int, tmp_path: Path) -> None:
    path, content = tmp_path / "j", b'{"a": 1}\n{"b": 2222}\n'
    path.write_bytes(content[:-cut_length])
    lines = [{"a": 1}, {"b": 2222}] if cut_length == 1 else [{"a": 1}]
    assert read_lines(path) == (lines, 0)
    append_line(path, {"c": 3})
    assert read_lines(path) == ([*lines, {"c": 3}], 0)
    assert path.read_bytes().count(b"\n") == len(lines) + 1


def test_damaged_lines_are_counted_and_skipped(tmp_path: Path) -> None:
    (tmp_path / "j").write_bytes(b'{"a": 1}\n\x00\x00\x00\n[1]\n\n{"b": 2}\n')
    assert read_lines(tmp_path / "j") == ([{"a": 1}, {"b": 2}], 2)


def test_a_full_disk_leaves_no_partial_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append_line(tmp_path / "j", {"a": 1})
    write = os.write

    def write_half(file: int, content: bytes) -> int:
        if len(content) < 30:
            raise OSError(28, "No space left on device")
        return write(file, content[: len(content) // 2])

    monkeypatch.setattr(os, "write", write_half)
    with pytest.raises(KdvisionError, match="No space left on device") as error:
        append_line(tmp_path / "j", {"b": "x" * 100})
    assert "all results and corrections so far are kept" in error.value.hint
    monkeypatch.undo()
    assert (tmp_path / "j").read_bytes() == b'{"a": 1}\n'
    append_line(tmp_path / "j", {"c": 3})
    assert read_lines(tmp_path / "j") == ([{"a": 1}, {"c": 3}], 0)


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
    with pytest.raises(ValueError):
        append_line(tmp_path / "j", {"a": float("nan")})
    append_line(tmp_path / "j", {"a": None})
    assert json.loads((tmp_path / "j").read_text()) == {"a": None}
