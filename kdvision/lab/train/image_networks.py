"""Training of the networks that see pixels: the square detector (detector.onnx) and the cell classifier (cells.onnx).

Each is trained in three courses: a long one, and two short ones at a low learning rate on other scenes, the first with
many under hard light, the second with many that hands and things cover. After each short course the weights are
averaged with those before it, which generalises better than either (Wortsman et al., 2022, "Robust fine-tuning").
"""

import pickle
import time
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final, TypeVar, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader

from kdvision.evaluate.workers import map_in_processes
from kdvision.files import write_atomically
from kdvision.lab.render.worlds import WORLDS, make_example
from kdvision.lab.run import Run
from kdvision.lab.train.crop_folder import Crops
from kdvision.lab.train.datasets import CellBatches, DetectorSamples
from kdvision.lab.train.examples import PIECES, TILE_KINDS, CellExamples, SceneExample, make_mosaics
from kdvision.lab.train.export import export_cells, export_detector
from kdvision.lab.train.loop import run_steps
from kdvision.lab.train.metrics import compute_cell_loss, compute_detector_loss, measure_cells
from kdvision.lab.train.networks import CellNet, DetectorNet

Net = TypeVar("Net", bound=nn.Module)

DETECTOR_BATCH: Final = 12
DETECTOR_CROP_PIXELS: Final = 256
CELL_BATCH: Final = 96
WEIGHT_DECAY: Final = 0.02
HELD_OUT_SEED: Final = 1_000_001
HELD_OUT_SCENES: Final = 300
HELD_OUT_CROPS: Final = 4000


@dataclass(frozen=True)
class Course:
    """One course of training. `scenes` are counts by world (`render.worlds.WORLDS`); "pieces" is for cells alone.

    `real_crops` is the number of examples made of crops from real photos.
    """

    seed: int
    scene_seed: int
    scenes: Mapping[str, int]
    real_crops: int
    detector_steps: int
    cell_steps: int
    learning_rate: float


COURSES: Final = (
    Course(1, 1, {"scenes": 4000, "patterned": 2200, "pieces": 2000}, 120_000, 12_000, 14_000, 2e-3),
    Course(501, 2, {"scenes": 1000, "patterned": 800, "lit": 1600, "pieces": 800}, 40_000, 4000, 4500, 3e-4),
    Course(1001, 3, {"scenes": 1000, "patterned": 800, "occluded": 1600, "pieces": 800}, 40_000, 4000, 4500, 3e-4),
)


def train_detector(run: Run) -> None:
    """Train the square detector in all courses and write detector.onnx."""
    started = time.monotonic()

    def fit_course(net: DetectorNet, course: Course) -> DetectorNet:
        return fit_detector(net, load_course_scenes(run, course), course)

    net = train_in_courses(DetectorNet(), fit_course)
    export_detector(net, run.models / "detector.onnx", settings=describe_training(started))


def train_cells(run: Run) -> None:
    """Train the cell classifier in all courses, measure it on held-out examples, and write cells.onnx."""
    started = time.monotonic()
    training_crops, held_out_crops = Crops.load(run.data / "tiles").split()

    def fit_course(net: CellNet, course: Course) -> CellNet:
        scenes = load_course_scenes(run, course)
        scenes += load_scenes(run, "pieces", course.scene_seed, course.scenes["pieces"])
        real = make_mosaics(training_crops, np.random.default_rng((course.seed, 17)), course.real_crops)
        return fit_cells(net, CellExamples.join([*(scene.cells for scene in scenes), real]), course)

    net = train_in_courses(CellNet(len(TILE_KINDS), len(PIECES)), fit_course)
    plain, with_pieces = (
        CellExamples.join([scene.cells for scene in load_scenes(run, world, HELD_OUT_SEED, HELD_OUT_SCENES)])
        for world in ("scenes", "pieces")
    )
    real = make_mosaics(held_out_crops, np.random.default_rng((COURSES[0].seed, 19)), HELD_OUT_CROPS)
    temperatures, rates = measure_cells(net, plain, with_pieces, real)
    print(f"temperatures {temperatures}\nheld-out error rates {rates}", flush=True)
    settings = describe_training(started)
    export_cells(net, run.models / "cells.onnx", temperatures=temperatures, held_out=rates, settings=settings)


