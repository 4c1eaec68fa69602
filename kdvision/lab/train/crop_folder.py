"""Crops of tiles cut from real photos, as a data folder's `tiles/` holds them, and their split by photo."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from skimage.color import rgb2lab

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

FOLDERS = {"wheat": "w", "forest": "f", "lake": "l", "grass": "g", "swamp": "s", "mine": "m"}
TERRAINS = "".join(FOLDERS.values()) + "#"
WHOLE = 3
"""A photo of which there are crops of so many terrains shows a board; of most there is a single crop."""
LENT = 4
"""So many crops, at least, of each kind that a photo lacks are lent to it."""

MISLABELLED: dict[str, str] = json.loads(Path(__file__).with_name("mislabelled_crops.json").read_text("utf-8"))
"""Crops in the folder of another kind, and their true kind: each was checked by eye after a network had disagreed."""


def notation(folder: str) -> str | None:
    """Return the kind of cell that a crop folder such as `wheat_1` or `castle` holds; None for `not_tile`."""
    if folder == "castle":
        return "#"
    terrain, _, crowns = folder.rpartition("_")
    return FOLDERS[terrain] + crowns.replace("0", "") if terrain in FOLDERS else None


def group_of(stem: str) -> str:
    """Return what a crop is kept with: the name of its photo; a copy, "kd2_17(1)", is a group of its own."""
    return re.sub(r"_\d+$", "", stem)


def photo_of(group: str) -> str:
    """Return the photo that the crops of a group were cut from: that of a copy is the copied crop's."""
    return re.sub(r"_\d+\(\d+\)$", "", group)


@dataclass(frozen=True)
class Crops:
    """Square crops of real photos: `pictures` by photo (`group_of`) and kind; `scraps`, surfaces that are no tile."""

    pictures: dict[str, dict[str, list[Bytes]]]
    scraps: tuple[Bytes, ...]

    @classmethod
    def load(cls, folder: Path, *, mended: bool = False) -> Crops:
        """Return the crops of a folder, by default as its folders say; `mended`, MISLABELLED ones as what they show."""
        pictures: dict[str, dict[str, list[Bytes]]] = defaultdict(lambda: defaultdict(list))
        scraps = []
        for path in sorted(folder.glob("*/*.jpg")):
            crop = np.asarray(cv2.imread(str(path), cv2.IMREAD_COLOR_RGB), np.uint8)
            kind = notation(path.parent.name)
            if mended and path.stem in MISLABELLED:
                kind = MISLABELLED[path.stem]
            if kind is None:
                scraps.append(crop)
            else:
                pictures[group_of(path.stem)][kind].append(crop)
        return cls({photo: dict(kinds) for photo, kinds in pictures.items()}, tuple(scraps))

    def split(self, *, held_out: float = 0.15, seed: int = 7) -> tuple[Crops, Crops]:
        """Return crops to train on and crops held out, split by photo: squares of one photo are one sample.

        Of a photo with copies on both sides, what would be held out is in neither part.
        """
        photos = sorted(self.pictures)
        order = np.random.default_rng(seed).permutation(len(photos))
        out = {photos[i] for i in order[: round(held_out * len(photos))]}
        parts = ({p: self.pictures[p] for p in photos if (p in out) == flag} for flag in (False, True))
        train, held = parts
        seen = {photo_of(group) for group in train}
        held = {group: kinds for group, kinds in held.items() if photo_of(group) not in seen}
        cut = round((1 - held_out) * len(self.scraps))
        return Crops(train, self.scraps[:cut]), Crops(held, self.scraps[cut:])

    @cached_property
    def boards(self) -> tuple[str, ...]:
        """The photos of which there are crops of several terrains."""
        return tuple(sorted(photo for photo, kinds in self.pictures.items() if len(_terrains(kinds)) >= WHOLE))

    def beside(self, photo: str) -> dict[str, list[Bytes]]:
        """Return crops of each kind as they could lie in a photo: its own, or those of photos that are coloured alike.

        Two photos are alike where the terrains of which both show crops have nearly the same mean colours: under one
        lamp wheat is as green as grass is under another, and the two never lie side by side.
        """
        if photo not in self._lent:
            colours = self._colours
            apart = np.linalg.norm(colours - colours[list(self.pictures).index(photo)], axis=2)
            known = np.isfinite(apart)
            alike = np.where(known, apart, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 0.1)
            alike[~known.any(axis=1)] = np.inf
            names = list(self.pictures)
            near = [names[i] for i in np.argsort(alike, kind="stable")]
            own = self.pictures[photo]
            self._lent[photo] = {kind: own.get(kind) or self._nearest(kind, near) for kind in sorted(self.by_kind)}
        return self._lent[photo]

    def _nearest(self, kind: str, photos: Sequence[str]) -> list[Bytes]:
        found: list[Bytes] = []
        for photo in photos:
            found += self.pictures[photo].get(kind, ())
            if len(found) >= LENT:
                break
        return found

    @cached_property
    def _lent(self) -> dict[str, dict[str, list[Bytes]]]:
        return {}

    @cached_property
    def _colours(self) -> Floats:
        """The mean colour, CIE L*a*b*, of each photo's terrains (photos, terrains, 3); NaN where it shows none."""
        found = np.full((len(self.pictures), len(TERRAINS), 3), np.nan)
        for row, kinds in zip(found, self.pictures.values(), strict=True):
            for terrain in _terrains(kinds):
                means = [crop.mean(axis=(0, 1)) for kind, few in kinds.items() if kind[0] == terrain for crop in few]
                row[TERRAINS.index(terrain)] = rgb2lab(np.mean(means, axis=0) / 255)
        return found

    @cached_property
    def by_kind(self) -> dict[str, list[Bytes]]:
        found: dict[str, list[Bytes]] = defaultdict(list)
        for kinds in self.pictures.values():
            for kind, crops in kinds.items():
                found[kind] += crops
        return dict(found)


def _terrains(kinds: Iterable[str]) -> set[str]:
    return {kind[0] for kind in kinds}
