"""Crops of tiles cut from real photos, as the folder `tiles/` of the training pictures holds them, split by photo."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np
from skimage.color import rgb2lab

from kdvision.lab.arrays import Bytes, Floats

CropsByKind = dict[str, list[Bytes]]

FOLDERS = {"wheat": "w", "forest": "f", "lake": "l", "grass": "g", "swamp": "s", "mine": "m"}
TERRAINS = "".join(FOLDERS.values()) + "#"
MIN_BOARD_TERRAINS = 3
"""A photo with crops of this many terrains shows a board; most photos have a single crop."""
MIN_BORROWED_CROPS = 4
"""Least number of crops of each missing kind that a photo borrows from similar photos."""
MISLABELLED: dict[str, str] = json.loads(Path(__file__).with_name("mislabelled_crops.json").read_text("utf-8"))
"""Crops in the folder of another kind, and their true kind: each was checked by eye after a network had disagreed."""


def parse_kind(folder: str) -> str | None:
    """Return the kind of cell in a crop folder such as `wheat_1` or `castle`; None for `not_tile`."""
    if folder == "castle":
        return "#"
    terrain, _, crowns = folder.rpartition("_")
    return FOLDERS[terrain] + crowns.replace("0", "") if terrain in FOLDERS else None


def parse_group(stem: str) -> str:
    """Return the group of a crop, which is its photo; a copy such as "kd2_17(1)" is a group of its own."""
    return re.sub(r"_\d+$", "", stem)


def parse_photo(group: str) -> str:
    """Return the photo of a group; that of a copy is the photo of the copied crop."""
    return re.sub(r"_\d+\(\d+\)$", "", group)


@dataclass(frozen=True)
class Crops:
    """Square crops of real photos: `pictures` of tiles by group and kind; `scraps`, surfaces without a tile."""

    pictures: dict[str, CropsByKind]
    scraps: tuple[Bytes, ...]

    @classmethod
    def load(cls, folder: Path) -> Crops:
        """Return the crops of a folder, the MISLABELLED ones with their true kind."""
        pictures: dict[str, CropsByKind] = defaultdict(lambda: defaultdict(list))
        scraps = []
        for path in sorted(folder.glob("*/*.jpg")):
            crop = np.asarray(cv2.imread(str(path), cv2.IMREAD_COLOR_RGB), np.uint8)
            kind = MISLABELLED.get(path.stem, parse_kind(path.parent.name))
            if kind is None:
                scraps.append(crop)
            else:
                pictures[parse_group(path.stem)][kind].append(crop)
        return cls({group: dict(kinds) for group, kinds in pictures.items()}, tuple(scraps))

    def split(self, *, held_out: float = 0.15, seed: int = 7) -> tuple[Crops, Crops]:
        """Return crops for training and held-out crops, split by photo.

        A group that would be held out is in neither part if training has a copy of one of its crops.
        """
        groups = sorted(self.pictures)
        order = np.random.default_rng(seed).permutation(len(groups))
        held_out_groups = {groups[i] for i in order[: round(held_out * len(groups))]}
        training_pictures = {group: self.pictures[group] for group in groups if group not in held_out_groups}
        photos = {parse_photo(group) for group in training_pictures}
        held_out_pictures = {
            group: self.pictures[group]
            for group in groups
            if group in held_out_groups and parse_photo(group) not in photos
        }
        cut = round((1 - held_out) * len(self.scraps))
        return Crops(training_pictures, self.scraps[:cut]), Crops(held_out_pictures, self.scraps[cut:])

    @cached_property
    def boards(self) -> tuple[str, ...]:
        """The groups with crops of several terrains."""
        terrains = {group: {kind[0] for kind in kinds} for group, kinds in self.pictures.items()}
        return tuple(sorted(group for group in terrains if len(terrains[group]) >= MIN_BOARD_TERRAINS))

    @cached_property
    def by_kind(self) -> CropsByKind:
        crops_by_kind: CropsByKind = defaultdict(list)
        for kinds in self.pictures.values():
            for kind, crops in kinds.items():
                crops_by_kind[kind] += crops
        return dict(crops_by_kind)

    def find_matching(self, group: str) -> CropsByKind:
        """Return crops of every kind that could lie in one photo: its own, or those of photos with similar colours.

        Colours of two photos are compared terrain by terrain. Under one lamp wheat is as green as grass is under
        another, so crops of unlike photos must not lie side by side.
        """
        if group not in self._matching:
            names = list(self.pictures)
            colours = self._terrain_colours
            distance = np.linalg.norm(colours - colours[names.index(group)], axis=2)
            is_known = np.isfinite(distance)
            mean = np.where(is_known, distance, 0).sum(axis=1) / np.maximum(is_known.sum(axis=1), 0.1)
            mean[~is_known.any(axis=1)] = np.inf
            nearest_groups = [names[i] for i in np.argsort(mean, kind="stable")]
            own_crops = self.pictures[group]
            self._matching[group] = {
                k: own_crops.get(k) or self._borrow(k, nearest_groups) for k in sorted(self.by_kind)
            }
        return self._matching[group]

    def _borrow(self, kind: str, groups: Sequence[str]) -> list[Bytes]:
        """Return crops of one kind from the first groups that have enough of them."""
        crops: list[Bytes] = []
        for group in groups:
            crops += self.pictures[group].get(kind, ())
            if len(crops) >= MIN_BORROWED_CROPS:
                break
        return crops

    @cached_property
    def _matching(self) -> dict[str, CropsByKind]:
        return {}

    @cached_property
    def _terrain_colours(self) -> Floats:
        """The mean CIE L*a*b* colour of each group's terrains (groups, terrains, 3); NaN where it has no crop."""
        colours = np.full((len(self.pictures), len(TERRAINS), 3), np.nan)
        for row, kinds in zip(colours, self.pictures.values(), strict=True):
            for column, terrain in enumerate(TERRAINS):
                if means := [crop.mean(axis=(0, 1)) for kind in kinds if kind[0] == terrain for crop in kinds[kind]]:
                    row[column] = rgb2lab(np.mean(means, axis=0) / 255)
        return colours
