"""Files are written atomically: after a power cut, a kill or on a full disk there is the old file or the new one.

All file writing in the program goes through `files.write_atomically` or the journal (tests/batch/store/test_folder.py).
"""

import ast
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kdvision import files, pipeline
from kdvision.batch.store.folder import ResultFolder
from kdvision.batch.store.record import Correction, CorrectionFile
from kdvision.errors import KdvisionError
from kdvision.evaluate.evaluate import evaluate
from kdvision.files import PART_NAME, write_atomically
from kdvision.web.limits import JobQueue
from kdvision.web.service import Service
from tests.conftest import Run
from tests.paths import SAMPLES

PACKAGE = Path(files.__file__).parent
OLD, NEW = b"old " * 1000, b"new " * 5000

KILL = """
import os, signal, sys
from pathlib import Path
from kdvision.files import write_atomically
def kill(*_): os.kill(os.getpid(), signal.SIGKILL)
moment, path = sys.argv[1], Path(sys.argv[2])
if moment == "before": os.fsync = kill
if moment == "between": Path.replace = kill
if moment == "wait": os.fsync = lambda _: (print(flush=True), input())
if moment == "after":
    real = Path.replace
    Path.replace = lambda *names: (real(*names), kill())
write_atomically(path, b"new " * 5000)
"""


def list_names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
def test_a_link_stays_and_the_file_that_it_names_is_replaced(tmp_path: Path) -> None:
    folder, link = tmp_path / "shared", tmp_path / "out.png"
    folder.mkdir()
    link.symlink_to(folder / "out.png")
    for content in (OLD, NEW):  # the first time there is no file yet
        write_atomically(link, content)
        assert link.is_symlink() and (folder / "out.png").read_bytes() == content
    assert (list_names(tmp_path), list_names(folder)) == (["out.png", "shared"], ["out.png"])


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX's")
@pytest.mark.parametrize(("moment", "content"), [("before", OLD), ("between", OLD), ("after", NEW)])
def test_a_power_cut_leaves_the_old_file_or_the_new(moment: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_bytes(OLD)
    process = subprocess.run([sys.executable, "-c", KILL, moment, str(path)], cwd=PACKAGE.parent)
    assert process.returncode == -signal.SIGKILL
    assert path.read_bytes() == content
    assert all(PART_NAME.fullmatch(name) for name in set(list_names(tmp_path)) - {"out.json"})
    with ResultFolder(tmp_path).lock():  # a run removes partial files by their names
        assert set(list_names(tmp_path)) == {".lock", "out.json"}


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX's")
def test_the_next_write_removes_what_a_killed_process_left_and_nothing_else(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILL]
    own_file = tmp_path / ".my.part"
    own_file.write_bytes(OLD)
    slow_command = [*command, "wait", str(tmp_path / "slow.png")]
    writer = subprocess.Popen(slow_command, cwd=PACKAGE.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert writer.stdout is not None and writer.stdout.readline()
    killed_process = subprocess.run([*command, "before", str(tmp_path / "killed.png")], cwd=PACKAGE.parent)
    assert killed_process.returncode == -signal.SIGKILL
    assert len(list(tmp_path.glob(".killed.png.*.part"))) == 1
    write_atomically(tmp_path / "out.png", NEW)
    assert list_names(tmp_path) == [".my.part", f".slow.png.{writer.pid}.part", "out.png"]
    writer.communicate(b"\n")
    assert (tmp_path / "slow.png").read_bytes() == b"new " * 5000
    assert list_names(tmp_path) == [".my.part", "out.png", "slow.png"]


def test_a_name_of_the_greatest_length_is_written(tmp_path: Path) -> None:
    path = tmp_path / ("é" * 125)
    write_atomically(path, b"content")
    assert path.read_bytes() == b"content"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError(), OSError(28, "No space left on device")])
@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace"])
def test_an_interrupted_write_leaves_nothing(
    error: BaseException, step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    path = tmp_path / "out.json"
    path.write_bytes(OLD)
    monkeypatch.setattr(step, fail)
    with pytest.raises(KdvisionError if isinstance(error, OSError) else type(error)):
        write_atomically(path, NEW)
    monkeypatch.undo()
    assert path.read_bytes() == OLD
    assert list_names(tmp_path) == ["out.json"]


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="only Linux tells the names of what is open")
def test_content_reaches_the_disk_before_its_name_and_its_name_before_all_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    sync, replace = os.fsync, Path.replace

    def record_sync(number: int) -> None:
        steps.append(Path(f"/proc/self/fd/{number}").readlink().name)
        sync(number)

    def record_replace(part_path: Path, path: Path) -> Path:
        steps.append("replace")
        return replace(part_path, path)

    monkeypatch.setattr(os, "fsync", record_sync)
    monkeypatch.setattr(Path, "replace", record_replace)
    write_atomically(tmp_path / "out.json", NEW)
    assert steps == [f".out.json.{os.getpid()}.part", "replace", tmp_path.name]


# Real disks that refuse


@contextmanager
def limit_file_size(max_bytes: int) -> Iterator[None]:
    """Limit the size of files of this process. The system refuses larger ones, as a full disk does."""
    resource = pytest.importorskip("resource", reason="the limit is POSIX's")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (max_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def as_nobody() -> Iterator[None]:
    """Run the block with the rights of the user `nobody`, because root may write everywhere."""
    if sys.platform == "win32":
        pytest.skip("rights are others there")
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65_534)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


