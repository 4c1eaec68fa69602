"""Training the context network: `python -m kdvision.lab.train.context`, a step of `make model` after the two others.

Rendered tables go through the whole runtime; what it sees on the tiles of their kingdoms, and what lies there, is what
the network learns from. Tiles are of training crops, domino art and drawn boxes that nothing else is trained or
measured on; half of the scenes lie in a hard light. Of each photo a part of the tiles is shown, another in each
epoch, so that few squares are no other matter than many. Everything random comes from the seed.
"""

from __future__ import annotations

import argparse
import json
import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from kdvision.files import write_atomically
from kdvision.lab.calibrate.scenes import PHOTO_SIZE_PIXELS, find_truth
from kdvision.lab.render import renderer, scenes
from kdvision.lab.render.art_mix import ArtMix
from kdvision.lab.render.light import PhotoFactors
from kdvision.lab.render.renderer import Picture
from kdvision.lab.render.worlds import HARD_GLARE_RANGE, HARD_LIGHT_RANGE
from kdvision.lab.train.crop_folder import Crops
from kdvision.lab.train.examples import TILE_KINDS
from kdvision.lab.train.export import export_context
from kdvision.lab.train.measure import temperature
from kdvision.lab.train.net import ContextNet, OfOnePhoto
from kdvision.lab.train.options import parsed
from kdvision.vision.classify.context import TileFeatures
from kdvision.vision.classify.observation import split_kingdoms
from kdvision.vision.classify.observe import find_kingdoms
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.cells import CellClassifier
from kdvision.vision.networks.detector import SquareDetector
from kdvision.vision.networks.onnx import load_model

TOWN: Final = "t"
KINDS: Final = tuple(kind for kind in TILE_KINDS if kind != TOWN)
"""What is told by company. Towns, of which rendered tables of Kingdomino have none, keep the share they had."""
STREAM: Final = 9_200_000
"""Seeds of the scenes start here; those that are held out, so much further on."""
HELD_OUT_TOPS: Final = 90_000
BOXES: Final = (range(300, 332), range(332, 340))
"""The drawn boxes that are trained on, and those that are held out."""
DRAWN: Final = 0.3
UNKNOWN: Final = -100
"""The label of what is taken for a tile of a kingdom and is none; the others see it, and nothing is asked of it."""
LEAST: Final = 4
MOST: Final = 110
"""Tiles of a photo that are shown at a time: four kingdoms of five rows have a hundred."""
SHOWN: Final = (0.3, 1.0)


@dataclass(frozen=True)
class Settings:
    """One training run; written into the model's metadata and the model card."""

    seed: int = 1
    scenes: int = 7000
    held_out_scenes: int = 400
    epochs: int = 32
    batch: int = 16
    rate: float = 1e-3
    decay: float = 0.05


@dataclass(frozen=True)
class Table:
    """The tiles of the kingdoms of one photo: as `vision.context.TileFeatures` has them, (n, kinds) and (n, 6), and what is
    true of them (n,), by number of kind or UNKNOWN."""

    log_probs: npt.NDArray[np.float32]
    colours: npt.NDArray[np.float32]
    truth: npt.NDArray[np.int64]


_art_mix: tuple[ArtMix, range] | None = None


def _start(data: Path, part: int) -> None:
    global _art_mix  # one set of art a worker process
    cv2.setNumThreads(1)
    _art_mix = ArtMix(data, Crops.load(data / "tiles", mended=True).split()[part]), BOXES[part]


def table(seed: int) -> Table:
    """Return what the runtime, as it is before, sees of the scene of one seed; every other lies in a hard light."""
    assert _art_mix is not None
    (art_mix, boxes), rng = _art_mix, np.random.default_rng(seed)
    scene = scenes.make_scene(rng, kingdoms=int(rng.choice([1, 1, 1, 2, 3, 4])))
    camera = renderer.place_camera(scene, rng, size=PHOTO_SIZE_PIXELS, fill=(0.45, 0.95))
    art = art_mix.make_scene_art(rng, drawn=DRAWN, boxes=boxes)
    factors = None
    if seed % 2:
        factors = PhotoFactors.draw(rng)
        factors = replace(
            factors, light=float(rng.uniform(*HARD_LIGHT_RANGE)), glare=float(rng.uniform(*HARD_GLARE_RANGE))
        )
    return seen_in(renderer.render(scene, camera, art, rng, factors=factors))


def seen_in(picture: Picture) -> Table:
    """Return what the runtime sees of the kingdoms in a picture, and what is true of it."""
    photo = Photo.open(picture.photo)
    found = find_kingdoms(photo, SquareDetector(load_model("finder", 1)), CellClassifier(load_model("cells", 1)))
    log_probs, colours, truth = [np.zeros((0, len(KINDS)))], [np.zeros((0, 6))], list[int]()
    for observation in split_kingdoms(found)[0]:
        there, kingdom = find_truth(observation.grid, picture)
        if kingdom is not None:
            tiles = TileFeatures.of(photo, observation, KINDS)
            log_probs.append(tiles.log_probs)
            colours.append(tiles.colours)
            truth += [KINDS.index(there[n]) if there[n] in KINDS else UNKNOWN for n in tiles.places.tolist()]
    return Table(
        np.concatenate(log_probs).astype(np.float32), np.concatenate(colours).astype(np.float32), np.array(truth, int)
    )


