"""Training of the player colour classifier: a softmax regression on rendered castle squares in every colour.

The squares show starting tiles and castles under many lights, small and large. Real photos are never trained on. The
weights are written to `kdvision/vision/classify/player_colour.json`.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression

from kdvision.files import write_atomically
from kdvision.lab.arrays import Bytes, Floats, Rng
from kdvision.lab.games.layout import Piece, Scene
from kdvision.lab.render import renderer, scenes
from kdvision.lab.render.art.folder_art import SOURCES, FolderArt
from kdvision.lab.render.art.scene_art import TRAINING_BOX_COUNT, get_drawn_box, make_piece_mesh
from kdvision.lab.render.drawn.tiles import DrawnArt
from kdvision.lab.render.objects import meshes
from kdvision.lab.render.raster import Mesh
from kdvision.lab.run import PACKAGE, Run
from kdvision.vision.classify.player_colour import WEIGHTS, PlayerColourClassifier, compute_colour_features, standardise
from kdvision.vision.networks.cells import prepare_crops

COLOURS = tuple(meshes.COLOURS)
"""The colours of the games without expansions."""
MIN_PRECISION: Final = 0.98
"""Least precision of the reported colours on held-out squares."""
PHOTO_SIZE_PIXELS: Final = 300
SEED: Final = 12
PICTURES: Final = 1800
RIDGE: Final = 0.001
"""Weight of the squared coefficients beside the mean log loss."""


@dataclass(frozen=True)
class ColouredArt:
    """Art in which castle and starting tile have exactly the colour of the player."""

    art: DrawnArt | FolderArt
    box: DrawnArt
    castles: Sequence[Mesh]
    scraps: Sequence[Bytes] = ()

    def draw_tile(self, kind: str, name: int | str, rng: Rng) -> Bytes:  # noqa: ARG002
        """Return the picture of a tile; castles in colours that are not printed are drawn."""
        is_drawn = kind == "castle" and name not in scenes.COLOURS
        return (self.box if is_drawn else self.art).draw_tile(kind, name)

    def build_mesh(self, kind: str, colour: str, rng: Rng) -> Mesh:
        if kind == "castle" and rng.random() < 0.4:
            return self.castles[COLOURS.index(colour)]
        return make_piece_mesh(kind, colour, rng)


def train_player_colour(run: Run) -> None:
    """Render castle squares, fit the weights, print their accuracy on every fourth square, and write them.

    The runtime's own file is replaced by a training of the shipped models alone.
    """
    squares = [square for square in run.map(partial(render_square, data=run.data), range(PICTURES)) if square]
    crops, colours, has_castle = (np.array(column) for column in zip(*squares, strict=True))
    held_out = np.arange(len(squares)) % 4 == 0
    classifier = fit_player_colour(crops[~held_out], colours[~held_out])
    probabilities = np.array([classifier.compute_probabilities(crop) for crop in crops[held_out]])
    is_right, probability = probabilities.argmax(axis=1) == colours[held_out], probabilities.max(axis=1)
    threshold = choose_threshold(is_right, probability)
    has_castle = has_castle[held_out]
    for name, group in (("all", np.ones_like(is_right)), ("tile", ~has_castle), ("castle", has_castle)):
        reported_right = is_right[group & (probability >= threshold)]
        shares = f"reported {len(reported_right) / group.sum():.1%}, of which right {reported_right.mean():.1%}"
        print(f"{name}: {is_right[group].mean():.1%} right; {shares}")
    trains_shipped = run.models.resolve() == PACKAGE.parent / "models"
    path = WEIGHTS if trains_shipped else run.models / WEIGHTS.name
    write_classifier(classifier._replace(threshold=threshold), path)


def write_classifier(classifier: PlayerColourClassifier, path: Path) -> None:
    """Write a classifier to the JSON file that the runtime reads."""
    parameters = {"colours": classifier.colours, "sure": classifier.threshold, "seed": SEED, "pictures": PICTURES}
    arrays = {"usual": classifier.mean, "spread": classifier.scale, "weights": classifier.weights}
    parameters |= {name: array.tolist() for name, array in arrays.items()}
    write_atomically(path, f"{json.dumps(parameters)}\n".encode())


@cache
def load_art(data: Path) -> list[ColouredArt]:
    """Return every combination of scanned and drawn art; loaded once per process."""
    cv2.setNumThreads(1)
    castles = meshes.load_models(data / "castle_3d")["castle"]
    boxes = [get_drawn_box(seed) for seed in range(TRAINING_BOX_COUNT)]
    scanned_art = [FolderArt(data, source) for source in SOURCES]
    mixed_art = [ColouredArt(art, box, castles) for art in scanned_art for box in boxes]
    return [*mixed_art, *(ColouredArt(box, box, castles) for box in boxes)]


def render_square(number: int, *, data: Path) -> tuple[Bytes, int, bool] | None:
    """Return a castle square's crop, the index of its colour and whether a castle is on it; None if it is cut."""
    rng, art = np.random.default_rng((SEED, number)), load_art(data)
    index = int(rng.integers(len(COLOURS)))
    has_castle = bool(rng.random() < 0.45)
    scene = deal_kingdom(rng, COLOURS[index], has_castle)
    camera = renderer.place_camera(scene, rng, size=PHOTO_SIZE_PIXELS, fill=(0.35, 1.0))
    picture = renderer.render(scene, camera, art[int(rng.integers(len(art)))], rng)
    (kingdom,) = picture.kingdoms
    castle = next(square for square, cell in kingdom.board.items() if str(cell) == "#")
    if castle not in kingdom.squares:
        return None
    corners = kingdom.squares[castle].corners
    side = float(np.linalg.norm(corners[2] - corners[0])) / np.sqrt(2)
    jittered_corners = corners + rng.normal(0, 0.04 * side, (4, 2))
    return prepare_crops(picture.photo, jittered_corners[None])[0], index, has_castle


