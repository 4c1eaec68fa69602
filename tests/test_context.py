"""Tiles of one photo read beside each other, by the shipped network, on samples."""

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from kdvision.game.board import Square
from kdvision.vision.cells import CellReader, crops_of
from kdvision.vision.context import Context, colours
from kdvision.vision.evidence import search_all
from kdvision.vision.finder import Finder
from kdvision.vision.models import shipped
from kdvision.vision.photo import Photo
from kdvision.vision.reading import Reading
from kdvision.vision.sight import Sight, sort_out

SAMPLES = Path(__file__).parents[1] / "samples"


@pytest.fixture(scope="module")
def context() -> Context:
    return Context(shipped("context"))


def seen(name: str, context: Context | None = None) -> tuple[Photo, list[Sight]]:
    photo = Photo.open(SAMPLES / f"{name}.jpg")
    return photo, search_all(photo, Finder(shipped("finder")), CellReader(shipped("cells")), context)


@pytest.fixture(scope="module")
def two() -> tuple[Photo, list[Sight]]:
    """The kingdoms of a sample, each tile read by itself."""
    photo, sights = seen("two-kingdoms")
    return photo, sort_out(sights)[0]


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


def test_only_kingdoms_are_read_together(context: Context) -> None:
    """A line on offer stays as the cell network saw it; which grids are kingdoms is no matter of this network's."""
    photo, alone = seen("two-kingdoms")
    _, together = seen("two-kingdoms", context)
    kingdoms = sort_out(alone)[0]
    expected = context.read(photo, kingdoms)
    assert len(alone) > len(kingdoms) or len(kingdoms) == 2
    for before, after in zip(alone, together, strict=True):
        if any(before is one for one in kingdoms):
            before = expected[[before is one for one in kingdoms].index(True)]
        assert np.allclose(before.reading.log_probs, after.reading.log_probs)


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
