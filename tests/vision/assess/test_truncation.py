"""Truncation: kingdoms that the picture cuts are reported, and pictures that end flush with a kingdom are not."""

import numpy as np
import pytest

import kdvision
from kdvision.game.board import Board, Square
from kdvision.vision.assess.missing import compute_completeness, find_truncation
from kdvision.vision.classify.observe import compute_visible_share
from kdvision.vision.image.photo import Photo
from tests.kingdoms import load_truth, make_grid, table_photo
from tests.paths import SAMPLES

BOARD = Board.parse("w w w / # f f / . l l")


@pytest.mark.parametrize(("left", "first_share"), [(40.0, 1.0), (-25.0, 0.5), (-50.0, 0.0), (-100.0, 0.0)])
def test_the_visible_share_of_a_cell(left: float, first_share: float) -> None:
    share = compute_visible_share(make_grid(BOARD, left=left, side=50), table_photo())
    assert share.shape == (3, 3)
    assert share[:, 0] == pytest.approx(first_share, abs=0.05)
    assert (share[:, 2] == 1).all()


def make_visible_share(**share_by_square: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return the visible share of each place of a grid of three by three: 1 except for the named squares."""
    share = np.ones((3, 3))
    for name, value in share_by_square.items():
        share[Square.parse(name)] = value
    return share


def test_a_kingdom_inside_has_no_problem() -> None:
    assert find_truncation(BOARD.keys(), make_visible_share(A1=0.9), np.zeros((3, 3))) == ()


def test_cut_squares_are_named() -> None:
    (problem,) = find_truncation(BOARD.keys(), make_visible_share(C1=0.6, C2=0.55, A3=0.1), np.zeros((3, 3)))
    assert [square.name for square in problem.squares] == ["C1", "C2"]
    assert "cuts" in problem.text and problem.text.endswith(": take all of it")


@pytest.mark.parametrize(
    ("share", "probability", "is_reported"), [(0.4, 0.9, True), (0.4, 0.3, False), (0.1, 0.9, False)]
)
def test_a_truncated_tile_is_reported_if_enough_of_it_shows(
    share: float, probability: float, is_reported: bool
) -> None:
    tile_beyond = np.zeros((3, 3))
    tile_beyond[2, 0] = probability
    problems = find_truncation(BOARD.keys(), make_visible_share(A3=share), tile_beyond)
    assert (
        any("goes on beyond the picture's edge: take all of it" in problem.text for problem in problems) == is_reported
    )


def test_tiles_that_touch_no_square_of_the_kingdom_are_not_its_own() -> None:
    tile_beyond = np.zeros((3, 3))
    tile_beyond[2, 0] = 0.9
    squares = [Square(0, 1), Square(0, 2), Square(1, 2)]
    assert find_truncation(squares, make_visible_share(A3=0.4), tile_beyond) == ()


@pytest.mark.parametrize(
    ("text", "name", "is_reported"),
    [
        ("w w w / # f f / l l l", "A4", True),  # a fourth row may lie beyond the picture
        ("w w w w w / # f f l l", "F1", False),  # a sixth column may not: the board has the full width
        ("w w w w w / # f f l l", "A3", True),
        ("w w w w w w / # f f l l l", "G1", True),  # wider than five, so the limit is seven
        ("w w w w w w w / # f f l l l l / w w f f l l . / g g g g . . . / s s . . . . .", "A6", True),  # seven by five
        ("w w w w w w w / # f f l l l l / w w f f l l . / g g g g . . . / s s . . . . .", "H1", False),
    ],
)
def test_a_picture_that_ends_beside_a_kingdom_may_hide_tiles_of_it(text: str, name: str, is_reported: bool) -> None:
    board, square = Board.parse(text), Square.parse(name)
    share = np.ones((board.height + 1, board.width + 1))
    share[square] = 0.1
    problems = find_truncation(board.keys(), share, np.zeros_like(share))
    assert any("the picture ends beside" in problem.text for problem in problems) == is_reported


# With the shipped networks.


def crop_sample(rows: float) -> Photo:
    """Return the demo without the first `rows` rows of its kingdom."""
    (truth,) = load_truth("demo")
    corners = np.array(truth["corners_tl_tr_br_bl_px"])
    pixels = Photo.open(SAMPLES / "demo.jpg").pixels
    side = np.linalg.norm(corners[3] - corners[0]) / len(truth["board"])
    return Photo.open(np.array(pixels[max(0, round(corners[:2, 1].mean() + rows * side)) :]))


@pytest.mark.parametrize("rows", [0.45, 1.4, 2.5])
def test_half_a_kingdom_always_needs_review(rows: float) -> None:
    try:
        readings = kdvision.read(crop_sample(rows))
    except kdvision.NoKingdomFound:
        return
    assert all(reading.review for reading in readings)


@pytest.mark.parametrize("width", [1110, 1140, 1170])
def test_a_picture_that_ends_where_another_column_may_follow_needs_review(width: int) -> None:
    pixels = Photo.open(SAMPLES / "queendomino.jpg").pixels
    (reading,) = kdvision.read(np.array(pixels[:, :width]))
    assert reading.board.width == 4  # of 5 columns
    assert reading.review
    assert any("the picture ends beside" in problem.text for problem in reading.problems)


def test_a_picture_cut_flush_is_no_cut_kingdom() -> None:
    (reading,) = kdvision.read(crop_sample(0.0))
    assert not [problem for problem in reading.problems if "edge" in problem.text]


def test_a_half_domino_beside_the_pictures_edge_is_no_certain_end() -> None:
    """C2 may be a tile whose other half lies beyond the picture, so the board may not end there."""
    presence = np.zeros((4, 5))
    presence[1, 3] = 0.9
    board = {Square(1, 1), Square(1, 2)}
    assert compute_completeness(board, presence, np.ones_like(presence)) == 1.0
    shares = np.ones((4, 5))
    assert compute_completeness(board, presence, shares) == 1.0
    shares[:, 4] = 0.3
    assert compute_completeness(board, presence, shares) == pytest.approx(0.1)


@pytest.mark.parametrize("rim_cell", [(0, 1), (1, 0), (2, 1), (1, 2)])
def test_a_tile_on_the_rim_of_the_grid_may_go_on_beyond_it(rim_cell: Square) -> None:
    presence = np.zeros((3, 3))
    presence[rim_cell] = 0.9
    assert compute_completeness({Square(1, 1)}, presence, np.ones((3, 3))) == pytest.approx(0.1)


def test_a_tile_on_the_rim_belongs_to_no_kingdom_of_full_width() -> None:
    presence = np.zeros((1, 6))
    presence[0, 5] = 0.9
    board = {Square(0, col) for col in range(5)}
    assert compute_completeness(board, presence, np.ones((1, 6)), side=5) == 1.0
    assert compute_completeness(board, presence, np.ones((1, 6)), side=7) == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("share", "probability", "message"), [(0.35, 0.4, "goes on"), (0.25, 0.0, "ends beside"), (0.35, 0.1, "")]
)
def test_a_faint_tile_beside_a_kingdom_needs_review(share: float, probability: float, message: str) -> None:
    tile_beyond = np.zeros((3, 3))
    tile_beyond[2, 0] = probability
    problems = find_truncation(BOARD.keys(), make_visible_share(A3=share), tile_beyond)
    assert [message in problem.text for problem in problems] == [True] * bool(message)
