"""Tiles of one photo read beside each other, by the shipped network, on samples."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from kdvision import pipeline
from kdvision.game.board import Square
from kdvision.vision.classify.context import Context, colours
from kdvision.vision.classify.observation import Sight, sort_out
from kdvision.vision.classify.observe import search_all
from kdvision.vision.classify.probabilities import Reading
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.cells import CellReader, crops_of
from kdvision.vision.networks.detector import Finder
from kdvision.vision.networks.onnx import shipped
from tests.paths import SAMPLES


@pytest.fixture(scope="module")
def context() -> Context:
    return Context(shipped("context"))


@pytest.fixture(scope="module")
def two() -> tuple[Photo, list[Sight]]:
    """The kingdoms of a sample, each tile read by itself."""
    photo = Photo.open(SAMPLES / "two-kingdoms.jpg")
    return photo, sort_out(search_all(photo, Finder(shipped("finder")), CellReader(shipped("cells"))))[0]


def unsure(sight: Sight, place: Square, shares: dict[str, float]) -> Sight:
    """The sight with a square that looks like these kinds, with this probability each."""
    probabilities = np.exp(sight.reading.log_probs)
    probabilities[place] = [shares.get(kind, 1e-5) for kind in sight.reading.kinds]
    return replace(sight, reading=Reading.of_probabilities(probabilities, sight.reading.kinds))


@pytest.mark.parametrize(("kind", "other"), [("w", "g"), ("g", "w"), ("f", "l")])
def test_a_square_that_may_be_either_is_told_by_the_others(
    kind: str, other: str, context: Context, two: tuple[Photo, list[Sight]]
) -> None:
    photo, (sight, beside) = two
    best = sight.reading.best
    place = next(square for square, cell in best.items() if str(cell) == kind)
    doubtful = unsure(sight, place, {kind: 0.45, other: 0.55})
    read = context.read(photo, [doubtful, beside])[0]
    assert doubtful.reading.best[place] != best[place]
    assert read.reading.probability(place, kind) > 0.6


def test_what_is_plain_stays_and_where_tiles_lie(context: Context, two: tuple[Photo, list[Sight]]) -> None:
    photo, sights = two
    for before, after in zip(sights, context.read(photo, sights), strict=True):
        assert after.reading.best == before.reading.best
        assert np.allclose(after.presence, before.presence)
        bare = before.presence <= 0.5
        assert (after.reading.log_probs[bare] == before.reading.log_probs[bare]).all()
        assert (after.bonds, after.hidden.tolist()) == (before.bonds, before.hidden.tolist())


def test_no_kind_is_ruled_out_by_the_others(context: Context, two: tuple[Photo, list[Sight]]) -> None:
    """Else neither the deck nor what a person says of its other half could mend a square."""
    photo, sights = two
    for before, after in zip(sights, context.read(photo, sights), strict=True):
        assert (after.reading.log_probs - before.reading.log_probs).min() > np.log(0.1) - 1e-3


@pytest.mark.parametrize(("none", "one", "two_crowns"), [(0.6, 0.3, 0.09), (0.1, 0.85, 0.04)])
def test_crowns_are_counted_on_each_square(
    none: float, one: float, two_crowns: float, context: Context, two: tuple[Photo, list[Sight]]
) -> None:
    photo, (sight, beside) = two
    place = next(square for square, cell in sight.reading.best.items() if str(cell) == "g")
    doubtful = unsure(sight, place, {"g": none, "g1": one, "g2": two_crowns})
    read = context.read(photo, [doubtful, beside])[0].reading
    chances = np.array([read.probability(place, kind) for kind in ("g", "g1", "g2")])
    assert chances / chances.sum() == pytest.approx(
        np.array([none, one, two_crowns]) / (none + one + two_crowns), abs=1e-3
    )


def test_towns_keep_their_share(context: Context, two: tuple[Photo, list[Sight]]) -> None:
    photo, (sight, beside) = two
    place = next(square for square, cell in sight.reading.best.items() if str(cell) == "w")
    read = context.read(photo, [unsure(sight, place, {"t": 0.7, "w": 0.15, "g": 0.15}), beside])[0]
    assert read.reading.probability(place, "t") == pytest.approx(0.7, abs=1e-3)
    assert sum(read.reading.probability(place, kind) for kind in ("w", "g")) == pytest.approx(0.3, abs=0.02)


def test_neither_the_order_of_kingdoms_nor_where_their_squares_lie_matters(
    context: Context, two: tuple[Photo, list[Sight]]
) -> None:
    photo, (one, other) = two
    straight, swapped = context.read(photo, [one, other]), context.read(photo, [other, one])[::-1]
    for first, second in zip(straight, swapped, strict=True):
        assert np.allclose(np.exp(first.reading.log_probs), np.exp(second.reading.log_probs), atol=1e-4)
    assert not np.allclose(context.read(photo, [one])[0].reading.log_probs, straight[0].reading.log_probs)


def test_without_tiles_there_is_nothing_to_read(context: Context, two: tuple[Photo, list[Sight]]) -> None:
    photo, (sight, _) = two
    bare = replace(sight, reading=Reading(sight.reading.without(sight.presence > -1).log_probs, sight.reading.kinds))
    assert context.read(photo, []) == []
    assert context.read(photo, [bare]) == [bare]
    both = context.read(photo, [bare, sight])
    assert (both[0].reading.log_probs == bare.reading.log_probs).all()


def beside_two_dominoes() -> Photo:
    """The sample with two of its dominoes again, on the table right of it."""
    photo = Photo.open(SAMPLES / "demo.jpg")
    (sight,) = search_all(photo, Finder(shipped("finder")), CellReader(shipped("cells")))
    quads, side = sight.grid.quads[1:3, 1:3], sight.grid.side
    pixels = np.pad(photo.pixels, ((0, 0), (0, round(8 * side)), (0, 0)), mode="edge")
    outline = np.array([quads[0, 0, 0], quads[0, 1, 1], quads[1, 1, 2], quads[1, 0, 3]], np.int32)
    laid = np.roll(cv2.fillConvexPoly(np.zeros(pixels.shape[:2], np.uint8), outline, 1), round(7.5 * side), axis=1) > 0
    pixels[laid] = np.roll(pixels, round(7.5 * side), axis=1)[laid]
    return Photo.open(pixels)


def test_only_kingdoms_are_read_together(context: Context) -> None:
    """Dominoes on offer stay as the cell network saw them; which grids are kingdoms is no matter of this network's."""
    photo, networks = beside_two_dominoes(), (Finder(shipped("finder")), CellReader(shipped("cells")))
    alone, together = search_all(photo, *networks), search_all(photo, *networks, context)
    kingdom, offer = sorted(alone, key=lambda sight: -sight.tiles)
    assert sort_out(alone) == ([kingdom], [offer]) and offer.tiles > 3
    (read,) = context.read(photo, [kingdom])
    seen = {kingdom: read, offer: offer}
    for before, after in zip(alone, together, strict=True):
        assert (after.reading.log_probs == seen[before].reading.log_probs).all()
    assert not np.allclose(read.reading.log_probs, kingdom.reading.log_probs)