def tables(data: Path, work: Path, *, first: int, count: int, part: int, workers: int) -> list[Table]:
    """Return the tables of so many seeds, 0 to train on, 1 held out; from the work folder if seen before."""
    kept = work / f"context-{first}-{count}.pickle"
    if not kept.is_file():
        work.mkdir(parents=True, exist_ok=True)
        with get_context("spawn").Pool(workers, _start, (data, part)) as pool:
            kept.write_bytes(pickle.dumps(list(pool.imap(table, range(first, first + count), chunksize=4))))
    made: list[Table] = pickle.loads(kept.read_bytes())
    return [one for one in made if len(one.truth) >= LEAST]


def batch_of(some: Sequence[Table], rng: np.random.Generator | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return log-probabilities, colours, labels and which are missing (batch, n, …): with `rng` of a part of each."""
    chosen = [np.arange(len(one.truth)) if rng is None else _some(len(one.truth), rng) for one in some]
    shape = len(some), max(map(len, chosen))
    log_probs, colours = torch.zeros(*shape, len(KINDS)), torch.zeros(*shape, 6)
    labels, missing = torch.full(shape, UNKNOWN), torch.ones(shape, dtype=torch.bool)
    for row, (one, places) in enumerate(zip(some, chosen, strict=True)):
        n = len(places)
        log_probs[row, :n] = torch.from_numpy(one.log_probs[places])
        colours[row, :n] = torch.from_numpy(one.colours[places])
        labels[row, :n] = torch.from_numpy(one.truth[places])
        missing[row, :n] = False
    return log_probs, colours, labels, missing


def _some(count: int, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    kept = max(LEAST, int(count * rng.uniform(*SHOWN)))
    return np.asarray(rng.permutation(count)[: min(kept, MOST)])


def loss_of(said: Tensor, labels: Tensor) -> Tensor:
    """Return the mean log loss of what is said (…, kinds) where something is known."""
    return F.cross_entropy(said.flatten(0, -2), labels.flatten(), ignore_index=UNKNOWN)


def train(shown: Sequence[Table], settings: Settings, say: Callable[[str], None]) -> ContextNet:
    """Return a network trained on these tables."""
    torch.manual_seed(settings.seed)
    rng, net = np.random.default_rng(settings.seed), ContextNet(len(KINDS))
    colours = np.concatenate([one.colours for one in shown])
    net.middle.copy_(torch.from_numpy(colours.mean(axis=0)))
    net.spread.copy_(torch.from_numpy(colours.std(axis=0) + 1e-3))
    each = len(shown) // settings.batch
    optimiser = torch.optim.AdamW(net.parameters(), settings.rate, weight_decay=settings.decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, settings.rate, total_steps=settings.epochs * each)
    started = time.monotonic()
    for epoch in range(1, settings.epochs + 1):
        net.train()
        total = 0.0
        for some in _batches(shown, settings.batch, rng):
            log_probs, known, labels, missing = batch_of(some, rng)
            loss = loss_of(net(log_probs, known, missing), labels)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total += float(loss.detach())
        say(f"epoch {epoch}/{settings.epochs}  loss {total / each:.4f}  {time.monotonic() - started:.0f} s")
    return net.eval()


def _batches(shown: Sequence[Table], size: int, rng: np.random.Generator) -> Iterator[list[Table]]:
    order = rng.permutation(len(shown))
    for start in range(0, len(shown) - size + 1, size):
        yield [shown[n] for n in order[start : start + size]]


def measured(net: ContextNet, held: Sequence[Table]) -> tuple[float, dict[str, float]]:
    """Return the temperature fitted on tables held out, and the share of the tiles that are wrong there and the log
    loss, of what the cell network says of each alone and of what this one says of all."""
    shown = [(torch.from_numpy(one.log_probs), torch.from_numpy(one.colours)) for one in held]
    labels = torch.cat([torch.from_numpy(one.truth) for one in held])
    known = labels != UNKNOWN
    with torch.inference_mode():
        raw = torch.cat([net(said[None], colours[None])[0] for said, colours in shown])
        fitted = temperature(lambda said: loss_of(said, labels), raw)
        mixed = torch.cat([OfOnePhoto(net, fitted, KINDS)(said, colours) for said, colours in shown])
    rates = {}
    for name, said in (("alone", torch.cat([said for said, _ in shown])), ("in_context", mixed)):
        rates[f"kind_error_{name}"] = float((said.argmax(-1) != labels)[known].double().mean())
        rates[f"log_loss_{name}"] = float(loss_of(said, labels))
    return fitted, rates


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=Path("models"))
    parser.add_argument("--work", type=Path, default=Path(".work"), help="what is seen is kept here")
    parser.add_argument("--workers", type=int, default=2)
    settings, given = parsed(parser, Settings)
    shown = partial(tables, given["data"], given["work"], workers=given["workers"])
    training = shown(first=STREAM, count=settings.scenes, part=0)
    held = shown(first=STREAM + HELD_OUT_TOPS, count=settings.held_out_scenes, part=1)
    started = time.monotonic()
    net = train(training, settings, lambda text: print(text, flush=True))
    fitted, rates = measured(net, held)
    noted = {**asdict(settings), "minutes": round((time.monotonic() - started) / 60, 1)}
    path = export_context(
        net, given["out"] / "context.onnx", kinds=KINDS, temperature=fitted, rates=rates, settings=noted
    )
    results = given["out"] / "results" / f"context-seed{settings.seed}.json"
    results.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(results, f"{json.dumps(noted, indent=1)}\n".encode())
    print(f"temperature {fitted:.3f}; held out {rates}; wrote {path}")


if __name__ == "__main__":
    main()
