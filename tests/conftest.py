"""Fixtures for several test files. Tests that need torch are in tests/lab/train, which is ignored without torch."""

import importlib.util
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, settings

from kdvision.cli import main
from tests.kingdoms import png, table_photo

# A busy machine may take long over an example, so no test limits the time of one.
settings.register_profile("tests", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")

collect_ignore = [] if importlib.util.find_spec("torch") else ["lab/train"]


class Ran(NamedTuple):
    """How a run of the program ended: exit code, and what it printed."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    """A photo of an empty table, for tests that say themselves what it shows."""
    path = tmp_path / "table.png"
    path.write_bytes(png(table_photo().pixels))
    return path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the program with these arguments, and bytes for its stdin, as a shell would."""

    def run(*args: object, stdin: bytes = b"") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        with pytest.raises(SystemExit) as ended:
            main([str(arg) for arg in args])
        code = ended.value.code
        return Ran(code if isinstance(code, int) else 0, *capsys.readouterr())

    return run
