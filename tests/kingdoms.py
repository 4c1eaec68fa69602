"""Kingdoms as a photo would show them, made from notation: readings, grids and pictures without a network."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from kdvision.errors import NoKingdomFound
from kdvision.game.board import Board, Square
from kdvision.game.kingdom import Kingdom
from kdvision.game.legality import Problem
from kdvision.game.scoring import RuleSet, score
from kdvision.pipeline import KingdomReading
from kdvision.vision.assess.calibration import Calibration
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.probabilities import IMPOSSIBLE_LOG_PROBABILITY, ClassProbabilities
from kdvision.vision.decide.decision import BoardFrame, Doubt
from kdvision.vision.detect.grid import Grid
from kdvision.vision.detect.hypothesis import LatticeHypothesis
from kdvision.vision.detect.lattice import MIN_KINGDOM_SQUARES, Component, grow_components
from kdvision.vision.geometry import UNIT_SQUARE, Floats, apply_homography, compute_distances, fit_rectangle_homography
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.detector import Detections
from tests.paths import SAMPLES

FIVE = "w w1 f f f / l l1 # f1 m2 / l g s s m1 / g g2 s1 w w / g g w1 w w"
"""33 points. No box can lay this board."""

SMALL = "w1 w w / # f f1 / . l l"
"""5 points: wheat 3 x 1, forest 2 x 1."""


def make_grid(board: Board, *, left: float = 40, top: float = 60, side: float = 50, slant: float = 0.0) -> Grid:
    """Return the grid of a board whose squares are `side` pixels long, sheared sideways by `slant` of its height."""
    rows, cols = np.mgrid[0 : board.height + 1, 0 : board.width + 1]
    points = np.stack([left + side * (cols + slant * rows), top + side * rows], axis=-1).astype(float)
    return Grid(np.stack([points[:-1, :-1], points[:-1, 1:], points[1:, 1:], points[1:, :-1]], axis=2))


def make_reading(
    text: str,
    *,
    doubts: Sequence[Doubt] = (),
    problems: Sequence[Problem] = (),
    probability: float = 0.97,
    left: float = 40,
    side: float = 50,
    place: str = "the photo",
    runners_up: Sequence[tuple[str, float]] = (),
    calibration: Calibration | None = None,
) -> KingdomReading:
    """Return the kingdom of a board's notation as read from a photo; doubts or problems make it one for review."""
    board = Board.parse(text)
    observation = make_plain_observation(ClassProbabilities.of(board), left=left, side=side)
    frame = BoardFrame(Square(0, 0), Square(board.height - 1, board.width - 1))
    return KingdomReading(
        *(board, observation, frame, tuple(doubts), tuple(problems), probability, place),
        runners_up=tuple((Board.parse(other), chance) for other, chance in runners_up),
        calibration=calibration or Calibration(review_threshold=0.98 if doubts else 0.9),
    )


def override_squares(
    reading: ClassProbabilities, shares_by_square: Mapping[str, Mapping[str, float]]
) -> ClassProbabilities:
    """Return the reading with new probabilities on some squares: `{"C3": {"w1": 0.6}}`; other kinds share the rest."""
    values = np.exp(reading.log_probs)
    for name, shares in shares_by_square.items():
        other_share = (1 - sum(shares.values())) / max(1, len(reading.kinds) - len(shares))
        assert {*shares} <= {*reading.kinds} and other_share > -1e-9
        values[Square.parse(name)] = [shares.get(kind, max(other_share, 0.0)) for kind in reading.kinds]
    return ClassProbabilities.of_probabilities(values, reading.kinds)


def get_probability(reading: ClassProbabilities, square: Square, kind: str) -> float:
    """Return the probability of a kind on a square."""
    return float(np.exp(reading.log_probs[square][reading.kinds.index(kind)]))


def make_doubt(square: str, read: str, instead: str, probability: float = 0.8) -> Doubt:
    """Return a doubt about a named square."""
    return Doubt(Square.parse(square), read, probability, instead)


