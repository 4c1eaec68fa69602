"""Model files: finding them, checking that we know their format, running them.

Each ONNX file describes itself in its metadata: format, classes in notation, temperatures, what it was trained on.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kdvision.errors import ModelError

FORMAT: Final = 1


def model_path(name: str) -> Path:
    """Return where a shipped model lies: in a wheel inside the package, in a checkout beside it; raises ModelError."""
    package = Path(__file__).resolve().parents[1]
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

    It runs on so many `threads`, else on KDVISION_THREADS of the environment, else on all there are.
    """

    def __init__(self, path: Path, *, threads: int | None = None) -> None:
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.log_severity_level = 3
        if threads := threads or int(os.environ.get("KDVISION_THREADS", "0")):
            options.intra_op_num_threads = threads
        try:
            self.session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's own classes share no base
            raise ModelError(f"The model {path} cannot be loaded: {error}", hint="Install kdvision again.") from error
        self.about: dict[str, Any] = {
            key: json.loads(value) for key, value in self.session.get_modelmeta().custom_metadata_map.items()
        }
        if self.about.get("format") != FORMAT:
            raise ModelError(
                f"The model {path} has format {self.about.get('format')}; this kdvision reads format {FORMAT}.",
                hint="Install models and program of one version.",
            )

    def run(self, pictures: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        """Return the network's output for RGB pictures (n, H, W, 3)."""
        name = self.session.get_inputs()[0].name
        return np.asarray(self.session.run(None, {name: np.ascontiguousarray(pictures)})[0], np.float32)


@cache
def shipped(name: str, threads: int | None = None) -> Model:
    """Return a shipped model, loaded once."""
    return Model(model_path(name), threads=threads)