def train_in_courses(net: Net, fit_course: Callable[[Net, Course], Net]) -> Net:
    net = merge_batch_norms(fit_course(net, COURSES[0]))
    for course in COURSES[1:]:
        net = average_weights(net, fit_course(deepcopy(net), course))
    return net


def fit_detector(net: DetectorNet, scenes: list[SceneExample], course: Course) -> DetectorNet:
    torch.manual_seed(course.seed)
    length = course.detector_steps * DETECTOR_BATCH
    data = DetectorSamples(scenes, seed=course.seed, length=length, size=DETECTOR_CROP_PIXELS)
    batches = DataLoader(data, DETECTOR_BATCH, num_workers=1, prefetch_factor=8)
    return fit(net, batches, compute_detector_loss, steps=course.detector_steps, learning_rate=course.learning_rate)


def fit_cells(net: CellNet, examples: CellExamples, course: Course, *, batch: int = CELL_BATCH) -> CellNet:
    torch.manual_seed(course.seed)
    data = CellBatches(examples, seed=course.seed, length=course.cell_steps, batch=batch)
    batches = DataLoader(data, batch_size=None, num_workers=1, prefetch_factor=8)
    return fit(net, batches, compute_cell_loss, steps=course.cell_steps, learning_rate=course.learning_rate)


def fit(
    net: Net, batches: Iterable[Any], loss: Callable[[Tensor, Tensor], Tensor], *, steps: int, learning_rate: float
) -> Net:
    """Return the moving average of the weights over one cycle of training, one step per batch."""
    net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    average = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.998), use_buffers=True)

    def compute_loss(pictures: Tensor, target: Tensor) -> Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            output = net(pictures.float().contiguous(memory_format=torch.channels_last))
        return loss(output.float(), target)

    run_steps(
        net,
        batches,
        compute_loss,
        steps=steps,
        learning_rate=learning_rate,
        weight_decay=WEIGHT_DECAY,
        max_norm=5.0,
        warm_up=0.08,
        after_step=lambda: average.update_parameters(net),
    )
    return cast(Net, average.module.eval())


def merge_batch_norms(net: Net) -> Net:
    """Merge every batch norm of the net into the convolution before it; the output stays the same.

    Later courses then keep the statistics of the first one instead of those of each small batch.
    """
    for part in net.eval().modules():
        if isinstance(part, nn.Sequential) and len(part) > 1 and isinstance(part[1], nn.BatchNorm2d):
            conv = part[0]
            assert isinstance(conv, nn.Conv2d)
            part[0] = fuse_conv_bn_eval(conv, part[1])
            part[1] = nn.Identity()
    return net.requires_grad_()  # the merged biases must be trainable too


def average_weights(net: Net, other: Net) -> Net:
    """Set the weights of the first net to the mean of both nets, and return it."""
    with torch.no_grad():
        for weights, others in zip(net.parameters(), other.parameters(), strict=True):
            weights.lerp_(others, 0.5)
    return net


def load_course_scenes(run: Run, course: Course) -> list[SceneExample]:
    """Return the scenes of a course that both networks see."""
    worlds = [(world, count) for world, count in course.scenes.items() if world != "pieces"]
    return [scene for world, count in worlds for scene in load_scenes(run, world, course.scene_seed, count)]


def load_scenes(run: Run, world: str, seed: int, count: int) -> list[SceneExample]:
    """Return rendered scenes, from the work folder if they were rendered before."""
    path = run.work / f"{world}-{seed}-{count}.pickle"
    if path.is_file():
        return list(pickle.loads(path.read_bytes()))
    scenes, seeds = list[SceneExample](), [(seed, *WORLDS[world], n) for n in range(count)]
    make = partial(make_example, folder=run.data, world=world)
    for scene in map_in_processes(make, seeds, workers=run.workers):
        scenes.append(scene)
        if len(scenes) % 250 == 0:
            print(f"rendered {len(scenes)}/{count} {world}", flush=True)
    write_atomically(path, pickle.dumps(scenes))
    return scenes


def describe_training(started: float) -> dict[str, Any]:
    """Return the settings for the metadata of a model: seed, courses and minutes."""
    minutes = round((time.monotonic() - started) / 60, 1)
    return {"seed": COURSES[0].seed, "courses": [asdict(course) for course in COURSES], "minutes": minutes}
