"""Pictures of dominoes, starting tiles and backs: our own, or those of a folder.

Every set gives RGB pictures of the same form, cut flush with the cardboard: a square is 256 pixels wide, a domino lies
with its left cell on the left and its crowns towards the top edge.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from kdvision.game.board import Cell, Terrain
from kdvision.game.deck import KINGDOMINO, Deck
from kdvision.lab.render.drawn import DrawnArt

__all__ = ["SIDE", "ArtSet", "DrawnArt", "FolderArt", "flush"]

Picture = NDArray[np.uint8]

SIDE = 256  # pixels of a square's side

_KIND_FILES = {
    Terrain.WHEAT: "wheat",
    Terrain.FOREST: "forest",
    Terrain.LAKE: "lake",
    Terrain.GRASS: "grass",
    Terrain.SWAMP: "swamp",
    Terrain.MINE: "mine",
}
_CASTLE_FILES = {
    "photos": {"blue": "B.jpg", "green": "G.jpg", "pink": "R.jpg", "yellow": "Y.jpg"},
    "scans": {
        colour: f"scan-starttegel_{dutch}.jpg"
        for colour, dutch in (("blue", "blauw"), ("green", "groen"), ("pink", "roos"), ("yellow", "geel"))
    },
}


class ArtSet(Protocol):
    """Where the pictures of a box come from."""

    def domino(self, number: int) -> Picture:
        """The face of a domino, (256, 512, 3)."""

    def castle(self, colour: str) -> Picture:
        """The starting tile of a colour, (256, 256, 3)."""

    def back(self, number: int) -> Picture:
        """The back of a domino with its number, (256, 512, 3)."""


class FolderArt:
    """The pictures of a data folder, each read once.

    The folder may hold `dominoes/NN.jpg` (photos with some table around), `domino_scans/NN.jpg` (cut flush),
    `squares/KIND_CROWNS.jpg`, `starting_tiles/`, `domino_backs/`. A source is one full set of dominoes among them:
    "photos", "scans" or "squares".
    """

    def __init__(self, folder: str | Path, deck: Deck = KINGDOMINO) -> None:
        self.folder = Path(folder)
        self._cells = {int(domino.number): (domino.left, domino.right) for domino in deck}
        self._seen: dict[tuple[str, object], Picture] = {}
        self._backs = sorted((self.folder / "domino_backs").glob("*.jpg"), key=lambda path: int(path.stem))
        if not self.sources():
            raise FileNotFoundError(f"no pictures of dominoes in {self.folder}")

    def sources(self) -> tuple[str, ...]:
        """The names of the sets of dominoes in the folder, sharpest first."""
        places = {"scans": "domino_scans/01.jpg", "photos": "dominoes/01.jpg", "squares": "squares/wheat_0.jpg"}
        return tuple(name for name, place in places.items() if (self.folder / place).is_file())

    def domino(self, number: int, source: str | None = None) -> Picture:
        """The face of a domino, (256, 512, 3), from one source; by default from the first."""
        name = self._source(source)
        return self._kept(name, number, lambda: self._domino(number, name))

    def castle(self, colour: str, source: str | None = None) -> Picture:
        """The starting tile of a colour ("blue", "green", "pink", "yellow"), (256, 256, 3)."""
        name = self._source(source)
        if name in _CASTLE_FILES:
            path = self.folder / "starting_tiles" / _CASTLE_FILES[name][colour]
        else:
            path = self.folder / "squares" / f"castle-{colour}.jpg"
        return self._kept(name, colour, lambda: _cut(_load(path), SIDE))

    def back(self, number: int) -> Picture:
        """A domino's back, (256, 512, 3), with the nearest number there is a picture of."""
        path = self._backs[min(round((number - 1) / 6), len(self._backs) - 1)]
        return self._kept("backs", path.name, lambda: _cut(_load(path), 2 * SIDE))

    def _source(self, source: str | None) -> str:
        sources = self.sources()
        if source is not None and source not in sources:
            raise KeyError(f"{source}: the folder has {', '.join(sources)}")
        return source or sources[0]

    def _kept(self, source: str, key: object, make: Callable[[], Picture]) -> Picture:
        if (source, key) not in self._seen:
            picture = make()
            picture.flags.writeable = False
            self._seen[source, key] = picture
        return self._seen[source, key]

    def _domino(self, number: int, source: str) -> Picture:
        if source == "photos":
            return flush(_load(self.folder / "dominoes" / f"{number:02}.jpg"))
        if source == "scans":
            return _cut(_load(self.folder / "domino_scans" / f"{number:02}.jpg"), 2 * SIDE)
        return np.hstack([self._square(cell) for cell in self._cells[number]])

    def _square(self, cell: Cell) -> Picture:
        name = f"{_KIND_FILES[cell.terrain]}_{cell.crowns}.jpg"
        return self._kept("square", name, lambda: _cut(_load(self.folder / "squares" / name), SIDE))


