"""Damaged and swapped model files: every entry point ends with code 8 and one line, before it opens a photo."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kdvision import pipeline
from kdvision.errors import ModelError
from kdvision.vision.networks.onnx import load_model
from tests.conftest import Run
from tests.paths import MODELS, SAMPLES


def swap(models: Path) -> None:
    shutil.copy(models / "cells.onnx", models / "detector.onnx")


def flip_bit(models: Path) -> None:
    content = bytearray((models / "context.onnx").read_bytes())
    content[len(content) // 2] ^= 1
    (models / "context.onnx").write_bytes(content)


def empty(models: Path) -> None:
    (models / "cells.onnx").write_bytes(b"")


@pytest.fixture(params=[swap, flip_bit, empty])
def broken_models(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield a folder of models, one of them broken, which the program uses."""
    folder = tmp_path / "models"
    folder.mkdir()
    for path in MODELS.glob("*.onnx"):
        shutil.copy(path, folder)
    damage: Callable[[Path], None] = request.param
    damage(folder)
    monkeypatch.setenv("KDVISION_MODELS", str(folder))
    load_model.cache_clear()
    yield folder
    load_model.cache_clear()


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "no-such-photo.jpg"),
        ("score", "--same", "no-such-photo.jpg", "another.jpg"),
        ("look", "no-such-photo.jpg", "--out", "OUT"),
        ("evaluate", str(SAMPLES)),
        ("batch", str(SAMPLES), "--out", "OUT"),
        ("serve", "--port", "0"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_command_ends_with_code_8(
    arguments: tuple[str, ...], run: Run, broken_models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("uvicorn.Server.run", lambda *_, **__: pytest.fail("the server runs"))  # it would never end
    result = run(*(word.replace("OUT", str(tmp_path / "out")) for word in arguments))
    assert (result.code, result.out, result.err.count("\n")) == (8, "", 1), result.err
    assert result.err.startswith(f"kdvision: The model {broken_models}") and "Install kdvision again" in result.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("folder", ["nowhere", "."])
def test_a_folder_without_models_is_no_silent_choice(
    folder: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KDVISION_MODELS", str(tmp_path / folder))
    load_model.cache_clear()
    result = run("score", SAMPLES / "demo.jpg")
    assert (result.code, result.out, result.err.count("\n")) == (8, "", 1)
    assert "Unset KDVISION_MODELS" in result.err


def test_the_api_raises_model_error(broken_models: Path) -> None:
    with pytest.raises(ModelError, match=str(broken_models)):
        pipeline.read("no-such-photo.jpg")
