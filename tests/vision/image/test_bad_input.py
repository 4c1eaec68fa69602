"""Photos without a complete kingdom give no kingdom, or one that needs review."""

from collections.abc import Callable, Sequence
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize

import kdvision
from kdvision.errors import NoKingdomFound
from kdvision.pipeline import KingdomReading, decide_again
from kdvision.vision.assess.diagnosis import make_no_kingdom_error
from kdvision.vision.decide import ilp
from kdvision.vision.image.photo import Photo
from tests.kingdoms import load_truth
from tests.paths import SAMPLES

Pixels = NDArray[np.uint8]


def load_pixels(name: str) -> Pixels:
    return np.array(Photo.open(SAMPLES / f"{name}.jpg").pixels)


def read_kingdoms(pixels: Pixels) -> Sequence[KingdomReading]:
    """Return the kingdoms of a picture; none if the error says so and gives advice."""
    try:
        return kdvision.read(pixels)
    except NoKingdomFound as error:
        return [] if error.hint else pytest.fail("an error without advice")


def list_unflagged_boards(pixels: Pixels) -> list[str]:
    """Return the boards of the kingdoms that need no review."""
    return [str(reading.board) for reading in read_kingdoms(pixels) if not reading.review]


def draw_chess(rng: np.random.Generator) -> Pixels:
    """Return the screenshot of a chess board with pieces."""
    board = np.full((800, 800, 3), (240, 217, 181), np.uint8)
    for row, col in np.ndindex(8, 8):
        square = board[100 * row : 100 * row + 100, 100 * col : 100 * col + 100]
        if (row + col) % 2:
            square[:] = (181, 136, 99)
        if rng.random() < 0.4:
            ink = (40, 40, 40) if row < 4 else (250, 250, 250)
            cv2.circle(square, (50, 38), 18, ink, -1, cv2.LINE_AA)
            cv2.fillPoly(square, [np.array([[28, 85], [72, 85], [58, 45], [42, 45]])], ink, cv2.LINE_AA)
    return cv2.copyMakeBorder(board, 60, 60, 200, 200, cv2.BORDER_CONSTANT, value=(48, 46, 43)).astype(np.uint8)


def draw_gems(rng: np.random.Generator) -> Pixels:
    """Return the screenshot of a game in which three gems in a row vanish."""
    picture = np.full((900, 700, 3), (38, 30, 66), np.uint8)
    inks = [(230, 60, 60), (60, 190, 80), (70, 120, 240), (245, 205, 60), (190, 80, 210), (240, 140, 40)]
    for row, col in np.ndindex(8, 7):
        x, y = 50 + 86 * col, 150 + 86 * row
        cv2.rectangle(picture, (x, y), (x + 82, y + 82), (60, 50, 96), -1)
        ink, kind = inks[rng.integers(6)], int(rng.integers(3))
        if kind == 0:
            cv2.circle(picture, (x + 41, y + 41), 30, ink, -1, cv2.LINE_AA)
        else:
            angles = np.linspace(0, 2 * np.pi, 4 + 2 * kind, endpoint=False)
            points = np.stack([x + 41 + 33 * np.cos(angles), y + 41 + 33 * np.sin(angles)], -1)
            cv2.fillPoly(picture, [points.astype(np.int32)], ink, cv2.LINE_AA)
    return picture


def draw_blocks(rng: np.random.Generator) -> Pixels:
    """Return the screenshot of a game of falling blocks: coloured squares with light edges, as tiles have."""
    picture = np.full((900, 600, 3), (20, 20, 24), np.uint8)
    inks = [(0, 240, 240), (240, 240, 0), (160, 0, 240), (0, 240, 0), (240, 0, 0), (0, 0, 240), (240, 160, 0)]
    for row, col in np.ndindex(20, 10):
        if rng.random() < row / 24:
            x, y = 100 + 40 * col, 50 + 40 * row
            cv2.rectangle(picture, (x, y), (x + 39, y + 39), inks[rng.integers(7)], -1)
            cv2.rectangle(picture, (x, y), (x + 39, y + 39), (225, 225, 225), 2)
    return picture


@pytest.mark.parametrize("game", [draw_chess, draw_gems, draw_blocks])
def test_another_game_is_no_kingdom(game: Callable[[np.random.Generator], Pixels]) -> None:
    assert list_unflagged_boards(game(np.random.default_rng(0))) == []


