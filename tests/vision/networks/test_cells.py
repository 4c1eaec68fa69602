"""Crops for the cell network, and its predictions under quarter turns; the shipped network runs."""

from typing import Any, cast

import cv2
import numpy as np
import pytest

from kdvision.vision.geometry import UNIT_SQUARE
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.cells import (
    CERTAIN_LOG_ODDS,
    CROP_PIXELS,
    SQUARE_PIXELS,
    CellClassifier,
    crop_squares,
    locate_heads,
    prepare_crops,
    turn_logits_upright,
)
from kdvision.vision.networks.onnx import Model, load_model
from tests.kingdoms import load_truth, locate_squares
from tests.paths import SAMPLES


def make_picture(size: int = 400) -> np.ndarray:
    """Return a picture whose colours identify every place: red increases rightwards, green downwards."""
    y, x = np.mgrid[0:size, 0:size] * 255 / size
    return np.dstack([x, y, np.full_like(x, 128)]).astype(np.uint8)


def make_box(x: float, y: float, side: float) -> np.ndarray:
    return UNIT_SQUARE * side + (x, y)


@pytest.mark.parametrize("side", [20.0, 40.0, 90.0, 200.0])
def test_a_square_fills_the_middle_of_its_crop(side: float) -> None:
    crop = prepare_crops(make_picture(), make_box(100, 150, side)[None])[0].astype(float)
    assert crop.shape == (CROP_PIXELS, CROP_PIXELS, 3)
    first_pixel, last_pixel = (CROP_PIXELS - SQUARE_PIXELS) // 2, (CROP_PIXELS + SQUARE_PIXELS) // 2 - 1
    per_pixel = 255 / 400
    tolerance = 1.5 + side / SQUARE_PIXELS * per_pixel  # one pixel of the crop
    assert crop[CROP_PIXELS // 2, first_pixel, 0] == pytest.approx(100 * per_pixel, abs=tolerance)
    assert crop[CROP_PIXELS // 2, last_pixel, 0] == pytest.approx((100 + side) * per_pixel, abs=tolerance)
    assert crop[last_pixel, CROP_PIXELS // 2, 1] == pytest.approx((150 + side) * per_pixel, abs=tolerance)


def test_the_first_corner_is_the_crops_top_left() -> None:
    box = make_box(100, 100, 80)
    crop, rotated_crop = prepare_crops(make_picture(), np.stack([box, np.roll(box, -1, axis=0)]))
    assert np.abs(np.rot90(crop).astype(float) - rotated_crop)[4:-4, 4:-4].mean() < 3


def test_no_squares_give_no_crops() -> None:
    assert crop_squares(Photo.open(make_picture()), np.zeros((0, 4, 2))).shape == (0, CROP_PIXELS, CROP_PIXELS, 3)


def open_demo() -> tuple[Photo, np.ndarray]:
    """Return the demo, and the true squares (n, 4, 2) of its kingdom."""
    (truth,) = load_truth("demo")
    return Photo.open(SAMPLES / "demo.jpg"), locate_squares(truth).reshape(-1, 4, 2)


def test_rotated_squares_have_rotated_partners_and_the_same_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    """The classifier averages four rotations of each crop, so a rotated square has the same crops up to a pixel."""
    monkeypatch.setattr("kdvision.vision.networks.cells.CERTAIN_LOG_ODDS", np.inf)
    classifier, (photo, quads) = CellClassifier(load_model("cells")), open_demo()
    predictions, rotated_predictions = (classifier.classify(photo, np.roll(quads, -k, axis=1)) for k in (0, 1))
    assert (predictions.kind.argmax(1) == rotated_predictions.kind.argmax(1)).all()
    assert np.abs(np.exp(predictions.kind) - np.exp(rotated_predictions.kind)).mean() < 0.01
    assert np.abs(predictions.presence - rotated_predictions.presence).mean() < 1
    # from the top right corner, the right-hand neighbour is the upper one
    changes = [
        np.abs(np.exp(np.roll(predictions.partner, -k, axis=1)) - np.exp(rotated_predictions.partner)).mean()
        for k in range(4)
    ]
    assert changes[1] < 0.05
    assert min(changes[0], *changes[2:]) > 0.2
    assert np.allclose(np.exp(predictions.kind).sum(1), 1)


class CountingModel:
    """A model that counts the pictures that it runs."""

    def __init__(self, model: Model) -> None:
        self.model, self.metadata, self.pictures = model, model.metadata, 0

    def run(self, pictures: np.ndarray) -> np.ndarray:
        self.pictures += len(pictures)
        return self.model.run(pictures)


def test_certain_squares_are_classified_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model = CountingModel(load_model("cells"))
    classifier = CellClassifier(cast(Model, model))
    (photo, quads), predictions, pictures_run = open_demo(), [], []
    for certain_log_odds in (np.inf, CERTAIN_LOG_ODDS, -np.inf):
        monkeypatch.setattr("kdvision.vision.networks.cells.CERTAIN_LOG_ODDS", certain_log_odds)
        model.pictures = 0
        predictions.append(classifier.classify(photo, quads))
        pictures_run.append(model.pictures)
    assert pictures_run[0] == 4 * len(quads)
    assert len(quads) == pictures_run[2] <= pictures_run[1] < pictures_run[0]
    assert (predictions[0].kind.argmax(1) == predictions[1].kind.argmax(1)).all()


def test_empty_squares_are_not_classified_and_show_nothing() -> None:
    model = CountingModel(load_model("cells"))
    classifier = CellClassifier(cast(Model, model))
    photo, quads = open_demo()
    is_empty = np.zeros(len(quads), bool)
    is_empty[[0, 7, 8]] = True
    predictions, predictions_without_mask = (
        classifier.classify(photo, quads, turns=1, empty=is_empty),
        classifier.classify(photo, quads, turns=1),
    )
    assert model.pictures == 2 * len(quads) - is_empty.sum()
    assert (predictions.presence[is_empty] == -8.0).all()
    assert np.allclose(np.exp(predictions.kind).sum(1), 1)
    assert np.allclose(np.exp(predictions.partner).sum(1), 1)
    assert (predictions.kind.argmax(1) == predictions_without_mask.kind.argmax(1))[~is_empty].all()
    assert np.abs(predictions.presence - predictions_without_mask.presence)[~is_empty].max() < 1


def test_crops_do_not_depend_on_the_pyramid_level() -> None:
    """Crops are cut from the smallest level that suffices, without a shift."""
    pixels = np.asarray(cv2.resize(make_picture(), (3200, 3200), interpolation=cv2.INTER_CUBIC), np.uint8)
    content = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, 98])[1].tobytes()
    quads = np.stack([make_box(800, 1200, 640), make_box(1440, 1200, 640)])
    crops = crop_squares(Photo.open(content), quads)[:, 2:-2, 2:-2, ::-1].astype(float)  # imencode expects BGR
    assert np.abs(crops - prepare_crops(pixels, quads)[:, 2:-2, 2:-2]).mean() < 1.5


# Pieces and gems.

HEADS = locate_heads(3, 3)


def test_the_heads_follow_each_other() -> None:
    heads = [*HEADS.values()]
    assert [head.start for head in heads] == [0, *(head.stop for head in heads[:-1])]
    assert heads[-1].stop == 3 + 2 + 4 + 3 + 4


@pytest.mark.parametrize("turn", range(4))
def test_logits_of_rotated_crops_are_turned_upright(turn: int) -> None:
    """The spots at a crop's sides and corners rotate with it, and the logits describe their new places."""
    size = CROP_PIXELS + 1  # so that there is a pixel in the middle
    middle, last_pixel = size // 2, size - 1
    sides = [(middle, last_pixel), (last_pixel, middle), (middle, 0), (0, middle)]  # right, down, left, up
    corners = [(0, 0), (0, last_pixel), (last_pixel, last_pixel), (last_pixel, 0)]
    rng = np.random.default_rng(turn)
    crop, row = np.zeros((1, size, size)), np.arange(16.0)[None]
    for place in (*sides, *corners):
        crop[0][place] = rng.random()

    def make_logits(spots: np.ndarray) -> np.ndarray:
        """Return the logits of a network that reads the spots at sides as partners and those at corners as gems."""
        values = row.copy()
        values[0, HEADS["partner"]] = [spots[0][place] for place in sides]
        values[0, HEADS["gems"]] = [spots[0][place] for place in corners]
        return values

    rotated_logits = make_logits(np.rot90(crop, turn, (1, 2)))
    assert np.array_equal(turn_logits_upright(rotated_logits, turn, HEADS), make_logits(crop))


class ConstantModel:
    """A model that predicts a certain tile for every picture, and a knight with the given probability."""

    def __init__(self, metadata: dict[str, Any], probability: float) -> None:
        self.metadata, self.pictures = metadata, 0
        heads = locate_heads(len(metadata["kinds"]) - 1, len(metadata["pieces"]))
        self.logits = np.zeros(heads["gems"].stop, np.float32)
        self.logits[[0, heads["presence"].start]] = 60
        self.logits[heads["pieces"]] = -60
        shares = (
            metadata["temperatures"].get("pieces", 1.0) * np.log([1 - probability, probability])
            if probability
            else (60, -60)
        )
        self.logits[heads["pieces"]][:2] = shares[: len(metadata["pieces"])]

    def run(self, pictures: np.ndarray) -> np.ndarray:
        self.pictures += len(pictures)
        return np.repeat(self.logits[None], len(pictures), axis=0)


@pytest.mark.parametrize(
    ("probability", "expected_pictures"), [(0.0, 1), (0.005, 1), (0.05, 4), (0.6, 4), (0.95, 4), (0.999, 1)]
)
def test_an_uncertain_piece_is_classified_under_rotation(probability: float, expected_pictures: int) -> None:
    model = ConstantModel(load_model("cells").metadata, probability)
    classifier = CellClassifier(cast(Model, model))
    predictions = classifier.classify(Photo.open(make_picture()), make_box(40, 40, 40)[None])
    assert model.pictures == expected_pictures
    assert float(np.exp(predictions.pieces[0, 1])) == pytest.approx(probability, abs=1e-3)


def test_empty_squares_have_no_pieces() -> None:
    model = ConstantModel(load_model("cells").metadata, 0.6)
    quads, is_empty = np.stack([make_box(40, 40, 40)] * 2), np.array([True, False])
    predictions = CellClassifier(cast(Model, model)).classify(Photo.open(make_picture()), quads, empty=is_empty)
    assert np.exp(predictions.pieces).sum(axis=1) == pytest.approx(1) and np.exp(predictions.pieces[0, 0]) > 0.99
    assert predictions.gems.tolist() == [[-8.0] * 4, [0] * 4] and predictions.hidden.tolist() == [0, 0.5]