@pytest.mark.parametrize("how", ["found", "corners", "same"])
def test_boards_are_decided_from_what_it_says(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    demo = SAMPLES / "demo.jpg"
    (plain,) = pipeline.read(demo)
    corners = plain.grid.corners.tolist()
    monkeypatch.setattr(Context, "read", lambda self, photo, sights: [turned_to_swamp(sight) for sight in sights])
    if how == "same":
        (read,) = pipeline.read_same([demo, demo])
    else:
        (read,) = pipeline.read(demo, corners=[corners] if how == "corners" else None)
    assert str(plain.board[Square(0, 0)]) != "s"
    assert read.reading.probability(Square(0, 0), "s") > 0.9


def turned_to_swamp(sight: Sight) -> Sight:
    """The sight with swamp on its first tile."""
    first = Square(*np.argwhere(sight.presence > 0.5)[0].tolist())
    return unsure(sight, first, {"s": 0.99})


def test_colours_are_those_of_the_square_and_not_of_its_neighbours() -> None:
    crops = np.zeros((2, 64, 64, 3), np.uint8)
    crops[:, 12:52, 12:52] = (200, 180, 40)
    crops[1, 12:32, 12:52] = (40, 90, 200)
    first, second = colours(crops)
    lab = cv2.cvtColor(np.array([[[200, 180, 40], [40, 90, 200]]], np.uint8), cv2.COLOR_RGB2LAB)[0].astype(float)
    assert first[:3] == pytest.approx(lab[0]) and first[3:] == pytest.approx(0)
    assert second[:3] == pytest.approx(lab.mean(axis=0))
    assert second[3:] == pytest.approx(lab.std(axis=0))
    assert colours(crops_of(Photo.open(np.zeros((64, 64, 3), np.uint8)), np.zeros((0, 4, 2)))).shape == (0, 6)
