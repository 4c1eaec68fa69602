"""Fixtures for several test files. Tests that need torch are in tests/lab/train, and are skipped without it."""

import gc
import importlib.util
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, settings

from kdvision import pipeline
from kdvision.cli import main
from kdvision.pipeline import KingdomReading
from kdvision.vision.find import Watch
from kdvision.vision.image.photo import Photo, PhotoSource
from tests.kingdoms import png, table_photo

# An example may take long on a busy machine, so no test limits its time.
settings.register_profile("tests", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")

collect_ignore = [] if importlib.util.find_spec("torch") else ["lab/train"]


def pytest_collection_finish() -> None:
    """Leave modules and tests out of garbage collection, and collect less often: the tests take 5 % less time."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


@pytest.fixture(scope="session")
def cached_read() -> Callable[..., list[KingdomReading]]:
    """`pipeline.read` with a cache: it reads a picture with the same options once, and repeats its stages."""
    read, cache = pipeline.read, dict[tuple[bytes, str], tuple[list[KingdomReading], list[tuple[str, Any]]]]()

    def read_cached(photo: PhotoSource, *, watch: Watch | None = None, **options: Any) -> list[KingdomReading]:
        def record(stage: str, value: Any) -> None:
            stages.append((stage, value))
            if watch is not None:
                watch(stage, value)

        opened_photo, stages = Photo.open(photo), list[tuple[str, Any]]()
        key = opened_photo.digest, repr(options)
        if key not in cache:
            cache[key] = read(opened_photo, watch=record, **options), stages
        elif watch is not None:
            for stage, value in cache[key][1]:
                watch(stage, value)
        return cache[key][0]

    return read_cached


@pytest.fixture
def read_from_cache(cached_read: Callable[..., list[KingdomReading]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace `pipeline.read` by the cached version in a test."""
    monkeypatch.setattr(pipeline, "read", cached_read)


class RunResult(NamedTuple):
    """The exit code and the output of a run of the program."""

    code: int
    out: str
    err: str


Run = Callable[..., RunResult]


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    """The path of a photo of an empty table, for tests that replace the reading."""
    path = tmp_path / "table.png"
    path.write_bytes(png(table_photo().pixels))
    return path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the program with these arguments, and bytes for its stdin, as a shell would."""

    def run(*args: object, stdin: bytes = b"") -> RunResult:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        with pytest.raises(SystemExit) as exit_info:
            main([str(arg) for arg in args])
        code = exit_info.value.code
        return RunResult(code if isinstance(code, int) else 0, *capsys.readouterr())

    return run
