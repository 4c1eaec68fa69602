"""The glare network, trained and weighed: `python -m kdvision.lab.glare`, part of `make model`.

It learns from places of rendered tables on which kingdoms have gaps, tiles and bare places in equal numbers, each with
a lamp over it that leaves the place white. Then what it says is weighed with what finder and cell network say, by
logistic regression on the white places of other tables. Everything random comes from the seed, as in
`kdvision.lab.train`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional as F
from torch.utils.data import Dataset

from kdvision.lab import rehearsal
from kdvision.lab.batches import batches
from kdvision.lab.calibrate import regressed, write
from kdvision.lab.examples import PIECES, TILE_KINDS, SceneExample, bare_places, spoil
from kdvision.lab.export import export_glare
from kdvision.lab.light import dazzle
from kdvision.lab.net import CellNet, GlareNet
from kdvision.lab.options import parsed
from kdvision.lab.rehearsal import Places
from kdvision.lab.targets import moved, retouched
from kdvision.lab.train import Say, fit, merged, scenes_of, tell
from kdvision.lab.train import Settings as Course
from kdvision.lab.weights import loaded
from kdvision.vision.cells import CROP, prepare
from kdvision.vision.evidence import outline
from kdvision.vision.glare import ALONE, INNER, evidence
from kdvision.vision.models import model_path, shipped
from kdvision.vision.tabletop import INNER as SEEN
from kdvision.vision.tabletop import WHITE

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

TRIES: Final = 6
"""So many lamps are tried on a crop until its place is white."""
HELD_OUT: Final = 1_000_000
"""Seeds of scenes that are held out lie so far above those of training."""
STREAM: Final = 20 * rehearsal.STREAM
"""Seeds of the scenes that the weights are fitted on start here; each second one is for measuring."""


@dataclass(frozen=True)
class Settings:
    """One training run; written into the model's file."""

    seed: int = 1
    scene_seed: int = 4
    scenes: int = 1600
    held_out_scenes: int = 200
    places: int = 14
    steps: int = 6000
    batch: int = 64
    rate: float = 6e-4
    decay: float = 0.02
    fit_scenes: int = 600


@dataclass(frozen=True)
class WhiteExamples:
    """Crops (n, 64, 64, 3) of places before a lamp shines on them, and whether each is a tile (n,)."""

    crops: Bytes
    tile: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, scenes: Iterable[SceneExample], *, places: int, seed: int) -> WhiteExamples:
        """Return of each scene so many tiles and so many bare places, rather such amid tiles."""
        crops, tile = [np.zeros((0, CROP, CROP, 3), np.uint8)], [np.zeros(0, bool)]
        for number, scene in enumerate(scenes):
            rng, photo, quads = np.random.default_rng((seed, 43, number)), scene.photo(), scene.quads.astype(np.float64)
            if not len(quads):
                continue
            bare, near = bare_places(quads)
            order = np.argsort(-(near + rng.random(len(near))))
            for some, is_tile in ((quads[rng.permutation(len(quads))], True), (bare[order], False)):
                inside = ((some.mean(1) > 0) & (some.mean(1) < photo.shape[1::-1])).all(-1)
                chosen = some[inside][:places]
                crops += [prepare(photo, quad[None], inner=INNER) for quad in chosen]
                tile.append(np.full(len(chosen), is_tile))
        return cls(np.concatenate(crops), np.concatenate(tile))


def is_white(crop: Bytes) -> bool:
    """Return whether the place in the middle of a crop is as white as `Tabletop` asks."""
    reach = round(SEEN * INNER / 2)
    inner = crop[CROP // 2 - reach : CROP // 2 + reach, CROP // 2 - reach : CROP // 2 + reach]
    lab = cv2.cvtColor(inner.astype(np.float32) / 255, cv2.COLOR_RGB2LAB)
    return bool(np.median(lab[..., 0]) > WHITE)


def dazzled(crop: Bytes, rng: np.random.Generator) -> Bytes:
    """Return the crop turned, moved and in another tone, under lamps that leave its place white, if some of them do."""
    turned = np.rot90(crop, int(rng.integers(4)))
    view = retouched(moved(turned[:, ::-1] if rng.random() < 0.5 else turned, rng), rng)
    lit = view
    for _ in range(TRIES):
        if is_white(lit):
            break
        lit = dazzle(view, INNER, np.full((2, 2), CROP / 2), rng)
    return spoil(lit, rng) if rng.random() < 0.3 else lit


class WhiteBatches(Dataset[tuple[Tensor, Tensor]]):
    """Whole batches of white places, every other one a tile; batch number n is always the same one."""

    def __init__(self, examples: WhiteExamples, *, seed: int, length: int, batch: int) -> None:
        self.crops, self.seed, self.length, self.batch = examples.crops, seed, length, batch
        self.groups = [np.flatnonzero(examples.tile == tile) for tile in (False, True)]

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, n: int) -> tuple[Tensor, Tensor]:
        rng, tile = np.random.default_rng((self.seed, 47, n)), np.arange(self.batch) % 2
        picks = [self.groups[one][rng.integers(len(self.groups[one]))] for one in tile]
        crops = np.stack([dazzled(self.crops[pick], rng) for pick in picks])
        return torch.from_numpy(crops.transpose(0, 3, 1, 2).copy()), torch.from_numpy(tile.astype(np.float32))