def deal_kingdom(rng: Rng, colour: str, has_castle: bool) -> Scene:
    """Return a table with a small kingdom of one colour."""
    scene = scenes.make_scene(rng, kingdoms=1, side=5, is_finished=False)
    number = next(n for n, tile in enumerate(scene.tiles) if tile.kind == "castle")
    start = scene.tiles[number] = replace(scene.tiles[number], name=colour)
    for piece in list(scene.pieces):
        if piece.kind == "castle" and np.linalg.norm(np.subtract(piece.at, start.centre)) < 0.7:
            scene.pieces.remove(piece)
    if has_castle:
        x, y = np.array(start.centre) + rng.normal(0, 0.06, 2)
        castle = Piece("castle", colour, (float(x), float(y)), rng.uniform(0, 6.3), rng.uniform(0.85, 1.05))
        scene.pieces.append(castle)
    return scene


def fit_player_colour(crops: Bytes, colours: npt.NDArray[np.int64]) -> PlayerColourClassifier:
    """Return the classifier fitted to crops (n, 64, 64, 3) of castle squares and the index of each colour (n,)."""
    features = np.array([compute_colour_features(crop) for crop in crops])
    mean, deviation = features.mean(axis=0).round(4), features.std(axis=0).round(4) + 1e-4
    design = standardise(features, mean, deviation)
    model = LogisticRegression(C=1 / (2 * RIDGE * len(design)), fit_intercept=False, tol=1e-8, max_iter=10_000)
    weights = model.fit(design, colours).coef_.T.round(4)
    return PlayerColourClassifier(COLOURS, mean, deviation, weights, threshold=0.0)  # every square has a colour


def choose_threshold(is_right: npt.NDArray[np.bool_], probability: Floats) -> float:
    """Return the least probability, in steps of 0.01 from 0.5, above which the precision is MIN_PRECISION."""
    for threshold in np.arange(0.5, float(probability.max()), 0.01):
        if is_right[probability >= threshold].mean() >= MIN_PRECISION:
            return round(float(threshold), 2)
    return 1.0
