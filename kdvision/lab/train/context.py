"""Training of the context network (context.onnx), which re-scores each tile by the other tiles of its photo.

Rendered tables go through the runtime, and the network learns from the tiles of the kingdoms that the other networks
find there. Nothing else is trained or measured on these drawn boxes; half of the scenes have hard light. Each epoch
shows a random part of the tiles of each photo, so that the network reads few tiles as well as many.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

from kdvision.lab.arrays import Floats32, Rng
from kdvision.lab.calibrate.scenes import digest_observer, find_truth, render_random_scene
from kdvision.lab.render.art.art_mix import load_art_mix
from kdvision.lab.render.renderer import Picture
from kdvision.lab.run import Run
from kdvision.lab.train.examples import TILE_KINDS
from kdvision.lab.train.export import export_context
from kdvision.lab.train.fitting import Cycle, fit_temperature, run_steps
from kdvision.lab.train.networks import COLOUR_FEATURES, ContextForPhoto, ContextNet
from kdvision.vision.assess.kingdom import split_kingdoms
from kdvision.vision.classify.context import TileFeatures
from kdvision.vision.find import Networks, find_kingdoms
from kdvision.vision.image.photo import Photo

KINDS: Final = tuple(kind for kind in TILE_KINDS if kind != "t")
"""Kinds that the network re-scores. Rendered tables of Kingdomino have no towns, so these keep their probability."""
TRAINING_SEED, TRAINING_SCENES = 9_200_000, 7000
HELD_OUT_SEED, HELD_OUT_SCENES = 9_290_000, 400
TRAINING_BOXES, HELD_OUT_BOXES = range(300, 332), range(332, 340)
"""Boxes of drawn tiles."""
DRAWN_SHARE: Final = 0.3
IGNORED_LABEL: Final = -100
"""Label of a false tile: it is part of the input, and its output is not scored."""
MIN_TILES, MAX_TILES = 4, 110
"""Range of the tiles of a photo; four kingdoms of 25 squares have a hundred."""
SHOWN_SHARE: Final = (0.3, 1.0)
"""Range of the share of a photo's tiles that one epoch shows."""
SEED: Final = 1
EPOCHS: Final = 32
BATCH: Final = 16
LEARNING_RATE: Final = 1e-3
WEIGHT_DECAY: Final = 0.05


@dataclass(frozen=True)
class LabelledTiles:
    """The tiles of the kingdoms of one photo: features as in `TileFeatures`, and the index of each true kind (n,)."""

    log_probs: Floats32
    colours: Floats32
    labels: npt.NDArray[np.int64]


def train_context(run: Run) -> None:
    """Collect the tiles, train the network, measure it on held-out scenes, and write context.onnx."""
    training = load_tiles(run, TRAINING_SEED, TRAINING_SCENES)
    held_out = load_tiles(run, HELD_OUT_SEED, HELD_OUT_SCENES, held_out=True)
    start_time = time.monotonic()
    net = fit_context(training)
    temperature, rates = measure_context(net, held_out)
    print(f"temperature {temperature:.3f}; held-out figures {rates}", flush=True)
    counts = {"scenes": TRAINING_SCENES, "held_out_scenes": HELD_OUT_SCENES, "epochs": EPOCHS}
    settings = {"seed": SEED, **counts, "minutes": round((time.monotonic() - start_time) / 60, 1)}
    path = run.models / "context.onnx"
    export_context(net, path, kinds=KINDS, temperature=temperature, held_out=rates, settings=settings)


def collect_scene(seed: int, *, data: Path, held_out: bool) -> LabelledTiles:
    """Return the tiles of one rendered scene; odd seeds have hard light."""
    boxes = HELD_OUT_BOXES if held_out else TRAINING_BOXES
    art = load_art_mix(data, held_out=held_out)
    hard_light = bool(seed % 2)
    return collect_tiles(render_random_scene(seed, art, drawn_share=DRAWN_SHARE, boxes=boxes, hard_light=hard_light))


def collect_tiles(picture: Picture) -> LabelledTiles:
    """Return the tiles of the kingdoms that the detector and the cell classifier find in a picture."""
    photo = Photo.open(picture.photo)
    observations = find_kingdoms(photo, replace(Networks.load(), context=None))
    kingdom_tiles = [(np.zeros((0, len(KINDS))), np.zeros((0, COLOUR_FEATURES)), np.zeros(0, np.int64))]
    for observation in split_kingdoms(observations)[0]:
        kinds, kingdom = find_truth(observation.grid, picture)
        if kingdom is not None:
            tiles = TileFeatures.of(photo, observation, KINDS)
            tile_labels = [KINDS.index(kinds[n]) if kinds[n] in KINDS else IGNORED_LABEL for n in tiles.cells.tolist()]
            kingdom_tiles.append((tiles.log_probs, tiles.colours, np.array(tile_labels, np.int64)))
    log_probs, colours, labels = (np.concatenate(column) for column in zip(*kingdom_tiles, strict=True))
    return LabelledTiles(log_probs.astype(np.float32), colours.astype(np.float32), labels)


