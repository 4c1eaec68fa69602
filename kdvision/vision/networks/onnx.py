"""ONNX model files: location, checks, execution.

Each file describes itself in its metadata: name, format, classes in board notation, temperatures, training data. Its
last metadata entry is the SHA-256 digest of everything before it.
"""

import hashlib
import json
import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.errors import ModelError

MODEL_FORMAT: Final = 2

MODEL_NAMES: Final = ("cells", "context", "detector")


def find_model(name: str) -> Path:
    """Return the path of a shipped model, in a wheel or a checkout; raise ModelError if it is missing."""
    package = Path(__file__).resolve().parents[2]
    folders = [package / "models", package.parent / "models"]
    if custom_folder := os.environ.get("KDVISION_MODELS"):
        folders.insert(0, Path(custom_folder))
        if not any((folders[0] / f"{model}.onnx").is_file() for model in MODEL_NAMES):
            hint = "Unset KDVISION_MODELS, or name a folder that has some."
            raise ModelError(f"KDVISION_MODELS names {custom_folder}, which has no models.", hint=hint)
    for folder in folders:
        if (path := folder / f"{name}.onnx").is_file():
            return path
    raise ModelError(
        f"The model {name}.onnx is missing from {folders[-1]}.",
        hint="Install kdvision again, or run `make model` in a checkout.",
    )


def encode_digest(content: bytes) -> bytes:
    """Return the metadata entry with the digest of a model file's content, as bytes to append to it.

    The fields of a protobuf message may come in any order, so the longer file is an ONNX model, too. This one is
    `ModelProto.metadata_props` (field 14, 74 bytes) with `key` (field 1, 6 bytes) and `value` (field 2, 64 bytes).
    """
    return b"\x72\x4a\x0a\x06sha256\x12\x40" + hashlib.sha256(content).hexdigest().encode()


def strip_digest(content: bytes) -> bytes:
    """Return the content of a model file without the entry that `encode_digest` appends."""
    entry = encode_digest(b"")
    start, header = len(content) - len(entry), entry[:-64]
    return content[:start] if content.startswith(header, start) else content


def read_model_file(path: Path) -> bytes:
    """Return the content of a model file; raise ModelError if it does not match its digest.

    A file without a digest is accepted: networks of one's own may come from another exporter.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise _make_error(f"The model {path} cannot be read: {error.strerror}") from error
    body = strip_digest(content)
    if content not in (body, body + encode_digest(body)):
        raise _make_error(f"The model {path} is damaged: its digest does not match")
    return content


def _make_error(message: str) -> ModelError:
    return ModelError(message, hint="Install kdvision again, or restore the file.")


class Model:
    """One network and its metadata; raises ModelError if the file is damaged or not a model of this program."""

    def __init__(self, path: Path) -> None:
        import onnxruntime as ort

        content = read_model_file(path)
        options = ort.SessionOptions()
        options.log_severity_level = 4  # errors are raised and reported by the caller
        options.intra_op_num_threads = count_threads()
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # leaves the processor to others
        options.enable_mem_pattern = False  # pictures come in all sizes; plans for each would pile up
        try:
            self.session = ort.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's exceptions share no base class
            raise _make_error(f"The model {path} cannot be loaded: {error}") from error
        self.input_name = self.session.get_inputs()[0].name
        self.metadata: dict[str, Any] = {}
        for key, value in self.session.get_modelmeta().custom_metadata_map.items():
            with suppress(ValueError):  # the digest is no JSON, nor are entries of other exporters
                self.metadata[key] = json.loads(value)
        if (model_format := self.metadata.get("format")) != MODEL_FORMAT:
            raise ModelError(
                f"The model {path} has format {model_format}; this kdvision reads format {MODEL_FORMAT}.",
                hint="Install models and program of one version.",
            )

    def run(self, images: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        """Return the network's output for RGB images (n, H, W, 3), which run in batches."""
        max_batch_images = 16  # larger batches are no faster and need more memory
        starts = range(0, max(1, len(images)), max_batch_images)
        outputs = [self.run_inputs(**{self.input_name: images[start : start + max_batch_images]}) for start in starts]
        return np.concatenate(outputs)

    def run_inputs(self, **inputs: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        """Return the network's first output for inputs given by name, in one call."""
        arrays = {name: np.ascontiguousarray(value) for name, value in inputs.items()}
        return np.asarray(self.session.run(None, arrays)[0], np.float32)


def count_threads() -> int:
    """Return KDVISION_THREADS if set, else the number of cores of this process, at most 4.

    The networks are small: more threads spend more time on synchronisation than they save.
    """
    requested_threads = os.environ.get("KDVISION_THREADS", "")
    cores = count_cores()
    if requested_threads.isdecimal() and int(requested_threads):
        return min(int(requested_threads), 4 * cores)
    return min(cores, 4)


def count_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def use_one_thread() -> None:
    """Use one thread where the environment names no number, because there are as many processes as cores."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "KDVISION_THREADS"):
        os.environ.setdefault(name, "1")
    cv2.setNumThreads(1)


@cache
def load_model(name: str) -> Model:
    """Return a shipped model, loaded once per process; raise ModelError if its file holds another network."""
    path = find_model(name)
    model = Model(path)
    if (stored_name := model.metadata.get("name")) != name:
        raise _make_error(f"The model {path} is the network {stored_name!r} instead of {name!r}")
    return model
