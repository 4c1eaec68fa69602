"""Executors: processes that die, and a cluster that loses a worker. Photos are small texts."""

import gc
import json
import os
import platform
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from kdvision.batch.reading.job import Job, JobResult
from kdvision.batch.reading.workers import DaskExecutor, PoolExecutor, read_in_process
from kdvision.batch.run import BatchOptions, BatchRun
from kdvision.batch.store.folder import ResultFolder
from kdvision.errors import KdvisionError, ModelError
from kdvision.files import write_atomically
from tests.batch.text_photos import make_photo, read_text_photo, read_tree, run_batch, wait_until, write_files
from tests.memory import get_private_megabytes
from tests.paths import ROOT

KILL_SIGNAL = signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL

RETAINED_BLOCKS: list[list[bytearray]] = []


class LatePoison:
    """A value that kills the worker that sends it."""

    def __reduce__(self) -> Any:
        os._exit(1)


def run_task(job: Job) -> JobResult:
    """Read the text. One photo kills each worker that reads it or sends its result, another only the first one."""
    data = job.data
    if data.startswith(b"poison"):
        os._exit(1)
    if data.startswith(b"late poison"):
        path = Path(data.split(b"\n")[1].decode())
        if path.exists():
            os._exit(1)
        path.touch()
        return JobResult({"poison": LatePoison()})
    if data.startswith(b"once"):
        path = Path(data.split(b"\n")[1].decode())
        if not path.exists():
            path.touch()
            os._exit(1)
        return read_text_photo(job._replace(data=make_photo("# w1")))
    if data.startswith(b"pid"):
        return JobResult({"pid": os.getpid()})
    if data.startswith(b"memory"):
        return JobResult({"megabytes": get_private_megabytes()})
    if data.startswith(b"holes"):
        blocks = [bytearray(60_000) for _ in range(2000)]
        RETAINED_BLOCKS.append(blocks[::100])  # the blocks between them are not at the end, so free() alone keeps them
        return JobResult({"megabytes": get_private_megabytes()})
    if data.startswith(b"no models"):
        raise ModelError("the model detector.onnx is missing", hint="install it again")
    return read_text_photo(job)


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc" or not get_private_megabytes(),
    reason="only glibc keeps what is unused, and only Linux tells",
)
def test_unused_memory_is_returned_to_the_system() -> None:
    with closing(PoolExecutor(1, task=run_task)) as pool:
        before, peak, after = (
            result.data["megabytes"] for _, result in pool.run(make_jobs(b"memory", b"holes", b"memory"))
        )
    assert peak > before + 100
    assert after < before + 20


def make_jobs(*contents: bytes) -> Iterator[Job]:
    yield from (Job(f"{number}.jpg", str(number), data) for number, data in enumerate(contents))


@pytest.fixture
def pool() -> Iterator[PoolExecutor]:
    executor = PoolExecutor(2, task=run_task)
    yield executor
    executor.close()


def test_a_photo_that_kills_workers_fails_and_the_others_do_not(pool: PoolExecutor, tmp_path: Path) -> None:
    fatal_photo = f"once\n{tmp_path / 'been'}".encode()
    contents = [make_photo("# w1"), b"poison", fatal_photo, *(make_photo("# w1 w") for _ in range(3))]
    results = {job.photo: result for job, result in pool.run(make_jobs(*contents))}
    assert sorted(results) == [f"{number}.jpg" for number in range(6)]
    failed_photos = [name for name, result in results.items() if result.data["error"] is not None]
    assert failed_photos == ["1.jpg"]
    assert "reading it ended the program" in results["1.jpg"].data["error"]
    assert not results["1.jpg"].is_final


def test_missing_models_end_the_run(pool: PoolExecutor) -> None:
    with pytest.raises(ModelError):
        list(pool.run(make_jobs(b"no models")))


def test_jobs_are_taken_as_workers_can_use_them() -> None:
    started_jobs = []

    def record_jobs() -> Iterator[Job]:
        for job in make_jobs(*(make_photo("# w1") for _ in range(50))):
            started_jobs.append(job)
            yield job

    pool = PoolExecutor(1, task=run_task)
    next(iter(pool.run(record_jobs())))
    assert len(started_jobs) <= 3
    pool.close()


@pytest.mark.skipif(sys.platform == "win32", reason="asks for processes as POSIX does")
def test_workers_end_with_their_parent(tmp_path: Path) -> None:
    import subprocess

    code = (
        "import os, signal\n"
        "from kdvision.batch.reading.workers import PoolExecutor\n"
        "from tests.batch.reading.test_workers import make_jobs, run_task\n"
        "if __name__ == '__main__':\n"
        "    for _, result in PoolExecutor(1, task=run_task).run(make_jobs(b'pid')):\n"
        "        print(result.data['pid'], flush=True)\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    (tmp_path / "parent.py").write_text(code)
    parent = subprocess.run(
        [sys.executable, str(tmp_path / "parent.py")],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(ROOT)])},
    )
    worker = int(parent.stdout)
    wait_until(lambda: not is_alive(worker), "the worker has ended")


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_photos_are_read_in_this_process() -> None:
    ((_, result),) = read_in_process(make_jobs(b"no photo"))
    assert "no picture of a kind" in result.data["error"]