def table_photo(width: int = 640, height: int = 480, grey: int = 90) -> Photo:
    """Return a photo of an empty grey table."""
    return Photo.open(np.full((height, width, 3), grey, np.uint8), name="table.png")


def load_truth(name: str) -> list[dict[str, Any]]:
    """Return the true kingdoms of a sample: `board`, `points` and `corners_tl_tr_br_bl_px`."""
    return list(json.loads((SAMPLES / f"{name}.json").read_text("utf-8"))["kingdoms"])


def locate_squares(truth: Mapping[str, Any]) -> Floats:
    """Return the squares (rows, cols, 4, 2) of a true kingdom in pixels, corners clockwise from the top left."""
    rows, cols = len(truth["board"]), len(truth["board"][0].split())
    places = np.stack(np.meshgrid(range(cols), range(rows)), axis=-1)
    matrix = fit_rectangle_homography(rows, cols, truth["corners_tl_tr_br_bl_px"])
    return apply_homography(matrix, places[:, :, None] + UNIT_SQUARE)


def png(pixels: NDArray[np.uint8]) -> bytes:
    """Return the content of a PNG file of RGB pixels."""
    return bytes(cv2.imencode(".png", pixels[..., ::-1])[1])


def make_reader(kingdoms: Sequence[KingdomReading]) -> Callable[..., Sequence[KingdomReading]]:
    """Return a substitute for `pipeline.read`: every photo shows these kingdoms, none if its first pixel is black."""

    def read(photo: Photo, **options: Any) -> Sequence[KingdomReading]:
        if not photo.pixels[0, 0].any():
            raise NoKingdomFound(f"{photo.name} shows no kingdom", hint="take it from above")
        return kingdoms

    return read


def fill_in(path: Path, *changes: tuple[str, str]) -> Path:
    """Return the game file after changes of texts, each at the first remaining place, as a person fills it in."""
    text = path.read_text(encoding="utf-8")
    for old_text, new_text in changes:
        assert old_text in text, old_text
        text = text.replace(old_text, new_text, 1)
    path.write_text(text, encoding="utf-8")
    return path


def list_lines(kingdom: Kingdom, rules: RuleSet) -> list[tuple[str, int]]:
    """Return the label and the points of each line of the scorecard."""
    return [(line.label, line.points) for line in score(kingdom, rules).lines]


def fit_lattices(squares: Detections) -> list[LatticeHypothesis]:
    """Return the lattices that squares form, largest first."""
    components = [component for component in grow_components(squares) if len(component) >= MIN_KINGDOM_SQUARES]
    hypotheses = map(LatticeHypothesis.fit, components)
    return sorted(
        (hypothesis for hypothesis in hypotheses if hypothesis is not None), key=lambda hypothesis: -len(hypothesis)
    )


def find_indices(component: Component, squares: Detections) -> list[int]:
    """Return the indices of a component's squares among all detections, in order."""
    return sorted(compute_distances(component.squares.centre, squares.centre).argmin(axis=1).tolist())


def make_plain_observation(
    probabilities: ClassProbabilities, grid: Grid | None = None, *, left: float = 0.0, side: float = 50
) -> GridObservation:
    """Return an observation of these probabilities alone: nothing hides a square, and borders show no dominoes."""
    rows, cols = probabilities.rows, probabilities.cols
    return GridObservation(
        grid=grid or make_grid(Board({}, height=rows, width=cols), left=left, side=side),
        probabilities=probabilities,
        border_log_odds=(np.zeros((rows, cols - 1)), np.zeros((rows - 1, cols))),
        occlusion=np.zeros((rows, cols)),
        visible_share=np.ones((rows, cols)),
        tile_beyond=np.zeros((rows, cols)),
        pieces=np.full((rows, cols, 2), [0.0, IMPOSSIBLE_LOG_PROBABILITY]),
        gems=np.full((rows + 1, cols + 1), IMPOSSIBLE_LOG_PROBABILITY),
        piece_names=("", "knight"),
    )
