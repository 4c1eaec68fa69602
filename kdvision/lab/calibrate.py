"""How far the shipped models can be believed: `python -m kdvision.lab.calibrate`, the last step of `make model`.

Scenes that no training saw go through the whole runtime. From them come the weights with which the cell network and
the finder say together whether there is a tile (a logistic regression), the temperature of whole boards, and the
probability under which a board is shown to a person. All of it is written into cells.onnx.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import onnx
from scipy.optimize import minimize

from kdvision.files import write_whole
from kdvision.game.board import Board
from kdvision.game.deck import KINGDOMINO
from kdvision.lab import scenes, synth
from kdvision.lab.sources import Crops, Workshop
from kdvision.lab.synth import Picture, SeenKingdom
from kdvision.vision import search
from kdvision.vision.cells import CellReader
from kdvision.vision.evidence import finder_odds, search_all, sort_out
from kdvision.vision.finder import Finder
from kdvision.vision.grid import Grid
from kdvision.vision.models import model_path, shipped
from kdvision.vision.photo import Photo
from kdvision.vision.reconstruct import decide

Floats = npt.NDArray[np.float64]

SIZE = 1280
TEMPERATURES = np.exp(np.linspace(np.log(0.5), np.log(8), 60))
STREAM = 2_000_000
"""Seeds of calibration scenes start here, far from those of training and of held-out crops."""


@dataclass(frozen=True)
class Places:
    """All places of one scene's grids: log-odds of a tile from both networks (n, 2), and whether there is one (n,)."""

    odds: Floats
    tile: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Boards:
    """Each kingdom found: the probabilities of the board decided and its rivals, and whether the first is right."""

    chances: tuple[tuple[float, ...], ...]
    right: tuple[bool, ...]
    odd: tuple[bool, ...]


def truth_at(grid: Grid, picture: Picture) -> tuple[list[str], SeenKingdom | None]:
    """Return the kind of cell that lies at each place of a grid ("." nothing, "?" a loose tile), and the kingdom."""
    counts = []
    kinds = ["."] * (grid.rows * grid.cols)
    for kingdom in picture.kingdoms:
        hits = 0
        for square, seen in kingdom.squares.items():
            place = _place(grid, seen.corners.mean(0))
            if place is not None:
                kinds[place] = str(kingdom.board[square])
                hits += 1
        counts.append(hits)
    for quad in picture.loose:
        place = _place(grid, quad.mean(0))
        if place is not None:
            kinds[place] = "?"
    best = int(np.argmax(counts)) if counts and max(counts) > 0 else -1
    return kinds, picture.kingdoms[best] if best >= 0 else None


def _place(grid: Grid, centre: Floats) -> int | None:
    away = np.linalg.norm(grid.quads.mean(axis=2) - centre, axis=-1).reshape(-1)
    side = float(np.median(np.linalg.norm(grid.quads[:, :, 1] - grid.quads[:, :, 0], axis=-1)))
    nearest = int(away.argmin())
    return nearest if away[nearest] < 0.5 * side else None


def same_board(read: Board, kingdom: SeenKingdom) -> bool:
    """Whether a board is the kingdom's, whichever way it was turned."""
    truth = kingdom.board.trimmed()
    return any(read.turned(turn) == truth for turn in range(4))


_workshop: Workshop | None = None


def start(data: Path) -> None:
    global _workshop  # one set of art a worker process
    cv2.setNumThreads(1)
    _workshop = Workshop(data, Crops.load(data / "tiles").split()[1])


def picture_at(seed: int) -> Picture:
    assert _workshop is not None
    rng = np.random.default_rng(seed)
    scene = scenes.deal(rng, kingdoms=int(rng.choice([1, 1, 1, 2, 3, 4])))
    return synth.render(scene, synth.snap(scene, rng, size=SIZE, fill=(0.45, 0.95)), _workshop.mixture(rng), rng)


def places(seed: int) -> Places:
    """Return what both networks say of every place in one scene."""
    picture = picture_at(seed)
    photo, reader = Photo.open(picture.photo), CellReader(shipped("cells", 1))
    odds: list[Floats] = []
    tile: list[bool] = []
    for grid in search.grids(photo, Finder(shipped("finder", 1))):
        kinds, kingdom = truth_at(grid, picture)
        if kingdom is None:
            continue
        seen = reader.look(photo, grid.quads.reshape(-1, 4, 2))
        inside = ((grid.quads.mean(2) > 0) & (grid.quads.mean(2) < (photo.width, photo.height))).all(-1).reshape(-1)
        for k, kind in enumerate(kinds):
            if kind != "?" and inside[k]:
                odds.append(np.array([seen.presence[k], finder_odds(grid)[k]]))
                tile.append(kind != ".")
    return Places(np.array(odds).reshape(-1, 2), np.array(tile, bool))


def boards(seed: int) -> Boards:
    """Return how sure the runtime is of each board of one scene, and whether it is right."""
    return boards_of(picture_at(seed), Finder(shipped("finder", 1)), CellReader(shipped("cells", 1)))


