"""Crops are split by photo, copies included, and crops in a wrong folder have their true kind."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from kdvision.lab.arrays import Bytes, Floats
from kdvision.lab.train.crop_folder import MIN_BORROWED_CROPS, MISLABELLED, Crops, parse_group, parse_kind, parse_photo
from kdvision.vision.classify.probabilities import KINDS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return twenty photos of two crops each, a copy of one crop of every third photo, and a crop in a wrong folder."""
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


def test_no_photo_is_on_both_sides_of_a_split(folder: Path) -> None:
    for seed in range(20):
        train_crops, held_out_crops = Crops.load(folder).split(held_out=0.3, seed=seed)
        assert train_crops.pictures and held_out_crops.pictures
        assert {parse_photo(group) for group in train_crops.pictures}.isdisjoint(
            parse_photo(group) for group in held_out_crops.pictures
        )


def test_a_copy_belongs_to_the_photo_of_its_original() -> None:
    assert (
        parse_group("IMG_2018_12")
        == parse_photo("IMG_2018")
        == parse_photo(parse_group("IMG_2018_12(1)"))
        == "IMG_2018"
    )


def test_mislabelled_crops_have_their_true_kind(folder: Path) -> None:
    assert MISLABELLED["board_5"] == "s2"
    assert set(Crops.load(folder).pictures["board"]) == {"s2"}
    assert set(MISLABELLED.values()) <= set(KINDS) and parse_kind("swamp_2") == "s2"


def test_a_photo_borrows_missing_kinds_from_a_photo_with_the_same_light() -> None:
    warm_lamp, cold_lamp = np.array([1.0, 0.8, 0.5]), np.array([0.6, 0.8, 1.0])
    lake, grass = np.array([60, 120, 200]), np.array([130, 180, 70])

    def make_crops(colour: Floats, lamp: Floats) -> list[Bytes]:
        return [np.full((8, 8, 3), colour * lamp, np.uint8)] * MIN_BORROWED_CROPS

    crops = Crops(
        {
            "cold": {"l": make_crops(lake, cold_lamp), "g": make_crops(grass, cold_lamp)},
            "evening": {"l": make_crops(lake, warm_lamp)},
            "noon": {"l": make_crops(lake, cold_lamp)},
            "unlike": {"f": make_crops(grass, cold_lamp)},
            "warm": {"l": make_crops(lake, warm_lamp), "g": make_crops(grass, warm_lamp)},
        },
        (),
    )
    for photo, lamp in (("evening", warm_lamp), ("noon", cold_lamp)):
        matching_crops = crops.find_matching(photo)
        assert set(matching_crops) == {"f", "g", "l"}
        assert all((crop == make_crops(grass, lamp)[0]).all() for crop in matching_crops["g"])
        assert matching_crops["l"] is crops.pictures[photo]["l"]
    # photos without a common terrain cannot be compared: any will do
    assert set(crops.find_matching("unlike")) == {"f", "g", "l"}
    assert not crops.boards