# Dask


def test_a_missing_scheduler_is_reported_with_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="[cluster] is not installed")
    monkeypatch.setattr("kdvision.batch.reading.workers.CONNECT_TIMEOUT_SECONDS", 0.5)
    with pytest.raises(KdvisionError, match=r"no Dask scheduler answers at tcp://127.0.0.1:9"):
        DaskExecutor("tcp://127.0.0.1:9")


@pytest.mark.parametrize("address", ["nonsense", "nowhere://x"])
def test_an_invalid_address_is_reported(address: str) -> None:
    pytest.importorskip("distributed", reason="[cluster] is not installed")
    with pytest.raises(KdvisionError, match="no Dask scheduler answers"):
        DaskExecutor(address)
    gc.collect()  # the client that failed would deadlock if it were finalised while a cluster starts


def hang_once(job: Job) -> JobResult:
    """Read the text. The first worker that reads a photo with a marker writes its process id there and hangs."""
    marker = Path(json.loads(job.data).get("marker", os.devnull))
    if not marker.exists():
        write_atomically(marker, str(os.getpid()).encode())
        threading.Event().wait()
    return read_text_photo(job)


@pytest.fixture
def cluster() -> Iterator[Any]:
    """A cluster of two worker processes on this machine."""
    distributed = pytest.importorskip("distributed", reason="[cluster] is not installed")
    import dask

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs="CRITICAL"
        ) as local_cluster,
        distributed.Client(local_cluster, set_as_default=False) as client,
    ):
        client.wait_for_workers(2)
        yield client


def test_a_lost_worker_of_a_cluster_costs_nothing(cluster: Any, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    photos = {f"p{number}.jpg": make_photo("w1 " * number + "#") for number in range(1, 21)}
    photos["p1.jpg"] = json.dumps({**json.loads(photos["p1.jpg"]), "marker": str(marker)}).encode()
    folder = write_files(tmp_path / "photos", dict(photos))
    run_batch(folder, tmp_path / "here")
    executor = DaskExecutor(cluster.scheduler.address, task=hang_once)

    def kill_worker(read_count: int, *_: int) -> None:
        if read_count == 5:
            wait_until(marker.exists, "a worker hangs")
            os.kill(int(marker.read_text()), KILL_SIGNAL)

    options = BatchOptions(folder, tmp_path / "out")
    with ResultFolder(options.out).lock(), closing(executor):
        BatchRun(options, executor.run, on_progress=kill_worker).run()
    assert marker.exists()
    assert read_tree(tmp_path / "out") == read_tree(tmp_path / "here")


def test_workers_with_other_models_are_refused(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kdvision.batch.reading.workers.hash_models", lambda: "others")
    with (
        closing(DaskExecutor(cluster.scheduler.address, task=run_task)) as executor,
        pytest.raises(ModelError, match="other models"),
    ):
        list(executor.run(make_jobs(b"no photo")))


@pytest.mark.parametrize("poison", ["poison", "late poison"])
def test_a_cluster_whose_workers_die_of_a_photo_fails_that_photo(cluster: Any, tmp_path: Path, poison: str) -> None:
    contents = f"{poison}\n{tmp_path / 'been'}".encode(), make_photo("# w1")
    with closing(DaskExecutor(cluster.scheduler.address, task=run_task)) as executor:
        results = {job.photo: result for job, result in executor.run(make_jobs(*contents))}
    assert "one worker of the cluster after another" in results["0.jpg"].data["error"]
    assert results["1.jpg"].data["error"] is None


def test_a_cluster_without_workers_ends_the_run(cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kdvision.batch.reading.workers.CHECK_INTERVAL_SECONDS", 0.2)
    marker = tmp_path / "marker"
    photo = json.dumps({**json.loads(make_photo("# w1")), "marker": str(marker)}).encode()

    def stop_workers() -> None:
        wait_until(marker.exists, "a worker hangs")
        cluster.cluster.scale(0)
        with suppress(ProcessLookupError):  # after some seconds the cluster kills it
            os.kill(int(marker.read_text()), KILL_SIGNAL)  # it does not end by itself

    with closing(DaskExecutor(cluster.scheduler.address, task=hang_once)) as executor:
        stopper = threading.Thread(target=stop_workers)
        stopper.start()
        with pytest.raises(KdvisionError, match=f"the cluster at {cluster.scheduler.address} has lost all its workers"):
            list(executor.run(make_jobs(photo)))
        stopper.join()
