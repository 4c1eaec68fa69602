"""The same photo gives the same board under rotation by any angle and under the eight orientations of EXIF."""

from functools import cache

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import kdvision
from kdvision.evaluate.corruptions import corrupt
from kdvision.evaluate.corruptions.pixels import CellLayout
from kdvision.game.board import Board
from kdvision.vision.image.photo import Photo
from tests.kingdoms import load_truth
from tests.paths import SAMPLES
from tests.vision.image.test_photo import encode_image, make_exif, store_rotated

Pixels = NDArray[np.uint8]


@cache
def load_sample(name: str) -> tuple[Pixels, Board]:
    """Return a sample's pixels, at most 900 on a side, and its true board."""
    pixels = Photo.open(SAMPLES / f"{name}.jpg").pixels
    factor = 900 / max(pixels.shape)
    reduced_pixels = cv2.resize(pixels, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    (truth,) = load_truth(name)
    return np.asarray(reduced_pixels, np.uint8), Board.parse(truth["board"])


def rotate_pixels(pixels: Pixels, degrees: float) -> Pixels:
    """Return the picture rotated clockwise within a larger one, whose corners repeat the pixels at the edge."""
    height, width = pixels.shape[:2]
    side = int(np.hypot(height, width)) + 1
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), -degrees, 1.0)
    matrix[:, 2] += (side - width) / 2, (side - height) / 2
    return np.asarray(cv2.warpAffine(pixels, matrix, (side, side), borderMode=cv2.BORDER_REPLICATE), np.uint8)


def read_board(source: Pixels | bytes) -> Board:
    (reading,) = kdvision.read(source)
    return reading.board


def is_same_board(board: Board, other: Board) -> bool:
    """Return whether the boards are equal up to quarter turns."""
    return any(board == other.rotate(quarter_turns) for quarter_turns in range(4))


@pytest.mark.parametrize("degrees", [0, 30, 61, 90, 137, 200, 295])
def test_a_photo_rotated_by_any_angle_gives_the_same_board(degrees: float) -> None:
    pixels, board = load_sample("demo")
    assert is_same_board(read_board(rotate_pixels(pixels, degrees)), board)


@pytest.mark.parametrize("quarter_turns", [1, 2, 3])
def test_quarter_turns_rotate_the_board(quarter_turns: int) -> None:
    pixels, board = load_sample("oblique")
    assert read_board(np.ascontiguousarray(np.rot90(pixels, -quarter_turns))) == board.rotate(quarter_turns)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_every_exif_orientation_gives_the_same_board(orientation: int) -> None:
    pixels, board = load_sample("demo")
    data = encode_image(store_rotated(Image.fromarray(pixels), orientation), "PNG", exif=make_exif(orientation))
    assert np.array_equal(Photo.open(data).pixels, pixels)
    assert read_board(data) == board


@pytest.mark.parametrize(("name", "seed"), [("demo", 0), ("oblique", 3), ("seven", 7), ("castle", 5)])
def test_an_oblique_photo_is_read(name: str, seed: int) -> None:
    """The second pass corrects columns that the first pass skips or detects twice."""
    pixels = Photo.open(SAMPLES / f"{name}.jpg").pixels
    _, board = load_sample(name)
    assert is_same_board(
        read_board(corrupt(pixels, "further tilt", 3, cells=CellLayout(100), name=name, seed=seed)), board
    )