def boards_of(picture: Picture, finder: Finder, reader: CellReader) -> Boards:
    """Return how sure these networks are of each board in a picture, and whether it is right."""
    photo = Photo.open(picture.photo)
    kingdoms, _ = sort_out(search_all(photo, finder, reader))
    decisions = decide([s.reading for s in kingdoms], KINGDOMINO, bonds=[s.bonds for s in kingdoms])
    chances, right, odd = [], [], []
    for sight, decision in zip(kingdoms, decisions, strict=True):
        kingdom = truth_at(sight.grid, picture)[1]
        if kingdom is not None and len(kingdom.squares) < len(kingdom.board):
            continue  # cut off by the picture's edge: no reading of it can be right
        chances.append((decision.probability, *(chance for _, chance in decision.runners_up)))
        right.append(kingdom is not None and same_board(decision.board.trimmed(), kingdom))
        odd.append(not decision.certain(0.0))
    return Boards(tuple(chances), tuple(right), tuple(odd))


def fit_outline(found: Iterable[Places]) -> tuple[Floats, float, float]:
    """Return the weights (cell network, finder, constant), and the error rates without the finder and with it."""
    parts = list(found)
    odds, tile = np.concatenate([part.odds for part in parts]), np.concatenate([part.tile for part in parts])
    features = np.column_stack([odds, np.ones(len(odds))])
    sign = np.where(tile, 1.0, -1.0)

    def loss(weights: Floats) -> float:
        return float(np.logaddexp(0, -sign * (features @ weights)).mean() + 1e-4 * (weights**2).sum())

    weights = np.asarray(minimize(loss, np.array([1.0, 0.5, 0.0]), method="BFGS").x)
    return weights, float(((odds[:, 0] > 0) != tile).mean()), float(((features @ weights > 0) != tile).mean())


def fit_boards(found: Iterable[Boards]) -> tuple[float, list[tuple[float, bool]]]:
    """Return the temperature of whole boards, and (probability, right) of each at it, unless something is odd there."""
    rows = [
        (np.array(chances), right)
        for part in found
        for chances, right, odd in zip(part.chances, part.right, part.odd, strict=True)
        if not odd
    ]

    def at(temperature: float) -> list[tuple[float, bool]]:
        warm = [(np.power(np.maximum(chances, 1e-12), 1 / temperature), right) for chances, right in rows]
        return [(float(chances[0] / chances.sum()), right) for chances, right in warm]

    def loss(temperature: float) -> float:
        return -float(sum(np.log(max(p if right else 1 - p, 1e-4)) for p, right in at(temperature)))

    best = float(TEMPERATURES[int(np.argmin([loss(t) for t in TEMPERATURES]))])
    return best, at(best)


def sure_above(rows: Sequence[tuple[float, bool]], *, wrong: float) -> float:
    """Return the least probability from which on at most a share `wrong` of boards is expected to be wrong.

    One more error counts than was seen (conformal risk control, Angelopoulos et al., 2022), so few boards promise
    little: fewer than 1 / wrong of them promise nothing, and the answer is over 1.
    """
    ranked = sorted(rows, key=lambda row: -row[0])
    errors, threshold = 0, 1.1
    for n, (chance, right) in enumerate(ranked, 1):
        errors += not right
        last_of_its_chance = n == len(ranked) or ranked[n][0] < chance
        if last_of_its_chance and (errors + 1) / (n + 1) <= wrong:
            threshold = chance
    return threshold


def as_csv(found: Iterable[Boards], temperature: float) -> str:
    """A line a board: its probability, whether it was right, and whether something about it was odd."""
    lines = ["probability,right,odd"]
    for part in found:
        for chances, right, odd in zip(part.chances, part.right, part.odd, strict=True):
            warm = np.power(np.maximum(np.array(chances), 1e-12), 1 / temperature)
            lines.append(f"{warm[0] / warm.sum():.6f},{int(right)},{int(odd)}")
    return "\n".join(lines) + "\n"


def write(path: Path, **about: object) -> None:
    """Add to what a model file says of itself; the file is replaced whole."""
    model = onnx.load(path)
    for key, value in about.items():
        for entry in [entry for entry in model.metadata_props if entry.key == key]:
            model.metadata_props.remove(entry)
        added = model.metadata_props.add()
        added.key, added.value = key, json.dumps(value)
    draft = path.with_suffix(".part")
    onnx.save(model, draft)
    draft.replace(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--scenes", type=int, default=600, help="scenes for whole boards")
    parser.add_argument("--outline-scenes", type=int, default=120)
    parser.add_argument("--csv", type=Path, help="write each board's probability, and whether it was right, here")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    path = model_path("cells")
    with get_context("spawn").Pool(given.workers, start, (given.data,)) as pool:
        weights, alone, both = fit_outline(pool.imap(places, range(STREAM, STREAM + given.outline_scenes), chunksize=4))
    print(f"outline {weights.round(3).tolist()}: wrong {alone:.4f} with the cell network alone, {both:.4f} with both")
    write(path, outline=[round(float(w), 4) for w in weights], outline_wrong={"cells": alone, "both": both})
    with get_context("spawn").Pool(given.workers, start, (given.data,)) as pool:
        found = list(pool.imap(boards, range(2 * STREAM, 2 * STREAM + given.scenes), chunksize=4))
    temperature, rows = fit_boards(found)
    sure = sure_above(rows, wrong=1 / 200)
    right = sum(ok for _, ok in rows)
    print(
        f"boards: {right} of {len(rows)} right without problems; temperature {temperature:.2f}; sure above {sure:.4f}"
    )
    if given.csv:
        write_whole(given.csv, as_csv(found, temperature).encode())
    write(path, boards={"temperature": temperature, "sure": sure, "measured": len(rows), "right": right})


if __name__ == "__main__":
    main()
