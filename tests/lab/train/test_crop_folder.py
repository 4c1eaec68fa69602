"""Crops are split by photo, copies included, and crops in a wrong folder go by what they show if asked."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from kdvision.lab.train.crop_folder import LENT, MISLABELLED, Bytes, Crops, Floats, group_of, notation, photo_of
from kdvision.vision.classify.probabilities import KINDS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twenty photos of two crops each, a copy of one crop of every third, and a crop that lies in a wrong folder."""
    names = [f"room{photo}_{number}" for photo in range(20) for number in range(2)]
    names += [f"room{photo}_1(1)" for photo in range(0, 20, 3)]
    for name in names:
        _save(tmp_path / "wheat_0" / f"{name}.jpg")
    _save(tmp_path / "mine_2" / "board_5.jpg")
    _save(tmp_path / "not_tile" / "cloth_1.jpg")
    return tmp_path


def _save(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    assert cv2.imwrite(str(path), np.full((8, 8, 3), 90, np.uint8))


def test_no_photo_lies_on_both_sides_of_a_split(folder: Path) -> None:
    for seed in range(20):
        train, held = Crops.load(folder).split(held_out=0.3, seed=seed)
        assert train.pictures and held.pictures
        assert {photo_of(group) for group in train.pictures}.isdisjoint(photo_of(group) for group in held.pictures)


def test_a_copy_is_of_the_photo_that_its_crop_is_of() -> None:
    assert group_of("IMG_2018_12") == photo_of("IMG_2018") == photo_of(group_of("IMG_2018_12(1)")) == "IMG_2018"


def test_what_lies_in_a_wrong_folder_goes_by_what_it_shows_where_asked(folder: Path) -> None:
    assert MISLABELLED["board_5"] == "s2"
    assert set(Crops.load(folder).pictures["board"]) == {"m2"}
    assert set(Crops.load(folder, mended=True).pictures["board"]) == {"s2"}
    assert set(MISLABELLED.values()) <= set(KINDS) and notation("swamp_2") == "s2"


def test_a_photo_borrows_what_it_lacks_from_one_under_the_same_light() -> None:
    warm, cold = np.array([1.0, 0.8, 0.5]), np.array([0.6, 0.8, 1.0])
    lake, grass = np.array([60, 120, 200]), np.array([130, 180, 70])

    def lit(paint: Floats, lamp: Floats) -> list[Bytes]:
        return [np.full((8, 8, 3), paint * lamp, np.uint8)] * LENT

    crops = Crops(
        {
            "cold": {"l": lit(lake, cold), "g": lit(grass, cold)},
            "evening": {"l": lit(lake, warm)},
            "noon": {"l": lit(lake, cold)},
            "unlike": {"f": lit(grass, cold)},
            "warm": {"l": lit(lake, warm), "g": lit(grass, warm)},
        },
        (),
    )
    for photo, lamp in (("evening", warm), ("noon", cold)):
        beside = crops.beside(photo)
        assert set(beside) == {"f", "g", "l"}
        assert all((crop == lit(grass, lamp)[0]).all() for crop in beside["g"])
        assert beside["l"] is crops.pictures[photo]["l"]
    # nothing in common tells how alike they are: any will do
    assert set(crops.beside("unlike")) == {"f", "g", "l"}
    assert not crops.boards
