"""The networks in whole numbers: `python -m kdvision.lab.train.quantise`, between training and calibration.

Eight bits a number take less than half the time of floats. Which range each layer spans is seen on rendered scenes that
go through the runtime. On other scenes the kingdoms that come out right are counted with and without; a network whose
whole numbers cost more than one kingdom in fifty stays as it was (of a hundred hard ones two or three are decided by
luck either way), and so does one that is in whole numbers already, where only the other was trained anew. The first and
the last layers always do: they see faint light, and say where things are, and 256 steps are too few for that. Weights
keep seven bits, because processors without dot products of bytes (VNNI) add pairs of products in sixteen (ONNX Runtime,
"Quantize ONNX models"): so every processor gets the same sums.
"""

from __future__ import annotations

import argparse
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

from kdvision.files import write_atomically
from kdvision.lab.calibrate.scenes import judge_boards, observe_picture, render_scene
from kdvision.lab.train.folding import folded, rounded_once
from kdvision.vision.networks.cells import CellClassifier
from kdvision.vision.networks.detector import SquareDetector
from kdvision.vision.networks.onnx import Model, model_path

Bytes = npt.NDArray[np.uint8]

NAMES: Final = ("finder", "cells")
OPERATORS: Final = ("Conv", "Add", "Resize", "Concat", "Relu", "MaxPool", "Gemm", "MatMul")
"""What is done in whole numbers; the rest is little and stays exact."""
NOTED: Final = "whole_numbers"
"""Under this name a model file tells that it was quantised, and what that cost."""
LEARNING, TRYING = 7_000_000, 8_000_000
"""Seeds of the scenes that ranges are taken from, and of those that are counted."""
FEWER: Final = 0.02
"""So large a share of the kingdoms may be lost."""


class Recorded(Model):
    """A model that remembers what it was shown, a picture or a batch at a time."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, threads=1)
        self.shown: list[Bytes] = []

    def run(self, pictures: Bytes) -> npt.NDArray[np.float32]:
        self.shown.append(np.ascontiguousarray(pictures))
        return super().run(pictures)


class _Reader(CalibrationDataReader):  # type: ignore[misc]
    """What was shown, as the quantiser wants it."""

    def __init__(self, shown: Sequence[Bytes]) -> None:
        self.left: Iterator[Bytes] = iter(shown)

    def get_next(self) -> dict[str, Bytes] | None:
        pictures = next(self.left, None)
        return None if pictures is None else {"pixels": pictures}


class Count(NamedTuple):
    """Kingdoms read right with floats, with a finder in whole numbers, with cells in them, and with both."""

    floats: int
    finder: int
    cells: int
    both: int

    def plus(self, other: Count) -> Count:
        return Count(*(one + two for one, two in zip(self, other, strict=True)))

    @property
    def kept(self) -> tuple[str, ...]:
        """The networks to keep in whole numbers."""
        least = self.floats - max(1, round(FEWER * self.floats))
        if self.both >= least:
            return NAMES
        best = "cells" if self.cells >= self.finder else "finder"
        return (best,) if getattr(self, best) >= least else ()

    @property
    def right(self) -> int:
        """The kingdoms that are right with those."""
        return {NAMES: self.both, (): self.floats}.get(self.kept) or int(getattr(self, self.kept[0]))


@dataclass(frozen=True)
class Folders:
    """Where the models lie: as trained, and in whole numbers."""

    floats: Path
    whole: Path
    _loaded: dict[Path, Model] = field(default_factory=dict)

    def model(self, name: str, *, whole: bool) -> Model:
        path = (self.whole if whole else self.floats) / f"{name}.onnx"
        return self._loaded.setdefault(path, Model(path, threads=1))


def quantised(path: Path, target: Path, shown: Sequence[Bytes]) -> None:
    """Write the model at `path` in whole numbers, with the ranges that it spans on what is shown to it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    logging.getLogger().setLevel(logging.ERROR)  # it recommends what the exporter has done already
    quantize_static(
        path,
        target,
        _Reader(shown),
        quant_format=QuantFormat.QDQ,
        op_types_to_quantize=list(OPERATORS),
        nodes_to_exclude=first_and_last(onnx.load(path)),
        per_channel=True,
        reduce_range=True,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
    )
    write_atomically(target, rounded_once(onnx.load(target)).SerializeToString())
    _describe(target, {entry.key: entry.value for entry in onnx.load(path).metadata_props})


