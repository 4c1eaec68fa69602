"""Outlines drawn by hand: parsing, checks, the number of squares inside, and samples read with them."""

from collections.abc import Sequence

import numpy as np
import pytest

import kdvision
from kdvision.errors import NoKingdomFound, NotationError
from kdvision.game.board import Square
from kdvision.vision.assess.surroundings import Surroundings
from kdvision.vision.classify.probabilities import ClassProbabilities
from kdvision.vision.detect.manual import measure_agreement
from kdvision.vision.detect.outline import KingdomOutline
from kdvision.vision.find import assemble_kingdoms
from kdvision.vision.geometry import UNIT_SQUARE, apply_homography, fit_rectangle_homography
from kdvision.vision.networks.detector import Detections
from tests.kingdoms import load_truth, make_plain_observation, table_photo
from tests.paths import SAMPLES

POINTS = [[100.0, 80.0], [520.0, 90.0], [530.0, 400.0], [90.0, 390.0]]
TEXT = "100,80 520,90 530,400 90,390"


@pytest.mark.parametrize("text", [TEXT, "100, 80; 520, 90; 530, 400; 90, 390"])
def test_an_outline_has_a_text(text: str) -> None:
    outline = KingdomOutline.parse(text)
    assert outline == KingdomOutline.of(POINTS)
    assert KingdomOutline.parse(str(outline)) == outline


@pytest.mark.parametrize("prefix", ["7x6:", "7 x 6: ", "7×6:"])
def test_rows_come_before_columns(prefix: str) -> None:
    outline = KingdomOutline.parse(prefix + TEXT)
    assert (outline.rows, outline.cols, outline.corners) == (7, 6, KingdomOutline.of(POINTS).corners)


def test_either_direction_begins_at_the_same_corner() -> None:
    assert KingdomOutline.of([POINTS[0], *POINTS[:0:-1]]) == KingdomOutline.of(POINTS)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([POINTS[0], POINTS[2], POINTS[1], POINTS[3]], "convex"),
        ([[0, 0], [100, 0], [40, 30], [0, 100]], "convex"),
        ([[0, 0], [50, 0], [100, 0], [0, 100]], "convex"),
        (POINTS[:3], "four corners"),
        ([[0, 0], [100, 0], [float("nan"), 100], [0, 100]], "four corners"),
        ([[0, 0], [100, 0], [100], [0, 100]], "four corners"),
        ("1,2 3,4", "four corners"),
    ],
)
def test_impossible_outlines_are_refused(points: Sequence[Sequence[float]], message: str) -> None:
    with pytest.raises(NotationError, match=message) as error_info:
        KingdomOutline.of(points)
    assert "clockwise" in error_info.value.hint


@pytest.mark.parametrize(
    "text", ["", "5x5:", TEXT[:-4], TEXT + " 1,2", "0x5:" + TEXT, "8x5:" + TEXT, "5:" + TEXT, "a,b " * 4]
)
def test_malformed_texts_are_refused(text: str) -> None:
    with pytest.raises(NotationError):
        KingdomOutline.parse(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("100,80 900,90 530,400 90,390", "900,90 lies outside the photo"),
        ("100,80 120,80 120,100 100,100", "too small"),
        ("7x7: 100,80 150,80 150,130 100,130", "too small"),
        ("100,80 140,80 140,440 100,440", "too long and thin"),
    ],
)
def test_outlines_outside_the_photo_or_too_small_are_refused(text: str, message: str) -> None:
    with pytest.raises(NotationError, match=message):
        kdvision.read(table_photo(), corners=[KingdomOutline.parse(text)])


def test_corners_may_lie_a_little_beyond_the_edge() -> None:
    KingdomOutline.parse("-5,-3 645,0 640,484 0,480").check(table_photo())


def make_detections(rows: int, cols: int, *, shift: float = 0.0) -> Detections:
    """Return detections in a unit square that is divided into rows and columns; the first is missing."""
    centre = np.array([[(c + 0.5 + shift) / cols, (r + 0.5) / rows] for r in range(rows) for c in range(cols)])[1:]
    u, v = np.tile([0.5 / cols, 0], (len(centre), 1)), np.tile([0, 0.5 / rows], (len(centre), 1))
    return Detections(centre, v, -u, np.full(len(centre), 0.8))