def loss_of(said: Tensor, tile: Tensor) -> Tensor:
    """Return the loss of log-odds (n, 1) where tiles lie or not (n,)."""
    return F.binary_cross_entropy_with_logits(said[:, 0], tile)


def train(examples: WhiteExamples, settings: Settings, cells: CellNet, say: Say) -> GlareNet:
    """Return a network trained on these places, on from a cell network."""
    torch.manual_seed(settings.seed)
    data = WhiteBatches(examples, seed=settings.seed, length=settings.steps, batch=settings.batch)
    course = Course(seed=settings.seed, rate=settings.rate, decay=settings.decay)
    net = fit(GlareNet(cells), batches(data, batch=None), loss_of, steps=settings.steps, settings=course, say=say)
    assert isinstance(net, GlareNet)
    return net


def measured(net: GlareNet, examples: WhiteExamples, *, seed: int, count: int = 60) -> dict[str, float]:
    """Return how often the network is wrong of white places that it was not shown: of tiles, and of bare ones."""
    data = WhiteBatches(examples, seed=seed, length=count, batch=64)
    wrong: list[npt.NDArray[np.bool_]] = []
    with torch.inference_mode():
        for n in range(count):
            crops, tile = data[n]
            wrong.append((((net(crops.float() / 255)[:, 0] > 0) != (tile > 0)).numpy()).reshape(-1, 2))
    bare, tiles = np.concatenate(wrong).mean(axis=0)
    return {"tiles_missed": float(tiles), "tiles_invented": float(bare)}


def weighed(found: Iterable[Places], about: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the model's file says of its weights: fitted on every other scene, measured on the rest.

    `about` is what the cell network's file says of its own.
    """
    parts = list(found)
    fitted, kept = (Places.join(parts[start::2]) for start in (0, 1))
    weights = np.array(regressed(_evidence(fitted)[:, :-1], fitted.tile, np.array(ALONE)))
    nowhere = np.full((len(kept.tile), 1), np.nan)  # of a white place no colour is known
    odds = {
        "without": outline(np.column_stack([kept.said[:, 1:], nowhere]), about),
        "alone": kept.said[:, 0],
        "all": _evidence(kept) @ weights,
    }
    wrong = {name: float(((each > 0) != kept.tile).mean()) for name, each in odds.items()}
    return {"under_lamps": weights.tolist(), "under_lamps_wrong": {"places": len(kept.tile), **wrong}}


def _evidence(places: Places) -> Floats:
    return evidence(places.said[:, 0], places.said[:, 1:])


def learnt(given: Mapping[str, Any], settings: Settings, path: Path) -> None:
    """Train the network and write it."""
    shown = partial(scenes_of, given["data"], given["work"], world="shiny", say=_say)
    of = partial(WhiteExamples.of, places=settings.places, seed=settings.seed)
    examples, started = of(shown(seed=settings.scene_seed, count=settings.scenes)), time.monotonic()
    cells = loaded(merged(CellNet(len(TILE_KINDS), len(PIECES))), model_path("cells"))
    net = train(examples, settings, cells, _say)
    noted = {**asdict(settings), "minutes": round((time.monotonic() - started) / 60, 1)}
    held = of(shown(seed=HELD_OUT + settings.scene_seed, count=settings.held_out_scenes))
    rates = measured(net, held, seed=settings.seed + 1)
    export_glare(net, path, rates=rates, settings=noted)
    tell(path.parent, "glare", noted)
    _say(f"held out {rates}; wrote {path}")


def _say(text: str) -> None:
    print(text, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=Path("models"))
    parser.add_argument("--work", type=Path, default=Path(".work"), help="rendered scenes are kept here")
    parser.add_argument("--weights-only", action="store_true", help="leave the network there as it is, weigh it anew")
    parser.add_argument("--workers", type=int, default=2)
    settings, given = parsed(parser, Settings)
    path = given["out"] / "glare.onnx"
    if not given["weights_only"]:
        learnt(given, settings, path)
    white = partial(rehearsal.white_places, model=path)
    with get_context("spawn").Pool(given["workers"], rehearsal.start, (given["data"],)) as pool:
        found = list(pool.imap(white, range(STREAM, STREAM + settings.fit_scenes), chunksize=4))
    about = weighed(found, shipped("cells", 1).about)
    write(path, **about)
    _say(f"{about}")


if __name__ == "__main__":
    main()
