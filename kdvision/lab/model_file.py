"""Writing of model files: metadata, and the digest by which the program notices damage."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import onnx
from onnx.helper import set_model_props

from kdvision.files import write_atomically
from kdvision.vision.networks.onnx import Model, encode_digest, load_model


def write_model(path: Path, model: onnx.ModelProto, metadata: Mapping[str, Any]) -> None:
    """Write a model file with these metadata and its digest."""
    set_model_props(model, {key: json.dumps(value) for key, value in sorted(metadata.items())})
    content = model.SerializeToString()
    write_atomically(path, content + encode_digest(content))
    load_model.cache_clear()


def update_metadata(path: Path, metadata: Mapping[str, Any]) -> None:
    """Add entries to the metadata of a model file, or replace them."""
    write_model(path, onnx.load(path), {**Model(path).metadata, **metadata})
