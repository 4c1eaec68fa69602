"""Crops as the cell network gets them, and its answers under quarter turns; the real network runs."""

import json
from typing import Any, cast

import cv2
import numpy as np
import pytest

from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.cells import (
    CERTAIN_LOG_ODDS,
    CROP_PIXELS,
    EMPTY_LOG_ODDS,
    SQUARE_PIXELS,
    CellClassifier,
    CellPredictions,
    OutputLayout,
    crop_squares,
    prepare_crops,
    turn_logits_upright,
)
from kdvision.vision.networks.onnx import Model, load_model
from tests.paths import SAMPLES


def picture(size: int = 400) -> np.ndarray:
    """Coloured so that every place can be told from its colour: red runs right, green runs down."""
    y, x = np.mgrid[0:size, 0:size] * 255 / size
    return np.dstack([x, y, np.full_like(x, 128)]).astype(np.uint8)


def box(x: float, y: float, side: float) -> np.ndarray:
    return np.array([[x, y], [x + side, y], [x + side, y + side], [x, y + side]])


@pytest.mark.parametrize("side", [20.0, 40.0, 90.0, 200.0])
def test_the_square_fills_the_middle_of_its_crop(side: float) -> None:
    crop = prepare_crops(picture(), box(100, 150, side)[None])[0].astype(float)
    assert crop.shape == (CROP_PIXELS, CROP_PIXELS, 3)
    first, last = (CROP_PIXELS - SQUARE_PIXELS) // 2, (CROP_PIXELS + SQUARE_PIXELS) // 2 - 1
    per_pixel = 255 / 400
    within = 1.5 + side / SQUARE_PIXELS * per_pixel  # one pixel of the crop
    assert crop[CROP_PIXELS // 2, first, 0] == pytest.approx(100 * per_pixel, abs=within)
    assert crop[CROP_PIXELS // 2, last, 0] == pytest.approx((100 + side) * per_pixel, abs=within)
    assert crop[last, CROP_PIXELS // 2, 1] == pytest.approx((150 + side) * per_pixel, abs=within)


def test_corners_that_begin_elsewhere_turn_the_crop() -> None:
    turn_logits_upright, turned = prepare_crops(
        picture(), np.stack([box(100, 100, 80), np.roll(box(100, 100, 80), -1, axis=0)])
    )
    assert np.abs(np.rot90(turn_logits_upright).astype(float) - turned)[4:-4, 4:-4].mean() < 3


def test_no_squares_give_no_crops() -> None:
    assert prepare_crops(picture(), np.zeros((0, 4, 2))).shape == (0, CROP_PIXELS, CROP_PIXELS, 3)


def demo_squares() -> np.ndarray:
    """The squares (n, 4, 2) of the demo's kingdom, as its truth has them."""
    (truth,) = json.loads((SAMPLES / "demo.json").read_text(encoding="utf-8"))["kingdoms"]
    rows, cols = len(truth["board"]), len(truth["board"][0].split())
    frame = np.array([[0, 0], [cols, 0], [cols, rows], [0, rows]], np.float32)
    matrix = cv2.getPerspectiveTransform(frame, np.array(truth["corners_tl_tr_br_bl_px"], np.float32))
    boxes = np.array([box(col, row, 1) for row in range(rows) for col in range(cols)], np.float64)
    return np.asarray(cv2.perspectiveTransform(boxes.reshape(1, -1, 2), matrix), float).reshape(-1, 4, 2)


def test_turning_squares_turns_their_partners_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing is certain four turns of each crop are averaged: a turned square is the same crops, a pixel off."""
    monkeypatch.setattr("kdvision.vision.networks.cells.CERTAIN_LOG_ODDS", np.inf)
    quads = demo_squares()
    reader, photo = CellClassifier(load_model("cells")), Photo.open(SAMPLES / "demo.jpg")
    turn_logits_upright, turned = (reader.classify(photo, np.roll(quads, -k, axis=1)) for k in (0, 1))
    assert (turn_logits_upright.kind.argmax(1) == turned.kind.argmax(1)).all()
    assert np.abs(np.exp(turn_logits_upright.kind) - np.exp(turned.kind)).mean() < 0.01
    assert np.abs(turn_logits_upright.presence - turned.presence).mean() < 1
    # beginning at the top right corner, what lay right of the square now lies above it
    changes = [
        np.abs(np.exp(np.roll(turn_logits_upright.partner, -k, axis=1)) - np.exp(turned.partner)).mean()
        for k in range(4)
    ]
    assert changes[1] < 0.05
    assert min(changes[0], *changes[2:]) > 0.2
    assert np.allclose(np.exp(turn_logits_upright.kind).sum(1), 1)


class Counted:
    """A model that counts the pictures it is shown."""

    def __init__(self, model: Model) -> None:
        self.model, self.metadata, self.pictures = model, model.metadata, 0

    def run(self, pictures: np.ndarray) -> np.ndarray:
        self.pictures += len(pictures)
        return self.model.run(pictures)


def test_squares_beyond_doubt_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Counted(load_model("cells"))
    reader = CellClassifier(cast(Model, model))
    photo, quads = Photo.open(SAMPLES / "demo.jpg"), demo_squares()
    looks, shown = [], []
    for certain in (np.inf, CERTAIN_LOG_ODDS, -np.inf):
        monkeypatch.setattr("kdvision.vision.networks.cells.CERTAIN_LOG_ODDS", certain)
        model.pictures = 0
        looks.append(reader.classify(photo, quads))
        shown.append(model.pictures)
    assert shown[0] == 4 * len(quads)
    assert len(quads) == shown[2] <= shown[1] < shown[0]
    assert (looks[0].kind.argmax(1) == looks[1].kind.argmax(1)).all()


def test_bare_squares_are_not_looked_at_and_show_nothing() -> None:
    model = Counted(load_model("cells"))
    reader = CellClassifier(cast(Model, model))
    photo, quads = Photo.open(SAMPLES / "demo.jpg"), demo_squares()
    bare = np.zeros(len(quads), bool)
    bare[[0, 7, 8]] = True
    some, all_ = reader.classify(photo, quads, turns=1, empty=bare), reader.classify(photo, quads, turns=1)
    assert model.pictures == 2 * len(quads) - bare.sum()
    assert (some.presence[bare] == EMPTY_LOG_ODDS).all()
    assert np.allclose(np.exp(some.kind).sum(1), 1)
    assert np.allclose(np.exp(some.partner).sum(1), 1)
    assert (some.kind.argmax(1) == all_.kind.argmax(1))[~bare].all()
    assert np.abs(some.presence - all_.presence)[~bare].max() < 1


def test_a_photo_of_many_pixels_gives_the_crops_of_a_smaller_one() -> None:
    """Crops are cut from the size of the photo that suits them, and lie where they lay."""
    large = np.asarray(cv2.resize(picture(), (3200, 3200), interpolation=cv2.INTER_CUBIC), np.uint8)
    code = cv2.imencode(".jpg", large, [cv2.IMWRITE_JPEG_QUALITY, 98])[1].tobytes()
    quads = np.stack([box(800, 1200, 640), box(1440, 1200, 640)])
    crops = crop_squares(Photo.open(code), quads)[:, 2:-2, 2:-2, ::-1].astype(float)  # imencode takes red for blue
    assert np.abs(crops - prepare_crops(large, quads)[:, 2:-2, 2:-2]).mean() < 1.5


# What stands and lies on squares.

ROW = OutputLayout(3, ("", "knight", "tower"))


def test_the_parts_of_a_row_follow_each_other() -> None:
    parts = [ROW.kind, slice(ROW.presence, ROW.occlusion), slice(ROW.occlusion, ROW.occlusion + 1), ROW.partner]
    parts += [ROW.piece, ROW.gem]
    assert [part.start for part in parts] == [0, *(part.stop for part in parts[:-1])]
    assert parts[-1].stop == 3 + 2 + 4 + 3 + 4
    old = OutputLayout(3)
    assert (old.partner, old.piece, old.gem) == (slice(5, 9), slice(9, 9), slice(9, 9))


@pytest.mark.parametrize("turn", range(4))
def test_what_lies_at_a_side_or_a_corner_is_turned_back_with_its_crop(turn: int) -> None:
    """Bright spots at a crop's sides and corners, turned as the reader turns crops, and read where they lie then."""
    size = CROP_PIXELS + 1  # so that there is a pixel in the middle
    middle, last = size // 2, size - 1
    sides = [(middle, last), (last, middle), (middle, 0), (0, middle)]  # right, down, left, up
    corners = [(0, 0), (0, last), (last, last), (last, 0)]
    rng = np.random.default_rng(turn)
    crop, row = np.zeros((1, size, size)), np.arange(16.0)[None]
    for place in (*sides, *corners):
        crop[0][place] = rng.random()

    def logits(of: np.ndarray) -> np.ndarray:
        """What a network that sees spots would say: of sides as partners, of corners as gems."""
        seen = row.copy()
        seen[0, ROW.partner] = [of[0][place] for place in sides]
        seen[0, ROW.gem] = [of[0][place] for place in corners]
        return seen

    turned = logits(np.rot90(crop, turn, (1, 2)))
    assert np.array_equal(turn_logits_upright(turned, turn, ROW), logits(crop))


def test_bare_squares_have_no_pieces() -> None:
    rng = np.random.default_rng(1)
    seen = CellPredictions(
        rng.random((1, 3)), rng.random(1), rng.random(1), rng.random((1, 4)), rng.random((1, 3)), np.ones((1, 4))
    )
    whole = seen.insert_empty(np.array([True, False]))
    assert np.exp(whole.pieces[0]).sum() == pytest.approx(1) and np.exp(whole.pieces[0, 0]) > 0.99
    assert whole.gems.tolist() == [[EMPTY_LOG_ODDS] * 4, [1] * 4]
    assert np.array_equal(whole.pieces[1], seen.pieces[0]) and np.array_equal(whole.partner[1], seen.partner[0])
    old = CellPredictions(seen.kind, seen.presence, seen.hidden, seen.partner, np.zeros((1, 0)), np.zeros((1, 0)))
    assert [part.shape for part in (old.insert_empty(np.array([False, True])).pieces, old.gems)] == [(2, 0), (1, 0)]


class Saying:
    """A model that says of every picture that a tile lies there for certain, and a knight with a probability."""

    def __init__(self, about: dict[str, Any], chance: float) -> None:
        self.metadata, self.pictures = about, 0
        row = OutputLayout(len(about["kinds"]) - 1, tuple(about["pieces"]))
        self.logits = np.zeros(row.gem.stop, np.float32)
        self.logits[[row.kind.start, row.presence]] = 60
        self.logits[row.piece] = -60
        self.logits[row.piece.start : row.piece.start + 2] = (
            about["temperatures"].get("pieces", 1.0) * np.log([1 - chance, chance]) if chance else (60, -60)
        )

    def run(self, pictures: np.ndarray) -> np.ndarray:
        self.pictures += len(pictures)
        return np.repeat(self.logits[None], len(pictures), axis=0)


@pytest.mark.parametrize(("chance", "looks"), [(0.0, 1), (0.005, 1), (0.05, 4), (0.6, 4), (0.95, 4), (0.999, 1)])
def test_a_piece_that_may_be_there_is_looked_at_again(chance: float, looks: int) -> None:
    model = Saying(load_model("cells").metadata, chance)
    reader = CellClassifier(cast(Model, model))
    seen = reader.classify(Photo.open(picture()), box(40, 40, 40)[None])
    assert model.pictures == looks
    assert float(np.exp(seen.pieces[0, 1])) == pytest.approx(chance, abs=1e-3)
