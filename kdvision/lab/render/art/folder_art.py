"""Pictures of tiles from a data folder: dominoes, starting tiles and backs, and what photos of Queendomino show.

Every set of art gives RGB pictures of one form, cut to the edges of the cardboard: a square is 256 pixels wide, the
left cell of a domino is on the left, and its crowns are at the top.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from kdvision.game.deck import KINGDOMINO
from kdvision.lab.arrays import Bytes

SIDE_PX = 256  # of a square

_DUTCH = {"blue": "blauw", "green": "groen", "pink": "roos", "yellow": "geel"}
_CASTLES: Final = {
    "scans": {colour: f"starting_tiles/scan-starttegel_{dutch}.jpg" for colour, dutch in _DUTCH.items()},
    "photos": {colour: f"starting_tiles/{'R' if colour == 'pink' else colour[0].upper()}.jpg" for colour in _DUTCH},
    "squares": {colour: f"squares/castle-{colour}.jpg" for colour in _DUTCH},
}
_CORNERS: Final = tomllib.loads(Path(__file__).with_name("domino_photos.toml").read_text("utf-8"))
_PHOTO_SIZE_PX = (1024, 512)  # of the photos for which these corners hold
SOURCES: Final = ("scans", "photos", "squares")
"""The full sets of dominoes in a data folder, sharpest first."""
PHOTOS: Final[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("queendomino_photos.toml").read_text("utf-8"))
_TRIM_SQUARES = 0.02  # cut off on all sides, where the table and the edge of the card are visible
_QUEEN_SIZE_PX = (160, 256)  # width and height


class FolderArt:
    """The pictures of one source of a data folder, each read once.

    Sources are "scans" (`domino_scans/NN.jpg`), "photos" with a rim of table (`dominoes/NN.jpg`) and "squares"
    (`squares/KIND_CROWNS.jpg`). Starting tiles lie in `starting_tiles/` or `squares/`, backs in `domino_backs/`.
    Raises FileNotFoundError for a picture that is not there.
    """

    def __init__(self, folder: Path, source: str) -> None:
        self.folder, self.source = folder, source
        self._backs = sorted((folder / "domino_backs").glob("*.jpg"), key=lambda path: int(path.stem))

    def draw_tile(self, kind: str, name: int | str) -> Bytes:
        """Return the picture of a domino or its back, (256, 512, 3), or of the starting tile of a colour.

        `kind` and `name` are as in `layout.Tile`. A back shows the nearest number that has a picture.
        """
        if kind == "castle":
            return _load_trimmed(self.folder / _CASTLES[self.source][str(name)], SIDE_PX)
        number = parse_domino_number(name)
        if kind == "back":
            return _load_trimmed(self._backs[min(round((number - 1) / 6), len(self._backs) - 1)], 2 * SIDE_PX)
        if self.source == "photos":
            return _load_cropped(self.folder / "dominoes" / f"{number:02}.jpg")
        if self.source == "scans":
            return _load_trimmed(self.folder / "domino_scans" / f"{number:02}.jpg", 2 * SIDE_PX)
        cells = (KINGDOMINO[number - 1].left, KINGDOMINO[number - 1].right)
        files = [self.folder / "squares" / f"{cell.terrain.name.lower()}_{cell.crowns}.jpg" for cell in cells]
        return np.hstack([_load_trimmed(file, SIDE_PX) for file in files])


def parse_domino_number(name: int | str) -> int:
    """Return the number of a domino of any box: 12 for 12, "K12" and "Q12"."""
    return int(str(name).lstrip("KQ"))


def load_picture(path: Path) -> Bytes:
    """Return a picture file (h, w, 3), RGB; raises FileNotFoundError if it is none."""
    pixels = cv2.imread(str(path), cv2.IMREAD_COLOR_RGB)
    if pixels is None:
        raise FileNotFoundError(f"{path} is not a picture")
    return np.asarray(pixels, np.uint8)


@cache
def _load_trimmed(path: Path, width: int) -> Bytes:
    """Return the picture at the common size, without the outermost pixels, where scans show the table."""
    picture = load_picture(path)
    height, breadth = picture.shape[:2]
    trim = round(0.006 * height)
    inner = picture[trim : height - trim, trim : breadth - trim]
    return _freeze(cv2.resize(inner, (width, SIDE_PX), interpolation=cv2.INTER_AREA))


@cache
def _load_cropped(path: Path) -> Bytes:
    photo = cv2.resize(load_picture(path), _PHOTO_SIZE_PX, interpolation=cv2.INTER_AREA)
    return cut_print(np.asarray(photo, np.uint8), _CORNERS[path.stem], 2)


def cut_print(photo: Bytes, corners: ArrayLike, squares: int, *, rim: float = 0.0) -> Bytes:
    """Return the print between four corners of a photo, (256, squares * 256, 3), read-only.

    Corners run clockwise from the top left of the upright print; `rim` is cut off on all sides, in squares.
    """
    low, right, bottom = -rim * SIDE_PX, (squares + rim) * SIDE_PX, (1 + rim) * SIDE_PX
    target = np.array([(low, low), (right, low), (right, bottom), (low, bottom)], np.float32)
    warp = cv2.getPerspectiveTransform(np.asarray(corners, np.float32), target)
    return _freeze(cv2.warpPerspective(photo, warp, (squares * SIDE_PX, SIDE_PX), flags=cv2.INTER_CUBIC))


def _freeze(picture: NDArray[np.generic]) -> Bytes:
    picture.flags.writeable = False
    return np.asarray(picture, np.uint8)


@dataclass(frozen=True)
class QueendominoArt:
    """The pictures of Queendomino (towns, buildings, squares of its dominoes, the Queen), each cut out once.

    `folder` holds the photos; `queendomino_photos.toml` says where they show what. A square picture is (256, 256, 3)
    RGB, upright as printed. Numbers beyond the last picture begin again at the first.
    """

    folder: Path

    def list_halves(self, kind: str, side: int) -> list[Bytes]:
        """Return the squares of a cell ("m2") that are left (0) or right (1) halves."""
        numbers = [number for number, entry in enumerate(PHOTOS["domino"]) if entry["cells"][side] == kind]
        return [np.hsplit(_load_queendomino(self.folder, "domino", number), 2)[side] for number in numbers]

    def load_building(self, kind: str, number: int) -> Bytes:
        """Return a "building", or an "unbuilt" one: its grey side, which is up until a player buys it."""
        return _load_queendomino(self.folder, kind, number % len(PHOTOS[kind]))

    def load_queen(self) -> Bytes:
        """Return the Queen, (256, 160, 4) RGBA, transparent beside her."""
        photo = load_picture(self.folder / f"{PHOTOS['queen']['photo']}.jpg")
        outline = np.array(PHOTOS["queen"]["outline"], np.int32)
        mask = cv2.fillPoly(np.zeros(photo.shape[:2], np.uint8), [outline], 255)
        (left, top), (right, bottom) = outline.min(0), outline.max(0)
        cutout = np.dstack([photo, mask])[top : bottom + 1, left : right + 1]
        return np.asarray(cv2.resize(cutout, _QUEEN_SIZE_PX, interpolation=cv2.INTER_AREA), np.uint8)


@cache
def _load_queendomino(folder: Path, kind: str, number: int) -> Bytes:
    entry = PHOTOS[kind][number]
    photo = load_picture(folder / f"{entry['photo']}.jpg")
    return cut_print(photo, entry["corners"], 2 if kind == "domino" else 1, rim=_TRIM_SQUARES)
