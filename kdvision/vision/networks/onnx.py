"""ONNX model files: location, format check, execution.

Each file describes itself in its metadata: format, classes in board notation, temperatures, training data.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kdvision.errors import ModelError

MODEL_FORMAT: Final = 2

MAX_THREADS: Final = 4
"""The networks are small: more threads spend more time on synchronisation than they save."""

MAX_BATCH_IMAGES: Final = 16
"""Larger batches are no faster and need more memory."""


def find_model(name: str) -> Path:
    """Return the path of a shipped model, in a wheel or a checkout; raise ModelError if it is missing."""
    package = Path(__file__).resolve().parents[2]
    places = [package / "models" / f"{name}.onnx", package.parent / "models" / f"{name}.onnx"]
    if folder := os.environ.get("KDVISION_MODELS"):
        places.insert(0, Path(folder) / f"{name}.onnx")
    for place in places:
        if place.is_file():
            return place
    raise ModelError(
        f"The model {name}.onnx is missing from {places[-1].parent}.",
        hint="Install kdvision again, or run `make model` in a checkout.",
    )


class Model:
    """One network and its metadata; raises ModelError if the file is not a model of this program.

    It runs on `threads` threads, by default `count_threads()`.
    """

    def __init__(self, path: Path, *, threads: int | None = None) -> None:
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.log_severity_level = 4  # errors are raised and reported by the caller
        options.intra_op_num_threads = threads or count_threads()
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # leaves the processor to others
        options.enable_mem_pattern = False  # pictures come in all sizes; plans for each would pile up
        try:
            self.session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's exceptions share no base class
            raise ModelError(f"The model {path} cannot be loaded: {error}", hint="Install kdvision again.") from error
        self.input = self.session.get_inputs()[0].name
        self.metadata: dict[str, Any] = _parse_metadata(self.session.get_modelmeta().custom_metadata_map)
        if self.metadata.get("format") != MODEL_FORMAT:
            found = self.metadata.get("format")
            raise ModelError(
                f"The model {path} has format {found}; this kdvision reads format {MODEL_FORMAT}.",
                hint="Install models and program of one version.",
            )

    def run(self, images: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        """Return the network's output for RGB images (n, H, W, 3), which run in batches."""
        starts = range(0, max(1, len(images)), MAX_BATCH_IMAGES)
        parts = [self.run_inputs(**{self.input: images[start : start + MAX_BATCH_IMAGES]}) for start in starts]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def run_inputs(self, **inputs: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        """Return the network's first output for inputs given by name, in one call."""
        arrays = {name: np.ascontiguousarray(value) for name, value in inputs.items()}
        return np.asarray(self.session.run(None, arrays)[0], np.float32)


def _parse_metadata(metadata: Mapping[str, str]) -> dict[str, Any]:
    """Return the metadata with JSON values; other entries are left out."""
    parsed = {}
    for key, value in metadata.items():
        with suppress(ValueError):
            parsed[key] = json.loads(value)
    return parsed


def count_threads() -> int:
    """Return KDVISION_THREADS if set, else the number of cores of this process, at most `MAX_THREADS`."""
    requested = os.environ.get("KDVISION_THREADS", "")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if requested.isdecimal() and int(requested):
        return min(int(requested), 4 * cores)
    return min(cores, MAX_THREADS)


@cache
def load_model(name: str, threads: int | None = None) -> Model:
    """Return a shipped model, loaded once a process."""
    return Model(find_model(name), threads=threads)
