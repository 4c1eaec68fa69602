"""The scales of the search, empty cells, and lattice hypotheses: their area, refinement and suppression."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, cast

import cv2
import numpy as np
import pytest

from kdvision.vision.assess.kingdom import split_kingdoms
from kdvision.vision.detect import search
from kdvision.vision.detect.grid import Grid, build_grid
from kdvision.vision.detect.hypothesis import LatticeHypothesis
from kdvision.vision.detect.search import search_lattices, suppress_overlapping
from kdvision.vision.find import Networks, find_kingdoms
from kdvision.vision.geometry import compute_distances
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.detector import Detections, SquareDetector
from kdvision.vision.networks.onnx import load_model
from tests.kingdoms import find_indices, fit_lattices, load_truth, locate_squares, table_photo
from tests.paths import SAMPLES
from tests.vision.detect.test_lattice import FIVE, make_detections, make_view

THREE_ROWS = [(c, r) for c, r in FIVE if r < 3]


def find_grids(name: str) -> list[Grid]:
    """Return the grids in a sample."""
    _, lattices = search_lattices(Photo.open(SAMPLES / f"{name}.jpg"), SquareDetector(load_model("detector")))
    return [*map(build_grid, suppress_overlapping(lattices))]


class RecordingDetector(SquareDetector):
    """The detector, which records the long sides at which it runs."""

    def __init__(self) -> None:
        super().__init__(load_model("detector"))
        self.long_sides: list[int] = []

    def detect_photo(self, photo: Photo, long_side: int) -> Detections:
        self.long_sides.append(long_side)
        return super().detect_photo(photo, long_side)


def place_on_large_table(name: str, *, side: float, width: int = 1600) -> Photo:
    """Return a sample's kingdom in the middle of a large plain table, its squares `side` pixels wide."""
    (truth,) = load_truth(name)
    corners = np.array(truth["corners_tl_tr_br_bl_px"])
    pixels = Photo.open(SAMPLES / f"{name}.jpg").pixels
    factor = float(side * len(truth["board"]) / np.linalg.norm(corners[3] - corners[0]))
    kingdom_pixels = cv2.resize(pixels, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    table = np.median(np.concatenate([kingdom_pixels[0], kingdom_pixels[-1]]), axis=0)
    noise = np.random.default_rng(0).normal(0, 3, (width * 3 // 4, width, 3))
    canvas = np.clip(table + noise, 0, 255).astype(np.uint8)
    top, left = (canvas.shape[0] - kingdom_pixels.shape[0]) // 2, (width - kingdom_pixels.shape[1]) // 2
    canvas[top : top + kingdom_pixels.shape[0], left : left + kingdom_pixels.shape[1]] = kingdom_pixels
    return Photo.open(canvas)


@pytest.mark.parametrize(
    ("name", "count", "long_sides_expected"),
    [
        ("demo", 1, [320]),
        ("seven", 1, [320]),
        ("two-kingdoms", 2, [320, 640]),  # an isolated detection may be a square
        ("four-kingdoms", 4, [320, 640]),
    ],
)
def test_the_fine_scale_is_used_only_where_it_is_needed(name: str, count: int, long_sides_expected: list[int]) -> None:
    detector, photo = RecordingDetector(), Photo.open(SAMPLES / f"{name}.jpg")
    large_photo = Photo.open(cv2.resize(photo.pixels, None, fx=1600 / photo.width, fy=1600 / photo.width))
    kingdoms, _ = split_kingdoms(find_kingdoms(large_photo, replace(Networks.load(), detector=detector, context=None)))
    assert (len(kingdoms), detector.long_sides) == (count, long_sides_expected)


def test_a_small_kingdom_beside_a_large_one_is_found() -> None:
    """Weak detections at the coarse scale lead to the fine one."""
    photo, distant_photo = Photo.open(SAMPLES / "demo.jpg"), place_on_large_table("holes", side=36.0, width=800)
    pixels = np.concatenate(
        [photo.pixels, np.asarray(cv2.resize(distant_photo.pixels, (photo.width, photo.width * 3 // 4)))], 1
    )
    kingdoms, _ = split_kingdoms(find_kingdoms(Photo.open(pixels), Networks.load()))
    assert len(kingdoms) == 2


@pytest.mark.parametrize("name", ["demo", "holes", "two-kingdoms"])
def test_no_cell_with_a_tile_is_marked_empty(name: str) -> None:
    kingdoms = load_truth(name)
    words = np.concatenate([" ".join(kingdom["board"]).split() for kingdom in kingdoms])
    centres = np.concatenate([locate_squares(kingdom).mean(axis=2).reshape(-1, 2) for kingdom in kingdoms])
    for grid in find_grids(name):
        assert grid.is_empty is not None and grid.scores is not None
        distances = compute_distances(centres[words != "."], grid.centres.reshape(-1, 2))
        cells = distances.argmin(axis=1)[distances.min(axis=1) < 0.4 * grid.side_pixels]
        assert len(cells) and not grid.is_empty.reshape(-1)[cells].any()
        assert not (grid.is_empty & (grid.scores > 0.5)).any()


def test_most_cells_around_the_tiles_are_marked_empty() -> None:
    """The cell network does not classify them. The detector is less certain on patterned tables than on plain ones."""
    marked_count, unvoted_count = 0, 0
    for grid in chain.from_iterable(map(find_grids, ("demo", "holes", "two-kingdoms"))):
        assert grid.is_empty is not None and grid.scores is not None
        marked_count += int(grid.is_empty.sum())
        unvoted_count += int((grid.scores == 0).sum())
    assert marked_count > 0.7 * unvoted_count


def fit_hypothesis(squares: Detections) -> LatticeHypothesis:
    (hypothesis,) = fit_lattices(squares)
    return hypothesis


def test_a_wrong_number_of_columns_lowers_the_fitted_area() -> None:
    hypothesis = fit_hypothesis(make_detections(THREE_ROWS, make_view(0.2), noise=0.5))
    wide_hypothesis = replace(hypothesis, matrix=hypothesis.matrix @ np.diag([1.4, 1, 1]))
    assert hypothesis.fitted_area > 0.9 * hypothesis.squares.weighted_area
    assert wide_hypothesis.fitted_area < 0.7 * hypothesis.fitted_area


def make_hypothesis(left: float, *, score: float = 0.9) -> LatticeHypothesis:
    """Return a lattice of five by five squares of 40 pixels whose first column starts at `left`."""
    squares = make_detections(FIVE, np.array([[40.0, 0, left], [0, 40, 0], [0, 0, 1]]))
    return fit_hypothesis(replace(squares, score=np.full(25, score)))


@pytest.mark.parametrize(("columns", "expected_count"), [(1, 2), (2, 1), (5, 1)])
def test_hypotheses_that_overlap_a_better_one_are_suppressed(columns: int, expected_count: int) -> None:
    """Each shared column is a fifth of the squares; the limit is 0.3."""
    hypothesis, weaker_hypothesis = make_hypothesis(0.0), make_hypothesis(40.0 * (5 - columns), score=0.8)
    assert suppress_overlapping([weaker_hypothesis, hypothesis]) == [hypothesis, weaker_hypothesis][:expected_count]


def record_refinement(
    hypotheses: Sequence[LatticeHypothesis], result: LatticeHypothesis | None, monkeypatch: pytest.MonkeyPatch
) -> list[LatticeHypothesis]:
    """Return the hypotheses that are refined if each refinement returns `result`."""
    refined_hypotheses: list[LatticeHypothesis] = []

    def refine(*arguments: Any) -> LatticeHypothesis | None:
        refined_hypotheses.append(arguments[2])
        return result

    monkeypatch.setattr(search, "refine", refine)
    search.refine_hypotheses(table_photo(), cast(SquareDetector, None), hypotheses)
    return refined_hypotheses


def test_ten_hypotheses_are_refined_at_each_scale(monkeypatch: pytest.MonkeyPatch) -> None:
    hypotheses = [make_hypothesis(400.0 * n) for n in range(12)]
    assert len(record_refinement(hypotheses, None, monkeypatch)) == 10


def test_squares_that_refinement_left_out_form_a_component(monkeypatch: pytest.MonkeyPatch) -> None:
    """A false detection joins two kingdoms, and refinement keeps one of them."""
    other_places = [(c + 6, r) for c, r in THREE_ROWS]
    detections = make_detections([*THREE_ROWS, (5.0, 1.0), *other_places], make_view(0.2), noise=0.5)
    refined_hypothesis = fit_hypothesis(make_detections(THREE_ROWS, make_view(0.2), seed=1))
    first_indices, second_indices = (
        find_indices(hypothesis, detections)
        for hypothesis in record_refinement(fit_lattices(detections), refined_hypothesis, monkeypatch)
    )
    assert first_indices == [*range(31)]
    assert set(second_indices) >= {*range(16, 31)} and not {*range(15)} & set(second_indices)
