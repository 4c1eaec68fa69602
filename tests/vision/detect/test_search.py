"""Which looks at a photo are worth their time, and kingdoms that only the finer one shows."""

import json
from dataclasses import replace

import cv2
import numpy as np
import pytest

from kdvision.vision.assess.kingdom import split_kingdoms
from kdvision.vision.detect.hypothesis import LatticeHypothesis
from kdvision.vision.detect.search import SearchResult, find_grids, refine_components
from kdvision.vision.find import Networks, find_kingdoms
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.detector import Detections, SquareDetector
from kdvision.vision.networks.onnx import load_model
from tests.kingdoms import table_photo
from tests.paths import SAMPLES


class Watched(SquareDetector):
    """The finder, and how finely it was asked to look."""

    def __init__(self) -> None:
        super().__init__(load_model("detector"))
        self.looked: list[int] = []

    def detect_photo(self, photo: Photo, long_side: int) -> Detections:
        self.looked.append(long_side)
        return super().detect_photo(photo, long_side)


def far_away(name: str, *, side: float, width: int = 1600) -> Photo:
    """A sample's kingdom in the middle of a large plain table, its squares so many pixels."""
    (truth,) = json.loads((SAMPLES / f"{name}.json").read_text("utf-8"))["kingdoms"]
    corners = np.array(truth["corners_tl_tr_br_bl_px"])
    pixels = Photo.open(SAMPLES / f"{name}.jpg").pixels
    rows = len(truth["board"])
    factor = float(side * rows / np.linalg.norm(corners[3] - corners[0]))
    small = cv2.resize(pixels, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    table = np.median(np.concatenate([small[0], small[-1]]), axis=0)
    noise = np.random.default_rng(0).normal(0, 3, (width * 3 // 4, width, 3))
    canvas = np.clip(table + noise, 0, 255).astype(np.uint8)
    top, left = (canvas.shape[0] - small.shape[0]) // 2, (width - small.shape[1]) // 2
    canvas[top : top + small.shape[0], left : left + small.shape[1]] = small
    return Photo.open(canvas)


@pytest.mark.parametrize(
    ("name", "count", "looks"),
    [
        ("demo", 1, [320]),
        ("seven", 1, [320]),
        ("two-kingdoms", 2, [320, 640]),  # something by itself may be a square
        ("four-kingdoms", 4, [320, 640]),
    ],
)
def test_a_photo_is_looked_over_no_finer_than_its_kingdoms_need(name: str, count: int, looks: list[int]) -> None:
    finder, photo = Watched(), Photo.open(SAMPLES / f"{name}.jpg")
    large = Photo.open(cv2.resize(photo.pixels, None, fx=1600 / photo.width, fy=1600 / photo.width))
    kingdoms, _ = split_kingdoms(find_kingdoms(large, replace(Networks.load(), detector=finder, context=None)))
    assert (len(kingdoms), finder.looked) == (count, looks)


def test_a_small_kingdom_beside_a_large_one_is_found() -> None:
    """What the coarse look does not make out is reason enough to look again."""
    photo, far = Photo.open(SAMPLES / "demo.jpg"), far_away("holes", side=36.0, width=800)
    pixels = np.concatenate([photo.pixels, np.asarray(cv2.resize(far.pixels, (photo.width, photo.width * 3 // 4)))], 1)
    kingdoms, _ = split_kingdoms(find_kingdoms(Photo.open(pixels), Networks.load()))
    assert len(kingdoms) == 2


@pytest.mark.parametrize("name", ["demo", "holes", "two-kingdoms"])
def test_no_tile_is_taken_for_bare_table(name: str) -> None:
    photo = Photo.open(SAMPLES / f"{name}.jpg")
    kingdoms = json.loads((SAMPLES / f"{name}.json").read_text("utf-8"))["kingdoms"]
    found = find_grids(photo, SquareDetector(load_model("detector")))
    for kingdom in kingdoms:
        rows, cols = len(kingdom["board"]), len(kingdom["board"][0].split())
        frame = np.array([[0, 0], [cols, 0], [cols, rows], [0, rows]], np.float32)
        matrix = cv2.getPerspectiveTransform(frame, np.array(kingdom["corners_tl_tr_br_bl_px"], np.float32))
        for row, words in enumerate(kingdom["board"]):
            for col, word in enumerate(words.split()):
                centre = cv2.perspectiveTransform(np.array([[[col + 0.5, row + 0.5]]]), matrix)[0, 0]
                for grid in found:
                    away = np.linalg.norm(grid.quads.mean(axis=2) - centre, axis=-1)
                    assert grid.is_empty is not None
                    if word != "." and away.min() < 0.4 * grid.side:
                        assert not grid.is_empty[np.unravel_index(away.argmin(), away.shape)]
    for grid in found:
        assert grid.is_empty is not None
        assert grid.evidence is not None
        assert not (grid.is_empty & (grid.evidence > 0.5)).any()


def test_most_of_the_table_around_is_known_to_be_bare() -> None:
    """The cell network need not look there. Among a rug's patterns the finder is less sure than on a plain table."""
    finder = SquareDetector(load_model("detector"))
    known, empty = 0, 0
    for name in ("demo", "holes", "two-kingdoms"):
        for grid in find_grids(Photo.open(SAMPLES / f"{name}.jpg"), finder):
            assert grid.is_empty is not None
            assert grid.evidence is not None
            known += int(grid.is_empty.sum())
            empty += int((grid.evidence == 0).sum())
    assert known > 0.7 * empty


def make_hypothesis(left: float, *, score: float = 0.9) -> LatticeHypothesis:
    """Five by five squares of 40 pixels whose first column starts at `left`."""
    places = [(c, r) for c in range(5) for r in range(5)]
    centre = np.array([(left + 40 * c + 20, 40 * r + 20) for c, r in places], float)
    u, v = np.tile([20.0, 0.0], (25, 1)), np.tile([0.0, 20.0], (25, 1))
    matrix = np.array([[40.0, 0, left], [0, 40, 0], [0, 0, 1]])
    squares = Detections(centre, u, v, np.full(25, score))
    return LatticeHypothesis({place: n for n, place in enumerate(places)}, squares, matrix)


@pytest.mark.parametrize(("columns", "kept"), [(1, 2), (2, 1), (5, 1)])
def test_a_hypothesis_may_share_a_fifth_of_its_squares_with_a_better_one_but_not_two(columns: int, kept: int) -> None:
    """Each shared column is a fifth of the squares; the limit is 0.3."""
    one, other = make_hypothesis(0.0), make_hypothesis(40.0 * (5 - columns), score=0.8)
    assert [n.weighted_area for n in SearchResult((other, one)).best_hypotheses] == [
        one.weighted_area,
        other.weighted_area,
    ][:kept]


def test_ten_components_are_refined_at_each_scale(monkeypatch: pytest.MonkeyPatch) -> None:
    refined: list[LatticeHypothesis] = []
    monkeypatch.setattr("kdvision.vision.detect.search.refine", lambda *args: refined.append(args[2]))
    components = [make_hypothesis(400.0 * n) for n in range(12)]
    refine_components(table_photo(), SquareDetector(load_model("detector")), components)
    assert len(refined) == 10
