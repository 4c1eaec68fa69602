"""Training of the networks that see pixels: the square detector (detector.onnx) and the cell classifier (cells.onnx).

Each is trained in three courses: a long one, and two short ones at a low learning rate on other scenes, the first with
many under hard light, the second with many that hands and things cover. After each short course the weights are
averaged with those before it, which generalises better than either (Wortsman et al., 2022, "Robust fine-tuning").
"""

import pickle
import time
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import asdict, dataclass
from typing import Any, Final, TypeVar, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from kdvision.files import write_atomically
from kdvision.lab.render.worlds import make_examples
from kdvision.lab.train.crop_folder import Crops
from kdvision.lab.train.datasets import CellBatches, DetectorSamples, iterate_batches
from kdvision.lab.train.examples import PIECES, TILE_KINDS, CellExamples, SceneExample, make_mosaics
from kdvision.lab.train.export import export_cells, export_detector
from kdvision.lab.train.metrics import compute_cell_loss, compute_detector_loss, measure_cells
from kdvision.lab.train.networks import CellNet, DetectorNet
from kdvision.lab.train.run import Run

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
    started, net = time.monotonic(), DetectorNet()
    for course in COURSES:
        scenes = load_course_scenes(run, course)
        trained = fit_detector(deepcopy(net), scenes, course)
        net = average_weights(net, trained) if course.seed > 1 else merge_batch_norms(trained)
    export_detector(net, run.models / "detector.onnx", settings=describe_training(started))


def train_cells(run: Run) -> None:
    """Train the cell classifier in all courses, measure it on held-out examples, and write cells.onnx."""
    started, net = time.monotonic(), CellNet(len(TILE_KINDS), len(PIECES))
    training_crops, held_out_crops = Crops.load(run.data / "tiles").split()
    for course in COURSES:
        scenes = load_course_scenes(run, course) + load_scenes(
            run, "pieces", course.scene_seed, course.scenes["pieces"]
        )
        real = make_mosaics(training_crops, np.random.default_rng((course.seed, 17)), course.real_crops)
        trained = fit_cells(deepcopy(net), CellExamples.join([*(scene.cells for scene in scenes), real]), course)
        net = average_weights(net, trained) if course.seed > 1 else merge_batch_norms(trained)
    plain, with_pieces = (
        CellExamples.join([scene.cells for scene in load_scenes(run, world, HELD_OUT_SEED, HELD_OUT_SCENES)])
        for world in ("scenes", "pieces")
    )
    real = make_mosaics(held_out_crops, np.random.default_rng((COURSES[0].seed, 19)), HELD_OUT_CROPS)
    temperatures, rates = measure_cells(net, plain, with_pieces, real)
    print(f"temperatures {temperatures}\nheld-out error rates {rates}", flush=True)
    settings = describe_training(started)
    export_cells(net, run.models / "cells.onnx", temperatures=temperatures, rates=rates, settings=settings)


def fit_detector(net: DetectorNet, scenes: list[SceneExample], course: Course) -> DetectorNet:
    """Return the detector after one course."""
    torch.manual_seed(course.seed)
    length = course.detector_steps * DETECTOR_BATCH
    data = DetectorSamples(scenes, seed=course.seed, length=length, size=DETECTOR_CROP_PIXELS)
    batches = iterate_batches(data, batch=DETECTOR_BATCH)
    return fit(net, batches, compute_detector_loss, steps=course.detector_steps, learning_rate=course.learning_rate)


def fit_cells(net: CellNet, examples: CellExamples, course: Course, *, batch: int = CELL_BATCH) -> CellNet:
    """Return the cell classifier after one course."""
    torch.manual_seed(course.seed)
    data = CellBatches(examples, seed=course.seed, length=course.cell_steps, batch=batch)
    batches = iterate_batches(data, batch=None)
    return fit(net, batches, compute_cell_loss, steps=course.cell_steps, learning_rate=course.learning_rate)


def fit(
    net: Net,
    batches: Iterator[tuple[Tensor, ...]],
    loss: Callable[..., Tensor],
    *,
    steps: int,
    learning_rate: float,
) -> Net:
    """Return the moving average of the weights over one cycle of AdamW, one step per batch."""
    net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    optimiser = torch.optim.AdamW(net.parameters(), learning_rate, weight_decay=WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, learning_rate, total_steps=steps, pct_start=0.08)
    average = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.998), use_buffers=True)
    started, mean_loss = time.monotonic(), 0.0
    for step in range(1, steps + 1):
        pictures, *labels = next(batches)
        net.train()
        with torch.autocast("cpu", torch.bfloat16):
            output = net(pictures.float().contiguous(memory_format=torch.channels_last))
        value = loss(output.float(), *labels)
        optimiser.zero_grad(set_to_none=True)
        value.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        schedule.step()
        average.update_parameters(net)
        mean_loss += (float(value.detach()) - mean_loss) * max(0.01, 1 / step)
        if step % 250 == 0:
            print(f"step {step}/{steps}  loss {mean_loss:.4f}  {time.monotonic() - started:.0f} s", flush=True)
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
    scenes = []
    for scene in make_examples(run.data, seed=seed, count=count, world=world, workers=run.workers):
        scenes.append(scene)
        if len(scenes) % 250 == 0:
            print(f"rendered {len(scenes)}/{count} {world}", flush=True)
    write_atomically(path, pickle.dumps(scenes))
    return scenes


def describe_training(started: float) -> dict[str, Any]:
    """Return the settings for the metadata of a model: seed, courses and minutes."""
    minutes = round((time.monotonic() - started) / 60, 1)
    return {"seed": COURSES[0].seed, "courses": [asdict(course) for course in COURSES], "minutes": minutes}
