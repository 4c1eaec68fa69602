"""Model files: where they lie, how they are verified, and outputs that do not depend on batches or threads."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from kdvision.errors import ModelError
from kdvision.vision.networks.onnx import MODEL_NAMES, Model, count_threads, encode_digest, find_model, load_model

CELLS = find_model("cells")


def make_crops(count: int) -> np.ndarray:
    return np.random.default_rng(count).integers(0, 256, (count, 64, 64, 3), dtype=np.uint8)


def test_any_number_of_pictures_is_run_in_batches() -> None:
    model = Model(CELLS)
    pictures = make_crops(2 * 16 + 3)
    outputs = model.run(pictures)
    assert len(outputs) == len(pictures)
    assert np.allclose(outputs[16 + 1], model.run(pictures[16 + 1 :][:1])[0], atol=1e-3)
    assert len(model.run(pictures[:0])) == 0


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pictures, outputs = make_crops(5), set[bytes]()
    for threads in ("1", "2"):
        monkeypatch.setenv("KDVISION_THREADS", threads)
        outputs.add(Model(CELLS).run(pictures).tobytes())
    assert len(outputs) == 1


@pytest.mark.parametrize(("setting", "threads"), [("1", 1), ("2", 2), ("0", None), ("many", None), ("-1", None)])
def test_the_number_of_threads_is_the_given_one_or_the_cores(
    setting: str, threads: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KDVISION_THREADS", setting)
    default_threads = min(4, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    assert count_threads() == (threads or default_threads)


def test_a_missing_model_says_where_it_was_looked_for() -> None:
    with pytest.raises(ModelError, match=r"rivers\.onnx is missing") as error_info:
        find_model("rivers")
    assert error_info.value.hint


@pytest.mark.parametrize("content", [b"", b"no model at all", CELLS.read_bytes()[:-1000]])
def test_a_broken_model_is_no_traceback(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "cells.onnx").write_bytes(content)
    with pytest.raises(ModelError):
        Model(tmp_path / "cells.onnx")


def test_every_shipped_model_ends_with_its_digest() -> None:
    for path in map(find_model, MODEL_NAMES):
        body, entry = path.read_bytes()[:-76], path.read_bytes()[-76:]
        assert entry == encode_digest(body)
        assert "sha256" not in Model(path).metadata


@pytest.mark.parametrize("position", [100, 500_000, -76, -1])
def test_a_changed_bit_is_noticed(position: int, tmp_path: Path) -> None:
    content = bytearray(CELLS.read_bytes())
    content[position] ^= 1
    (tmp_path / "cells.onnx").write_bytes(content)
    with pytest.raises(ModelError, match=r"is damaged|cannot be loaded"):
        Model(tmp_path / "cells.onnx")


def test_a_model_without_a_digest_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "cells.onnx").write_bytes(CELLS.read_bytes()[:-76])
    assert Model(tmp_path / "cells.onnx").metadata == Model(CELLS).metadata


def test_a_swapped_model_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(CELLS, tmp_path / "detector.onnx")
    monkeypatch.setenv("KDVISION_MODELS", str(tmp_path))
    load_model.cache_clear()
    with pytest.raises(ModelError, match="is the network 'cells' instead of 'detector'"):
        load_model("detector")


def test_models_of_the_user_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(CELLS, tmp_path / "cells.onnx")
    monkeypatch.setenv("KDVISION_MODELS", str(tmp_path))
    assert find_model("cells") == tmp_path / "cells.onnx"
    assert find_model("detector") != tmp_path / "detector.onnx"
