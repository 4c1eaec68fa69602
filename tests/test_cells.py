"""Crops as the cell network gets them, and its answers under quarter turns; the real network runs."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from kdvision.vision.cells import CROP, INNER, CellReader, prepare
from kdvision.vision.models import shipped
from kdvision.vision.photo import Photo

SAMPLES = Path(__file__).parent.parent / "samples"


def picture(size: int = 400) -> np.ndarray:
    """Coloured so that every place can be told from its colour: red runs right, green runs down."""
    y, x = np.mgrid[0:size, 0:size] * 255 / size
    return np.dstack([x, y, np.full_like(x, 128)]).astype(np.uint8)


def box(x: float, y: float, side: float) -> np.ndarray:
    return np.array([[x, y], [x + side, y], [x + side, y + side], [x, y + side]])


@pytest.mark.parametrize("side", [20.0, 40.0, 90.0, 200.0])
def test_the_square_fills_the_middle_of_its_crop(side: float) -> None:
    crop = prepare(picture(), box(100, 150, side)[None])[0].astype(float)
    assert crop.shape == (CROP, CROP, 3)
    first, last = (CROP - INNER) // 2, (CROP + INNER) // 2 - 1
    per_pixel = 255 / 400
    within = 1.5 + side / INNER * per_pixel  # one pixel of the crop
    assert crop[CROP // 2, first, 0] == pytest.approx(100 * per_pixel, abs=within)
    assert crop[CROP // 2, last, 0] == pytest.approx((100 + side) * per_pixel, abs=within)
    assert crop[last, CROP // 2, 1] == pytest.approx((150 + side) * per_pixel, abs=within)


def test_corners_that_begin_elsewhere_turn_the_crop() -> None:
    upright, turned = prepare(picture(), np.stack([box(100, 100, 80), np.roll(box(100, 100, 80), -1, axis=0)]))
    assert np.abs(np.rot90(upright).astype(float) - turned)[4:-4, 4:-4].mean() < 3


def test_no_squares_give_no_crops() -> None:
    assert prepare(picture(), np.zeros((0, 4, 2))).shape == (0, CROP, CROP, 3)


def test_turning_squares_turns_their_partners_and_nothing_else() -> None:
    """Four turns of each crop are averaged, so a turned square is the same four crops again, a pixel off."""
    (truth,) = json.loads((SAMPLES / "demo.json").read_text(encoding="utf-8"))["kingdoms"]
    rows, cols = len(truth["board"]), len(truth["board"][0].split())
    frame = np.array([[0, 0], [cols, 0], [cols, rows], [0, rows]], np.float32)
    matrix = cv2.getPerspectiveTransform(frame, np.array(truth["corners_tl_tr_br_bl_px"], np.float32))
    boxes = np.array([box(col, row, 1) for row in range(rows) for col in range(cols)], np.float64)
    quads = np.asarray(cv2.perspectiveTransform(boxes.reshape(1, -1, 2), matrix), float).reshape(-1, 4, 2)
    reader, pixels = CellReader(shipped("cells")), Photo.open(SAMPLES / "demo.jpg").pixels
    upright, turned = (reader.look(pixels, np.roll(quads, -k, axis=1)) for k in (0, 1))
    assert (upright.kind.argmax(1) == turned.kind.argmax(1)).all()
    assert np.abs(np.exp(upright.kind) - np.exp(turned.kind)).mean() < 0.01
    assert np.abs(upright.presence - turned.presence).mean() < 1
    # beginning at the top right corner, what lay right of the square now lies above it
    changes = [np.abs(np.exp(np.roll(upright.partner, -k, axis=1)) - np.exp(turned.partner)).mean() for k in range(4)]
    assert changes[1] < 0.05
    assert min(changes[0], *changes[2:]) > 0.2
    assert np.allclose(np.exp(upright.kind).sum(1), 1)
