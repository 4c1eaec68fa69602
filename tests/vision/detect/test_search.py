"""Which looks at a photo are worth their time, and kingdoms that only the finer one shows."""

import json
from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from kdvision.vision.classify.observation import sort_out
from kdvision.vision.classify.observe import _loose, crowded, look, search_all
from kdvision.vision.detect.grid import grid_of
from kdvision.vision.detect.hypothesis import Candidate
from kdvision.vision.detect.lattice import Lattice
from kdvision.vision.detect.search import grids, searched, worth_a_finer_look
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.cells import CellReader
from kdvision.vision.networks.detector import FINER, LONG_SIDES, Finder, Squares
from kdvision.vision.networks.onnx import shipped
from tests.kingdoms import table_photo
from tests.paths import SAMPLES


class Watched(Finder):
    """The finder, and how finely it was asked to look."""

    def __init__(self) -> None:
        super().__init__(shipped("finder"))
        self.looked: list[int] = []

    def find(self, photo: Photo, long_sides: Sequence[int] = LONG_SIDES) -> list[Squares]:
        self.looked += long_sides
        return super().find(photo, long_sides)


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
    ("width", "sides", "worth"),
    [
        (4000, [], True),  # nothing found
        (4000, [400.0], False),  # one kingdom that fills the photo
        (4000, [400.0, 100.0], True),  # another far behind it, 16 pixels in the finest usual look
        (4000, [60.0], True),
        (640, [], False),  # there is nothing finer
    ],
)
def test_a_finer_look_is_for_small_kingdoms(width: int, sides: list[float], worth: bool) -> None:
    assert worth_a_finer_look(table_photo(width, width * 3 // 4), sides) == worth


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
    kingdoms, _ = sort_out(search_all(large, finder, CellReader(shipped("cells"))))
    assert (len(kingdoms), finder.looked) == (count, looks)


def test_a_small_kingdom_beside_a_large_one_is_found() -> None:
    """What the coarse look does not make out is reason enough to look again."""
    photo, far = Photo.open(SAMPLES / "demo.jpg"), far_away("holes", side=36.0, width=800)
    pixels = np.concatenate([photo.pixels, np.asarray(cv2.resize(far.pixels, (photo.width, photo.width * 3 // 4)))], 1)
    kingdoms, _ = sort_out(search_all(Photo.open(pixels), Finder(shipped("finder")), CellReader(shipped("cells"))))
    assert len(kingdoms) == 2


def test_a_kingdom_far_away_shows_in_the_finer_look() -> None:
    finder = Watched()
    kingdoms, _ = sort_out(search_all(far_away("demo", side=22.0), finder, CellReader(shipped("cells"))))
    assert FINER in finder.looked
    (kingdom,) = kingdoms
    assert kingdom.grid.side == pytest.approx(22.0, rel=0.15)
    (truth,) = json.loads((SAMPLES / "demo.json").read_text("utf-8"))["kingdoms"]
    tiles = sum(word != "." for row in truth["board"] for word in row.split())
    assert kingdom.tiles == pytest.approx(tiles, abs=4)


@pytest.mark.parametrize("name", ["demo", "holes", "two-kingdoms"])
def test_no_tile_is_taken_for_bare_table(name: str) -> None:
    photo = Photo.open(SAMPLES / f"{name}.jpg")
    kingdoms = json.loads((SAMPLES / f"{name}.json").read_text("utf-8"))["kingdoms"]
    found = grids(photo, Finder(shipped("finder")))
    for kingdom in kingdoms:
        rows, cols = len(kingdom["board"]), len(kingdom["board"][0].split())
        frame = np.array([[0, 0], [cols, 0], [cols, rows], [0, rows]], np.float32)
        matrix = cv2.getPerspectiveTransform(frame, np.array(kingdom["corners_tl_tr_br_bl_px"], np.float32))
        for row, words in enumerate(kingdom["board"]):
            for col, word in enumerate(words.split()):
                centre = cv2.perspectiveTransform(np.array([[[col + 0.5, row + 0.5]]]), matrix)[0, 0]
                for grid in found:
                    away = np.linalg.norm(grid.quads.mean(axis=2) - centre, axis=-1)
                    assert grid.bare is not None
                    if word != "." and away.min() < 0.4 * grid.side:
                        assert not grid.bare[np.unravel_index(away.argmin(), away.shape)]
    for grid in found:
        assert grid.bare is not None
        assert grid.evidence is not None
        assert not (grid.bare & (grid.evidence > 0.5)).any()


def test_most_of_the_table_around_is_known_to_be_bare() -> None:
    """The cell network need not look there. Among a rug's patterns the finder is less sure than on a plain table."""
    finder = Finder(shipped("finder"))
    known, empty = 0, 0
    for name in ("demo", "holes", "two-kingdoms"):
        for grid in grids(Photo.open(SAMPLES / f"{name}.jpg"), finder):
            assert grid.bare is not None
            assert grid.evidence is not None
            known += int(grid.bare.sum())
            empty += int((grid.evidence == 0).sum())
    assert known > 0.7 * empty


def test_a_lattice_that_lost_a_row_is_told() -> None:
    """The tiles of the row lie beside it, on no grid, be it that its own look or another shows them."""
    photo, finder, reader = Photo.open(SAMPLES / "demo.jpg"), Finder(shipped("finder")), CellReader(shipped("cells"))
    (whole,) = searched(photo, finder)[1].kept
    top = min(row for _, row in whole.lattice.members)
    members = {place: index for place, index in whole.lattice.members.items() if place[1] > top}
    less = Candidate(Lattice(members, whole.lattice.matrix), whole.squares)
    rimless = grid_of(less.lattice, less.squares, rim=0)
    for grid, told in ((whole.grid, False), (rimless, True)):
        sight = look(photo, reader, grid)
        none = Squares(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0))
        for looks in ([whole.squares], [none, whole.squares]):
            assert crowded(photo, reader, sight, looks, [sight]).crowded == told
        assert not crowded(photo, reader, sight, [none], [sight]).crowded


@pytest.mark.parametrize(
    ("down", "right", "turn", "told"),
    [
        pytest.param(-0.5, 0.5, 0, False, id="in the next row, which is weighed"),
        pytest.param(-0.5, 1.0, 0, True, id="in the next row, between two columns"),
        pytest.param(-1.1, 1.0, 30, True, id="next to it"),
        pytest.param(-1.5, 0.5, 0, True, id="two rows on"),
        pytest.param(-1.5, 0.5, 40, False, id="there, but turned"),
        pytest.param(-1.5, 1.0, 0, False, id="between two columns"),
        pytest.param(-1.9, 0.5, 0, False, id="between two rows"),
        pytest.param(-3.5, 0.5, 0, False, id="far away"),
    ],
)
def test_tiles_further_off_belong_to_a_kingdom_in_its_rows_only(
    down: float, right: float, turn: float, told: bool
) -> None:
    """A loose domino lies two squares away by chance, and seldom in line; seen at a slant, squares are what counts."""
    photo, finder, reader = Photo.open(SAMPLES / "demo.jpg"), Finder(shipped("finder")), CellReader(shipped("cells"))
    (whole,) = searched(photo, finder)[1].kept
    sight = look(photo, reader, whole.grid)
    row, col = min(np.argwhere(sight.presence > 0.5).tolist())
    along = np.array([np.cos(np.radians(turn)), np.sin(np.radians(turn))]) / 2
    spot = np.array([col + right, row + down])
    at = np.array([[spot, spot + along, spot + np.array([-along[1], along[0]])]])
    centre, u, v = cv2.perspectiveTransform(at, sight.grid.homography)[0]
    one = Squares(centre[None], (u - centre)[None], (v - centre)[None], np.ones(1))
    assert _loose(one, sight, sight.middles).tolist() == [told]