def load_tiles(run: Run, first_seed: int, count: int, *, held_out: bool = False) -> list[LabelledTiles]:
    """Return the tiles of many scenes, from the work folder if the same networks and program collected them before."""
    folder = run.work / f"tiles-{digest_observer('calibration', networks=('detector', 'cells'))}-{first_seed}"
    collect = partial(collect_scene, data=run.data, held_out=held_out)
    photos = run.map_saved(collect, range(first_seed, first_seed + count), folder)
    return [photo for photo in photos if len(photo.labels) >= MIN_TILES]


def make_batch(photos: Sequence[LabelledTiles], rng: Rng | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return log-probabilities, colours, labels and padding mask (batch, n, …); with `rng`, of a part of the tiles."""
    photo_tensors = []
    for photo in photos:
        indices = np.arange(count := len(photo.labels))
        if rng is not None:
            shown_count = max(MIN_TILES, int(count * rng.uniform(*SHOWN_SHARE)))
            indices = rng.permutation(count)[: min(shown_count, MAX_TILES)]
        photo_tensors.append([torch.from_numpy(x[indices]) for x in (photo.log_probs, photo.colours, photo.labels)])
    log_probs, colours = (pad_sequence([tensors[n] for tensors in photo_tensors], True) for n in (0, 1))
    labels = [tensors[2] for tensors in photo_tensors]
    is_padding = pad_sequence(
        [torch.zeros(len(tile_labels), dtype=torch.bool) for tile_labels in labels], True, padding_value=True
    )
    return log_probs, colours, pad_sequence(labels, True, IGNORED_LABEL), is_padding


def compute_log_loss(log_probs: Tensor, labels: Tensor) -> Tensor:
    """Return the mean log loss of log-probabilities (…, kinds) on the tiles with a label."""
    return F.cross_entropy(log_probs.flatten(0, -2), labels.flatten(), ignore_index=IGNORED_LABEL)


def fit_context(
    photos: Sequence[LabelledTiles], *, epochs: int = EPOCHS, batch: int = BATCH, learning_rate: float = LEARNING_RATE
) -> ContextNet:
    torch.manual_seed(SEED)
    rng, net = np.random.default_rng(SEED), ContextNet(len(KINDS))
    colours = np.concatenate([photo.colours for photo in photos])
    net.colour_mean.copy_(torch.from_numpy(colours.mean(axis=0)))
    net.colour_deviation.copy_(torch.from_numpy(colours.std(axis=0) + 1e-3))
    collate = partial(make_batch, rng=rng)
    batches: DataLoader[Any] = DataLoader(photos, batch, shuffle=True, drop_last=True, collate_fn=collate)  # type: ignore[arg-type]

    def compute_loss(log_probs: Tensor, colour: Tensor, labels: Tensor, is_padding: Tensor) -> Tensor:
        return compute_log_loss(net(log_probs, colour, is_padding), labels)

    cycle = Cycle(epochs * len(batches), learning_rate, WEIGHT_DECAY, max_norm=1.0, warm_up=0.3)
    run_steps(net, (tensors for _ in range(epochs) for tensors in batches), compute_loss, cycle)
    return net.eval()


def measure_context(net: ContextNet, photos: Sequence[LabelledTiles]) -> tuple[float, dict[str, float]]:
    """Return the temperature fitted on held-out photos, and the error rates and log losses alone and in context."""
    inputs = [(torch.from_numpy(photo.log_probs), torch.from_numpy(photo.colours)) for photo in photos]
    labels = torch.cat([torch.from_numpy(photo.labels) for photo in photos])
    has_label = labels != IGNORED_LABEL
    with torch.inference_mode():
        raw_log_probs = torch.cat([net(log_probs[None], colours[None])[0] for log_probs, colours in inputs])
        temperature = fit_temperature(lambda log_probs: compute_log_loss(log_probs, labels), raw_log_probs)
        runtime = ContextForPhoto(net, temperature, KINDS)
        in_context = torch.cat([runtime(log_probs, colours) for log_probs, colours in inputs])
    rates = {}
    for name, log_probs in (("alone", torch.cat([log_probs for log_probs, _ in inputs])), ("in_context", in_context)):
        rates[f"kind_error_{name}"] = float((log_probs.argmax(-1) != labels)[has_label].double().mean())
        rates[f"log_loss_{name}"] = float(compute_log_loss(log_probs, labels))
    return temperature, rates
