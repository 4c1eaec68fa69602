"""Art shows both cells of every domino in the right order and is the same for the same seed."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kdvision.game.deck import KINGDOMINO
from kdvision.lab.render.art.folder_art import SOURCES, FolderArt, cut_print
from kdvision.lab.render.drawn.tiles import DrawnArt
from kdvision.lab.render.objects.meshes import COLOURS
from tests.paths import SHARED

Picture = NDArray[np.uint8]

DATA = SHARED / "data"
CELLS = {14: ("yellow", "blue"), 30: ("blue", "yellow"), 45: ("black", "yellow"), 48: ("yellow", "black")}
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the pictures are in the data folder beside the checkout")


def make_domino_picture(left: tuple[int, int, int], right: tuple[int, int, int]) -> Picture:
    picture = np.zeros((256, 512, 3), dtype=np.uint8)
    picture[:, :256], picture[:, 256:] = left, right
    return picture


def test_a_print_is_cut_along_its_edges() -> None:
    corners = np.array([(31, 18), (985, 30), (994, 490), (22, 482)], dtype=np.float32)
    flat = np.array([(0, 0), (512, 0), (512, 256), (0, 256)], dtype=np.float32)
    domino = make_domino_picture((210, 160, 20), (60, 50, 40))
    photo = np.full((512, 1024, 3), (232, 226, 214), dtype=np.uint8)
    cv2.warpPerspective(
        domino, cv2.getPerspectiveTransform(flat, corners), (1024, 512), photo, borderMode=cv2.BORDER_TRANSPARENT
    )
    flat_picture = cut_print(photo, corners, 2)
    assert flat_picture.shape == (256, 512, 3)
    differs = np.abs(flat_picture.astype(int) - domino).max(axis=2) > 40
    assert differs[4:-4, 4:-4].mean() < 0.02
    trimmed_picture = cut_print(photo, corners, 2, rim=0.02)
    assert (np.abs(trimmed_picture.astype(int) - domino).max(axis=2) > 40).mean() < 0.02


@needs_data
def test_photos_show_no_table_beside_the_domino() -> None:
    """The table is white, and these dominoes are dark along their edges."""
    for number in (30, 45, 48):
        picture = FolderArt(DATA, "photos").draw_tile("domino", number).astype(int)
        rim = np.concatenate([picture[1], picture[-2], picture[:, 1], picture[:, -2]])
        assert (rim.min(axis=1) > 190).mean() < 0.1


def test_a_picture_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="is not a picture"):
        FolderArt(tmp_path, "scans").draw_tile("domino", 1)


@pytest.fixture(scope="module")
def drawn_art() -> DrawnArt:
    return DrawnArt(seed=5)


def count_crowns(square: Picture) -> int:
    """Return the number of white rims near the upper edge of a square."""
    is_white = np.asarray((square[:80] > 250).all(axis=2), dtype=np.uint8)
    is_solid = cv2.morphologyEx(is_white, cv2.MORPH_OPEN, np.ones((3, 3), dtype=np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(is_solid)
    return int((stats[1:, cv2.CC_STAT_WIDTH] > 40).sum())


@pytest.mark.parametrize("number", [1, 9, 12, 18, 23, 28, 35, 37, 39, 40, 42, 44, 46, 48])
def test_drawn_dominoes_show_their_crowns_on_the_right_half(drawn_art: DrawnArt, number: int) -> None:
    picture = drawn_art.draw_tile("domino", number)
    domino = KINGDOMINO[number - 1]
    assert picture.shape == (256, 512, 3)
    assert picture.dtype == np.uint8
    assert [count_crowns(picture[:, :256]), count_crowns(picture[:, 256:])] == [domino.left.crowns, domino.right.crowns]


def test_drawn_terrains_have_the_colours_of_the_game(drawn_art: DrawnArt) -> None:
    for number, (left, right) in CELLS.items():
        picture = drawn_art.draw_tile("domino", number)
        assert [find_main_colour(picture[:, :256]), find_main_colour(picture[:, 256:])] == [left, right]
    meadow, trees = drawn_art.draw_tile("domino", 18)[:, 290:], drawn_art.draw_tile("domino", 18)[:, :220]
    assert find_main_colour(meadow) == find_main_colour(trees) == "green"
    assert meadow.mean() > 1.4 * trees.mean()


def test_the_same_seed_draws_the_same_pictures_in_any_order() -> None:
    first, second, other = DrawnArt(5, side=64), DrawnArt(5, side=64), DrawnArt(6, side=64)
    second.draw_tile("back", 7)
    assert np.array_equal(second.draw_tile("domino", 19), first.draw_tile("domino", 19))
    assert np.array_equal(second.draw_tile("castle", "pink"), first.draw_tile("castle", "pink"))
    assert not np.array_equal(other.draw_tile("domino", 19), first.draw_tile("domino", 19))
    assert not np.array_equal(first.draw_tile("domino", 3), first.draw_tile("domino", 4))


def test_castles_and_backs_differ_by_colour_and_number() -> None:
    art = DrawnArt(5, side=64)
    castles = {colour: art.draw_tile("castle", colour) for colour in COLOURS}
    assert {picture.shape for picture in castles.values()} == {(64, 64, 3)}
    red, blue = (castles[colour][20:45, 20:45].reshape(-1, 3).mean(axis=0) for colour in ("red", "blue"))
    assert red[0] > 1.3 * red[2]
    assert blue[2] > 1.3 * blue[0]
    assert art.draw_tile("back", 3).shape == (64, 128, 3)
    assert np.abs(art.draw_tile("back", 1).astype(int) - art.draw_tile("back", 48)).max() > 100


def test_drawn_and_folder_art_have_the_same_form(drawn_art: DrawnArt) -> None:
    arts: list[DrawnArt | FolderArt] = [drawn_art]
    if DATA.is_dir():
        arts += [FolderArt(DATA, source) for source in SOURCES]
    for art in arts:
        assert art.draw_tile("domino", 48).shape == art.draw_tile("back", 48).shape == (256, 512, 3)
        assert art.draw_tile("castle", "blue").shape == (256, 256, 3)


@needs_data
def test_every_source_of_the_data_folder_shows_the_same_cells() -> None:
    for source in SOURCES:
        art = FolderArt(DATA, source)
        for number, (left, right) in CELLS.items():
            picture = art.draw_tile("domino", number)
            assert picture.shape == (256, 512, 3)
            assert [find_main_colour(picture[:, :256]), find_main_colour(picture[:, 256:])] == [left, right]
        assert art.draw_tile("castle", "pink").shape == (256, 256, 3)
        assert art.draw_tile("back", 48).shape == (256, 512, 3)


@needs_data
def test_a_picture_is_read_once_and_is_read_only() -> None:
    art = FolderArt(DATA, "scans")
    assert art.draw_tile("domino", 1) is art.draw_tile("domino", 1)
    with pytest.raises(ValueError, match="read-only"):
        art.draw_tile("domino", 1)[0, 0] = 0


def find_main_colour(picture: Picture) -> str:
    """Return "black" for dark ground, else a name of the median hue, which holds in any light."""
    hue, _, value = cv2.split(cv2.cvtColor(picture, cv2.COLOR_RGB2HSV))
    if (value < 70).mean() > 0.2:
        return "black"
    return "yellow" if np.median(hue) < 30 else "green" if np.median(hue) < 80 else "blue"