@pytest.mark.parametrize("shade", [0, 255])
def test_a_photo_of_nothing_shows_no_kingdom(shade: int) -> None:
    assert read_kingdoms(np.full((1200, 1600, 3), shade, np.uint8)) == []


def test_noise_in_the_dark_shows_no_kingdom() -> None:
    noise = np.random.default_rng(0).gamma(1.0, 4.0, (900, 1200, 3))
    assert list_unflagged_boards(np.clip(noise, 0, 255).astype(np.uint8)) == []


@pytest.mark.parametrize("squares", [0.35, 0.7])
def test_a_blurred_kingdom_always_needs_review(squares: float) -> None:
    (truth,) = load_truth("demo")
    corners = np.array(truth["corners_tl_tr_br_bl_px"])
    side = float(np.linalg.norm(corners[1] - corners[0])) / len(truth["board"][0].split())
    photo = load_pixels("demo")
    # A wide blur of a reduced photo takes no time.
    reduced_photo = cv2.resize(photo, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    blurred_photo = cv2.resize(cv2.GaussianBlur(reduced_photo, (0, 0), squares * side / 4), photo.shape[1::-1])
    assert list_unflagged_boards(blurred_photo.astype(np.uint8)) == []


def draw_hand(pixels: Pixels, corners: NDArray[np.float64]) -> Pixels:
    """Draw a hand in the colour of skin over the lower right of a kingdom: a palm, an arm and four fingers."""
    picture = np.array(pixels)
    x_axis, y_axis = corners[1] - corners[0], corners[3] - corners[0]

    def locate_point(x: float, y: float) -> tuple[int, int]:
        point = corners[0] + x * x_axis + y * y_axis
        return int(point[0]), int(point[1])

    width = int(0.12 * np.linalg.norm(x_axis))
    for start, reach in ((0.42, 0.30), (0.55, 0.24), (0.68, 0.22), (0.81, 0.28)):
        cv2.line(
            picture, locate_point(start, 0.55), locate_point(start - 0.03, reach), (205, 150, 120), width, cv2.LINE_AA
        )
    palm = (int(2.6 * width), int(2.3 * width))
    cv2.ellipse(picture, locate_point(0.62, 0.68), palm, 0, 0, 360, (212, 158, 128), -1, cv2.LINE_AA)
    cv2.line(picture, locate_point(0.66, 0.7), locate_point(0.9, 1.6), (208, 154, 124), 3 * width, cv2.LINE_AA)
    return picture


@pytest.mark.parametrize("name", ["demo", "oblique"])
def test_a_kingdom_under_a_hand_always_needs_review(name: str) -> None:
    (truth,) = load_truth(name)
    assert list_unflagged_boards(draw_hand(load_pixels(name), np.array(truth["corners_tl_tr_br_bl_px"]))) == []


def test_the_review_of_a_grey_photo_names_its_missing_colours() -> None:
    (truth,) = load_truth("demo")
    pixels = load_pixels("demo")
    for picture, is_grey in ((pixels.mean(axis=2).astype(np.uint8), True), (pixels // 16, False)):
        (reading,) = kdvision.read(picture, corners=[truth["corners_tl_tr_br_bl_px"]])
        assert reading.review
        advice = make_no_kingdom_error(Photo.open(picture), []).hint
        assert any(f"no colours: {advice}" in problem.text for problem in reading.problems) == is_grey
        (second_reading,) = decide_again([reading.observation], surroundings=[reading.surroundings])
        assert [problem.text for problem in second_reading.problems] == [problem.text for problem in reading.problems]


def test_readings_without_a_near_solution_take_few_programmes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tiles in an outline around a strip of a board fit no box, so each of 12 squares may cause a long search."""
    solve, calls = optimize.milp, list[Any]()

    def count_calls(*args: Any, **options: Any) -> Any:
        calls.append(args)
        return solve(*args, **options)

    monkeypatch.setattr(ilp, "milp", count_calls)
    (reading,) = kdvision.read(SAMPLES / "demo.jpg", corners=[[[1090, 129], [1272, 133], [1383, 1088], [1148, 1082]]])
    assert reading.review and len(calls) <= 50
