"""Training of the networks that see pixels: the square detector (detector.onnx) and the cell classifier (cells.onnx).

Each is trained in six courses: a long one; two short ones at a low learning rate on other scenes, many under hard
light and many that hands and things cover; and three on scenes of all kinds, many under the corruptions of
`kdvision evaluate --stress`. After each short course the weights are averaged with those before it, which generalises
better than either (Wortsman et al., 2022, "Robust fine-tuning"). With `--continue`, only the last course runs, from the
weights of the model files.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader

from kdvision.lab.render.worlds import WORLDS, make_example
from kdvision.lab.run import SCENE_FILES, Run, digest_package
from kdvision.lab.train.crop_folder import Crops
from kdvision.lab.train.datasets import CellBatches, DetectorSamples
from kdvision.lab.train.examples import PIECES, TILE_KINDS, CellExamples, SceneExample, make_mosaics
from kdvision.lab.train.export import export_cells, export_detector
from kdvision.lab.train.fitting import Cycle, compute_cell_loss, compute_detector_loss, measure_cells, run_steps
from kdvision.lab.train.networks import CellNet, DetectorNet

Net = TypeVar("Net", bound=nn.Module)

DETECTOR_BATCH: Final = 12
DETECTOR_CROP_PIXELS: Final = 256
CELL_BATCH: Final = 96
WEIGHT_DECAY: Final = 0.02
HELD_OUT_SEED: Final = 1_000_001
HELD_OUT_SCENES: Final = 150
HELD_OUT_CROPS: Final = 4000


@dataclass(frozen=True)
class Course:
    """One course of training. `scenes` are counts by world (`render.worlds.WORLDS`); "pieces" is for cells alone.

    `real_crops` is the number of examples made of crops from real photos. If a course `is_averaged`, its weights are
    averaged with those before it.
    """

    seed: int
    scene_seed: int
    scenes: Mapping[str, int]
    real_crops: int
    detector_steps: int
    cell_steps: int
    learning_rate: float
    is_averaged: bool = False


_make_short_course = partial(
    Course, real_crops=40_000, detector_steps=4000, cell_steps=4500, learning_rate=3e-4, is_averaged=True
)
COURSES: Final = (
    Course(1, 1, {"scenes": 4000, "patterned": 2200, "pieces": 2000}, 120_000, 12_000, 14_000, 2e-3),
    _make_short_course(501, 2, {"scenes": 1000, "patterned": 800, "lit": 1600, "pieces": 800}),
    _make_short_course(1001, 3, {"scenes": 1000, "patterned": 800, "occluded": 1600, "pieces": 800}),
    Course(1501, 4, {"corrupted": 3200, "scenes": 1200, "patterned": 600, "pieces": 1200}, 60_000, 4000, 11_000, 8e-4),
    Course(2001, 5, {"corrupted": 4800, "scenes": 1000, "patterned": 600, "pieces": 1200}, 60_000, 4000, 24_000, 8e-4),
    Course(2501, 6, {"corrupted": 2400, "scenes": 800, "patterned": 400, "pieces": 600}, 40_000, 4000, 9000, 5e-4),
)
DEVICE: Final = "cuda" if torch.cuda.is_available() else "cpu"
HAS_BFLOAT16: Final = DEVICE == "cuda" or torch.backends.cpu.get_cpu_capability() == "AVX512"
"""Whether the processor computes in bfloat16. With AVX2 alone, a step in bfloat16 takes ten times as long."""


@dataclass(frozen=True)
class TrainingRun(Run):
    """The options of one training; if it `is_continued`, only the last course runs."""

    is_continued: bool


def train_detector(run: TrainingRun) -> None:
    """Train the square detector in all courses and write detector.onnx."""
    start_time = time.monotonic()

    def fit_course(net: DetectorNet, course: Course) -> DetectorNet:
        return fit_detector(net, load_course_scenes(run, course), course, workers=run.workers)

    path = run.models / "detector.onnx"
    net = train_in_courses(DetectorNet(), fit_course, path if run.is_continued else None)
    export_detector(net, path, settings=describe_training(run, start_time))


def train_cells(run: TrainingRun) -> None:
    """Train the cell classifier in all courses, measure it on held-out examples, and write cells.onnx."""
    start_time = time.monotonic()
    training_crops, held_out_crops = Crops.load(run.data / "tiles").split()

    def fit_course(net: CellNet, course: Course) -> CellNet:
        scenes = load_course_scenes(run, course)
        scenes += load_scenes(run, "pieces", course.scene_seed, course.scenes["pieces"])
        real_examples = make_mosaics(training_crops, np.random.default_rng((course.seed, 17)), course.real_crops)
        examples = CellExamples.join([*(scene.cells for scene in scenes), real_examples])
        del scenes, real_examples  # gigabytes, of which the examples are a copy
        return fit_cells(net, examples, course, workers=run.workers)

    path = run.models / "cells.onnx"
    net = train_in_courses(CellNet(len(TILE_KINDS), len(PIECES)), fit_course, path if run.is_continued else None)
    plain_examples, piece_examples = (
        CellExamples.join([scene.cells for scene in load_scenes(run, world, HELD_OUT_SEED, HELD_OUT_SCENES)])
        for world in ("scenes", "pieces")
    )
    real_examples = make_mosaics(held_out_crops, np.random.default_rng((COURSES[0].seed, 19)), HELD_OUT_CROPS)
    temperatures, rates = measure_cells(net, plain_examples, piece_examples, real_examples)
    print(f"temperatures {temperatures}\nheld-out error rates {rates}", flush=True)
    export_cells(net, path, temperatures=temperatures, held_out=rates, settings=describe_training(run, start_time))


def train_in_courses(net: Net, fit_course: Callable[[Net, Course], Net], trained_model: Path | None) -> Net:
    """Return the net after all courses, or after the last one alone, from the weights of a `trained_model` file."""
    if trained_model:
        net = load_weights(merge_batch_norms(net), onnx.load(trained_model))
    else:
        net = merge_batch_norms(fit_course(net, COURSES[0]))
    for course in COURSES[-1:] if trained_model else COURSES[1:]:
        fitted_net = fit_course(deepcopy(net), course)
        net = average_weights(net, fitted_net) if course.is_averaged else fitted_net
    return net


def fit_detector(net: DetectorNet, scenes: list[SceneExample], course: Course, *, workers: int = 1) -> DetectorNet:
    torch.manual_seed(course.seed)
    length = course.detector_steps * DETECTOR_BATCH
    data = DetectorSamples(scenes, seed=course.seed, length=length, size=DETECTOR_CROP_PIXELS)
    batches = DataLoader(data, DETECTOR_BATCH, num_workers=count_loaders(workers), prefetch_factor=8)
    return fit(net, batches, compute_detector_loss, steps=course.detector_steps, learning_rate=course.learning_rate)


def fit_cells(
    net: CellNet, examples: CellExamples, course: Course, *, batch: int = CELL_BATCH, workers: int = 1
) -> CellNet:
    torch.manual_seed(course.seed)
    data = CellBatches(examples, seed=course.seed, length=course.cell_steps, batch=batch)
    batches = DataLoader(data, batch_size=None, num_workers=count_loaders(workers), prefetch_factor=8)
    return fit(net, batches, compute_cell_loss, steps=course.cell_steps, learning_rate=course.learning_rate)


def fit(
    net: Net, batches: Iterable[Any], loss: Callable[[Tensor, Tensor], Tensor], *, steps: int, learning_rate: float
) -> Net:
    """Return the moving average of the weights over one cycle of training, one step per batch."""
    net.to(DEVICE, memory_format=torch.channels_last)  # type: ignore[call-overload]
    average = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.998), use_buffers=True)

    def compute_loss(pictures: Tensor, target: Tensor) -> Tensor:
        with torch.autocast(DEVICE, torch.bfloat16, enabled=HAS_BFLOAT16):
            output = net(pictures.to(DEVICE).float().contiguous(memory_format=torch.channels_last))
        return loss(output.float(), target.to(DEVICE))

    cycle = Cycle(steps, learning_rate, WEIGHT_DECAY, max_norm=5.0, warm_up=0.08)
    run_steps(net, batches, compute_loss, cycle, after_step=lambda: average.update_parameters(net))
    return cast(Net, average.module.eval().cpu())


def count_loaders(workers: int) -> int:
    """Return how many processes prepare batches: one where the CPU trains, or else nearly all."""
    return max(1, workers - 2) if DEVICE == "cuda" else 1


def merge_batch_norms(net: Net) -> Net:
    """Merge every batch norm of the net into the convolution before it; the output stays the same.

    Later courses then keep the statistics of the first one instead of those of each small batch.
    """
    for module in net.eval().modules():
        if isinstance(module, nn.Sequential) and len(module) > 1 and isinstance(module[1], nn.BatchNorm2d):
            conv = module[0]
            assert isinstance(conv, nn.Conv2d)
            module[0] = fuse_conv_bn_eval(conv, module[1])
            module[1] = nn.Identity()
    return net.requires_grad_()  # the merged biases must be trainable too


def load_weights(net: Net, model: onnx.ModelProto) -> Net:
    """Set the weights of a net with merged batch norms to those of a model file, in floats or in eight bits.

    Raises RuntimeError if the model is of another shape. The shipped detector calls its first layer "first".
    """
    tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    weights = dict[str, Tensor]()
    for name, values in tensors.items():
        float_name = name.removesuffix("_quantized")
        if float_name.endswith(("weight", "bias")):
            scale = tensors.get(f"{float_name}_scale", tensors.get(f"{name}_scale", np.float32(1)))
            scales = scale.reshape(-1, *[1] * (values.ndim - 1))
            layer = float_name.removeprefix("net.").replace("first_", "stem.0.0.")
            weights[layer] = torch.from_numpy(np.asarray(values * scales, np.float32))
    net.load_state_dict(weights)
    return net


def average_weights(net: Net, other: Net) -> Net:
    """Set the weights of the first net to the mean of both nets, and return it."""
    with torch.no_grad():
        for weights, other_weights in zip(net.parameters(), other.parameters(), strict=True):
            weights.lerp_(other_weights, 0.5)
    return net


def load_course_scenes(run: Run, course: Course) -> list[SceneExample]:
    """Return the scenes of a course that both networks see."""
    worlds = [(world, count) for world, count in course.scenes.items() if world != "pieces"]
    return [scene for world, count in worlds for scene in load_scenes(run, world, course.scene_seed, count)]


def load_scenes(run: Run, world: str, seed: int, count: int) -> list[SceneExample]:
    """Return rendered scenes, from the work folder if the same program rendered them before."""
    seeds = [(seed, *WORLDS[world], n) for n in range(count)]
    folder = run.work / f"{world}-{digest_package(*SCENE_FILES)[:12]}-{seed}"
    return run.map_saved(partial(make_example, folder=run.data, world=world), seeds, folder)


def describe_training(run: TrainingRun, start_time: float) -> dict[str, Any]:
    """Return the settings for the metadata of a model: the courses of this run, and its minutes with the rendering."""
    courses = [asdict(course) for course in (COURSES[-1:] if run.is_continued else COURSES)]
    minutes = round((time.monotonic() - start_time) / 60, 1)
    return {"seed": courses[0]["seed"], "continued": run.is_continued, "courses": courses, "minutes": minutes}
