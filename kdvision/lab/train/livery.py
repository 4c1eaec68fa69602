"""How players' colours are told apart: weights for `kdvision.vision.classify.player_colour`, from rendered castle squares.

    python -m kdvision.lab.train.livery ../shared/data

renders squares (starting tiles and castles in every colour, under many lights, small and large), fits the weights, says
how often they are right on squares held out, and writes them. Real photos are never trained on.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from kdvision.files import write_atomically
from kdvision.game.players import COLOURS
from kdvision.lab.games.layout import Piece, Scene, Tile
from kdvision.lab.render import renderer, scenes
from kdvision.lab.render.art.folder_art import FolderArt
from kdvision.lab.render.art.scene_art import TRAINING_BOX_COUNT, DrawnSceneArt, get_drawn_box, make_piece_mesh
from kdvision.lab.render.objects.meshes import Mesh, load_models
from kdvision.vision.classify.player_colour import FAR, WEIGHTS, PlayerColourClassifier, compute_colour_features
from kdvision.vision.networks.cells import log_softmax, prepare_crops

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

PRINTED = ("blue", "green", "pink", "yellow")
"""The colours of Kingdomino's own starting tiles; the others are drawn."""
PRECISE = 0.98
"""Of the colours told, at least so many are to be right on squares held out."""
SIZE = 300
"""Pixels along the longer side of the pictures."""


@dataclass(frozen=True)
class Dressed:
    """Art in which castle and starting tile have the colour they are called by; the rest comes from one set."""

    rest: FolderArt
    source: str
    box: DrawnSceneArt
    castles: Sequence[Mesh]

    def tile(self, kind: str, name: int | str, rng: np.random.Generator) -> Bytes:
        """Return a domino or a back (h, 2h, 3), or a castle tile (h, h, 3)."""
        if self.source == "drawn" or (kind == "castle" and name not in PRINTED):
            return self.box.tile(kind, name, rng)
        if kind == "castle":
            return self.rest.castle(str(name), self.source)
        return self.rest.back(int(name)) if kind == "back" else self.rest.domino(int(name), self.source)

    def mesh(self, kind: str, colour: str, rng: np.random.Generator) -> Mesh:
        """Return a piece; castles in just this colour."""
        if kind == "castle" and self.castles and rng.random() < 0.4:
            return self.castles[COLOURS.index(colour)]
        return make_piece_mesh(kind, colour, rng)

    def scraps(self) -> Sequence[Bytes]:
        """Return no surfaces: tables are made from noise."""
        return ()


@dataclass(frozen=True)
class Squares:
    """Crops (n, 64, 64, 3) of castle squares, and for each its colour and whether a castle stands on it."""

    crops: Bytes
    colour: npt.NDArray[np.int64]
    standing: npt.NDArray[np.bool_]

    def part(self, chosen: npt.NDArray[np.bool_]) -> Squares:
        """Return some of the squares."""
        return Squares(self.crops[chosen], self.colour[chosen], self.standing[chosen])

    def compute_colour_features(self) -> Floats:
        """Return what is measured of each crop (n, features)."""
        return np.array([compute_colour_features(crop) for crop in self.crops])


def wardrobe(folder: Path) -> list[Dressed]:
    """Return all sets of art of a folder, and our own drawn ones."""
    rest = FolderArt(folder)
    castles = load_models(folder / "castle_3d")["castle"] if (folder / "castle_3d").is_dir() else ()
    boxes = [DrawnSceneArt(get_drawn_box(seed)) for seed in range(TRAINING_BOX_COUNT)]
    sources = [*rest.sources(), "drawn"]
    return [Dressed(rest, source, box, castles) for source in sources for box in boxes]


def square(rng: np.random.Generator, art: Sequence[Dressed]) -> tuple[Bytes, int, bool] | None:
    """Return the crop of a castle's square in a rendered picture, its colour's number, and whether a castle stands."""
    number = int(rng.integers(len(COLOURS)))
    colour, standing = COLOURS[number], bool(rng.random() < 0.45)
    scene = _dealt(rng, colour, standing)
    camera = renderer.place_camera(scene, rng, size=SIZE, fill=(0.35, 1.0))
    picture = renderer.render(scene, camera, art[int(rng.integers(len(art)))], rng)
    (kingdom,) = picture.kingdoms
    place = next(place for place, cell in kingdom.board.items() if str(cell) == "#")
    if place not in kingdom.squares:
        return None
    corners = kingdom.squares[place].corners
    side = float(np.linalg.norm(corners[2] - corners[0])) / np.sqrt(2)
    return prepare_crops(picture.photo, (corners + rng.normal(0, 0.04 * side, (4, 2)))[None])[0], number, standing


