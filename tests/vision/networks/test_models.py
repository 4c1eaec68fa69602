"""Model files: found, checked, and run the same whatever they are run on."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from kdvision.errors import ModelError
from kdvision.vision.networks.onnx import MAX_BATCH_IMAGES, Model, count_threads, find_model

CELLS = find_model("cells")


def crops(count: int) -> np.ndarray:
    return np.random.default_rng(count).integers(0, 256, (count, 64, 64, 3), dtype=np.uint8)


def test_no_number_of_pictures_is_too_many_or_too_few() -> None:
    model = Model(CELLS)
    pictures = crops(2 * MAX_BATCH_IMAGES + 3)
    whole = model.run(pictures)
    assert len(whole) == len(pictures)
    assert np.allclose(whole[MAX_BATCH_IMAGES + 1], model.run(pictures[MAX_BATCH_IMAGES + 1 :][:1])[0], atol=1e-3)
    assert len(model.run(pictures[:0])) == 0


def test_threads_change_nothing() -> None:
    pictures = crops(5)
    one, two = (Model(CELLS, threads=threads).run(pictures) for threads in (1, 2))
    assert one.tobytes() == two.tobytes()


@pytest.mark.parametrize(("asked", "threads"), [("1", 1), ("2", 2), ("0", None), ("many", None), ("-1", None)])
def test_threads_are_those_asked_for_or_those_there_are(
    asked: str, threads: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KDVISION_THREADS", asked)
    usual = min(4, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    assert count_threads() == (threads or usual)


def test_a_missing_model_says_where_it_was_looked_for() -> None:
    with pytest.raises(ModelError, match=r"rivers\.onnx is missing") as raised:
        find_model("rivers")
    assert raised.value.hint


@pytest.mark.parametrize("content", [b"", b"no model at all", CELLS.read_bytes()[:-1000]])
def test_a_broken_model_is_no_traceback(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "cells.onnx").write_bytes(content)
    with pytest.raises(ModelError):
        Model(tmp_path / "cells.onnx")


def test_models_of_ones_own_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(CELLS, tmp_path / "cells.onnx")
    monkeypatch.setenv("KDVISION_MODELS", str(tmp_path))
    assert find_model("cells") == tmp_path / "cells.onnx"
    assert find_model("detector") != tmp_path / "detector.onnx"