def first_and_last(model: onnx.ModelProto) -> list[str]:
    """Return the names of the nodes in a network's stem and in its head, which stay in floats."""
    return [node.name for node in model.graph.node if {"stem", "head"} & set(node.name.split("/"))]


def _describe(path: Path, entries: Mapping[str, str]) -> None:
    model = onnx.load(path)
    del model.metadata_props[:]
    for key, value in entries.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    write_atomically(path, model.SerializeToString())


def learn(data: Path, folders: Folders, names: Sequence[str], seeds: Sequence[int]) -> None:
    """Write these networks in whole numbers, as both see the scenes of these seeds."""
    models = {name: Recorded(folders.floats / f"{name}.onnx") for name in NAMES}
    for seed in seeds:
        observe_picture(render_scene(data, seed)[0], SquareDetector(models["finder"]), CellClassifier(models["cells"]))
    for name in names:
        quantised(folders.floats / f"{name}.onnx", folders.whole / f"{name}.onnx", models[name].shown)


def _tried(seed: int, data: Path, folders: Folders) -> Count:
    """How many kingdoms of one scene are right, each way."""
    picture, found = render_scene(data, seed)[0], []
    for finder, cells in ((False, False), (True, False), (False, True), (True, True)):
        looker = SquareDetector(folders.model("finder", whole=finder))
        seen = observe_picture(picture, looker, CellClassifier(folders.model("cells", whole=cells)))
        found.append(sum(board.right for board in judge_boards(seen)))
    return Count(*found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--work", type=Path, default=Path(".work"), help="the models as trained are kept here")
    parser.add_argument("--learn", type=int, default=16, help="scenes to take ranges from")
    parser.add_argument("--scenes", type=int, default=80, help="scenes to count kingdoms in")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    folders = Folders(given.work / "floats", given.work / "whole")
    new = trained(folders)
    if not new:
        print("both are in whole numbers already: train one anew first")
        return
    learn(given.data, folders, new, range(LEARNING, LEARNING + given.learn))
    with get_context("spawn").Pool(given.workers) as pool:
        count = Count(0, 0, 0, 0)
        tried = partial(_tried, data=given.data, folders=folders)
        for found in pool.imap_unordered(tried, range(TRYING, TRYING + given.scenes)):
            count = count.plus(found)
    print(", ".join(f"{name} {right}" for name, right in count._asdict().items()), "kingdoms right")
    keep(folders, [name for name in new if name in count.kept], count, given.scenes)


def trained(folders: Folders) -> list[str]:
    """Return which of the models at hand are as training left them, all of them now in the folder of floats.

    One that is in whole numbers already is in both folders as it is.
    """
    new = []
    for folder in (folders.floats, folders.whole):
        folder.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        path, floats = model_path(name), folders.floats / f"{name}.onnx"
        if NOTED in Model(path, threads=1).about:
            write_atomically(floats, path.read_bytes())
            write_atomically(folders.whole / f"{name}.onnx", path.read_bytes())
        else:
            new.append(name)
            write_atomically(floats, folded(onnx.load(path)).SerializeToString())
    return new


def keep(folders: Folders, names: Sequence[str], count: Count, scenes: int) -> None:
    """Put these networks, which lose nothing in whole numbers, among the shipped ones."""
    for name in names:
        made = folders.whole / f"{name}.onnx"
        about: dict[str, Any] = {"scenes": scenes, "right": {"floats": count.floats, "whole numbers": count.right}}
        entries = {entry.key: entry.value for entry in onnx.load(made).metadata_props}
        _describe(made, {**entries, NOTED: json.dumps(about)})
        write_atomically(model_path(name), made.read_bytes())
    print("in whole numbers now:", ", ".join(names) or "none")


if __name__ == "__main__":
    main()
