"""Writing of model files: metadata, and the digest by which the program notices damage."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kdvision.files import write_atomically
from kdvision.vision.networks.onnx import Model, encode_digest, load_model

if TYPE_CHECKING:
    import onnx


def write_model(path: Path, model: onnx.ModelProto, metadata: Mapping[str, Any]) -> None:
    """Write a model file with these metadata and its digest."""
    from onnx.helper import set_model_props

    set_model_props(model, {key: json.dumps(value) for key, value in sorted(metadata.items())})
    content = model.SerializeToString()
    write_atomically(path, content + encode_digest(content))
    load_model.cache_clear()


def update_metadata(path: Path, metadata: Mapping[str, Any]) -> None:
    """Add entries to the metadata of a model file, or replace them."""
    import onnx

    write_model(path, onnx.load(path), {**Model(path).metadata, **metadata})