def _load(path: Path) -> Picture:
    pixels = cv2.imread(str(path), cv2.IMREAD_COLOR_RGB)
    if pixels is None:
        raise FileNotFoundError(f"{path} is no picture")
    return np.asarray(pixels, dtype=np.uint8)


def _cut(picture: Picture, width: int, margin: float = 0.006) -> Picture:
    """The picture at our size, without the outermost pixels, where scans show the table."""
    height, breadth = picture.shape[:2]
    trim = round(margin * height)
    inner = picture[trim : height - trim, trim : breadth - trim]
    return np.asarray(cv2.resize(inner, (width, SIDE), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def flush(photo: Picture) -> Picture:
    """A domino, (256, 512, 3), cut out of a photo, (H, W, 3), that shows it whole with a narrow rim of table around.

    Each side is the straight line, near that side of the photo, along which the picture changes most.
    """
    small = cv2.resize(photo, (4 * SIDE, 2 * SIDE), interpolation=cv2.INTER_AREA)
    lab = cv2.cvtColor(cv2.GaussianBlur(small, (0, 0), 1.5), cv2.COLOR_RGB2LAB).astype(np.float32)
    lines = [_edge_line(np.rot90(lab, turns)) for turns in range(4)]  # top, right, bottom, left
    height, width = lab.shape[:2]
    (a, b), (c, d), (e, f), (g, h) = lines
    sides = [
        np.cross((0.0, a, 1.0), (width, b, 1.0)),
        np.cross((width - c, 0.0, 1.0), (width - d, height, 1.0)),
        np.cross((width, height - e, 1.0), (0.0, height - f, 1.0)),
        np.cross((g, height, 1.0), (h, 0.0, 1.0)),
    ]
    corners = np.array([np.cross(sides[i - 1], sides[i]) for i in range(4)])
    target = np.array([(0, 0), (2 * SIDE, 0), (2 * SIDE, SIDE), (0, SIDE)], dtype=np.float32)
    warp = cv2.getPerspectiveTransform((corners[:, :2] / corners[:, 2:]).astype(np.float32), target)
    return np.asarray(cv2.warpPerspective(small, warp, (2 * SIDE, SIDE), flags=cv2.INTER_AREA), dtype=np.uint8)


def _edge_line(lab: NDArray[np.float32], reach: int = 48, inset: float = 2.0) -> tuple[float, float]:
    """How far below the top the domino's upper edge begins, at the left and at the right end of the picture."""
    width = lab.shape[1]
    columns = np.linspace(0.06, 0.94, 96)
    band = lab[: reach + 6, (columns * width).astype(int)]
    change = np.linalg.norm(band[5:] - band[:-5], axis=2)[:reach]
    change = np.minimum(change, 30.0)  # no single motif may outvote the edge
    ends = np.arange(reach)
    rows = ends[:, None, None] * (1 - columns) + ends[None, :, None] * columns
    strength = change[rows.round().astype(int), np.arange(len(columns))].sum(axis=2)
    left, right = np.unravel_index(int(strength.argmax()), strength.shape)
    return float(left) + 2.5 + inset, float(right) + 2.5 + inset
