"""Training both networks from one command: `python -m kdvision.lab.train.train`, which is `make model`.

Straight from top to bottom: render scenes, train the finder, train the cell network, fit temperatures on held-out
examples, export. Each network is trained in three courses: a long one, and two short ones at a low rate, on scenes that
were not shown before, of the second many in hard light, of the third many with hands and things on the kingdoms. Kept
after each are weights halfway between its beginning and its end: on scenes unlike its own they are better than either's
(Wortsman et al., 2022, "Robust fine-tuning"). `--on-from models` runs the last course alone, from the networks there.
Everything random comes from the seed. On one machine and one version of torch equal seeds give equal weights; other
processors round differently.
"""

from __future__ import annotations

import argparse
import json
import pickle
import time
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from kdvision.files import write_atomically
from kdvision.lab.render.mosaics import mosaics
from kdvision.lab.render.worlds import list_table_tops, make_examples
from kdvision.lab.train.batches import CellBatches, ScenePieces, batches
from kdvision.lab.train.crop_folder import Crops
from kdvision.lab.train.examples import PIECES, TILE_KINDS, CellExamples, SceneExample
from kdvision.lab.train.export import export_cells, export_finder
from kdvision.lab.train.losses import cell_loss, finder_loss
from kdvision.lab.train.measure import measure_cells
from kdvision.lab.train.net import CellNet, FinderNet
from kdvision.lab.train.options import parsed
from kdvision.lab.train.weights import loaded
from kdvision.vision.networks.onnx import Model

Say = Callable[[str], None]
Net = TypeVar("Net", bound=nn.Module)

TUNED = 500
"""Each course draws its pieces, batches and mosaics by a seed so much higher than the one before."""
LATER = ("lit", "strewn")
"""The world that the second course shows beside plain and full tables, and that of the third."""


@dataclass(frozen=True)
class Settings:
    """One training run; written into the models' metadata and the model card. `tuned` is each later course's share."""

    seed: int = 1
    scene_seed: int = 1
    scenes: int = 4000
    held_out_scenes: int = 300
    piece_scenes: int = 2000
    busy_scenes: int = 2200
    finder_steps: int = 12000
    finder_batch: int = 12
    finder_size: int = 256
    cell_steps: int = 14000
    cell_batch: int = 96
    mosaics: int = 120000
    without: str = ""
    rate: float = 2e-3
    decay: float = 0.02
    tuned_scenes: int = 1000
    tuned_lit_scenes: int = 1600
    tuned_strewn_scenes: int = 1600
    tuned_busy_scenes: int = 800
    tuned_piece_scenes: int = 800
    tuned_mosaics: int = 40000
    tuned_finder_steps: int = 4000
    tuned_cell_steps: int = 4500
    tuned_rate: float = 3e-4

    def later(self, number: int) -> Settings:
        """Return the settings of the second course (1) or the third (2): other seeds, fewer scenes, a lower rate."""
        return replace(
            self,
            seed=self.seed + number * TUNED,
            scene_seed=self.scene_seed + number,
            scenes=self.tuned_scenes,
            piece_scenes=self.tuned_piece_scenes,
            busy_scenes=self.tuned_busy_scenes,
            mosaics=self.tuned_mosaics,
            finder_steps=self.tuned_finder_steps,
            cell_steps=self.tuned_cell_steps,
            rate=self.tuned_rate,
        )


def fit(
    net: nn.Module,
    batches: Iterator[tuple[Tensor, ...]],
    loss: Callable[..., Tensor],
    *,
    steps: int,
    settings: Settings,
    say: Say,
) -> nn.Module:
    """Return the running average of the weights after `steps` batches, one step of AdamW a batch, one cycle."""
    net = net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    optimiser = torch.optim.AdamW(net.parameters(), settings.rate, weight_decay=settings.decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, settings.rate, total_steps=steps, pct_start=0.08)
    average = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.998), use_buffers=True)
    started, running = time.monotonic(), 0.0
    for step in range(1, steps + 1):
        pictures, *labels = next(batches)
        net.train()
        with torch.autocast("cpu", torch.bfloat16):
            output = net(pictures.float().div(255).contiguous(memory_format=torch.channels_last))
        value = loss(output.float(), *labels)
        optimiser.zero_grad(set_to_none=True)
        value.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        schedule.step()
        average.update_parameters(net)
        running += (float(value.detach()) - running) * max(0.01, 1 / step)
        if step % 250 == 0:
            say(f"step {step}/{steps}  loss {running:.4f}  {time.monotonic() - started:.0f} s")
    return average.module.eval()