@pytest.mark.parametrize("size", [(5, 5), (4, 5), (7, 7), (2, 3)])
@pytest.mark.parametrize("shift", [0.0, 0.08])
def test_detections_agree_best_with_their_own_division(size: tuple[int, int], shift: float) -> None:
    detections = make_detections(*size, shift=shift)
    sizes = [(rows, cols) for rows in range(1, 8) for cols in range(1, 8)]
    assert max(sizes, key=lambda other: measure_agreement(detections, *other)) == size


# With the shipped networks; corners drawn by hand are some pixels off.


def draw_outline(name: str, *, max_offset: float = 4.0) -> tuple[list[list[float]], list[str]]:
    """Return the outline of a sample's kingdom as a hand would draw it, and the true board."""
    (truth,) = load_truth(name)
    offsets = np.random.default_rng(1).uniform(-max_offset, max_offset, (4, 2))
    return (np.array(truth["corners_tl_tr_br_bl_px"]) + offsets).tolist(), truth["board"]


@pytest.mark.parametrize("name", ["oblique", "seven"])
def test_a_kingdom_is_read_in_its_outline(name: str) -> None:
    corners, board = draw_outline(name)
    (reading,) = kdvision.read(SAMPLES / f"{name}.jpg", corners=np.array([corners]))
    assert (reading.grid.rows, reading.grid.cols) == (len(board), len(board[0].split()))
    correct_count = sum(
        a == b for a, b in zip(" ".join(reading.board.format_rows()).split(), " ".join(board).split(), strict=True)
    )
    assert correct_count >= 0.9 * len(" ".join(board).split())


def test_an_outline_that_misses_a_column_is_flagged() -> None:
    """No domino is cut, and the rest is a board of its own, so the decision cannot detect the missing column."""
    corners, _ = draw_outline("oblique")
    shortened_corners = apply_homography(fit_rectangle_homography(5, 5, corners), UNIT_SQUARE * (4, 5)).tolist()
    full_reading, partial_reading = (
        kdvision.read(SAMPLES / "oblique.jpg", corners=[outline])[0] for outline in (corners, shortened_corners)
    )
    assert not full_reading.review and not full_reading.problems
    assert partial_reading.review and [problem.warning for problem in partial_reading.problems] == ["outside"]


def test_the_first_corner_is_the_boards_top_left() -> None:
    corners, _ = draw_outline("oblique")
    (reading,) = kdvision.read(SAMPLES / "oblique.jpg", corners=[corners])
    (rotated_reading,) = kdvision.read(SAMPLES / "oblique.jpg", corners=[[*corners[1:], corners[0]]])
    assert reading.board.keys() == rotated_reading.board.rotate(1).keys()


def test_squares_that_a_person_calls_empty_are_no_tiles_at_the_edge_of_an_outline() -> None:
    corners, _ = draw_outline("demo")
    fixed_squares = {(0, Square.parse(name)): "." for name in ("A1", "B1")}
    (reading,) = kdvision.read(SAMPLES / "demo.jpg", corners=[corners], fixed_squares=fixed_squares)
    assert str(reading.board).startswith(". . g f l1 / ")
    assert not reading.problems and not reading.review


@pytest.mark.parametrize("grain", [0, 8])
def test_an_outline_around_bare_table_is_flagged(grain: int) -> None:
    rng = np.random.default_rng(0)
    pixels = np.array([120, 80, 50]) + rng.normal(0, grain, (480, 640, 3))
    try:
        readings = kdvision.read(pixels.astype(np.uint8), corners=[POINTS])
    except NoKingdomFound:
        return
    assert all(reading.review for reading in readings)


def test_an_outline_without_tiles_is_an_error_that_names_it() -> None:
    observation = make_plain_observation(ClassProbabilities.of(" / ".join([". . ."] * 3)))
    with pytest.raises(NoKingdomFound, match="outline 1 shows no tiles"):
        assemble_kingdoms(table_photo(), [observation], outline_surroundings=[Surroundings()])
