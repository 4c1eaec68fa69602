"""Pictures of Queendomino cut out of photos: towns, buildings, squares of its dominoes, the Queen.

The corners below belong to this project; the photos, 480 x 640 or 640 x 480 pixels, lie in `queendomino/` of a data
folder.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Corners = tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]]

SIDE_PX = 256  # of a square
_TRIM = 0.02  # share of a square cut off on all sides, where the table and the edge of the card are visible
_QUEEN_SIZE_PX = (160, 256)  # width and height

# Photo, left and right cell, and corners of each domino. Corners run clockwise from the top left of the upright print.
# A half that a king covers has no cell. Photos 16 to 19 show a kingdom for experiments and must not be used here.
_DOMINOES: Final[tuple[tuple[str, str, str, Corners], ...]] = (
    ("2", "m2", "w", ((219.3, 62.0), (482.4, 67.5), (473.8, 141.0), (205.0, 133.0))),
    ("2", "f1", "w", ((196.6, 154.2), (467.2, 161.8), (458.7, 238.4), (186.0, 228.3))),
    ("2", "f1", "l", ((187.0, 244.5), (463.2, 251.5), (459.2, 331.0), (178.4, 322.0))),
    ("2", "t", "l", ((182.0, 353.3), (466.7, 357.9), (466.7, 440.0), (178.0, 434.5))),
    ("4", "f", "f", ((130.8, 42.8), (294.8, 42.8), (293.8, 122.5), (129.5, 121.5))),
    ("4", "l", "l", ((127.8, 137.5), (293.2, 132.8), (294.5, 217.0), (128.2, 218.0))),
    ("4", "g", "g", ((127.5, 232.5), (294.5, 224.8), (297.2, 308.0), (130.0, 313.5))),
    ("4", "s", "s", ((127.5, 334.2), (296.0, 334.0), (296.8, 420.0), (125.8, 419.5))),
    ("4", "m2", "t", ((125.0, 431.5), (295.3, 437.5), (292.8, 525.5), (120.5, 518.5))),
    ("4", "t", "t", ((114.9, 530.3), (287.3, 531.8), (287.8, 620.0), (113.9, 618.0))),
    ("27", "s2", "w", ((20.0, 83.3), (213.3, 79.3), (211.0, 176.3), (12.7, 177.0))),
    ("27", "m2", "", ((17.3, 194.0), (217.7, 189.0), (219.3, 289.7), (13.3, 293.7))),
    ("27", "f1", "l", ((17.3, 307.7), (225.0, 309.3), (222.3, 416.3), (10.3, 412.0))),
)
_BUILDINGS: Final[tuple[tuple[str, Corners], ...]] = (
    ("8", ((241.5, 93.5), (365.2, 79.8), (378.0, 200.0), (253.2, 213.5))),
    ("8", ((252.5, 239.5), (380.2, 240.2), (382.0, 365.2), (250.8, 363.8))),
    ("8", ((240.5, 420.0), (368.0, 426.5), (365.8, 557.0), (232.5, 550.2))),
    ("20", ((236.2, 80.0), (335.8, 73.5), (342.0, 167.2), (240.5, 174.0))),
    ("20", ((227.0, 190.2), (329.0, 183.5), (333.2, 284.0), (230.5, 288.0))),
    ("20", ((229.0, 323.2), (331.8, 319.5), (336.8, 426.2), (230.8, 427.2))),
    ("20", ((227.2, 443.2), (334.5, 441.8), (339.0, 552.0), (230.2, 552.0))),
    ("23", ((253.6, 244.0), (447.7, 237.5), (465.0, 434.0), (258.7, 437.5))),
    ("25", ((31.3, 125.0), (209.2, 111.4), (216.8, 293.5), (25.7, 299.0))),
    ("25", ((243.0, 111.0), (431.6, 102.9), (445.2, 286.4), (245.0, 292.4))),
    ("25", ((28.7, 323.2), (218.3, 316.4), (219.5, 519.0), (21.9, 518.2))),
    ("25", ((244.5, 322.7), (447.7, 316.2), (463.0, 526.4), (248.6, 529.0))),
)
_UNBUILT: Final[tuple[tuple[str, Corners], ...]] = (
    ("8", ((89.5, 105.5), (209.0, 105.2), (206.8, 226.5), (83.0, 223.2))),
    ("8", ((82.8, 254.8), (206.8, 266.0), (193.8, 391.0), (68.5, 379.5))),
    ("8", ((64.0, 422.0), (192.2, 425.0), (187.5, 556.2), (59.5, 550.2))),
    ("20", ((90.5, 75.2), (185.0, 74.5), (181.2, 168.8), (83.8, 167.2))),
    ("20", ((80.2, 200.8), (178.5, 192.5), (183.8, 290.5), (83.8, 297.5))),
    ("20", ((84.2, 309.8), (184.8, 309.0), (183.2, 411.5), (80.2, 411.8))),
    ("20", ((81.0, 441.2), (185.2, 437.5), (186.8, 546.0), (81.8, 547.8))),
    ("22", ((35.8, 240.5), (265.7, 227.0), (276.3, 474.5), (30.3, 477.5))),
    ("23", ((35.3, 240.0), (222.4, 237.0), (220.3, 432.0), (22.7, 431.0))),
)
# The Queen's outline, clockwise from above her crown.
_QUEEN: Final[tuple[str, tuple[tuple[float, float], ...]]] = (
    "12",
    (
        *((212, 147), (237, 148), (255, 161), (262, 192), (260, 237), (258, 267), (282, 308), (295, 353), (308, 403)),
        *((323, 454), (329, 534), (327, 550), (302, 553), (121, 550), (93, 545), (85, 529), (90, 474), (113, 418)),
        *((132, 353), (140, 302), (166, 277), (177, 247), (174, 202), (172, 169), (187, 151)),
    ),
)


class QueendominoArt:
    """The pictures of Queendomino in a folder, each cut out once.

    A square picture is (256, 256, 3) RGB, upright as printed. Numbers beyond the last picture begin again at the first.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        if not self.is_available(self.folder):
            raise FileNotFoundError(f"no photos of Queendomino in {self.folder}")
        self._squares: dict[str, tuple[list[Picture], list[Picture]]] = {}

    @staticmethod
    def is_available(folder: Path) -> bool:
        """Return whether the folder has all photos that are used here."""
        names = {name for name, *_ in (*_DOMINOES, *_BUILDINGS, *_UNBUILT, _QUEEN)}
        return all((folder / f"{name}.jpg").is_file() for name in names)

    def squares(self, kind: str, side: int) -> list[Picture]:
        """Return the squares of a cell ("m2") that are left (0) or right (1) halves, or else the other halves."""
        return self.halves(kind, side) or self.halves(kind, 1 - side)

    def halves(self, kind: str, side: int) -> list[Picture]:
        """Return the squares of a cell ("m2") that are left (0) or right (1) halves."""
        if not self._squares:
            for photo, left, right, corners in _DOMINOES:
                both = _cut(_load(self.folder, photo), corners, 2)
                for half, (cell, square) in enumerate(((left, both[:, :SIDE_PX]), (right, both[:, SIDE_PX:]))):
                    if cell:
                        self._squares.setdefault(cell, ([], []))[half].append(square)
        return self._squares.get(kind, ([], []))[side]

    def building(self, number: int) -> Picture:
        """Return a finished building."""
        return _cut_square(self.folder, *_BUILDINGS[number % len(_BUILDINGS)])

    def back_of_building(self, number: int) -> Picture:
        """Return the grey side of a building, which is visible until somebody buys it."""
        return _cut_square(self.folder, *_UNBUILT[number % len(_UNBUILT)])

    def queen(self) -> Picture:
        """Return the Queen, (256, 160, 4) RGBA, transparent beside her."""
        photo, outline = _load(self.folder, _QUEEN[0]), np.array(_QUEEN[1], np.float32)
        mask = np.zeros(photo.shape[:2], np.uint8)
        cv2.fillPoly(mask, [outline.astype(np.int32)], 255)
        (left, top), (right, bottom) = outline.min(0).astype(int), outline.max(0).astype(int)
        cut = np.dstack([photo, mask])[top : bottom + 1, left : right + 1]
        return np.asarray(cv2.resize(cut, _QUEEN_SIZE_PX, interpolation=cv2.INTER_AREA), np.uint8)


@cache
def _cut_square(folder: Path, photo: str, corners: Corners) -> Picture:
    return _cut(_load(folder, photo), corners, 1)


def _load(folder: Path, name: str) -> Picture:
    return np.asarray(cv2.imread(str(folder / f"{name}.jpg"), cv2.IMREAD_COLOR_RGB), np.uint8)


def _cut(photo: Picture, corners: Corners, squares: int) -> Picture:
    """Return the print between the corners, (256, squares * 256, 3), without its outermost rim."""
    rim, width = _TRIM * SIDE_PX, squares * SIDE_PX
    inner = [(-rim, -rim), (width + rim, -rim), (width + rim, SIDE_PX + rim), (-rim, SIDE_PX + rim)]
    warp = cv2.getPerspectiveTransform(np.array(corners, np.float32), np.array(inner, np.float32))
    cut = np.asarray(cv2.warpPerspective(photo, warp, (width, SIDE_PX), flags=cv2.INTER_CUBIC), np.uint8)
    cut.flags.writeable = False
    return cut