def _dealt(rng: np.random.Generator, colour: str, standing: bool) -> Scene:
    """A table with a small kingdom of one colour."""
    scene = scenes.make_scene(rng, kingdoms=1, side=5, finished=False)
    castle = next(tile for tile in scene.tiles if tile.kind == "castle")
    tiles = [Tile("castle", colour, t.centre, t.turn) if t is castle else t for t in scene.tiles]
    pieces = [piece for piece in scene.pieces if not (piece.kind == "castle" and _near(piece, castle.centre))]
    if standing:
        x, y = np.array(castle.centre) + rng.normal(0, 0.06, 2)
        pieces.append(Piece("castle", colour, (float(x), float(y)), rng.uniform(0, 6.3), rng.uniform(0.85, 1.05)))
    return Scene(scene.kingdoms, tiles, pieces, scene.loose)


def _near(piece: Piece, spot: tuple[float, float]) -> bool:
    return bool(np.linalg.norm(np.array(piece.at) - spot) < 0.7)


def squares(folder: Path, count: int, seed: int) -> Squares:
    """Return so many rendered castle squares; equal seeds give equal ones."""
    art, found = wardrobe(folder), []
    for number in range(count):
        made = square(np.random.default_rng((seed, number)), art)
        if made is not None:
            found.append(made)
        if number % 100 == 99:
            print(f"{number + 1} pictures", flush=True)
    crops, colour, standing = zip(*found, strict=True)
    return Squares(np.array(crops), np.array(colour, np.int64), np.array(standing, bool))


def fit(seen: Squares, *, ridge: float = 0.001, sure: float = 0.9) -> PlayerColourClassifier:
    """Return the livery that makes the true colours likeliest, large weights at a price."""
    measured = seen.compute_colour_features()
    usual, spread = measured.mean(axis=0).round(4), measured.std(axis=0).round(4) + 1e-4
    inputs = np.column_stack([np.clip((measured - usual) / spread, -FAR, FAR), np.ones(len(measured))])
    wanted = np.eye(len(COLOURS))[seen.colour]

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(inputs.shape[1], len(COLOURS))
        logs = log_softmax(inputs @ weights)
        slope = inputs.T @ (np.exp(logs) - wanted) / len(inputs) + 2 * ridge * weights
        return -float((logs * wanted).sum()) / len(inputs) + ridge * float((weights**2).sum()), slope.ravel()

    found = minimize(loss, np.zeros(inputs.shape[1] * len(COLOURS)), jac=True, method="L-BFGS-B")
    weights = found.x.reshape(inputs.shape[1], len(COLOURS)).round(4)
    return PlayerColourClassifier(COLOURS, usual, spread, weights, sure)


def told(seen: Squares, livery: PlayerColourClassifier) -> tuple[npt.NDArray[np.bool_], Floats]:
    """Return for each square whether its likeliest colour is right, and that colour's probability."""
    chances = np.array([livery.chances(crop) for crop in seen.crops])
    return chances.argmax(axis=1) == seen.colour, chances.max(axis=1)


def threshold(right: npt.NDArray[np.bool_], chance: Floats) -> float:
    """Return the probability from which colours are told, so that they are as precise as they are to be."""
    for sure in np.arange(0.5, float(chance.max()), 0.01):
        if right[chance >= sure].mean() >= PRECISE:
            return round(float(sure), 2)
    return 1.0


def main(arguments: Sequence[str] | None = None) -> None:
    """Render, fit, say how good it is, write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the pictures of tiles and pieces")
    parser.add_argument("--count", type=int, default=1800)
    parser.add_argument("--seed", type=int, default=12)
    given = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    seen = squares(given.folder, given.count, given.seed)
    held = np.arange(len(seen.colour)) % 4 == 0
    livery = fit(seen.part(~held))
    right, chance = told(seen.part(held), livery)
    sure = threshold(right, chance)
    standing = seen.standing[held]
    for name, which in (("all", right | ~right), ("tile", ~standing), ("castle", standing)):
        certain = which & (chance >= sure)
        print(
            f"{name}: {right[which].mean():.3f} right; told {certain.sum() / which.sum():.3f}, of those right ", end=""
        )
        print(f"{right[certain].mean():.3f}")
    arrays = {name: getattr(livery, name).tolist() for name in ("usual", "spread", "weights")}
    about = {"colours": livery.colours, "sure": sure, "seed": given.seed, "pictures": given.count, **arrays}
    write_atomically(WEIGHTS, (json.dumps(about) + "\n").encode())


if __name__ == "__main__":
    main()
