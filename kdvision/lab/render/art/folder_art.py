"""Pictures of dominoes, starting tiles and backs from a data folder.

Every set of art gives RGB pictures of one form, cut to the edges of the cardboard: a square is 256 pixels wide, the
left cell of a domino is on the left, and its crowns are at the top.
"""

from functools import cache
from pathlib import Path
from typing import Final, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from kdvision.game.deck import KINGDOMINO

Picture = NDArray[np.uint8]

SIDE_PX = 256  # of a square

_DUTCH = {"blue": "blauw", "green": "groen", "pink": "roos", "yellow": "geel"}
_CASTLES: Final = {
    "scans": {colour: f"starting_tiles/scan-starttegel_{dutch}.jpg" for colour, dutch in _DUTCH.items()},
    "photos": {colour: f"starting_tiles/{'R' if colour == 'pink' else colour[0].upper()}.jpg" for colour in _DUTCH},
    "squares": {colour: f"squares/castle-{colour}.jpg" for colour in _DUTCH},
}
_FIRST_FILES = {"scans": "domino_scans/01.jpg", "photos": "dominoes/01.jpg", "squares": "squares/wheat_0.jpg"}


class ArtSet(Protocol):
    """Where the pictures of a box come from."""

    def tile(self, kind: str, name: int | str) -> Picture:
        """Return the picture of a domino or its back, (256, 512, 3), or of the starting tile of a colour.

        `kind` and `name` are as in `layout.Tile`.
        """


def list_sources(folder: Path) -> tuple[str, ...]:
    """Return the full sets of dominoes in a data folder, sharpest first."""
    return tuple(name for name, path in _FIRST_FILES.items() if (folder / path).is_file())


class FolderArt:
    """The pictures of one source of a data folder, each read once.

    Sources are "scans" (`domino_scans/NN.jpg`), "photos" with a rim of table (`dominoes/NN.jpg`) and "squares"
    (`squares/KIND_CROWNS.jpg`). Starting tiles lie in `starting_tiles/` or `squares/`, backs in `domino_backs/`.
    Raises FileNotFoundError if the folder does not have the source.
    """

    def __init__(self, folder: Path, source: str) -> None:
        if source not in list_sources(folder):
            raise FileNotFoundError(f"no {source} of dominoes in {folder}")
        self.folder, self.source = folder, source
        self._backs = sorted((folder / "domino_backs").glob("*.jpg"), key=lambda path: int(path.stem))

    def tile(self, kind: str, name: int | str) -> Picture:
        """Return the picture of a tile; see `ArtSet`. A back shows the nearest number of which there is a picture."""
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


def load_picture(path: Path) -> Picture:
    """Return a picture file (h, w, 3), RGB; raises FileNotFoundError if it is none."""
    pixels = cv2.imread(str(path), cv2.IMREAD_COLOR_RGB)
    if pixels is None:
        raise FileNotFoundError(f"{path} is not a picture")
    return np.asarray(pixels, np.uint8)


@cache
def _load_trimmed(path: Path, width: int, margin: float = 0.006) -> Picture:
    """Return the picture at the common size, without the outermost pixels, where scans show the table."""
    picture = load_picture(path)
    height, breadth = picture.shape[:2]
    trim = round(margin * height)
    inner = picture[trim : height - trim, trim : breadth - trim]
    return _freeze(cv2.resize(inner, (width, SIDE_PX), interpolation=cv2.INTER_AREA))


@cache
def _load_cropped(path: Path) -> Picture:
    return _freeze(crop_domino(load_picture(path)))


def _freeze(picture: NDArray[np.generic]) -> Picture:
    picture.flags.writeable = False
    return np.asarray(picture, np.uint8)


def crop_domino(photo: Picture) -> Picture:
    """Return a domino, (256, 512, 3), cropped from a photo, (H, W, 3), that shows it with a narrow rim of table.

    Each side is the straight line, near that side of the photo, along which the picture changes most.
    """
    small = cv2.resize(photo, (4 * SIDE_PX, 2 * SIDE_PX), interpolation=cv2.INTER_AREA)
    lab = cv2.cvtColor(cv2.GaussianBlur(small, (0, 0), 1.5), cv2.COLOR_RGB2LAB).astype(np.float32)
    (a, b), (c, d), (e, f), (g, h) = (_find_edge(np.rot90(lab, turns)) for turns in range(4))
    height, width = lab.shape[:2]
    sides = [
        np.cross((0.0, a, 1.0), (width, b, 1.0)),
        np.cross((width - c, 0.0, 1.0), (width - d, height, 1.0)),
        np.cross((width, height - e, 1.0), (0.0, height - f, 1.0)),
        np.cross((g, height, 1.0), (h, 0.0, 1.0)),
    ]
    corners = np.array([np.cross(sides[i - 1], sides[i]) for i in range(4)])
    target = np.array([(0, 0), (2 * SIDE_PX, 0), (2 * SIDE_PX, SIDE_PX), (0, SIDE_PX)], dtype=np.float32)
    warp = cv2.getPerspectiveTransform((corners[:, :2] / corners[:, 2:]).astype(np.float32), target)
    return np.asarray(cv2.warpPerspective(small, warp, (2 * SIDE_PX, SIDE_PX), flags=cv2.INTER_AREA), dtype=np.uint8)


def _find_edge(lab: NDArray[np.float32], reach: int = 48, inset: float = 2.0) -> tuple[float, float]:
    """Return how far below the top the domino's upper edge lies at the left and right end of the picture, in pixels."""
    columns = np.linspace(0.06, 0.94, 96)
    band = lab[: reach + 6, (columns * lab.shape[1]).astype(int)]
    change = np.linalg.norm(band[5:] - band[:-5], axis=2)[:reach]
    change = np.minimum(change, 30.0)  # a strong motif must not outweigh the edge
    ends = np.arange(reach)
    rows = ends[:, None, None] * (1 - columns) + ends[None, :, None] * columns
    strength = change[rows.round().astype(int), np.arange(len(columns))].sum(axis=2)
    left, right = np.unravel_index(int(strength.argmax()), strength.shape)
    return float(left) + 2.5 + inset, float(right) + 2.5 + inset
