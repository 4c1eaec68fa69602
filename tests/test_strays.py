"""Squares on no grid: several together may be a kingdom that was missed, and are told with all that were found."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from kdvision import pipeline
from kdvision.vision.cells import CellReader
from kdvision.vision.evidence import search_all
from kdvision.vision.finder import Finder, Squares
from kdvision.vision.kingdom_read import surroundings
from kdvision.vision.models import shipped
from kdvision.vision.photo import Photo
from kdvision.vision.sight import Sight, sort_out
from kdvision.vision.strays import SEVERAL, strays

SAMPLES = Path(__file__).parent.parent / "samples"


def searched(name: str) -> tuple[Photo, CellReader, list[Squares], list[Sight]]:
    """A sample, a reader, all squares seen in it, and what is seen on its grids."""
    photo, reader, looks = Photo.open(SAMPLES / f"{name}.jpg"), CellReader(shipped("cells")), list[Squares]()

    def tell(what: str, made: Any) -> None:
        if what == "squares":
            looks.extend(made)

    return photo, reader, looks, search_all(photo, Finder(shipped("finder")), reader, tell=tell)


def with_a_heap(name: str, tiles: int) -> npt.NDArray[np.uint8]:
    """A sample with some of its tiles again, on the table right of it, near each other and each turned otherwise."""
    photo, _, _, (sight,) = searched(name)
    side, (height, width) = sight.grid.side, photo.pixels.shape[:2]
    made = np.pad(photo.pixels, ((0, 0), (0, round(6 * side)), (0, 0)), mode="edge")
    for n, place in enumerate(np.argwhere(sight.presence > 0.5)[:tiles].tolist()):
        away, along = 0.77 * side * np.sqrt(n + 0.5), 2.4 * n  # as a sunflower's seeds lie: in no rows
        middle = (width + 3 * side + away * np.cos(along), height / 2 + away * np.sin(along))
        box = cv2.boxPoints((middle, (side, side), 17.0 + 37 * n))
        laid = cv2.getPerspectiveTransform(sight.grid.quads[tuple(place)].astype(np.float32), box)
        there = cv2.fillConvexPoly(np.zeros(made.shape[:2], np.uint8), box.astype(int), 1) > 0
        made[there] = cv2.warpPerspective(photo.pixels, laid, (made.shape[1], height))[there]
    return made


@pytest.mark.parametrize("name", ["demo", "two-kingdoms", "holes"])
def test_a_kingdom_on_no_grid_is_told(name: str) -> None:
    photo, reader, looks, sights = searched(name)
    assert not any(sight.strays for sight in sights)
    kingdoms = sort_out(sights)[0]
    lost = [sight for sight in sights if sight is not kingdoms[-1]]
    assert strays(photo, reader, looks, lost)
    assert not strays(photo, reader, looks, sights)
    assert not surroundings(kingdoms, sights)[0].unread
    marked = [replace(kingdoms[0], strays=True), *kingdoms[1:]]
    assert all(around.unread for around in surroundings(marked, marked))


def test_loose_dominoes_here_and_there_are_no_kingdom() -> None:
    """Of two dominoes there are four squares, wherever they lie."""
    photo, reader, _, (sight,) = searched("demo")
    rows, cols = np.argwhere(sight.presence > 0.5).T
    for taken, told in ((SEVERAL - 1, False), (None, True)):
        here = np.argsort(rows * 100 + cols)[:taken]
        quads = sight.grid.quads[rows[here], cols[here]]
        centre, across, down = quads.mean(1), (quads[:, 1] - quads[:, 0]) / 2, (quads[:, 3] - quads[:, 0]) / 2
        squares = Squares(centre, across, down, np.ones(len(here)))
        assert strays(photo, reader, [squares], []) == told


@pytest.mark.parametrize(("tiles", "told"), [(3, False), (8, True)])
def test_a_heap_of_tiles_marks_the_kingdom_beside_it(tiles: int, *, told: bool) -> None:
    photo = Photo(with_a_heap("demo", tiles), "heap")
    (kingdom,) = sort_out(search_all(photo, Finder(shipped("finder")), CellReader(shipped("cells"))))[0]
    assert kingdom.strays == told
    (read,) = pipeline.read(photo)
    assert read.review == told