def train_finder(
    scenes: list[SceneExample], settings: Settings, say: Say, *, net: FinderNet | None = None
) -> FinderNet:
    """Return a finder trained on rendered scenes, from nothing or on from `net`."""
    torch.manual_seed(settings.seed)
    data = ScenePieces(
        scenes, seed=settings.seed, length=settings.finder_steps * settings.finder_batch, size=settings.finder_size
    )
    trained = fit(
        net or FinderNet(),
        batches(data, batch=settings.finder_batch),
        finder_loss,
        steps=settings.finder_steps,
        settings=settings,
        say=say,
    )
    assert isinstance(trained, FinderNet)
    return trained


def train_cells(examples: CellExamples, settings: Settings, say: Say, *, net: CellNet | None = None) -> CellNet:
    """Return a cell network trained on crops of rendered scenes and of real photos, from nothing or on from `net`."""
    torch.manual_seed(settings.seed)
    data = CellBatches(examples, seed=settings.seed, length=settings.cell_steps, batch=settings.cell_batch)
    trained = fit(
        net or CellNet(len(TILE_KINDS), len(PIECES)),
        batches(data, batch=None),
        cell_loss,
        steps=settings.cell_steps,
        settings=settings,
        say=say,
    )
    assert isinstance(trained, CellNet)
    return trained


def merged(net: Net) -> Net:
    """Return the net, in place, with every batch norm in the convolution before it: what it says stays the same.

    So tuned, it goes by what the first course measured of all scenes, and not by each small batch.
    """
    for part in net.eval().modules():
        if isinstance(part, nn.Sequential) and len(part) > 1 and isinstance(part[1], nn.BatchNorm2d):
            conv = part[0]
            assert isinstance(conv, nn.Conv2d)
            part[0] = fuse_conv_bn_eval(conv, part[1])
            part[1] = nn.Identity()
    return net.requires_grad_()  # what was the norms' own was no weight


def halfway(one: Net, other: Net) -> Net:
    """Return the first net, in place, with weights halfway between the two."""
    with torch.no_grad():
        for weights, others in zip(one.parameters(), other.parameters(), strict=True):
            weights.lerp_(others, 0.5)
    return one


def scenes_of(data: Path, work: Path, *, seed: int, count: int, world: str = "scenes", say: Say) -> list[SceneExample]:
    """Return rendered scenes of one of the WORLDS, from the work folder where they were made before."""
    kept = work / f"{world}-{seed}-{count}.pickle"
    if kept.is_file():
        return list(pickle.loads(kept.read_bytes()))
    scenes = []
    for scene in make_examples(data, seed=seed, count=count, world=world):
        scenes.append(scene)
        if len(scenes) % 250 == 0:
            say(f"rendered {len(scenes)}/{count} scenes")
    work.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(pickle.dumps(scenes))
    return scenes


def off(scenes: list[SceneExample], data: Path, work: Path, *, without: str, seed: int) -> list[SceneExample]:
    """Return the scenes that lie on none of the kinds of surface in `without` ("wood,photographed"); all for "".

    What is learned of tables without wood is tried on a wooden table: that is how far training carries over.
    """
    if not without:
        return scenes
    kept = work / f"surfaces-{seed}-{len(scenes)}.json"
    if not kept.is_file():
        kept.write_text(json.dumps(list_table_tops(data, seed=seed, count=len(scenes))), encoding="utf-8")
    kinds = set(without.split(","))
    pairs = zip(scenes, json.loads(kept.read_text(encoding="utf-8")), strict=True)
    return [scene for scene, surfaces in pairs if kinds.isdisjoint(surfaces)]


def _noted(settings: Settings, started: float, on_from: Path | None, name: str) -> dict[str, float | str]:
    """Return the settings as a model's file tells them, with the minutes that all its courses took."""
    before = Model(on_from / f"{name}.onnx", threads=1).about["settings"]["minutes"] if on_from else 0.0
    return {**asdict(settings), "minutes": round(before + (time.monotonic() - started) / 60, 1)}


def tell(out: Path, name: str, noted: Mapping[str, float | str]) -> None:
    """Write the settings beside the measurements, too: the card of one seed's models tells how others were trained."""
    path = out / "results" / f"{name}-seed{noted['seed']}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, f"{json.dumps(noted, indent=1)}\n".encode())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--data", type=Path, default=Path("../shared/data"), help="folder with dominoes, tiles, castle_3d …"
    )
    parser.add_argument("--out", type=Path, default=Path("models"))
    parser.add_argument("--work", type=Path, default=Path(".work"), help="rendered scenes are kept here")
    parser.add_argument("--only", choices=["finder", "cells"])
    parser.add_argument("--on-from", type=Path, help="folder of models that the last course alone goes on from")
    parser.add_argument("--threads", type=int, default=0)
    settings, given = parsed(parser, Settings)
    if given["threads"]:
        torch.set_num_threads(given["threads"])
    run(
        given["data"],
        given["out"],
        given["work"],
        settings,
        only=given["only"],
        on_from=given["on_from"],
        say=lambda text: print(text, flush=True),
    )


