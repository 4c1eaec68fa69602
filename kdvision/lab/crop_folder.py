"""Crops of tiles cut from real photos, as a data folder's `tiles/` holds them, and their split by photo."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]

FOLDERS = {"wheat": "w", "forest": "f", "lake": "l", "grass": "g", "swamp": "s", "mine": "m"}


def notation(folder: str) -> str | None:
    """Return the kind of cell that a crop folder such as `wheat_1` or `castle` holds; None for `not_tile`."""
    if folder == "castle":
        return "#"
    terrain, _, crowns = folder.rpartition("_")
    return FOLDERS[terrain] + crowns.replace("0", "") if terrain in FOLDERS else None


def photo_of(path: Path) -> str:
    """Return the photo that a crop was cut from: its name without the last number and the mark of a turned copy."""
    return re.sub(r"_\d+( \(\d+\))?$", "", path.stem)


@dataclass(frozen=True)
class Crops:
    """Square crops of real photos: `pictures` by photo and kind, and `scraps`, surfaces that are no tile."""

    pictures: dict[str, dict[str, list[Bytes]]]
    scraps: tuple[Bytes, ...]

    @classmethod
    def load(cls, folder: Path) -> Crops:
        pictures: dict[str, dict[str, list[Bytes]]] = defaultdict(lambda: defaultdict(list))
        scraps = []
        for path in sorted(folder.glob("*/*.jpg")):
            crop = np.asarray(cv2.imread(str(path), cv2.IMREAD_COLOR_RGB), np.uint8)
            kind = notation(path.parent.name)
            if kind is None:
                scraps.append(crop)
            else:
                pictures[photo_of(path)][kind].append(crop)
        return cls({photo: dict(kinds) for photo, kinds in pictures.items()}, tuple(scraps))

    def split(self, *, held_out: float = 0.15, seed: int = 7) -> tuple[Crops, Crops]:
        """Return crops to train on and crops held out, split by photo: squares of one photo are one sample."""
        photos = sorted(self.pictures)
        order = np.random.default_rng(seed).permutation(len(photos))
        out = {photos[i] for i in order[: round(held_out * len(photos))]}
        parts = ({p: self.pictures[p] for p in photos if (p in out) == flag} for flag in (False, True))
        train, held = parts
        cut = round((1 - held_out) * len(self.scraps))
        return Crops(train, self.scraps[:cut]), Crops(held, self.scraps[cut:])

    @cached_property
    def by_kind(self) -> dict[str, list[Bytes]]:
        found: dict[str, list[Bytes]] = defaultdict(list)
        for kinds in self.pictures.values():
            for kind, crops in kinds.items():
                found[kind] += crops
        return dict(found)
