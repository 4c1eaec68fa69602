"""Pictures of Queendomino cut out of photos: towns, buildings, squares of its dominoes, the Queen.

The photos lie in `queendomino/` of a data folder; `queendomino_photos.toml` says where they show what.
"""

import tomllib
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from kdvision.lab.arrays import Bytes
from kdvision.lab.render.art.folder_art import cut_print, load_picture

PHOTOS: Final[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("queendomino_photos.toml").read_text("utf-8"))
_TRIM_SQUARES = 0.02  # cut off on all sides, where the table and the edge of the card are visible
_QUEEN_SIZE_PX = (160, 256)  # width and height


def list_photos() -> set[str]:
    """Return the names of all photos that are used here."""
    entries = (*PHOTOS["domino"], *PHOTOS["building"], *PHOTOS["unbuilt"], PHOTOS["queen"])
    return {entry["photo"] for entry in entries}


class QueendominoArt:
    """The pictures of Queendomino in a folder, each cut out once.

    A square picture is (256, 256, 3) RGB, upright as printed. Numbers beyond the last picture begin again at the first.
    """

    def __init__(self, folder: Path) -> None:
        if not self.is_available(folder):
            raise FileNotFoundError(f"no photos of Queendomino in {folder}")
        self.folder = folder
        self._pictures: dict[str, Bytes] = {}

    @staticmethod
    def is_available(folder: Path) -> bool:
        """Return whether the folder has all photos that are used here."""
        return all((folder / f"{name}.jpg").is_file() for name in list_photos())

    def squares(self, kind: str, side: int) -> list[Bytes]:
        """Return the squares of a cell ("m2") that are left (0) or right (1) halves, or else the other halves."""
        return self.halves(kind, side) or self.halves(kind, 1 - side)

    def halves(self, kind: str, side: int) -> list[Bytes]:
        """Return the squares of a cell ("m2") that are left (0) or right (1) halves."""
        dominoes = [entry for entry in PHOTOS["domino"] if entry["cells"][side] == kind]
        return [np.hsplit(self._cut(entry, squares=2), 2)[side] for entry in dominoes]

    def building(self, kind: str, number: int) -> Bytes:
        """Return a "building", or an "unbuilt" one: its grey side, which is up until a player buys it."""
        entries = PHOTOS[kind]
        return self._cut(entries[number % len(entries)])

    def queen(self) -> Bytes:
        """Return the Queen, (256, 160, 4) RGBA, transparent beside her."""
        photo, outline = self._load(PHOTOS["queen"]), np.array(PHOTOS["queen"]["outline"], np.int32)
        mask = cv2.fillPoly(np.zeros(photo.shape[:2], np.uint8), [outline], 255)
        (left, top), (right, bottom) = outline.min(0), outline.max(0)
        cut = np.dstack([photo, mask])[top : bottom + 1, left : right + 1]
        return np.asarray(cv2.resize(cut, _QUEEN_SIZE_PX, interpolation=cv2.INTER_AREA), np.uint8)

    def _load(self, entry: dict[str, Any]) -> Bytes:
        return load_picture(self.folder / f"{entry['photo']}.jpg")

    def _cut(self, entry: dict[str, Any], squares: int = 1) -> Bytes:
        name = f"{entry['photo']} {entry['corners']}"
        if name not in self._pictures:
            self._pictures[name] = cut_print(self._load(entry), entry["corners"], squares, rim=_TRIM_SQUARES)
        return self._pictures[name]