def run(
    data: Path,
    out: Path,
    work: Path,
    settings: Settings,
    *,
    only: str | None = None,
    on_from: Path | None = None,
    say: Say = print,
) -> None:
    """Train and write the models; measure the cell network on held-out scenes and photos.

    With `on_from` the networks in that folder go through the last course alone.
    """
    courses = range(len(LATER), len(LATER) + 1) if on_from else range(len(LATER) + 1)
    say(f"courses {[number + 1 for number in courses]}; settings {json.dumps(asdict(settings))}")
    shown = {number: _course_scenes(number, data, work, settings, say) for number in courses}
    if only != "cells":
        started, finder = time.monotonic(), _begun(FinderNet(), on_from, "finder")
        for number, scenes in shown.items():
            course = settings.later(number) if number else settings
            if course.finder_steps:
                tuned = train_finder(scenes, course, say, net=deepcopy(finder) if number else None)
                finder = halfway(finder, tuned) if number else merged(tuned)
        noted = _noted(settings, started, on_from, "finder")
        say(f"wrote {export_finder(finder, out / 'finder.onnx', settings=noted)}")
        tell(out, "finder", noted)
    if only != "finder":
        started, cells = time.monotonic(), _begun(CellNet(len(TILE_KINDS), len(PIECES)), on_from, "cells")
        train_crops, held_crops = Crops.load(data / "tiles", mended=True).split()
        for number, scenes in shown.items():
            course = settings.later(number) if number else settings
            if course.cell_steps:
                examples = _examples(data, work, scenes, train_crops, course, say)
                tuned_cells = train_cells(examples, course, say, net=deepcopy(cells) if number else None)
                cells = halfway(cells, tuned_cells) if number else merged(tuned_cells)
        real = mosaics(held_crops, np.random.default_rng((settings.seed, 19)), 4000)
        _write_cells(cells, real, data, out, work, _noted(settings, started, on_from, "cells"), settings, say)


def _begun(net: Net, folder: Path | None, name: str) -> Net:
    """The network of this name in the folder, as a course leaves it; without a folder the net itself."""
    return net if folder is None else loaded(merged(net), folder / f"{name}.onnx")


def _course_scenes(number: int, data: Path, work: Path, settings: Settings, say: Say) -> list[SceneExample]:
    """The scenes of a course, the first being 0, that both networks see; none of a kind of table that is left out."""
    course = settings.later(number) if number else settings
    shown = partial(scenes_of, data, work, seed=course.scene_seed, say=say)
    scenes = off(shown(count=course.scenes), data, work, without=settings.without, seed=course.scene_seed)
    scenes += shown(count=course.busy_scenes, world="busy")
    if number and not settings.without:  # of the others it is not known what they lie on
        counts = (settings.tuned_lit_scenes, settings.tuned_strewn_scenes)
        scenes += shown(count=counts[number - 1], world=LATER[number - 1])
    return scenes


def _examples(
    data: Path, work: Path, scenes: list[SceneExample], photographed: Crops, settings: Settings, say: Say
) -> CellExamples:
    """What the cell network sees in a course: plain tables, such with pieces, and crops of real photos."""
    count = settings.piece_scenes
    furnished = scenes_of(data, work, seed=settings.scene_seed, count=count, world="pieces", say=say)
    real = mosaics(photographed, np.random.default_rng((settings.seed, 17)), settings.mosaics)
    return CellExamples.join([*(scene.cells for scene in [*scenes, *furnished]), real])


def _write_cells(
    cells: CellNet,
    real: CellExamples,
    data: Path,
    out: Path,
    work: Path,
    noted: Mapping[str, float | str],
    settings: Settings,
    say: Say,
) -> None:
    """Measure the cell network on what was held out, scenes and `real` crops, and write it."""
    # held-out scenes come from another stream of seeds than any training scene
    held, piece_held = (
        scenes_of(data, work, seed=1_000_000 + settings.scene_seed, count=settings.held_out_scenes, world=w, say=say)
        for w in ("scenes", "pieces")
    )
    rendered, beset = (CellExamples.join([scene.cells for scene in some]) for some in (held, piece_held))
    temperatures, rates = measure_cells(cells, rendered, beset, real)
    say(f"temperatures {temperatures}; held out {rates}")
    path = out / "cells.onnx"
    export_cells(cells, path, temperatures=temperatures, rates=rates, settings=noted)
    tell(out, "cells", noted)
    say(f"wrote {path}")


if __name__ == "__main__":
    main()