def write_picture(folder: Path) -> None:
    write_atomically(folder / "out.png", NEW)


def write_results(folder: Path) -> None:
    ResultFolder(folder).write("results.csv", NEW)


def write_below(folder: Path) -> None:
    ResultFolder(folder).write("overlays/a/b-score.jpg", NEW)


def write_memo(folder: Path) -> None:
    ResultFolder(folder).save_json(".run.json", {"photos": "x" * 20_000})


def write_correction(folder: Path) -> None:
    CorrectionFile(folder).add([Correction("ann.jpg", "0" * 20_000, 1, square="B2", cell="f1")])


def write_upload(folder: Path) -> None:
    service = Service(JobQueue(1), JobQueue(1), keep_folder=folder)
    try:
        service._keep(b"\xff\xd8" + NEW)
    finally:
        service.photos.close()
        service.quick_jobs.close()


def write_evaluation(folder: Path) -> None:
    evaluate(SAMPLES, csv=folder / "rows.csv", reader=lambda _: [])


WRITERS = [write_picture, write_results, write_below, write_memo, write_correction, write_upload, write_evaluation]


@pytest.mark.parametrize("write", WRITERS)
def test_a_full_disk_is_reported_and_leaves_nothing(write: Callable[[Path], None], tmp_path: Path) -> None:
    with limit_file_size(1000), pytest.raises(KdvisionError, match="cannot be written: File too large") as error:
        write(tmp_path)
    assert (error.value.exit_code, bool(error.value.hint)) == (1, True)
    paths = [path for path in tmp_path.rglob("*") if path.is_file() and not path.name.endswith(".lock")]
    assert [path.name for path in paths if path.read_bytes()] == []
    assert [path.name for path in paths if path.name.endswith(".part")] == []


def make_read_only_folder(parent: Path) -> Path:
    """Return a folder that everyone may read and nobody but root may write to."""
    folder = parent / "out"
    folder.mkdir()
    for path in (folder, parent):
        path.chmod(0o555)
    for path in parent.parents:
        if path.stat().st_uid == os.geteuid() and path.name.startswith("pytest-"):
            path.chmod(0o755)
    return folder


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "PHOTO", "--overlay", "OUT/score.png"),
        ("score", "PHOTO", "--overlay", "OUT"),
        ("score", "PHOTO", "--game-file", "OUT/game.toml"),
        ("look", "PHOTO", "--out", "OUT"),
        ("evaluate", str(SAMPLES), "--csv", "OUT/rows.csv"),
        ("serve", "--port", "0", "--keep", "OUT"),
    ],
    ids=" ".join,
)
def test_a_command_names_the_read_only_folder_before_it_reads_a_photo(
    arguments: tuple[str, ...], run: Run, photo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("a photo was read")

    def create_as_nobody(*, dir: Path) -> object:
        with as_nobody():  # only this call: `nobody` may not read the modules of every Python
            return create(dir=dir)

    create = tempfile.TemporaryFile
    monkeypatch.setattr(tempfile, "TemporaryFile", create_as_nobody)
    monkeypatch.setattr(pipeline, "read", fail)
    folder = make_read_only_folder(tmp_path)
    result = run(*(word.replace("PHOTO", str(photo)).replace("OUT", str(folder)) for word in arguments))
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    assert f"{folder}" in result.err and "cannot be written to: Permission denied. Choose a folder" in result.err
    assert list_names(folder) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "rows.csv"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_atomically(pipe, b"a row")
        assert os.read(reader, 100) == b"a row"
    finally:
        os.close(reader)
    assert pipe.is_fifo()


@pytest.mark.parametrize("write", WRITERS)
def test_a_read_only_folder_is_reported(write: Callable[[Path], None], tmp_path: Path) -> None:
    folder = make_read_only_folder(tmp_path)
    with as_nobody(), pytest.raises(KdvisionError, match=r"cannot be (written|made).*Permission denied") as error:
        write(folder)
    assert (error.value.exit_code, bool(error.value.hint)) == (1, True)
    assert list_names(folder) == []


# No other module writes files


WRITING = {"write_bytes", "write_text", "imwrite", "savefig", "tofile", "savez", "mkstemp", "NamedTemporaryFile"}
FLAGS = {"O_WRONLY", "O_RDWR", "O_CREAT"}


def writes_file(node: ast.AST) -> bool:
    """Return whether a node writes to a file: a call that writes, or one that opens a file for writing."""
    if isinstance(node, ast.Attribute):
        return node.attr in FLAGS
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute | ast.Name):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
    arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
    words = [
        argument.value
        for argument in arguments
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]
    modes = [set(word) for word in words if word and set(word) <= set("rwaxbt+")]
    return name in WRITING or (name in ("open", "fdopen") and any(mode & set("wax+") for mode in modes))


def test_only_these_modules_write_files() -> None:
    """The lab is left out, because its files can be made again."""
    modules = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if path.parts[len(PACKAGE.parts)] != "lab"
        and any(map(writes_file, ast.walk(ast.parse(path.read_text(encoding="utf-8")))))
    }
    assert modules == {"files.py", "batch/store/folder.py", "cli/streams.py"}
