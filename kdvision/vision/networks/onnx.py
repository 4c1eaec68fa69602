"""Model files: finding them, checking that we know their format, running them.

Each ONNX file describes itself in its metadata: format, classes in notation, temperatures, what it was trained on.
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

FORMAT: Final = 1

MOST_THREADS: Final = 4
"""The networks are small: more threads wait for each other longer than they work."""

BATCH: Final = 16
"""Pictures that are run at a time: more are no faster, and need more room."""


def model_path(name: str) -> Path:
    """Return where a shipped model lies: in a wheel inside the package, in a checkout beside it; raises ModelError."""
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
    """One network and what its file says of itself; raises ModelError where the file is not one of ours.

    It runs on so many `threads`, else on `threads_here()`.
    """

    def __init__(self, path: Path, *, threads: int | None = None) -> None:
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.log_severity_level = 4  # what fails is raised, and told by whoever catches it
        options.intra_op_num_threads = threads or count_threads()
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # others want the processor too
        options.enable_mem_pattern = False  # pictures come in all sizes: plans for each would pile up
        try:
            self.session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's own classes share no base
            raise ModelError(f"The model {path} cannot be loaded: {error}", hint="Install kdvision again.") from error
        self.input = self.session.get_inputs()[0].name
        self.about: dict[str, Any] = _about(self.session.get_modelmeta().custom_metadata_map)
        if self.about.get("format") != FORMAT:
            raise ModelError(
                f"The model {path} has format {self.about.get('format')}; this kdvision reads format {FORMAT}.",
                hint="Install models and program of one version.",
            )

    def run(self, pictures: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        """Return the network's output for RGB pictures (n, H, W, 3)."""
        parts = [pictures[start : start + BATCH] for start in range(0, max(1, len(pictures)), BATCH)]
        made = [self.ask(**{self.input: part}) for part in parts]
        return made[0] if len(made) == 1 else np.concatenate(made)

    def ask(self, **inputs: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        """Return the network's output for its inputs, by their names, all at once."""
        given = {name: np.ascontiguousarray(value) for name, value in inputs.items()}
        return np.asarray(self.session.run(None, given)[0], np.float32)


def _about(metadata: Mapping[str, str]) -> dict[str, Any]:
    """Return what a model file says of itself; entries that are not ours, which need not be JSON, are left out."""
    about = {}
    for key, value in metadata.items():
        with suppress(ValueError):
            about[key] = json.loads(value)
    return about


def count_threads() -> int:
    """Return how many threads to run on: KDVISION_THREADS, else one for each core this process may use, to four."""
    asked = os.environ.get("KDVISION_THREADS", "")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if asked.isdecimal() and int(asked):
        return min(int(asked), 4 * cores)
    return min(cores, MOST_THREADS)


@cache
def load_model(name: str, threads: int | None = None) -> Model:
    """Return a shipped model, loaded once."""
    return Model(model_path(name), threads=threads)
