"""Every set of art has Queendomino's towns, buildings and dominoes, in the right colours and order."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kdvision.lab.render.art.art_mix import ArtMix, MixedSceneArt, vary_print
from kdvision.lab.render.art.folder_art import PHOTOS, QueendominoArt
from kdvision.lab.render.art.scene_art import DRAWN_SIDE_PX, DrawnSceneArt
from kdvision.lab.render.drawn.tiles import DrawnArt
from kdvision.lab.train.crop_folder import Crops
from tests.paths import SHARED

Picture = NDArray[np.uint8]

DATA = SHARED / "data"
FOLDER = DATA / "queendomino"
needs_data = pytest.mark.skipif(not FOLDER.is_dir(), reason="the pictures are in the data folder beside the checkout")


def measure_red_share(square: Picture) -> float:
    """Return the share of red earth in a square."""
    r, g, b = (square[..., channel].astype(float) for channel in range(3))
    return float(((r > 1.35 * g) & (r > 1.35 * b) & (r > 60)).mean())


def measure_grey_share(square: Picture) -> float:
    """Return the share of grey in a square."""
    return float((np.ptp(square.astype(int), axis=2) < 40).mean())


@pytest.fixture(scope="module")
def drawn_art() -> DrawnArt:
    return DrawnArt(3, side=DRAWN_SIDE_PX)


def test_drawn_towns_and_buildings_are_red_and_their_backs_grey(drawn_art: DrawnArt) -> None:
    assert (
        drawn_art.draw_tile("town", 0).shape
        == drawn_art.draw_tile("building", 0).shape
        == (DRAWN_SIDE_PX, DRAWN_SIDE_PX, 3)
    )
    assert min(measure_red_share(drawn_art.draw_tile("town", number)) for number in range(4)) > 0.6
    assert min(measure_red_share(drawn_art.draw_tile("building", number)) for number in range(6)) > 0.4
    assert min(measure_grey_share(drawn_art.draw_tile("unbuilt", number)) for number in range(6)) > 0.6
    assert len({drawn_art.draw_tile("building", number).tobytes() for number in range(6)}) == 6


def test_the_letter_of_a_number_names_the_box(drawn_art: DrawnArt) -> None:
    scene, rng = DrawnSceneArt(drawn_art), np.random.default_rng(0)
    domino = scene.draw_tile("domino", "Q33", rng)  # town and lake
    assert measure_red_share(domino[:, :DRAWN_SIDE_PX]) > 0.6 > 0.2 > measure_red_share(domino[:, DRAWN_SIDE_PX:])
    assert np.array_equal(scene.draw_tile("domino", "K7", rng), scene.draw_tile("domino", 7, rng))
    assert (
        scene.draw_tile("building", 5, rng).shape
        == scene.draw_tile("unbuilt", 5, rng).shape
        == (DRAWN_SIDE_PX, DRAWN_SIDE_PX, 3)
    )


def test_a_varied_print_stays_a_print_of_its_size(drawn_art: DrawnArt) -> None:
    rng, town = np.random.default_rng(1), drawn_art.draw_tile("town", 1)
    copies = [vary_print(town, rng) for _ in range(8)]
    assert {copy.shape for copy in copies} == {town.shape}
    assert len({copy.tobytes() for copy in copies}) == 8
    assert min(measure_red_share(copy) for copy in copies) > 0.35


@needs_data
def test_photos_show_red_towns_and_buildings_cut_within_their_edges() -> None:
    art = QueendominoArt(FOLDER)
    towns = [*art.list_halves("t", 0), *art.list_halves("t", 1)]
    buildings = [art.load_building("building", number) for number in range(12)]
    backs = [art.load_building("unbuilt", number) for number in range(9)]
    assert min(measure_red_share(square) for square in towns) > 0.5
    assert min(measure_red_share(square) for square in buildings) > 0.4
    assert min(measure_grey_share(square) for square in backs) > 0.7
    for square in (*buildings, *backs):  # the cloth is blue, the rim of a card is not
        rim = np.concatenate([square[1], square[-2], square[:, 1], square[:, -2]]).astype(int)
        assert (rim[:, 2] > rim[:, 0] + 25).mean() < 0.03
    assert len({square.tobytes() for square in (*towns, *buildings, *backs)}) == 25


@needs_data
def test_the_kingdom_of_experiments_is_not_used() -> None:
    entries = (*PHOTOS["domino"], *PHOTOS["building"], *PHOTOS["unbuilt"], PHOTOS["queen"])
    assert not {entry["photo"] for entry in entries} & {"16", "17", "18", "19"}


@needs_data
def test_every_source_has_queendomino() -> None:
    rng = np.random.default_rng(2)
    mix = ArtMix(DATA, Crops({"a": {kind: [np.full((64, 64, 3), 90, np.uint8)] for kind in ("l", "f1", "#")}}, ()))
    for source in (*mix.dominoes, "crops"):
        art = MixedSceneArt(mix, source, "a")
        domino = art.draw_tile("domino", "Q33", rng)  # town and lake
        side = domino.shape[0]
        assert domino.shape == (side, 2 * side, 3)
        assert measure_red_share(domino[:, :side]) > 0.3 > measure_red_share(domino[:, side:])
        assert art.draw_tile("building", 3, rng).shape[:2] in {(256, 256), (DRAWN_SIDE_PX, DRAWN_SIDE_PX)}
    assert art.draw_tile("back", "Q12", rng).shape == (256, 512, 3)
    assert len(art.build_mesh("queen", "", rng).triangles)
