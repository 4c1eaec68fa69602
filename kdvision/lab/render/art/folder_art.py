"""Pictures of dominoes, starting tiles and backs from a data folder.

Every set of art gives RGB pictures of one form, cut to the edges of the cardboard: a square is 256 pixels wide, the
left cell of a domino is on the left, and its crowns are at the top.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from kdvision.game.board import Cell
from kdvision.game.deck import KINGDOMINO

Picture = NDArray[np.uint8]

SIDE_PX = 256  # of a square

_DUTCH = {"blue": "blauw", "green": "groen", "pink": "roos", "yellow": "geel"}
_CASTLE_FILES = {
    "photos": {"blue": "B.jpg", "green": "G.jpg", "pink": "R.jpg", "yellow": "Y.jpg"},
    "scans": {colour: f"scan-starttegel_{dutch}.jpg" for colour, dutch in _DUTCH.items()},
}
_FIRST_FILES = {"scans": "domino_scans/01.jpg", "photos": "dominoes/01.jpg", "squares": "squares/wheat_0.jpg"}


class ArtSet(Protocol):
    """Where the pictures of a box come from."""

    def domino(self, number: int) -> Picture:
        """Return the face of a domino, (256, 512, 3)."""

    def castle(self, colour: str) -> Picture:
        """Return the starting tile of a colour, (256, 256, 3)."""

    def back(self, number: int) -> Picture:
        """Return the back of a domino with its number, (256, 512, 3)."""


class FolderArt:
    """The pictures of a data folder, each read once.

    The folder may hold `dominoes/NN.jpg` (photos with a rim of table), `domino_scans/NN.jpg`,
    `squares/KIND_CROWNS.jpg`, `starting_tiles/` and `domino_backs/`. A source is a full set of dominoes: "scans",
    "photos" or "squares".
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._pictures: dict[tuple[str, object], Picture] = {}
        self._backs = sorted((self.folder / "domino_backs").glob("*.jpg"), key=lambda path: int(path.stem))
        if not self.sources():
            raise FileNotFoundError(f"no pictures of dominoes in {self.folder}")

    def sources(self) -> tuple[str, ...]:
        """Return the sources in the folder, sharpest first."""
        return tuple(name for name, path in _FIRST_FILES.items() if (self.folder / path).is_file())

    def domino(self, number: int, source: str | None = None) -> Picture:
        """Return the face of a domino, (256, 512, 3), from a source (None: the first)."""
        source = self._check_source(source)
        return self._load_once(source, number, lambda: self._load_domino(number, source))

    def castle(self, colour: str, source: str | None = None) -> Picture:
        """Return the starting tile of a colour ("blue", "green", "pink", "yellow"), (256, 256, 3)."""
        source = self._check_source(source)
        path = f"squares/castle-{colour}.jpg"
        if source in _CASTLE_FILES:
            path = f"starting_tiles/{_CASTLE_FILES[source][colour]}"
        return self._load_once(source, colour, lambda: _trim(_load(self.folder / path), SIDE_PX))

    def back(self, number: int) -> Picture:
        """Return a domino's back, (256, 512, 3), with the nearest number of which there is a picture."""
        path = self._backs[min(round((number - 1) / 6), len(self._backs) - 1)]
        return self._load_once("backs", path.name, lambda: _trim(_load(path), 2 * SIDE_PX))

    def _check_source(self, source: str | None) -> str:
        sources = self.sources()
        if source is not None and source not in sources:
            raise KeyError(f"{source}: the folder has {', '.join(sources)}")
        return source or sources[0]

    def _load_once(self, source: str, key: object, load: Callable[[], Picture]) -> Picture:
        if (source, key) not in self._pictures:
            picture = load()
            picture.flags.writeable = False
            self._pictures[source, key] = picture
        return self._pictures[source, key]

    def _load_domino(self, number: int, source: str) -> Picture:
        if source == "photos":
            return crop_domino(_load(self.folder / "dominoes" / f"{number:02}.jpg"))
        if source == "scans":
            return _trim(_load(self.folder / "domino_scans" / f"{number:02}.jpg"), 2 * SIDE_PX)
        domino = KINGDOMINO[number - 1]
        return np.hstack([self._load_square(cell) for cell in (domino.left, domino.right)])

    def _load_square(self, cell: Cell) -> Picture:
        name = f"{cell.terrain.name.lower()}_{cell.crowns}.jpg"
        return self._load_once("square", name, lambda: _trim(_load(self.folder / "squares" / name), SIDE_PX))


def _load(path: Path) -> Picture:
    pixels = cv2.imread(str(path), cv2.IMREAD_COLOR_RGB)
    if pixels is None:
        raise FileNotFoundError(f"{path} is not a picture")
    return np.asarray(pixels, dtype=np.uint8)


def _trim(picture: Picture, width: int, margin: float = 0.006) -> Picture:
    """Return the picture at the common size, without the outermost pixels, where scans show the table."""
    height, breadth = picture.shape[:2]
    trim = round(margin * height)
    inner = picture[trim : height - trim, trim : breadth - trim]
    return np.asarray(cv2.resize(inner, (width, SIDE_PX), interpolation=cv2.INTER_AREA), dtype=np.uint8)


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
